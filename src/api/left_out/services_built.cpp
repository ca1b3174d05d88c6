// A minimal library has none.
#include "api/services_built.hpp"

namespace zlink::api {

bool has_services () noexcept { return false; }

}  // namespace zlink::api

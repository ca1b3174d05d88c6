#include "api/services_built.hpp"

namespace zlink::api {

bool has_services () noexcept { return true; }

}  // namespace zlink::api

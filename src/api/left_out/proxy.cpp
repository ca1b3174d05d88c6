// Instead of proxy, in a minimal library: nothing is forwarded.
// Chosen by src/api/CMakeLists.txt; contracts and thread rules are those of
// api/proxy.hpp.
#include "api/proxy.hpp"

namespace zlink::api {

whole_message::~whole_message () = default;

proxy::proxy (base::world &world, void *, void *, void *capture, void *control)
  : world_ (world), capture_ (capture), control_ (control), lane_count_ (0)
{
}

base::result<void> proxy::run () { return base::errc::not_supported; }

}  // namespace zlink::api

// Instead of vsock, in a minimal library: there is none.
// Chosen by src/transport/CMakeLists.txt; contract and thread rule are those of
// transport/vsock.hpp.
#include "transport/vsock.hpp"

namespace zlink::transport {

base::transport *vsock_transport () noexcept { return nullptr; }

}  // namespace zlink::transport

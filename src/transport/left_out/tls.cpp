// Instead of tls, in a library without it.
// Chosen by src/transport/CMakeLists.txt; contracts and thread rules are those of
// transport/tls.hpp.
#include "transport/tls.hpp"

#include "transport/tcp.hpp"

namespace zlink::transport {

base::transport *tls_transport () noexcept { return nullptr; }

base::files *certificate_files () noexcept { return nullptr; }

base::kept *place_of_tls () noexcept { return nullptr; }

void forsake_tls () noexcept {}

bool tcp::wraps (std::string_view, base::stream_layers &) const { return false; }

}  // namespace zlink::transport

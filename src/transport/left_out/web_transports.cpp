// Instead of web_transports, in a library without ws (ZLINK_WS).
// Chosen by src/transport/CMakeLists.txt; contract and thread rule are those of
// transport/web_transports.hpp.
#include "transport/web_transports.hpp"

namespace zlink::transport {

std::span<base::transport *const> with_web_transports (std::span<base::transport *> to,
                                                       std::size_t count) noexcept
{
    return to.first (count);
}

std::string_view scheme_called (std::string_view name) noexcept { return name; }

}  // namespace zlink::transport

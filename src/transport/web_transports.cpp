#include "transport/web_transports.hpp"

#include "transport/tls.hpp"
#include "transport/web.hpp"

namespace zlink::transport {

std::span<base::transport *const> with_web_transports (std::span<base::transport *> to,
                                                       std::size_t count) noexcept
{
    static web ws ("ws");
    to[count++] = &ws;
    static web wss ("wss", true);
    if (tls_transport () != nullptr)
        to[count++] = &wss;
    return to.first (count);
}

std::string_view scheme_called (std::string_view name) noexcept
{
    return name == "WS" ? "ws" : name == "WSS" ? "wss" : name;
}

}  // namespace zlink::transport

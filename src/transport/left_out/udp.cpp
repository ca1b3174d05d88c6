// Instead of udp, in a library without RADIO, DISH and DGRAM: nothing is opened.
// Whoever asks hears that the type is not for it.
#include "transport/udp.hpp"

namespace zlink::transport {

using base::errc;
using base::result;

result<void> udp::check_remote (std::string_view, const base::stream_options &) noexcept
{
    return errc::not_supported;
}

bool udp::must_ask (std::string_view, const base::stream_options &) const noexcept { return false; }

base::resolve_result udp::resolve (std::string_view, const base::stream_options &) noexcept
{
    return {{}, {errc::not_supported, 0}};
}

result<std::unique_ptr<base::datagram_port>> udp::open_remote (const base::address &,
                                                               const base::stream_options &) noexcept
{
    return errc::not_supported;
}

result<std::unique_ptr<base::datagram_port>> udp::open_local (std::string_view,
                                                              const base::stream_options &) noexcept
{
    return errc::not_supported;
}

}  // namespace zlink::transport

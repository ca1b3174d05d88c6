// Instead of socket_datagrams and datagram_stream, in a library that has neither
// RADIO, DISH nor DGRAM: nobody may use datagrams.
// Chosen by cmake/ZlinkTypes.cmake; contracts and thread rules are those of
// engine/socket_core.hpp.
#include "engine/socket_core.hpp"

namespace zlink::engine {

errc socket_core::may_meet_locked (const base::transport &by, bool) const noexcept
{
    return by.carries_datagrams () ? errc::incompatible_protocol : errc::ok;
}

result<std::unique_ptr<base::stream>>
socket_core::open_datagrams (base::transport &, const base::address &, const base::stream_options &) noexcept
{
    return errc::not_supported;
}

result<void> socket_core::bind_datagrams_locked (base::transport &, std::string_view, std::string_view)
{
    return errc::not_supported;
}

void socket_core::open_bound_locked (endpoint &) noexcept {}

void socket_core::count_unsent_locked (connection &) noexcept {}

void socket_core::count_unread_locked (connection &) noexcept {}

}  // namespace zlink::engine

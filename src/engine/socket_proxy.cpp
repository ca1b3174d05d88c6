// Connections through a SOCKS5 proxy, until the proxy has made way: what
// wire/socks says and hears, on the stream.
#include <algorithm>
#include <array>
#include <memory>

#include "engine/socket_core.hpp"

namespace zlink::engine {

namespace {

// What the codes of a proxy's reply come nearest to (RFC 1928, section 6).
errc reply_code (unsigned reply) noexcept
{
    switch (reply) {
    case 2:
        return errc::permission_denied;
    case 3:
        return errc::network_unreachable;
    case 4:
        return errc::host_unreachable;
    case 6:
        return errc::timed_out;
    case 7:
    case 8:
        return errc::not_supported;
    default:
        return errc::connection_refused;
    }
}

}  // namespace

void socket_core::meet_proxy_locked (connection &which, const base::address &to)
{
    which.proxy = std::make_unique<wire::socks_client> (wire::socks_request{
      .host = to.beyond_host,
      .port = to.beyond_port,
      .user = wish_.stream.proxy_user,
      .password = wish_.stream.proxy_password,
    });
    if (wish_.connect_timeout_ms == 0)
        deadlines_.set (which.due, limit_after (wish_.handshake_ms));
    talk_to_proxy_locked (which);
}

// As far as it goes now. Both claims are held meanwhile.
void socket_core::talk_to_proxy_locked (connection &which) noexcept
{
    base::close_reason why = base::close_reason::none;
    base::error failure{};
    which.rx_claimed = which.tx_claimed = true;
    while (proxy_step_locked (which, why, failure))
        ;
    std::uint32_t wish = base::interest_read;
    if (!which.proxy->output ().empty ())
        wish |= base::interest_write;
    const bool waits = which.state == connection_state::connecting && why == base::close_reason::none
                       && which.proxy->status () == wire::socks_status::need_more;
    if (waits && (!which.in_outer || wish != which.outer_interest) && !watch_locked (which, wish)) {
        why = base::close_reason::limit_reached;
        failure = {errc::too_many_files, 0};
    }
    which.rx_claimed = which.tx_claimed = false;
    if (which.state == connection_state::lost)
        erase_locked (which);
    else if (why != base::close_reason::none)
        attempt_failed_locked (which, why, failure);
    else if (which.proxy->status () == wire::socks_status::done) {
        which.proxy.reset ();
        tell_connection_locked (event_kind::connected, which);
        start_handshake_locked (which);
    }
}

// Writes what there is to say, or reads what the proxy says, no more than it
// must: behind that the peer speaks. False: nothing moves now, or it is over.
bool socket_core::proxy_step_locked (connection &which,
                                     base::close_reason &why,
                                     base::error &failure) noexcept
{
    if (which.state != connection_state::connecting || which.proxy->status () == wire::socks_status::done)
        return false;
    const base::bytes_view said = which.proxy->output ();
    std::array<std::byte, wire::socks_text_bytes_max + 2> buffer;
    const base::bytes_span room =
      base::bytes_span (buffer).first (std::min (which.proxy->wanted (), buffer.size ()));
    result<std::size_t> outcome{std::size_t{0}};
    {
        const away gone (*this);
        outcome = said.empty () ? which.stream->read (std::span (&room, 1))
                                : which.stream->write (std::span (&said, 1));
    }
    ++(said.empty () ? which.passed.read_calls : which.passed.write_calls);
    if (which.state != connection_state::connecting || outcome.code () == errc::would_block)
        return false;
    if (!outcome.ok () || (said.empty () && outcome.value () == 0)) {
        why = base::close_reason::proxy_malformed;
        failure = outcome.ok () ? base::error{errc::connection_reset, 0} : outcome.failure ();
        return false;
    }
    if (!said.empty ()) {
        which.proxy->output_drained (outcome.value ());
        which.passed.wire_bytes_sent += outcome.value ();
        return true;
    }
    which.passed.wire_bytes_received += outcome.value ();
    if (which.proxy->feed (room.first (outcome.value ())) != wire::socks_status::failed)
        return true;
    const unsigned reply = which.proxy->reply ();
    why = which.proxy->reason ();
    failure = {why == base::close_reason::proxy_refused ? reply_code (reply) : errc::permission_denied,
               static_cast<int> (reply)};
    return false;
}

}  // namespace zlink::engine

// Instead of socket_talk and socket_names, in a library that has neither
// ROUTER, STREAM, REQ, REP, DEALER, CLIENT, SERVER nor PEER: every type takes whoever is next, no
// peer has a name, and nobody is told of comers and goers.
// Chosen by cmake/ZlinkTypes.cmake; contracts and thread rules are those of
// engine/socket_core.hpp.
#include "engine/socket_core.hpp"

namespace zlink::engine {

// --- whose turn it is: everybody's, always -----------------------------------

errc socket_core::may_send_locked () const noexcept
{
    return traits_.sends == send_rule::none ? errc::not_supported : errc::ok;
}

bool socket_core::writable_locked () noexcept
{
    if (traits_.sends == send_rule::none)
        return false;
    return publishes () || choose_locked () != nullptr || refresh_locked (true, urgency::at_once);
}

// Types that do not read at all ask for it, too.
bool socket_core::talk_readable_locked () noexcept { return false; }

result<pipe *> socket_core::obtain_talk_front_locked (std::uint32_t generation, unsigned, time_ns) noexcept
{
    const errc bad = check_locked (generation);
    return bad == errc::ok ? errc::not_supported : bad;
}

result<pipe *> socket_core::begin_talk_receive (std::uint32_t generation, time_ns) noexcept
{
    return obtain_talk_front_locked (generation, 0);
}

bool socket_core::begin_batch_locked (pipe &) noexcept { return true; }

// --- peers have no names -----------------------------------------------------

result<bool> socket_core::peer_has_room (std::uint32_t generation, std::string_view) noexcept
{
    const holding here (*this);
    const errc bad = check_locked (generation);
    return bad == errc::ok ? errc::not_supported : bad;
}

bool socket_core::route_has_room_locked (std::string_view) noexcept { return true; }

pipe *socket_core::numbered_locked (std::uint32_t) noexcept { return nullptr; }

errc socket_core::send_numbered_locked (
  std::uint32_t, base::bytes_view, base::message *, unsigned, lane *&) noexcept
{
    return errc::not_supported;
}

errc socket_core::enter_route_locked (pipe &, std::string_view) noexcept { return errc::ok; }

bool socket_core::name_peer_locked (connection &) { return true; }

void socket_core::look_at_holder_locked (connection &, time_ns) noexcept {}

void socket_core::watch_progress_locked (connection &, time_ns) noexcept {}

void socket_core::forget_pipe_locked (pipe &) noexcept {}

void socket_core::notice_locked (const pipe &, base::message_event) noexcept {}

void socket_core::notice_goer_locked (connection &) noexcept {}

void socket_core::recall_locked (connection &) noexcept {}

void socket_core::recall_locked (inproc_end &) noexcept {}

void socket_core::greet_locked (connection &) noexcept {}

void socket_core::greet_locked (inproc_end &) noexcept {}

void socket_core::tell_interruption_locked (const connection &) noexcept {}

bool socket_core::show_interruption_locked () noexcept { return false; }

// --- what only they send and receive -----------------------------------------

errc socket_core::talk_part_locked (std::uint32_t, base::message &, unsigned, pipe *&) noexcept
{
    return errc::not_supported;
}

errc socket_core::talk_parts_locked (std::uint32_t, std::span<base::message>, unsigned, pipe *&) noexcept
{
    return errc::not_supported;
}

// Both are called without the lock.
io_count socket_core::send_first (std::uint32_t, base::bytes_view) noexcept { return errc::not_supported; }

io_count socket_core::send_second (std::uint32_t, base::bytes_view, unsigned) noexcept
{
    return errc::not_supported;
}

errc socket_core::take_label_locked (base::message &) noexcept { return errc::not_supported; }

// Both give the lock back.
io_count socket_core::give_label (base::message &) noexcept
{
    unlock ();
    return errc::not_supported;
}

io_count socket_core::give_label (base::bytes_span) noexcept
{
    unlock ();
    return errc::not_supported;
}

}  // namespace zlink::engine

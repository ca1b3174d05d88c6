// Types whose messages have one part (RFC 41, 48, 49, 51, 52). Apart from the files
// where others send and receive: what is here is not on their way.
#include "engine/socket_core.hpp"

namespace zlink::engine {

// Of a type whose messages have one.
io_count socket_core::send_only_part (std::uint32_t generation,
                                      std::span<base::message> parts,
                                      unsigned flags) noexcept
{
    if (parts.size () > 1)
        return errc::invalid_argument;
    const io_count outcome = send (generation, parts[0], flags & ~unsigned{send_more});
    return outcome.ok () ? io_count::of (1) : outcome;
}

// The message at the front of a pipe. False: it had more parts, and is gone; the
// lock was dropped then.
bool socket_core::has_one_part_locked (pipe &from) noexcept
{
    const bool is_stream = from.kind == pipe_kind::stream;
    if (traits_.grouped && !is_stream)
        return lane_shows_group_locked (static_cast<inproc_end &> (from));
    const bool more = is_stream ? static_cast<connection &> (from).in.front ().more
                                : static_cast<inproc_end &> (from).in->front ().more;
    if (!refuses_locked (more)) [[likely]]
        return !traits_.grouped || passes_group_locked (static_cast<connection &> (from));
    lane *const in = credit_due (&from);
    drop_message_locked (from, drop_reason::multipart);
    let_writer_go_on_locked (in);
    return false;
}

// As take_part_locked; it says whose it is, or of which group. False: no memory.
bool socket_core::take_marked_part_locked (pipe &from, base::message &to) noexcept
{
    if (traits_.grouped && !note_group_locked (from)) {
        drop_message_locked (from, drop_reason::no_memory);
        return false;
    }
    if (!take_unmarked_part_locked (from, to))
        return false;
    to.set_routing_id (from.number);
    if (traits_.grouped)
        to.share_group (topics_->last_group);
    return true;
}

}  // namespace zlink::engine

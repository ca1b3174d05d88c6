// Instead of socket_topics, socket_groups, socket_patterns, socket_values,
// socket_backlog, socket_joined, socket_audience, socket_listeners and in_pairs, in a library that has
// neither PUB, SUB, XPUB, XSUB, RADIO nor DISH: nobody asks for topics, what comes
// passes, and nothing is sent to all.
// Chosen by cmake/ZlinkTypes.cmake; contracts and thread rules are those of
// engine/socket_core.hpp.
#include "engine/socket_core.hpp"

namespace zlink::engine {

std::unique_ptr<publishing> socket_core::make_topics (const pattern_traits &, context &) { return nullptr; }

// --- topics: there are none --------------------------------------------------

result<void> socket_core::subscribe (std::uint32_t, base::bytes_view) noexcept { return errc::not_supported; }

result<void> socket_core::unsubscribe (std::uint32_t, base::bytes_view) noexcept
{
    return errc::not_supported;
}

result<void> socket_core::subscribe_pattern (std::uint32_t, base::bytes_view) noexcept
{
    return errc::not_supported;
}

result<void> socket_core::unsubscribe_pattern (std::uint32_t, base::bytes_view) noexcept
{
    return errc::not_supported;
}

result<void> socket_core::join (std::uint32_t, std::string_view) noexcept { return errc::not_supported; }

result<void> socket_core::leave (std::uint32_t, std::string_view) noexcept { return errc::not_supported; }

bool socket_core::passes_group_locked (connection &) noexcept { return true; }

bool socket_core::lane_shows_group_locked (inproc_end &) noexcept { return true; }

bool socket_core::note_group_locked (pipe &) noexcept { return true; }

result<std::size_t> socket_core::topics_count (std::uint32_t) noexcept { return errc::not_supported; }

bool socket_core::ask_for_all_locked (connection &) noexcept { return true; }

void socket_core::ask_for_all_locked (inproc_end &) noexcept {}

void socket_core::ask_by_patterns_locked (inproc_end &) noexcept {}

bool socket_core::takes_patterns_of (const wire::session &) noexcept { return false; }

bool socket_core::wants_gaps_of (const wire::session &) noexcept { return false; }

void socket_core::hear_of_topics_locked (connection &, const wire::command &) noexcept {}

socket_core::topic_part socket_core::take_topic_message_locked (pipe &, base::bytes_view, bool) noexcept
{
    return topic_part::none;
}

bool socket_core::passes_anew_locked (base::bytes_view) noexcept { return true; }

bool socket_core::take_topics_from_lane_locked (inproc_end &) noexcept { return true; }

bool socket_core::change_topic_locked (pipe &, base::bytes_view, bool) noexcept { return true; }

bool socket_core::pay_topics_locked () noexcept { return true; }

void socket_core::forget_topics_locked (pipe &) noexcept {}

void socket_core::settle_values_locked (const settings &) {}

unsigned socket_core::listeners_locked (std::uint64_t) noexcept { return 0; }

void socket_core::ask_again_locked () noexcept {}

void socket_core::note_heard_locked (connection &, base::bytes_view) noexcept {}

// --- what arrives ------------------------------------------------------------

bool in_buffer::peek_slab_pair () noexcept { return false; }

bool in_buffer::show_held_pair () noexcept { return false; }

bool socket_core::passes_locked (pipe &from) noexcept { return has_one_part_locked (from); }

bool socket_core::show_topic_notice_locked () noexcept { return false; }

bool socket_core::let_notice_be_next_locked () noexcept { return false; }

void socket_core::note_gap_locked (pipe &, std::uint64_t) noexcept {}

// --- what is sent ------------------------------------------------------------

errc socket_core::publish_one_locked (std::uint32_t generation,
                                      base::bytes_view part,
                                      unsigned flags,
                                      lane *&out) noexcept
{
    return send_numbered_locked (generation, part, nullptr, flags, out);
}

errc socket_core::publish_one_locked (std::uint32_t generation,
                                      base::message &part,
                                      unsigned flags,
                                      lane *&out) noexcept
{
    return send_numbered_locked (generation, part.view (), &part, flags, out);
}

errc socket_core::publish_parts_locked (std::uint32_t, std::span<base::message>, unsigned, pipe *&) noexcept
{
    return errc::not_supported;
}

errc socket_core::admit_published_locked (std::uint32_t, const base::message &, unsigned) noexcept
{
    return errc::not_supported;
}

errc socket_core::published_locked (std::uint32_t) noexcept { return errc::not_supported; }

io_count socket_core::send_joined (std::uint32_t, const base::joined_part &) noexcept
{
    return errc::in_progress;
}

std::uint64_t socket_core::unread_bytes (std::uint32_t) noexcept { return 0; }

void socket_core::welcome_locked (connection &) noexcept {}

void socket_core::welcome_locked (inproc_end &) noexcept {}

void socket_core::note_news_locked (lane &) noexcept {}

void socket_core::note_audience_locked () noexcept {}

void socket_core::find_lanes_locked () noexcept {}

void socket_core::forget_lanes_locked () noexcept {}

bool socket_core::unlock_and_tell_audience (std::uint32_t &) noexcept { return false; }

std::size_t socket_core::take_news_locked (std::span<lane *>) noexcept { return 0; }

// --- subscribers without room ------------------------------------------------

void socket_core::catch_up_locked (connection &) noexcept {}

void socket_core::catch_up_locked (inproc_end &) noexcept {}

void socket_core::keep_backlog_locked (connection &) noexcept {}

void socket_core::leave_backlog_locked (inproc_end &) noexcept {}

std::uint64_t socket_core::drop_backlog_locked (connection &) noexcept { return 0; }

}  // namespace zlink::engine

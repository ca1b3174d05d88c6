// Groups (RFC 48): a RADIO sends each message to the DISHes that have joined its
// group, and waits for nobody; a DISH receives from all its RADIOs in turn what is
// of a group that it has joined. A group is matched as a whole: as a topic it is
// its length and its octets, which no other begins with, and all else is as with
// topics (socket_topics).
//
// On the wire a message is two frames, group and body, and over inproc two parts;
// to the application it is one. JOIN and LEAVE are commands, to every session anew.
#include <array>
#include <cstring>

#include "engine/socket_core.hpp"
#include "engine/taken.hpp"
#include "wire/command.hpp"

namespace zlink::engine {

static_assert (base::group_name_max <= lane_inline_bytes_max);  // push_to_group_locked

// Stands until the next. The group is none that is too long.
base::bytes_view socket_core::key_of_locked (base::bytes_view group) noexcept
{
    auto &key = topics_->key;
    topics_->key_judged_at = UINT64_MAX;
    key[0] = static_cast<std::byte> (group.size ());
    if (!group.empty ())
        std::memcpy (key.data () + 1, group.data (), group.size ());
    return {key.data (), group.size () + 1};
}

wire::command socket_core::group_command (base::bytes_view key, bool cancel) noexcept
{
    const base::bytes_view group = key.subspan (1);
    return cancel ? wire::make_leave (group) : wire::make_join (group);
}

// --- joining (DISH) --------------------------------------------------------------

// The key of a group that may be joined or left.
result<base::bytes_view> socket_core::wanted_key_locked (std::uint32_t generation,
                                                         std::string_view group) noexcept
{
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (!traits_.grouped || !traits_.asks_topics)
        return errc::not_supported;
    if (group.size () > base::group_name_max)
        return errc::invalid_argument;
    return key_of_locked (base::as_bytes (group));
}

result<void> socket_core::join (std::uint32_t generation, std::string_view group) noexcept
{
    const holding here (*this);
    const result<base::bytes_view> key = wanted_key_locked (generation, group);
    if (!key.ok ())
        return key.failure ();
    topic_trie &own = topics_->wanted;
    if (own.holds (key.value (), this))
        return errc::invalid_argument;
    if (const result<bool> added = own.add (key.value (), this); !added.ok ())
        return added.failure ();
    if (ask_everybody_locked (key.value (), false))
        return {};
    (void)own.remove (key.value (), this);
    return errc::no_memory;
}

result<void> socket_core::leave (std::uint32_t generation, std::string_view group) noexcept
{
    const holding here (*this);
    const result<base::bytes_view> key = wanted_key_locked (generation, group);
    if (!key.ok ())
        return key.failure ();
    if (topics_->wanted.take (key.value (), this) == topic_trie::removal::unknown)
        return errc::invalid_argument;
    return settle_cancel_locked (key.value (), this, audience::all);
}

// --- being joined (RADIO) ----------------------------------------------------------

// Answers as change_topic_locked.
bool socket_core::change_group_locked (pipe &who, const wire::command &said) noexcept
{
    if (said.kind != wire::command_kind::join && said.kind != wire::command_kind::leave)
        return true;
    return change_topic_locked (who, key_of_locked (said.data), said.kind == wire::command_kind::leave);
}

// --- receiving ---------------------------------------------------------------------

[[gnu::always_inline]] inline bool socket_core::is_joined_locked (base::bytes_view group) noexcept
{
    publishing &own = *topics_;
    const bool judged = own.key_judged_at == own.wanted.changes () && own.key[0] == std::byte (group.size ())
                        && std::memcmp (own.key.data () + 1, group.data (), group.size ()) == 0;
    if (!judged) [[unlikely]] {
        own.key_is_joined = own.wanted.matches (key_of_locked (group));
        own.key_judged_at = own.wanted.changes ();
    }
    return own.key_is_joined;
}

// The message at the front. False: it was dropped.
bool socket_core::passes_group_locked (connection &from) noexcept
{
    if (!from.in.paired ())
        (void)from.in.peek_group ();  // what peek() shows may be a frame alone
    if (from.in.paired () && is_joined_locked (from.in.group ())) [[likely]]
        return true;
    drop_message_locked (from, from.in.paired () ? drop_reason::filtered : drop_reason::malformed);
    return false;
}

// The same of a link: of what passes the group is taken, and the body is the front
// until that is taken, too.
bool socket_core::lane_shows_group_locked (inproc_end &from) noexcept
{
    lane &in = *from.in;
    if (in.inside_message ())
        return true;
    const lane_front first = in.front ();
    const bool formed = first.more && first.bytes.size () <= base::group_name_max;
    if (formed && in.parts_left () == 2 && is_joined_locked (first.bytes)) [[likely]] {
        from.name.assign (base::as_text (first.bytes));  // reserved with the end
        in.drop (first);
        return true;
    }
    drop_reason why = drop_reason::malformed;
    if (formed)
        why = in.parts_left () == 2 ? drop_reason::filtered : drop_reason::multipart;
    drop_message_locked (from, why);
    let_writer_go_on_locked (&in);
    return false;
}

// The group of the body at the front, for messages to share. False: memory is out.
bool socket_core::note_group_locked (pipe &from) noexcept
{
    const std::string_view group = from.kind == pipe_kind::stream
                                     ? base::as_text (static_cast<connection &> (from).in.group ())
                                     : std::string_view (from.name);
    base::message &last = topics_->last_group;
    return last.group_text () == group || last.set_group_to_share (group).ok ();
}

// --- sending -----------------------------------------------------------------------

// Without writing. False: it does not fit as it is.
bool socket_core::append_to_group_locked (connection &to,
                                          base::bytes_view group,
                                          base::bytes_view body) noexcept
{
    const bool small = body.size () < large_body_bytes_min && to.state == connection_state::ready;
    if (!small || !to.pending.empty () || to.tx_dead
        || !to.out.fits (group.size () + wire::frame_header_bytes_max + body.size ()))
        return false;
    const std::size_t bytes = to.out.append (group, true, false);
    to.credit.take (bytes + to.out.append (body, false, false));
    to.count_sent (body.size ());
    return true;
}

// The same of a link.
bool socket_core::push_to_group_locked (inproc_end &to,
                                        base::bytes_view group,
                                        base::bytes_view body) noexcept
{
    if (body.size () > lane_inline_bytes_max)
        return false;
    const lane::position start = to.out->where ();
    if (!to.out->push (group, true) || !to.out->push (body, false)) {
        to.out->take_back (start, {});
        return false;
    }
    to.out->publish ();
    note_news_locked (*to.out);
    to.count_sent (body.size ());
    return true;
}

// As it is copied where it goes to; behind (which, was_empty) of what is to be written.
// False: it does not fit there.
template <class Behind>
inline bool socket_core::copy_to_member_locked (pipe &to,
                                                base::bytes_view group,
                                                base::bytes_view body,
                                                Behind behind) noexcept
{
    if (to.kind == pipe_kind::inproc)
        return push_to_group_locked (static_cast<inproc_end &> (to), group, body);
    auto &wire = static_cast<connection &> (to);
    const bool was_empty = wire.out.empty ();
    if (!append_to_group_locked (wire, group, body))
        return false;
    behind (wire, was_empty);
    return true;
}

// Without writing.
bool socket_core::copy_small_locked (pipe &to, base::bytes_view group, base::bytes_view body) noexcept
{
    return copy_to_member_locked (to, group, body, [this] (connection &wire, bool was_empty) {
        unwritten_connections_ += was_empty;
        full_arenas_ = full_arenas_ || wire.out.arena_full ();
        if (!wire.in_tails && !wire.tx_claimed && !wire.tx_armed)
            mark_tail_locked (wire);
    });
}

namespace {

// Group and body as the parts of a message. False: memory is out. The body is
// shared with the caller's, where that is a message.
bool make_parts (std::array<base::message, 2> &parts,
                 base::bytes_view group,
                 base::message *body,
                 base::bytes_view bytes) noexcept
{
    for (base::message &each : parts)
        each.init ();
    if (!parts[0].init_copy (group).ok ())
        return false;
    parts[0].set_more (true);
    if (body != nullptr && body->shared_body () != nullptr) {
        body->shared_body ()->retain ();
        parts[1].init_body (body->shared_body ());
        return true;
    }
    return parts[1].init_copy (bytes).ok ();
}

}  // namespace

// It may be written at once.
bool socket_core::give_to_group_locked (pipe &to, base::bytes_view group, base::bytes_view body) noexcept
{
    return copy_to_member_locked (
      to, group, body, [this] (connection &wire, bool was_empty) { after_append_locked (wire, was_empty); });
}

// To the only one who has joined, and has room. It may be written at once.
errc socket_core::send_to_group_locked (pipe &only,
                                        base::bytes_view group,
                                        base::message *body,
                                        base::bytes_view bytes) noexcept
{
    if (give_to_group_locked (only, group, bytes)) [[likely]]
        return errc::ok;
    std::array<base::message, 2> parts;
    const errc bad =
      make_parts (parts, group, body, bytes) ? put_parts_locked (only, parts) : errc::no_memory;
    if (bad == errc::ok) {
        only.passed.bytes_sent -= group.size ();  // bodies are counted
        if (lane *const out = lane_of (&only); out != nullptr)
            note_news_locked (*out);
    }
    taken_from (std::span<base::message> (parts));
    return bad;
}

// To all chosen who have room; nothing drops the lock.
void socket_core::copy_to_group_locked (base::bytes_view group,
                                        base::message *body,
                                        base::bytes_view bytes) noexcept
{
    std::array<base::message, 2> parts;
    for (base::message &each : parts)
        each.init ();
    bool made = false;
    for (pipe *each : topics_->chosen) {
        if (!topics_->all_have_room && !pipe_available_locked (*each)) {
            miss_locked (*each, drop_reason::full);
            continue;
        }
        if (copy_small_locked (*each, group, bytes)) [[likely]]
            continue;
        made = made || make_parts (parts, group, body, bytes);
        if (!made || !copy_to_locked (*each, std::span<base::message> (parts)))
            miss_locked (*each, drop_reason::no_memory);
        else
            each->passed.bytes_sent -= group.size ();
    }
    taken_from (std::span<base::message> (parts));
}

// Who gets what goes to this group, when that is as for the last message and one alone,
// who has room; else null.
pipe *socket_core::sole_member_locked (base::bytes_view group) noexcept
{
    const publishing &own = *topics_;
    if (own.choice_is_special || wish_.invert_matching || own.chosen.size () != 1 || group.empty ()
        || !own.chosen_for.holds_group (own.wanted.changes (), group))
        return nullptr;
    pipe *const only = own.chosen.front ();
    return pipe_available_locked (*only) ? only : nullptr;
}

// One message of the caller's; body: if it is one, and is then empty.
errc socket_core::radiate_locked (
  std::uint32_t generation, base::message *body, base::bytes_view bytes, unsigned flags, lane *&) noexcept
{
    const base::bytes_view group =
      base::as_bytes (body != nullptr ? body->group_text () : std::string_view ());
    if (pipe *const only = sole_member_locked (group);
        only != nullptr && give_to_group_locked (*only, group, bytes)) [[likely]] {
        if (body != nullptr)
            taken_from (*body);
        return errc::ok;
    }
    return radiate_slowly_locked (generation, body, group, bytes, flags);
}

errc socket_core::radiate_slowly_locked (std::uint32_t generation,
                                         base::message *body,
                                         base::bytes_view group,
                                         base::bytes_view bytes,
                                         unsigned flags) noexcept
{
    // The key of the socket may be another's when the lock is back.
    std::array<std::byte, base::group_name_max + 1> key;
    key[0] = static_cast<std::byte> (group.size ());
    if (!group.empty ())
        std::memcpy (key.data () + 1, group.data (), group.size ());
    if (const errc bad = choose_audience_locked (generation, {key.data (), group.size () + 1}, flags);
        bad != errc::ok)
        return bad;
    const auto &chosen = topics_->chosen;
    if (chosen.size () == 1 && (topics_->all_have_room || pipe_available_locked (*chosen.front ()))) {
        sending_no_wait_ = (flags & send_dont_wait) != 0;
        const errc bad = send_to_group_locked (*chosen.front (), group, body, bytes);
        if (bad != errc::ok)
            return bad;
    } else if (!chosen.empty ()) {
        const bool was_idle = unwritten_connections_ == 0;
        copy_to_group_locked (group, body, bytes);
        write_to_many_locked (was_idle);
    }
    if (body != nullptr)
        taken_from (*body);
    return errc::ok;
}

}  // namespace zlink::engine

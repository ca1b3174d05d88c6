// A ROUTER's messages whose parts stand behind a head, as services send and read them:
// the head comes from elsewhere, and of what was read several are taken at once. Small
// ones; whatever is otherwise goes the long way.
#include <cstring>

#include "base/overwriting.hpp"
#include "base/same_octets.hpp"
#include "engine/socket_core.hpp"
#include "engine/taken.hpp"

namespace zlink::engine {

// Of what is read at once: who sent the last one, and where the last head stands.
struct headed_before
{
    const pipe *from = nullptr;
    const base::message *head = nullptr;
};

namespace {

bool holds (const base::message &of, base::bytes_view octets) noexcept
{
    return base::same_octets (of.view (), octets);
}

// Where streams are read into the same parts, in the memory that they have. False: there
// is none.
bool fill (base::message &to, base::bytes_view octets) noexcept
{
    if (base::overwrite (to, octets)) [[likely]]
        return true;
    base::message made;
    if (!made.init_copy (octets).ok ())
        return false;
    to.close ();
    to = made;
    return true;
}

// What stands behind a head, one body or parts: how much that is, how many, and how it is
// laid behind it into a queue, which answers what the frames take, or into a lane. False: no
// memory, with some of it pushed.
std::size_t bytes_behind (base::bytes_view body) noexcept { return body.size (); }
std::size_t bytes_behind (std::span<const base::message> parts) noexcept { return bytes_of (parts); }
std::size_t parts_behind (base::bytes_view) noexcept { return 1; }
std::size_t parts_behind (std::span<const base::message> parts) noexcept { return parts.size (); }

std::size_t append_both (out_queue &out, base::bytes_view head, base::bytes_view body) noexcept
{
    return out.append_pair (head, body);
}
std::size_t append_both (out_queue &out, base::bytes_view head, std::span<const base::message> parts) noexcept
{
    std::size_t taken = out.append (head, !parts.empty (), false);
    for (std::size_t i = 0; i < parts.size (); ++i)
        taken += out.append (parts[i].view (), i + 1 < parts.size (), false);
    return taken;
}

bool push_both (lane &out, base::bytes_view head, base::bytes_view body) noexcept
{
    return out.push (head, true) && out.push (body, false);
}
bool push_both (lane &out, base::bytes_view head, std::span<const base::message> parts) noexcept
{
    bool done = out.push (head, !parts.empty ());
    for (std::size_t i = 0; done && i < parts.size (); ++i)
        done = out.push (parts[i].view (), i + 1 < parts.size ());
    return done;
}

}  // namespace

// As after_append_locked, of one behind which more are sent at once.
void socket_core::after_append_among_locked (connection &to, bool was_empty) noexcept
{
    const bool was_idle = unwritten_connections_ == 0;
    unwritten_connections_ += was_empty;
    if (!to.tx_claimed && !to.tx_armed)
        write_if_locked (to, burst_.append_among (was_idle, own_burst ()));
}

// False: it is not as simple as that, or does not fit in an arena.
template <class Body>
[[gnu::always_inline]] inline bool socket_core::append_headed_locked (
  connection &to, base::bytes_view head, const Body &body, std::size_t bytes, bool more_follow) noexcept
{
    const std::size_t room = bytes + parts_behind (body) * wire::frame_header_bytes_max;
    if (to.state != connection_state::ready || !to.pending.empty () || to.bare ()
        || (!to.out.fits (room) && (!to.out.open_arena () || !to.out.fits (room))))
        return false;
    const bool was_empty = to.out.empty ();
    to.credit.take (append_both (to.out, head, body));
    to.count_sent (bytes);
    sent_locked ();
    if (more_follow)
        after_append_among_locked (to, was_empty);
    else
        after_append_locked (to, was_empty);
    return true;
}

// Nothing is pushed as a message of its own, so that there is none to be taken back.
static_assert (large_body_bytes_min <= lane_inline_bytes_max);

// False: there is no memory.
template <class Body>
bool socket_core::push_headed_locked (inproc_end &to,
                                      base::bytes_view head,
                                      const Body &body,
                                      std::size_t bytes) noexcept
{
    lane &out = *to.out;
    const lane::position start = out.where ();
    if (!push_both (out, head, body)) {
        out.take_back (start, {});
        return false;
    }
    out.publish ();
    to.count_sent (bytes);
    sent_locked ();
    return true;
}

// told: whose reader is to be told, without the lock; null: nobody.
template <class Body>
[[gnu::always_inline]] inline io_count socket_core::put_headed_locked (
  std::string_view name, base::bytes_view head, const Body &body, bool more_follow, lane *&told) noexcept
{
    const std::size_t bytes = head.size () + bytes_behind (body);
    pipe *const to = route_locked (name);
    if (to == nullptr || wish_.conflate || !pipe_available_locked (*to))
        return errc::in_progress;
    if (to->kind == pipe_kind::stream) [[likely]]
        return append_headed_locked (static_cast<connection &> (*to), head, body, bytes, more_follow)
                 ? io_count::of (parts_behind (body) + 1)
                 : io_count (errc::in_progress);
    if (!push_headed_locked (static_cast<inproc_end &> (*to), head, body, bytes))
        return errc::in_progress;
    told = lane_of (to);
    return io_count::of (parts_behind (body) + 1);
}

template <class Body>
io_count socket_core::put_headed (std::uint32_t generation,
                                  std::string_view name,
                                  base::bytes_view head,
                                  const Body &body,
                                  bool more_follow) noexcept
{
    if (head.size () + bytes_behind (body) >= large_body_bytes_min)
        return errc::in_progress;
    lane *told = nullptr;
    lock ();
    const bool may = check_locked (generation) == errc::ok && traits_.sends == send_rule::address;
    const io_count done =
      may ? put_headed_locked (name, head, body, more_follow, told) : io_count (errc::in_progress);
    unlock ();
    after_unlock (told);
    return done;
}

io_count socket_core::send_headed (std::uint32_t generation,
                                   std::string_view name,
                                   base::bytes_view head,
                                   std::span<const base::message> parts,
                                   bool more_follow) noexcept
{
    return put_headed (generation, name, head, parts, more_follow);
}

io_count socket_core::send_headed (std::uint32_t generation,
                                   std::string_view name,
                                   base::bytes_view head,
                                   base::bytes_view body,
                                   bool more_follow) noexcept
{
    return put_headed (generation, name, head, body, more_follow);
}

// Taken back it is also while the socket goes.
errc socket_core::prepare_headed (std::uint32_t generation, base::prepared_head *what) noexcept
{
    lock ();
    errc answer = what == nullptr && generation == generation_ ? errc::ok : check_locked (generation);
    if (answer == errc::ok && traits_.sends != send_rule::address)
        answer = errc::not_supported;
    if (answer == errc::ok && what != nullptr && what->head.size () > prepared_head_bytes_max)
        answer = errc::message_too_long;
    if (answer == errc::ok)
        talk_.prepared.store (what, std::memory_order_relaxed);
    unlock ();
    return answer;
}

io_count
socket_core::send_prepared (std::uint32_t generation, const char *key, base::bytes_view body) noexcept
{
    if (body.size () >= large_body_bytes_min - prepared_head_bytes_max
        || talk_.prepared.load (std::memory_order_relaxed) == nullptr)
        return errc::in_progress;
    lane *told = nullptr;
    lock ();
    base::prepared_head *const what =
      check_locked (generation) == errc::ok ? talk_.prepared.load (std::memory_order_relaxed) : nullptr;
    io_count done = errc::in_progress;
    if (what != nullptr && !what->unless->load (std::memory_order_relaxed)
        && std::strcmp (what->key, key) == 0) {
        // Before it is sent: the lock may drop while it is written, and what is prepared go.
        const std::uint64_t before = what->sent.load (std::memory_order_relaxed);
        what->sent.store (before + 1, std::memory_order_relaxed);
        done = put_headed_locked (base::as_text (what->name), what->head, body, false, told);
        if (!done.ok ()) [[unlikely]]
            what->sent.store (before, std::memory_order_relaxed);
    }
    unlock ();
    after_unlock (told);
    return done;
}

// Whose message is next; null: that takes the long way.
pipe *socket_core::headed_source_locked () noexcept
{
    return label_due_ || !talk_.notices.empty () || !front_is_next_locked () ? nullptr : ready_[ready_next_];
}

// False: there is no memory.
[[gnu::always_inline]] inline bool socket_core::fill_headed_locked (pipe &from,
                                                                    base::bytes_view head,
                                                                    base::bytes_view body,
                                                                    headed_before &before,
                                                                    base::headed_message &to) noexcept
{
    to.name_again = before.from == &from;
    to.head_again = before.head != nullptr && holds (*before.head, head);
    if ((!to.name_again && !fill (to.name, base::as_bytes (from.name)))
        || (!to.head_again && !fill (to.parts[0], head)) || !fill (to.parts[1], body))
        return false;
    before.from = &from;
    if (!to.head_again)
        before.head = &to.parts[0];
    received_locked (from, head.size () + body.size (), false);
    return true;
}

// The same of one whose parts were taken out of the slab when it was waited for. Its head may be
// as large as in a slab (in_pairs.cpp), since readers keep it.
bool socket_core::take_gathered_locked (connection &from,
                                        headed_before &before,
                                        base::headed_message &to) noexcept
{
    if (from.in.peek () != front_status::part || from.in.parts_left () != 2
        || from.in.front ().bytes.size () > base::group_name_max
        || !fill (to.name, base::as_bytes (from.name)))
        return false;
    to.name_again = to.head_again = false;
    for (base::message &each : to.parts) {
        base::message part;
        if (!take_part_locked (from, part))
            return false;
        received_locked (from, part.size (), part.more ());
        part.set_more (false);
        part.set_facts (nullptr);
        each.close ();
        each = part;
    }
    before = {&from, &to.parts[0]};
    return true;
}

// The next message from there, if it is a head and a body that are there as a whole. False:
// it is not, or there is no memory; nothing was taken.
bool socket_core::take_headed_locked (pipe &from, headed_before &before, base::headed_message &to) noexcept
{
    if (from.kind == pipe_kind::stream) {
        in_buffer &in = static_cast<connection &> (from).in;
        in.forget_slab_part ();
        if (!in.peek_slab_pair ()) [[unlikely]]
            return in.holds_message () && take_gathered_locked (static_cast<connection &> (from), before, to);
        if (!fill_headed_locked (from, in.group (), in.front ().bytes, before, to))
            return false;
        in.consume ();
        return true;
    }
    lane &in = *static_cast<inproc_end &> (from).in;
    lane_pair both;
    if (!in.readable () || !in.front_pair (both)
        || !fill_headed_locked (from, both.first, both.second, before, to))
        return false;
    in.consume (both.first.size ());
    in.consume (both.second.size ());
    return true;
}

// Those that stand behind one that was just taken, from the same peer and with the same
// head: how many.
std::size_t socket_core::take_more_headed_locked (connection &from,
                                                  std::span<base::headed_message> to) noexcept
{
    if (ready_.size () != 1)
        return 0;
    const base::bytes_view frame = from.in.short_group_frame ();
    std::size_t taken = 0;
    std::size_t body_bytes = 0;
    while (!frame.empty () && taken < to.size () && from.in.peek_slab_pair_like (frame)) {
        base::headed_message &next = to[taken];
        const base::bytes_view body = from.in.front ().bytes;
        if (!fill (next.parts[1], body))
            break;
        next.name_again = next.head_again = true;
        from.in.consume ();
        body_bytes += body.size ();
        ++taken;
    }
    from.passed.bytes_received += taken * from.in.group ().size () + body_bytes;
    from.passed.messages_received += taken;
    since_harvest_ += taken;
    return taken;
}

// What was only waited for is not begun.
void socket_core::leave_front_locked () noexcept
{
    if (label_due_ && ready_next_ < ready_.size () && inside_ == ready_[ready_next_]) {
        inside_ = nullptr;
        label_due_ = false;
    }
}

io_count socket_core::receive_headed (std::uint32_t generation,
                                      std::span<base::headed_message> messages,
                                      time_ns deadline) noexcept
{
    if (deadline == 0) {
        lock ();
        ++receive_calls_;
    } else if (const result<pipe *> found = begin_talk_receive (generation, deadline); found.ok ()) {
        leave_front_locked ();
    } else {
        return found.code ();
    }
    std::size_t taken = 0;
    headed_before before;
    lane *in = nullptr;
    if (generation == generation_ && plain_label_)
        while (taken < messages.size ()) {
            pipe *const from = headed_source_locked ();
            if (from == nullptr || (in != nullptr && in != credit_due (from))
                || !take_headed_locked (*from, before, messages[taken]))
                break;
            in = credit_due (from);
            // Requests differ in their heads' numbers; others go on as they have begun.
            if (messages[taken++].head_again && in == nullptr)
                taken +=
                  take_more_headed_locked (static_cast<connection &> (*from), messages.subspan (taken));
        }
    leave_receive_locked ();
    unlock ();
    after_receive (in);
    if (taken > 0) [[likely]]
        return io_count::of (taken);
    return deadline == 0 ? errc::would_block : errc::in_progress;
}

}  // namespace zlink::engine

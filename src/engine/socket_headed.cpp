// A ROUTER's messages whose parts stand behind a head, as services send and read them:
// the head comes from elsewhere, and of what was read several are taken at once. Small
// ones over connections of the kernel; whatever is otherwise goes the long way.
#include "base/overwriting.hpp"
#include "base/same_octets.hpp"
#include "engine/socket_core.hpp"
#include "engine/taken.hpp"

namespace zlink::engine {

// Of what is read at once: who sent the last one, and where the last head stands.
struct headed_before
{
    const connection *from = nullptr;
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

}  // namespace

// The connection of that name, if all that fits in its arena, which it has room for.
connection *socket_core::headed_target_locked (std::string_view name, std::size_t bytes) noexcept
{
    pipe *const to = route_locked (name);
    if (to == nullptr || to->kind != pipe_kind::stream || wish_.conflate || !pipe_available_locked (*to))
        return nullptr;
    auto &wire = static_cast<connection &> (*to);
    const bool plain = wire.state == connection_state::ready && wire.pending.empty () && !wire.bare ();
    return plain && (wire.out.fits (bytes) || (wire.out.open_arena () && wire.out.fits (bytes))) ? &wire
                                                                                                 : nullptr;
}

// As after_append_locked, of one behind which more are sent at once.
void socket_core::after_append_among_locked (connection &to, bool was_empty) noexcept
{
    const bool was_idle = unwritten_connections_ == 0;
    unwritten_connections_ += was_empty;
    if (!to.tx_claimed && !to.tx_armed)
        write_if_locked (to, burst_.append_among (was_idle, own_burst ()));
}

// append (queue): appends the head and the parts behind it, so many of so many bytes together,
// and answers what their frames take.
template <class Append>
io_count socket_core::put_headed (std::uint32_t generation,
                                  std::string_view name,
                                  std::size_t count,
                                  std::size_t bytes,
                                  bool more_follow,
                                  Append append) noexcept
{
    if (bytes >= large_body_bytes_min)
        return errc::in_progress;
    lock ();
    const bool may = check_locked (generation) == errc::ok && traits_.sends == send_rule::address;
    connection *const to =
      may ? headed_target_locked (name, bytes + count * wire::frame_header_bytes_max) : nullptr;
    if (to == nullptr) {
        unlock ();
        return errc::in_progress;
    }
    const bool was_empty = to->out.empty ();
    to->credit.take (append (to->out));
    to->count_sent (bytes);
    sent_locked ();
    if (more_follow)
        after_append_among_locked (*to, was_empty);
    else
        after_append_locked (*to, was_empty);
    unlock ();
    return io_count::of (count + 1);
}

io_count socket_core::send_headed (std::uint32_t generation,
                                   std::string_view name,
                                   base::bytes_view head,
                                   std::span<const base::message> parts,
                                   bool more_follow) noexcept
{
    std::size_t bytes = 0;
    for (const base::message &part : parts)
        bytes += part.size ();
    return put_headed (generation, name, parts.size (), head.size () + bytes, more_follow,
                       [head, parts] (out_queue &out) {
                           std::size_t taken = out.append (head, !parts.empty (), false);
                           for (std::size_t i = 0; i < parts.size (); ++i)
                               taken += out.append (parts[i].view (), i + 1 < parts.size (), false);
                           return taken;
                       });
}

io_count socket_core::send_headed (std::uint32_t generation,
                                   std::string_view name,
                                   base::bytes_view head,
                                   base::bytes_view body,
                                   bool more_follow) noexcept
{
    return put_headed (generation, name, 1, head.size () + body.size (), more_follow,
                       [head, body] (out_queue &out) { return out.append_pair (head, body); });
}

// Whose message is next, if it is a head and a body that stand whole in the slab.
connection *socket_core::headed_source_locked () noexcept
{
    if (label_due_ || !talk_.notices.empty () || !front_is_next_locked ())
        return nullptr;
    pipe &next = *ready_[ready_next_];
    if (next.kind != pipe_kind::stream)
        return nullptr;
    auto &wire = static_cast<connection &> (next);
    wire.in.forget_slab_part ();
    return wire.in.peek_slab_pair () ? &wire : nullptr;
}

// False: there is no memory, and nothing was taken.
bool socket_core::take_headed_locked (connection &from,
                                      headed_before &before,
                                      base::headed_message &to) noexcept
{
    const base::bytes_view head = from.in.group ();
    const base::bytes_view body = from.in.front ().bytes;
    to.name_again = before.from == &from;
    to.head_again = before.head != nullptr && holds (*before.head, head);
    if ((!to.name_again && !fill (to.name, base::as_bytes (from.name)))
        || (!to.head_again && !fill (to.parts[0], head)) || !fill (to.parts[1], body))
        return false;
    before.from = &from;
    if (!to.head_again)
        before.head = &to.parts[0];
    from.in.consume ();
    received_locked (from, head.size () + body.size (), false);
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

io_count socket_core::receive_headed (std::uint32_t generation,
                                      std::span<base::headed_message> messages) noexcept
{
    lock ();
    ++receive_calls_;
    std::size_t taken = 0;
    headed_before before;
    if (generation == generation_ && plain_label_)
        while (taken < messages.size ()) {
            connection *const from = headed_source_locked ();
            if (from == nullptr || !take_headed_locked (*from, before, messages[taken]))
                break;
            // Requests differ in their heads' numbers; others go on as they have begun.
            if (messages[taken++].head_again)
                taken += take_more_headed_locked (*from, messages.subspan (taken));
        }
    leave_receive_locked ();
    unlock ();
    return taken > 0 ? io_count::of (taken) : io_count (errc::would_block);
}

}  // namespace zlink::engine

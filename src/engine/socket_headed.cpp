// A ROUTER's messages whose parts stand behind a head, as services send and read them:
// the head comes from elsewhere, and of what was read several are taken at once. Small
// ones over connections of the kernel; whatever is otherwise goes the long way.
#include "base/overwriting.hpp"
#include "engine/socket_core.hpp"
#include "engine/taken.hpp"

namespace zlink::engine {

namespace {

// A name, a head and a body.
constexpr std::size_t parts_of_headed = 3;

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

io_count socket_core::send_headed (std::uint32_t generation,
                                   std::string_view name,
                                   base::bytes_view head,
                                   std::span<const base::message> parts) noexcept
{
    std::size_t bytes = head.size ();
    for (const base::message &part : parts)
        bytes += part.size ();
    if (bytes >= large_body_bytes_min)
        return errc::in_progress;
    lock ();
    const bool may = check_locked (generation) == errc::ok && traits_.sends == send_rule::address;
    connection *const to =
      may ? headed_target_locked (name, bytes + parts.size () * wire::frame_header_bytes_max) : nullptr;
    if (to == nullptr) {
        unlock ();
        return errc::in_progress;
    }
    const bool was_empty = to->out.empty ();
    std::size_t taken = to->out.append (head, !parts.empty (), false);
    for (std::size_t i = 0; i < parts.size (); ++i)
        taken += to->out.append (parts[i].view (), i + 1 < parts.size (), false);
    to->credit.take (taken);
    to->count_sent (bytes);
    sent_locked ();
    after_append_locked (*to, was_empty);
    unlock ();
    return io_count::of (parts.size () + 1);
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
bool socket_core::take_headed_locked (connection &from, std::span<base::message> to) noexcept
{
    const base::bytes_view octets[parts_of_headed] = {base::as_bytes (from.name), from.in.group (),
                                                      from.in.front ().bytes};
    for (std::size_t i = 0; i < parts_of_headed; ++i) {
        if (!fill (to[i], octets[i]))
            return false;
        to[i].set_more (i + 1 < parts_of_headed);
    }
    const std::size_t bytes = octets[1].size () + octets[2].size ();
    from.in.consume ();
    received_locked (from, bytes, false);
    return true;
}

io_count socket_core::receive_headed (std::uint32_t generation, std::span<base::message> parts) noexcept
{
    lock ();
    ++receive_calls_;
    std::size_t taken = 0;
    if (generation == generation_ && plain_label_)
        while (parts.size () - taken >= parts_of_headed) {
            connection *const from = headed_source_locked ();
            if (from == nullptr || !take_headed_locked (*from, parts.subspan (taken)))
                break;
            taken += parts_of_headed;
        }
    leave_receive_locked ();
    unlock ();
    return taken > 0 ? io_count::of (taken) : io_count (errc::would_block);
}

}  // namespace zlink::engine

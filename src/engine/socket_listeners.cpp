// Who has read what we asked for (SUB, XSUB), and who has asked (PUB, XPUB).
//
// Whether a stream's peer has read it is asked with a PING behind it: who answers
// a PING has read what came before. That is ZMTP 3.1; of an older peer nobody
// knows. A peer of this library filters by a topic as soon as it has read it;
// libzmq's hands it on to its socket, which takes it up a moment later.
#include <array>

#include "engine/socket_core.hpp"
#include "wire/command.hpp"

namespace zlink::engine {

namespace {

// The context of such a PING; those with 8 octets carry a time.
constexpr auto mark_octet = std::byte{'S'};
using mark_context = std::array<std::byte, 1 + sizeof (std::uint64_t)>;

mark_context context_of (std::uint64_t mark) noexcept
{
    mark_context made{mark_octet};
    base::store_u64_be (made.data () + 1, mark);
    return made;
}

}  // namespace

// Publishers that have read our topics as they were at that change. Asks those
// of whom it is not known.
unsigned socket_core::listeners_locked (std::uint64_t mark) noexcept
{
    unsigned count = 0;
    for (const auto &each : connections_) {
        if (each == nullptr || each->state != connection_state::ready || !each->topics_as_commands)
            continue;
        look_behind_locked (*each);
        count += each->heard >= mark;
        if (each->heard < mark && each->asked_heard < mark) {
            const mark_context context = context_of (mark);
            say_locked (*each, wire::make_ping (0, context));
            each->asked_heard = mark;
        }
    }
    for (const inproc_end &end : ends_)
        count += end.joined && !end.topics_due && end.out->untaken_messages () == 0;
    return count;
}

void socket_core::ask_again_locked () noexcept
{
    for (const auto &each : connections_)
        if (each != nullptr)
            each->asked_heard = each->heard;
}

// A PONG came. One that answers no PING of ours says nothing.
void socket_core::note_heard_locked (connection &which, base::bytes_view context) noexcept
{
    if (context.size () != sizeof (mark_context) || context.front () != mark_octet)
        return;
    const std::uint64_t mark = base::load_u64_be (context.data () + 1);
    if (mark <= which.heard || mark > topics_->changes)
        return;
    which.heard = mark;
    peers_changed_locked ();
}

// It has topics now, or none any more.
void socket_core::count_subscriber_locked (const pipe &which, std::int64_t topics_before) noexcept
{
    if ((topics_before > 0) == (which.topics > 0))
        return;
    if (which.topics > 0)
        ++topics_->subscribers;
    else
        --topics_->subscribers;
    peers_changed_locked ();
}

}  // namespace zlink::engine

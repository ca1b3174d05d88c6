// Waits for peers: until they are connected, until they have asked for topics
// (PUB, XPUB), until they have read what we asked for (SUB, XSUB).
//
// Whether a stream's peer has read it is asked with a PING behind it: who answers
// a PING has read what came before. That is ZMTP 3.1; of an older peer nobody
// knows. A peer of this library filters by a topic as soon as it has read it;
// libzmq's hands it on to its socket, which takes it up a moment later.
#include <algorithm>
#include <array>

#include "engine/socket_core.hpp"
#include "wire/command.hpp"

namespace zlink::engine {

namespace {

// Whether it answers depends on what else it has to say.
constexpr time_ns ask_again_ns = 100 * base::ns_per_ms;

// The context of such a PING; those with 8 octets carry a time.
constexpr auto mark_octet = std::byte{'S'};
using mark_context = std::array<std::byte, 1 + sizeof (std::uint64_t)>;

mark_context context_of (std::uint64_t mark) noexcept
{
    mark_context made{mark_octet};
    base::store_u64_be (made.data () + 1, mark);
    return made;
}

// Peers of that kind.
bool has (const pattern_traits &type, socket_core::awaited what) noexcept
{
    switch (what) {
    case socket_core::awaited::subscribers:
        return type.takes_topics;
    case socket_core::awaited::listeners:
        return type.asks_topics;
    default:
        return true;
    }
}

}  // namespace

result<void>
socket_core::wait_peers (std::uint32_t generation, awaited what, unsigned count, time_ns timeout_ns) noexcept
{
    lock ();
    const time_ns deadline = timeout_ns < 0 ? base::never_ns : now_ns () + timeout_ns;
    errc bad = check_locked (generation);
    if (bad == errc::ok && !has (traits_, what))
        bad = errc::not_supported;
    const std::uint64_t mark = topics_ != nullptr ? topics_->changes : 0;
    while (bad == errc::ok && peers_locked (what, mark) < count) {
        if (owes_topics_locked () && pay_topics_locked ())
            continue;
        const time_ns until = std::min (deadline, next_look_locked (what));
        ++peer_changes_.waiting;
        const errc ended = wait_word_locked (peer_changes_, until, false);
        --peer_changes_.waiting;
        const bool over = ended == errc::would_block;
        if (over && until < deadline)
            ask_again_locked ();
        else if (ended != errc::ok)
            bad = over ? errc::timed_out : ended;
        if (bad == errc::ok)
            bad = check_locked (generation);
    }
    unlock ();
    return bad;
}

// When who waits for that looks again by itself.
time_ns socket_core::next_look_locked (awaited what) noexcept
{
    if (owes_topics_locked ())
        return now_ns () + topics_look_ns;
    return what == awaited::listeners ? now_ns () + ask_again_ns : base::never_ns;
}

unsigned socket_core::peers_locked (awaited what, std::uint64_t mark) noexcept
{
    switch (what) {
    case awaited::subscribers:
        return topics_->subscribers;
    case awaited::listeners:
        return listeners_locked (mark);
    default:
        return peers_;
    }
}

// Publishers that have read our topics as they were at that change. Asks those
// of whom it is not known.
unsigned socket_core::listeners_locked (std::uint64_t mark) noexcept
{
    unsigned count = 0;
    for (const auto &each : connections_) {
        if (each == nullptr || each->state != connection_state::ready || !each->topics_as_commands)
            continue;
        look_for_marks_locked (*each);
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

// Answers behind messages that the application has not read yet.
void socket_core::look_for_marks_locked (connection &which) noexcept
{
    if (which.asked_heard <= which.heard)
        return;
    which.in.each_waiting_command ([&] (base::bytes_view body) {
        const wire::command said = wire::parse_command (body);
        if (said.kind == wire::command_kind::pong)
            note_heard_locked (which, said.data);
    });
}

// Somebody may wait for just that.
void socket_core::peers_changed_locked () noexcept
{
    if (peer_changes_.waiting == 0)
        return;
    peer_changes_.sequence.fetch_add (1, std::memory_order_seq_cst);
    todo_ |= todo_wake_everybody;
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

#include "sim/engine_watch.hpp"

#include <algorithm>

#include "engine/socket_core.hpp"
#include "sim/coverage.hpp"
#include "sim/revealed.hpp"
#include "sim/socket_locks.hpp"

namespace zlink::sim {

using engine::connection;
using engine::connection_state;
using engine::socket_core;

// clang-format off
struct of_connections { friend constexpr auto reveal (of_connections) noexcept; };
struct of_endpoints { friend constexpr auto reveal (of_endpoints) noexcept; };
struct of_ends { friend constexpr auto reveal (of_ends) noexcept; };
struct of_ready { friend constexpr auto reveal (of_ready) noexcept; };
struct of_topics { friend constexpr auto reveal (of_topics) noexcept; };
struct of_balance { friend constexpr auto reveal (of_balance) noexcept; };
struct of_tails { friend constexpr auto reveal (of_tails) noexcept; };
struct of_unwritten { friend constexpr auto reveal (of_unwritten) noexcept; };
struct of_users { friend constexpr auto reveal (of_users) noexcept; };
struct of_leader { friend constexpr auto reveal (of_leader) noexcept; };
struct of_dirty { friend constexpr auto reveal (of_dirty) noexcept; };
struct of_peers { friend constexpr auto reveal (of_peers) noexcept; };
struct of_wish { friend constexpr auto reveal (of_wish) noexcept; };
// clang-format on
template struct revealed<of_connections, &socket_core::connections_>;
template struct revealed<of_endpoints, &socket_core::endpoints_>;
template struct revealed<of_ends, &socket_core::ends_>;
template struct revealed<of_ready, &socket_core::ready_>;
template struct revealed<of_topics, &socket_core::topics_>;
template struct revealed<of_balance, &socket_core::balance_>;
template struct revealed<of_tails, &socket_core::tails_>;
template struct revealed<of_unwritten, &socket_core::unwritten_connections_>;
template struct revealed<of_users, &socket_core::users_>;
template struct revealed<of_leader, &socket_core::has_leader_>;
template struct revealed<of_dirty, &socket_core::dirty_>;
template struct revealed<of_peers, &socket_core::peers_>;
template struct revealed<of_wish, &socket_core::wish_>;

namespace {

std::string_view state_of (const connection &which) noexcept
{
    switch (which.state) {
    case connection_state::lost:
        return which.dialled_by != nullptr && which.dialled_by->resolving ? "resolving" : "lost";
    case connection_state::connecting:
        return "connecting";
    case connection_state::handshaking:
        return "handshaking";
    case connection_state::ready:
        return which.tx_dead ? "unwritable" : "ready";
    case connection_state::draining:
        return "draining";
    }
    return "none";
}

[[nodiscard]] bool has_traffic (const connection &which) noexcept
{
    return which.state == connection_state::ready || which.state == connection_state::draining;
}

}  // namespace

engine_watch::engine_watch (simulation &sim) : sim_ (sim)
{
    sim_.at_calls ([this] { look (); });
}

void engine_watch::add (void *socket)
{
    socket_core *const of = slot_of (socket);
    if (of == nullptr
        || std::any_of (slots_.begin (), slots_.end (), [of] (const slot &each) { return each.of == of; }))
        return;
    slots_.push_back ({of, {}});
}

void engine_watch::look ()
{
    for (slot &each : slots_)
        if (lock_word_of (*each.of).load (std::memory_order_relaxed) == 0)
            look_at (each);
}

void engine_watch::look_at (slot &which)
{
    const auto &connections = which.of->*reveal (of_connections{});
    if (which.connections.size () < connections.size ())
        which.connections.resize (connections.size ());
    for (std::size_t i = 0; i < which.connections.size (); ++i)
        follow (which, i, i < connections.size () ? connections[i].get () : nullptr);
    for (const auto &each : connections)
        if (each != nullptr)
            check_connection (which, *each);
    check_socket (which);
}

// --- the state table -----------------------------------------------------------------

void engine_watch::follow (slot &which, std::size_t index, const connection *now)
{
    known &before = which.connections[index];
    if (now != before.object && before.object != nullptr) {
        changed (before.dialled, before.state, "none");
        before = {};
    }
    if (now == nullptr)
        return;
    if (before.object == nullptr) {
        before = {now, "none", now->dialled_by != nullptr};
        if (before.dialled) {
            changed (true, before.state, "lost");  // however short it was
            before.state = "lost";
        }
    }
    check (which, !now->tx_armed || before.armed || now->tx_claimed, "armed by somebody without the claim");
    before.armed = now->tx_armed;
    const std::string_view state = state_of (*now);
    const bool held = now->state == connection_state::lost && now->claimed ();
    if (held || state == before.state)
        return;
    changed (before.dialled, before.state, state);
    before.state = state;
}

void engine_watch::changed (bool dialled, std::string_view from, std::string_view to)
{
    if (from == "unwritable")
        from = "ready";
    if (from == "handshaking" && to == "draining") {
        changed (dialled, from, "ready");  // however short it was: its socket was being closed
        from = "ready";
    }
    const std::string name =
      (dialled ? "dialled: " : "accepted: ") + std::string (from) + " > " + std::string (to);
    const std::size_t number = find_feature (name);
    if (number == features)
        sim_.fail ("a change that the state table does not know: " + name);
    sim_.seen.saw (number);
}

// --- what always holds ---------------------------------------------------------------

void engine_watch::check (const slot &which, bool good, const char *what) const
{
    if (!good)
        sim_.fail (std::string ("in slot ") + std::to_string (which.of->slot ()) + ": " + what);
}

// CONFLATE queues without credit, and a pipe that is held for its backlog shows
// none.
void engine_watch::check_credit (const slot &which, const connection &each) const
{
    if ((which.of->*reveal (of_wish{})).conflate)
        return;
    const engine::credit_line &line = each.credit;
    if (line.held)
        return;
    check (which,
           line.messages + line.owed_messages + each.out.unwritten_messages () + each.pending_messages
             == line.messages_mark,
           "credit of messages is not conserved");
    check (which,
           line.bytes + line.owed_bytes
               + static_cast<std::int64_t> (each.out.unwritten_bytes () + each.pending_bytes)
             == line.bytes_mark,
           "credit of bytes is not conserved");
}

void engine_watch::check_connection (const slot &which, const connection &each) const
{
    check_credit (which, each);
    check (which, !each.claimed () || which.of->*reveal (of_users{}) > 0, "a claim without a holder");
    const bool nobody_writes = !each.tx_claimed && !each.tx_armed && !each.tx_dead;
    if (each.state == connection_state::ready && nobody_writes && each.has_output ())
        check (which, each.in_tails, "output that nobody was told to write");
    if (each.state == connection_state::lost && !each.claimed ())
        check (which, each.stream == nullptr, "a lost connection keeps its stream");
    if (each.in_tails)
        check (which, which.of->*reveal (of_dirty{}), "a tail, and the socket is not in the dirty list");
}

void engine_watch::check_socket (const slot &which) const
{
    const socket_core &of = *which.of;
    const auto &connections = of.*reveal (of_connections{});
    const auto &ends = of.*reveal (of_ends{});
    std::size_t listed = 0;
    std::size_t attached = 0;
    std::size_t tails = 0;
    std::size_t unwritten = 0;
    std::size_t peers = 0;
    for (const auto &each : connections) {
        if (each == nullptr)
            continue;
        listed += each->listed;
        attached += each->attached;
        tails += each->in_tails;
        unwritten += has_traffic (*each) && !each->out.empty ();
        peers += each->state == connection_state::ready;
    }
    for (const engine::inproc_end &each : ends) {
        listed += each.listed;
        attached += each.attached;
        peers += each.joined;
    }
    if (const auto &topics = of.*reveal (of_topics{}); topics != nullptr)
        listed += topics->told.listed;
    check (which, listed == (of.*reveal (of_ready{})).size (), "the ready list is wrong");
    check (which, attached == (of.*reveal (of_balance{})).size (), "the balance is wrong");
    check (which, tails == (of.*reveal (of_tails{})).size (), "the list of tails is wrong");
    check (which, unwritten == of.*reveal (of_unwritten{}), "the number of unwritten connections is wrong");
    check (which, peers == of.*reveal (of_peers{}), "the number of peers is wrong");
    const bool busy =
      std::any_of ((of.*reveal (of_endpoints{})).begin (), (of.*reveal (of_endpoints{})).end (),
                   [] (const engine::endpoint &each) { return each.busy; });
    const bool nobody = of.*reveal (of_users{}) == 0;
    check (which, !nobody || !busy, "an endpoint is busy, and nobody works on it");
    check (which, !nobody || !(of.*reveal (of_leader{})), "a leader that is nobody");
}

}  // namespace zlink::sim

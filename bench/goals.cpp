#include "bench/goals.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace zlink::bench {

namespace {

using enum goal_kind;

constexpr goal matrix (std::string_view what, std::string_view cells, goal_scope scope)
{
    goal row;
    row.what = what;
    row.cells = cells;
    row.scope = scope;
    return row;
}

constexpr std::array table = {
  // Throughput.
  goal{"64 B over tcp", "tcp/64/throughput", ratio_at_least, 4.5, 6.5},
  goal{"64 B over ipc", "ipc/64/throughput", ratio_at_least, 5, 7},
  goal{"64 B over inproc", "inproc/64/throughput", ratio_at_least, 2.2, 4},
  goal{"256 B over inproc", "inproc/256/throughput", ratio_at_least, 2, 3.5},
  goal{"1 KiB over inproc", "inproc/1024/throughput", ratio_at_least, 1.7, 2.5},
  goal{"8 KiB over inproc", "inproc/8192/throughput", ratio_at_least, 1.4, 2},
  goal{"256 B over tcp and ipc", "tcp,ipc/256/throughput", ratio_at_least, 3.8, 6.5},
  goal{"1 KiB over tcp and ipc", "tcp,ipc/1024/throughput", ratio_at_least, 3.3, 6},
  goal{"8 KiB over tcp and ipc", "tcp,ipc/8192/throughput", ratio_at_least, 2.5, 5},
  goal{"64 and 128 KiB over tcp, copying calls", "tcp/65536,131072/throughput", ratio_at_least, 1.6, 2.3},
  goal{"64 and 128 KiB over ipc, copying calls", "ipc/65536,131072/throughput", ratio_at_least, 1.6, 3.5},
  goal{"256 KiB over tcp, copying calls", "tcp/262144/throughput", ratio_at_least, 1.4, 2},
  goal{"256 KiB over ipc, copying calls", "ipc/262144/throughput", ratio_at_least, 1.4, 2.5},
  goal{"64 and 128 KiB over inproc, copying calls", "inproc/65536,131072/throughput", ratio_at_least, 1.4, 2},
  goal{"256 KiB over inproc, copying calls", "inproc/262144/throughput", not_lost},
  goal{"inproc, message calls: the rate does not depend on the size",
       "inproc/131072,262144/throughput+message", own_ratio_at_least, 0.7, 0.9, "65536"},
  goal{"eight threads send on one socket, against one thread", "PUSH_PULL/tcp/64/throughput+threads8",
       own_ratio_at_least, 0.7, 0.9, "throughput"},
  goal{"100 connections to one PULL", "PUSH_PULL/tcp/64,1024/throughput+peers100", ratio_at_least, 2.5, 4},
  goal{"DEALER/DEALER and PUB/SUB, 64 B over tcp", "DEALER_DEALER,PUB_SUB/tcp/64/throughput", ratio_at_least,
       4.5, 6.5},
  goal{"DEALER/DEALER and PUB/SUB, 64 B over ipc", "DEALER_DEALER,PUB_SUB/ipc/64/throughput", ratio_at_least,
       5, 7},
  goal{"PUB/SUB that drops, 64 B over tcp", "PUB_SUB/tcp/64/throughput+drop"},
  goal{"DEALER/ROUTER and ROUTER/ROUTER, 64 B over tcp", "DEALER_ROUTER,ROUTER_ROUTER/tcp/64/throughput",
       ratio_at_least, 4.5, 6.5},
  goal{"the same with a poll before each receive",
       "DEALER_DEALER,DEALER_ROUTER,ROUTER_ROUTER/tcp/64/throughput+poll", ratio_at_least, 4.5, 6.5},
  goal{"100 clients of one ROUTER", "DEALER_ROUTER/tcp/64,1024/throughput+peers100", ratio_at_least, 2.5, 4},
  goal{"raw STREAM, 64 B over tcp", "STREAM/tcp/64/throughput", ratio_at_least, 3, 5},
  goal{"raw STREAM, 1 KiB and more over tcp", "STREAM/tcp/1024,8192,65536,131072,262144/throughput",
       ratio_at_least, 1.1, 1.5},
  goal{"tls, 64 B against our own tcp", "tls/64/throughput", own_ratio_at_least, 0.6, 0.75, "tcp"},
  goal{"ws, 64 B against our own tcp", "ws/64/throughput", own_ratio_at_least, 0.8, 0.9, "tcp"},
  goal{"wss, 64 B against our own tcp", "wss/64/throughput", own_ratio_at_least, 0.5, 0.65, "tcp"},
  goal{"tls from 64 KiB on, against tcp and the cipher in turn", "tls/65536,131072,262144/throughput",
       own_ceiling_at_least, 0.6, 0.85, "tcp"},
  goal{"CURVE, 64 B over tcp", "PUSH_PULL,PAIR/tcp/64/throughput+curve", ratio_at_least, 1.5},
  goal{"CURVE, 64 KiB over tcp", "PUSH_PULL,PAIR/tcp/65536/throughput+curve", ratio_at_least, 1.1},
  goal{"RADIO/DISH and CLIENT/SERVER, 64 B over tcp", "RADIO_DISH,CLIENT_SERVER/tcp/64/throughput",
       ratio_at_least, 3},
  goal{"handshakes of CURVE, 64 dials in flight", "DEALER_ROUTER/tcp/64/handshakes+curve", ratio_at_least, 1},
  goal{"handshakes of tls, against openssl's s_time and s_server",
       "DEALER_ROUTER/tls/64/handshakes,handshakes+resumed", floor_share_at_least, 0.7},
  goal{"GATEWAY, one way, against our own ROUTER/ROUTER",
       "GATEWAY/tcp,tls,ws,wss/64,1024,8192,65536/throughput", own_ratio_at_least, 0.8, 0.95,
       "ROUTER_ROUTER"},
  goal{"GATEWAY, 64 requests under way, against DEALER/ROUTER", "GATEWAY/tcp,tls,ws,wss/64/pipelined",
       own_ratio_at_least, 0.7, 0.9, "DEALER_ROUTER"},
  goal{"SPOT between two nodes, against our own PUB/SUB", "SPOT/tcp,tls,ws,wss/64,1024,8192,65536/throughput",
       own_ratio_at_least, 0.8, 0.95, "PUB_SUB"},
  goal{"SPOT inside one node, against PUB/SUB over inproc", "SPOT/inproc/64,1024,8192,65536/throughput",
       own_ratio_at_least, 0.8, 0.95, "PUB_SUB"},
  goal{"SPOT: a second subscriber costs no rate", "SPOT/tcp,inproc/64/throughput+fan2", own_ratio_at_least,
       0.9, 1, "throughput+fan1"},
  goal{"SPOT: four subscribers against two", "SPOT/tcp,inproc/64/throughput+fan4", own_ratio_at_least, 0.9, 1,
       "throughput+fan2"},
  goal{"SPOT: eight subscribers against four", "SPOT/tcp,inproc/64/throughput+fan8", own_ratio_at_least, 0.9,
       1, "throughput+fan4"},
  goal{"fan-out to 1, 2, 4 and 8 subscribers",
       "PUB_SUB/64/throughput+fan1,throughput+fan2,throughput+fan4,throughput+fan8", ratio_at_least, 2.5, 4},
  goal{"a second subscriber costs no rate", "PUB_SUB/64/throughput+fan2", own_ratio_at_least, 0.9, 1,
       "throughput+fan1"},
  goal{"four subscribers against two", "PUB_SUB/64/throughput+fan4", own_ratio_at_least, 0.9, 1,
       "throughput+fan2"},
  goal{"eight subscribers against four", "PUB_SUB/64/throughput+fan8", own_ratio_at_least, 0.9, 1,
       "throughput+fan4"},

  // Latency.
  goal{"one thread drives both ends, 64 B over tcp and ipc", "tcp,ipc/64/latency-one", ratio_at_most, 0.3,
       0.13},
  goal{"ping-pong of two threads, default spin, tcp and ipc", "tcp,ipc/64/latency", ratio_at_most, 0.3, 0.12},
  goal{"ping-pong of two threads, default spin, inproc", "inproc/64/latency", ratio_at_most, 0.15, 0.02},
  goal{"ping-pong with spin off", "tcp,ipc/64/latency+nospin", ratio_at_most, 0.75, 0.5},
  goal{"ping-pong with all threads on one core", "tcp,ipc,inproc/64/latency+onecpu", ratio_at_most, 0.75,
       0.5},
  goal{"ping-pong with spin off, against raw blocking", "tcp,ipc,inproc/64/latency+nospin",
       floor_times_at_most, 1.25, 1.1},
  goal{"ping-pong with spin on, against raw spinning", "tcp,ipc/64/latency", floor_times_at_most, 1.6, 1.3},
  goal{"REQ/REP of two threads, default spin, tcp and ipc", "REQ_REP/tcp,ipc/64/latency", ratio_at_most, 0.3,
       0.12},
  goal{"REQ/REP of two threads, default spin, inproc", "REQ_REP/inproc/64/latency", ratio_at_most, 0.15,
       0.02},
  goal{"REQ/REP with spin off", "REQ_REP/tcp,ipc/64/latency+nospin", ratio_at_most, 0.75, 0.5},
  goal{"REQ/REP with spin off, inproc, against raw blocking", "REQ_REP/inproc/64/latency+nospin",
       floor_times_at_most, 1.25, 1.1},
  goal{"REQ/REP with all threads on one core", "REQ_REP/64/latency+onecpu", ratio_at_most, 0.75, 0.5},
  goal{"a request through a GATEWAY, against REQ/REP", "GATEWAY/tcp,ipc,inproc/64/latency", own_ratio_at_most,
       1.3, 1.1, "REQ_REP"},
  goal{"SPOT between two nodes, against PUB/SUB", "SPOT/tcp/64/latency", own_ratio_at_most, 1.3, 1.1,
       "PUB_SUB"},
  goal{"64 KiB over tcp and ipc", "tcp,ipc/65536/latency", ratio_at_most, 0.5, 0.25},
  goal{"1 and 8 KiB round trips, p50", "tcp,inproc/1024,8192/latency", p50_ratio_at_most, 0.5, 0.3},
  goal{"1 and 8 KiB round trips, p99", "tcp,inproc/1024,8192/latency", p99_ratio_at_most, 1, 0.5},
  goal{"one thread drives both ends, inproc", "inproc/64/latency-one", ratio_at_most, 0.9, 0.6},
  goal{"ping-pong through the descriptor and epoll", "tcp/64/latency-fd", ratio_at_most, 0.8, 0.5},
  goal{"the tail of a burst of 1,000, p99", "tcp,ipc/64/burst", ratio_at_most, 1, 0.6},
  goal{"open loop, p50", "PAIR/tcp/64/open-1k,open-10k,open-100k,open-300k", p50_ratio_at_most, 0.6, 0.4},
  goal{"open loop, p99", "PAIR/tcp/64/open-1k,open-10k,open-100k,open-300k", p99_ratio_at_most, 1, 0.6},

  // Cost and scale.
  goal{"CPU of both sides per message, 64 B over tcp", "tcp/64/throughput", cpu_ratio_at_most, 0.3, 0.15},
  goal{"reads and writes per message, 64 B over tcp", "tcp/64/throughput", reads_writes_at_most, 0.005,
       0.003},
  goal{"polls per message, 64 B over tcp", "tcp/64/throughput", polls_at_most, 0.05, 0.005},
  goal{"allocations per message, 64 B over tcp", "tcp/64/throughput", allocations_at_most, 0.0005},
  goal{"wake-ups per message, 64 B over tcp", "tcp/64/throughput", wakes_at_most, 0.005, 0.001},
  goal{"system calls per message at 256 KiB", "tcp,ipc/262144/throughput", calls_ratio_at_most, 1, 0.5},
  goal{"10,000 idle connections on one ROUTER, each", "ROUTER_ROUTER/tcp/64/idle", bytes_at_most, 10240,
       4096},
  goal{"10,000 idle connections over tls, each", "ROUTER_ROUTER/tls/64/idle", bytes_at_most, 40960},
  goal{"CPU of both sides while they are idle", "ROUTER_ROUTER/tcp/64/idle", cpu_share_at_most, 0.001},
  goal{"publishing with 1,000,000 subscriptions against ten", "PUB_SUB/tcp/64/publish-1m", own_ratio_at_most,
       2, 1.2, "publish-10"},
  goal{"1,000,000 subscriptions, each beyond its topic", "PUB_SUB/tcp/64/publish-1m", bytes_each_at_most,
       100},
  goal{"SPOT in one node: 100,000 topics and 1,000,000 subscriptions against ten",
       "SPOT/inproc/64/publish-1m", own_ratio_at_most, 2, 1.2, "publish-10"},
  goal{"SPOT: 32 nodes in four processes know all of each other", "SPOT/tcp/64/mesh-32", us_at_most,
       3'000'000},
  goal{"CPU of all of them while they are idle, heartbeats every 5 s", "SPOT/tcp/64/mesh-32",
       cpu_share_at_most, 0.01},
  goal{"a change among 10,000 registrations reaches 100 watchers", "GATEWAY/tcp/64/watchers-100", us_at_most,
       500'000},
  goal{"memory of that registry, each registration", "GATEWAY/tcp/64/watchers-100", bytes_each_at_most,
       10'485},
  goal{"CPU of that registry while nothing changes", "GATEWAY/tcp/64/watchers-100", cpu_share_at_most, 0.01},
  matrix ("every cell", "throughput,latency", goal_scope::plain),
  matrix ("every cell of the other patterns",
          "DEALER_DEALER,DEALER_ROUTER,ROUTER_ROUTER,PUB_SUB,REQ_REP,STREAM/throughput,latency",
          goal_scope::plain),
  matrix ("every cell, two I/O threads", "throughput,latency/+io2", goal_scope::everything),
  matrix ("every cell, pinned", "throughput,latency/+pinned", goal_scope::everything),
  matrix ("every cell, all threads on one core", "throughput,latency/+onecpu", goal_scope::everything),
  matrix ("every cell, four busy threads per core", "throughput,latency/+busy", goal_scope::everything),
};

double counted_calls (const series &of)
{
    return of.middle (&outcome::reads_writes) + of.middle (&outcome::polls);
}

double quotient (double ours, double theirs) { return theirs > 0 ? ours / theirs : 0; }

std::optional<cell> reference_of (const goal &wanted, const cell &of)
{
    const std::optional<cell> changes = parse_cell (wanted.reference);
    if (!changes)
        return std::nullopt;
    cell reference = of;
    // A reference names a pattern, a transport, a size or a metric.
    const auto is_named = [&] (const pattern &row) { return row.name == wanted.reference; };
    if (std::any_of (patterns ().begin (), patterns ().end (), is_named)) {
        reference.pattern_index = changes->pattern_index;
    } else if (std::find (std::begin (transports), std::end (transports), wanted.reference)
               != std::end (transports)) {
        reference.transport = changes->transport;
    } else if (wanted.reference.find_first_not_of ("0123456789") == std::string_view::npos) {
        reference.size_bytes = changes->size_bytes;
    } else {
        reference.measured = changes->measured;
        reference.with = changes->with;
    }
    return reference;
}

bool is_count (goal_kind kind) noexcept
{
    return kind == reads_writes_at_most || kind == polls_at_most || kind == wakes_at_most
           || kind == allocations_at_most || kind == calls_ratio_at_most;
}

bool at_least (goal_kind kind) noexcept
{
    return kind == ratio_at_least || kind == own_ratio_at_least || kind == own_ceiling_at_least
           || kind == floor_share_at_least;
}

double measure_counts (const goal &wanted, const cell_result &result)
{
    const series &ours = result.ours_counted;
    switch (wanted.kind) {
    case reads_writes_at_most:
        return ours.middle (&outcome::reads_writes);
    case polls_at_most:
        return ours.middle (&outcome::polls);
    case wakes_at_most:
        return ours.middle (&outcome::wakes);
    case allocations_at_most:
        return ours.middle (&outcome::allocations);
    default:
        return quotient (counted_calls (ours), counted_calls (result.theirs_counted));
    }
}

// The middle of the ratios of the rounds that both have: more rounds of one of them have no partner.
double ratio_by_rounds (const series &here, const series &there)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min (here.runs.size (), there.runs.size ()); ++i)
        ratios.push_back (quotient (here.runs[i].value, there.runs[i].value));
    return median (std::move (ratios));
}

double measure_own_ratio (const goal &wanted, const cell_result &result, const result_book &book)
{
    const std::optional<cell> reference = reference_of (wanted, result.measured);
    const cell_result *other = reference ? book.find (*reference) : nullptr;
    if (other == nullptr)
        return 0;
    const double ratio = ratio_by_rounds (result.ours, other->ours);
    if (wanted.kind != own_ceiling_at_least)
        return ratio;
    const double of_floor = quotient (result.ours.value (), result.floor.value ());
    return ratio > 0 && of_floor > 0 ? ratio + of_floor : 0;
}

double measure (const goal &wanted, const cell_result &result, const result_book &book)
{
    const auto of_medians = [&] (double outcome::*member) {
        return quotient (result.ours.middle (member), result.theirs.middle (member));
    };
    if (is_count (wanted.kind))
        return measure_counts (wanted, result);
    switch (wanted.kind) {
    case p50_ratio_at_most:
        return of_medians (&outcome::p50_us);
    case p99_ratio_at_most:
        return of_medians (&outcome::p99_us);
    case floor_times_at_most:
    case floor_share_at_least:
        return quotient (result.ours.value (), result.floor.value ());
    case cpu_ratio_at_most:
        return quotient (result.ours.cpu_per_million (), result.theirs.cpu_per_million ());
    case own_ratio_at_least:
    case own_ratio_at_most:
    case own_ceiling_at_least:
        return measure_own_ratio (wanted, result, book);
    case bytes_at_most:
    case us_at_most:
        return result.ours.value ();
    case bytes_each_at_most:
        return result.ours.middle (&outcome::bytes_each);
    case cpu_share_at_most:
        return result.ours.middle (&outcome::cpu_s) / result.ours.middle (&outcome::seconds);
    default:
        return result.ratio ();
    }
}

bool holds (goal_kind kind, double measured, double bound) noexcept
{
    return at_least (kind) ? measured >= bound : measured <= bound;
}

bool contains (const cell_group &group, const cell &one)
{
    return std::any_of (group.begin (), group.end (),
                        [&] (const wanted_cell &known) { return known.measured == one; });
}

void add_cell (cell_group *to, const wanted_cell &one)
{
    for (wanted_cell &known : *to)
        if (known.measured == one.measured) {
            known.counted = known.counted || one.counted;
            return;
        }
    to->push_back (one);
}

}  // namespace

std::span<const goal> goals () noexcept { return table; }

std::vector<cell> cells_of (const goal &wanted)
{
    return wanted.cells.empty () ? std::vector<cell> () : select_cells (wanted.cells);
}

cell_group compared_cells (const goal &wanted, const cell &of)
{
    cell_group together = {{of, is_count (wanted.kind)}};
    if (!wanted.reference.empty ())
        if (const std::optional<cell> reference = reference_of (wanted, of))
            add_cell (&together, {*reference, false});
    return together;
}

void add_group (std::vector<cell_group> *groups, const cell_group &together)
{
    const auto is_apart = [&] (const cell_group &group) {
        return std::none_of (together.begin (), together.end (),
                             [&] (const wanted_cell &one) { return contains (group, one.measured); });
    };
    const auto home = std::find_if_not (groups->begin (), groups->end (), is_apart);
    if (home == groups->end ()) {
        groups->push_back (together);
        return;
    }
    const auto joining = std::stable_partition (std::next (home), groups->end (), is_apart);
    for (auto group = joining; group != groups->end (); ++group)
        for (const wanted_cell &one : *group)
            add_cell (&*home, one);
    groups->erase (joining, groups->end ());
    for (const wanted_cell &one : together)
        add_cell (&*home, one);
}

void result_book::put (cell_result result)
{
    const auto old = std::find_if (results_.begin (), results_.end (), [&] (const cell_result &known) {
        return known.measured == result.measured;
    });
    if (old == results_.end ())
        results_.push_back (std::move (result));
    else
        *old = std::move (result);
}

const cell_result *result_book::find (const cell &wanted) const
{
    const auto found = std::find_if (results_.begin (), results_.end (),
                                     [&] (const cell_result &known) { return known.measured == wanted; });
    return found == results_.end () ? nullptr : &*found;
}

goal_answer answer_goal (const goal &wanted, const cell &of, const result_book &book)
{
    goal_answer answer;
    const cell_result *result = book.find (of);
    if (result == nullptr)
        return answer;
    if (result->failed ()) {
        answer.state = goal_state::missed;
        answer.error = result->error;
        return answer;
    }
    if (is_count (wanted.kind)
        && (result->ours_counted.empty () || result->ours_counted.runs.front ().reads_writes < 0))
        return answer;
    answer.measured = measure (wanted, *result, book);
    if (wanted.kind == not_lost) {
        answer.state = result->decision == verdict::lost ? goal_state::missed : goal_state::met;
        return answer;
    }
    // Zero of a ratio means that a side is missing.
    if (answer.measured == 0 && !is_count (wanted.kind)) {
        answer.error = result->lacking;
        return answer;
    }
    if (!holds (wanted.kind, answer.measured, wanted.must))
        answer.state = goal_state::missed;
    else
        answer.state = wanted.aim > 0 && holds (wanted.kind, answer.measured, wanted.aim)
                         ? goal_state::reached
                         : goal_state::met;
    return answer;
}

const goal_answer &better_answer (const goal &wanted, const goal_answer &first, const goal_answer &second)
{
    const auto rank = [] (const goal_answer &of) {
        switch (of.state) {
        case goal_state::reached:
            return 3;
        case goal_state::met:
            return 2;
        case goal_state::missed:
            return of.error.empty () ? 1 : 0;
        case goal_state::unknown:
            break;
        }
        return -1;
    };
    if (rank (first) != rank (second))
        return rank (first) > rank (second) ? first : second;
    return holds (wanted.kind, first.measured, second.measured) ? first : second;
}

std::string format_must (const goal &wanted)
{
    if (wanted.kind == not_lost)
        return "not lost";
    const char *side = at_least (wanted.kind) ? "at least" : "at most";
    if (wanted.kind == bytes_at_most || wanted.kind == bytes_each_at_most)
        return fmt::format ("{} {} B", side, wanted.must);
    if (wanted.kind == us_at_most)
        return fmt::format ("{} {} us", side, wanted.must);
    const bool plain_count =
      wanted.kind == cpu_share_at_most || (is_count (wanted.kind) && wanted.kind != calls_ratio_at_most);
    return plain_count ? fmt::format ("{} {}", side, wanted.must)
                       : fmt::format ("{} {:.2f}x", side, wanted.must);
}

}  // namespace zlink::bench

// A cell: one thing that is measured, by name.
//
//     PAIR/tcp/64/throughput          two threads in one process
//     PAIR/tcp/64/latency+nospin      with modifiers
//
// Patterns, transports, sizes, metrics and modifiers are tables; a new
// pattern is a row. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/statistics.hpp"

namespace zlink::bench {

// How a pattern is wired. Socket types are the numbers that both headers share
// (number:: in library.hpp).
struct pattern
{
    std::string_view name;
    int sender_type;
    int receiver_type;
    bool two_way;           // one pair of sockets carries both directions
    bool services = false;  // a gateway and a receiver, or nodes, over sockets of these types
};
[[nodiscard]] const std::vector<pattern> &patterns ();

enum class metric
{
    throughput,   // messages per second at the receiver
    latency,      // one way, ping-pong between two threads
    latency_one,  // one way, one thread drives both ends
    latency_fd,   // one way, ping-pong through the socket's descriptor and epoll
    pipelined,    // replies per second, with 64 requests under way, or 30 of each of many
    burst,        // time from the last send of 1,000 to the last receive, p99
    open_1k,      // one way from the scheduled time, by rate
    open_10k,
    open_100k,
    open_300k,
    idle,          // memory of one connection of 10,000 that say nothing
    publish_10,    // what publishing one message takes with ten subscriptions
    publish_1m,    // the same topics with 1,000,000
    publish_all,   // all of 1,000,000 topics, one after another
    handshakes,    // per second, 64 dials in flight (handshake_run.hpp)
    mesh_32,       // until 32 nodes of SPOT in four processes know all of each other
    watchers_100,  // until a hundred lists of 10,000 registrations have a change
};

struct metric_facts
{
    metric id;
    std::string_view name;
    std::string_view unit;
    direction better;
    double expected_s;        // of one run, for the progress line
    unsigned rate_per_s = 0;  // of open loops
};
[[nodiscard]] const std::vector<metric_facts> &metrics ();
[[nodiscard]] const metric_facts &facts_of (metric m);

// True of the metrics that count what large numbers cost (scale_run.hpp, spot_scale_run.hpp,
// registry_run.hpp).
[[nodiscard]] bool counts_scale (metric m) noexcept;

// What is different from the plain run. All off by default.
struct modifiers
{
    bool one_cpu = false;  // every thread on one processor
    bool pinned = false;   // sender and receiver on a processor of their own
    bool busy = false;     // four busy threads per core beside it
    bool two_io = false;   // two I/O threads
    bool three_io = false;
    bool four_io = false;
    bool kernel_64k = false;  // SNDBUF and RCVBUF of so many bytes
    bool kernel_256k = false;
    bool kernel_1m = false;
    bool kernel_4m = false;
    bool batches_16k = false;  // IN_BATCH_SIZE and OUT_BATCH_SIZE of so many bytes
    bool batches_64k = false;
    bool batches_256k = false;
    bool processes = false;  // sender and receiver in a process each
    bool no_spin = false;    // adaptive spin off where the library has it
    bool message = false;    // message calls instead of copying calls
    bool batch = false;      // batch calls where the library has them
    bool zmq_marks = false;  // zlink.h with zmq.h's high-water marks and I/O threads
    bool threads8 = false;   // eight threads send on one socket
    bool peers100 = false;   // a hundred sockets, in turn by one thread, connected to the receiver
    bool turns = false;      // one message in turn instead of a run each (with peers100)
    bool poll = false;       // a poll before each message that is received
    bool drop = false;       // a publisher drops what has no room, instead of waiting
    bool fan1 = false;       // so many subscribers, read in turn by one thread
    bool fan2 = false;
    bool fan4 = false;
    bool fan8 = false;
    bool curve = false;    // both ends speak CURVE
    bool resumed = false;  // TLS with what the peer gave the last time (of handshakes)

    // Subscribers of one publisher; 0: not a fan.
    [[nodiscard]] unsigned fan () const noexcept { return fan1 ? 1 : fan2 ? 2 : fan4 ? 4 : fan8 ? 8 : 0; }
    // I/O threads that are asked for; 0: the library's own number.
    [[nodiscard]] int io_threads () const noexcept { return four_io ? 4 : three_io ? 3 : two_io ? 2 : 0; }
    // Bytes of the system's buffers that are asked for; 0: the library's own.
    [[nodiscard]] int kernel_bytes () const noexcept
    {
        constexpr int kib = 1024;
        return kernel_64k    ? 64 * kib
               : kernel_256k ? 256 * kib
               : kernel_1m   ? 1024 * kib
               : kernel_4m   ? 4096 * kib
                             : 0;
    }
    // Largest read and write that is asked for; 0: the library's own.
    [[nodiscard]] int batch_bytes () const noexcept
    {
        constexpr int kib = 1024;
        return batches_16k ? 16 * kib : batches_64k ? 64 * kib : batches_256k ? 256 * kib : 0;
    }
    bool operator== (const modifiers &) const = default;
};

struct cell
{
    std::size_t pattern_index = 0;
    std::string transport = "tcp";
    std::size_t size_bytes = 64;
    metric measured = metric::throughput;
    modifiers with;

    [[nodiscard]] const pattern &wiring () const { return patterns ()[pattern_index]; }
    // The metric with its modifiers, as in the cell's name.
    [[nodiscard]] std::string metric_name () const;
    [[nodiscard]] std::string name () const;
    bool operator== (const cell &) const = default;
};

inline constexpr std::string_view transports[] = {"tcp", "ipc", "inproc"};
// Of ours alone: libzmq's builds have none of them. Cells of all transports are not
// theirs.
inline constexpr std::string_view own_transports[] = {"tls", "ws", "wss"};
inline constexpr std::size_t sizes[] = {64, 256, 1024, 8192, 65536, 131072, 262144};

// Parts are separated by '/', in any order; modifiers stand behind the metric
// ("throughput+pinned") or alone ("+pinned"). What is not named is PAIR, tcp,
// 64 bytes, throughput. Nothing for a part that means nothing.
[[nodiscard]] std::optional<cell> parse_cell (std::string_view text);

// The cells a filter names: parts as above, each may be a list with commas;
// a part that is not named means all of its table, of metrics the three
// plain ones (throughput, latency, latency-one). "*" in its place, too.
// Empty for a part that means nothing.
[[nodiscard]] std::vector<cell> select_cells (std::string_view filter);

// What cells are made of, for a help text.
[[nodiscard]] std::string words_of_cells ();

// True: the sender reaches all that listen, by topics or by groups.
[[nodiscard]] bool publishes (const pattern &wiring) noexcept;

// False: there is no other library to compare with.
[[nodiscard]] bool has_rival (const cell &measured);

// False for combinations that cannot be measured (inproc between processes).
[[nodiscard]] bool possible (const cell &wanted);

}  // namespace zlink::bench

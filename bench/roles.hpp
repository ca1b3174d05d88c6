// The two roles of a run, sender and receiver, in two threads or in two
// processes, and the memory they share.
//
// A role that fails ends the whole worker process with one line that says
// why: a run has nothing to rescue.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include "bench/cell.hpp"
#include "bench/os.hpp"
#include "bench/outcome.hpp"

namespace zlink::bench {

// Lives in memory that both processes see. Everything starts as zero.
struct shared_state
{
    alignas (64) std::atomic<std::uint32_t> stop;  // the receiver has enough
    alignas (64) std::atomic<std::uint64_t> sent;
    std::atomic<std::int64_t> sender_cpu_ns;  // of a sender in a process of its own
    std::atomic<std::int64_t> sender_peak_kib;
    std::atomic<std::int64_t> last_send_ns;
    std::atomic<std::uint64_t> round;  // bursts: rounds that were received whole
    std::atomic<std::uint32_t> endpoints_ready;
    std::atomic<std::uint32_t> heard[2];      // by slot: subscribers that hear their publisher
    std::atomic<std::uint32_t> finished;      // the receiver has the last message
    std::atomic<std::int32_t> other_process;  // of a role in a process of its own
    char endpoints[2][256];
};

[[nodiscard]] shared_state *make_shared_state ();

// Ends the process with an outcome line that carries the error.
[[noreturn]] void fail (std::string_view why);
// The same where it is a part that the library, or the machine, does not have:
// the cell is not compared, and nobody has lost.
inline constexpr std::string_view lacks_prefix = "not compared: ";
[[noreturn]] void lack (std::string_view what);

// Until it holds, asking again and again, far enough apart to cost nobody anything.
template <class Holds> void await (Holds &&holds)
{
    constexpr std::int64_t look_every_ns = 200'000;
    while (!holds ())
        os::wait_until (os::now_ns () + look_every_ns);
}

// Until that slot's endpoint is bound, and known here.
void wait_for_endpoint (const shared_state *state, unsigned slot);

// Who goes drops what it has not sent: until the receiver has the last message.
void wait_for_the_end (const shared_state *state);

// What a sender has cost, said when it is done; and added to what was found, for the
// messages that were measured, where it is a process of its own.
void note_sender_cost (shared_state *state);
void add_sender_cost (const cell &measured, const shared_state *state, outcome *found);

// Where a role's thread belongs under the cell's modifiers.
enum class role
{
    sender,
    receiver,
};
void place_thread (const cell &measured, role r);

// Runs the sender beside the receiver and returns when both are done.
void run_roles (const cell &measured,
                const std::function<void ()> &sender,
                const std::function<void ()> &receiver);

}  // namespace zlink::bench

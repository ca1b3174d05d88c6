#include "bench/meeting.hpp"

#include <cstddef>

#include "bench/node.hpp"
#include "bench/os.hpp"
#include "bench/watchdog.hpp"

namespace zlink::bench {

namespace {

// The two are told apart by their sizes.
constexpr std::byte words[2] = {};
constexpr std::size_t call_bytes = 1;
constexpr std::size_t begin_bytes = 2;

std::size_t hear (const library &calls, void *subscriber)
{
    std::byte heard[begin_bytes];
    const int got = calls.recv (subscriber, heard, sizeof heard, 0);
    need (calls, got, "recv of a call");
    return static_cast<std::size_t> (got);
}

}  // namespace

void meet_as_publisher (
  const library &calls, void *publisher, shared_state *state, unsigned slot, unsigned subscribers)
{
    watchdog::stage ("calling for subscribers");
    constexpr std::int64_t call_every_ns = 1'000'000;
    while (state->heard[slot].load (std::memory_order_acquire) < subscribers) {
        need (calls, calls.send (publisher, words, call_bytes, 0), "send of a call");
        os::wait_until (os::now_ns () + call_every_ns);
    }
    need (calls, calls.send (publisher, words, begin_bytes, 0), "send of a call");
}

void meet_as_subscribers (const library &calls,
                          const std::vector<void *> &subscribers,
                          shared_state *state,
                          unsigned slot)
{
    for (void *each : subscribers) {
        (void)hear (calls, each);
        state->heard[slot].fetch_add (1, std::memory_order_release);
    }
    for (void *each : subscribers)
        while (hear (calls, each) != begin_bytes) {}
}

}  // namespace zlink::bench

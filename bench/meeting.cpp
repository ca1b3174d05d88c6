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

// In the group, where there are groups.
void say (const library &calls, void *publisher, std::size_t size)
{
    int type = 0;
    std::size_t type_bytes = sizeof type;
    need (calls, calls.getsockopt (publisher, number::type, &type, &type_bytes), "TYPE");
    if (type != number::radio) {
        need (calls, calls.send (publisher, words, size, 0), "send of a call");
        return;
    }
    message_storage made;
    need (calls, calls.msg_init_size (&made, size), "msg_init_size");
    need (calls, calls.msg_set_group (&made, group_name), "msg_set_group");
    need (calls, calls.msg_send (&made, publisher, 0), "send of a call");
}

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
        say (calls, publisher, call_bytes);
        os::wait_until (os::now_ns () + call_every_ns);
    }
    say (calls, publisher, begin_bytes);
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

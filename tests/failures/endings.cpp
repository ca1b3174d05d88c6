// The end of a socket whose events somebody reads, with each request for memory
// in it refused in turn: the last event is there all the same, as who sleeps for
// it would never wake.
#include "failures/faults.hpp"
#include "support/events.hpp"

namespace zlink::test {
namespace {

// What the reader of a monitor finds there.
std::uint64_t next_of (void *monitor)
{
    zlink_monitor_event_t told{};
    return zlink_monitor_recv (monitor, &told, ZLINK_DONTWAIT) == 0 ? told.event : 0;
}

// Whether the n-th request of what ends them was there to be refused.
template <class End> bool hears_of_the_end (std::uint64_t n, End end)
{
    context own;
    socket pull (own, ZMQ_PULL);
    events queue (pull);
    void *const monitor = zlink_socket_monitor_open (pull, ZLINK_EVENT_ALL);
    start_faults ({resource::memory, n, 1});
    {
        const library_call here;
        end (pull);
    }
    const bool refused = faults_so_far () > 0;
    (void)stop_faults ();
    EXPECT_EQ (next_of (monitor), std::uint64_t{ZLINK_EVENT_MONITOR_STOPPED}) << n;
    pull.close ();
    EXPECT_EQ (queue.next_name (), "stopped") << n;
    EXPECT_EQ (zlink_close (monitor), 0);
    return refused;
}

template <class End> void each_in_turn (End end)
{
    count_library_calls_only ();
    std::uint64_t n = 1;
    while (hears_of_the_end (n, end) && !testing::Test::HasFailure ())
        ++n;
}

TEST (endings, of_a_socket_are_told_without_memory)
{
    each_in_turn ([] (socket &of) { EXPECT_EQ (of.close (), 0); });
}

TEST (endings, of_a_monitor_are_told_without_memory)
{
    each_in_turn ([] (socket &of) { EXPECT_EQ (zlink_socket_monitor (of, nullptr, 0), 0); });
}

}  // namespace
}  // namespace zlink::test

// Greetings that there is no memory for: they are counted and told, or they
// arrive. Each request for memory of a connect is refused in turn.
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "failures/faults.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

std::atomic<int> warned{0};

void note_drops (int, const char *text, const char *, void *)
{
    warned += std::strstr (text, "messages given up") != nullptr;
}

// Too large for memory that somebody has given back.
const std::string greeting = pattern (2'000'000);

std::uint64_t dropped_for_memory (const socket &of)
{
    zlink_counters_t row{};
    std::size_t count = 1;
    EXPECT_EQ (zlink_counters (of, &row, sizeof row, &count), 0);
    return row.dropped_no_memory;
}

// Whether the greeting arrives, if the n-th request is refused; nothing when
// there were not so many.
std::optional<bool> greets (std::uint64_t n)
{
    context own;
    socket router (own, ZMQ_ROUTER);
    socket dealer (own, ZMQ_DEALER);
    EXPECT_EQ (zmq_setsockopt (dealer, ZMQ_HELLO_MSG, greeting.data (), greeting.size ()), 0);
    router.bind ("inproc://greetings");
    warned = 0;
    start_faults ({resource::memory, n, 1});
    bool connected = false;
    {
        const library_call here;
        connected = zmq_connect (dealer, "inproc://greetings") == 0;
    }
    const bool refused = faults_so_far () > 0;
    (void)stop_faults ();
    if (!refused)
        return std::nullopt;
    if (!connected) {
        EXPECT_EQ (errno, ENOMEM) << n;
        EXPECT_FALSE (router.receive (ZMQ_DONTWAIT)) << n;
        EXPECT_EQ (zmq_connect (dealer, "inproc://greetings"), 0);
        return router.receive_message ().size () == 2;
    }
    EXPECT_TRUE (dealer.has_peers () && router.has_peers ()) << n;
    const bool arrived = router.receive_message (ZMQ_DONTWAIT).size () == 2;
    EXPECT_EQ (dropped_for_memory (dealer), arrived ? 0u : 1u) << n;
    EXPECT_EQ (warned.load (), arrived ? 0 : 1) << n;
    return arrived;
}

TEST (greetings, that_have_no_memory_are_counted_and_told)
{
    count_library_calls_only ();
    ASSERT_EQ (zlink_set_log (note_drops, nullptr), 0);
    int lost = 0;
    std::uint64_t n = 1;
    for (std::optional<bool> arrived = greets (n); arrived; arrived = greets (++n))
        lost += !*arrived;
    EXPECT_GT (n, 3u);
    EXPECT_GE (lost, 1);
    (void)zlink_set_log (nullptr, nullptr);
}

}  // namespace
}  // namespace zlink::test

// An XPUB that hears of its subscribers while requests for memory are refused: it hears of all
// of them, once there is memory again.
#include <string>

#include "failures/faults.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

// Too long to stand inside a message.
const std::string first_topic (100, 'a'), second_topic (100, 'b');

// Whether the n-th request was there to be refused.
bool hears (std::uint64_t n)
{
    context own;
    socket publisher (own, ZMQ_XPUB), subscriber (own, ZMQ_SUB);
    publisher.bind ("inproc://notices");
    for (const std::string &each : {first_topic, second_topic})
        EXPECT_EQ (zmq_setsockopt (subscriber, ZMQ_SUBSCRIBE, each.data (), each.size ()), 0);
    std::string got (1 + first_topic.size (), '-');
    start_faults ({resource::memory, n, 1});
    bool connected = false;
    int size = -1;
    {
        const library_call here;
        connected = zmq_connect (subscriber, "inproc://notices") == 0;
        size = zmq_recv (publisher, got.data (), got.size (), ZMQ_DONTWAIT);
    }
    const bool refused = faults_so_far () > 0;
    (void)stop_faults ();
    if (!connected)
        subscriber.connect ("inproc://notices");
    if (size < 0)
        got = publisher.receive ().value_or ("nothing");
    EXPECT_EQ (got, '\1' + first_topic) << n;
    EXPECT_EQ (publisher.receive ().value_or ("nothing"), '\1' + second_topic) << n;
    return refused;
}

TEST (notices, of_subscriptions_come_once_there_is_memory_again)
{
    count_library_calls_only ();
    std::uint64_t n = 1;
    while (hears (n) && !HasFailure ())
        ++n;
    EXPECT_GT (n, 3U);
}

}  // namespace
}  // namespace zlink::test

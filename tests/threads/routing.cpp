// One ROUTER and many threads: whole messages stay whole, and go to whom they
// are addressed, while peers come and go.
#include <map>

#include "threads/crowd.hpp"

namespace zlink::test {
namespace {

using routing = crowd;

INSTANTIATE_TEST_SUITE_P (over, routing, every_transport (), transport_name);

void name (socket &which, const std::string &text)
{
    ASSERT_EQ (zmq_setsockopt (which, ZMQ_ROUTING_ID, text.data (), text.size ()), 0);
}

// Four threads send and four receive on the ROUTER; every peer sends back what
// it gets.
TEST_P (routing, of_many_threads_reaches_the_right_peer)
{
    constexpr unsigned count = 4;
    constexpr unsigned each_sends = 600;
    socket router = open (ZMQ_ROUTER);
    router.set (ZMQ_ROUTER_MANDATORY, 1);
    const std::string where = router.bind (place ());
    std::vector<socket> peers;
    for (unsigned i = 0; i < count; ++i) {
        peers.push_back (open (ZMQ_DEALER));
        name (peers.back (), "peer " + std::to_string (i));
        peers.back ().connect (where);
    }
    ASSERT_TRUE (router.has_peers (count));
    std::vector<worker> all;
    for (unsigned i = 0; i < count; ++i)
        all.emplace_back ([&, i] {
            for (unsigned k = 0; k < each_sends; ++k) {
                const std::vector<std::string> got = peers[i].receive_message ();
                ASSERT_EQ (got.size (), 2u);
                ASSERT_EQ (got[0], "peer " + std::to_string (i));
                ASSERT_TRUE (peers[i].send (got));
            }
        });
    for (unsigned i = 0; i < count; ++i)
        all.emplace_back ([&, i] {
            for (unsigned k = 0; k < each_sends; ++k) {
                const std::string to = "peer " + std::to_string ((i + k) % count);
                parts_of<3> message;
                message.set (0, to);
                message.set (1, to);
                message.set (2, pattern (k % 7 == 0 ? 3000 : 20, k));
                ASSERT_EQ (zlink_sendv (router, message.data (), 3, 0), 3) << zmq_strerror (errno);
            }
        });
    std::atomic<unsigned> back{0};
    for (unsigned i = 0; i < count; ++i)
        all.emplace_back ([&] {
            for (unsigned k = 0; k < each_sends; ++k) {
                parts_of<3> message;
                std::size_t parts = 3;
                ASSERT_EQ (zlink_recvv (router, message.data (), &parts, 0), 3) << zmq_strerror (errno);
                ASSERT_EQ (message.text (0), message.text (1));
                ++back;
            }
        });
    all.clear ();
    EXPECT_EQ (back, count * each_sends);
}

// Peers leave and come back under their names while a thread sends to them.
TEST_P (routing, bears_peers_that_come_and_go)
{
    socket router = open (ZMQ_ROUTER);
    router.set (ZMQ_ROUTER_HANDOVER, 1);
    router.set (ZMQ_ROUTER_NOTIFY, 3);
    const std::string where = router.bind (place ());
    std::atomic<bool> stop{false};
    std::vector<worker> all;
    for (unsigned i = 0; i < 3; ++i)
        all.emplace_back ([&, i] {
            for (unsigned round = 0; round < 25; ++round) {
                socket peer = open (ZMQ_DEALER);
                name (peer, std::to_string (i));
                peer.connect (where);
                ASSERT_TRUE (peer.send ("here"));
                ASSERT_TRUE (peer.receive ());
            }
        });
    worker reader ([&] {
        router.set (ZMQ_RCVTIMEO, 5);
        while (!stop)
            (void)router.receive_message ();
    });
    worker sender ([&] {
        for (unsigned k = 0; !stop; ++k) {
            parts_of<2> message;
            message.set (0, std::to_string (k % 3));
            message.set (1, "to you");
            EXPECT_EQ (zlink_sendv (router, message.data (), 2, 0), 2);
            std::this_thread::yield ();
        }
    });
    all.clear ();
    stop = true;
}

TEST_P (routing, of_requests_by_many_threads)
{
    constexpr unsigned count = 4;
    constexpr unsigned each_asks = 300;
    socket rep = open (ZMQ_REP);
    const std::string where = rep.bind (place ());
    worker server ([&] {
        for (unsigned i = 0; i < count * each_asks; ++i) {
            const auto question = rep.receive ();
            ASSERT_TRUE (question);
            ASSERT_TRUE (rep.send ("re " + *question));
        }
    });
    std::vector<worker> all;
    for (unsigned i = 0; i < count; ++i)
        all.emplace_back ([&, i] {
            socket req = open (ZMQ_REQ);
            req.connect (where);
            for (unsigned k = 0; k < each_asks; ++k) {
                const std::string text = std::to_string (i) + ":" + std::to_string (k);
                ASSERT_TRUE (req.send (text));
                ASSERT_EQ (req.receive (), "re " + text);
            }
        });
}

}  // namespace
}  // namespace zlink::test

// One STREAM and many threads: packets stay whole, and go to whom they are
// addressed, while plain sockets come, go and are closed.
#include "support/raw_peer.hpp"
#include "threads/crowd.hpp"

namespace zlink::test {
namespace {

using streaming = crowd;

INSTANTIATE_TEST_SUITE_P (over, streaming, every_stream_transport (), transport_name);

std::string packet (const std::string &body) { return big_endian (body.size (), 4) + body; }

// Every peer sends back what it gets, which begins with its own number.
TEST_P (streaming, of_many_threads_reaches_the_right_peer)
{
    constexpr unsigned count = 4;
    constexpr unsigned each_sends = 500;
    socket server = open (ZMQ_STREAM);
    server.set (ZLINK_STREAM_RAW, 0);
    const std::string where = server.bind (place ());
    std::vector<raw_peer> peers;
    std::vector<std::string> names;
    for (unsigned i = 0; i < count; ++i) {
        peers.push_back (raw_peer::connect_to (where));
        names.push_back (server.receive_message ().at (0));
    }
    std::vector<worker> all;
    for (unsigned i = 0; i < count; ++i)
        all.emplace_back ([&, i] {
            for (unsigned k = 0; k < each_sends; ++k) {
                const std::string head = peers[i].read_exactly (4);
                ASSERT_EQ (head.size (), 4u);
                const std::size_t size =
                  static_cast<unsigned char> (head[2]) * 256u + static_cast<unsigned char> (head[3]);
                const std::string body = peers[i].read_exactly (size);
                ASSERT_EQ (body.substr (0, 1), std::to_string (i));
                ASSERT_TRUE (peers[i].send (head + body));
            }
        });
    for (unsigned i = 0; i < count; ++i)
        all.emplace_back ([&, i] {
            for (unsigned k = 0; k < each_sends; ++k) {
                const unsigned to = (i + k) % count;
                parts_of<2> message;
                message.set (0, names[to]);
                message.set (1, std::to_string (to) + pattern (k % 7 == 0 ? 3000 : 20, k));
                ASSERT_EQ (zlink_sendv (server, message.data (), 2, 0), 2) << zmq_strerror (errno);
            }
        });
    std::atomic<unsigned> back{0};
    for (unsigned i = 0; i < count; ++i)
        all.emplace_back ([&] {
            for (unsigned k = 0; k < each_sends; ++k) {
                parts_of<2> message;
                std::size_t parts = 2;
                ASSERT_EQ (zlink_recvv (server, message.data (), &parts, 0), 2) << zmq_strerror (errno);
                const auto from = static_cast<std::size_t> (message.text (1).at (0) - '0');
                ASSERT_LT (from, names.size ());
                ASSERT_EQ (message.text (0), names[from]);
                ++back;
            }
        });
    all.clear ();
    EXPECT_EQ (back, count * each_sends);
}

// Half of the peers leave, the others are closed; somebody sends all the while.
TEST_P (streaming, bears_peers_that_come_and_go)
{
    constexpr unsigned rounds = 25;
    socket server = open (ZMQ_STREAM);
    server.set (ZLINK_STREAM_RAW, 0);
    const std::string where = server.bind (place ());
    std::atomic<bool> stop{false};
    std::vector<worker> all;
    for (unsigned i = 0; i < 3; ++i)
        all.emplace_back ([&, i] {
            for (unsigned round = 0; round < rounds; ++round) {
                const raw_peer peer = raw_peer::connect_to (where);
                const bool stays = (i + round) % 2 == 0;
                ASSERT_TRUE (peer.send (packet (stays ? "stay" : "go")));
                ASSERT_EQ (peer.read_exactly (4).size (), 4u);
                if (stays) {
                    ASSERT_TRUE (peer.sees_end ());
                }
            }
        });
    worker reader ([&] {
        server.set (ZMQ_RCVTIMEO, 5);
        while (!stop) {
            parts_of<2> message;
            std::size_t parts = 2;
            if (zlink_recvv (server, message.data (), &parts, 0) != 2
                || zlink_msg_get (&message.all[1], ZLINK_MSG_EVENT) != 0)
                continue;
            const std::string name = message.text (0);
            const bool stays = message.text (1) == "stay";
            for (const std::string &body : {std::string ("yes"), std::string (1, '\0')}) {
                if (body.size () == 1 && !stays)
                    break;
                parts_of<2> answer;
                answer.set (0, name);
                answer.set (1, body);
                if (zlink_sendv (server, answer.data (), 2, 0) != 2) {
                    EXPECT_EQ (errno, EHOSTUNREACH);
                }
            }
        }
    });
    worker sender ([&] {
        while (!stop) {
            std::array<char, 255> last{};
            std::size_t size = last.size ();
            EXPECT_EQ (zmq_getsockopt (server, ZMQ_ROUTING_ID, last.data (), &size), 0);
            parts_of<2> message;
            message.set (0, {last.data (), size});
            message.set (1, "to you");
            if (zlink_sendv (server, message.data (), 2, 0) != 2) {
                EXPECT_EQ (errno, EHOSTUNREACH);
            }
            std::this_thread::yield ();
        }
    });
    all.clear ();
    stop = true;
}

}  // namespace
}  // namespace zlink::test

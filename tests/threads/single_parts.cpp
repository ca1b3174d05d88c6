// The types whose messages have one part, shared by many threads; and datagrams,
// whose ports come and go under them.
#include <atomic>

#include "threads/crowd.hpp"

namespace zlink::test {
namespace {

using single_parts = crowd;

INSTANTIATE_TEST_SUITE_P (over, single_parts, every_transport (), transport_name);

// Every client hears its own words again, whichever thread of the server's
// answers.
TEST_P (single_parts, of_many_threads_reach_the_right_client)
{
    constexpr unsigned count = 4;
    constexpr unsigned each_asks = 400;
    socket server = open (ZMQ_SERVER);
    const std::string where = server.bind (place ());
    std::vector<socket> clients;
    for (unsigned i = 0; i < count; ++i) {
        clients.push_back (open (ZMQ_CLIENT));
        clients.back ().connect (where);
    }
    std::vector<worker> all;
    std::atomic<unsigned> answered{0};
    for (unsigned i = 0; i < count; ++i)
        all.emplace_back ([&] {
            for (unsigned k = 0; k < each_asks; ++k) {
                const auto question = server.receive_from ();
                ASSERT_TRUE (question);
                ASSERT_TRUE (server.send_to (question->first, question->second));
                ++answered;
            }
        });
    for (unsigned i = 0; i < count; ++i)
        all.emplace_back ([&, i] {
            for (unsigned k = 0; k < each_asks; ++k) {
                const std::string text =
                  std::to_string (i) + ":" + pattern (k % 7 == 0 ? 3000 : 20, i * each_asks + k);
                ASSERT_TRUE (clients[i].send (text));
                ASSERT_EQ (clients[i].receive (), text);
            }
        });
    all.clear ();
    EXPECT_EQ (answered, count * each_asks);
}

TEST_P (single_parts, are_scattered_and_gathered_once_each)
{
    constexpr unsigned count = 3;
    constexpr unsigned each_sends = 2000;
    socket gather = open (ZMQ_GATHER);
    socket scatter = open (ZMQ_SCATTER);
    scatter.connect (gather.bind (place ()));
    std::vector<std::atomic<unsigned>> came (count * each_sends);
    std::vector<worker> all;
    for (unsigned i = 0; i < count; ++i) {
        all.emplace_back ([&, i] {
            for (unsigned k = 0; k < each_sends; ++k)
                ASSERT_TRUE (scatter.send (std::to_string (i * each_sends + k)));
        });
        all.emplace_back ([&] {
            for (unsigned k = 0; k < each_sends; ++k) {
                const auto text = gather.receive ();
                ASSERT_TRUE (text);
                ++came[std::stoul (*text)];
            }
        });
    }
    all.clear ();
    for (const auto &each : came)
        EXPECT_EQ (each, 1u);
}

TEST_P (single_parts, go_both_ways_through_a_channel_and_between_peers)
{
    constexpr unsigned each_sends = 1000;
    for (const int type : {ZMQ_CHANNEL, ZMQ_PEER}) {
        socket one = open (type);
        socket two = open (type);
        const std::string where = one.bind (place ());
        std::uint32_t number = 0;
        if (type == ZMQ_PEER)
            number = zmq_connect_peer (two, where.c_str ());
        else
            two.connect (where);
        const auto say = [number] (socket &by, std::uint32_t to, const std::string &text) {
            return number != 0 ? by.send_to (to, text) : by.send (text);
        };
        ASSERT_TRUE (say (two, number, "hello"));
        const auto hello = one.receive_from ();
        ASSERT_TRUE (hello);
        std::vector<worker> all;
        for (unsigned i = 0; i < 2; ++i) {
            all.emplace_back ([&] {
                for (unsigned k = 0; k < each_sends; ++k)
                    ASSERT_TRUE (say (two, number, std::to_string (k)));
            });
            all.emplace_back ([&] {
                for (unsigned k = 0; k < each_sends; ++k)
                    ASSERT_TRUE (say (one, hello->first, std::to_string (k)));
            });
            for (socket *each : {&one, &two})
                all.emplace_back ([each] {
                    for (unsigned k = 0; k < each_sends; ++k)
                        ASSERT_TRUE (each->receive ());
                });
        }
    }
}

// Dishes join and leave beside traffic, and one of them comes and goes; who has
// joined a group all the time hears all of it.
TEST_P (single_parts, of_groups_reach_who_stays)
{
    constexpr unsigned count = 3;
    constexpr unsigned each_sends = 1500;
    socket radio = open (ZMQ_RADIO);
    radio.set (ZMQ_XPUB_NODROP, 1);
    const std::string where = radio.bind (place ());
    socket stays = open (ZMQ_DISH);
    ASSERT_EQ (zmq_join (stays, "always"), 0);
    stays.connect (where);
    ASSERT_EQ (zlink_wait_subscribed (stays, 1, watchdog_ms), 0);
    std::atomic<bool> stop{false};
    std::vector<worker> others;
    others.emplace_back ([&] {
        while (!stop) {
            socket guest = open (ZMQ_DISH);
            guest.set (ZMQ_RCVTIMEO, 0);
            ASSERT_EQ (zmq_join (guest, "always"), 0);
            guest.connect (where);
            (void)guest.receive ();
        }
    });
    others.emplace_back ([&] {
        while (!stop) {
            ASSERT_EQ (zmq_join (stays, "sometimes"), 0);
            ASSERT_EQ (zmq_leave (stays, "sometimes"), 0);
        }
    });
    std::vector<worker> all;
    for (unsigned i = 0; i < count; ++i)
        all.emplace_back ([&] {
            for (unsigned k = 0; k < each_sends; ++k) {
                ASSERT_TRUE (radio.send_in ("always", "for it"));
                ASSERT_TRUE (radio.send_in ("sometimes", "perhaps"));
            }
        });
    for (unsigned heard = 0; heard < count * each_sends;) {
        const auto next = stays.receive_in ();
        ASSERT_TRUE (next);
        heard += next->first == "always";
    }
    all.clear ();
    stop = true;
}

// Of datagrams nothing is promised but that nobody is held up or lost with them.
TEST (datagram_crowd, ports_come_and_go_under_many_threads)
{
    context own;
    socket anchor (own, ZMQ_DISH);
    ASSERT_EQ (zmq_join (anchor, "g"), 0);
    const std::string where = anchor.bind ("udp://127.0.0.1:*");
    socket radio (own, ZMQ_RADIO);
    radio.connect (where);
    std::atomic<bool> stop{false};
    std::atomic<unsigned> heard{0};
    std::vector<worker> all;
    for (int i = 0; i < 2; ++i) {
        all.emplace_back ([&] {
            while (!stop)
                ASSERT_TRUE (radio.send_in ("g", pattern (100)));
        });
        all.emplace_back ([&] {
            while (!stop)
                heard += anchor.receive (ZMQ_DONTWAIT).has_value ();
        });
    }
    all.emplace_back ([&] {
        while (!stop) {
            radio.connect ("udp://127.0.0.1:9");
            radio.disconnect ("udp://127.0.0.1:9");
        }
    });
    for (int round = 0; round < 100; ++round) {
        socket dgram (own, ZMQ_DGRAM);
        dgram.set (ZMQ_RCVTIMEO, 0);
        const std::string other = dgram.bind ("udp://127.0.0.1:*");
        const std::string to = where.substr (6);
        ASSERT_TRUE (dgram.send (std::vector<std::string>{to, std::string ("\1gfrom dgram")}));
        radio.connect (other);
        (void)dgram.receive ();
        if (round % 2 == 0)
            dgram.unbind (other);
        radio.disconnect (other);
    }
    EXPECT_TRUE (eventually ([&] { return heard > 100; }));
    stop = true;
}

}  // namespace
}  // namespace zlink::test

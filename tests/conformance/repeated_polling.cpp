// zmq_poll with the same items again and again, as loops call it, and what may
// change between two calls.
#include <array>

#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

struct repeated_polling : conformance
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    socket quiet = open (ZMQ_PULL);
    std::vector<zmq_pollitem_t> items{{quiet, 0, ZMQ_POLLIN, 0}, {pull, 0, ZMQ_POLLIN, 0}};

    std::array<socket, 4> others{open (ZMQ_PULL), open (ZMQ_PULL), open (ZMQ_PULL), open (ZMQ_PULL)};

    // For the items and for others, which are never ready: few items are not kept.
    int poll (long timeout_ms = 0)
    {
        std::vector<zmq_pollitem_t> all = items;
        for (socket &each : others)
            all.push_back ({each, 0, ZMQ_POLLIN, 0});
        const int answer = zmq_poll (all.data (), static_cast<int> (all.size ()), timeout_ms);
        for (std::size_t at = 0; at < items.size (); ++at)
            items[at].revents = all[at].revents;
        return answer;
    }
    // So often that the items have become the usual ones.
    void settle ()
    {
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ (poll (), 0) << i;
    }
    [[nodiscard]] bool settled_pair ()
    {
        const bool joined = join (pull, push);
        settle ();
        return joined;
    }
};

TEST_F (repeated_polling, reports_what_stays_ready_every_time)
{
    ASSERT_TRUE (settled_pair ());
    ASSERT_TRUE (push.send ("one"));
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ (poll (watchdog_ms), 1) << i;
        EXPECT_EQ (items[0].revents, 0);
        EXPECT_EQ (items[1].revents, ZMQ_POLLIN);
    }
    EXPECT_EQ (pull.receive (ZMQ_DONTWAIT), "one");
    EXPECT_EQ (poll (), 0);
    EXPECT_EQ (items[1].revents, 0);
}

TEST_F (repeated_polling, misses_no_message)
{
    ASSERT_TRUE (settled_pair ());
    constexpr int count = 2000;
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (push.send (std::to_string (i)));
    });
    for (int i = 0; i < count; ++i) {
        ASSERT_EQ (poll (watchdog_ms), 1) << i;
        ASSERT_EQ (pull.receive (ZMQ_DONTWAIT), std::to_string (i));
    }
}

// Everything is taken before the next poll, or everything but one.
TEST_F (repeated_polling, misses_nothing_between_polls)
{
    ASSERT_TRUE (settled_pair ());
    for (int i = 0; i < 300; ++i) {
        for (int k = 0; k < 1 + i % 3; ++k)
            ASSERT_TRUE (push.send ("x"));
        for (int k = 0; k < 1 + i % 3; ++k) {
            if (k % 2 == 0) {
                ASSERT_EQ (poll (watchdog_ms), 1) << i;
            }
            ASSERT_TRUE (pull.receive ());
        }
        ASSERT_EQ (poll (), 0) << i;
    }
}

TEST_F (repeated_polling, a_ready_socket_hides_no_other)
{
    ASSERT_TRUE (settled_pair ());
    socket second = open (ZMQ_PUSH);
    ASSERT_TRUE (push.send ("stays"));
    ASSERT_EQ (poll (watchdog_ms), 1);
    ASSERT_EQ (poll (watchdog_ms), 1);
    ASSERT_TRUE (join (quiet, second));
    ASSERT_TRUE (second.send ("news"));
    EXPECT_TRUE (eventually ([&] { return poll () == 2; }));
    EXPECT_EQ (quiet.receive (ZMQ_DONTWAIT), "news");
    EXPECT_EQ (poll (), 1);
    EXPECT_EQ (items[1].revents, ZMQ_POLLIN);
}

TEST_F (repeated_polling, a_first_peer_comes_late)
{
    settle ();
    worker sender ([&] {
        push.connect (pull.bind (place ()));
        EXPECT_TRUE (push.send ("first"));
    });
    EXPECT_EQ (poll (watchdog_ms), 1);
    EXPECT_EQ (pull.receive (ZMQ_DONTWAIT), "first");
    sender.join ();
    ASSERT_TRUE (push.send ("second"));
    EXPECT_EQ (poll (watchdog_ms), 1);
}

TEST_F (repeated_polling, other_events_of_the_same_sockets)
{
    ASSERT_TRUE (join (pull, push));
    items = {{push, 0, ZMQ_POLLIN, 0}};
    settle ();
    items[0].events = ZMQ_POLLIN | ZMQ_POLLOUT;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ (poll (watchdog_ms), 1);
        EXPECT_EQ (items[0].revents, ZMQ_POLLOUT);
    }
    items[0].events = 0;
    settle ();
    items[0].events = ZMQ_POLLOUT;
    EXPECT_EQ (poll (watchdog_ms), 1);
}

TEST_F (repeated_polling, tells_of_room_again_and_again)
{
    push.set (ZMQ_SNDHWM, 2);
    pull.set (ZMQ_RCVHWM, 2);
    push.set (ZMQ_SNDBUF, 8192);
    pull.set (ZMQ_RCVBUF, 8192);
    ASSERT_TRUE (join (pull, push));
    const std::string text = pattern (5000);
    items = {{push, 0, ZMQ_POLLOUT, 0}};
    for (int round = 0; round < 5; ++round) {
        const int accepted = push.send_until_full (text, 100);
        settle ();
        worker reader ([&] {
            for (int i = 0; i < accepted; ++i)
                EXPECT_TRUE (pull.receive () == text);
        });
        EXPECT_EQ (poll (watchdog_ms), 1) << round;
        reader.join ();
    }
}

// Items that come and go, among them the same socket twice.
TEST_F (repeated_polling, the_array_changes_between_calls)
{
    ASSERT_TRUE (join (pull, push));
    const std::vector<std::vector<zmq_pollitem_t>> arrays{
      {{pull, 0, ZMQ_POLLIN, 0}},
      {{quiet, 0, ZMQ_POLLIN, 0}, {pull, 0, ZMQ_POLLIN, 0}},
      {{pull, 0, ZMQ_POLLIN, 0}, {quiet, 0, ZMQ_POLLIN, 0}, {pull, 0, ZMQ_POLLIN, 0}},
      {{pull, 0, ZMQ_POLLIN, 0}, {push, 0, ZMQ_POLLIN, 0}},
    };
    for (int round = 0; round < 60; ++round) {
        items = arrays[static_cast<std::size_t> (round) % arrays.size ()];
        const int calls = round / 4 % 4;
        for (int i = 0; i < calls; ++i)
            ASSERT_EQ (poll (), 0) << round;
        ASSERT_TRUE (push.send ("x"));
        const int wanted = items.size () == 3 ? 2 : 1;
        EXPECT_TRUE (eventually ([&] { return poll (watchdog_ms) == wanted; })) << round;
        for (const zmq_pollitem_t &each : items)
            EXPECT_EQ (each.revents, each.socket == static_cast<void *> (pull) ? ZMQ_POLLIN : 0);
        ASSERT_EQ (pull.receive (ZMQ_DONTWAIT), "x");
    }
}

TEST_F (repeated_polling, another_poll_in_between)
{
    ASSERT_TRUE (settled_pair ());
    zmq_pollitem_t room{push, 0, ZMQ_POLLOUT, 0};
    for (int i = 0; i < 50; ++i) {
        ASSERT_EQ (zmq_poll (&room, 1, watchdog_ms), 1);
        ASSERT_TRUE (push.send ("x"));
        ASSERT_EQ (poll (watchdog_ms), 1);
        ASSERT_EQ (pull.receive (ZMQ_DONTWAIT), "x");
        ASSERT_EQ (poll (), 0);
    }
}

TEST_F (repeated_polling, a_socket_was_closed_and_another_one_took_its_place)
{
    for (int round = 0; round < 20; ++round) {
        socket fresh = open (ZMQ_PULL);
        socket source = open (ZMQ_PUSH);
        items[1].socket = fresh;
        settle ();
        source.connect (fresh.bind (place ()));
        ASSERT_TRUE (source.send ("x"));
        ASSERT_EQ (poll (watchdog_ms), 1) << round;
        ASSERT_EQ (fresh.receive (ZMQ_DONTWAIT), "x");
        fresh.close ();
        ASSERT_EQ (poll (), -1);
        EXPECT_EQ (errno, ENOTSOCK);
    }
}

TEST_F (repeated_polling, a_closed_socket_is_told_of_every_time)
{
    ASSERT_TRUE (settled_pair ());
    ASSERT_TRUE (push.send ("x"));
    ASSERT_EQ (poll (watchdog_ms), 1);
    quiet.close ();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ (poll (), -1);
        EXPECT_EQ (errno, ENOTSOCK);
    }
    items.erase (items.begin ());
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ (poll (watchdog_ms), 1);
}

TEST_F (repeated_polling, the_end_of_the_context_ends_the_wait)
{
    ASSERT_TRUE (settled_pair ());
    worker ender ([&] { EXPECT_EQ (zmq_ctx_shutdown (own), 0); });
    EXPECT_EQ (poll (watchdog_ms), -1);
    EXPECT_EQ (errno, ETERM);
    ender.join ();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ (poll (), -1);
        EXPECT_EQ (errno, ETERM);
    }
}

TEST_F (repeated_polling, a_poller_that_is_waited_for_again)
{
    ASSERT_TRUE (join (pull, push));
    void *poller = zmq_poller_new ();
    ASSERT_EQ (zmq_poller_add (poller, quiet, nullptr, ZMQ_POLLIN), 0);
    ASSERT_EQ (zmq_poller_add (poller, pull, nullptr, ZMQ_POLLIN), 0);
    std::array<zmq_poller_event_t, 3> events{};
    const auto wait = [&] (long timeout_ms) {
        return zmq_poller_wait_all (poller, events.data (), 3, timeout_ms);
    };
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ (wait (0), -1);
        ASSERT_TRUE (push.send ("x"));
        ASSERT_EQ (wait (watchdog_ms), 1);
        ASSERT_EQ (wait (watchdog_ms), 1);
        ASSERT_EQ (pull.receive (ZMQ_DONTWAIT), "x");
    }
    ASSERT_EQ (zmq_poller_modify (poller, pull, 0), 0);
    ASSERT_TRUE (push.send ("x"));
    EXPECT_EQ (wait (20), -1);
    ASSERT_EQ (zmq_poller_modify (poller, pull, ZMQ_POLLIN), 0);
    EXPECT_EQ (wait (watchdog_ms), 1);
    ASSERT_EQ (zmq_poller_remove (poller, quiet), 0);
    EXPECT_EQ (wait (watchdog_ms), 1);
    EXPECT_EQ (zmq_poller_destroy (&poller), 0);
}

}  // namespace
}  // namespace zlink::test

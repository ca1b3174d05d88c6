// zmq_poll over sockets and descriptors, pollers, and the descriptor of a
// socket for other people's event loops.
#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

// Something for a poll beside sockets.
class signal_descriptor
{
  public:
    operator int () const { return bell_->descriptor (); }
    void raise () const { bell_->raise (); }
    void lower () const { bell_->lower (); }

  private:
    std::unique_ptr<surroundings::bell> bell_ = here ().make_bell ();
};

struct polling : conformance
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
};

TEST_F (polling, shows_what_sockets_are_ready_for)
{
    zmq_pollitem_t items[] = {{pull, 0, ZMQ_POLLIN | ZMQ_POLLOUT, 7}, {push, 0, ZMQ_POLLIN | ZMQ_POLLOUT, 7}};
    EXPECT_EQ (zmq_poll (items, 2, 0), 0);
    EXPECT_EQ (items[0].revents, 0);
    EXPECT_EQ (items[1].revents, 0);
    ASSERT_TRUE (join (pull, push));
    EXPECT_EQ (zmq_poll (items, 2, watchdog_ms), 1);
    EXPECT_EQ (items[0].revents, 0);
    EXPECT_EQ (items[1].revents, ZMQ_POLLOUT);
    ASSERT_TRUE (push.send ("x"));
    EXPECT_EQ (zmq_poll (items, 1, watchdog_ms), 1);
    EXPECT_EQ (items[0].revents, ZMQ_POLLIN);
    EXPECT_EQ (zmq_poll (items, 2, watchdog_ms), 2);
    EXPECT_EQ (pull.receive (ZMQ_DONTWAIT), "x");
    EXPECT_EQ (zmq_poll (items, 1, 0), 0);
}

TEST_F (polling, waits_at_least_as_long_as_said)
{
    ASSERT_TRUE (join (pull, push));
    zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
    EXPECT_GE (elapsed_ms ([&] { EXPECT_EQ (zmq_poll (&item, 1, 60), 0); }), 60);
    EXPECT_GE (elapsed_ms ([] { EXPECT_EQ (zmq_poll (nullptr, 0, 60), 0); }), 60);
}

TEST_F (polling, wakes_for_a_message)
{
    ASSERT_TRUE (join (pull, push));
    for (int i = 0; i < 300; ++i) {
        worker poller ([&] {
            zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
            EXPECT_EQ (zmq_poll (&item, 1, watchdog_ms), 1);
            EXPECT_EQ (pull.receive (ZMQ_DONTWAIT), "wake up");
        });
        ASSERT_TRUE (push.send ("wake up"));
    }
}

TEST_F (polling, wakes_for_room)
{
    push.set (ZMQ_SNDHWM, 2);
    pull.set (ZMQ_RCVHWM, 2);
    push.set (ZMQ_SNDBUF, 8192);
    pull.set (ZMQ_RCVBUF, 8192);
    ASSERT_TRUE (join (pull, push));
    const std::string text = pattern (5000);
    int accepted = push.send_until_full (text, 100);
    zmq_pollitem_t item{push, 0, ZMQ_POLLOUT, 0};
    EXPECT_EQ (zmq_poll (&item, 1, 0), 0);
    worker reader ([&] {
        for (int i = 0; i < accepted; ++i)
            EXPECT_TRUE (pull.receive () == text);
    });
    EXPECT_EQ (zmq_poll (&item, 1, watchdog_ms), 1);
    EXPECT_TRUE (push.send (text, ZMQ_DONTWAIT));
}

TEST_F (polling, wakes_for_a_first_peer)
{
    worker poller ([&] {
        zmq_pollitem_t item{push, 0, ZMQ_POLLOUT, 0};
        EXPECT_EQ (zmq_poll (&item, 1, watchdog_ms), 1);
    });
    ASSERT_TRUE (join (pull, push));
}

// A message is announced with its last part only.
TEST_F (polling, does_not_wake_for_half_a_message)
{
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send (pattern (100'000), ZMQ_SNDMORE));
    zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ (zmq_poll (&item, 1, 50), 0);
    ASSERT_TRUE (push.send ("end"));
    EXPECT_EQ (zmq_poll (&item, 1, watchdog_ms), 1);
}

TEST_F (polling, a_message_half_read_stays_ready)
{
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ (pull.receive (), "a");
    zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
    EXPECT_EQ (zmq_poll (&item, 1, 0), 1);
    EXPECT_EQ (pull.receive (ZMQ_DONTWAIT), "b");
    EXPECT_EQ (zmq_poll (&item, 1, 0), 0);
}

// Each of the two is ready in turn, alone and with the other.
TEST_F (polling, mixes_sockets_and_descriptors)
{
    ASSERT_TRUE (join (pull, push));
    const signal_descriptor bell;
    zmq_pollitem_t items[] = {
      {nullptr, bell, ZMQ_POLLIN, 0}, {pull, -1, ZMQ_POLLIN, 0}, {nullptr, bell, ZMQ_POLLOUT, 0}};
    EXPECT_EQ (zmq_poll (items, 2, 0), 0);
    EXPECT_EQ (zmq_poll (items, 3, watchdog_ms), 1);
    EXPECT_EQ (items[2].revents, ZMQ_POLLOUT);
    bell.raise ();
    EXPECT_EQ (zmq_poll (items, 2, watchdog_ms), 1);
    EXPECT_EQ (items[0].revents, ZMQ_POLLIN);
    EXPECT_EQ (items[1].revents, 0);
    ASSERT_TRUE (push.send ("x"));
    EXPECT_TRUE (eventually ([&] { return zmq_poll (items, 2, watchdog_ms) == 2; }));
    bell.lower ();
    EXPECT_EQ (zmq_poll (items, 2, watchdog_ms), 1);
    EXPECT_EQ (items[0].revents, 0);
    EXPECT_EQ (items[1].revents, ZMQ_POLLIN);
}

TEST_F (polling, sleeps_on_sockets_and_descriptors_together)
{
    ASSERT_TRUE (join (pull, push));
    const signal_descriptor bell;
    for (int i = 0; i < 200; ++i) {
        const bool by_bell = i % 2 == 0;
        worker poller ([&] {
            zmq_pollitem_t items[] = {{pull, 0, ZMQ_POLLIN, 0}, {nullptr, bell, ZMQ_POLLIN, 0}};
            EXPECT_EQ (zmq_poll (items, 2, watchdog_ms), 1);
            EXPECT_EQ (items[by_bell ? 1 : 0].revents, ZMQ_POLLIN);
        });
        if (by_bell)
            bell.raise ();
        else
            ASSERT_TRUE (push.send ("x"));
        poller.join ();
        bell.lower ();
        (void)pull.receive (ZMQ_DONTWAIT);
    }
}

TEST_F (polling, many_sockets_where_one_is_ready)
{
    const std::string where = push.bind (place ());
    std::vector<socket> pulls;
    std::vector<zmq_pollitem_t> items;
    for (int i = 0; i < 40; ++i) {
        pulls.push_back (open (ZMQ_PULL));
        pulls.back ().connect (where);
        items.push_back ({pulls.back (), 0, ZMQ_POLLIN, 0});
    }
    ASSERT_TRUE (push.has_peers (40));
    for (int i = 0; i < 80; ++i) {
        ASSERT_TRUE (push.send ("x"));
        ASSERT_EQ (zmq_poll (items.data (), static_cast<int> (items.size ()), watchdog_ms), 1) << i;
        for (zmq_pollitem_t &each : items)
            if (each.revents != 0) {
                char byte = 0;
                ASSERT_EQ (zmq_recv (each.socket, &byte, 1, ZMQ_DONTWAIT), 1);
            }
    }
}

TEST_F (polling, the_same_socket_twice)
{
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("x"));
    zmq_pollitem_t items[] = {{pull, 0, ZMQ_POLLIN, 0}, {pull, 0, ZMQ_POLLIN, 0}};
    // It must not arrive between the looks at the one and the other.
    ASSERT_EQ (zmq_poll (items, 1, watchdog_ms), 1);
    EXPECT_EQ (zmq_poll (items, 2, watchdog_ms), 2);
}

TEST_F (polling, two_threads_on_one_socket)
{
    ASSERT_TRUE (join (pull, push));
    constexpr int count = 2000;
    std::atomic<int> received{0};
    const auto take = [&] {
        while (received < count) {
            zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
            if (zmq_poll (&item, 1, 20) == 1 && pull.receive (ZMQ_DONTWAIT))
                ++received;
        }
    };
    worker first (take);
    worker second (take);
    for (int i = 0; i < count; ++i)
        ASSERT_TRUE (push.send ("x"));
}

TEST_F (polling, a_poller_takes_and_loses_members)
{
    ASSERT_TRUE (join (pull, push));
    const signal_descriptor bell;
    void *poller = zmq_poller_new ();
    int tag = 0;
    ASSERT_EQ (zmq_poller_add (poller, pull, &tag, ZMQ_POLLIN), 0);
    ASSERT_EQ (zmq_poller_add_fd (poller, bell, nullptr, ZMQ_POLLIN), 0);
    EXPECT_EQ (zmq_poller_size (poller), 2);
    zmq_poller_event_t event{};
    EXPECT_EQ (zmq_poller_wait (poller, &event, 0), -1);
    EXPECT_EQ (errno, EAGAIN);
    ASSERT_TRUE (push.send ("x"));
    ASSERT_EQ (zmq_poller_wait (poller, &event, watchdog_ms), 0);
    EXPECT_EQ (event.socket, static_cast<void *> (pull));
    EXPECT_EQ (event.user_data, &tag);
    bell.raise ();
    std::array<zmq_poller_event_t, 3> events{};
    EXPECT_EQ (zmq_poller_wait_all (poller, events.data (), 3, watchdog_ms), 2);
    ASSERT_EQ (zmq_poller_remove (poller, pull), 0);
    EXPECT_EQ (zmq_poller_wait_all (poller, events.data (), 3, watchdog_ms), 1);
    EXPECT_EQ (events[0].fd, static_cast<int> (bell));
    EXPECT_EQ (zmq_poller_destroy (&poller), 0);
}

// --- the descriptor of a poller ---------------------------------------------------

struct poller_descriptor : polling
{
    void SetUp () override
    {
        ASSERT_EQ (zmq_poller_add (poller, pull, nullptr, ZMQ_POLLIN), 0);
        if (!under_test ().nests_pollers) {
            EXPECT_EQ (zmq_poller_fd (poller, &handle), -1);
            EXPECT_EQ (errno, EINVAL);
            GTEST_SKIP () << "sets of descriptors do not nest here";
        }
        ASSERT_EQ (zmq_poller_fd (poller, &handle), 0);
    }
    void TearDown () override { EXPECT_EQ (zmq_poller_destroy (&poller), 0); }

    // How many members one look reports.
    [[nodiscard]] int look ()
    {
        const int found = zmq_poller_wait_all (poller, events.data (), 4, 0);
        EXPECT_TRUE (found > 0 || errno == EAGAIN);
        return std::max (found, 0);
    }
    [[nodiscard]] bool raised () const { return is_readable (handle); }
    [[nodiscard]] bool falls_silent ()
    {
        return eventually ([this] { return look () == 0 && !raised (); });
    }
    // Waits on the descriptor until a look reports something.
    [[nodiscard]] bool reports ()
    {
        while (look () == 0)
            if (!becomes_readable (handle))
                return false;
        return true;
    }

    void *poller = zmq_poller_new ();
    int handle = -1;
    std::array<zmq_poller_event_t, 4> events{};
};

TEST_F (poller_descriptor, is_readable_for_as_long_as_there_is_something)
{
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (falls_silent ());
    for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE (push.send ("x"));
        ASSERT_TRUE (reports ()) << i;
        EXPECT_EQ (events[0].socket, static_cast<void *> (pull));
        EXPECT_TRUE (raised ());
        EXPECT_EQ (look (), 1);
        EXPECT_TRUE (raised ());
        ASSERT_EQ (pull.receive (ZMQ_DONTWAIT), "x");
        ASSERT_TRUE (falls_silent ()) << i;
    }
}

// One look, one message, and back to the descriptor: nothing is lost.
TEST_F (poller_descriptor, one_message_for_each_look_never_stalls)
{
    ASSERT_TRUE (join (pull, push));
    constexpr int count = 3000;
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (push.send (std::to_string (i)));
    });
    for (int i = 0; i < count;) {
        ASSERT_TRUE (becomes_readable (handle)) << i;
        if (look () > 0) {
            ASSERT_EQ (pull.receive (ZMQ_DONTWAIT), std::to_string (i++));
        }
    }
}

// Somebody who does not know of the poller takes messages from the socket.
TEST_F (poller_descriptor, shares_the_socket_with_another_receiver)
{
    ASSERT_TRUE (join (pull, push));
    constexpr int count = 2000;
    std::atomic<int> received{0};
    worker thief ([&] {
        while (received < count)
            if (pull.receive (ZMQ_DONTWAIT))
                ++received;
            else
                here ().give_way ();
    });
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (push.send ("x"));
    });
    while (received < count)
        if (is_readable (handle, 20) && look () > 0 && pull.receive (ZMQ_DONTWAIT))
            ++received;
}

TEST_F (poller_descriptor, tells_of_room)
{
    push.set (ZMQ_SNDHWM, 2);
    pull.set (ZMQ_RCVHWM, 2);
    push.set (ZMQ_SNDBUF, 8192);
    pull.set (ZMQ_RCVBUF, 8192);
    ASSERT_TRUE (join (pull, push));
    ASSERT_EQ (zmq_poller_remove (poller, pull), 0);
    ASSERT_EQ (zmq_poller_add (poller, push, nullptr, ZMQ_POLLOUT), 0);
    const std::string text = pattern (5000);
    constexpr int count = 500;
    worker reader ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (pull.receive () == text);
    });
    for (int i = 0; i < count;) {
        if (push.send (text, ZMQ_DONTWAIT))
            ++i;
        else
            ASSERT_TRUE (reports ()) << i;
    }
}

TEST_F (poller_descriptor, knows_members_that_come_later_and_forgets_those_that_go)
{
    const signal_descriptor bell;
    ASSERT_TRUE (falls_silent ());
    ASSERT_EQ (zmq_poller_add_fd (poller, bell, nullptr, ZMQ_POLLIN), 0);
    ASSERT_TRUE (falls_silent ());
    bell.raise ();
    ASSERT_TRUE (reports ());
    EXPECT_EQ (events[0].fd, static_cast<int> (bell));
    ASSERT_EQ (zmq_poller_modify_fd (poller, bell, 0), 0);
    ASSERT_TRUE (falls_silent ());
    ASSERT_EQ (zmq_poller_modify_fd (poller, bell, ZMQ_POLLIN), 0);
    ASSERT_TRUE (reports ());
    ASSERT_EQ (zmq_poller_remove_fd (poller, bell), 0);
    ASSERT_TRUE (falls_silent ());

    // What was there before the interest in it.
    ASSERT_TRUE (join (pull, push));
    ASSERT_EQ (zmq_poller_modify (poller, pull, 0), 0);
    ASSERT_TRUE (push.send ("x"));
    ASSERT_TRUE (falls_silent ());
    ASSERT_EQ (zmq_poller_modify (poller, pull, ZMQ_POLLIN), 0);
    ASSERT_TRUE (reports ());
    ASSERT_EQ (zmq_poller_remove (poller, pull), 0);
    ASSERT_TRUE (falls_silent ());
    ASSERT_TRUE (push.send ("y"));
    ASSERT_EQ (zmq_poller_add (poller, pull, nullptr, ZMQ_POLLIN), 0);
    ASSERT_TRUE (reports ());
}

// Two pollers share a socket; each is told.
TEST_F (poller_descriptor, of_two_pollers)
{
    ASSERT_TRUE (join (pull, push));
    void *second = zmq_poller_new ();
    ASSERT_EQ (zmq_poller_add (second, pull, nullptr, ZMQ_POLLIN), 0);
    int second_handle = -1;
    ASSERT_EQ (zmq_poller_fd (second, &second_handle), 0);
    EXPECT_NE (handle, second_handle);
    zmq_poller_event_t event{};
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (falls_silent ());
        while (zmq_poller_wait (second, &event, 0) == 0) {}
        ASSERT_TRUE (push.send ("x"));
        ASSERT_TRUE (reports ()) << i;
        ASSERT_TRUE (becomes_readable (second_handle)) << i;
        EXPECT_EQ (zmq_poller_wait (second, &event, 0), 0) << i;
        ASSERT_EQ (pull.receive (ZMQ_DONTWAIT), "x");
    }
    EXPECT_EQ (zmq_poller_destroy (&second), 0);
}

// --- the descriptor ------------------------------------------------------------

struct descriptor : polling
{
};

TEST_F (descriptor, becomes_readable_when_events_may_have_changed)
{
    ASSERT_TRUE (join (pull, push));
    const int handle = pull.get (ZMQ_FD);
    EXPECT_EQ (handle, pull.get (ZMQ_FD));
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ (pull.get (ZMQ_EVENTS) & ZMQ_POLLIN, 0);
        ASSERT_TRUE (push.send ("x"));
        ASSERT_TRUE (
          eventually ([&] { return becomes_readable (handle) && (pull.get (ZMQ_EVENTS) & ZMQ_POLLIN); }));
        ASSERT_EQ (pull.receive (ZMQ_DONTWAIT), "x") << i;
    }
}

TEST_F (descriptor, asked_for_before_there_is_a_peer)
{
    const int handle = pull.get (ZMQ_FD);
    EXPECT_EQ (pull.get (ZMQ_EVENTS), 0);
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("x"));
    while ((pull.get (ZMQ_EVENTS) & ZMQ_POLLIN) == 0)
        ASSERT_TRUE (becomes_readable (handle));
    EXPECT_EQ (pull.receive (ZMQ_DONTWAIT), "x");
}

// The classic event loop: wait for the descriptor, look at EVENTS once, read
// one message, wait again. It must never lose an event.
TEST_F (descriptor, one_message_for_each_look_never_stalls)
{
    ASSERT_TRUE (join (pull, push));
    const int handle = pull.get (ZMQ_FD);
    constexpr int count = 3000;
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (push.send (std::to_string (i)));
    });
    for (int i = 0; i < count;) {
        ASSERT_TRUE (becomes_readable (handle)) << i;
        if ((pull.get (ZMQ_EVENTS) & ZMQ_POLLIN) != 0) {
            ASSERT_EQ (pull.receive (ZMQ_DONTWAIT), std::to_string (i));
            ++i;
        }
    }
}

// The loop for the edge-triggered rule: drain until EAGAIN.
TEST_F (descriptor, draining_until_eagain_never_stalls)
{
    ASSERT_TRUE (join (pull, push));
    const int handle = pull.get (ZMQ_FD);
    constexpr int count = 20'000;
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (push.send (std::to_string (i)));
    });
    for (int i = 0; i < count;) {
        ASSERT_TRUE (becomes_readable (handle)) << i;
        while ((pull.get (ZMQ_EVENTS) & ZMQ_POLLIN) != 0) {
            const auto got = pull.receive (ZMQ_DONTWAIT);
            if (!got)
                break;
            ASSERT_EQ (*got, std::to_string (i++));
        }
    }
}

TEST_F (descriptor, tells_of_room_too)
{
    push.set (ZMQ_SNDHWM, 2);
    pull.set (ZMQ_RCVHWM, 2);
    push.set (ZMQ_SNDBUF, 8192);
    pull.set (ZMQ_RCVBUF, 8192);
    ASSERT_TRUE (join (pull, push));
    const int handle = push.get (ZMQ_FD);
    const std::string text = pattern (5000);
    constexpr int count = 500;
    worker reader ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (pull.receive () == text);
    });
    for (int i = 0; i < count;) {
        if (push.send (text, ZMQ_DONTWAIT)) {
            ++i;
            continue;
        }
        while ((push.get (ZMQ_EVENTS) & ZMQ_POLLOUT) == 0)
            ASSERT_TRUE (becomes_readable (handle)) << i;
    }
}

// An event loop that has nothing to do does not spin.
TEST_F (descriptor, falls_silent_when_nothing_is_there)
{
    ASSERT_TRUE (join (pull, push));
    const int handle = pull.get (ZMQ_FD);
    ASSERT_TRUE (push.send ("x"));
    EXPECT_EQ (pull.receive (), "x");
    EXPECT_TRUE (eventually ([&] {
        (void)pull.get (ZMQ_EVENTS);
        return !is_readable (handle);
    }));
}

TEST_F (descriptor, of_both_ends_in_one_poll_loop)
{
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    ASSERT_TRUE (join (one, two));
    std::array<socket *, 2> ends = {&one, &two};
    ASSERT_TRUE (one.send ("0"));
    int hops = 0;
    while (hops < 2000) {
        const int handles[] = {one.get (ZMQ_FD), two.get (ZMQ_FD)};
        const unsigned ready = here ().readable (handles, watchdog_ms);
        ASSERT_NE (ready, 0u) << hops;
        for (std::size_t i = 0; i < 2; ++i)
            if ((ready >> i & 1) != 0)
                while ((ends[i]->get (ZMQ_EVENTS) & ZMQ_POLLIN) != 0) {
                    const auto got = ends[i]->receive (ZMQ_DONTWAIT);
                    ASSERT_TRUE (got);
                    ASSERT_EQ (*got, std::to_string (hops));
                    ASSERT_TRUE (ends[i]->send (std::to_string (++hops)));
                }
    }
}

}  // namespace
}  // namespace zlink::test

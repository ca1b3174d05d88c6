// Threads that poll for the same items again and again while others send,
// receive, close and end contexts, or while they end themselves.
#include <array>
#include <unistd.h>

#include "threads/crowd.hpp"

namespace zlink::test {
namespace {

class repeated : public crowd
{
  protected:
    // Three that send, each to one of three that hear.
    void open_links (std::vector<socket> &pulls, std::vector<socket> &pushes)
    {
        for (int i = 0; i < 3; ++i) {
            pulls.push_back (open (ZMQ_PULL));
            pushes.push_back (open (ZMQ_PUSH));
            pushes.back ().connect (pulls.back ().bind (place ()));
        }
    }
};

INSTANTIATE_TEST_SUITE_P (over, repeated, every_transport (), transport_name);

// Where a send that is over has arrived: a kernel takes its time.
class repeated_nearby : public crowd
{
};

INSTANTIATE_TEST_SUITE_P (over,
                          repeated_nearby,
                          testing::Values (crowd_transport{"inproc", inproc_place}),
                          transport_name);

std::vector<zmq_pollitem_t> readers (std::vector<socket> &pulls)
{
    std::vector<zmq_pollitem_t> items;
    for (socket &each : pulls)
        items.push_back ({each, 0, ZMQ_POLLIN, 0});
    return items;
}

// So many idle ones that a set is kept of them and any other.
std::vector<socket> idle_ones (void *of)
{
    std::vector<socket> all;
    for (int i = 0; i < 4; ++i)
        all.emplace_back (of, ZMQ_PULL);
    return all;
}

void add (std::vector<zmq_pollitem_t> &items, std::vector<socket> &others)
{
    for (const zmq_pollitem_t &each : readers (others))
        items.push_back (each);
}

int poll (std::vector<zmq_pollitem_t> &items, long timeout_ms)
{
    return zmq_poll (items.data (), static_cast<int> (items.size ()), timeout_ms);
}

// One message of each that is ready; how many those were.
int receive_ready (const std::vector<zmq_pollitem_t> &items)
{
    int received = 0;
    for (const zmq_pollitem_t &each : items) {
        char room[16];
        received += each.revents != 0 && zmq_recv (each.socket, room, sizeof room, ZMQ_DONTWAIT) >= 0 ? 1 : 0;
    }
    return received;
}

// Several threads, each with the same sockets in its set, several senders:
// everything arrives once.
TEST_P (repeated, polls_of_the_same_sockets_miss_nothing)
{
    constexpr int count = 4'000;
    std::vector<socket> pulls;
    std::vector<std::string> places;
    for (int i = 0; i < 5; ++i) {
        pulls.push_back (open (ZMQ_PULL));
        places.push_back (pulls.back ().bind (place ()));
    }
    std::atomic<int> received{0};
    std::vector<worker> all;
    for (int i = 0; i < 3; ++i)
        all.emplace_back ([&] {
            std::vector<zmq_pollitem_t> items = readers (pulls);
            while (received < 2 * count) {
                ASSERT_GE (poll (items, 10), 0);
                received += receive_ready (items);
            }
        });
    for (int i = 0; i < 2; ++i)
        all.emplace_back ([&] {
            std::vector<socket> pushes;
            for (const std::string &each : places) {
                pushes.push_back (open (ZMQ_PUSH));
                pushes.back ().connect (each);
            }
            for (int k = 0; k < count; ++k)
                ASSERT_TRUE (pushes[static_cast<std::size_t> (k) % pushes.size ()].send ("x"));
            EXPECT_TRUE (eventually ([&] { return received >= 2 * count; }));
        });
    all.clear ();
    EXPECT_EQ (received, 2 * count);
}

// One message at a time: whoever misses a wake sleeps for ever.
TEST_P (repeated, a_poll_without_limit_wakes_for_every_message)
{
    constexpr int count = 3'000;
    std::vector<socket> pulls;
    std::vector<socket> pushes;
    open_links (pulls, pushes);
    std::atomic<int> received{0};
    worker reader ([&] {
        std::vector<zmq_pollitem_t> items = readers (pulls);
        while (received < count) {
            ASSERT_EQ (poll (items, watchdog_ms), 1);
            received += receive_ready (items);
        }
    });
    for (int i = 0; i < count; ++i) {
        ASSERT_TRUE (pushes[static_cast<std::size_t> (i) % pushes.size ()].send ("x"));
        ASSERT_TRUE (eventually ([&] { return received > i; })) << i;
    }
}

TEST_P (repeated, another_thread_closes_a_socket_of_the_set)
{
    for (int round = 0; round < 60; ++round) {
        std::vector<socket> pulls;
        std::vector<socket> pushes;
        open_links (pulls, pushes);
        std::atomic<int> polls{0};
        worker poller ([&, items = readers (pulls)] () mutable {
            while (poll (items, watchdog_ms) >= 0)
                ++polls;
            EXPECT_EQ (errno, ENOTSOCK);
            EXPECT_EQ (poll (items, watchdog_ms), -1);
            EXPECT_EQ (errno, ENOTSOCK);
            items.pop_back ();
            for (int i = 0; i < 3; ++i)
                EXPECT_GE (poll (items, 0), 0);
        });
        if (round % 2 == 0) {
            ASSERT_TRUE (pushes[0].send ("stays ready"));
            ASSERT_TRUE (eventually ([&] { return polls > 3; }));
        }
        pulls.back ().close ();
        poller.join ();
    }
}

// The next socket may have the handle of the one that was closed while it was
// ready: nothing of that one is reported of it.
TEST_P (repeated, a_handle_comes_to_another_socket)
{
    std::vector<socket> idle = idle_ones (own);
    for (int round = 0; round < 60; ++round) {
        socket push = open (ZMQ_PUSH);
        std::vector<socket> pulls;
        pulls.push_back (open (ZMQ_PULL));
        push.connect (pulls[0].bind (place ()));
        std::vector<zmq_pollitem_t> items = readers (pulls);
        add (items, idle);
        ASSERT_EQ (poll (items, 0), 0);
        ASSERT_TRUE (push.send ("x"));
        for (int i = 0; i < 3; ++i)
            ASSERT_EQ (poll (items, watchdog_ms), 1);
        worker ([&] {
            pulls.clear ();
            pulls.push_back (open (ZMQ_PULL));
        }).join ();
        const int found = poll (items, 0);
        EXPECT_TRUE (found == 0 || (found == -1 && errno == ENOTSOCK)) << found;
        items = readers (pulls);
        add (items, idle);
        EXPECT_EQ (poll (items, 0), 0);
        socket next = open (ZMQ_PUSH);
        next.connect (pulls[0].bind (place ()));
        ASSERT_TRUE (next.send ("y"));
        EXPECT_EQ (poll (items, watchdog_ms), 1);
        EXPECT_EQ (pulls[0].receive (ZMQ_DONTWAIT), "y");
    }
}

// Descriptors beside sockets, one of them twice, and items that change.
TEST_P (repeated, descriptors_and_changing_items_wake_a_poll)
{
    std::array<int, 2> ends{};
    ASSERT_EQ (::pipe (ends.data ()), 0);
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    push.connect (pull.bind (place ()));
    std::vector<zmq_pollitem_t> items{
      {pull, 0, ZMQ_POLLIN, 0}, {nullptr, ends[0], ZMQ_POLLIN, 0}, {pull, 0, ZMQ_POLLIN, 0}};
    for (int round = 0; round < 200; ++round) {
        items.resize (round / 8 % 2 == 0 ? 3 : 2, {pull, 0, ZMQ_POLLIN, 0});
        ASSERT_EQ (poll (items, 0), 0);
        const bool by_pipe = round % 2 == 0;
        worker other ([&] {
            if (by_pipe)
                EXPECT_EQ (::write (ends[1], "x", 1), 1);
            else
                EXPECT_TRUE (push.send ("x"));
        });
        const int found = poll (items, watchdog_ms);
        other.join ();
        char octet = 0;
        EXPECT_EQ (found, by_pipe ? 1 : static_cast<int> (items.size ()) - 1) << round;
        EXPECT_EQ (items[1].revents, by_pipe ? ZMQ_POLLIN : 0);
        EXPECT_EQ (items[0].revents, by_pipe ? 0 : ZMQ_POLLIN);
        if (by_pipe)
            ASSERT_EQ (::read (ends[0], &octet, 1), 1);
        else
            ASSERT_EQ (pull.receive (ZMQ_DONTWAIT), "x");
    }
    ::close (ends[0]);
    ::close (ends[1]);
}

// A poll that does not wait sees what was sent before it, whoever else sends.
TEST_P (repeated_nearby, what_was_sent_before_is_seen_at_once)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    socket noisy = open (ZMQ_PUSH);
    noisy.connect (where);
    socket mine = open (ZMQ_PUSH);
    mine.connect (where);
    constexpr int count = 20'000;
    worker other ([&] {
        for (int i = 0; i < count; ++i)
            ASSERT_TRUE (noisy.send ("x"));
    });
    std::vector<socket> idle = idle_ones (own);
    std::vector<zmq_pollitem_t> items{{pull, 0, ZMQ_POLLIN, 0}};
    add (items, idle);
    int received = 0;
    for (int i = 0; i < count; ++i) {
        ASSERT_TRUE (mine.send ("x"));
        ASSERT_EQ (poll (items, 0), 1) << i;
        while (pull.receive (ZMQ_DONTWAIT))
            ++received;
        ASSERT_GE (poll (items, 0), 0);
    }
    while (received < 2 * count) {
        ASSERT_EQ (poll (items, watchdog_ms), 1);
        while (pull.receive (ZMQ_DONTWAIT))
            ++received;
    }
}

// What the thread has kept ends with it; the sockets live on.
TEST_P (repeated, threads_end_and_leave_their_sockets)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    push.connect (pull.bind (place ()));
    for (int round = 0; round < 100; ++round) {
        worker ([&] {
            zmq_pollitem_t items[] = {{pull, 0, ZMQ_POLLIN, 0}, {push, 0, ZMQ_POLLIN, 0}};
            for (int i = 0; i < 4; ++i)
                EXPECT_EQ (zmq_poll (items, 2, 0), 0);
        }).join ();
        ASSERT_TRUE (push.send ("x"));
        ASSERT_EQ (pull.receive (), "x");
    }
}

TEST_P (repeated, contexts_end_before_threads_that_polled)
{
    std::atomic<int> polled{0};
    std::atomic<bool> ended{false};
    std::vector<worker> all;
    {
        context mine;
        socket pull (mine, ZMQ_PULL);
        pull.bind (place ());
        for (int i = 0; i < 3; ++i)
            all.emplace_back ([&, handle = static_cast<void *> (pull)] {
                zmq_pollitem_t item{handle, 0, ZMQ_POLLIN, 0};
                for (int k = 0; k < 5; ++k)
                    EXPECT_EQ (zmq_poll (&item, 1, 0), 0);
                ++polled;
                EXPECT_TRUE (eventually ([&] { return ended.load (); }));
                EXPECT_EQ (zmq_poll (&item, 1, 0), -1);
                EXPECT_EQ (errno, ENOTSOCK);
            });
        ASSERT_TRUE (eventually ([&] { return polled == 3; }));
    }
    ended = true;
    all.clear ();
}

TEST_P (repeated, a_context_ends_under_repeated_polls)
{
    for (int round = 0; round < 40; ++round) {
        context mine;
        void *const handle = mine;
        std::atomic<int> opened{0};
        std::atomic<int> polls{0};
        std::vector<worker> all;
        for (int i = 0; i < 2; ++i)
            all.emplace_back ([&, i] {
                socket pull (handle, ZMQ_PULL);
                pull.bind (place ());
                ++opened;
                zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
                while (zmq_poll (&item, 1, i == 0 ? 0 : polls < 5 ? 1 : -1) >= 0)
                    ++polls;
                EXPECT_EQ (errno, ETERM);
            });
        ASSERT_TRUE (eventually ([&] { return opened == 2 && polls > 10; }));
        ASSERT_EQ (mine.term (), 0);
    }
}

}  // namespace
}  // namespace zlink::test

// Events: what happens to a socket's links is told in order, to as many as
// ask, and to nobody's cost.
#include "conformance/transport.hpp"
#include "support/events.hpp"

namespace zlink::test {
namespace {

struct telling : conformance
{
    // A link over inproc is there at once: no stream is made, and no
    // handshake.
    [[nodiscard]] static bool has_streams () { return !under_test ().one_queue; }

    using texts = std::vector<std::string>;
    [[nodiscard]] static texts at_listener (texts streams, const texts &links)
    {
        return has_streams () ? std::move (streams) : links;
    }
    // What a dialler is told may begin with a delay, if the system took its
    // time, and with addresses that did not answer.
    [[nodiscard]] static texts without_attempts (texts all)
    {
        std::erase_if (all, [] (const std::string &each) {
            return each == "connect delayed" || each == "closed" || each == "connect retried";
        });
        return all;
    }
    // That a peer left is seen as an end or as a reset, as the network likes.
    static void check_left (const zlink_event_t &left)
    {
        const bool reset = std::string (left.reason_text) == "connection-reset";
        if (!reset) {
            EXPECT_EQ (std::string (left.reason_text), "peer-closed");
        }
        EXPECT_EQ (left.value, reset ? std::uint64_t{ZLINK_DISCONNECT_TRANSPORT_ERROR}
                                     : std::uint64_t{ZLINK_DISCONNECT_REMOTE});
    }
};

TEST_F (telling, a_link_is_told_at_both_ends)
{
    socket pull = open (ZMQ_PULL);
    events at_pull (pull);
    const std::string where = pull.bind (place ());
    socket push = open (ZMQ_PUSH);
    events at_push (push);
    push.connect (where);

    const auto accepted = at_pull.up_to (ZLINK_EVENT_CONNECTION_READY);
    EXPECT_EQ (names (accepted), at_listener ({"listening", "accepted", "ready"}, {"ready"}));
    const auto connected = at_push.up_to (ZLINK_EVENT_CONNECTION_READY);
    EXPECT_EQ (without_attempts (names (connected)), at_listener ({"connected", "ready"}, {"ready"}));
    for (const zlink_event_t &each : accepted) {
        EXPECT_EQ (std::string (each.endpoint), where);
        EXPECT_EQ (each.is_listener, 1);
        EXPECT_EQ (std::string (each.reason_text), "none");
    }
    for (const zlink_event_t &each : connected) {
        EXPECT_EQ (std::string (each.endpoint), where);
        EXPECT_EQ (each.is_listener, 0);
    }
    EXPECT_NE (accepted.back ().connection_id, 0u);
    EXPECT_NE (connected.back ().connection_id, 0u);
}

TEST_F (telling, who_left_and_why)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    events at_pull (pull, ZLINK_EVENT_CONNECTION_READY | ZLINK_EVENT_DISCONNECTED);
    std::uint64_t last_id = 0;
    for (int round = 0; round < 5; ++round) {
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        const zlink_event_t came = at_pull.next ();
        ASSERT_EQ (event_name (came.event), "ready") << round;
        EXPECT_GT (came.connection_id, last_id);
        last_id = came.connection_id;
        push.close ();
        const zlink_event_t left = at_pull.next ();
        ASSERT_EQ (event_name (left.event), "disconnected") << round;
        EXPECT_EQ (left.connection_id, last_id);
        check_left (left);
        EXPECT_EQ (left.number, came.number + 1);
        EXPECT_GE (left.time_ns, came.time_ns);
    }
}

TEST_F (telling, what_we_end_ourselves_has_its_own_reason)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    socket push = open (ZMQ_PUSH);
    events at_push (push, ZLINK_EVENT_CONNECTION_READY | ZLINK_EVENT_DISCONNECTED);
    push.connect (where);
    ASSERT_EQ (at_push.next_name (), "ready");
    push.disconnect (where);
    const zlink_event_t left = at_push.next ();
    EXPECT_EQ (event_name (left.event), "disconnected");
    EXPECT_EQ (std::string (left.reason_text), "disconnected");
    EXPECT_EQ (left.value, unsigned{ZLINK_DISCONNECT_LOCAL});

    push.connect (where);
    ASSERT_EQ (at_push.next_name (), "ready");
    push.close ();
    const zlink_event_t closed = at_push.next ();
    EXPECT_EQ (event_name (closed.event), "disconnected");
    EXPECT_EQ (std::string (closed.reason_text), "local-close");
}

TEST_F (telling, the_end_of_the_socket_is_told_last)
{
    socket pull = open (ZMQ_PULL);
    events at_pull (pull);
    const std::string where = pull.bind (place ());
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    ASSERT_EQ (event_name (at_pull.up_to (ZLINK_EVENT_CONNECTION_READY).back ().event), "ready");
    pull.close ();
    texts rest = names (at_pull.up_to (ZLINK_EVENT_MONITOR_STOPPED));
    EXPECT_EQ (rest.back (), "stopped");
    std::sort (rest.begin (), rest.end ());
    EXPECT_EQ (rest, at_listener ({"closed", "disconnected", "stopped"}, {"disconnected", "stopped"}));
    zlink_event_t none;
    EXPECT_EQ (zlink_events_recv (at_pull, &none, -1), -1);
    EXPECT_EQ (errno, ETERM);
}

TEST_F (telling, only_what_was_asked_for)
{
    socket pull = open (ZMQ_PULL);
    events everything (pull);
    events losses (pull, ZLINK_EVENT_DISCONNECTED);
    const std::string where = pull.bind (place ());
    {
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        ASSERT_TRUE (push.has_peers () && pull.has_peers ());
    }
    EXPECT_EQ (losses.next_name (), "disconnected");
    EXPECT_EQ (names (everything.up_to (ZLINK_EVENT_DISCONNECTED)),
               at_listener ({"listening", "accepted", "ready", "disconnected"}, {"ready", "disconnected"}));
    pull.close ();
    EXPECT_EQ (losses.next_name (), "stopped");  // the end, asked for or not
}

TEST_F (telling, what_nobody_fetches_is_lost_and_counted)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    constexpr std::size_t room = 3;
    events few (pull, ZLINK_EVENT_CONNECTION_READY, room);
    events all (pull, ZLINK_EVENT_CONNECTION_READY);
    constexpr unsigned told = 10;
    for (unsigned i = 0; i < told; ++i) {
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        ASSERT_EQ (all.next_name (), "ready") << i;
    }
    for (std::size_t i = 0; i < room; ++i)
        EXPECT_EQ (few.next ().lost, 0u);
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    EXPECT_EQ (few.next ().lost, told - room);
    EXPECT_EQ (all.next ().lost, 0u);
    EXPECT_EQ (pull.statistics ().events_lost, told - room);
}

TEST_F (telling, a_sleeper_is_woken_by_an_event)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    events at_pull (pull, ZLINK_EVENT_CONNECTION_READY | ZLINK_EVENT_DISCONNECTED);
    meeting both (2);
    worker reader ([&] {
        for (int i = 0; i < 20; ++i) {
            both.arrive_and_wait ();
            EXPECT_EQ (at_pull.next_name (), "ready") << i;
            EXPECT_EQ (at_pull.next_name (), "disconnected") << i;
        }
    });
    for (int i = 0; i < 20; ++i) {
        both.arrive_and_wait ();
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        ASSERT_TRUE (push.has_peers ());
    }
}

TEST_F (telling, closing_a_queue_wakes_who_sleeps_there)
{
    socket pull = open (ZMQ_PULL);
    for (int i = 0; i < 20; ++i) {
        events at_pull (pull);
        void *const queue = at_pull;
        worker sleeper ([queue] {
            zlink_event_t none;
            EXPECT_EQ (zlink_events_recv (queue, &none, -1), -1);
            EXPECT_TRUE (errno == ENOTSOCK || errno == EFAULT);
        });
        if (i % 2 == 0)
            here ().give_way ();
        at_pull.close ();
    }
}

TEST_F (telling, the_contexts_end_wakes_who_sleeps_there)
{
    for (int i = 0; i < 20; ++i) {
        context ended;
        socket pull (ended, ZMQ_PULL);
        events at_pull (pull);
        void *const queue = at_pull;
        worker sleeper ([queue] {
            zlink_event_t none;
            EXPECT_EQ (zlink_events_recv (queue, &none, -1), -1);
            EXPECT_EQ (errno, ETERM);
        });
        if (i % 2 == 0)
            here ().give_way ();
        EXPECT_EQ (zmq_ctx_shutdown (ended), 0);
    }
}

TEST_F (telling, the_contexts_end_wakes_who_sleeps_for_a_socket_that_lingers)
{
    if (!has_streams ())
        GTEST_SKIP () << "a link over inproc does not linger";
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    pull.unbind (where);
    context ended;
    socket push (ended, ZMQ_PUSH);
    push.set (ZMQ_LINGER, -1);
    events at_push (push);
    push.connect (where);
    ASSERT_TRUE (push.send ("hello"));
    push.close ();
    EXPECT_EQ (zmq_ctx_shutdown (ended), 0);
    zlink_event_t told{};
    while (zlink_events_recv (at_push, &told, -1) == 0)
        ASSERT_NE (event_name (told.event), "stopped");
    EXPECT_EQ (errno, ETERM);
    ASSERT_EQ (pull.bind (where), where);
    EXPECT_EQ (pull.receive (), "hello");
}

TEST_F (telling, an_empty_queue_answers_eagain_in_time)
{
    socket pull = open (ZMQ_PULL);
    events at_pull (pull);
    zlink_event_t none;
    EXPECT_EQ (zlink_events_recv (at_pull, &none, 0), -1);
    EXPECT_EQ (errno, EAGAIN);
    constexpr int wait_ms = 20;
    EXPECT_GE (elapsed_ms ([&] { EXPECT_EQ (zlink_events_recv (at_pull, &none, wait_ms), -1); }),
               wait_ms - 1);
    EXPECT_EQ (errno, EAGAIN);
}

TEST_F (telling, a_monitor_tells_libzmqs_events)
{
    socket pull = open (ZMQ_PULL);
    zmq_monitor at_pull (own, pull);
    const std::string where = pull.bind (place ());
    {
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        ASSERT_TRUE (push.has_peers () && pull.has_peers ());
    }
    ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (pull, 1, 0) != 0; }));
    ASSERT_EQ (zmq_socket_monitor (pull, nullptr, 0), 0);
    if (has_streams ())
        for (const char *each : {"listening", "accepted", "ready", "disconnected"}) {
            const monitor_event got = at_pull.next ();
            EXPECT_EQ (event_name (got.event), each);
            EXPECT_EQ (got.local, where);
        }
    const monitor_event last = at_pull.next ();
    EXPECT_EQ (event_name (last.event), "stopped");
    EXPECT_EQ (last.value, 0u);
    EXPECT_EQ (last.local, "");
}

TEST_F (telling, a_monitor_that_nobody_reads_holds_up_nobody)
{
    socket pull = open (ZMQ_PULL);
    ASSERT_EQ (zmq_socket_monitor (pull, "inproc://nobody", ZMQ_EVENT_ALL), 0);
    zmq_monitor slow (own, pull);  // takes its place
    slow.reader ().set (ZMQ_RCVHWM, 1);
    const std::string where = pull.bind (place ());
    for (int i = 0; i < 30; ++i) {
        socket push = open (ZMQ_PUSH);
        const std::string name = "inproc://nobody-" + std::to_string (i);
        ASSERT_EQ (zmq_socket_monitor (push, name.c_str (), ZMQ_EVENT_ALL), 0);
        push.connect (where);
        ASSERT_TRUE (push.send (std::to_string (i)));
        ASSERT_EQ (pull.receive (), std::to_string (i));
    }
}

TEST_F (telling, peers_are_listed_while_they_are_there)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    std::vector<socket> pushes;
    for (unsigned i = 1; i <= 3; ++i) {
        pushes.push_back (open (ZMQ_PUSH));
        pushes.back ().connect (where);
        ASSERT_TRUE (pull.has_peers (i));
        EXPECT_EQ (zlink_socket_peer_count (pull), static_cast<int> (i));
    }
    std::array<zlink_peer_info_t, 4> found{};
    std::size_t count = found.size ();
    EXPECT_EQ (zlink_socket_peers (pull, found.data (), &count), 0);
    EXPECT_EQ (count, 3u);
    pushes.clear ();
    ASSERT_TRUE (eventually ([&] { return zlink_socket_peer_count (pull) == 0; }));
}

// How many attempts, how many peers, and why the last one ended.
TEST_F (telling, the_status_of_an_endpoint_is_whole)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    {
        socket push = open (ZMQ_PUSH);
        socket second = open (ZMQ_PUSH);
        push.connect (where);
        second.connect (where);
        ASSERT_TRUE (push.has_peers () && second.has_peers () && pull.has_peers (2));
        const zlink_endpoint_status_t bound = pull.status (where);
        EXPECT_EQ (bound.is_listener, 1);
        EXPECT_EQ (bound.connected, 2u);
        EXPECT_EQ (bound.attempts, 2u);
        EXPECT_EQ (bound.last_reason, 0);
        const zlink_endpoint_status_t dialled = push.status (where);
        EXPECT_EQ (dialled.is_listener, 0);
        EXPECT_EQ (dialled.connected, 1u);
        EXPECT_EQ (dialled.attempts, 1u);
        EXPECT_EQ (dialled.last_reason, 0);
        EXPECT_EQ (dialled.last_os_error, 0);
    }
    ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (pull, 1, 0) != 0; }));
    const zlink_endpoint_status_t left = pull.status (where);
    EXPECT_EQ (left.connected, 0u);
    EXPECT_EQ (left.attempts, 2u);
    if (has_streams ()) {
        EXPECT_NE (left.last_reason, 0);
    }
}

}  // namespace
}  // namespace zlink::test

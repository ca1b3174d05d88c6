// Forks, at rest and in the middle of everything: what the child may do with
// what it inherits, and that the parent notices nothing of it.
#include <array>
#include <atomic>
#include <fcntl.h>
#include <string>
#include <vector>

#include "lifetimes/child.hpp"
#include "support/events.hpp"
#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"
#include "support/warnings.hpp"

namespace zlink::test {
namespace {

struct fork_transport
{
    const char *name;
    std::string (*place) ();
    friend void PrintTo (const fork_transport &of, std::ostream *to) { *to << of.name; }
};

class forks : public testing::TestWithParam<fork_transport>
{
  protected:
    [[nodiscard]] static std::string place () { return GetParam ().place (); }
    [[nodiscard]] socket open (int type) { return {own, type}; }

    context own;
};

INSTANTIATE_TEST_SUITE_P (over,
                          forks,
                          testing::Values (fork_transport{"tcp", tcp_place},
                                           fork_transport{"ipc", ipc_place},
                                           fork_transport{"inproc", inproc_place}),
                          [] (const auto &of) { return std::string (of.param.name); });

// True when the call failed and said that the context is gone.
template <class Answer> bool says_terminated (Answer answer)
{
    const bool failed = static_cast<long long> (answer) == -1;
    return failed && errno == ETERM;
}

// Every call on a socket, none of which may wait, succeed or touch anything.
void try_every_call (void *socket, const char *endpoint, verdict &found)
{
    const auto number = [] (auto answer) { return says_terminated (answer); };
    char bytes[8] = {};
    int value = 0;
    std::size_t size = sizeof value;
    std::size_t count = 1;
    std::uint32_t sizes[1] = {1};
    part one ("x");
    parts_of<1> list;
    zlink_endpoint_status_t status{};
    zlink_statistics_t numbers{};
    CHILD_EXPECT (number (zmq_send (socket, bytes, 1, 0)));
    CHILD_EXPECT (number (zmq_send_const (socket, bytes, 1, 0)));
    CHILD_EXPECT (number (zmq_recv (socket, bytes, 1, 0)));
    CHILD_EXPECT (number (zmq_recv (socket, bytes, 1, ZMQ_DONTWAIT)));
    CHILD_EXPECT (number (zmq_msg_send (one.raw (), socket, 0)));
    CHILD_EXPECT (number (zmq_msg_recv (one.raw (), socket, 0)));
    CHILD_EXPECT (number (zlink_sendv (socket, list.data (), 1, 0)));
    CHILD_EXPECT (number (zlink_recvv (socket, list.data (), &count, 0)));
    CHILD_EXPECT (number (zlink_sendn (socket, list.data (), 1, 0)));
    CHILD_EXPECT (number (zlink_recvn (socket, list.data (), 1, 0)));
    CHILD_EXPECT (number (zlink_send_packed (socket, bytes, 1, sizes, 1, 0)));
    CHILD_EXPECT (number (zlink_recv_packed (socket, bytes, 1, sizes, 1, 0)));
    CHILD_EXPECT (number (zmq_bind (socket, "tcp://127.0.0.1:*")));
    CHILD_EXPECT (number (zmq_connect (socket, "inproc://elsewhere")));
    CHILD_EXPECT (number (zmq_unbind (socket, endpoint)));
    CHILD_EXPECT (number (zmq_disconnect (socket, endpoint)));
    CHILD_EXPECT (number (zmq_setsockopt (socket, ZMQ_LINGER, &value, sizeof value)));
    CHILD_EXPECT (number (zmq_getsockopt (socket, ZMQ_LINGER, &value, &size)));
    CHILD_EXPECT (number (zmq_getsockopt (socket, ZMQ_EVENTS, &value, &size)));
    CHILD_EXPECT (number (zmq_getsockopt (socket, ZMQ_FD, &value, &size)));
    CHILD_EXPECT (number (zlink_connect_status (socket, endpoint, &status)));
    CHILD_EXPECT (number (zlink_wait_peers (socket, 1, -1)));
    CHILD_EXPECT (number (zlink_statistics (socket, &numbers)));
    zmq_pollitem_t item{socket, 0, ZMQ_POLLIN | ZMQ_POLLOUT, 0};
    CHILD_EXPECT (number (zmq_poll (&item, 1, -1)));
    CHILD_EXPECT (number (zmq_poll (&item, 1, 0)));
    CHILD_EXPECT (number (zmq_ppoll (&item, 1, -1, nullptr)));
    void *poller = zmq_poller_new ();
    zmq_poller_event_t event{};
    CHILD_EXPECT (zmq_poller_add (poller, socket, nullptr, ZMQ_POLLIN) == 0);
    CHILD_EXPECT (number (zmq_poller_wait (poller, &event, -1)));
    CHILD_EXPECT (zmq_poller_destroy (&poller) == 0);
    CHILD_EXPECT (number (zmq_proxy (socket, socket, nullptr)));
}

void try_every_call_of_context (void *context, verdict &found)
{
    char text[8];
    std::size_t size = sizeof text;
    CHILD_EXPECT (zmq_socket (context, ZMQ_PAIR) == nullptr && errno == ETERM);
    CHILD_EXPECT (says_terminated (zmq_ctx_set (context, ZMQ_IO_THREADS, 1)));
    CHILD_EXPECT (says_terminated (zmq_ctx_get (context, ZMQ_IO_THREADS)));
    CHILD_EXPECT (says_terminated (zlink_ctx_holders (context, text, &size)));
    CHILD_EXPECT (zmq_ctx_shutdown (context) == 0);
}

void let_go (void *socket, verdict &found)
{
    CHILD_EXPECT (zmq_close (socket) == 0);
    CHILD_EXPECT (zmq_close (socket) == -1 && errno == ENOTSOCK);
}

void let_go_of_context (void *context, verdict &found)
{
    CHILD_EXPECT (zmq_ctx_term (context) == 0);
    CHILD_EXPECT (zmq_ctx_term (context) == -1 && errno == EFAULT);
}

// A context of the child's own carries traffic and ends.
void use_own_context (verdict &found, int messages)
{
    const std::string places[] = {"tcp://127.0.0.1:*", "inproc://of-the-child"};
    void *context = zmq_ctx_new ();
    CHILD_EXPECT (context != nullptr);
    for (const std::string &place : places) {
        void *push = zmq_socket (context, ZMQ_PUSH);
        void *pull = zmq_socket (context, ZMQ_PULL);
        CHILD_EXPECT (zmq_bind (pull, place.c_str ()) == 0);
        char where[256];
        std::size_t size = sizeof where;
        CHILD_EXPECT (zmq_getsockopt (pull, ZMQ_LAST_ENDPOINT, where, &size) == 0);
        CHILD_EXPECT (zmq_connect (push, where) == 0);
        for (int i = 0; i < messages; ++i) {
            int back = -1;
            CHILD_EXPECT (zmq_send (push, &i, sizeof i, 0) == sizeof i);
            zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
            CHILD_EXPECT (i % 8 != 0 || zmq_poll (&item, 1, watchdog_ms) == 1);
            CHILD_EXPECT (zmq_recv (pull, &back, sizeof back, 0) == sizeof back && back == i);
        }
        CHILD_EXPECT (zmq_close (push) == 0);
        CHILD_EXPECT (zmq_close (pull) == 0);
    }
    CHILD_EXPECT (zmq_ctx_term (context) == 0);
}

TEST_P (forks, the_child_finds_everything_of_its_parent_terminated)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    push.connect (where);
    ASSERT_TRUE (push.has_peers ());
    ASSERT_TRUE (push.send ("unread"));
    {
        child other ([&] (verdict &found) {
            for (void *each : {static_cast<void *> (push), static_cast<void *> (pull)})
                try_every_call (each, where.c_str (), found);
            try_every_call_of_context (own, found);
            for (void *each : {static_cast<void *> (push), static_cast<void *> (pull)})
                let_go (each, found);
            let_go_of_context (own, found);
            use_own_context (found, 100);
        });
        EXPECT_TRUE (other.ended_well ());
    }
    EXPECT_EQ (pull.receive (), "unread");
    ASSERT_TRUE (push.send ("still here"));
    EXPECT_EQ (pull.receive (), "still here");
}

// Children of children, and a context that the child leaves open.
TEST_P (forks, every_generation_has_its_own)
{
    socket pair = open (ZMQ_PAIR);
    pair.bind (place ());
    child first ([&] (verdict &found) {
        void *context = zmq_ctx_new ();
        void *mine = zmq_socket (context, ZMQ_PAIR);
        CHILD_EXPECT (zmq_bind (mine, "tcp://127.0.0.1:*") == 0);
        child second ([&] (verdict &inner) {
            for (void *each : {mine, static_cast<void *> (pair)})
                try_every_call (each, "tcp://127.0.0.1:1", inner);
            let_go (mine, inner);
            let_go_of_context (context, inner);
            let_go_of_context (own, inner);
            use_own_context (inner, 10);
        });
        CHILD_EXPECT (second.ended_well ());
        CHILD_EXPECT (zmq_close (mine) == 0);
        CHILD_EXPECT (zmq_ctx_term (context) == 0);
    });
    EXPECT_TRUE (first.ended_well ());
}

// Exit handlers and static destructors run in the child beside what it
// inherits.
TEST_P (forks, the_child_may_leave_by_exit)
{
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    two.connect (one.bind (place ()));
    ASSERT_TRUE (one.has_peers ());
    worker waits ([&] { EXPECT_EQ (one.receive (), "for the one who waits"); });
    child quiet ([] (verdict &) {}, child::way::with_exit_handlers);
    EXPECT_TRUE (quiet.ended_well ());
    child loud ([] (verdict &found) { use_own_context (found, 10); }, child::way::with_exit_handlers);
    EXPECT_TRUE (loud.ended_well ());
    ASSERT_TRUE (two.send ("for the one who waits"));
}

// Threads send, receive, poll, open and close all the while: at the moment of
// a fork any lock may be held and any claim taken.
TEST_P (forks, in_the_middle_of_traffic_nothing_is_lost_or_doubled)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP () << "the sanitizer's own allocator may be locked for ever in a child of busy threads";
#endif
    constexpr int forks_wanted = 60;
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    push.connect (where);
    ASSERT_TRUE (push.has_peers ());
    std::atomic<bool> stop{false};
    std::atomic<int> sent{0};
    std::atomic<int> received{0};
    std::vector<worker> all;
    all.emplace_back ([&] {
        while (!stop) {
            const std::string text = std::to_string (sent) + (sent % 50 == 0 ? pattern (70'000) : "");
            ASSERT_TRUE (push.send (text));
            ++sent;
        }
        ASSERT_TRUE (push.send ("end"));
    });
    all.emplace_back ([&] {
        for (;;) {
            const auto got = pull.receive ();
            ASSERT_TRUE (got);
            if (*got == "end")
                return;
            ASSERT_EQ (std::stoi (*got), received);
            ++received;
        }
    });
    all.emplace_back ([&] {
        while (!stop) {
            zmq_pollitem_t items[] = {{pull, 0, ZMQ_POLLIN, 0}, {push, 0, ZMQ_POLLOUT, 0}};
            EXPECT_GE (zmq_poll (items, 2, 1), 0);
        }
    });
    all.emplace_back ([&, visited = place ()] {
        while (!stop) {
            context passing;
            socket one (passing, ZMQ_PAIR);
            socket two (passing, ZMQ_PAIR);
            two.connect (one.bind (visited));
            EXPECT_TRUE (two.send ("x"));
            EXPECT_EQ (one.receive (), "x");
        }
    });
    for (int i = 0; i < forks_wanted; ++i) {
        const int before = received;
        child other ([&] (verdict &found) {
            char byte = 0;
            CHILD_EXPECT (says_terminated (zmq_send (push, "no", 2, 0)));
            CHILD_EXPECT (says_terminated (zmq_recv (pull, &byte, 1, 0)));
            use_own_context (found, 20);
            let_go (push, found);
            let_go_of_context (own, found);
        });
        EXPECT_TRUE (other.ended_well ());
        EXPECT_TRUE (eventually ([&] { return received > before; }));
    }
    stop = true;
    all.clear ();
    EXPECT_EQ (received, sent);
}

// Threads are blocked in every kind of call when the fork comes.
TEST_P (forks, under_blocked_callers_who_then_go_on)
{
    socket quiet = open (ZMQ_PAIR);
    socket peer = open (ZMQ_PAIR);
    socket full = open (ZMQ_PUSH);
    peer.connect (quiet.bind (place ()));
    ASSERT_TRUE (quiet.has_peers ());
    context ending;
    std::vector<worker> all;
    std::atomic<int> entered{0};
    all.emplace_back ([&] {
        ++entered;
        EXPECT_EQ (quiet.receive (), "go on");
    });
    all.emplace_back ([&] {
        ++entered;
        zmq_pollitem_t item{full, 0, ZMQ_POLLOUT, 0};
        EXPECT_EQ (zmq_poll (&item, 1, watchdog_ms), 1);
    });
    all.emplace_back ([&] {
        ++entered;
        EXPECT_TRUE (full.send ("waits for a peer"));
    });
    socket holder (ending, ZMQ_PAIR);
    all.emplace_back ([&] {
        ++entered;
        EXPECT_EQ (ending.term (), 0);
    });
    ASSERT_TRUE (eventually ([&] { return entered == 4; }));
    for (int i = 0; i < 20; ++i) {
        child other ([&] (verdict &found) {
            for (void *each : {static_cast<void *> (quiet), static_cast<void *> (full)})
                try_every_call (each, "inproc://nowhere", found);
            use_own_context (found, 5);
        });
        EXPECT_TRUE (other.ended_well ());
    }
    ASSERT_TRUE (peer.send ("go on"));
    socket taker = open (ZMQ_PULL);
    full.connect (taker.bind (place ()));
    EXPECT_EQ (taker.receive (), "waits for a peer");
    EXPECT_EQ (holder.close (), 0);
    all.clear ();  // while there is still somebody to send to
}

// A child that lives on has copies of all descriptors. What the parent closes
// ends for its peers all the same, and its ports are free again.
TEST_P (forks, a_child_that_stays_keeps_nothing_open)
{
    socket listener = open (ZMQ_PAIR);
    const std::string where = listener.bind (place ());
    socket peer = open (ZMQ_PAIR);
    peer.set (ZMQ_RECONNECT_IVL, -1);
    peer.connect (where);
    ASSERT_TRUE (peer.has_peers () && listener.has_peers ());
    gate until;
    child stays ([&] (verdict &) { until.wait (); });
    listener.close ();
    EXPECT_TRUE (eventually ([&] {
        zlink_endpoint_status_t found{};
        return zlink_connect_status (peer, where.c_str (), &found) != 0 || found.connected == 0;
    }));
    socket again = open (ZMQ_PAIR);
    ASSERT_TRUE (eventually ([&] { return zmq_bind (again, where.c_str ()) == 0; })) << zmq_strerror (errno);
    socket next = open (ZMQ_PAIR);
    next.connect (where);
    EXPECT_TRUE (next.has_peers ());
    ASSERT_TRUE (next.send ("to the new one"));
    EXPECT_EQ (again.receive (), "to the new one");
    until.open ();
    EXPECT_TRUE (stays.ended_well ());
}

// Pollers, and their descriptors, that the child inherits.
TEST_P (forks, a_poller_of_the_parent_is_left_alone)
{
    if (zmq_has ("ipc") == 0)
        GTEST_SKIP ();
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    two.connect (one.bind (place ()));
    ASSERT_TRUE (one.has_peers ());
    void *poller = zmq_poller_new ();
    ASSERT_EQ (zmq_poller_add (poller, one, nullptr, ZMQ_POLLIN), 0);
    zmq_fd_t descriptor = -1;
    ASSERT_EQ (zmq_poller_fd (poller, &descriptor), 0);
    zmq_poller_event_t event{};
    EXPECT_EQ (zmq_poller_wait (poller, &event, 0), -1);
    ASSERT_TRUE (two.send ("first"));
    ASSERT_TRUE (becomes_readable (descriptor));
    child other ([&] (verdict &found) {
        zmq_poller_event_t seen{};
        CHILD_EXPECT (says_terminated (zmq_poller_wait (poller, &seen, 0)));
        CHILD_EXPECT (zmq_poller_remove (poller, one) == 0);
        CHILD_EXPECT (zmq_poller_destroy (&poller) == 0);
        use_own_context (found, 5);
    });
    EXPECT_TRUE (other.ended_well ());
    ASSERT_TRUE (becomes_readable (descriptor));
    EXPECT_EQ (zmq_poller_wait (poller, &event, watchdog_ms), 0);
    EXPECT_EQ (one.receive (), "first");
    EXPECT_EQ (zmq_poller_wait (poller, &event, 0), -1);
    ASSERT_TRUE (two.send ("second"));
    EXPECT_TRUE (becomes_readable (descriptor));
    EXPECT_EQ (zmq_poller_wait (poller, &event, watchdog_ms), 0);
    EXPECT_EQ (zmq_poller_destroy (&poller), 0);
}

// The descriptors of this process that another program would find open.
std::vector<int> inherited_by_others ()
{
    std::vector<int> all;
    for (int each = 0; each < 1024; ++each)
        if (const int flags = ::fcntl (each, F_GETFD); flags >= 0 && (flags & FD_CLOEXEC) == 0)
            all.push_back (each);
    return all;
}

// While everything that makes descriptors is in use.
TEST (descriptors, close_when_another_program_is_executed)
{
    const std::vector<int> before = inherited_by_others ();
    context own;
    std::vector<socket> all;
    for (const std::string &where : {tcp_place (), ipc_place (), inproc_place ()}) {
        socket &pull = all.emplace_back (own, ZMQ_PULL);
        pull.bind (where);
        socket &push = all.emplace_back (own, ZMQ_PUSH);
        push.connect (where);
        ASSERT_TRUE (push.has_peers ());
        ASSERT_TRUE (push.send ("text"));
        EXPECT_GE (all[all.size () - 2].get (ZMQ_FD), 0);
        ASSERT_EQ (all[all.size () - 2].receive (), "text");
    }
    socket &named = all.emplace_back (own, ZMQ_PUSH);
    named.connect ("tcp://localhost:9");
    EXPECT_TRUE (eventually ([&] { return named.status ("tcp://localhost:9").attempts > 0; }));
    void *poller = zmq_poller_new ();
    ASSERT_EQ (zmq_poller_add (poller, all.front (), nullptr, ZMQ_POLLIN), 0);
    zmq_fd_t handle = -1;
    ASSERT_EQ (zmq_poller_fd (poller, &handle), 0);
    EXPECT_EQ (inherited_by_others (), before);
    EXPECT_EQ (zmq_poller_destroy (&poller), 0);
}

// Another program takes the child's place; the parent goes on.
TEST (descriptors, are_gone_in_the_program_that_a_child_becomes)
{
    context own;
    socket push (own, ZMQ_PUSH);
    socket pull (own, ZMQ_PULL);
    push.connect (pull.bind (tcp_place ()));
    ASSERT_TRUE (push.has_peers ());
    for (int i = 0; i < 10; ++i) {
        child becomes ([&] (verdict &found) {
            ::execl ("/bin/sh", "sh", "-c", "exit 0", static_cast<char *> (nullptr));
            CHILD_EXPECT (false);
        });
        ASSERT_TRUE (push.send ("goes on"));
        EXPECT_EQ (pull.receive (), "goes on");
        EXPECT_TRUE (becomes.ended_well ());
    }
}

TEST (forked, threads_that_the_parent_started_are_not_waited_for)
{
    static std::atomic<bool> stop{false};
    void *thread = zmq_threadstart ([] (void *) { stop.wait (false); }, nullptr);
    child other ([&] (verdict &) { zmq_threadclose (thread); });
    EXPECT_TRUE (other.ended_well ());
    stop = true;
    stop.notify_all ();
    zmq_threadclose (thread);
}

TEST (forked, warnings_go_to_the_parents_callback)
{
    const heard_warnings heard;
    child other ([] (verdict &found) {
        void *const own = zmq_ctx_new ();
        void *const one = zmq_socket (own, ZMQ_PAIR);
        void *const peer = zmq_socket (own, ZMQ_PAIR);
        void *const narrow = zlink_events_open (one, ZLINK_EVENT_ALL, 1);
        CHILD_EXPECT (narrow != nullptr);
        CHILD_EXPECT (zmq_bind (one, "inproc://narrow") == 0);
        CHILD_EXPECT (zmq_connect (peer, "inproc://narrow") == 0);
        CHILD_EXPECT (zmq_close (peer) == 0);  // the second event
        CHILD_EXPECT (!heard_warnings::find ("events lost").text.empty ());
    });
    EXPECT_TRUE (other.ended_well ());
    EXPECT_TRUE (heard_warnings::none ());
}

TEST (forked, messages_are_the_childs_own)
{
    context own;
    socket push (own, ZMQ_PUSH);
    socket pull (own, ZMQ_PULL);
    push.connect (pull.bind (tcp_place ()));
    const std::string text = pattern (300'000);
    ASSERT_TRUE (push.send (text));
    part got;
    ASSERT_GT (zmq_msg_recv (got.raw (), pull, 0), 0);
    child other ([&] (verdict &found) {
        CHILD_EXPECT (got.text () == text);
        zmq_msg_t copy;
        zmq_msg_init (&copy);
        CHILD_EXPECT (zmq_msg_copy (&copy, got.raw ()) == 0);
        CHILD_EXPECT (zmq_msg_close (&copy) == 0);
        CHILD_EXPECT (zmq_msg_close (got.raw ()) == 0);
        zmq_msg_init (got.raw ());
    });
    EXPECT_TRUE (other.ended_well ());
    EXPECT_TRUE (got.text () == text);
}

// --- in every state of a connection ------------------------------------------

// A context with a link that works, and one that a fork finds in some state.
struct unsettled
{
    explicit unsettled (std::string (*of) ()) : place (of)
    {
        good_push.connect (good_pull.bind (place ()));
        subject.set (ZMQ_RECONNECT_IVL, 5);
        subject.set (ZMQ_HANDSHAKE_IVL, 0);
    }
    void good_goes_on ()
    {
        ASSERT_TRUE (good_push.send ("goes on"));
        ASSERT_EQ (good_pull.receive (), "goes on");
    }
    // What subject sends comes to who listens there.
    void is_heard_at (const raw_peer &by)
    {
        ASSERT_TRUE (by.shake_hands ("PULL"));
        ASSERT_TRUE (subject.send ("heard"));
        ASSERT_EQ (by.read_frame (), "heard");
    }

    std::string (*place) ();
    context own;
    socket good_push{own, ZMQ_PUSH};
    socket good_pull{own, ZMQ_PULL};
    socket subject{own, ZMQ_PUSH};
    socket other{own, ZMQ_PULL};
    std::string where;
    raw_peer listener;
    raw_peer peer;
    std::size_t octets_sent = 0;
    std::vector<events> watching;
};

struct fork_state
{
    const char *name;
    bool by_inproc;  // there is such a state
    void (*enter) (unsettled &);
    void (*settle) (unsettled &);  // in the parent, behind the fork
};

// Its queue has room for one, who has come.
void knock_in_vain (unsettled &at)
{
    at.where = at.place ();
    at.listener = raw_peer::listen_at (at.where, 0);
    at.peer = raw_peer::connect_to (at.where);
    ASSERT_TRUE (at.peer.valid ());
    at.subject.connect (at.where);
    ASSERT_TRUE (eventually ([&] { return at.subject.status (at.where).attempts > 0; }));
}

void come_in_after_all (unsettled &at)
{
    const raw_peer first = at.listener.accept ();
    at.is_heard_at (at.listener.accept ());
}

void stall_in_the_handshake (unsettled &at)
{
    at.where = at.place ();
    at.listener = raw_peer::listen_at (at.where);
    at.subject.connect (at.where);
    at.peer = at.listener.accept ();
    ASSERT_EQ (at.peer.read_exactly (10).size (), 10U);
    ASSERT_TRUE (at.peer.send (zmtp_greeting ().substr (0, 11)));
}

void end_the_handshake (unsettled &at)
{
    ASSERT_TRUE (at.peer.send (zmtp_greeting ().substr (11) + zmtp_ready ("PULL")));
    ASSERT_EQ (at.peer.read_exactly (54).size (), 54U);
    ASSERT_EQ (at.peer.read_frame ().substr (0, 6), "\5READY");
    ASSERT_TRUE (at.subject.send ("heard"));
    ASSERT_EQ (at.peer.read_frame (), "heard");
}

void find_nobody (unsettled &at)
{
    at.where = at.place ();
    at.subject.connect (at.where);
    if (at.where.starts_with ("inproc")) {
        return;  // it waits for the name to be bound
    }
    ASSERT_TRUE (eventually ([&] { return at.subject.status (at.where).attempts > 1; }));
}

void be_found (unsettled &at)
{
    at.other.bind (at.where);
    ASSERT_TRUE (at.subject.send ("heard"));
    ASSERT_EQ (at.other.receive (), "heard");
}

// More than the kernel holds, and nobody reads.
void drain_without_end (unsettled &at)
{
    at.where = at.place ();
    at.listener = raw_peer::listen_at (at.where);
    at.subject.connect (at.where);
    at.peer = at.listener.accept ();
    ASSERT_TRUE (at.peer.shake_hands ("PULL"));
    ASSERT_TRUE (at.subject.has_peers ());
    const std::string text = zmtp_frame (0, pattern (60'000));
    at.subject.set (ZMQ_SNDHWM, 300);
    for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE (at.subject.send (pattern (60'000)));
        at.octets_sent += text.size ();
    }
    at.subject.set (ZMQ_LINGER, -1);
    at.subject.close ();
}

void be_read_to_the_end (unsettled &at) { ASSERT_EQ (at.peer.read_to_end ().size (), at.octets_sent); }

void begin_a_message (unsettled &at)
{
    at.subject.connect (at.other.bind (at.place ()));
    ASSERT_TRUE (at.subject.has_peers ());
    ASSERT_TRUE (at.subject.send ("first", ZMQ_SNDMORE));
}

void end_the_message (unsettled &at)
{
    ASSERT_TRUE (at.subject.send ("last"));
    ASSERT_EQ (at.other.receive_message (), (std::vector<std::string>{"first", "last"}));
}

void be_watched (unsettled &at)
{
    at.watching.emplace_back (at.subject);
    void *const monitor = zlink_socket_monitor_open (at.subject, ZLINK_EVENT_ALL);
    ASSERT_NE (monitor, nullptr);
    ASSERT_EQ (zmq_close (monitor), 0);
    ASSERT_EQ (zlink_socket_monitor (at.subject, inproc_place ().c_str (), ZLINK_EVENT_ALL), 0);
}

void be_watched_further (unsettled &at)
{
    at.subject.connect (at.other.bind (at.place ()));
    ASSERT_EQ (at.watching[0].up_to (ZLINK_EVENT_CONNECTION_READY).back ().event,
               std::uint64_t{ZLINK_EVENT_CONNECTION_READY});
}

constexpr fork_state fork_states[] = {
  {"connecting", false, knock_in_vain, come_in_after_all},
  {"shaking_hands", false, stall_in_the_handshake, end_the_handshake},
  {"backing_off", true, find_nobody, be_found},
  {"draining", false, drain_without_end, be_read_to_the_end},
  {"half_a_message", true, begin_a_message, end_the_message},
  {"watched", true, be_watched, be_watched_further},
};

struct fork_in_state
{
    fork_transport over;
    fork_state state;
    friend void PrintTo (const fork_in_state &of, std::ostream *to)
    {
        *to << of.state.name << " over " << of.over.name;
    }
};

class forks_when : public testing::TestWithParam<fork_in_state>
{
};

std::vector<fork_in_state> forks_in_states ()
{
    std::vector<fork_in_state> all;
    for (const fork_state &each : fork_states) {
        all.push_back ({{"tcp", tcp_place}, each});
        all.push_back ({{"ipc", ipc_place}, each});
        if (each.by_inproc)
            all.push_back ({{"inproc", inproc_place}, each});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P (it_is, forks_when, testing::ValuesIn (forks_in_states ()), [] (const auto &of) {
    return std::string (of.param.state.name) + "_over_" + of.param.over.name;
});

// The child lets go of it, one by one and all at once; the parent goes on as if
// nothing had been.
TEST_P (forks_when, leave_it_to_the_parent)
{
    unsettled at (GetParam ().over.place);
    ASSERT_NO_FATAL_FAILURE (at.good_goes_on ());
    ASSERT_NO_FATAL_FAILURE (GetParam ().state.enter (at));
    for (const bool closes_first : {true, false}) {
        child other ([&] (verdict &found) {
            void *const subject = at.subject;
            if (closes_first && subject != nullptr) {
                try_every_call (subject, "inproc://nowhere", found);
                let_go (subject, found);
            }
            let_go_of_context (at.own, found);
            use_own_context (found, 10);
        });
        ASSERT_NO_FATAL_FAILURE (at.good_goes_on ());
        EXPECT_TRUE (other.ended_well ());
    }
    ASSERT_NO_FATAL_FAILURE (GetParam ().state.settle (at));
    ASSERT_NO_FATAL_FAILURE (at.good_goes_on ());
}

}  // namespace
}  // namespace zlink::test

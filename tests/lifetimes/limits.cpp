// How many sockets there may be, what is answered beyond, and what a handle
// says when its socket is gone.
#include <array>
#include <atomic>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "support/events.hpp"
#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

// As many as the context gives; errno tells why no more.
std::vector<void *> open_all (void *context, std::size_t at_most)
{
    std::vector<void *> all;
    while (all.size () < at_most) {
        void *const next = zmq_socket (context, ZMQ_PAIR);
        if (next == nullptr)
            break;
        all.push_back (next);
    }
    return all;
}

void close_all (std::vector<void *> &all)
{
    for (void *each : all)
        EXPECT_EQ (zmq_close (each), 0);
    all.clear ();
}

TEST (many_sockets, are_1023_unless_more_are_asked_for)
{
    context own;
    for (int round = 0; round < 3; ++round) {
        std::vector<void *> all = open_all (own, 2000);
        EXPECT_EQ (all.size (), 1023U);
        EXPECT_EQ (errno, EMFILE);
        // The place of one that closes is free for another.
        EXPECT_EQ (zmq_close (all.back ()), 0);
        all.back () = zmq_socket (own, ZMQ_PAIR);
        EXPECT_NE (all.back (), nullptr);
        close_all (all);
    }
}

TEST (many_sockets, work_all_at_once)
{
    constexpr std::size_t wanted = 4000;
    context own;
    ASSERT_EQ (zmq_ctx_set (own, ZMQ_MAX_SOCKETS, 10'000), 0);
    std::vector<void *> all = open_all (own, wanted);
    ASSERT_EQ (all.size (), wanted);
    for (std::size_t i = 0; i < wanted; i += 2) {
        const std::string where = inproc_place ();
        ASSERT_EQ (zmq_bind (all[i], where.c_str ()), 0);
        ASSERT_EQ (zmq_connect (all[i + 1], where.c_str ()), 0);
    }
    for (std::size_t i = 0; i < wanted; i += 2)
        ASSERT_EQ (zmq_send (all[i], &i, sizeof i, 0), static_cast<int> (sizeof i));
    for (std::size_t i = 0; i < wanted; i += 2) {
        std::size_t got = 0;
        ASSERT_EQ (zmq_recv (all[i + 1], &got, sizeof got, 0), static_cast<int> (sizeof got));
        ASSERT_EQ (got, i);
    }
    close_all (all);
}

// A limit on descriptors for the length of a scope.
class few_descriptors
{
  public:
    explicit few_descriptors (rlim_t limit)
    {
        ::getrlimit (RLIMIT_NOFILE, &before_);
        rlimit now = before_;
        now.rlim_cur = limit;
        ::setrlimit (RLIMIT_NOFILE, &now);
    }
    ~few_descriptors () { ::setrlimit (RLIMIT_NOFILE, &before_); }
    few_descriptors (const few_descriptors &) = delete;
    few_descriptors &operator= (const few_descriptors &) = delete;

  private:
    rlimit before_{};
};

// With sockets that need descriptors the system's limit ends it, with the
// same answer; what is open goes on, and goes on growing when others close.
TEST (many_sockets, up_to_the_limit_on_descriptors)
{
    context own;
    ASSERT_EQ (zmq_ctx_set (own, ZMQ_MAX_SOCKETS, 10'000), 0);
    socket pull (own, ZMQ_PULL);
    socket push (own, ZMQ_PUSH);
    push.connect (pull.bind (tcp_place ()));
    ASSERT_TRUE (push.has_peers ());
    const few_descriptors limit (200);
    std::vector<void *> all;
    for (bool more = true; more && all.size () < 1000;) {
        void *const next = zmq_socket (own, ZMQ_PAIR);
        ASSERT_NE (next, nullptr);
        all.push_back (next);
        more = zmq_bind (next, "tcp://127.0.0.1:*") == 0;
    }
    EXPECT_EQ (errno, EMFILE);
    EXPECT_GT (all.size (), 30U);
    EXPECT_LT (all.size (), 200U);
    ASSERT_TRUE (push.send ("goes on"));
    EXPECT_EQ (pull.receive (), "goes on");
    void *const last = all.back ();
    all.pop_back ();
    close_all (all);
    EXPECT_TRUE (eventually ([&] { return zmq_bind (last, "tcp://127.0.0.1:*") == 0; }));
    EXPECT_EQ (zmq_close (last), 0);
}

// --- descriptors run out under a socket --------------------------------------

struct stream_place
{
    const char *name;
    std::string (*place) ();
    friend void PrintTo (const stream_place &of, std::ostream *to) { *to << of.name; }
};

// A socket that many want to reach, one peer that has, and one that will try.
class scarce_descriptors : public testing::TestWithParam<stream_place>
{
  protected:
    scarce_descriptors ()
    {
        pull.set (ZMQ_HANDSHAKE_IVL, 0);  // guests say nothing until there is room again
        where = pull.bind (GetParam ().place ());
        good.connect (where);
        late.set (ZMQ_RECONNECT_IVL, 5);
        late.bind (GetParam ().place ());  // has all it needs but a connection
    }
    void good_goes_on ()
    {
        for (int i = 0; i < 20; ++i) {
            ASSERT_TRUE (good.send ("goes on"));
            ASSERT_EQ (pull.receive (), "goes on");
        }
    }
    // Guests come until there are no descriptors for more.
    void crowd_in ()
    {
        for (;;) {
            raw_peer next = raw_peer::connect_to (where);
            if (!next.valid ())
                return;
            guests.push_back (std::move (next));
            ASSERT_NO_FATAL_FAILURE (good_goes_on ());
        }
    }
    void take_the_rest ()
    {
        for (int next = 0; next >= 0;) {
            next = ::fcntl (guests.front ().descriptor (), F_DUPFD_CLOEXEC, 0);
            if (next >= 0)
                taken.emplace_back (next);
        }
        ASSERT_EQ (errno, EMFILE);
    }

    context own;
    socket pull{own, ZMQ_PULL};
    socket good{own, ZMQ_PUSH};
    socket late{own, ZMQ_PUSH};
    events told{pull, ZLINK_EVENT_ACCEPT_FAILED};
    std::string where;
    std::vector<raw_peer> guests;
    std::vector<raw_peer> taken;
};

INSTANTIATE_TEST_SUITE_P (over,
                          scarce_descriptors,
                          testing::Values (stream_place{"tcp", tcp_place}, stream_place{"ipc", ipc_place}),
                          [] (const auto &of) { return std::string (of.param.name); });

// Those who come to be accepted and those who connect wait until there is room;
// who is there is served all the while.
TEST_P (scarce_descriptors, make_newcomers_wait_and_nobody_else)
{
    ASSERT_TRUE (good.has_peers ());
    raw_peer spare (::fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
    ASSERT_TRUE (spare.valid ());
    {
        const few_descriptors limit (static_cast<rlim_t> (spare.descriptor ()) + 30);
        ASSERT_NO_FATAL_FAILURE (crowd_in ());
        ASSERT_GT (guests.size (), 5U);
        ASSERT_NO_FATAL_FAILURE (take_the_rest ());
        // One guest more may take its place, and none is left for the other end;
        // or it goes to the other end of one who has been refused.
        spare.close ();
        if (raw_peer last = raw_peer::connect_to (where); last.valid ())
            guests.push_back (std::move (last));
        const zlink_event_t refused = told.next ();
        EXPECT_EQ (refused.event, std::uint64_t{ZLINK_EVENT_ACCEPT_FAILED});
        EXPECT_EQ (refused.os_error, EMFILE);
        late.connect (where);
        EXPECT_TRUE (eventually ([&] { return late.status (where).last_os_error == EMFILE; }));
        ASSERT_NO_FATAL_FAILURE (good_goes_on ());
        taken.clear ();
    }
    for (const raw_peer &each : guests) {
        ASSERT_TRUE (each.shake_hands ("PUSH"));
        ASSERT_TRUE (each.send (zmtp_frame (0, "at last")));
        ASSERT_EQ (pull.receive (), "at last");
    }
    ASSERT_TRUE (late.send ("at last"));
    EXPECT_EQ (pull.receive (), "at last");
    ASSERT_NO_FATAL_FAILURE (good_goes_on ());
}

// --- handles ------------------------------------------------------------------

// True when the handle of a socket that is gone says so to every call.
bool is_stale (void *handle)
{
    char byte = 0;
    int value = 0;
    std::size_t size = sizeof value;
    const auto says = [] (int answer) { return answer == -1 && errno == ENOTSOCK; };
    return says (zmq_send (handle, &byte, 1, ZMQ_DONTWAIT))
           && says (zmq_recv (handle, &byte, 1, ZMQ_DONTWAIT)) && says (zmq_bind (handle, "inproc://stale"))
           && says (zmq_connect (handle, "inproc://stale"))
           && says (zmq_setsockopt (handle, ZMQ_LINGER, &value, sizeof value))
           && says (zmq_getsockopt (handle, ZMQ_LINGER, &value, &size)) && says (zmq_close (handle));
}

// Whatever else is opened and closed meanwhile, by this thread or others; at
// first so much that every record has been used and old ones come back.
TEST (stale_handles, say_so_for_65536_creations)
{
    context own;
    for (int i = 0; i < 140'000; ++i)
        ASSERT_EQ (zmq_close (zmq_socket (own, ZMQ_PAIR)), 0);
    void *const gone = zmq_socket (own, ZMQ_PAIR);
    ASSERT_EQ (zmq_close (gone), 0);
    std::atomic<int> made{0};
    std::vector<worker> all;
    for (int i = 0; i < 2; ++i)
        all.emplace_back ([&] {
            while (made++ < 65'000) {
                void *const next = zmq_socket (own, ZMQ_PAIR);
                ASSERT_NE (next, nullptr);
                ASSERT_NE (next, gone);
                ASSERT_EQ (zmq_close (next), 0);
            }
        });
    all.emplace_back ([&] {
        while (made < 65'000)
            ASSERT_TRUE (is_stale (gone));
    });
    all.clear ();
    EXPECT_TRUE (is_stale (gone));
}

// The handles of contexts obey the same rule.
TEST (stale_handles, of_contexts_say_so)
{
    void *const gone = zmq_ctx_new ();
    ASSERT_EQ (zmq_ctx_term (gone), 0);
    for (int i = 0; i < 100; ++i) {
        const context other;
        EXPECT_NE (static_cast<void *> (other), gone);
        EXPECT_EQ (zmq_ctx_term (gone), -1);
        EXPECT_EQ (errno, EFAULT);
        EXPECT_EQ (zmq_socket (gone, ZMQ_PAIR), nullptr);
        EXPECT_EQ (errno, EFAULT);
        EXPECT_EQ (zmq_ctx_shutdown (gone), -1);
        EXPECT_EQ (errno, EFAULT);
    }
}

// Any pointer may be asked about.
TEST (stale_handles, what_never_was_one_is_none)
{
    context own;
    socket live (own, ZMQ_PAIR);
    auto *const bytes = static_cast<char *> (static_cast<void *> (live));
    std::array<char, 64> elsewhere{};
    for (void *const foreign : {static_cast<void *> (bytes + 1), static_cast<void *> (bytes + 8),
                                static_cast<void *> (elsewhere.data ()), static_cast<void *> (own)})
        EXPECT_TRUE (is_stale (foreign));
    EXPECT_TRUE (is_stale (nullptr));
}

}  // namespace
}  // namespace zlink::test

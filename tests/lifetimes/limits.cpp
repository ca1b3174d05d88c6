// How many sockets there may be, what is answered beyond, and what a handle
// says when its socket is gone.
#include <array>
#include <atomic>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "support/places.hpp"
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

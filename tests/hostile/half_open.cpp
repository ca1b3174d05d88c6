// Very many that come to a CURVE server and get no further than some octet of
// their handshake: what they hold of it, and whom they keep out. They are in a
// process of their own, as one may not have so many descriptors.
#include <algorithm>
#include <filesystem>
#include <malloc.h>
#include <sys/resource.h>
#include <vector>

#include "engine/limits.hpp"
#include "hostile/curve_peers.hpp"
#include "lifetimes/child.hpp"
#include "support/events.hpp"
#include "support/places.hpp"

namespace zlink::test {
namespace {

constexpr std::size_t spare_descriptors = 300;

// As many as wanted, or as this machine lets a process have.
std::size_t most_peers (std::size_t wanted)
{
    rlimit limit{};
    ::getrlimit (RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit (RLIMIT_NOFILE, &limit);
    return std::min (wanted, static_cast<std::size_t> (limit.rlim_cur) - spare_descriptors);
}

// Where one may stop: at any octet up to the end of HELLO, and behind the front
// of an INITIATE that is announced to be long.
std::string begun_handshake (std::size_t which)
{
    static const std::string whole = zmtp_greeting (3, 1, "CURVE") + good_hello ();
    static const std::string more = whole + octet (6) + big_endian (60'000, 8) + "\10INITIATE";
    const std::size_t stop = which % (whole.size () + 30);
    return stop < whole.size () ? whole.substr (0, stop) : more;
}

raw_peer come_to (const std::string &where)
{
    raw_peer made;
    (void)eventually ([&] { return (made = raw_peer::connect_to (where)).valid (); });
    return made;
}

std::vector<raw_peer> come_and_stop (const std::string &where, std::size_t count, verdict &found)
{
    std::vector<raw_peer> all;
    for (std::size_t i = 0; i < count && found.failures () == 0; ++i) {
        all.push_back (come_to (where));
        CHILD_EXPECT (all.back ().valid () && all.back ().send (begun_handshake (i)));
    }
    return all;
}

// Of the heap, in use.
std::size_t bytes_in_use ()
{
    const struct mallinfo2 heap = ::mallinfo2 ();
    return heap.uordblks + heap.hblkhd;
}

// Looks at a pace: each look goes through all of them, with the server's lock.
template <class Condition> bool in_time (Condition holds)
{
    const metronome pace (10'000);
    return eventually ([&] {
        pace.beat ();
        return holds ();
    });
}

struct half_open_crowd : testing::Test
{
    half_open_crowd () { (void)zlink_set_log (zlink_log_discard, nullptr); }

    std::string where = tcp_place ();
};

TEST_F (half_open_crowd, holds_little_memory_and_keeps_nobody_out)
{
    const std::size_t count = most_peers (10'000);
    gate over;
    child crowd ([&] (verdict &found) {
        const std::vector<raw_peer> all = come_and_stop (where, count, found);
        over.wait ();
    });
    context own;
    socket pull (own, ZMQ_PULL);
    be_curve_server (pull);
    pull.set (ZMQ_HANDSHAKE_IVL, 0);
    pull.set (ZMQ_BACKLOG, 4096);
    const std::size_t before = bytes_in_use ();
    pull.bind (where);
    ASSERT_TRUE (in_time ([&] { return pull.status (where).attempts == count; }));
    socket push (own, ZMQ_PUSH);
    be_curve_client (push);
    push.connect (where);
    ASSERT_TRUE (push.send ("good"));
    EXPECT_EQ (pull.receive (), "good");
    EXPECT_LT (bytes_in_use () - before, (count + 1) * engine::half_open_bytes_max);
    EXPECT_EQ (pull.statistics ().handshakes_failed, 0u);
    over.open ();
    EXPECT_TRUE (crowd.ended_well ());
    EXPECT_TRUE (in_time ([&] { return pull.statistics ().handshakes_failed == count; }));
    ASSERT_TRUE (push.send ("goes on"));
    EXPECT_EQ (pull.receive (), "goes on");
}

// Whatever the time for a handshake is.
TEST_F (half_open_crowd, that_holds_the_last_descriptor_makes_way)
{
    constexpr std::size_t count = 100;
    child crowd ([&] (verdict &found) {
        const std::vector<raw_peer> all = come_and_stop (where, count, found);
        void *const own = zmq_ctx_new ();
        void *const push = zmq_socket (own, ZMQ_PUSH);
        be_curve_client (push);
        CHILD_EXPECT (zmq_connect (push, where.c_str ()) == 0);
        CHILD_EXPECT (zmq_send (push, "good", 4, 0) == 4);
        CHILD_EXPECT (zmq_close (push) == 0);
        CHILD_EXPECT (zmq_ctx_term (own) == 0);  // it has been sent
    });
    context own;
    socket pull (own, ZMQ_PULL);
    be_curve_server (pull);
    pull.set (ZMQ_HANDSHAKE_IVL, 0);
    pull.set (ZMQ_BACKLOG, 1000);
    events ended (pull, ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL);
    rlimit before{};
    ASSERT_EQ (::getrlimit (RLIMIT_NOFILE, &before), 0);
    const std::filesystem::directory_iterator all ("/proc/self/fd");
    const auto open_now = static_cast<rlim_t> (std::distance (begin (all), end (all)));
    const rlimit few{open_now + 30, before.rlim_max};
    ASSERT_EQ (::setrlimit (RLIMIT_NOFILE, &few), 0);
    pull.bind (where);
    EXPECT_EQ (pull.receive (), "good");
    EXPECT_EQ (::setrlimit (RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE (crowd.ended_well ());
    EXPECT_STREQ (ended.next ().reason_text, "limit-reached");
}

}  // namespace
}  // namespace zlink::test

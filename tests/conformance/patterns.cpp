// PAIR, PUSH and PULL: who gets what.
#include <map>

#include "conformance/transport.hpp"
#include "support/counts.hpp"

namespace zlink::test {
namespace {

struct patterns : conformance
{
};

TEST_F (patterns, push_deals_in_turn)
{
    socket push = open (ZMQ_PUSH);
    const std::string where = push.bind (place ());
    std::vector<socket> pulls;
    for (int i = 0; i < 3; ++i) {
        pulls.push_back (open (ZMQ_PULL));
        pulls.back ().connect (where);
        ASSERT_TRUE (push.has_peers (static_cast<unsigned> (i) + 1));
    }
    for (int i = 0; i < 30; ++i)
        ASSERT_TRUE (push.send (std::to_string (i)));
    for (socket &each : pulls) {
        const auto first = each.receive ();
        ASSERT_TRUE (first);
        for (int i = 1; i < 10; ++i)
            ASSERT_EQ (each.receive (), std::to_string (std::stoi (*first) + 3 * i));
        EXPECT_FALSE (each.receive (ZMQ_DONTWAIT));
    }
}

TEST_F (patterns, push_deals_whole_messages)
{
    socket push = open (ZMQ_PUSH);
    const std::string where = push.bind (place ());
    socket one = open (ZMQ_PULL);
    socket two = open (ZMQ_PULL);
    one.connect (where);
    two.connect (where);
    ASSERT_TRUE (push.has_peers (2));
    const std::vector<std::string> whole = {"a", "b", "c"};
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE (push.send (whole));
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ (one.receive_message (), whole);
        EXPECT_EQ (two.receive_message (), whole);
    }
}

TEST_F (patterns, push_passes_over_who_is_full)
{
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 10);
    push.set (ZMQ_SNDBUF, 8192);
    const std::string where = push.bind (place ());
    socket idle = open (ZMQ_PULL);
    socket busy = open (ZMQ_PULL);
    for (socket *each : {&idle, &busy}) {
        each->set (ZMQ_RCVHWM, 10);
        each->set (ZMQ_RCVBUF, 8192);
        each->connect (where);
    }
    ASSERT_TRUE (push.has_peers (2));
    const std::string text = pattern (8000);
    std::atomic<int> received{0};
    std::atomic<bool> stop{false};
    worker reader ([&] {
        busy.set (ZMQ_RCVTIMEO, 50);
        while (!stop)
            if (busy.receive ())
                ++received;
    });
    for (int i = 0; i < 1000; ++i)
        ASSERT_TRUE (push.send (text)) << i;
    ASSERT_TRUE (eventually ([&] { return received > 800; }));
    stop = true;
}

TEST_F (patterns, pull_reads_one_message_from_each_in_turn)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    std::vector<socket> pushes;
    for (int i = 0; i < 3; ++i) {
        pushes.push_back (open (ZMQ_PUSH));
        pushes.back ().connect (where);
    }
    ASSERT_TRUE (pull.has_peers (3));
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 100; ++k)
            ASSERT_TRUE (pushes[static_cast<std::size_t> (i)].send (std::to_string (i)));
    // Once everything has arrived, the turns are strict.
    std::map<std::string, int> counts;
    for (int i = 0; i < 30; ++i)
        ++counts[pull.receive ().value_or ("nothing")];
    ASSERT_TRUE (eventually ([&] { return (pull.get (ZMQ_EVENTS) & ZMQ_POLLIN) != 0; }));
    std::map<std::string, int> later;
    for (int i = 0; i < 270; ++i)
        ++later[pull.receive ().value_or ("nothing")];
    for (const char *each : {"0", "1", "2"})
        EXPECT_EQ (counts[each] + later[each], 100) << each;
}

// A busy peer does not keep others from being heard.
TEST_F (patterns, pull_hears_a_quiet_peer_beside_a_loud_one)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    socket loud = open (ZMQ_PUSH);
    socket quiet = open (ZMQ_PUSH);
    loud.connect (where);
    quiet.connect (where);
    ASSERT_TRUE (pull.has_peers (2));
    std::atomic<bool> stop{false};
    worker flood ([&] {
        loud.set (ZMQ_SNDTIMEO, 50);
        while (!stop)
            (void)loud.send ("loud");
    });
    for (int round = 0; round < 20; ++round) {
        ASSERT_TRUE (quiet.send ("quiet"));
        int before = 0;
        while (pull.receive () == "loud" && before < 5'000'000)
            ++before;
        ASSERT_LT (before, 5'000'000);
    }
    stop = true;
    EXPECT_TRUE (eventually ([&] {
        (void)pull.receive (ZMQ_DONTWAIT);
        return flood.done ();
    }));
}

TEST_F (patterns, pull_reads_the_parts_of_one_message_together)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    std::vector<socket> pushes;
    for (int i = 0; i < 4; ++i) {
        pushes.push_back (open (ZMQ_PUSH));
        pushes.back ().connect (where);
    }
    std::vector<worker> senders;
    for (int i = 0; i < 4; ++i)
        senders.emplace_back ([&, i] {
            const std::string me = std::to_string (i);
            for (int k = 0; k < 500; ++k)
                EXPECT_TRUE (pushes[static_cast<std::size_t> (i)].send (
                  std::vector<std::string>{me, pattern (300), me}));
        });
    for (int k = 0; k < 2000; ++k) {
        const std::vector<std::string> got = pull.receive_message ();
        ASSERT_EQ (got.size (), 3u);
        ASSERT_EQ (got[0], got[2]);
    }
}

TEST_F (patterns, pair_has_one_peer)
{
    socket one = open (ZMQ_PAIR);
    const std::string where = one.bind (place ());
    socket two = open (ZMQ_PAIR);
    two.connect (where);
    ASSERT_TRUE (one.has_peers ());
    ASSERT_TRUE (two.has_peers ());
    socket three = open (ZMQ_PAIR);
    three.connect (where);
    (void)three.send ("intruder", ZMQ_DONTWAIT);
    ASSERT_TRUE (eventually ([&] {  // it has been decided
        return under_test ().one_queue || one.statistics ().handshakes_failed > 0
               || zlink_wait_peers (one, 2, 0) == 0;
    }));
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (one.send ("to two"));
        ASSERT_EQ (two.receive (), "to two");
        ASSERT_TRUE (two.send ("to one"));
        ASSERT_EQ (one.receive (), "to one");
    }
    EXPECT_EQ (zlink_wait_peers (one, 2, 0), -1);
}

TEST_F (patterns, pair_takes_a_new_peer_after_the_old_one_left)
{
    socket one = open (ZMQ_PAIR);
    const std::string where = one.bind (place ());
    for (int i = 0; i < 10; ++i) {
        socket two = open (ZMQ_PAIR);
        two.connect (where);
        ASSERT_TRUE (two.has_peers ());
        ASSERT_TRUE (two.send (std::to_string (i)));
        ASSERT_EQ (one.receive (), std::to_string (i));
        ASSERT_TRUE (one.send ("back"));
        ASSERT_EQ (two.receive (), "back");
        two.close ();
        ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (one, 1, 0) != 0; }));
    }
}

// What was read before the last peer left is still there for the reader.
TEST_F (patterns, what_a_peer_had_sent_survives_its_leaving)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    {
        std::optional<context> theirs;  // whose end is that of the connection
        if (!under_test ().one_queue)
            theirs.emplace (under_test ().zmq_context ());
        socket push (theirs ? *theirs : own, ZMQ_PUSH);
        push.set (ZMQ_LINGER, watchdog_ms);
        push.connect (where);
        for (int i = 0; i < 200; ++i)
            ASSERT_TRUE (push.send (std::to_string (i)));
    }
    for (int i = 0; i < 200; ++i)
        ASSERT_EQ (pull.receive (), std::to_string (i));
}

TEST_F (patterns, conflate_keeps_the_last)
{
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_CONFLATE, 1);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    constexpr int count = 1000;
    for (int i = 0; i < count; ++i)
        ASSERT_TRUE (push.send (std::to_string (i)));
    int last = -1;
    while (last < count - 1) {
        const auto got = pull.receive ();
        ASSERT_TRUE (got);
        ASSERT_GT (std::stoi (*got), last);
        last = std::stoi (*got);
    }
    EXPECT_FALSE (pull.receive (ZMQ_DONTWAIT));
}

// Sends so many, more than all queues hold, and nobody receives meanwhile; then
// receives up to the last of them. How many came.
unsigned send_all_then_receive (socket &push, socket &pull, unsigned count)
{
    for (unsigned i = 0; i < count; ++i)
        EXPECT_TRUE (push.send (pattern (1 << 19, i))) << i;
    std::optional<std::string> last = pull.receive ();
    unsigned received = 1;
    for (; last && *last != pattern (1 << 19, count - 1); ++received)
        last = pull.receive ();
    EXPECT_TRUE (last);
    EXPECT_LT (received, count);
    return received;
}

TEST_F (patterns, conflate_at_the_receiver_holds_no_sender_and_keeps_the_last)
{
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_CONFLATE, 1);
    pull.set (ZMQ_RCVHWM, 1);
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 1);
    ASSERT_TRUE (join (pull, push));
    (void)send_all_then_receive (push, pull, 64);
}

// Whoever connects cannot know yet who binds: what was sent before gives way, too.
TEST_F (patterns, conflate_at_the_receiver_holds_no_sender_whoever_came_first)
{
    const std::string where = place ();
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 2);
    push.connect (where);
    ASSERT_TRUE (push.send ("before"));
    ASSERT_TRUE (push.send ("before, too"));
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_CONFLATE, 1);
    pull.set (ZMQ_RCVHWM, 1);
    pull.bind (where);
    constexpr unsigned count = 64;
    const unsigned received = send_all_then_receive (push, pull, count);
    EXPECT_EQ (own_row (pull).dropped_conflated, count + 2 - received);
}

// A publisher drops nothing for one who keeps the newest only, and the others get
// all.
TEST_F (patterns, conflate_at_a_subscriber_costs_the_others_nothing)
{
    socket pub = open (ZMQ_XPUB);
    pub.set (ZMQ_XPUB_NODROP, 1);
    pub.set (ZMQ_XPUB_VERBOSE, 1);
    const std::string where = pub.bind (place ());
    socket newest = open (ZMQ_SUB);
    newest.set (ZMQ_CONFLATE, 1);
    newest.set (ZMQ_RCVHWM, 1);
    socket all = open (ZMQ_SUB);
    all.set (ZMQ_RCVHWM, 0);
    for (socket *each : {&newest, &all}) {
        ASSERT_EQ (zmq_setsockopt (*each, ZMQ_SUBSCRIBE, "", 0), 0);
        each->connect (where);
        ASSERT_TRUE (pub.receive ());
    }
    constexpr unsigned count = 64;
    for (unsigned i = 0; i < count; ++i)
        ASSERT_TRUE (pub.send (pattern (1 << 16, i))) << i;
    for (unsigned i = 0; i < count; ++i)
        ASSERT_EQ (all.receive (), pattern (1 << 16, i));
    std::optional<std::string> last = newest.receive ();
    while (last && *last != pattern (1 << 16, count - 1))
        last = newest.receive ();
    EXPECT_TRUE (last);
}

TEST_F (patterns, conflate_at_the_sender_never_blocks_and_delivers_the_last)
{
    const std::string where = place ();
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_CONFLATE, 1);
    push.connect (where);
    for (int i = 0; i < 5000; ++i)
        ASSERT_TRUE (push.send (pattern (100, static_cast<unsigned> (i)), ZMQ_DONTWAIT)) << i;
    ASSERT_TRUE (push.send ("last", ZMQ_DONTWAIT));
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_CONFLATE, 1);
    pull.bind (where);
    EXPECT_EQ (pull.receive (), "last");
}

TEST_F (patterns, conflate_under_traffic_goes_forward_and_ends_with_the_last)
{
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_CONFLATE, 1);
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_CONFLATE, 1);
    ASSERT_TRUE (join (pull, push));
    constexpr int count = 20'000;
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (push.send (std::to_string (i)));
    });
    int last = -1;
    while (last < count - 1) {
        const auto got = pull.receive ();
        ASSERT_TRUE (got);
        ASSERT_GT (std::stoi (*got), last);
        last = std::stoi (*got);
    }
}

TEST_F (patterns, immediate_queues_only_for_who_is_there)
{
    const std::string where = place ();
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_IMMEDIATE, 1);
    push.connect (where);
    EXPECT_FALSE (push.send ("nobody", ZMQ_DONTWAIT));
    EXPECT_EQ (errno, EAGAIN);
    socket there = open (ZMQ_PULL);
    push.connect (there.bind (place ()));
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE (push.send (std::to_string (i)));
        ASSERT_EQ (there.receive (), std::to_string (i));
    }
    socket late = open (ZMQ_PULL);
    late.bind (where);
    ASSERT_TRUE (push.has_peers (2));
    ASSERT_TRUE (push.send ("a"));
    ASSERT_TRUE (push.send ("b"));
    EXPECT_TRUE (late.receive ());
    EXPECT_TRUE (there.receive ());
}

}  // namespace
}  // namespace zlink::test

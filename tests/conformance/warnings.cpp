// What is warned of, over every transport.
#include "support/warnings.hpp"
#include "conformance/transport.hpp"
#include "support/events.hpp"

namespace zlink::test {
namespace {

struct warnings : conformance
{
    // Two things happen to a socket of which a queue has room for one.
    void lose_an_event ()
    {
        socket one = open (ZMQ_PAIR);
        socket peer = open (ZMQ_PAIR);
        events narrow (one, ZLINK_EVENT_ALL, 1);
        ASSERT_TRUE (join (one, peer));
        peer.close ();
        ASSERT_TRUE (eventually ([&] { return one.statistics ().events_lost > 0; }));
    }
};

TEST_F (warnings, of_events_that_nobody_fetched)
{
    heard_warnings heard;
    lose_an_event ();
    const said_line said = heard_warnings::find ("events lost");
    EXPECT_EQ (said.severity, ZLINK_LOG_WARNING);
    EXPECT_EQ (said.about, "PAIR");
}

// What is said may make any call, on what it is about, too.
TEST_F (warnings, are_said_with_no_lock_held)
{
    std::atomic<int> calls{0};
    heard_warnings heard ([&] {
        std::array<char, 4096> text{};
        std::size_t size = text.size ();
        EXPECT_EQ (zlink_ctx_counters_text (own, text.data (), &size), 0);
        socket another = open (ZMQ_PAIR);
        another.bind (place ());
        ++calls;
    });
    lose_an_event ();
    EXPECT_FALSE (heard_warnings::find ("events lost").text.empty ());
    EXPECT_GE (calls.load (), 1);
}

TEST_F (warnings, of_messages_that_a_peer_leaves_behind)
{
    heard_warnings heard;
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    push.set (ZMQ_SNDHWM, 10);
    push.set (ZMQ_SNDBUF, 16'384);
    pull.set (ZMQ_RCVHWM, 10);
    pull.set (ZMQ_RCVBUF, 16'384);
    const std::string where = push.bind (place ());
    pull.connect (where);
    ASSERT_TRUE (push.has_peers ());
    EXPECT_GT (push.send_until_full (pattern (30'000), 50), 0);
    pull.close ();
    const said_line said = heard_warnings::find ("peer-lost");
    EXPECT_EQ (said.severity, ZLINK_LOG_WARNING);
    EXPECT_EQ (said.text.substr (0, 18), "messages given up:");
    EXPECT_EQ (said.about.substr (0, where.size ()), where);
}

// An ordinary day: peers that come, talk and go.
// Programs for libzmq set them, so they are taken.
TEST_F (warnings, of_options_without_effect)
{
    for (const auto &[type, option, value] :
         {std::array{ZMQ_SUB, ZMQ_RATE, 200}, std::array{ZMQ_PUB, ZMQ_XPUB_VERBOSE, 1}}) {
        context anew (under_test ().zmq_context ());  // where it is the first of its kind
        socket taker (anew, type);
        heard_warnings heard;
        taker.set (option, value);
        const said_line said = heard_warnings::find ("no effect here: number " + std::to_string (option));
        EXPECT_EQ (said.severity, ZLINK_LOG_WARNING);
        EXPECT_EQ (said.about, type == ZMQ_SUB ? "SUB" : "PUB");
    }
}

TEST_F (warnings, are_not_of_what_was_asked_for)
{
    heard_warnings heard;
    for (int i = 0; i < 3; ++i) {
        socket pull = open (ZMQ_PULL);
        socket push = open (ZMQ_PUSH);
        ASSERT_TRUE (join (pull, push));
        ASSERT_TRUE (push.send ("one"));
        EXPECT_EQ (pull.receive (), "one");
        push.connect (place ());  // where nobody is
        ASSERT_TRUE (push.send ("two"));
        push.close ();  // LINGER is 0
    }
    own.term ();
    EXPECT_TRUE (heard_warnings::none ());
}

}  // namespace
}  // namespace zlink::test

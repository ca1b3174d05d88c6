// What is warned of where there are streams: peers that are turned away.
#include "conformance/transport.hpp"
#include "support/raw_peer.hpp"
#include "support/warnings.hpp"

namespace zlink::test {
namespace {

struct stream_warnings : conformance
{
};

TEST_F (stream_warnings, of_peers_of_another_type)
{
    heard_warnings heard;
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    socket pair = open (ZMQ_PAIR);
    pair.connect (where);
    const said_line said = heard_warnings::find ("socket-type-incompatible");
    EXPECT_EQ (said.severity, ZLINK_LOG_WARNING);
    EXPECT_EQ (said.text.substr (0, 18), "a peer turned away");
    EXPECT_EQ (said.about.substr (0, where.size ()), where);
}

TEST_F (stream_warnings, of_what_is_no_greeting)
{
    heard_warnings heard;
    socket pull = open (ZMQ_PULL);
    const raw_peer stranger = raw_peer::connect_to (pull.bind (place ()));
    ASSERT_TRUE (stranger.send (std::string (100, 'x')));
    EXPECT_EQ (heard_warnings::find ("greeting-malformed").severity, ZLINK_LOG_WARNING);
}

TEST_F (stream_warnings, of_servers_that_have_nobody_to_ask)
{
    heard_warnings heard;
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_PLAIN_SERVER, 1);
    const std::string where = pull.bind (place ());
    const said_line said = heard_warnings::find ("nobody to ask about peers: none comes in");
    EXPECT_EQ (said.severity, ZLINK_LOG_WARNING);
    EXPECT_FALSE (said.about.empty ());
}

TEST_F (stream_warnings, of_no_server_that_has_somebody_to_ask)
{
    heard_warnings heard;
    socket handler = open (ZMQ_REP);
    handler.bind ("inproc://zeromq.zap.01");
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_PLAIN_SERVER, 1);
    pull.bind (place ());
    EXPECT_TRUE (heard_warnings::none ());
}

// Who sees to the handler need not guess what the number means.
TEST_F (stream_warnings, of_who_was_refused_with_the_status)
{
    heard_warnings heard;
    socket handler = open (ZMQ_REP);
    handler.bind ("inproc://zeromq.zap.01");
    socket pull = open (ZMQ_PULL);
    pull.set (ZMQ_PLAIN_SERVER, 1);
    socket push = open (ZMQ_PUSH);
    ASSERT_EQ (zmq_setsockopt (push, ZMQ_PLAIN_USERNAME, "me", 2), 0);
    ASSERT_EQ (zmq_setsockopt (push, ZMQ_PLAIN_PASSWORD, "secret", 6), 0);
    push.connect (pull.bind (place ()));
    EXPECT_FALSE (handler.receive_message ().empty ());
    EXPECT_TRUE (handler.send (std::vector<std::string>{"1.0", "1", "400", "no", "", ""}));
    EXPECT_FALSE (heard_warnings::find ("(status 400: the credentials are not good)").text.empty ());
}

}  // namespace
}  // namespace zlink::test

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

}  // namespace
}  // namespace zlink::test

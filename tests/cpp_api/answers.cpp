// The forms of calls that answer a result: each does what its throwing twin does,
// and says what is wrong instead of throwing.
#include <chrono>
#include <vector>

#include <gtest/gtest.h>

#include "support/waiting.hpp"
#include "zlink/zlink.hpp"

namespace zlink {
namespace {

using namespace std::chrono_literals;

const std::string anywhere = "tcp://127.0.0.1:*";
constexpr std::chrono::milliseconds limit (test::watchdog_ms);

TEST (cpp_answers, of_endpoints_and_options)
{
    context in;
    EXPECT_TRUE (in.set (std::nothrow, ZLINK_MAX_SOCKETS, 10));
    EXPECT_EQ (*in.get (std::nothrow, ZLINK_MAX_SOCKETS), 10);
    EXPECT_EQ (in.set (std::nothrow, -1, 1).error (), errc::invalid_argument);
    EXPECT_EQ (in.get (std::nothrow, -1).error (), errc::invalid_argument);
    pull_socket pull (in);
    ASSERT_TRUE (pull.bind (std::nothrow, anywhere));
    const result<std::string> where = pull.get (std::nothrow, options::last_endpoint);
    ASSERT_TRUE (where);
    EXPECT_FALSE (*pull.wait_peers (std::nothrow, 1, 0ms));
    push_socket push (in);
    ASSERT_TRUE (push.connect (std::nothrow, *where));
    EXPECT_TRUE (*pull.wait_peers (std::nothrow, 1, limit));
    EXPECT_EQ (pull.status (std::nothrow, *where)->connected, 1U);
    EXPECT_EQ (pull.status (std::nothrow, "tcp://127.0.0.1:1").error (), errc::no_such_endpoint);
    EXPECT_FALSE (pull.ready (std::nothrow)->receive);
    EXPECT_EQ (push.statistics (std::nothrow)->messages_sent, 0U);
    EXPECT_TRUE (push.disconnect (std::nothrow, *where));
    EXPECT_EQ (push.disconnect (std::nothrow, *where).error (), errc::no_such_endpoint);
    EXPECT_TRUE (pull.unbind (std::nothrow, *where));
    EXPECT_EQ (pull.unbind (std::nothrow, *where).error (), errc::no_such_endpoint);
    EXPECT_FALSE (in.holders (std::nothrow)->empty ());
    EXPECT_FALSE (in.counters_text (std::nothrow)->empty ());
    pull.close ();
    push.close ();
    EXPECT_EQ (pull.ready (std::nothrow).error (), errc::not_a_socket);
    EXPECT_EQ (pull.statistics (std::nothrow).error (), errc::not_a_socket);
    EXPECT_EQ (pull.wait_peers (std::nothrow, 1).error (), errc::not_a_socket);
    EXPECT_EQ (pull.get (std::nothrow, options::last_endpoint).error (), errc::not_a_socket);
    EXPECT_TRUE (*in.terminate (std::nothrow, limit));
}

struct cpp_answers_of_traffic : testing::Test
{
    cpp_answers_of_traffic () { push.connect (pull.bind (anywhere)); }
    context in;
    pair_socket pull{in};
    pair_socket push{in};
};

TEST_F (cpp_answers_of_traffic, come_whole_and_in_parts)
{
    EXPECT_FALSE (pull.try_receive (std::nothrow)->has_value ());
    EXPECT_FALSE (pull.try_receive_parts (std::nothrow)->has_value ());
    std::array<std::byte, 8> room{};
    EXPECT_FALSE (pull.try_receive (std::nothrow, room)->has_value ());
    ASSERT_TRUE (push.wait_peers (1, limit));
    EXPECT_TRUE (*push.try_send (std::nothrow, "one"));
    EXPECT_TRUE (*push.try_send (std::nothrow, message ("two")));
    EXPECT_TRUE (push.send_parts (std::nothrow, "three", "parts"));
    std::vector<message> parts;
    parts.emplace_back ("four");
    EXPECT_TRUE (*push.try_send_parts (std::nothrow, parts));
    EXPECT_EQ (pull.receive ().text (), "one");
    EXPECT_EQ (pull.receive ().text (), "two");
    const result<std::vector<message>> whole = pull.receive_parts (std::nothrow);
    ASSERT_TRUE (whole);
    EXPECT_EQ (whole->size (), 2U);
    EXPECT_EQ (pull.receive ().text (), "four");
    const std::array<std::uint32_t, 2> sizes{1, 2};
    EXPECT_EQ (*push.send_packed (std::nothrow, bytes_of (std::string_view ("abb")), sizes), 2U);
    std::array<message, 2> batch;
    ASSERT_TRUE (test::eventually ([&] { return pull.ready (std::nothrow)->receive; }));
    EXPECT_GE (*pull.receive_batch (std::nothrow, batch), 1U);
    EXPECT_EQ (batch[0].text (), "a");
    EXPECT_EQ (batch[0].share (std::nothrow)->text (), "a");
}

TEST_F (cpp_answers_of_traffic, say_what_is_wrong)
{
    pull.close ();
    push.close ();
    std::vector<message> none;
    std::array<std::byte, 8> room{};
    std::array<std::uint32_t, 1> sizes{};
    EXPECT_EQ (push.try_send (std::nothrow, "x").error (), errc::not_a_socket);
    EXPECT_EQ (push.try_send (std::nothrow, message ("x")).error (), errc::not_a_socket);
    EXPECT_EQ (push.send_parts (std::nothrow, "x", "y").error (), errc::not_a_socket);
    EXPECT_TRUE (push.try_send_parts (std::nothrow, none).error ());
    EXPECT_TRUE (push.send_packed (std::nothrow, bytes_of (std::string_view ("x")), sizes).error ());
    EXPECT_EQ (pull.try_receive (std::nothrow).error (), errc::not_a_socket);
    EXPECT_EQ (pull.try_receive (std::nothrow, room).error (), errc::not_a_socket);
    EXPECT_EQ (pull.receive_parts (std::nothrow).error (), errc::not_a_socket);
    EXPECT_EQ (pull.try_receive_parts (std::nothrow).error (), errc::not_a_socket);
    EXPECT_TRUE (pull.receive_batch (std::nothrow, none).error ());
    EXPECT_EQ (pull.receive_packed (std::nothrow, room, sizes).error (), errc::not_a_socket);
}

TEST (cpp_answers, of_topics)
{
    context in;
    xpub_socket pub (in);
    sub_socket sub (in);
    xsub_socket xsub (in);
    EXPECT_EQ (pub.subscribe (std::nothrow, "a").error (), errc::invalid_argument);
    EXPECT_TRUE (sub.subscribe (std::nothrow, "a"));
    EXPECT_TRUE (sub.unsubscribe (std::nothrow, "a"));
    EXPECT_TRUE (sub.unsubscribe (std::nothrow, "a"));
    EXPECT_TRUE (xsub.subscribe (std::nothrow, "a"));
    EXPECT_TRUE (xsub.unsubscribe (std::nothrow, "a"));
    sub.close ();
    xsub.close ();
    EXPECT_EQ (sub.subscribe (std::nothrow, "a").error (), errc::not_a_socket);
    EXPECT_EQ (xsub.subscribe (std::nothrow, "a").error (), errc::not_a_socket);
}

TEST (cpp_answers, of_those_who_say_to_whom)
{
    context in;
    router_socket router (in);
    router.set (options::router_mandatory, true);
    EXPECT_EQ (router.send_to (std::nothrow, "nobody", "x").error (), errc::no_such_peer);
    std::array<message, 1> kept{message ("kept")};
    EXPECT_EQ (router.send_to (std::nothrow, message ("nobody"), kept).error (), errc::no_such_peer);
    EXPECT_EQ (kept[0].text (), "kept");
    req_socket req (in);
    req.connect (router.bind (anywhere));
    req.send ("question");
    const result<routed_message> asked = router.receive_from (std::nothrow);
    ASSERT_TRUE (asked);
    EXPECT_EQ (asked->parts.back ().text (), "question");
    EXPECT_EQ (req.request (std::nothrow, "too early").error (), errc::wrong_state);
    router.close ();
    EXPECT_EQ (router.receive_from (std::nothrow).error (), errc::not_a_socket);
    stream_socket stream (in);
    EXPECT_FALSE (stream.try_receive_from (std::nothrow)->has_value ());
    EXPECT_TRUE (stream.send_to (std::nothrow, message ("nobody"), "x").error ());
    EXPECT_TRUE (stream.disconnect_peer (std::nothrow, message ("nobody")).error ());
    stream.close ();
    EXPECT_EQ (stream.receive_from (std::nothrow).error (), errc::not_a_socket);
}

TEST (cpp_answers, of_pollers)
{
    context in;
    pull_socket pull (in);
    poller all;
    EXPECT_EQ (all.descriptor (std::nothrow).error (), errc::invalid_argument);
    EXPECT_EQ (all.modify (std::nothrow, pull, events::receive).error (), errc::invalid_argument);
    EXPECT_TRUE (all.add (std::nothrow, pull, events::receive));
    EXPECT_EQ (all.add (std::nothrow, pull, events::receive).error (), errc::invalid_argument);
    EXPECT_EQ (all.size (), 1U);
    EXPECT_TRUE (all.modify (std::nothrow, pull, events::receive));
    EXPECT_TRUE (all.wait (std::nothrow, 0ms)->empty ());
    EXPECT_TRUE (all.remove (std::nothrow, pull));
    EXPECT_EQ (all.remove (std::nothrow, pull).error (), errc::invalid_argument);
    EXPECT_EQ (all.size (), 0U);
}

}  // namespace
}  // namespace zlink

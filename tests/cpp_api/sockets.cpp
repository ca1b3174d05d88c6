// Sockets of the C++ interface: every type over tcp, both forms of failing.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <zlink/zlink.hpp>

#include "support/waiting.hpp"

namespace zlink::test {
namespace {

using namespace std::chrono_literals;

constexpr const char *anywhere = "tcp://127.0.0.1:*";

static_assert (sender<push_socket> && !receiver<push_socket>);
static_assert (!sender<pull_socket> && receiver<pull_socket>);
static_assert (sender<pair_socket> && receiver<pair_socket>);
static_assert (sender<pub_socket> && !receiver<pub_socket>);
static_assert (!sender<sub_socket> && receiver<sub_socket>);
static_assert (parts_sender<push_socket> && parts_receiver<pull_socket>);
static_assert (sender<client_socket> && !parts_sender<client_socket>);
static_assert (receiver<client_socket> && !parts_receiver<client_socket>);
static_assert (!sender<server_socket> && receiver<server_socket>);
static_assert (sender<scatter_socket> && !receiver<scatter_socket>);
static_assert (!sender<gather_socket> && receiver<gather_socket>);
static_assert (std::is_nothrow_move_constructible_v<push_socket>);

TEST (cpp_sockets, carry_messages_between_two)
{
    context in;
    pull_socket pull (in);
    push_socket push (in);
    push.connect (pull.bind (anywhere));
    EXPECT_EQ (push.send ("hello"), 5u);
    EXPECT_EQ (pull.receive ().text (), "hello");
    message body (std::string (100'000, 'b'));
    EXPECT_EQ (push.send (std::move (body)), 100'000u);
    EXPECT_TRUE (body.empty ());
    message taken ("old");
    pull.receive (taken);
    EXPECT_EQ (taken.size (), 100'000u);
}

TEST (cpp_sockets, tell_what_was_cut_off)
{
    context in;
    pair_socket one (in), other (in);
    other.connect (one.bind (anywhere));
    other.send ("four");
    other.send ("four");
    std::array<std::byte, 3> three{};
    const received cut = one.receive (three);
    EXPECT_EQ (cut.size, 4u);
    EXPECT_TRUE (cut.truncated);
    std::array<std::byte, 4> four{};
    EXPECT_FALSE (one.receive (four).truncated);
}

TEST (cpp_sockets, answer_nothing_rather_than_wait)
{
    context in;
    pair_socket one (in), other (in);
    std::array<std::byte, 3> room{};
    EXPECT_FALSE (one.try_receive ());
    EXPECT_FALSE (one.try_receive (room));
    EXPECT_FALSE (one.try_receive_parts ());
    EXPECT_FALSE (one.try_send ("nobody is there"));
    message kept ("nobody is there");
    EXPECT_FALSE (one.try_send (std::move (kept)));
    EXPECT_EQ (kept.text (), "nobody is there");
    other.connect (one.bind (anywhere));
    ASSERT_TRUE (one.wait_peers (1));
    EXPECT_TRUE (one.try_send (std::move (kept)));
    EXPECT_EQ (other.receive ().text (), "nobody is there");
}

TEST (cpp_sockets, fail_by_a_throw_or_by_an_answer)
{
    context in;
    pull_socket pull (in);
    pull.set (options::rcvtimeo, 0ms);
    const result<message> none = pull.receive (std::nothrow);
    ASSERT_FALSE (none);
    EXPECT_EQ (none.error (), errc::would_block);
    try {
        static_cast<void> (pull.receive ());
        FAIL ();
    } catch (const failure &why) {
        EXPECT_EQ (why.why (), errc::would_block);
    }
    EXPECT_EQ (pull.bind (std::nothrow, "nonsense").error (), errc::invalid_argument);
    EXPECT_THROW (static_cast<void> (pull.bind ("nonsense://here")), failure);
    EXPECT_THROW (pull.unbind (anywhere), failure);
    EXPECT_THROW (pull.disconnect (anywhere), failure);
    pull.close ();
    EXPECT_EQ (pull.receive (std::nothrow).error (), errc::not_a_socket);
    EXPECT_EQ (pull.handle (), nullptr);
}

TEST (cpp_sockets, send_and_receive_whole_messages)
{
    context in;
    dealer_socket one (in), other (in);
    other.connect (one.bind (anywhere));
    other.send_parts ("a", std::vector<int>{1, 2}, std::string ("c"));
    std::vector<message> few = one.receive_parts ();
    ASSERT_EQ (few.size (), 3u);
    EXPECT_EQ (few[0].text (), "a");
    EXPECT_EQ (few[1].size (), 8u);
    std::vector<message> many;
    for (int i = 0; i < 50; ++i)
        many.emplace_back (std::to_string (i));
    one.send_parts (many);
    EXPECT_TRUE (many.front ().empty ());
    const std::vector<message> back = other.receive_parts ();
    ASSERT_EQ (back.size (), 50u);
    EXPECT_EQ (back[49].text (), "49");
}

TEST (cpp_sockets, send_and_receive_in_batches)
{
    context in;
    pull_socket pull (in);
    push_socket push (in);
    push.connect (pull.bind (anywhere));
    std::vector<message> all;
    for (int i = 0; i < 100; ++i)
        all.emplace_back (std::to_string (i));
    std::size_t sent = 0;
    while (sent < all.size ())
        sent += push.send_batch (std::span (all).subspan (sent));
    std::vector<message> got (100);
    std::size_t have = 0;
    while (have < got.size ())
        have += pull.receive_batch (std::span (got).subspan (have));
    EXPECT_EQ (got[99].text (), "99");

    const std::string bytes = "onetwothree";
    const std::array<std::uint32_t, 3> sizes{3, 3, 5};
    EXPECT_EQ (push.send_packed (bytes_of (bytes), sizes), 3u);
    std::array<std::byte, 64> room{};
    std::array<std::uint32_t, 3> found{};
    std::size_t taken = 0, at = 0;
    while (taken < 3) {
        const std::size_t now =
          pull.receive_packed (std::span (room).subspan (at), std::span (found).subspan (taken));
        for (std::size_t i = taken; i < taken + now; ++i)
            at += found[i];
        taken += now;
    }
    EXPECT_EQ (text_of (std::span (room).first (at)), bytes);
    EXPECT_EQ (found, sizes);
}

TEST (cpp_sockets, ask_and_answer)
{
    context in;
    rep_socket rep (in);
    req_socket req (in);
    req.connect (rep.bind (anywhere));
    const worker answers ([&] {
        const message asked = rep.receive ();
        rep.send (std::string (asked.text ()) + "!");
    });
    EXPECT_EQ (req.request ("anybody").text (), "anybody!");
    EXPECT_EQ (req.receive (std::nothrow).error (), errc::wrong_state);
}

TEST (cpp_sockets, route_by_name)
{
    context in;
    router_socket router (in);
    dealer_socket dealer (in);
    dealer.set (options::routing_id, "me");
    dealer.connect (router.bind (anywhere));
    dealer.send_parts ("a", "b");
    routed_message asked = router.receive_from ();
    EXPECT_EQ (asked.peer.text (), "me");
    ASSERT_EQ (asked.parts.size (), 2u);
    router.send_to (asked.peer, asked.parts);
    EXPECT_TRUE (asked.parts.front ().empty ());
    EXPECT_EQ (dealer.receive_parts ()[1].text (), "b");
    router.send_to ("me", "direct");
    EXPECT_EQ (dealer.receive ().text (), "direct");
    router.set (options::router_mandatory, true);
    std::array<message, 1> kept{message ("kept")};
    try {
        router.send_to (message ("nobody"), kept);
        FAIL ();
    } catch (const failure &why) {
        EXPECT_EQ (why.why (), errc::no_such_peer);
    }
    EXPECT_EQ (kept[0].text (), "kept");
}

TEST (cpp_sockets, publish_to_whoever_asked)
{
    context in;
    xpub_socket pub (in);
    sub_socket sub (in);
    sub.subscribe ("weather");
    sub.connect (pub.bind (anywhere));
    const message first = pub.receive ();
    const std::optional<subscription> asked = xpub_socket::subscription_in (first);
    ASSERT_TRUE (asked);
    EXPECT_TRUE (asked->begins);
    EXPECT_EQ (text_of (asked->topic), "weather");
    pub.send ("news");
    pub.send ("weather: rain");
    EXPECT_EQ (sub.receive ().text (), "weather: rain");
    sub.unsubscribe ("weather");
    const message last = pub.receive ();
    EXPECT_FALSE (xpub_socket::subscription_in (last)->begins);
    EXPECT_FALSE (xpub_socket::subscription_in (message ("words")));
    EXPECT_NO_THROW (sub.unsubscribe ("weather"));  // there is none: nothing changes
}

TEST (cpp_sockets, wait_until_subscriptions_by_patterns_hold)
{
    context in;
    pub_socket pub (in);
    sub_socket sub (in);
    EXPECT_FALSE (pub.wait_subscribers (1, 0ms));
    EXPECT_FALSE (sub.wait_subscribed (1, 0ms));
    sub.connect (pub.bind (anywhere));
    sub.subscribe_pattern ("room.*");
    EXPECT_THROW (sub.subscribe_pattern ("[room"), failure);
    EXPECT_TRUE (sub.unsubscribe_pattern (std::nothrow, "hall.*"));
    ASSERT_TRUE (sub.wait_subscribed ());
    EXPECT_TRUE (pub.wait_subscribers (1));
    pub.send ("room.1.window");
    pub.send ("room.1");
    EXPECT_EQ (sub.receive ().text (), "room.1");
    sub.unsubscribe_pattern ("room.*");
    pub.close ();
    EXPECT_EQ (pub.wait_subscribers (std::nothrow, 1).error (), errc::not_a_socket);
}

TEST (cpp_sockets, enter_topics_by_hand)
{
    context in;
    xpub_socket pub (in);
    EXPECT_THROW (pub.subscribe ("a"), failure);  // not by hand
    pub.set (options::xpub_manual, true);
    sub_socket sub (in);
    sub.subscribe ("wish");
    sub.connect (pub.bind (anywhere));
    EXPECT_TRUE (xpub_socket::subscription_in (pub.receive ())->begins);
    pub.subscribe ("what it gets");
    pub.send ("wish");
    pub.send ("what it gets");
    sub.subscribe ("what");  // so that it is not filtered here
    EXPECT_TRUE (xpub_socket::subscription_in (pub.receive ())->begins);
    pub.send ("what it gets: second");
    message got = sub.receive ();
    if (got.text () == "what it gets")  // it came behind the topic
        got = sub.receive ();
    EXPECT_EQ (got.text (), "what it gets: second");
    EXPECT_TRUE (pub.unsubscribe (std::nothrow, "what it gets"));
    pub.subscribe ("what else");
    pub.send ("what it gets");
    pub.send ("what else");
    EXPECT_EQ (sub.receive ().text (), "what else");
}

TEST (cpp_sockets, subscribe_upstream_by_messages)
{
    context in;
    pub_socket pub (in);
    xsub_socket sub (in);
    sub.connect (pub.bind (anywhere));
    sub.subscribe ("a");
    sub.subscribe ("");
    sub.unsubscribe ("a");
    ASSERT_TRUE (eventually ([&] {
        pub.send ("b");
        return sub.try_receive ().has_value ();
    }));
}

TEST (cpp_sockets, have_typed_options)
{
    context in;
    push_socket push (in);
    push.set (options::sndhwm, 5);
    EXPECT_EQ (push.get (options::sndhwm), 5);
    push.set (options::linger, 1s);
    EXPECT_EQ (push.get (options::linger), 1000ms);
    push.set (options::linger, for_ever);
    push.set (options::immediate, true);
    EXPECT_TRUE (push.get (options::immediate));
    push.set (options::routing_id, std::string ("a\0b", 3));
    EXPECT_EQ (push.get (options::routing_id), std::string ("a\0b", 3));
    push.set (options::routing_id, std::string ("a\0", 2));
    EXPECT_EQ (push.get (options::routing_id), std::string ("a\0", 2));
    EXPECT_EQ (push.get (options::last_endpoint), "");
    EXPECT_EQ (push.set (std::nothrow, options::sndhwm, -5).error (), errc::invalid_argument);
    EXPECT_THROW (push.set (options::req_relaxed, true), failure);
    EXPECT_THROW (static_cast<void> (push.get (options::topics_count)), failure);
}

TEST (cpp_sockets, say_how_they_do)
{
    context in;
    pull_socket pull (in);
    push_socket push (in);
    const std::string where = pull.bind (anywhere);
    push.connect (where);
    ASSERT_TRUE (push.wait_peers (1));
    EXPECT_FALSE (push.wait_peers (2, 1ms));
    EXPECT_EQ (push.status (where).connected, 1u);
    EXPECT_TRUE (push.ready ().send);
    EXPECT_FALSE (pull.ready ().receive);
    push.send ("x");
    ASSERT_TRUE (eventually ([&] { return pull.ready ().receive; }));
    EXPECT_EQ (push.statistics ().messages_sent, 1u);
    EXPECT_NE (in.counters_text ().find ("PUSH"), std::string::npos);
    EXPECT_NE (in.holders ().find ("PULL"), std::string::npos);
}

TEST (cpp_sockets, speak_to_plain_streams)
{
    context in;
    stream_socket one (in), other (in);
    EXPECT_FALSE (one.try_receive_from ());
    other.connect (one.bind (anywhere));
    const streamed came = one.receive_from ();
    EXPECT_EQ (came.what, stream_news::came);
    EXPECT_EQ (other.receive_from ().what, stream_news::came);
    one.send_to (came.peer, "packet");
    const streamed got = other.receive_from ();
    EXPECT_EQ (got.what, stream_news::data);
    EXPECT_EQ (got.body.text (), "packet");
    one.disconnect_peer (came.peer);
    EXPECT_EQ (other.receive_from ().what, stream_news::went);
    EXPECT_THROW (one.send_to (message ("nobody"), "x"), failure);
}

TEST (cpp_sockets, move)
{
    context in;
    pull_socket pull (in);
    push_socket push (in);
    push.connect (pull.bind ("inproc://moved"));
    pull_socket taken (std::move (pull));
    EXPECT_EQ (pull.handle (), nullptr);
    push.send ("to the one who is there");
    EXPECT_EQ (taken.receive ().text (), "to the one who is there");
    push_socket other (in);
    other = std::move (push);
    other.send ("on");
    EXPECT_EQ (taken.receive ().text (), "on");
}

TEST (cpp_sockets, know_clients_by_numbers)
{
    context in;
    server_socket server (in);
    client_socket client (in);
    client.connect (server.bind (anywhere));
    client.send ("hello");
    message got = server.receive ();
    EXPECT_EQ (got.text (), "hello");
    const std::uint32_t peer = got.peer_number ();
    server.send_to (peer, "copied");
    EXPECT_TRUE (server.try_send_to (peer, std::move (got)));
    EXPECT_EQ (client.receive ().text (), "copied");
    EXPECT_EQ (client.receive ().text (), "hello");
    EXPECT_EQ (server.send_to (std::nothrow, 0, "x").error (), errc::no_such_peer);
    EXPECT_EQ (server.send_to (std::nothrow, peer + 1, "x").error (), errc::no_such_peer);
    EXPECT_THROW (server.send_to (peer + 1, "x"), failure);
    server.disconnect_peer (peer);
    EXPECT_THROW (server.disconnect_peer (peer), failure);
}

TEST (cpp_sockets, dial_peers_by_number)
{
    context in;
    peer_socket one (in);
    peer_socket other (in);
    const std::uint32_t number = one.connect_peer (other.bind (anywhere));
    one.send_to (number, "to you");
    const message got = other.receive ();
    EXPECT_EQ (got.text (), "to you");
    other.send_to (got.peer_number (), "and back");
    EXPECT_EQ (one.receive ().peer_number (), number);
    EXPECT_EQ (one.connect_peer (std::nothrow, "nonsense").error (), errc::invalid_argument);
}

TEST (cpp_sockets, send_to_groups)
{
    context in;
    radio_socket radio (in);
    dish_socket dish (in);
    dish.join ("sport");
    dish.connect (radio.bind (anywhere));
    ASSERT_TRUE (radio.wait_subscribers (1) && dish.wait_subscribed ());
    radio.send_to_group ("news", "not heard");
    radio.send_to_group ("sport", "goal");
    radio.send_to_group ("sport", message (std::string (100'000, 'x')));
    const message got = dish.receive ();
    EXPECT_EQ (got.group (), "sport");
    EXPECT_EQ (got.text (), "goal");
    EXPECT_EQ (dish.receive ().size (), 100'000u);
    EXPECT_THROW (dish.join ("sport"), failure);
    dish.leave ("sport");
    EXPECT_EQ (dish.leave (std::nothrow, "sport").error (), errc::invalid_argument);
    EXPECT_EQ (radio.send_to_group (std::nothrow, std::string (256, 'g'), "x").error (),
               errc::invalid_argument);
}

TEST (cpp_sockets, carry_messages_of_one_part)
{
    context in;
    gather_socket gather (in);
    scatter_socket scatter (in);
    scatter.connect (gather.bind (anywhere));
    scatter.send ("one");
    EXPECT_EQ (gather.receive ().text (), "one");
    channel_socket here (in);
    channel_socket there (in);
    there.connect (here.bind (anywhere));
    there.send ("over");
    EXPECT_EQ (here.receive ().text (), "over");
    here.send ("back");
    EXPECT_EQ (there.receive ().text (), "back");
}

TEST (cpp_sockets, send_and_receive_datagrams)
{
    context in;
    dgram_socket here (in);
    dgram_socket there (in);
    constexpr std::string_view scheme = "udp://";
    const std::string first = here.bind ("udp://127.0.0.1:*").substr (scheme.size ());
    const std::string second = there.bind ("udp://127.0.0.1:*").substr (scheme.size ());
    EXPECT_FALSE (here.try_receive_from ());
    here.send_to (second, "question");
    const datagram asked = there.receive_from ();
    EXPECT_EQ (asked.address (), first);
    EXPECT_EQ (asked.body.text (), "question");
    EXPECT_TRUE (there.send_to (std::nothrow, asked.address (), std::vector<int>{1, 2}));
    const datagram answered = here.receive_from ();
    EXPECT_EQ (answered.address (), second);
    EXPECT_EQ (answered.body.size (), 2 * sizeof (int));
    here.close ();
    EXPECT_EQ (here.receive_from (std::nothrow).error (), errc::not_a_socket);
    EXPECT_THROW (here.send_to (second, "x"), failure);
}

TEST (cpp_sockets, ask_a_function_who_comes_in)
{
    context in;
    auto calls = std::make_shared<std::atomic<int>> (0);
    pull_socket pull (in);
    pull.set (options::plain_server, true);
    pull.set_authenticator (
      [calls, own = std::string ("s3cret")] (const zlink_claim_t &claim, std::string &user) {
          ++*calls;
          if (std::string_view (claim.username) == "odd")
              throw std::runtime_error ("odd");
          if (std::string_view (claim.username) == "long")
              user.assign (ZLINK_USER_ID_BYTES, 'u');
          else
              user += "@home";
          return claim.password == own ? 200 : 400;
      });
    const std::string where = pull.bind (anywhere);
    const auto dial = [&] (push_socket &by, const char *name, const char *password) {
        by.set (options::reconnect_ivl, std::chrono::milliseconds (-1));
        by.set (options::plain_username, name);
        by.set (options::plain_password, password);
        by.connect (where);
    };
    push_socket good (in);
    dial (good, "joe", "s3cret");
    ASSERT_TRUE (good.wait_peers (1));
    good.send ("hello");
    const message got = pull.receive ();
    EXPECT_EQ (got.text (), "hello");
    EXPECT_EQ (got.property ("User-Id"), "joe@home");
    for (const auto &[name, password, status] :
         {std::tuple{"joe", "other", 400}, {"odd", "s3cret", 500}, {"long", "s3cret", 500}}) {
        push_socket bad (in);
        dial (bad, name, password);
        EXPECT_TRUE (eventually ([&] { return bad.status (where).last_os_error == status; })) << name;
    }
    EXPECT_EQ (*calls, 4);
    pull.reset_authenticator ();
    EXPECT_TRUE (eventually ([&] { return calls.use_count () == 1; }));

    const std::string hash = hash_password ("s3cret");
    EXPECT_EQ (hash.substr (0, 10), "$argon2id$");
    pull.set (options::plain_passwords, "ann:" + hash);
    push_socket listed (in);
    dial (listed, "ann", "s3cret");
    EXPECT_TRUE (listed.wait_peers (1));
}

TEST (cpp_contexts, end_and_say_who_holds_them)
{
    context in;
    in.set (ZLINK_MAX_SOCKETS, 5);
    EXPECT_EQ (in.get (ZLINK_MAX_SOCKETS), 5);
    EXPECT_THROW (in.set (ZLINK_MAX_SOCKETS, -5), failure);
    pair_socket holder (in);
    EXPECT_FALSE (in.terminate (1ms));
    EXPECT_EQ (holder.receive (std::nothrow).error (), errc::terminated);
    holder.close ();
    EXPECT_TRUE (in.terminate (for_ever));
    EXPECT_THROW (pair_socket again (in), failure);
    context other;
    context moved (std::move (other));
    const pair_socket one (moved);
    moved.shutdown ();
}

}  // namespace
}  // namespace zlink::test

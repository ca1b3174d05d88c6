// Topics of the C++ interface: messages and their parts, handlers, ranges and coroutines, and
// how nodes find each other.
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cpp_api/posting.hpp"
#include "support/identities.hpp"
#include "support/waiting.hpp"
#include "zlink/poller.hpp"
#include "zlink/registry.hpp"
#include "zlink/spot.hpp"
#include "zlink/zlink.hpp"

namespace zlink {
namespace {

static_assert (std::ranges::input_range<spot_range> && std::ranges::view<spot_range>);

struct seen
{
    std::string text;
    std::error_code bad;
    std::thread::id where;
    bool over = false;
};

template <class Executor>
started read_one (spot_subscriber &from, Executor &where, std::stop_token token, seen &to)
{
    const result<spot_message> got = co_await from.receive (std::nothrow, where, std::move (token));
    to.bad = got ? std::error_code () : got.error ();
    to.text = got ? std::string (got->text ()) : "";
    to.where = std::this_thread::get_id ();
    to.over = true;
}

struct spots : testing::Test
{
    spots () { from.subscribe ("room"); }

    context own;
    spot_node node{own};
    spot_publisher to{node};
    std::optional<spot_subscriber> kept{node};
    spot_subscriber &from = *kept;
    desk here;
};

TEST_F (spots, a_message_of_several_parts_has_them)
{
    std::array<message, 2> parts{message (std::string_view ("one")), message (std::string_view ("two"))};
    to.publish ("room", parts);
    to.publish ("room", "alone");
    std::optional<spot_message> got = from.receive ();
    ASSERT_TRUE (got);
    ASSERT_EQ (got->parts ().size (), 2u);
    EXPECT_EQ (got->parts ()[1].text (), "two");
    got = from.receive ();
    ASSERT_TRUE (got);
    EXPECT_EQ (got->text (), "alone");
    EXPECT_TRUE (got->parts ().empty ());
}

TEST_F (spots, messages_are_a_range_that_ends_with_the_time)
{
    for (const char *each : {"1", "2", "3"})
        to.publish ("room", each);
    std::string all;
    for (const spot_message &each : from.messages (std::chrono::milliseconds (1)))
        all += each.text ();
    EXPECT_EQ (all, "123");
}

TEST_F (spots, who_awaits_what_is_there_does_not_wait)
{
    to.publish ("room", "there");
    seen got;
    read_one (from, here, {}, got);
    EXPECT_TRUE (got.over);
    EXPECT_EQ (got.text, "there");
}

TEST_F (spots, who_waits_goes_on_where_the_executor_says)
{
    seen got;
    read_one (from, here, {}, got);
    EXPECT_FALSE (got.over);
    to.publish ("room", "later");
    here.run_one ();
    EXPECT_TRUE (got.over);
    EXPECT_EQ (got.text, "later");
    EXPECT_EQ (got.where, std::this_thread::get_id ());
}

TEST_F (spots, a_stop_loses_no_message)
{
    constexpr int rounds = 300;
    int next = 0;
    for (int i = 0; i < rounds; ++i) {
        std::stop_source stop;
        seen got;
        read_one (from, here, stop.get_token (), got);
        const std::string body = std::to_string (i);
        std::thread publisher ([&] { to.publish ("room", body); });
        stop.request_stop ();
        publisher.join ();
        while (!got.over)
            here.run_one ();
        EXPECT_TRUE (!got.bad || got.bad == make_error_code (errc::cancelled)) << got.bad.message ();
        if (!got.bad) {
            EXPECT_EQ (got.text, std::to_string (next++));
        }
    }
    for (; next < rounds; ++next) {
        seen got;
        read_one (from, here, {}, got);
        while (!got.over)
            here.run_one ();
        ASSERT_EQ (got.text, std::to_string (next));
    }
}

struct told_waiter : detail::spot_waiter<detail::spot_messages>
{
    void go_on () noexcept override {}
};

TEST_F (spots, what_comes_behind_a_stop_is_kept_for_the_next)
{
    const auto pump = std::make_shared<detail::spot_pump<detail::spot_messages>> (from.handle ());
    told_waiter stopped;
    told_waiter next;
    const auto is_receiving = [&] {
        const std::lock_guard guard (pump->lock ());
        return pump->is_receiving_locked ();
    };
    {
        const std::lock_guard guard (pump->lock ());
        ASSERT_TRUE (pump->wait_locked (stopped));
    }
    while (!is_receiving ())
        std::this_thread::yield ();
    {
        const std::lock_guard guard (pump->lock ());
        ASSERT_TRUE (pump->give_up_locked (stopped));
    }
    to.publish ("room", "kept");
    while (is_receiving ())
        std::this_thread::yield ();
    EXPECT_TRUE (pump->take (next));
    kept.reset ();
    pump->end ();
}

TEST_F (spots, who_was_stopped_before_is_told_at_once)
{
    std::stop_source stop;
    stop.request_stop ();
    seen got;
    read_one (from, here, stop.get_token (), got);
    EXPECT_TRUE (got.over);
    EXPECT_EQ (got.bad, make_error_code (errc::cancelled));
}

TEST_F (spots, the_end_of_a_subscriber_is_told_to_who_waits)
{
    seen got;
    read_one (from, here, {}, got);
    kept.reset ();
    here.run_one ();
    EXPECT_TRUE (got.over);
    EXPECT_EQ (got.bad, errc::terminated);
}

TEST_F (spots, what_was_unsubscribed_from_comes_no_more)
{
    from.subscribe_prefix ("ro*");
    from.subscribe_glob ("r*m");
    from.unsubscribe ("room");
    from.unsubscribe_prefix ("ro*");
    to.publish ("room", "by the pattern");
    std::optional<spot_message> got = from.receive ();
    ASSERT_TRUE (got);
    EXPECT_EQ (got->text (), "by the pattern");
    from.unsubscribe_glob ("r*m");
    from.subscribe ("other");
    to.publish ("room", "nobody wants it");
    to.publish ("other", "last");
    got = from.receive ();
    ASSERT_TRUE (got);
    EXPECT_EQ (got->text (), "last");
    for (const result<void> &each :
         {from.unsubscribe (std::nothrow, "room"), from.unsubscribe_prefix (std::nothrow, "ro*"),
          from.unsubscribe_glob (std::nothrow, "r*m")})
        EXPECT_EQ (each.error (), errc::invalid_argument);
    EXPECT_THROW (from.unsubscribe ("room"), failure);
}

TEST_F (spots, a_queue_counts_what_it_drops)
{
    from.set_policy (spot_policy::drop_oldest, 2);
    spot_subscriber other (node);
    other.subscribe ("room");
    for (const char *each : {"1", "2", "3"})
        to.publish ("room", each);
    for (int i = 0; i < 3; ++i)  // reads for all
        EXPECT_TRUE (other.receive ());
    const spot_counters now = from.counters ();
    EXPECT_EQ (now.queued, 3u);
    EXPECT_EQ (now.dropped, 1u);
    EXPECT_EQ (now.waiting, 2u);
    EXPECT_EQ (now.conflated, 0u);
}

// What handlers were called with.
struct heard
{
    void note (std::string what)
    {
        const std::lock_guard here (lock);
        all.push_back (std::move (what));
        news.notify_one ();
    }
    // Blocks until there are so many, under the test's watchdog.
    std::vector<std::string> wait_for (std::size_t count)
    {
        std::unique_lock here (lock);
        news.wait (here, [&] { return all.size () >= count; });
        return all;
    }

    std::mutex lock;
    std::condition_variable news;
    std::vector<std::string> all;
};

TEST_F (spots, a_handler_is_called_until_there_is_another_or_none)
{
    heard told;
    from.set_handler ([&] (std::string_view topic, std::span<const message> parts) {
        told.note (std::string (topic) + ":" + std::string (parts.front ().text ()) + "/"
                   + std::to_string (parts.size ()));
    });
    EXPECT_EQ (from.receive (std::nothrow, std::chrono::milliseconds (0)).error (), errc::invalid_argument);
    std::array<message, 2> parts{message (std::string_view ("two")), message (std::string_view ("parts"))};
    to.publish ("room", "one");
    to.publish ("room", parts);
    EXPECT_EQ (told.wait_for (2), (std::vector<std::string>{"room:one/1", "room:two/2"}));
    from.set_handler ([&] (std::string_view, std::span<const message>) { told.note ("the other"); });
    to.publish ("room", "three");
    EXPECT_EQ (told.wait_for (3).back (), "the other");
    from.set_handler ({});
    to.publish ("room", "four");
    const std::optional<spot_message> got = from.receive ();
    ASSERT_TRUE (got);
    EXPECT_EQ (got->text (), "four");
}

TEST_F (spots, a_handler_moves_with_its_subscriber)
{
    heard told;
    from.set_handler ([&] (std::string_view, std::span<const message> parts) {
        told.note (std::string (parts.front ().text ()));
    });
    spot_subscriber moved = std::move (from);
    kept.reset ();
    to.publish ("room", "still");
    EXPECT_EQ (told.wait_for (1).front (), "still");
}

// Published again until it is heard: the topic has to get around.
void reach (spot_publisher &by, spot_subscriber &reads)
{
    do
        by.publish ("room", "far");
    while (!reads.receive (std::chrono::milliseconds (20)));
}

TEST_F (spots, nodes_find_each_other_in_a_registry)
{
    registry books (own);
    const std::string place = books.bind ("tcp://127.0.0.1:*");
    discovery looks (own, service_type::spot);
    looks.connect_registry (place.c_str ());
    spot_node far (own);
    spot_publisher by (far);
    EXPECT_EQ (far.endpoint (std::nothrow).error (), errc::no_such_endpoint);
    const std::string where = far.bind ("tcp://127.0.0.1:*");
    EXPECT_EQ (far.endpoint (), where);
    far.connect_registry (place.c_str ());
    far.offer ("rooms");
    node.set_discovery (looks, "rooms");
    ASSERT_TRUE (looks.wait ("rooms", 1));
    reach (by, from);
    EXPECT_TRUE (far.withdraw ("rooms"));
    EXPECT_FALSE (far.withdraw ("rooms"));
    node.forget_discovery ();
}

TEST_F (spots, nodes_speak_curve_by_their_options)
{
    if (zlink_has ("curve") == 0)
        GTEST_SKIP () << "no CURVE here";
    std::array<char, 41> open{}, secret{};
    ASSERT_EQ (zlink_curve_keypair (open.data (), secret.data ()), 0);
    spot_node far (own);
    spot_publisher by (far);
    far.set (spot_socket::publisher, options::curve_server, true);
    far.set (spot_socket::publisher, options::curve_secretkey, secret.data ());
    node.set (spot_socket::subscriber, options::curve_serverkey, open.data ());
    node.set (spot_socket::subscriber, options::curve_publickey, open.data ());
    node.set (spot_socket::subscriber, options::curve_secretkey, secret.data ());
    node.connect (far.bind ("tcp://127.0.0.1:*").c_str ());
    reach (by, from);
    node.disconnect (far.endpoint ().c_str ());
}

TEST_F (spots, nodes_join_count_and_leave)
{
    spot_node far (own);
    spot_publisher by (far);
    far.bind ("tcp://127.0.0.1:*");
    node.bind ("tcp://127.0.0.1:*");
    EXPECT_EQ (node.leave (std::nothrow).error (), errc::no_such_endpoint);
    node.join (nullptr);
    far.join (node.endpoint ().c_str ());
    ASSERT_TRUE (far.wait (1));
    ASSERT_TRUE (node.wait (1));
    reach (by, from);
    EXPECT_EQ (node.counters ().nodes, 1u);
    EXPECT_GE (node.counters ().received, 1u);
    EXPECT_EQ (node.counters ().malformed, 0u);
    EXPECT_GE (far.counters ().published, 1u);
    far.leave (node.endpoint ().c_str ());
    far.leave ();
    while (node.counters ().nodes != 0)
        std::this_thread::yield ();
    EXPECT_THROW (far.leave (), failure);
}

TEST_F (spots, what_a_node_knows_of_topics)
{
    from.subscribe_prefix ("ro*");
    node.declare ("prices", 2);
    const std::vector<spot_topic> all = node.topics ();
    ASSERT_EQ (all.size (), 3u);
    EXPECT_EQ (all[0].name, "prices");
    EXPECT_EQ (all[0].match, spot_match::declared);
    EXPECT_EQ (all[0].partitions, 2u);
    EXPECT_EQ (all[1].name, "room");
    EXPECT_EQ (all[1].wanted, 1u);
    EXPECT_EQ (all[2].name, "ro");
    EXPECT_EQ (all[2].match, spot_match::prefix);
}

TEST_F (spots, a_poller_waits_for_a_subscriber)
{
    poller waits;
    waits.add (from.descriptor (), events::receive, &from);
    std::string all;
    for (const char *each : {"1", "2", "3"}) {
        to.publish ("room", each);
        while (all.empty () || all.back () != *each) {
            ASSERT_EQ (waits.wait (std::chrono::minutes (1)).size (), 1u);
            while (const std::optional<spot_message> got = from.receive (std::chrono::milliseconds (0)))
                all += got->text ();
        }
    }
    EXPECT_EQ (all, "123");
}

TEST_F (spots, nodes_are_secured_by_one_structure)
{
    if (zlink_has ("curve") == 0)
        GTEST_SKIP () << "no CURVE here";
    std::array<char, 41> open{}, secret{};
    ASSERT_EQ (zlink_curve_keypair (open.data (), secret.data ()), 0);
    security how;
    how.curve_public_key = how.curve_server_key = open.data ();
    how.curve_secret_key = secret.data ();
    spot_node far (own);
    spot_publisher by (far);
    far.secure (how);
    node.secure (how);
    node.connect (far.bind ("tcp://127.0.0.1:*").c_str ());
    reach (by, from);
    how.size = 1;
    EXPECT_EQ (node.secure (std::nothrow, how).error (), errc::invalid_argument);
}

TEST_F (spots, options_that_are_none_are_refused)
{
    node.set (spot_options::pub_queue_hwm, 10);
    node.set (spot_options::owns, false);
    node.set (spot_options::reader_hwm, 5);
    node.set (spot_options::advertise, "tcp://127.0.0.1:5570");
    EXPECT_EQ (node.set (std::nothrow, spot_options::advertise, "tcp://*:5570").error (),
               errc::invalid_argument);
    node.set (spot_socket::registries, options::reconnect_ivl, std::chrono::milliseconds (5));
    node.set_full (spot_full::would_block);
    node.set_full (spot_full::drop);
    EXPECT_EQ (node.set (std::nothrow, spot_options::ring_messages, 0).error (), errc::invalid_argument);
    EXPECT_THROW (node.set (spot_options::ring_bytes, -1), failure);
}

TEST_F (spots, nodes_speak_tls_with_certificates)
{
    if (zlink_has ("tls") == 0)
        GTEST_SKIP () << "no TLS here";
    const std::int64_t now_s = std::time (nullptr);
    const auto valid_now = [now_s] (const char *name) {
        return test::wanted{.name = name,
                            .alternative = "IP:127.0.0.1",
                            .from_s = now_s - test::day_s,
                            .until_s = now_s + test::day_s};
    };
    test::identity root (valid_now ("root")), host (valid_now ("host"), &root);
    spot_node far (own);
    spot_publisher by (far);
    far.set_tls_server ("no certificate", "no key");
    EXPECT_FALSE (far.bind (std::nothrow, "tls://127.0.0.1:*"));
    far.set_tls_server (host.certificate ().c_str (), host.key ().c_str ());
    node.set_tls_client (root.certificate ().c_str ());
    node.connect (far.bind ("tls://127.0.0.1:*").c_str ());
    reach (by, from);
}

}  // namespace
}  // namespace zlink

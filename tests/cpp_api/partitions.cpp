// Partitioned topics of the C++ interface.
#include <chrono>
#include <future>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cpp_api/posting.hpp"
#include "zlink/poller.hpp"
#include "zlink/registry.hpp"
#include "zlink/spot.hpp"
#include "zlink/zlink.hpp"

namespace zlink {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds watchdog = 60s;

struct partitions : testing::Test
{
    spot_event next_message (spot_reader &from)
    {
        for (;;) {
            const std::optional<spot_event> got = from.receive (watchdog);
            if (!got)
                throw std::runtime_error ("nothing came");
            if (got->is_message ())
                return *got;
        }
    }

    void begin ()
    {
        node.add_grantor (grantor.c_str ());
        node.declare ("t", 1);
        out.publish ("t", "k", "first", watchdog);
    }

    context own;
    registry books{own};
    std::string grantor = books.bind ("tcp://127.0.0.1:*");
    spot_node node{own};
    spot_publisher out{node};
};

TEST_F (partitions, publish_by_key_and_read_from_anywhere)
{
    node.add_grantor (grantor.c_str ());
    node.declare ("t", 3);
    const spot_place first = out.publish ("t", "k", "one", watchdog);
    EXPECT_EQ (first.sequence, 1u);
    EXPECT_GT (first.epoch, 0u);
    const spot_place second = out.publish (std::nothrow, "t", "k", "two", watchdog).value ();
    EXPECT_EQ (second.partition, first.partition);
    EXPECT_EQ (second.sequence, 2u);

    spot_reader all (node, "t", spot_from::sequence (1)), last (node, "t", spot_from::last (1));
    const spot_event got = next_message (all);
    EXPECT_EQ (got.text (), "one");
    EXPECT_EQ (got.key (), "k");
    EXPECT_EQ (got.body ().size (), 3u);
    EXPECT_EQ (got.behind (), 1u);
    EXPECT_EQ (got.partition (), first.partition);
    EXPECT_EQ (got.epoch (), first.epoch);
    EXPECT_EQ (next_message (all).text (), "two");
    EXPECT_EQ (next_message (last).text (), "two");
    EXPECT_FALSE (last.receive (0ms));

    const spot_partition now = node.partition ("t", first.partition);
    EXPECT_TRUE (now.owned_here);
    EXPECT_EQ (now.owner, now.node);
    EXPECT_EQ (now.last, 2u);
    spot_reader moved = std::move (all);
    EXPECT_EQ (all.handle (), nullptr);
    all = std::move (moved);
    EXPECT_FALSE (all.receive (std::nothrow, 0ms).value ());
}

TEST_F (partitions, say_why_not)
{
    EXPECT_EQ (node.partition (std::nothrow, "t", 0).error (), errc::no_such_endpoint);
    EXPECT_EQ (node.declare (std::nothrow, "t", 0).error (), errc::invalid_argument);
    EXPECT_THROW (spot_reader (node, "t", spot_from::now ()), failure);
    node.declare ("t", 1);
    EXPECT_EQ (node.add_grantor (std::nothrow, grantor.c_str ()).error (), errc::wrong_state);
    EXPECT_EQ (out.publish (std::nothrow, "t", "k", "x", 1ms).error (), errc::no_such_peer);
    EXPECT_THROW (out.publish ("t", "k", "x", 1ms), failure);
    EXPECT_EQ (out.publish (std::nothrow, "other", "k", "x", 1ms).error (), errc::invalid_argument);
}

static_assert (std::ranges::input_range<spot_event_range> && std::ranges::view<spot_event_range>);

TEST_F (partitions, are_ranges_of_what_a_reader_is_told)
{
    begin ();
    out.publish ("t", "k", "second", watchdog);
    spot_reader all (node, "t", spot_from::sequence (1));
    std::vector<std::string> texts;
    for (const spot_event &each : all.events (watchdog)) {
        if (each.is_message ())
            texts.emplace_back (each.text ());
        if (texts.size () == 2)
            break;
    }
    EXPECT_EQ (texts, (std::vector<std::string>{"first", "second"}));
    for (const spot_event &each : all.events (0ms))
        EXPECT_FALSE (each.is_message ());
}

TEST_F (partitions, call_a_handler_and_raise_a_descriptor)
{
    begin ();
    spot_reader one (node, "t", spot_from::sequence (1)), other (node, "t", spot_from::sequence (1));
    std::promise<std::string> second;
    one.set_handler ([&] (const spot_event &event) {
        if (event.is_message () && event.sequence () == 2)
            second.set_value (std::string (event.text ()));
    });
    EXPECT_EQ (one.receive (std::nothrow, 0ms).error (), errc::invalid_argument);
    out.publish ("t", "k", "second", watchdog);
    EXPECT_EQ (second.get_future ().get (), "second");
    spot_reader moved = std::move (one);
    moved.set_handler ({});
    out.publish ("t", "k", "third", watchdog);
    EXPECT_EQ (next_message (moved).text (), "third");

    poller waits;
    waits.add (other.descriptor (), events::receive);
    std::string last;
    while (last != "third") {
        ASSERT_EQ (waits.wait (watchdog).size (), 1u);
        while (const std::optional<spot_event> got = other.receive (0ms))
            last = got->text ();
    }
}

struct placed_one
{
    spot_place at;
    std::error_code bad;
    bool over = false;
};

started await_place (spot_publisher &by, desk &where, std::chrono::milliseconds timeout, placed_one &to)
{
    try {
        to.at = co_await by.publish (where, "t", "k", "awaited", timeout);
    } catch (const failure &why) {
        to.bad = why.code ();
    }
    to.over = true;
}

TEST_F (partitions, are_published_to_without_waiting)
{
    node.declare ("t", 1);
    desk here;
    placed_one unowned, ended;
    await_place (out, here, 1ms, unowned);
    while (!unowned.over)
        here.run_one ();
    EXPECT_EQ (unowned.bad, errc::no_such_peer);
    EXPECT_THROW (out.publish_async ("other", "k", "x", 1ms, [] (result<spot_place> &&) {}), failure);
    await_place (out, here, for_ever, ended);
    {
        const spot_node gone = std::move (node);
    }
    while (!ended.over)
        here.run_one ();
    EXPECT_EQ (ended.bad, errc::terminated);
}

TEST_F (partitions, tell_where_it_was_numbered)
{
    begin ();
    desk here;
    placed_one awaited;
    await_place (out, here, watchdog, awaited);
    while (!awaited.over)
        here.run_one ();
    EXPECT_EQ (awaited.at.sequence, 2u);
    std::promise<result<spot_place>> told;
    out.publish_async ("t", "k", "x", watchdog, [&] (result<spot_place> &&at) { told.set_value (at); });
    EXPECT_EQ (told.get_future ().get ().value ().sequence, 3u);
}

struct told_one
{
    std::string text;
    std::error_code bad;
    bool over = false;
};

// The next message.
started await_message (spot_reader &from, desk &where, std::stop_token token, told_one &to)
{
    for (;;) {
        const result<spot_event> got = co_await from.receive (std::nothrow, where, token);
        to.bad = got ? std::error_code () : got.error ();
        if (got && !got->is_message ())
            continue;
        to.text = got ? std::string (got->text ()) : "";
        to.over = true;
        co_return;
    }
}

TEST_F (partitions, are_awaited_by_coroutines)
{
    begin ();
    desk here;
    std::optional<spot_reader> all;
    all.emplace (node, "t", spot_from::sequence (1));
    told_one first, stopped, second, last;
    await_message (*all, here, {}, first);
    while (!first.over)
        here.run_one ();
    EXPECT_EQ (first.text, "first");

    std::stop_source stop;
    await_message (*all, here, stop.get_token (), stopped);
    stop.request_stop ();
    while (!stopped.over)
        here.run_one ();
    EXPECT_EQ (stopped.bad, errc::cancelled);

    out.publish ("t", "k", "second", watchdog);
    await_message (*all, here, {}, second);
    while (!second.over)
        here.run_one ();
    EXPECT_EQ (second.text, "second");

    await_message (*all, here, {}, last);
    all.reset ();
    while (!last.over)
        here.run_one ();
    EXPECT_EQ (last.bad, errc::terminated);
}

}  // namespace
}  // namespace zlink

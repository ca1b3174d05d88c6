#include "engine/counters.hpp"

#include <gtest/gtest.h>

#include <set>

namespace zlink::engine {
namespace {

TEST (counters, every_reason_for_a_drop_has_a_name_of_its_own)
{
    std::set<std::string> names;
    for (std::size_t i = 0; i < drop_reasons; ++i)
        names.insert (drop_name (static_cast<drop_reason> (i)));
    EXPECT_EQ (names.size (), drop_reasons);
    EXPECT_EQ (names.count ("unknown"), 0U);
    EXPECT_STREQ (drop_name (static_cast<drop_reason> (drop_reasons)), "unknown");
}

TEST (counters, tallies_add_up)
{
    tally one;
    one.messages_sent = 1;
    one.bytes_received = 2;
    one.of (drop_reason::cut) = 3;
    one.of (drop_reason::no_memory) = 4;
    tally sum = one;
    sum += one;
    EXPECT_EQ (sum.messages_sent, 2U);
    EXPECT_EQ (sum.bytes_received, 4U);
    EXPECT_EQ (sum.of (drop_reason::cut), 6U);
    EXPECT_EQ (sum.dropped_total (), 14U);
}

TEST (counters, gauges_add_amounts_and_keep_the_longest_time)
{
    gauges sum;
    sum.queued_messages = 1;
    sum.queue_age_ns = 10;
    gauges more;
    more.queued_messages = 2;
    more.queue_age_ns = 5;
    more.round_trip_ns = 7;
    sum += more;
    EXPECT_EQ (sum.queued_messages, 3U);
    EXPECT_EQ (sum.queue_age_ns, 10U);
    EXPECT_EQ (sum.round_trip_ns, 7U);
}

TEST (counters, a_line_says_what_is_not_zero)
{
    count_row row;
    row.what = count_of::endpoint;
    row.is_listener = true;
    row.id = 3;
    row.address = "tcp://*:5555";
    row.total.messages_received = 17;
    row.total.of (drop_reason::peer_lost) = 2;
    row.last_reason = base::close_reason::peer_closed;
    EXPECT_EQ (text_of (row), "  bound tcp://*:5555 id=3 ready=0 messages_received=17 dropped_peer-lost=2 "
                              "last_reason=peer-closed");
}

TEST (counters, a_line_without_an_address_has_a_place_for_it)
{
    count_row row;
    row.what = count_of::connection;
    row.id = 1;
    EXPECT_EQ (text_of (row), "    connection - id=1");
}

}  // namespace
}  // namespace zlink::engine

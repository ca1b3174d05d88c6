#include "socket/patterns.hpp"

#include <string>

#include <gtest/gtest.h>

#include "socket/options.hpp"

namespace zlink::socket {
namespace {

using engine::receive_rule;
using engine::send_rule;

TEST (patterns, are_found_by_their_number)
{
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::pair)), &pair_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::push)), &push_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::pull)), &pull_pattern ());
}

TEST (patterns, what_does_not_exist_is_null)
{
    for (const int type : {-1, 100, 1 << 30})
        EXPECT_EQ (find_pattern (type), nullptr);
}

// The name is what the peer reads in READY.
TEST (patterns, a_row_says_what_its_file_says)
{
    for (int type = 0; type < 32; ++type) {
        const engine::pattern_traits *const row = find_pattern (type);
        if (row == nullptr)
            continue;
        EXPECT_EQ (row->type, type);
        EXPECT_STRNE (row->name, "");
        EXPECT_TRUE (row->sends != send_rule::none || row->receives != receive_rule::none) << row->name;
    }
}

TEST (patterns, pair_talks_both_ways_with_one)
{
    const engine::pattern_traits &row = pair_pattern ();
    EXPECT_STREQ (row.name, "PAIR");
    EXPECT_EQ (row.sends, send_rule::balance);
    EXPECT_EQ (row.receives, receive_rule::fair);
    EXPECT_TRUE (row.single_peer);
}

TEST (patterns, push_sends_and_pull_receives)
{
    EXPECT_STREQ (push_pattern ().name, "PUSH");
    EXPECT_EQ (push_pattern ().sends, send_rule::balance);
    EXPECT_EQ (push_pattern ().receives, receive_rule::none);
    EXPECT_FALSE (push_pattern ().single_peer);
    EXPECT_STREQ (pull_pattern ().name, "PULL");
    EXPECT_EQ (pull_pattern ().sends, send_rule::none);
    EXPECT_EQ (pull_pattern ().receives, receive_rule::fair);
    EXPECT_FALSE (pull_pattern ().single_peer);
}

}  // namespace
}  // namespace zlink::socket

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
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::dealer)), &dealer_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::router)), &router_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::req)), &req_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::rep)), &rep_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::pub)), &pub_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::sub)), &sub_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::xpub)), &xpub_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::xsub)), &xsub_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::server)), &server_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::client)), &client_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::gather)), &gather_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::scatter)), &scatter_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::peer)), &peer_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::channel)), &channel_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::radio)), &radio_pattern ());
    EXPECT_EQ (find_pattern (static_cast<int> (socket_type::dish)), &dish_pattern ());
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

TEST (patterns, dealer_talks_both_ways_with_many)
{
    const engine::pattern_traits &row = dealer_pattern ();
    EXPECT_STREQ (row.name, "DEALER");
    EXPECT_EQ (row.sends, send_rule::balance);
    EXPECT_EQ (row.receives, receive_rule::fair);
    EXPECT_FALSE (row.single_peer);
}

TEST (patterns, router_req_and_rep_say_whom_they_talk_to)
{
    EXPECT_STREQ (router_pattern ().name, "ROUTER");
    EXPECT_EQ (router_pattern ().sends, send_rule::address);
    EXPECT_EQ (router_pattern ().receives, receive_rule::labelled);
    EXPECT_STREQ (req_pattern ().name, "REQ");
    EXPECT_EQ (req_pattern ().sends, send_rule::request);
    EXPECT_EQ (req_pattern ().receives, receive_rule::replies);
    EXPECT_STREQ (rep_pattern ().name, "REP");
    EXPECT_EQ (rep_pattern ().sends, send_rule::reply);
    EXPECT_EQ (rep_pattern ().receives, receive_rule::requests);
}

TEST (patterns, those_of_one_part_say_so)
{
    for (const engine::pattern_traits *each : {&server_pattern (), &client_pattern (), &gather_pattern (),
                                               &scatter_pattern (), &peer_pattern (), &channel_pattern ()}) {
        EXPECT_TRUE (each->single_part) << each->name;
        EXPECT_EQ (each->single_peer, each == &channel_pattern ()) << each->name;
        EXPECT_EQ (each->dials_by_number, each == &peer_pattern ()) << each->name;
        EXPECT_EQ (each->sends == send_rule::number, numbers_peers (each->type)) << each->name;
        EXPECT_EQ (each->never_full, numbers_peers (each->type)) << each->name;
    }
    EXPECT_TRUE (numbers_peers (server_pattern ().type) && numbers_peers (peer_pattern ().type));
    EXPECT_EQ (client_pattern ().sends, send_rule::balance);
    EXPECT_EQ (client_pattern ().receives, receive_rule::fair);
    EXPECT_EQ (scatter_pattern ().receives, receive_rule::none);
    EXPECT_EQ (gather_pattern ().sends, send_rule::none);
}

TEST (patterns, radio_is_joined_and_dish_joins)
{
    for (const engine::pattern_traits *each : {&radio_pattern (), &dish_pattern ()})
        EXPECT_TRUE (each->grouped && each->single_part) << each->name;
    EXPECT_EQ (radio_pattern ().sends, send_rule::publish);
    EXPECT_EQ (radio_pattern ().receives, receive_rule::none);
    EXPECT_TRUE (radio_pattern ().takes_topics && !radio_pattern ().asks_topics);
    EXPECT_EQ (dish_pattern ().sends, send_rule::none);
    EXPECT_EQ (dish_pattern ().receives, receive_rule::fair);
    EXPECT_TRUE (dish_pattern ().asks_topics && dish_pattern ().filters);
}

TEST (patterns, those_with_topics_take_them_or_ask_for_them)
{
    for (const engine::pattern_traits *each : {&pub_pattern (), &xpub_pattern ()}) {
        EXPECT_EQ (each->sends, send_rule::publish) << each->name;
        EXPECT_TRUE (each->takes_topics && !each->asks_topics && !each->filters) << each->name;
    }
    for (const engine::pattern_traits *each : {&sub_pattern (), &xsub_pattern ()}) {
        EXPECT_EQ (each->receives, receive_rule::fair) << each->name;
        EXPECT_TRUE (each->asks_topics && !each->takes_topics) << each->name;
    }
    EXPECT_EQ (pub_pattern ().receives, receive_rule::none);
    EXPECT_EQ (xpub_pattern ().receives, receive_rule::fair);
    EXPECT_EQ (sub_pattern ().sends, send_rule::none);
    EXPECT_EQ (xsub_pattern ().sends, send_rule::publish);
    EXPECT_TRUE (sub_pattern ().filters && !xsub_pattern ().filters);
}

TEST (patterns, which_tell_their_routing_id)
{
    for (const socket_type each : {socket_type::req, socket_type::dealer, socket_type::router})
        EXPECT_TRUE (sends_routing_id (static_cast<int> (each)));
    for (const socket_type each : {socket_type::rep, socket_type::pair, socket_type::push})
        EXPECT_FALSE (sends_routing_id (static_cast<int> (each)));
}

TEST (patterns, which_connect_to_an_endpoint_once_depends_on_the_header)
{
    const auto once = [] (header by, socket_type type) {
        return connects_once (by, static_cast<int> (type));
    };
    EXPECT_TRUE (once (header::zmq, socket_type::dealer));
    EXPECT_TRUE (once (header::zlink, socket_type::dealer));
    EXPECT_TRUE (once (header::zmq, socket_type::req));
    EXPECT_FALSE (once (header::zlink, socket_type::req));
    EXPECT_FALSE (once (header::zmq, socket_type::router));
    EXPECT_TRUE (once (header::zlink, socket_type::router));
    EXPECT_FALSE (once (header::zmq, socket_type::push));
}

}  // namespace
}  // namespace zlink::socket

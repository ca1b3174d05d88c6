// The functions of zlink.h for SPOT, of the library that is measured.
#pragma once

#include "bench/library.hpp"
#include "bench/needed_functions.hpp"
#include "zlink/zlink.h"

namespace zlink::bench {

// Ends the process when one is not there.
struct spot_calls
{
    decltype (&zlink_spot_node_new) node_new = nullptr;
    decltype (&zlink_spot_node_destroy) node_destroy = nullptr;
    decltype (&zlink_spot_node_bind) node_bind = nullptr;
    decltype (&zlink_spot_node_endpoint) node_endpoint = nullptr;
    decltype (&zlink_spot_node_connect_peer_pub) node_connect = nullptr;
    decltype (&zlink_spot_node_join) node_join = nullptr;
    decltype (&zlink_spot_node_setsockopt) node_setsockopt = nullptr;
    decltype (&zlink_spot_node_wait) node_wait = nullptr;
    decltype (&zlink_spot_pub_new) pub_new = nullptr;
    decltype (&zlink_spot_pub_destroy) pub_destroy = nullptr;
    decltype (&zlink_spot_pub_send) pub_send = nullptr;
    decltype (&zlink_spot_sub_new) sub_new = nullptr;
    decltype (&zlink_spot_sub_destroy) sub_destroy = nullptr;
    decltype (&zlink_spot_sub_subscribe) sub_subscribe = nullptr;
    decltype (&zlink_spot_sub_set_policy) sub_set_policy = nullptr;
    decltype (&zlink_spot_sub_next) sub_next = nullptr;

    explicit spot_calls (const library &from)
    {
        const needed_functions find{from};
        find ("zlink_spot_node_new", node_new);
        find ("zlink_spot_node_destroy", node_destroy);
        find ("zlink_spot_node_bind", node_bind);
        find ("zlink_spot_node_endpoint", node_endpoint);
        find ("zlink_spot_node_connect_peer_pub", node_connect);
        find ("zlink_spot_node_join", node_join);
        find ("zlink_spot_node_setsockopt", node_setsockopt);
        find ("zlink_spot_node_wait", node_wait);
        find ("zlink_spot_pub_new", pub_new);
        find ("zlink_spot_pub_destroy", pub_destroy);
        find ("zlink_spot_pub_send", pub_send);
        find ("zlink_spot_sub_new", sub_new);
        find ("zlink_spot_sub_destroy", sub_destroy);
        find ("zlink_spot_sub_subscribe", sub_subscribe);
        find ("zlink_spot_sub_set_policy", sub_set_policy);
        find ("zlink_spot_sub_next", sub_next);
    }
};

}  // namespace zlink::bench

// zlink.h's functions that the other header has, too, for tests that are written
// once for both.
#pragma once

#include "zlink/zlink.h"

namespace zlink::test {

struct zlink_abi
{
    static constexpr const char *prefix = "zlink_";
    using msg_t = zlink_msg_t;
    using pollitem_t = zlink_pollitem_t;
    using poller_event_t = zlink_poller_event_t;
    static constexpr auto atomic_counter_dec = &zlink_atomic_counter_dec;
    static constexpr auto atomic_counter_destroy = &zlink_atomic_counter_destroy;
    static constexpr auto atomic_counter_inc = &zlink_atomic_counter_inc;
    static constexpr auto atomic_counter_new = &zlink_atomic_counter_new;
    static constexpr auto atomic_counter_set = &zlink_atomic_counter_set;
    static constexpr auto atomic_counter_value = &zlink_atomic_counter_value;
    static constexpr auto bind = &zlink_bind;
    static constexpr auto close = &zlink_close;
    static constexpr auto connect = &zlink_connect;
    static constexpr auto ctx_get = &zlink_ctx_get;
    static constexpr auto ctx_new = &zlink_ctx_new;
    static constexpr auto ctx_set = &zlink_ctx_set;
    static constexpr auto ctx_shutdown = &zlink_ctx_shutdown;
    static constexpr auto ctx_term = &zlink_ctx_term;
    static constexpr auto disconnect = &zlink_disconnect;
    static constexpr auto error_number = &zlink_errno;
    static constexpr auto getsockopt = &zlink_getsockopt;
    static constexpr auto has = &zlink_has;
    static constexpr auto msg_close = &zlink_msg_close;
    static constexpr auto msg_copy = &zlink_msg_copy;
    static constexpr auto msg_data = &zlink_msg_data;
    static constexpr auto msg_get = &zlink_msg_get;
    static constexpr auto msg_gets = &zlink_msg_gets;
    static constexpr auto msg_group = &zlink_msg_group;
    static constexpr auto msg_init = &zlink_msg_init;
    static constexpr auto msg_init_buffer = &zlink_msg_init_buffer;
    static constexpr auto msg_init_data = &zlink_msg_init_data;
    static constexpr auto msg_init_size = &zlink_msg_init_size;
    static constexpr auto msg_more = &zlink_msg_more;
    static constexpr auto msg_move = &zlink_msg_move;
    static constexpr auto msg_recv = &zlink_msg_recv;
    static constexpr auto msg_routing_id = &zlink_msg_routing_id;
    static constexpr auto msg_send = &zlink_msg_send;
    static constexpr auto msg_set = &zlink_msg_set;
    static constexpr auto msg_set_group = &zlink_msg_set_group;
    static constexpr auto msg_set_routing_id = &zlink_msg_set_routing_id;
    static constexpr auto msg_size = &zlink_msg_size;
    static constexpr auto poll = &zlink_poll;
    static constexpr auto poller_add = &zlink_poller_add;
    static constexpr auto poller_add_fd = &zlink_poller_add_fd;
    static constexpr auto poller_destroy = &zlink_poller_destroy;
    static constexpr auto poller_fd = &zlink_poller_fd;
    static constexpr auto poller_modify = &zlink_poller_modify;
    static constexpr auto poller_modify_fd = &zlink_poller_modify_fd;
    static constexpr auto poller_new = &zlink_poller_new;
    static constexpr auto poller_remove = &zlink_poller_remove;
    static constexpr auto poller_remove_fd = &zlink_poller_remove_fd;
    static constexpr auto poller_size = &zlink_poller_size;
    static constexpr auto poller_wait = &zlink_poller_wait;
    static constexpr auto poller_wait_all = &zlink_poller_wait_all;
    static constexpr auto ppoll = &zlink_ppoll;
    static constexpr auto proxy = &zlink_proxy;
    static constexpr auto proxy_steerable = &zlink_proxy_steerable;
    static constexpr auto recv = &zlink_recv;
    static constexpr auto send = &zlink_send;
    static constexpr auto send_const = &zlink_send_const;
    static constexpr auto setsockopt = &zlink_setsockopt;
    static constexpr auto sleep = &zlink_sleep;
    static constexpr auto socket = &zlink_socket;
    static constexpr auto stopwatch_intermediate = &zlink_stopwatch_intermediate;
    static constexpr auto stopwatch_start = &zlink_stopwatch_start;
    static constexpr auto stopwatch_stop = &zlink_stopwatch_stop;
    static constexpr auto strerror = &zlink_strerror;
    static constexpr auto threadclose = &zlink_threadclose;
    static constexpr auto threadstart = &zlink_threadstart;
    static constexpr auto timers_add = &zlink_timers_add;
    static constexpr auto timers_cancel = &zlink_timers_cancel;
    static constexpr auto timers_destroy = &zlink_timers_destroy;
    static constexpr auto timers_execute = &zlink_timers_execute;
    static constexpr auto timers_new = &zlink_timers_new;
    static constexpr auto timers_reset = &zlink_timers_reset;
    static constexpr auto timers_set_interval = &zlink_timers_set_interval;
    static constexpr auto timers_timeout = &zlink_timers_timeout;
    static constexpr auto unbind = &zlink_unbind;
    static constexpr auto version = &zlink_version;
};

}  // namespace zlink::test

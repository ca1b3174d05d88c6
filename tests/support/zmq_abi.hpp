// zmq.h's functions that the other header has, too, for tests that are written
// once for both.
#pragma once

#include "zmq.h"

namespace zlink::test {

struct zmq_abi
{
    static constexpr const char *prefix = "zmq_";
    using msg_t = zmq_msg_t;
    using pollitem_t = zmq_pollitem_t;
    using poller_event_t = zmq_poller_event_t;
    static constexpr auto atomic_counter_dec = &zmq_atomic_counter_dec;
    static constexpr auto atomic_counter_destroy = &zmq_atomic_counter_destroy;
    static constexpr auto atomic_counter_inc = &zmq_atomic_counter_inc;
    static constexpr auto atomic_counter_new = &zmq_atomic_counter_new;
    static constexpr auto atomic_counter_set = &zmq_atomic_counter_set;
    static constexpr auto atomic_counter_value = &zmq_atomic_counter_value;
    static constexpr auto bind = &zmq_bind;
    static constexpr auto close = &zmq_close;
    static constexpr auto connect = &zmq_connect;
    static constexpr auto ctx_get = &zmq_ctx_get;
    static constexpr auto ctx_new = &zmq_ctx_new;
    static constexpr auto ctx_set = &zmq_ctx_set;
    static constexpr auto ctx_shutdown = &zmq_ctx_shutdown;
    static constexpr auto ctx_term = &zmq_ctx_term;
    static constexpr auto disconnect = &zmq_disconnect;
    static constexpr auto error_number = &zmq_errno;
    static constexpr auto getsockopt = &zmq_getsockopt;
    static constexpr auto has = &zmq_has;
    static constexpr auto msg_close = &zmq_msg_close;
    static constexpr auto msg_copy = &zmq_msg_copy;
    static constexpr auto msg_data = &zmq_msg_data;
    static constexpr auto msg_get = &zmq_msg_get;
    static constexpr auto msg_gets = &zmq_msg_gets;
    static constexpr auto msg_group = &zmq_msg_group;
    static constexpr auto msg_init = &zmq_msg_init;
    static constexpr auto msg_init_buffer = &zmq_msg_init_buffer;
    static constexpr auto msg_init_data = &zmq_msg_init_data;
    static constexpr auto msg_init_size = &zmq_msg_init_size;
    static constexpr auto msg_more = &zmq_msg_more;
    static constexpr auto msg_move = &zmq_msg_move;
    static constexpr auto msg_recv = &zmq_msg_recv;
    static constexpr auto msg_routing_id = &zmq_msg_routing_id;
    static constexpr auto msg_send = &zmq_msg_send;
    static constexpr auto msg_set = &zmq_msg_set;
    static constexpr auto msg_set_group = &zmq_msg_set_group;
    static constexpr auto msg_set_routing_id = &zmq_msg_set_routing_id;
    static constexpr auto msg_size = &zmq_msg_size;
    static constexpr auto poll = &zmq_poll;
    static constexpr auto poller_add = &zmq_poller_add;
    static constexpr auto poller_add_fd = &zmq_poller_add_fd;
    static constexpr auto poller_destroy = &zmq_poller_destroy;
    static constexpr auto poller_fd = &zmq_poller_fd;
    static constexpr auto poller_modify = &zmq_poller_modify;
    static constexpr auto poller_modify_fd = &zmq_poller_modify_fd;
    static constexpr auto poller_new = &zmq_poller_new;
    static constexpr auto poller_remove = &zmq_poller_remove;
    static constexpr auto poller_remove_fd = &zmq_poller_remove_fd;
    static constexpr auto poller_size = &zmq_poller_size;
    static constexpr auto poller_wait = &zmq_poller_wait;
    static constexpr auto poller_wait_all = &zmq_poller_wait_all;
    static constexpr auto ppoll = &zmq_ppoll;
    static constexpr auto proxy = &zmq_proxy;
    static constexpr auto proxy_steerable = &zmq_proxy_steerable;
    static constexpr auto recv = &zmq_recv;
    static constexpr auto send = &zmq_send;
    static constexpr auto send_const = &zmq_send_const;
    static constexpr auto setsockopt = &zmq_setsockopt;
    static constexpr auto sleep = &zmq_sleep;
    static constexpr auto socket = &zmq_socket;
    static constexpr auto stopwatch_intermediate = &zmq_stopwatch_intermediate;
    static constexpr auto stopwatch_start = &zmq_stopwatch_start;
    static constexpr auto stopwatch_stop = &zmq_stopwatch_stop;
    static constexpr auto strerror = &zmq_strerror;
    static constexpr auto threadclose = &zmq_threadclose;
    static constexpr auto threadstart = &zmq_threadstart;
    static constexpr auto timers_add = &zmq_timers_add;
    static constexpr auto timers_cancel = &zmq_timers_cancel;
    static constexpr auto timers_destroy = &zmq_timers_destroy;
    static constexpr auto timers_execute = &zmq_timers_execute;
    static constexpr auto timers_new = &zmq_timers_new;
    static constexpr auto timers_reset = &zmq_timers_reset;
    static constexpr auto timers_set_interval = &zmq_timers_set_interval;
    static constexpr auto timers_timeout = &zmq_timers_timeout;
    static constexpr auto unbind = &zmq_unbind;
    static constexpr auto version = &zmq_version;
};

}  // namespace zlink::test

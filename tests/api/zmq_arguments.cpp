// Every function of zmq.h with arguments that are wrong.
#include "api/shared_arguments.hpp"

namespace zlink::test {
namespace {

struct zmq_abi
{
    static constexpr const char *prefix = "zmq_";
    using msg_t = zmq_msg_t;
    using pollitem_t = zmq_pollitem_t;
    using poller_event_t = zmq_poller_event_t;
    static constexpr auto atomic_counter_dec = &zmq_atomic_counter_dec;
    static constexpr auto atomic_counter_destroy = &zmq_atomic_counter_destroy;
    static constexpr auto atomic_counter_inc = &zmq_atomic_counter_inc;
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

struct zmq_arguments : arguments<zmq_abi>
{
    struct slice
    {
        void *base;
        std::size_t size;
    };

    void add_contexts ()
    {
        table.each (bad_contexts, "term", EFAULT, [] (void *c) { return zmq_term (c); });
        table.each (bad_contexts, "ctx_destroy", EFAULT, [] (void *c) { return zmq_ctx_destroy (c); });
        table.each (bad_contexts, "ctx_set_ext", EFAULT,
                    [this] (void *c) { return zmq_ctx_set_ext (c, ZMQ_IO_THREADS, &number, size); });
        table.each (bad_contexts, "ctx_get_ext", EFAULT,
                    [this] (void *c) { return zmq_ctx_get_ext (c, ZMQ_IO_THREADS, &number, &size); });
        for (const int option : {-1, 0, 4711, INT_MAX, INT_MIN}) {
            table.add ("ctx_set_ext", "no such option", EINVAL,
                       [=, this] { return zmq_ctx_set_ext (own, option, &number, size); });
            table.add ("ctx_get_ext", "no such option", EINVAL,
                       [=, this] { return zmq_ctx_get_ext (own, option, &number, &size); });
        }
        table.add ("ctx_set_ext", "NULL", EINVAL,
                   [this] { return zmq_ctx_set_ext (own, ZMQ_IO_THREADS, nullptr, 4); });
        table.add ("ctx_set_ext", "wrong size", EINVAL,
                   [this] { return zmq_ctx_set_ext (own, ZMQ_IO_THREADS, &number, 3); });
        table.add ("ctx_set_ext", "a name too long", EINVAL,
                   [this] { return zmq_ctx_set_ext (own, ZMQ_THREAD_NAME_PREFIX, buffer.data (), 64); });
        table.add ("ctx_get_ext", "NULL", EINVAL,
                   [this] { return zmq_ctx_get_ext (own, ZMQ_IO_THREADS, nullptr, nullptr); });
        table.add ("ctx_get_ext", "too little room", EINVAL,
                   [this] { return zmq_ctx_get_ext (own, ZMQ_IO_THREADS, &number, &small); });
        table.add ("init", "negative", EINVAL, [] { return zmq_init (-1); });
    }

    void add_vectors ()
    {
        const auto of = [] (void *m) { return static_cast<zmq_msg_t *> (m); };
        auto *slices = reinterpret_cast<struct iovec *> (&one_slice);
        table.each (bad_messages, "sendmsg", EFAULT,
                    [of, this] (void *m) { return zmq_sendmsg (pair, of (m), ZMQ_DONTWAIT); });
        table.each (bad_messages, "recvmsg", EFAULT,
                    [of, this] (void *m) { return zmq_recvmsg (pair, of (m), ZMQ_DONTWAIT); });
        table.each (bad_sockets, "sendmsg", ENOTSOCK, [this] (void *s) { return zmq_sendmsg (s, &good, 0); });
        table.each (bad_sockets, "recvmsg", ENOTSOCK, [this] (void *s) { return zmq_recvmsg (s, &good, 0); });
        table.each (bad_sockets, "sendiov", ENOTSOCK,
                    [slices] (void *s) { return zmq_sendiov (s, slices, 1, 0); });
        table.each (bad_sockets, "recviov", ENOTSOCK, [slices] (void *s) {
            std::size_t count = 1;
            return zmq_recviov (s, slices, &count, 0);
        });
        table.add ("sendiov", "NULL", EINVAL, [this] { return zmq_sendiov (pair, nullptr, 1, 0); });
        table.add ("sendiov", "none", EINVAL, [=, this] { return zmq_sendiov (pair, slices, 0, 0); });
        table.add ("recviov", "no count", EINVAL,
                   [=, this] { return zmq_recviov (pair, slices, nullptr, 0); });
        table.add ("recviov", "NULL", EINVAL, [this] {
            std::size_t count = 1;
            return zmq_recviov (pair, nullptr, &count, 0);
        });
        table.add ("recviov", "no room", EINVAL, [=, this] {
            std::size_t count = 0;
            return zmq_recviov (pair, slices, &count, 0);
        });
        for (const int flags : {0, ZMQ_SNDMORE})
            table.add ("sendiov", "a slice of nothing", EFAULT, [=, this] {
                std::array<slice, 2> two = {{{nullptr, 1}, {nullptr, 1}}};
                if (flags == ZMQ_SNDMORE)  // the first part is made and has to go again
                    two[0] = {buffer.data (), 1};
                return zmq_sendiov (pair, reinterpret_cast<struct iovec *> (two.data ()), 2, flags);
            });
    }

    // Of types that are not built, and events.
    void add_unsupported ()
    {
        const std::vector<std::pair<const char *, std::function<int (void *)>>> calls = {
          {"join", [] (void *s) { return zmq_join (s, "group"); }},
          {"leave", [] (void *s) { return zmq_leave (s, "group"); }},
          {"connect_peer", [] (void *s) { return refused (zmq_connect_peer (s, "inproc://bad")) ? -1 : 0; }},
          {"disconnect_peer", [] (void *s) { return zmq_disconnect_peer (s, 1); }},
          {"socket_get_peer_state", [] (void *s) { return zmq_socket_get_peer_state (s, "x", 1); }},
          {"socket_monitor", [] (void *s) { return zmq_socket_monitor (s, "inproc://bad", ZMQ_EVENT_ALL); }},
          {"socket_monitor_versioned",
           [] (void *s) { return zmq_socket_monitor_versioned (s, "inproc://bad", 1, 2, ZMQ_PAIR); }},
          {"socket_monitor_pipes_stats", [] (void *s) { return zmq_socket_monitor_pipes_stats (s); }},
        };
        for (const auto &[name, call] : calls) {
            table.each (bad_sockets, name, ENOTSOCK, call);
            table.add (name, "a PAIR", ENOTSUP, [call, this] { return call (pair); });
        }
        table.add ("join", "no group", ENOTSUP, [this] { return zmq_join (pair, nullptr); });
        table.add ("leave", "no group", ENOTSUP, [this] { return zmq_leave (pair, nullptr); });
        table.add ("connect_peer", "NULL", ENOTSUP, [this] { return zmq_connect_peer (pair, nullptr); });
        table.add ("socket_get_peer_state", "NULL", ENOTSUP,
                   [this] { return zmq_socket_get_peer_state (pair, nullptr, 1); });
        table.add ("socket_monitor", "NULL", ENOTSUP,
                   [this] { return zmq_socket_monitor (pair, nullptr, ZMQ_EVENT_ALL); });
        table.add ("curve_keypair", "NULL", ENOTSUP, [] { return zmq_curve_keypair (nullptr, nullptr); });
        table.add ("curve_public", "NULL", ENOTSUP, [] { return zmq_curve_public (nullptr, nullptr); });
    }

    void add_others ()
    {
        for (const bad_handle &bad : bad_sockets) {
            void *const s = bad.handle;
            const int expected = s == nullptr ? EFAULT : ENOTSOCK;
            table.add ("device", bad.what, expected, [=, this] { return zmq_device (ZMQ_QUEUE, s, pair); });
            table.add ("device", bad.what, expected, [=, this] { return zmq_device (ZMQ_QUEUE, pair, s); });
        }
        auto *bytes = static_cast<std::uint8_t *> (foreign_memory ());
        table.add ("z85_encode", "NULL", EFAULT, [=] { return zmq_z85_encode (nullptr, bytes, 4); });
        table.add ("z85_encode", "no data", EFAULT,
                   [this] { return zmq_z85_encode (buffer.data (), nullptr, 4); });
        table.add ("z85_encode", "not fours", EINVAL,
                   [=, this] { return zmq_z85_encode (buffer.data (), bytes, 5); });
        table.add ("z85_decode", "NULL", EFAULT, [] { return zmq_z85_decode (nullptr, "abcde"); });
        table.add ("z85_decode", "no text", EFAULT, [this] { return decode (nullptr); });
        for (const char *text : {"abcd", "ab de", "#####", "\xFF\xFF\xFF\xFF\xFF"})
            table.add ("z85_decode", text, EINVAL, [=, this] { return decode (text); });
    }

    std::uint8_t *decode (const char *text)
    {
        return zmq_z85_decode (reinterpret_cast<std::uint8_t *> (buffer.data ()), text);
    }

    slice one_slice{buffer.data (), 1};
};

TEST_F (zmq_arguments, are_refused_everywhere)
{
    add_shared ();
    add_contexts ();
    add_vectors ();
    add_unsupported ();
    add_others ();
    table.run ();
    table.cover ("compat/zmq.h");
    EXPECT_EQ (zmq_timers_timeout (timers), -1);  // none of it got through
    EXPECT_EQ (zmq_poller_size (poller), 0);
}

}  // namespace
}  // namespace zlink::test

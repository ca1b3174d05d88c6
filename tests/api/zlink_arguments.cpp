// Every function of zlink.h with arguments that are wrong.
#include "api/shared_arguments.hpp"

namespace zlink::test {
namespace {

struct zlink_abi
{
    static constexpr const char *prefix = "zlink_";
    using msg_t = zlink_msg_t;
    using pollitem_t = zlink_pollitem_t;
    using poller_event_t = zlink_poller_event_t;
    static constexpr auto atomic_counter_dec = &zlink_atomic_counter_dec;
    static constexpr auto atomic_counter_destroy = &zlink_atomic_counter_destroy;
    static constexpr auto atomic_counter_inc = &zlink_atomic_counter_inc;
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

struct zlink_arguments : arguments<zlink_abi>
{
    zlink_arguments () { zlink_msg_init (&part); }
    ~zlink_arguments () override { zlink_msg_close (&part); }

    void add_contexts ()
    {
        table.each (bad_contexts, "ctx_term_ms", EFAULT, [] (void *c) { return zlink_ctx_term_ms (c, 0); });
        table.each (bad_contexts, "ctx_holders", EFAULT,
                    [this] (void *c) { return zlink_ctx_holders (c, buffer.data (), &size); });
        table.add ("ctx_holders", "no size", EFAULT,
                   [this] { return zlink_ctx_holders (own, buffer.data (), nullptr); });
        table.add ("ctx_holders", "no text", EFAULT,
                   [this] { return zlink_ctx_holders (own, nullptr, &size); });
    }

    void add_whole_messages ()
    {
        const std::vector<std::pair<const char *, std::function<int (void *)>>> calls = {
          {"sendv", [this] (void *s) { return zlink_sendv (s, &part, 1, 0); }},
          {"recvv",
           [this] (void *s) {
               std::size_t count = 1;
               return zlink_recvv (s, &part, &count, 0);
           }},
          {"sendn", [this] (void *s) { return zlink_sendn (s, &part, 1, 0); }},
          {"recvn", [this] (void *s) { return zlink_recvn (s, &part, 1, 0); }},
          {"send_packed", [this] (void *s) { return zlink_send_packed (s, "x", 1, &one, 1, 0); }},
          {"recv_packed", [this] (void *s) { return zlink_recv_packed (s, buffer.data (), 1, &one, 1, 0); }},
        };
        for (const auto &[name, call] : calls)
            table.each (bad_sockets, name, ENOTSOCK, call);
        for (const char *name : {"sendv", "sendn", "send_packed"})
            table.add (name, "a PULL", ENOTSUP, [call = find (calls, name), this] { return call (pull); });
        for (const char *name : {"recvv", "recvn", "recv_packed"})
            table.add (name, "a PUSH", ENOTSUP, [call = find (calls, name), this] { return call (push); });

        const auto of = [] (void *m) { return static_cast<zlink_msg_t *> (m); };
        table.each (bad_messages, "sendv", EFAULT,
                    [=, this] (void *m) { return zlink_sendv (pair, of (m), 1, 0); });
        table.each (bad_messages, "sendn", EFAULT,
                    [=, this] (void *m) { return zlink_sendn (pair, of (m), 1, 0); });
        table.each (bad_messages, "recvn", EFAULT,
                    [=, this] (void *m) { return zlink_recvn (pair, of (m), 1, 0); });
        table.each (bad_messages, "recvv", EFAULT, [=, this] (void *m) {
            std::size_t count = 1;
            return zlink_recvv (pair, of (m), &count, 0);
        });
        table.add ("recvv", "no count", EFAULT, [this] { return zlink_recvv (pair, &part, nullptr, 0); });
        table.add ("sendv", "none", EINVAL, [this] { return zlink_sendv (pair, &part, 0, 0); });
        table.add ("sendn", "none", EINVAL, [this] { return zlink_sendn (pair, &part, 0, 0); });
        table.add ("recvn", "none", EINVAL, [this] { return zlink_recvn (pair, &part, 0, 0); });
        table.survives ("msgv_close", "NULL", [] { zlink_msgv_close (nullptr, 1); });
    }

    void add_packed ()
    {
        table.add ("send_packed", "none", EINVAL,
                   [this] { return zlink_send_packed (pair, "x", 1, &one, 0, 0); });
        table.add ("send_packed", "no data", EFAULT,
                   [this] { return zlink_send_packed (pair, nullptr, 1, &one, 1, 0); });
        table.add ("send_packed", "no sizes", EFAULT,
                   [this] { return zlink_send_packed (pair, "x", 1, nullptr, 1, 0); });
        table.add ("send_packed", "sizes beyond the buffer", EINVAL, [this] {
            const std::uint32_t two[] = {1, 1};
            return zlink_send_packed (pair, "x", 1, two, 2, 0);
        });
        table.add ("send_packed", "sizes that wrap around", EINVAL, [this] {
            const std::uint32_t two[] = {0xFFFF'FFFF, 2};
            return zlink_send_packed (pair, "x", 1, two, 2, 0);
        });
        table.add ("recv_packed", "none", EINVAL,
                   [this] { return zlink_recv_packed (pair, buffer.data (), 1, &one, 0, 0); });
        table.add ("recv_packed", "no room", EFAULT,
                   [this] { return zlink_recv_packed (pair, nullptr, 1, &one, 1, 0); });
        table.add ("recv_packed", "no sizes", EFAULT,
                   [this] { return zlink_recv_packed (pair, buffer.data (), 1, nullptr, 1, 0); });
    }

    void add_reports ()
    {
        table.each (bad_sockets, "connect_status", ENOTSOCK,
                    [this] (void *s) { return zlink_connect_status (s, "inproc://bad", &status); });
        table.each (bad_sockets, "wait_peers", ENOTSOCK,
                    [] (void *s) { return zlink_wait_peers (s, 1, -1); });
        table.each (bad_sockets, "statistics", ENOTSOCK,
                    [this] (void *s) { return zlink_statistics (s, &statistics); });
        table.add ("connect_status", "NULL", EINVAL,
                   [this] { return zlink_connect_status (pair, nullptr, &status); });
        table.add ("connect_status", "never connected", ENOENT,
                   [this] { return zlink_connect_status (pair, "inproc://never", &status); });
        table.add ("connect_status", "no status", EFAULT,
                   [this] { return zlink_connect_status (pair, "inproc://never", nullptr); });
        table.add ("statistics", "NULL", EFAULT, [this] { return zlink_statistics (pair, nullptr); });
    }

    using named_calls = std::vector<std::pair<const char *, std::function<int (void *)>>>;
    static std::function<int (void *)> find (const named_calls &calls, std::string_view name)
    {
        for (const auto &[other, call] : calls)
            if (other == name)
                return call;
        return [] (void *) { return 0; };
    }

    zlink_msg_t part;
    zlink_endpoint_status_t status{};
    zlink_statistics_t statistics{};
    std::uint32_t one = 1;
};

TEST_F (zlink_arguments, are_refused_everywhere)
{
    add_shared ();
    add_contexts ();
    add_whole_messages ();
    add_packed ();
    add_reports ();
    table.run ();
    table.cover ("include/zlink/zlink.h");
    EXPECT_EQ (zlink_timers_timeout (timers), -1);  // none of it got through
    EXPECT_EQ (zlink_poller_size (poller), 0);
}

}  // namespace
}  // namespace zlink::test

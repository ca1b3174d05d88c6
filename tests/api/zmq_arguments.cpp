// Every function of zmq.h with arguments that are wrong.
#include "api/shared_arguments.hpp"
#include "support/zmq_abi.hpp"

namespace zlink::test {
namespace {

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

    // Of types that are not built.
    void add_unsupported ()
    {
        const std::vector<std::pair<const char *, std::function<int (void *)>>> calls = {
          {"join", [] (void *s) { return zmq_join (s, "group"); }},
          {"leave", [] (void *s) { return zmq_leave (s, "group"); }},
          {"connect_peer", [] (void *s) { return refused (zmq_connect_peer (s, "inproc://bad")) ? -1 : 0; }},
          {"disconnect_peer", [] (void *s) { return zmq_disconnect_peer (s, 1); }},
          {"socket_get_peer_state", [] (void *s) { return zmq_socket_get_peer_state (s, "x", 1); }},
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
        table.add ("curve_keypair", "NULL", EFAULT, [] { return zmq_curve_keypair (nullptr, nullptr); });
        table.add ("curve_public", "NULL", EFAULT, [] { return zmq_curve_public (nullptr, nullptr); });
    }

    void add_monitors ()
    {
        const auto monitor = [] (void *s, const char *where, std::uint64_t events, int version, int type) {
            return zmq_socket_monitor_versioned (s, where, events, version, type);
        };
        for (const char *where : {static_cast<const char *> (nullptr), "inproc://bad"}) {
            table.each (bad_sockets, "socket_monitor", ENOTSOCK,
                        [=] (void *s) { return zmq_socket_monitor (s, where, ZMQ_EVENT_ALL); });
            table.each (bad_sockets, "socket_monitor_versioned", ENOTSOCK,
                        [=] (void *s) { return monitor (s, where, 1, 2, ZMQ_PAIR); });
        }
        table.each (bad_sockets, "socket_monitor_pipes_stats", ENOTSOCK,
                    [] (void *s) { return zmq_socket_monitor_pipes_stats (s); });
        table.add ("socket_monitor_pipes_stats", "no monitor", EINVAL,
                   [this] { return zmq_socket_monitor_pipes_stats (pair); });
        table.add ("socket_monitor", "more bits than version 1 has", EINVAL,
                   [this] { return zmq_socket_monitor (pair, "inproc://bad", ZMQ_EVENT_PIPES_STATS); });
        table.add ("socket_monitor", "negative", EINVAL,
                   [this] { return zmq_socket_monitor (pair, "inproc://bad", -1); });
        for (const char *where : {"", "bad", "inproc://", "://bad"})
            table.add ("socket_monitor", "no endpoint", EINVAL,
                       [=, this] { return zmq_socket_monitor (pair, where, ZMQ_EVENT_ALL); });
        for (const char *where : {"tcp://127.0.0.1:*", "ipc://*", "nothing://bad"})
            table.add ("socket_monitor", "not inproc", EPROTONOSUPPORT,
                       [=, this] { return zmq_socket_monitor (pair, where, ZMQ_EVENT_ALL); });
        for (const int version : {-1, 0, 3})
            table.add ("socket_monitor_versioned", "no such version", EINVAL,
                       [=, this] { return monitor (pair, "inproc://bad", 1, version, ZMQ_PAIR); });
        for (const int type : {-1, ZMQ_SUB, ZMQ_PULL, ZMQ_DEALER, 4711})
            table.add ("socket_monitor_versioned", "a type that does not send", EINVAL,
                       [=, this] { return monitor (pair, "inproc://bad", 1, 2, type); });
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
    add_monitors ();
    add_others ();
    table.run ();
    table.cover ("compat/zmq.h");
    EXPECT_EQ (zmq_timers_timeout (timers), -1);  // none of it got through
    EXPECT_EQ (zmq_poller_size (poller), 0);
}

}  // namespace
}  // namespace zlink::test

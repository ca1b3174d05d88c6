// What both headers' functions of the same name must refuse. Abi lists them,
// with the types of their header.
#pragma once

#include <climits>
#include <csignal>

#include "api/bad_arguments.hpp"
#include "support/sockets.hpp"

namespace zlink::test {

template <class Abi> struct arguments : testing::Test
{
    arguments ()
    {
        Abi::msg_init (&good);
        Abi::msg_init (&closed_msg);
        Abi::msg_close (&closed_msg);
        void *gone = Abi::ctx_new ();
        Abi::ctx_term (gone);
        void *stale_poller = Abi::poller_new ();
        void *stale_timers = Abi::timers_new ();
        {
            void *poller_copy = stale_poller;
            Abi::poller_destroy (&poller_copy);
            void *timers_copy = stale_timers;
            Abi::timers_destroy (&timers_copy);
        }
        void *closed = Abi::socket (own, ZMQ_PAIR);
        Abi::close (closed);
        const std::vector<bad_handle> foreign = {
          {"NULL", nullptr}, {"foreign memory", foreign_memory ()}, {"misaligned", misaligned_memory ()}};
        const auto with = [&foreign] (std::vector<bad_handle> more) {
            more.insert (more.end (), foreign.begin (), foreign.end ());
            return more;
        };
        bad_sockets =
          with ({{"closed", closed}, {"a context", own}, {"a poller", poller}, {"a message", &good}});
        bad_contexts = with ({{"terminated", gone}, {"a socket", pair}, {"a poller", poller}});
        bad_pollers = with ({{"destroyed", stale_poller}, {"a socket", pair}, {"timers", timers}});
        bad_timers = with ({{"destroyed", stale_timers}, {"a socket", pair}, {"a poller", poller}});
        bad_messages = {{"NULL", nullptr}, {"closed", &closed_msg}};
    }
    ~arguments () override
    {
        Abi::msg_close (&good);
        Abi::poller_destroy (&poller);
        Abi::timers_destroy (&timers);
    }

    void add_shared ()
    {
        add_contexts ();
        add_messages ();
        add_bad_socket_handles ();
        add_socket_arguments ();
        add_waiting ();
        add_poller_calls ();
        add_proxies ();
        add_utilities ();
    }

  private:
    void add_contexts ()
    {
        table.each (bad_contexts, "ctx_term", EFAULT, [] (void *c) { return Abi::ctx_term (c); });
        table.each (bad_contexts, "ctx_shutdown", EFAULT, [] (void *c) { return Abi::ctx_shutdown (c); });
        table.each (bad_contexts, "ctx_set", EFAULT,
                    [] (void *c) { return Abi::ctx_set (c, ZMQ_IO_THREADS, 1); });
        table.each (bad_contexts, "ctx_get", EFAULT,
                    [] (void *c) { return Abi::ctx_get (c, ZMQ_IO_THREADS); });
        table.each (bad_contexts, "socket", EFAULT, [] (void *c) { return Abi::socket (c, ZMQ_PAIR); });

        for (const int option : {-1, 0, 4711, INT_MAX, INT_MIN}) {
            table.add ("ctx_set", "no such option", EINVAL,
                       [=, this] { return Abi::ctx_set (own, option, 1); });
            table.add ("ctx_get", "no such option", EINVAL, [=, this] { return Abi::ctx_get (own, option); });
        }
        table.add ("ctx_set", "negative", EINVAL, [this] { return Abi::ctx_set (own, ZMQ_IO_THREADS, -1); });
        table.add ("ctx_set", "no socket at all", EINVAL,
                   [this] { return Abi::ctx_set (own, ZMQ_MAX_SOCKETS, 0); });
        table.add ("ctx_set", "read only", EINVAL, [this] { return Abi::ctx_set (own, ZMQ_MSG_T_SIZE, 1); });
        table.add ("ctx_set", "a CPU that was not added", EINVAL,
                   [this] { return Abi::ctx_set (own, ZMQ_THREAD_AFFINITY_CPU_REMOVE, 3); });
        for (const int type : {-1, 21, 4711, INT_MIN, INT_MAX})
            table.add ("socket", "no such type", EINVAL, [=, this] { return Abi::socket (own, type); });
    }

    void add_messages ()
    {
        const auto of = [] (void *m) { return static_cast<typename Abi::msg_t *> (m); };
        table.add ("msg_init", "NULL", EFAULT, [] { return Abi::msg_init (nullptr); });
        table.add ("msg_init_size", "NULL", EFAULT, [] { return Abi::msg_init_size (nullptr, 1); });
        for (const std::size_t huge : {SIZE_MAX, SIZE_MAX - 64, SIZE_MAX / 2}) {
            table.add ("msg_init_size", "more than there is", ENOMEM, [huge] {
                typename Abi::msg_t made;
                const int outcome = Abi::msg_init_size (&made, huge);
                EXPECT_EQ (Abi::msg_size (&made), 0U);
                return outcome;
            });
        }
        table.add ("msg_init_data", "NULL", EFAULT,
                   [this] { return Abi::msg_init_data (nullptr, buffer.data (), 1, nullptr, nullptr); });
        table.add ("msg_init_data", "no data", EFAULT, [] {
            typename Abi::msg_t made;
            return Abi::msg_init_data (&made, nullptr, 1, nullptr, nullptr);
        });
        table.add ("msg_init_buffer", "NULL", EFAULT,
                   [this] { return Abi::msg_init_buffer (nullptr, buffer.data (), 1); });
        table.add ("msg_init_buffer", "no data", EFAULT, [] {
            typename Abi::msg_t made;
            return Abi::msg_init_buffer (&made, nullptr, 1);
        });
        table.each (bad_messages, "msg_close", EFAULT, [of] (void *m) { return Abi::msg_close (of (m)); });
        table.each (bad_messages, "msg_send", EFAULT,
                    [of, this] (void *m) { return Abi::msg_send (of (m), pair, ZMQ_DONTWAIT); });
        table.each (bad_messages, "msg_recv", EFAULT,
                    [of, this] (void *m) { return Abi::msg_recv (of (m), pair, ZMQ_DONTWAIT); });
        table.each (bad_messages, "msg_move", EFAULT,
                    [of, this] (void *m) { return Abi::msg_move (of (m), &good); });
        table.each (bad_messages, "msg_move", EFAULT,
                    [of, this] (void *m) { return Abi::msg_move (&good, of (m)); });
        table.each (bad_messages, "msg_copy", EFAULT,
                    [of, this] (void *m) { return Abi::msg_copy (of (m), &good); });
        table.each (bad_messages, "msg_copy", EFAULT,
                    [of, this] (void *m) { return Abi::msg_copy (&good, of (m)); });
        table.each (bad_messages, "msg_data", EFAULT, [of] (void *m) { return Abi::msg_data (of (m)); });
        table.each (bad_messages, "msg_size", 0, [of] (void *m) { return Abi::msg_size (of (m)); });
        table.each (bad_messages, "msg_more", 0, [of] (void *m) { return Abi::msg_more (of (m)) - 1; });
        table.each (bad_messages, "msg_get", EFAULT,
                    [of] (void *m) { return Abi::msg_get (of (m), ZMQ_MORE); });
        table.each (bad_messages, "msg_set", EFAULT,
                    [of] (void *m) { return Abi::msg_set (of (m), ZMQ_MORE, 1); });
        table.each (bad_messages, "msg_gets", EFAULT,
                    [of] (void *m) { return Abi::msg_gets (of (m), "User-Id"); });
        table.each (bad_messages, "msg_set_routing_id", EFAULT,
                    [of] (void *m) { return Abi::msg_set_routing_id (of (m), 1); });
        table.each (bad_messages, "msg_routing_id", 0,
                    [of] (void *m) { return Abi::msg_routing_id (of (m)); });
        table.each (bad_messages, "msg_set_group", EFAULT,
                    [of] (void *m) { return Abi::msg_set_group (of (m), "g"); });
        table.each (bad_messages, "msg_group", EFAULT, [of] (void *m) { return Abi::msg_group (of (m)); });
        table.add ("msg_get", "no such property", EINVAL, [this] { return Abi::msg_get (&good, 4711); });
        table.add ("msg_set", "no such property", EINVAL, [this] { return Abi::msg_set (&good, 4711, 1); });
        table.add ("msg_gets", "no such property", EINVAL,
                   [this] { return Abi::msg_gets (&good, "nothing"); });
        table.add ("msg_gets", "no property", EFAULT, [this] { return Abi::msg_gets (&good, nullptr); });
        table.add ("msg_set_routing_id", "0", EINVAL, [this] { return Abi::msg_set_routing_id (&good, 0); });
        table.add ("msg_set_group", "no group", EFAULT,
                   [this] { return Abi::msg_set_group (&good, nullptr); });
        table.add ("msg_set_group", "too long", EINVAL,
                   [this] { return Abi::msg_set_group (&good, std::string (256, 'g').c_str ()); });
        table.survives ("msg_move", "onto itself", [this] { EXPECT_EQ (Abi::msg_move (&good, &good), 0); });
        table.survives ("msg_copy", "onto itself", [this] { EXPECT_EQ (Abi::msg_copy (&good, &good), 0); });
    }

    void add_bad_socket_handles ()
    {
        const std::vector<std::pair<const char *, std::function<int (void *)>>> calls = {
          {"close", [] (void *s) { return Abi::close (s); }},
          {"setsockopt", [this] (void *s) { return Abi::setsockopt (s, ZMQ_LINGER, &number, size); }},
          {"getsockopt", [this] (void *s) { return Abi::getsockopt (s, ZMQ_LINGER, &number, &size); }},
          {"bind", [] (void *s) { return Abi::bind (s, "inproc://bad"); }},
          {"connect", [] (void *s) { return Abi::connect (s, "inproc://bad"); }},
          {"unbind", [] (void *s) { return Abi::unbind (s, "inproc://bad"); }},
          {"disconnect", [] (void *s) { return Abi::disconnect (s, "inproc://bad"); }},
          {"send", [] (void *s) { return Abi::send (s, "x", 1, 0); }},
          {"send_const", [] (void *s) { return Abi::send_const (s, "x", 1, 0); }},
          {"recv", [this] (void *s) { return Abi::recv (s, buffer.data (), 1, 0); }},
          {"msg_send", [this] (void *s) { return Abi::msg_send (&good, s, 0); }},
          {"msg_recv", [this] (void *s) { return Abi::msg_recv (&good, s, 0); }},
        };
        for (const auto &[name, call] : calls)
            table.each (bad_sockets, name, ENOTSOCK, call);
    }

    void add_socket_arguments ()
    {
        for (const auto &[endpoint, expected] :
             std::vector<std::pair<const char *, int>>{{nullptr, EINVAL},
                                                       {"", EINVAL},
                                                       {"nothing", EINVAL},
                                                       {"://", EINVAL},
                                                       {"foo://x", EPROTONOSUPPORT}}) {
            const char *to = endpoint;
            table.add ("bind", "bad endpoint", expected, [=, this] { return Abi::bind (pair, to); });
            table.add ("connect", "bad endpoint", expected, [=, this] { return Abi::connect (pair, to); });
        }
        table.add ("unbind", "NULL", EINVAL, [this] { return Abi::unbind (pair, nullptr); });
        table.add ("disconnect", "NULL", EINVAL, [this] { return Abi::disconnect (pair, nullptr); });
        table.add ("unbind", "never bound", ENOENT,
                   [this] { return Abi::unbind (pair, "tcp://127.0.0.1:1"); });
        table.add ("disconnect", "never connected", ENOENT,
                   [this] { return Abi::disconnect (pair, "inproc://never"); });
        for (const int option : {-1, 0, 4711, INT_MAX, INT_MIN, ZMQ_TYPE, ZMQ_GSSAPI_SERVER})
            table.add ("setsockopt", "not to be set", EINVAL,
                       [=, this] { return Abi::setsockopt (pair, option, &number, size); });
        for (const std::size_t wrong :
             {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{5}, SIZE_MAX})
            table.add ("setsockopt", "wrong size", EINVAL,
                       [=, this] { return Abi::setsockopt (pair, ZMQ_SNDHWM, buffer.data (), wrong); });
        table.add ("setsockopt", "NULL", EINVAL,
                   [this] { return Abi::setsockopt (pair, ZMQ_SNDHWM, nullptr, size); });
        table.add ("setsockopt", "a routing id too long", EINVAL,
                   [this] { return Abi::setsockopt (pair, ZMQ_ROUTING_ID, buffer.data (), 256); });
        for (const int option : {-1, 0, 4711, INT_MAX, INT_MIN, ZMQ_SUBSCRIBE})
            table.add ("getsockopt", "not to be got", EINVAL,
                       [=, this] { return Abi::getsockopt (pair, option, &number, &size); });
        for (const int option : {ZMQ_SNDHWM, ZMQ_EVENTS, ZMQ_FD, ZMQ_LAST_ENDPOINT, ZMQ_MAXMSGSIZE}) {
            table.add ("getsockopt", "NULL", EINVAL,
                       [=, this] { return Abi::getsockopt (pair, option, nullptr, &size); });
            table.add ("getsockopt", "no size", EINVAL,
                       [=, this] { return Abi::getsockopt (pair, option, buffer.data (), nullptr); });
            table.add ("getsockopt", "too little room", EINVAL, [=, this] {
                std::size_t none = 0;
                return Abi::getsockopt (pair, option, buffer.data (), &none);
            });
        }
        table.add ("send", "no data", EFAULT, [this] { return Abi::send (pair, nullptr, 1, ZMQ_DONTWAIT); });
        table.add ("send_const", "no data", EFAULT,
                   [this] { return Abi::send_const (pair, nullptr, 1, ZMQ_DONTWAIT); });
        table.add ("recv", "no room", EFAULT, [this] { return Abi::recv (pair, nullptr, 1, ZMQ_DONTWAIT); });
        table.add ("recv", "a PUSH", ENOTSUP, [this] { return Abi::recv (push, buffer.data (), 1, 0); });
        table.add ("send", "a PULL", ENOTSUP, [this] { return Abi::send (pull, "x", 1, 0); });
        table.add ("msg_recv", "a PUSH", ENOTSUP, [this] { return Abi::msg_recv (&good, push, 0); });
        table.add ("msg_send", "a PULL", ENOTSUP, [this] { return Abi::msg_send (&good, pull, 0); });
    }

    void add_waiting ()
    {
        for (const long timeout_ms : {0L, -1L}) {
            table.each (bad_sockets, "poll", ENOTSOCK, [=] (void *s) {
                typename Abi::pollitem_t item{s, -1, ZMQ_POLLIN, 0};
                if (s == nullptr)  // an item without a socket is one with a descriptor
                    item.socket = misaligned_memory ();
                return Abi::poll (&item, 1, timeout_ms);
            });
            table.add ("poll", "NULL", EFAULT, [=] { return Abi::poll (nullptr, 1, timeout_ms); });
            table.add ("poll", "negative", EINVAL, [=] {
                typename Abi::pollitem_t item{};
                return Abi::poll (&item, -1, timeout_ms);
            });
            table.add ("ppoll", "NULL", EFAULT, [=] { return Abi::ppoll (nullptr, 1, timeout_ms, nullptr); });
            table.add ("ppoll", "negative", EINVAL,
                       [=] { return Abi::ppoll (nullptr, INT_MIN, timeout_ms, nullptr); });
            table.each (bad_sockets, "ppoll", ENOTSOCK, [=] (void *s) {
                sigset_t none;
                sigemptyset (&none);
                typename Abi::pollitem_t item{s == nullptr ? misaligned_memory () : s, -1, ZMQ_POLLIN, 0};
                return Abi::ppoll (&item, 1, timeout_ms, &none);
            });
        }
        table.survives ("poll", "a descriptor that is none", [] {
            typename Abi::pollitem_t item{nullptr, 1'000'000, ZMQ_POLLIN, 0};
            EXPECT_EQ (Abi::poll (&item, 1, -1), 1);
            EXPECT_EQ (item.revents, ZMQ_POLLERR);
        });
    }

    void add_poller_calls ()
    {
        typename Abi::poller_event_t event{};
        table.each (bad_pollers, "poller_destroy", EFAULT, [] (void *p) { return Abi::poller_destroy (&p); });
        table.add ("poller_destroy", "NULL", EFAULT, [] { return Abi::poller_destroy (nullptr); });
        table.each (bad_pollers, "poller_size", EFAULT, [] (void *p) { return Abi::poller_size (p); });
        table.each (bad_pollers, "poller_add", EFAULT,
                    [this] (void *p) { return Abi::poller_add (p, pair, nullptr, ZMQ_POLLIN); });
        table.each (bad_pollers, "poller_modify", EFAULT,
                    [this] (void *p) { return Abi::poller_modify (p, pair, ZMQ_POLLIN); });
        table.each (bad_pollers, "poller_remove", EFAULT,
                    [this] (void *p) { return Abi::poller_remove (p, pair); });
        table.each (bad_pollers, "poller_add_fd", EFAULT,
                    [] (void *p) { return Abi::poller_add_fd (p, 0, nullptr, ZMQ_POLLIN); });
        table.each (bad_pollers, "poller_modify_fd", EFAULT,
                    [] (void *p) { return Abi::poller_modify_fd (p, 0, ZMQ_POLLIN); });
        table.each (bad_pollers, "poller_remove_fd", EFAULT,
                    [] (void *p) { return Abi::poller_remove_fd (p, 0); });
        table.each (bad_pollers, "poller_wait", EFAULT,
                    [event] (void *p) mutable { return Abi::poller_wait (p, &event, 0); });
        table.each (bad_pollers, "poller_wait_all", EFAULT,
                    [event] (void *p) mutable { return Abi::poller_wait_all (p, &event, 1, 0); });

        table.each (bad_sockets, "poller_add", ENOTSOCK,
                    [this] (void *s) { return Abi::poller_add (poller, s, nullptr, ZMQ_POLLIN); });
        table.each (bad_sockets, "poller_modify", ENOTSOCK,
                    [this] (void *s) { return Abi::poller_modify (poller, s, ZMQ_POLLIN); });
        table.each (bad_sockets, "poller_remove", ENOTSOCK,
                    [this] (void *s) { return Abi::poller_remove (poller, s); });
        table.add ("poller_add", "no such event", EINVAL,
                   [this] { return Abi::poller_add (poller, pair, nullptr, 0x100); });
        table.add ("poller_modify", "not there", EINVAL,
                   [this] { return Abi::poller_modify (poller, pair, ZMQ_POLLIN); });
        table.add ("poller_remove", "not there", EINVAL,
                   [this] { return Abi::poller_remove (poller, pair); });
        table.add ("poller_add_fd", "none", EBADF,
                   [this] { return Abi::poller_add_fd (poller, -1, nullptr, ZMQ_POLLIN); });
        table.add ("poller_add_fd", "no such event", EINVAL,
                   [this] { return Abi::poller_add_fd (poller, 0, nullptr, -1); });
        table.add ("poller_modify_fd", "none", EBADF,
                   [this] { return Abi::poller_modify_fd (poller, -1, ZMQ_POLLIN); });
        table.add ("poller_modify_fd", "not there", EINVAL,
                   [this] { return Abi::poller_modify_fd (poller, 7, ZMQ_POLLIN); });
        table.add ("poller_remove_fd", "none", EBADF, [this] { return Abi::poller_remove_fd (poller, -1); });
        table.add ("poller_remove_fd", "not there", EINVAL,
                   [this] { return Abi::poller_remove_fd (poller, 7); });
        table.add ("poller_wait", "NULL", EFAULT, [this] { return Abi::poller_wait (poller, nullptr, 0); });
        table.add ("poller_wait", "for ever for nothing", EFAULT,
                   [=, this] () mutable { return Abi::poller_wait (poller, &event, -1); });
        table.add ("poller_wait_all", "NULL", EFAULT,
                   [this] { return Abi::poller_wait_all (poller, nullptr, 1, 0); });
        for (const int count : {0, -1, INT_MIN})
            table.add ("poller_wait_all", "no room", EINVAL,
                       [=, this] () mutable { return Abi::poller_wait_all (poller, &event, count, 0); });
        table.each (bad_pollers, "poller_fd", EFAULT,
                    [descriptor = 0] (void *p) mutable { return Abi::poller_fd (p, &descriptor); });
        table.add ("poller_fd", "NULL", EFAULT, [this] { return Abi::poller_fd (poller, nullptr); });
        table.harmless ("poller_new");
    }

    void add_proxies ()
    {
        for (const bad_handle &bad : bad_sockets) {
            void *const s = bad.handle;
            const int expected = s == nullptr ? EFAULT : ENOTSOCK;
            table.add ("proxy", bad.what, expected, [=, this] { return Abi::proxy (s, pair, nullptr); });
            table.add ("proxy", bad.what, expected, [=, this] { return Abi::proxy (pair, s, nullptr); });
            table.add ("proxy_steerable", bad.what, expected,
                       [=, this] { return Abi::proxy_steerable (s, pair, nullptr, nullptr); });
            if (s == nullptr)
                continue;
            table.add ("proxy", bad.what, ENOTSOCK, [=, this] { return Abi::proxy (pair, pair, s); });
            table.add ("proxy_steerable", bad.what, ENOTSOCK,
                       [=, this] { return Abi::proxy_steerable (pair, pair, nullptr, s); });
        }
    }

    void add_utilities ()
    {
        table.each (bad_timers, "timers_destroy", EFAULT, [] (void *t) { return Abi::timers_destroy (&t); });
        table.add ("timers_destroy", "NULL", EFAULT, [] { return Abi::timers_destroy (nullptr); });
        const auto handler = [] (int, void *) {};
        table.each (bad_timers, "timers_add", EFAULT,
                    [handler] (void *t) { return Abi::timers_add (t, 1, handler, nullptr); });
        table.add ("timers_add", "no handler", EFAULT,
                   [this] { return Abi::timers_add (timers, 1, nullptr, nullptr); });
        table.each (bad_timers, "timers_cancel", EFAULT, [] (void *t) { return Abi::timers_cancel (t, 1); });
        table.each (bad_timers, "timers_set_interval", EFAULT,
                    [] (void *t) { return Abi::timers_set_interval (t, 1, 1); });
        table.each (bad_timers, "timers_reset", EFAULT, [] (void *t) { return Abi::timers_reset (t, 1); });
        table.each (bad_timers, "timers_timeout", EFAULT, [] (void *t) { return Abi::timers_timeout (t); });
        table.each (bad_timers, "timers_execute", EFAULT, [] (void *t) { return Abi::timers_execute (t); });
        for (const int id : {0, -1, 1, INT_MAX}) {
            table.add ("timers_cancel", "no timer", EINVAL,
                       [=, this] { return Abi::timers_cancel (timers, id); });
            table.add ("timers_set_interval", "no timer", EINVAL,
                       [=, this] { return Abi::timers_set_interval (timers, id, 1); });
            table.add ("timers_reset", "no timer", EINVAL,
                       [=, this] { return Abi::timers_reset (timers, id); });
        }

        table.survives ("has", "NULL", [] { EXPECT_EQ (Abi::has (nullptr), 0); });
        table.survives ("version", "NULL", [] { Abi::version (nullptr, nullptr, nullptr); });
        for (const int unknown : {-1, 0, 4711, INT_MIN, INT_MAX})
            table.survives ("strerror", "no such number",
                            [=] { EXPECT_NE (Abi::strerror (unknown), nullptr); });

        std::vector<bad_handle> others = bad_timers;
        others.push_back ({"timers", timers});
        table.each (others, "atomic_counter_inc", 0,
                    [] (void *c) { return Abi::atomic_counter_inc (c) - 1; });
        table.each (others, "atomic_counter_dec", 0,
                    [] (void *c) { return Abi::atomic_counter_dec (c) - 1; });
        table.each (others, "atomic_counter_value", 0,
                    [] (void *c) { return Abi::atomic_counter_value (c) - 1; });
        table.each (others, "stopwatch_intermediate", 0,
                    [] (void *w) { return Abi::stopwatch_intermediate (w); });
        table.each (others, "stopwatch_stop", 0, [] (void *w) { return Abi::stopwatch_stop (w); });
        for (const bad_handle &bad : others) {
            void *const other = bad.handle;
            table.survives ("atomic_counter_set", bad.what, [=] { Abi::atomic_counter_set (other, 1); });
            table.survives ("atomic_counter_destroy", bad.what, [=] {
                void *copy = other;
                Abi::atomic_counter_destroy (&copy);
            });
            table.survives ("threadclose", bad.what, [=] { Abi::threadclose (other); });
        }
        table.survives ("atomic_counter_destroy", "NULL", [] { Abi::atomic_counter_destroy (nullptr); });
        table.add ("threadstart", "NULL", EFAULT, [] { return Abi::threadstart (nullptr, nullptr); });
        table.survives ("sleep", "negative", [] { Abi::sleep (INT_MIN); });
        for (const char *name : {"errno", "ctx_new", "atomic_counter_new", "timers_new", "stopwatch_start"})
            table.harmless (name);
    }

  protected:
    context own{Abi::ctx_new ()};
    socket pair{own, ZMQ_PAIR};
    socket push{own, ZMQ_PUSH};
    socket pull{own, ZMQ_PULL};
    void *poller = Abi::poller_new ();
    void *timers = Abi::timers_new ();
    typename Abi::msg_t good;
    typename Abi::msg_t closed_msg;
    std::vector<bad_handle> bad_sockets;
    std::vector<bad_handle> bad_contexts;
    std::vector<bad_handle> bad_pollers;
    std::vector<bad_handle> bad_timers;
    std::vector<bad_handle> bad_messages;
    std::array<char, 64> buffer{};
    int number = 0;
    std::size_t size = sizeof (int);
    std::size_t small = 1;
    bad_calls table{Abi::prefix};
};

}  // namespace zlink::test

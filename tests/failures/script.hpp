// A conversation that calls every public function at least once, over one
// transport, in a context of its own. Abi names the functions that both
// headers have; zmq_script.cpp and zlink_script.cpp add what one of them has
// alone. covered.py reads from their objects that no function is left out.
//
// While requests to the system fail, a call may say so, by an errno that means
// just that; it is repeated until it succeeds, which it must do as if it had
// never failed. What is sent may be lost with its connection: it is sent again
// until it comes.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "failures/faults.hpp"
#include "support/waiting.hpp"
#include "zmq.h"

namespace zlink::test {

// Ends the process with a word on what the script was about.
[[noreturn]] void script_failed (const char *step, const char *problem, int error) noexcept;
// What it is about, for that word and for whatever else may end the process.
void script_is_at (const char *step) noexcept;

// True of an errno that says that something is out.
[[nodiscard]] bool says_out_of_something (int error) noexcept;

// Of a script's parts that may come in any order: which one comes when so many
// were played; count: no more of them.
[[nodiscard]] std::size_t next_part (std::size_t played, std::size_t count) noexcept;

// Its memory comes from nobody who may refuse it.
class script_steps
{
  protected:
    [[nodiscard]] static bool failed (int answer) { return answer < 0; }
    [[nodiscard]] static bool failed (long answer) { return answer < 0; }
    [[nodiscard]] static bool failed (const void *answer) { return answer == nullptr; }

    // One call, which fails for want of something or with one of these.
    template <class Call, class... Errors> auto attempt (const char *step, Call call, Errors... may_answer)
    {
        script_is_at (step);
        errno = 0;
        auto answer = [&] {
            const library_call here;
            return call ();
        }();
        error_ = errno;
        const bool expected = ((error_ == may_answer) || ...);
        if (failed (answer) && !expected && !(faults_so_far () > 0 && says_out_of_something (error_)))
            script_failed (step, "answered", error_);
        return answer;
    }
    // Until it succeeds.
    template <class Call> auto insist (const char *step, Call call)
    {
        decltype (call ()) answer{};
        if (!eventually ([&] {
                answer = attempt (step, call);
                return !failed (answer);
            }))
            script_failed (step, "never succeeded; last it answered", error_);
        return answer;
    }
    // Parts of a conversation whose sockets are linked.
    template <class Script, std::size_t Count>
    static void play_parts (Script &of, void (Script::*const (&parts)[Count]) ())
    {
        std::size_t played = 0;
        for (std::size_t part = next_part (0, Count); part < Count; part = next_part (++played, Count)) {
            const auto step = parts[part];
            (of.*step) ();
        }
    }
    // A function that only says that it is not built.
    template <class Call> void refuses (const char *step, int error, Call call)
    {
        const library_call here;
        script_is_at (step);
        const bool refused = failed (call ());
        if (!refused || errno != error)
            script_failed (step, "is not refused as it should be", errno);
    }
    static void expect (const char *step, bool holds)
    {
        if (!holds)
            script_failed (step, "did something else", 0);
    }

    enum class taken : std::uint8_t
    {
        nothing,
        stale,  // something else came
        whole,
    };

    // send() sends a message that begins with tag_ and receive() takes one, until it is that.
    template <class Send, class Receive, class... Errors>
    void exchange (const char *step, Send send, Receive receive, Errors... may_answer)
    {
        std::snprintf (tag_.data (), tag_.size (), "%07u", ++tags_ % 10'000'000);
        std::memcpy (large_.data (), tag_.data (), tag_bytes);
        bool sent = false;
        if (!eventually ([&] {
                if (!sent) {
                    sent = !failed (attempt (step, send, EAGAIN, may_answer...));
                    accepted_ += sent;
                }
                const taken came = receive ();
                arrived_ += came != taken::nothing;
                sent = sent && came != taken::nothing;
                return came == taken::whole;
            }))
            script_failed (step, "brought nothing", error_);
    }
    [[nodiscard]] bool is_tagged (const void *bytes, std::size_t size) const
    {
        return size >= tag_bytes && std::memcmp (bytes, tag_.data (), tag_bytes) == 0;
    }

    static constexpr std::size_t tag_bytes = 7;
    std::array<char, 16> tag_{};
    std::array<char, 40'000> large_{};  // begins with the tag, too
    unsigned tags_ = 0;
    std::uint64_t accepted_ = 0;  // messages, by all exchanges
    std::uint64_t arrived_ = 0;
    int error_ = 0;
};

template <class Abi> class shared_script : protected script_steps
{
  public:
    // As bind takes it.
    explicit shared_script (const char *endpoint) : endpoint_ (endpoint) {}

  protected:
    using msg_t = typename Abi::msg_t;

    void open (void *context, int near_type = ZMQ_PAIR, int far_type = ZMQ_PAIR)
    {
        context_ = context;
        insist ("ctx_set", [&] { return Abi::ctx_set (context_, ZMQ_IO_THREADS, 1); });
        expect ("ctx_get", insist ("ctx_get", [&] { return Abi::ctx_get (context_, ZMQ_IO_THREADS); }) == 1);
        near_ = open_socket (near_type);
        far_ = open_socket (far_type);
    }

    void *open_socket (int type)
    {
        void *const made = insist ("socket", [&] { return Abi::socket (context_, type); });
        set (made, ZMQ_LINGER, 0);
        set (made, ZMQ_RCVTIMEO, patience_ms);
        set (made, ZMQ_SNDTIMEO, patience_ms);
        set (made, ZMQ_RECONNECT_IVL, 1);
        set (made, ZMQ_RECONNECT_IVL_MAX, 2);
        return made;
    }

    void close_socket (void *socket)
    {
        insist ("close", [&] { return Abi::close (socket); });
    }

    void set (void *socket, int option, int value)
    {
        insist ("setsockopt", [&] { return Abi::setsockopt (socket, option, &value, sizeof value); });
    }

    int get (void *socket, int option)
    {
        int value = 0;
        std::size_t size = sizeof value;
        insist ("getsockopt", [&] { return Abi::getsockopt (socket, option, &value, &size); });
        return value;
    }

    void name_far ()
    {
        insist ("setsockopt",
                [&] { return Abi::setsockopt (far_, ZMQ_ROUTING_ID, "a longer routing id", 19); });
    }

    // remote: as connect takes it, or null for what bind made of it.
    void link (const char *remote)
    {
        insist ("bind", [&] { return Abi::bind (near_, endpoint_); });
        std::size_t size = bound_.size ();
        insist ("getsockopt",
                [&] { return Abi::getsockopt (near_, ZMQ_LAST_ENDPOINT, bound_.data (), &size); });
        std::snprintf (dialled_.data (), dialled_.size (), "%s", bound_.data ());
        if (remote != nullptr)
            std::snprintf (dialled_.data (), dialled_.size (), "%s:%s", remote,
                           std::strrchr (bound_.data (), ':') + 1);
        insist ("connect", [&] { return Abi::connect (far_, dialled_.data ()); });
        (void)get (near_, ZMQ_FD);
    }

    // --- messages that stay here -----------------------------------------------

    static void release (void *, void *hint) { ++*static_cast<int *> (hint); }

    void messages ()
    {
        msg_t one;
        msg_t two;
        int released = 0;
        insist ("msg_init", [&] { return Abi::msg_init (&two); });
        insist ("msg_init_size", [&] { return Abi::msg_init_size (&one, large_.size ()); });
        insist ("msg_copy", [&] { return Abi::msg_copy (&two, &one); });
        expect ("msg_size", Abi::msg_size (&two) == large_.size () && Abi::msg_data (&two) != nullptr);
        insist ("msg_close", [&] { return Abi::msg_close (&one); });
        insist ("msg_init_data", [&] {
            return Abi::msg_init_data (&one, large_.data (), large_.size (), release, &released);
        });
        insist ("msg_move", [&] { return Abi::msg_move (&two, &one); });
        insist ("msg_close", [&] { return Abi::msg_close (&one); });
        insist ("msg_init_buffer", [&] { return Abi::msg_init_buffer (&one, large_.data (), 5000); });
        insist ("msg_set_group",
                [&] { return Abi::msg_set_group (&one, "a group of more than a few letters"); });
        expect ("msg_group", Abi::msg_group (&one)[0] == 'a');
        insist ("msg_set_routing_id", [&] { return Abi::msg_set_routing_id (&one, 7); });
        expect ("msg_routing_id", Abi::msg_routing_id (&one) == 7 && Abi::msg_more (&one) == 0);
        expect ("msg_get", Abi::msg_get (&one, ZMQ_MORE) == 0);
        refuses ("msg_set", EINVAL, [&] { return Abi::msg_set (&one, ZMQ_MORE, 1); });
        refuses ("msg_gets", EINVAL, [&] { return Abi::msg_gets (&one, "User-Id"); });
        insist ("msg_close", [&] { return Abi::msg_close (&one); });
        insist ("msg_close", [&] { return Abi::msg_close (&two); });
        expect ("msg_init_data", released == 1);
    }

    // --- traffic ------------------------------------------------------------------

    // Takes what is left of a message whose first part came.
    void take_rest (void *socket)
    {
        while (get (socket, ZMQ_RCVMORE) != 0)
            if (failed (attempt (
                  "recv", [&] { return Abi::recv (socket, nullptr, 0, ZMQ_DONTWAIT); }, EAGAIN)))
                return;
    }
    taken look (void *socket, const void *bytes, std::size_t size)
    {
        const taken what = is_tagged (bytes, size) ? taken::whole : taken::stale;
        take_rest (socket);
        return what;
    }
    taken receive_bytes (void *socket)
    {
        std::array<char, 64> buffer{};
        const int size = attempt (
          "recv", [&] { return Abi::recv (socket, buffer.data (), buffer.size (), 0); }, EAGAIN);
        return size < 0 ? taken::nothing : look (socket, buffer.data (), std::min<std::size_t> (size, 64));
    }
    taken receive_message (void *socket)
    {
        msg_t part;
        insist ("msg_init", [&] { return Abi::msg_init (&part); });
        taken what = taken::nothing;
        if (attempt (
              "msg_recv", [&] { return Abi::msg_recv (&part, socket, 0); }, EAGAIN)
            >= 0) {
            (void)attempt (
              "msg_gets", [&] { return Abi::msg_gets (&part, "Socket-Type"); }, EINVAL);
            what = look (socket, Abi::msg_data (&part), Abi::msg_size (&part));
        }
        insist ("msg_close", [&] { return Abi::msg_close (&part); });
        return what;
    }
    // Sends it, or leaves it as it was; it is closed in any case.
    template <class Send> int send_and_close (msg_t &part, Send send)
    {
        const std::size_t size = Abi::msg_size (&part);
        const int answer = send (&part);
        const int error = errno;
        expect ("what a failed send leaves", answer >= 0 || Abi::msg_size (&part) == size);
        Abi::msg_close (&part);
        errno = error;
        return answer;
    }
    template <class Send> int send_buffer (std::size_t size, Send send)
    {
        msg_t part;
        return Abi::msg_init_buffer (&part, large_.data (), size) != 0 ? -1 : send_and_close (part, send);
    }

    void traffic ()
    {
        const auto at_near = [&] { return receive_bytes (near_); };
        const auto at_far = [&] { return receive_message (far_); };
        exchange (
          "send", [&] { return Abi::send (far_, tag_.data (), tag_bytes, 0); }, at_near);
        exchange (
          "send_const", [&] { return Abi::send_const (near_, tag_.data (), tag_bytes, 0); }, at_far);
        exchange (
          "send large", [&] { return Abi::send (near_, large_.data (), large_.size (), 0); }, at_far);
        exchange (
          "send parts",
          [&] {
              const int answer = Abi::send (far_, large_.data (), 300, ZMQ_SNDMORE);
              return answer < 0 ? answer : Abi::send (far_, large_.data (), 3000, 0);
          },
          at_near);
        for (const std::size_t size : {std::size_t{20}, std::size_t{5000}, large_.size ()})
            exchange (
              "msg_send",
              [&] { return send_buffer (size, [&] (msg_t *of) { return Abi::msg_send (of, far_, 0); }); },
              at_near);
    }

    // --- waiting --------------------------------------------------------------------

    void wait ()
    {
        const auto send = [&] { return Abi::send (far_, tag_.data (), tag_bytes, 0); };
        exchange ("poll", send, [&] {
            typename Abi::pollitem_t item{near_, 0, ZMQ_POLLIN, 0};
            (void)attempt ("poll", [&] { return Abi::poll (&item, 1, patience_ms); });
            return receive_bytes (near_);
        });
        exchange ("ppoll", send, [&] {
            typename Abi::pollitem_t item{near_, 0, ZMQ_POLLIN, 0};
            (void)attempt ("ppoll", [&] { return Abi::ppoll (&item, 1, patience_ms, nullptr); });
            return receive_bytes (near_);
        });
        void *poller = insist ("poller_new", [&] { return Abi::poller_new (); });
        const int handle = get (far_, ZMQ_FD);
        insist ("poller_add", [&] { return Abi::poller_add (poller, near_, this, ZMQ_POLLOUT); });
        insist ("poller_modify", [&] { return Abi::poller_modify (poller, near_, ZMQ_POLLIN); });
        insist ("poller_add_fd", [&] { return Abi::poller_add_fd (poller, handle, nullptr, ZMQ_POLLIN); });
        insist ("poller_modify_fd", [&] { return Abi::poller_modify_fd (poller, handle, 0); });
        expect ("poller_size", insist ("poller_size", [&] { return Abi::poller_size (poller); }) == 2);
        exchange ("poller_wait", send, [&] {
            typename Abi::poller_event_t event{};
            (void)attempt (
              "poller_wait", [&] { return Abi::poller_wait (poller, &event, patience_ms); }, EAGAIN);
            return receive_bytes (near_);
        });
        int set = 0;
        const auto ask = [&] { return Abi::poller_fd (poller, &set); };
        if (elsewhere == nullptr)
            insist ("poller_fd", ask);
        else  // sets may not nest
            (void)attempt ("poller_fd", ask, EINVAL);
        exchange ("poller_wait_all", send, [&] {
            std::array<typename Abi::poller_event_t, 2> events{};
            (void)attempt (
              "poller_wait_all",
              [&] { return Abi::poller_wait_all (poller, events.data (), 2, patience_ms); }, EAGAIN);
            return receive_bytes (near_);
        });
        insist ("poller_remove_fd", [&] { return Abi::poller_remove_fd (poller, handle); });
        insist ("poller_remove", [&] { return Abi::poller_remove (poller, near_); });
        insist ("poller_destroy", [&] { return Abi::poller_destroy (&poller); });
        (void)get (near_, ZMQ_EVENTS);
    }

    // --- proxies ----------------------------------------------------------------------

    struct proxied
    {
        void *front = nullptr;
        void *back = nullptr;
        void *capture = nullptr;
        void *control = nullptr;
        int (*run) (const proxied &) = nullptr;
    };

    static void run_proxy (void *argument)
    {
        const auto &on = *static_cast<const proxied *> (argument);
        if (on.run (on) == 0 || errno == ENOTSOCK || (faults_so_far () > 0 && says_out_of_something (errno)))
            return;
        script_failed ("proxy", "answered", errno);
    }

    // Closing the front ends it.
    void run_until_closed (int (*run) (const proxied &))
    {
        proxied on;
        on.run = run;
        on.front = open_socket (ZMQ_PULL);
        on.back = open_socket (ZMQ_PUSH);
        void *const thread = insist ("threadstart", [&] { return Abi::threadstart (run_proxy, &on); });
        close_socket (on.front);
        join (thread);
        close_socket (on.back);
    }

    void join (void *thread)
    {
        script_is_at ("threadclose");
        const library_call here;
        Abi::threadclose (thread);
    }

    void proxies ()
    {
        run_until_closed ([] (const proxied &on) { return Abi::proxy (on.front, on.back, nullptr); });
        proxied on;
        on.run = [] (const proxied &at) {
            return Abi::proxy_steerable (at.front, at.back, at.capture, at.control);
        };
        on.front = open_socket (ZMQ_PULL);
        on.back = open_socket (ZMQ_PUSH);
        on.capture = open_socket (ZMQ_PUSH);
        on.control = open_socket (ZMQ_PAIR);
        void *const steer = open_socket (ZMQ_PAIR);
        insist ("bind", [&] { return Abi::bind (on.control, "inproc://steer"); });
        insist ("connect", [&] { return Abi::connect (steer, "inproc://steer"); });
        void *const thread = insist ("threadstart", [&] { return Abi::threadstart (run_proxy, &on); });
        insist ("send", [&] { return Abi::send (steer, "TERMINATE", 9, 0); });
        join (thread);
        for (void *const each : {on.front, on.back, on.capture, on.control, steer})
            close_socket (each);
    }

    // --- what needs no socket ------------------------------------------------------------

    void utilities ()
    {
        const library_call here;
        int major = 0;
        Abi::version (&major, nullptr, nullptr);
        const int on_a_machine = elsewhere == nullptr ? 1 : 0;
        expect ("has", Abi::has ("ipc") == on_a_machine && Abi::has ("nothing") == 0);
        expect ("strerror", Abi::strerror (ENOMEM)[0] != '\0' && Abi::strerror (ETERM)[0] != '\0');
        errno = EBADF;
        expect ("errno", Abi::error_number () == EBADF);
        Abi::sleep (0);
    }

    void counters_and_timers ()
    {
        void *counter = insist ("atomic_counter_new", [&] { return Abi::atomic_counter_new (); });
        Abi::atomic_counter_set (counter, 3);
        expect ("atomic_counter_inc", Abi::atomic_counter_inc (counter) == 3);
        expect ("atomic_counter_dec", Abi::atomic_counter_dec (counter) == 1);
        expect ("atomic_counter_value", Abi::atomic_counter_value (counter) == 3);
        Abi::atomic_counter_destroy (&counter);

        void *const watch = insist ("stopwatch_start", [&] { return Abi::stopwatch_start (); });
        (void)Abi::stopwatch_intermediate (watch);
        (void)Abi::stopwatch_stop (watch);

        void *timers = insist ("timers_new", [&] { return Abi::timers_new (); });
        int fired = 0;
        const auto fire = [] (int, void *count) { ++*static_cast<int *> (count); };
        const int kept =
          insist ("timers_add", [&] { return Abi::timers_add (timers, 100'000, fire, &fired); });
        const int gone = insist ("timers_add", [&] { return Abi::timers_add (timers, 1, fire, &fired); });
        insist ("timers_cancel", [&] { return Abi::timers_cancel (timers, gone); });
        insist ("timers_reset", [&] { return Abi::timers_reset (timers, kept); });
        insist ("timers_set_interval", [&] { return Abi::timers_set_interval (timers, kept, 0); });
        expect ("timers_timeout", Abi::timers_timeout (timers) == 0);
        insist ("timers_execute", [&] { return Abi::timers_execute (timers); });
        expect ("timers_execute", fired == 1);
        insist ("timers_destroy", [&] { return Abi::timers_destroy (&timers); });
    }

    // --- the end ------------------------------------------------------------------------------

    void unlink ()
    {
        insist ("disconnect", [&] { return Abi::disconnect (far_, dialled_.data ()); });
        insist ("unbind", [&] { return Abi::unbind (near_, bound_.data ()); });
        insist ("ctx_shutdown", [&] { return Abi::ctx_shutdown (context_); });
        close_socket (near_);
        close_socket (far_);
    }

    static constexpr int patience_ms = 50;  // before what may have been lost is sent again

    const char *const endpoint_;
    std::array<char, 512> bound_{};
    std::array<char, 512> dialled_{};
    void *context_ = nullptr;
    void *near_ = nullptr;  // binds
    void *far_ = nullptr;   // connects
};

// The whole conversation. remote: see link().
void play_zmq (const char *endpoint, const char *remote);
void play_zlink (const char *endpoint, const char *remote);

// What other types of sockets say (talk_script.cpp): SUB and XPUB, by whom they meet, XSUB and PUB,
// DEALER and ROUTER, REQ and REP, two STREAMs.
void play_topics (const char *endpoint, const char *remote);
void play_met (const char *endpoint, const char *remote);
void play_asked (const char *endpoint, const char *remote);
void play_names (const char *endpoint, const char *remote);
void play_requests (const char *endpoint, const char *remote);
void play_packets (const char *endpoint, const char *remote);
void play_datagrams (const char *endpoint, const char *remote);
void play_services (const char *endpoint, const char *remote);
void play_statistics (const char *endpoint, const char *remote);
void play_spots (const char *endpoint, const char *remote);
void play_parted (const char *endpoint, const char *remote);
void play_gateways (const char *endpoint, const char *remote);

}  // namespace zlink::test

// Close, shutdown and term come from another thread at every point of every
// call: before it, in the middle, while it waits, behind it. The call says
// what happened and the context ends.
#include <array>
#include <functional>
#include <memory>

#include "threads/crowd.hpp"

namespace zlink::test {
namespace {

// What a call is made on. All sockets are closed by whoever ends the round.
struct scene
{
    void *context = nullptr;
    void *pull = nullptr;   // bound; nobody sends to it unless busy
    void *push = nullptr;   // connected to it if busy, else to nobody
    void *pair = nullptr;   // without any peer
    std::string where;      // of pull
    std::string elsewhere;  // free
};

using call_body = long (*) (const scene &);

// A call by its name. It is repeated until it fails; one that waits does not
// come back before.
struct named_call
{
    const char *name;
    void *scene::*on;  // whose closing ends it
    bool busy;         // messages flow meanwhile
    call_body make;
};

template <class Call> long with_part (Call call)
{
    zlink_msg_t one;
    zlink_msg_init (&one);
    const long answer = call (&one);
    const int reason = errno;
    zlink_msg_close (&one);
    errno = reason;
    return answer;
}

long poll_for (void *socket, short events, long timeout_ms)
{
    zmq_pollitem_t item{socket, 0, events, 0};
    return zmq_poll (&item, 1, timeout_ms);
}

long wait_in_poller (void *socket)
{
    void *poller = zlink_poller_new ();
    zlink_poller_event_t event{};
    long answer = zlink_poller_add (poller, socket, nullptr, ZLINK_POLLIN);
    if (answer == 0)
        answer = zlink_poller_wait (poller, &event, -1);
    const int reason = errno;
    zlink_poller_destroy (&poller);
    errno = reason;
    return answer;
}

long read_option (void *socket, int option)
{
    int value = 0;
    std::size_t size = sizeof value;
    return zmq_getsockopt (socket, option, &value, &size);
}

constexpr named_call calls[] = {
  // --- that wait for ever -------------------------------------------------
  {"recv", &scene::pull, false, [] (const scene &at) -> long { return zmq_recv (at.pull, nullptr, 0, 0); }},
  {"msg_recv", &scene::pull, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *to) { return zlink_msg_recv (to, at.pull, 0); });
   }},
  {"recvv", &scene::pull, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *to) {
           std::size_t count = 1;
           return zlink_recvv (at.pull, to, &count, 0);
       });
   }},
  {"recvn", &scene::pull, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *to) { return zlink_recvn (at.pull, to, 1, 0); });
   }},
  {"recv_packed", &scene::pull, false,
   [] (const scene &at) -> long {
       std::uint32_t size = 0;
       char bytes[8];
       return zlink_recv_packed (at.pull, bytes, sizeof bytes, &size, 1, 0);
   }},
  {"send", &scene::push, false, [] (const scene &at) -> long { return zmq_send (at.push, "x", 1, 0); }},
  {"msg_send", &scene::push, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *of) { return zlink_msg_send (of, at.push, 0); });
   }},
  {"sendv", &scene::push, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *of) { return zlink_sendv (at.push, of, 1, 0); });
   }},
  {"sendn", &scene::push, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *of) { return zlink_sendn (at.push, of, 1, 0); });
   }},
  {"send_packed", &scene::push, false,
   [] (const scene &at) -> long {
       const std::uint32_t size = 1;
       return zlink_send_packed (at.push, "x", 1, &size, 1, 0);
   }},
  {"poll_in", &scene::pull, false, [] (const scene &at) { return poll_for (at.pull, ZMQ_POLLIN, -1); }},
  {"poll_out", &scene::push, false, [] (const scene &at) { return poll_for (at.push, ZMQ_POLLOUT, -1); }},
  {"poller_wait", &scene::pull, false, [] (const scene &at) { return wait_in_poller (at.pull); }},
  {"wait_peers", &scene::pair, false,
   [] (const scene &at) -> long { return zlink_wait_peers (at.pair, 1, -1); }},
  {"proxy", &scene::pull, false,
   [] (const scene &at) -> long { return zmq_proxy (at.pull, at.push, nullptr); }},
  // --- in the middle of traffic --------------------------------------------
  {"busy_recv", &scene::pull, true,
   [] (const scene &at) -> long { return zmq_recv (at.pull, nullptr, 0, 0); }},
  {"busy_send", &scene::push, true,
   [] (const scene &at) -> long { return zmq_send (at.push, "busy", 4, 0); }},
  {"busy_large_send", &scene::push, true,
   [] (const scene &at) -> long {
       static const std::string large (60'000, 'x');
       return zmq_send (at.push, large.data (), large.size (), 0);
   }},
  {"busy_parts", &scene::push, true,
   [] (const scene &at) -> long {
       const int first = zmq_send (at.push, "one", 3, ZMQ_SNDMORE);
       return first < 0 ? first : zmq_send (at.push, "two", 3, 0);
   }},
  {"busy_poll", &scene::pull, true, [] (const scene &at) { return poll_for (at.pull, ZMQ_POLLIN, 1); }},
  // --- that do not wait -------------------------------------------------------
  {"bind_and_unbind", &scene::pair, false,
   [] (const scene &at) -> long {
       const int bound = zmq_bind (at.pair, at.elsewhere.c_str ());
       return bound < 0 ? bound : zmq_unbind (at.pair, at.elsewhere.c_str ());
   }},
  {"connect_and_disconnect", &scene::pair, false,
   [] (const scene &at) -> long {
       const int made = zmq_connect (at.pair, at.elsewhere.c_str ());
       return made < 0 ? made : zmq_disconnect (at.pair, at.elsewhere.c_str ());
   }},
  {"events", &scene::push, true, [] (const scene &at) { return read_option (at.push, ZMQ_EVENTS); }},
  {"descriptor", &scene::push, true, [] (const scene &at) { return read_option (at.push, ZMQ_FD); }},
  {"set_option", &scene::push, true,
   [] (const scene &at) -> long {
       const int linger = 0;
       return zmq_setsockopt (at.push, ZMQ_LINGER, &linger, sizeof linger);
   }},
  {"statistics", &scene::push, true,
   [] (const scene &at) -> long {
       zlink_statistics_t found;  // there to the last, so something else must say when that is
       const int answer = zlink_statistics (at.push, &found);
       return answer < 0 ? answer : read_option (at.push, ZMQ_EVENTS);
   }},
  {"status", &scene::push, true,
   [] (const scene &at) -> long {
       zlink_endpoint_status_t found;
       return zlink_connect_status (at.push, at.where.c_str (), &found);
   }},
};

enum class end_by
{
    close,
    shutdown,
    term,
};

struct case_of_call
{
    crowd_transport over;
    named_call call;
    friend void PrintTo (const case_of_call &of, std::ostream *to)
    {
        *to << of.call.name << " over " << of.over.name;
    }
};

class every_point : public testing::TestWithParam<case_of_call>
{
  protected:
    static scene open ()
    {
        scene at;
        at.context = zmq_ctx_new ();
        at.pull = zmq_socket (at.context, ZMQ_PULL);
        at.push = zmq_socket (at.context, ZMQ_PUSH);
        at.pair = zmq_socket (at.context, ZMQ_PAIR);
        const int zero = 0;
        for (void *each : {at.pull, at.push, at.pair})
            EXPECT_EQ (zmq_setsockopt (each, ZMQ_LINGER, &zero, sizeof zero), 0);
        at.where = where_;
        at.elsewhere = elsewhere_;
        // The listener of the round before may still be closing.
        EXPECT_TRUE (eventually ([&] { return zmq_bind (at.pull, at.where.c_str ()) == 0; }));
        if (GetParam ().call.busy) {
            EXPECT_EQ (zmq_connect (at.push, at.where.c_str ()), 0);
            EXPECT_EQ (zlink_wait_peers (at.push, 1, watchdog_ms), 0);
        }
        return at;
    }

    void SetUp () override
    {
        where_ = GetParam ().over.place ();
        elsewhere_ = GetParam ().over.place ();
    }

    // Keeps messages flowing past the call that is looked at.
    static void be_the_other_side (const scene &at)
    {
        if (GetParam ().call.on == &scene::pull)
            while (zmq_send (at.push, "busy", 4, 0) >= 0) {}
        else
            while (zmq_recv (at.pull, nullptr, 0, 0) >= 0) {}
    }

    static void end_round (const scene &at, end_by how, void *closed);
    void run (end_by how, int rounds);

    static inline std::string where_;
    static inline std::string elsewhere_;
};

void every_point::end_round (const scene &at, end_by how, void *closed)
{
    for (void *each : {at.pull, at.push, at.pair})
        if (each != closed) {
            EXPECT_EQ (zmq_close (each), 0);
        }
    if (how != end_by::term) {
        EXPECT_EQ (zlink_ctx_term_ms (at.context, watchdog_ms), 0) << zmq_strerror (errno);
    }
}

void every_point::run (end_by how, int rounds)
{
    dice roll (static_cast<std::uint32_t> (rounds));
    for (int round = 0; round < rounds; ++round) {
        const scene at = open ();
        const named_call &call = GetParam ().call;
        void *const target = at.*call.on;
        std::atomic<bool> entered{false};
        std::vector<worker> all;
        all.emplace_back ([&] {
            entered = true;
            while (call.make (at) >= 0) {}
            const int wanted = how == end_by::close ? ENOTSOCK : ETERM;
            EXPECT_EQ (errno, wanted) << zmq_strerror (errno);
        });
        if (call.busy)
            all.emplace_back ([&] { be_the_other_side (at); });
        while (!entered)
            ::sched_yield ();
        for (std::uint32_t turns = roll.roll (8) * roll.roll (40); turns > 0; --turns)
            zmq_ctx_get (at.context, ZMQ_IO_THREADS);
        switch (how) {
        case end_by::close:
            EXPECT_EQ (zmq_close (target), 0);
            all.front ().join ();
            EXPECT_EQ (zmq_ctx_shutdown (at.context), 0);
            break;
        case end_by::shutdown:
            EXPECT_EQ (zmq_ctx_shutdown (at.context), 0);
            break;
        case end_by::term:
            all.emplace_back ([&] { EXPECT_EQ (zlink_ctx_term_ms (at.context, watchdog_ms), 0); });
            all.front ().join ();
            break;
        }
        all[0].join ();
        if (call.busy)
            all[1].join ();
        end_round (at, how, how == end_by::close ? target : nullptr);
    }
}

constexpr int rounds_each = 25;

TEST_P (every_point, is_a_point_to_close) { run (end_by::close, rounds_each); }
TEST_P (every_point, is_a_point_to_shut_down) { run (end_by::shutdown, rounds_each); }
TEST_P (every_point, is_a_point_to_end_the_context) { run (end_by::term, rounds_each); }

std::vector<case_of_call> all_cases ()
{
    std::vector<case_of_call> all;
    for (const crowd_transport &over : {crowd_transport{"tcp", tcp_place}, crowd_transport{"ipc", ipc_place},
                                        crowd_transport{"inproc", inproc_place}})
        for (const named_call &each : calls)
            all.push_back ({over, each});
    return all;
}

INSTANTIATE_TEST_SUITE_P (of, every_point, testing::ValuesIn (all_cases ()), [] (const auto &of) {
    return std::string (of.param.call.name) + "_over_" + of.param.over.name;
});

}  // namespace
}  // namespace zlink::test

// Close, shutdown and term come from another thread at every point of every
// call: before it, in the middle, while it waits, behind it. The call says
// what happened and the context ends.
#include <array>
#include <functional>
#include <memory>

#include "threads/crowd.hpp"
#include "threads/named_calls.hpp"

namespace zlink::test {
namespace {

class every_point : public testing::TestWithParam<call_over>
{
  protected:
    static scene open ()
    {
        scene at;
        at.context = zmq_ctx_new ();
        at.where = where_;
        at.elsewhere = elsewhere_;
        const named_call &call = GetParam ().call;
        if (call.type >= 0) {
            at.one = open_one (at, call.type);
            bind (at.one, at.elsewhere);
            if (call.peer_type >= 0)
                connect (at.peer = open_one (at, call.peer_type), at.elsewhere);
            return at;
        }
        at.pull = open_one (at, ZMQ_PULL);
        at.push = open_one (at, ZMQ_PUSH);
        at.pair = open_one (at, ZMQ_PAIR);
        bind (at.pull, at.where);
        if (call.busy)
            connect (at.push, at.where);
        return at;
    }
    static void *open_one (const scene &at, int type)
    {
        void *const made = zmq_socket (at.context, type);
        const int zero = 0;
        const int few = 10;
        EXPECT_EQ (zmq_setsockopt (made, ZMQ_LINGER, &zero, sizeof zero), 0);
        if (GetParam ().call.type >= 0) {
            EXPECT_EQ (zmq_setsockopt (made, ZMQ_SNDHWM, &few, sizeof few), 0);
            EXPECT_EQ (zmq_setsockopt (made, ZMQ_RCVHWM, &few, sizeof few), 0);
        }
        if (type == ZMQ_SUB) {
            EXPECT_EQ (zmq_setsockopt (made, ZMQ_SUBSCRIBE, "", 0), 0);
        }
        return made;
    }
    // The listener of the round before may still be closing.
    static void bind (void *socket, const std::string &place)
    {
        EXPECT_TRUE (eventually ([&] { return zmq_bind (socket, place.c_str ()) == 0; }));
    }
    static void connect (void *socket, const std::string &place)
    {
        EXPECT_EQ (zmq_connect (socket, place.c_str ()), 0);
        EXPECT_EQ (zlink_wait_peers (socket, 1, watchdog_ms), 0);
    }

    void SetUp () override
    {
        where_ = GetParam ().over.place ();
        elsewhere_ = GetParam ().over.place ();
    }

    // Keeps messages flowing past the call that is looked at.
    static void be_the_other_side (const scene &at)
    {
        if (const call_body meanwhile = GetParam ().call.meanwhile; meanwhile != nullptr)
            while (meanwhile (at) >= 0) {}
        else if (GetParam ().call.on == &scene::pull)
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
    for (void *each : {at.pull, at.push, at.pair, at.one, at.peer})
        if (each != nullptr && each != closed) {
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
        const bool busy = call.busy || call.meanwhile != nullptr;
        if (busy)
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
        if (busy)
            all[1].join ();
        end_round (at, how, how == end_by::close ? target : nullptr);
    }
}

constexpr int rounds_each = 12;

TEST_P (every_point, is_a_point_to_close) { run (end_by::close, rounds_each); }
TEST_P (every_point, is_a_point_to_shut_down) { run (end_by::shutdown, rounds_each); }
TEST_P (every_point, is_a_point_to_end_the_context) { run (end_by::term, rounds_each); }

std::vector<call_over> all_cases ()
{
    std::vector<call_over> all;
    for (const crowd_transport &over : {crowd_transport{"tcp", tcp_place}, crowd_transport{"ipc", ipc_place},
                                        crowd_transport{"inproc", inproc_place}})
        for (const named_call &each : named_calls ())
            if (!each.tcp_only || over.place == tcp_place)
                all.push_back ({over, each});
    return all;
}

INSTANTIATE_TEST_SUITE_P (of, every_point, testing::ValuesIn (all_cases ()), name_of_case);

}  // namespace
}  // namespace zlink::test

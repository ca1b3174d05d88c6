// A context whose sockets may hold a mebibyte together.
#pragma once

#include "conformance/transport.hpp"

namespace zlink::test {

struct with_budget : conformance
{
    static constexpr int budget_kib = 1024;

    with_budget () { EXPECT_EQ (zmq_ctx_set (own, ZLINK_BUDGET_KIB, budget_kib), 0); }

    // No marks but the budget, and little room in the kernel.
    [[nodiscard]] socket open_unmarked (int type)
    {
        socket made = open (type);
        for (const int option : {ZMQ_SNDHWM, ZMQ_RCVHWM})
            made.set (option, 0);
        for (const int option : {ZLINK_SNDHWM_BYTES, ZLINK_RCVHWM_BYTES})
            made.set_wide (option, 0);
        for (const int option : {ZMQ_SNDBUF, ZMQ_RCVBUF})
            made.set (option, 16'384);
        return made;
    }
    // Ten thousand bytes, the first of which are a number.
    [[nodiscard]] static std::string numbered (int number)
    {
        std::string text = std::to_string (number) + ' ';
        text.resize (10'000, 'x');
        return text;
    }
    // Sends them from so on until one is refused; answers the next number.
    static int fill (socket &push, int from = 0)
    {
        push.set (ZMQ_SNDTIMEO, 100);
        while (push.send (numbered (from)))
            ++from;
        EXPECT_EQ (errno, EAGAIN);
        push.set (ZMQ_SNDTIMEO, watchdog_ms);
        return from;
    }
    static void take (socket &pull, int from, int to)
    {
        for (int i = from; i < to; ++i)
            ASSERT_TRUE (pull.receive () == numbered (i)) << i;
    }
    [[nodiscard]] static zlink_counters_t own_row (void *of)
    {
        zlink_counters_t row{};
        std::size_t count = 1;
        EXPECT_EQ (zlink_counters (of, &row, sizeof row, &count), 0);
        return row;
    }
};

}  // namespace zlink::test

#include "engine/steady_flow.hpp"

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

struct SteadyFlow : testing::Test
{
    steady_flow flow;
    base::time_ns now = base::ns_per_s;
    std::uint64_t written = 0;

    void tick (std::uint64_t octets, base::time_ns behind = dirty_tick_ns)
    {
        flow.tick (now += behind, written += octets);
    }
    void begin ()
    {
        for (unsigned i = 0; i < flow_ticks_min; ++i) {
            EXPECT_FALSE (flow.flows ());
            tick (flow_tick_bytes_min);
        }
        EXPECT_TRUE (flow.flows ());
    }
};

TEST_F (SteadyFlow, IsOneThatMovesFarFromTickToTick)
{
    begin ();
    tick (flow_tick_bytes_min);
    EXPECT_TRUE (flow.flows ());
}

TEST_F (SteadyFlow, EndsWithTheFirstTickThatSawLess)
{
    begin ();
    tick (flow_tick_bytes_min - 1);
    EXPECT_FALSE (flow.flows ());
    tick (flow_tick_bytes_min);
    EXPECT_FALSE (flow.flows ());
}

TEST_F (SteadyFlow, EndsWithAPause)
{
    begin ();
    tick (flow_tick_bytes_min, flow_pause_ns_min);
    EXPECT_FALSE (flow.flows ());
}

TEST_F (SteadyFlow, IsNotWhatOthersWrite)
{
    for (unsigned i = 0; i < 2 * flow_ticks_min; ++i) {
        tick (0);
        flow.pass_over (written += flow_tick_bytes_min);
    }
    EXPECT_FALSE (flow.flows ());
}

}  // namespace
}  // namespace zlink::engine

#include "engine/steady_flow.hpp"

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

TEST (SteadyFlow, IsOneThatMovesFarFromTickToTick)
{
    steady_flow flow;
    base::time_ns now = base::ns_per_s;
    std::uint64_t written = 0;
    for (unsigned i = 0; i < flow_ticks_min; ++i) {
        EXPECT_FALSE (flow.flows ());
        flow.tick (now += dirty_tick_ns, written += flow_tick_bytes_min);
    }
    EXPECT_TRUE (flow.flows ());
    flow.tick (now += dirty_tick_ns, written += flow_tick_bytes_min);
    EXPECT_TRUE (flow.flows ());
}

TEST (SteadyFlow, EndsWithTheFirstTickThatSawLess)
{
    steady_flow flow;
    base::time_ns now = base::ns_per_s;
    std::uint64_t written = 0;
    for (unsigned i = 0; i < 2 * flow_ticks_min; ++i)
        flow.tick (now += dirty_tick_ns, written += flow_tick_bytes_min);
    flow.tick (now += dirty_tick_ns, written += flow_tick_bytes_min - 1);
    EXPECT_FALSE (flow.flows ());
    flow.tick (now += dirty_tick_ns, written += flow_tick_bytes_min);
    EXPECT_FALSE (flow.flows ());
}

TEST (SteadyFlow, EndsWithAPause)
{
    steady_flow flow;
    base::time_ns now = base::ns_per_s;
    std::uint64_t written = 0;
    for (unsigned i = 0; i < 2 * flow_ticks_min; ++i)
        flow.tick (now += dirty_tick_ns, written += flow_tick_bytes_min);
    EXPECT_TRUE (flow.flows ());
    flow.tick (now += flow_pause_ns_min, written += flow_tick_bytes_min);
    EXPECT_FALSE (flow.flows ());
}

TEST (SteadyFlow, IsNotWhatOthersWrite)
{
    steady_flow flow;
    base::time_ns now = base::ns_per_s;
    std::uint64_t written = 0;
    for (unsigned i = 0; i < 2 * flow_ticks_min; ++i) {
        flow.tick (now += dirty_tick_ns, written);
        flow.pass_over (written += flow_tick_bytes_min);
    }
    EXPECT_FALSE (flow.flows ());
}

}  // namespace
}  // namespace zlink::engine

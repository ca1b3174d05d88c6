// The suite over WebSocket, over the simulator's network.
#include "conformance/own_context.hpp"
#include "conformance/transport.hpp"
#include "sim/gtest_main.hpp"

namespace zlink::test {

const transport &under_test ()
{
    static const transport only = {"sim_ws",         false, true, false, sim_place, own_zmq_context,
                                   own_zlink_context};
    return only;
}

}  // namespace zlink::test

zlink::sim::test_surroundings zlink::sim::surroundings_of (const testing::TestInfo &)
{
    return {.seed = wanted_seed (), .web = true};
}

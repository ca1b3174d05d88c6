// The suite over WebSocket in TLS, over the simulator's network.
#include "conformance/furnished.hpp"
#include "conformance/own_context.hpp"
#include "conformance/transport.hpp"
#include "sim/gtest_main.hpp"
#include "sim/world.hpp"

namespace zlink::test {

std::int64_t unix_s_of_certificates () { return sim::world_of_test ().time.unix_s (); }

const transport &under_test ()
{
    static const transport only = {"sim_wss",        false, true, false, sim_place, own_zmq_context,
                                   own_zlink_context};
    return only;
}

}  // namespace zlink::test

zlink::sim::test_surroundings zlink::sim::surroundings_of (const testing::TestInfo &)
{
    return {.seed = wanted_seed (), .tls = true, .web = true};
}

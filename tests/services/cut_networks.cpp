// A provider behind a link that is cut without a word to anybody, and mended.
#include <atomic>

#include "services/provided.hpp"
#include "support/namespaces.hpp"
#include "support/waiting.hpp"

namespace zlink::service::test {
namespace {

// Who has no reply in time asks another: every request is replied to, whether the link is
// cut or mended.
TEST (CutNetworks, RequestsGoToWhoIsReached)
{
    if (!zlink::test::enter_own_network ())
        GTEST_SKIP () << "networks of a process's own are not to be had";
    const zlink::test::distant_process distant;
    listed_provider near, far;
    near.endpoint = "tcp://127.0.0.1:5001";
    far.endpoint = std::string ("tcp://") + distant.far_address + ":5001";
    const zlink::test::child_process provider ({ZLINK_PROVIDER_PROCESS, near.endpoint});
    distant.start ({ZLINK_PROVIDER_PROCESS, far.endpoint});

    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    base::world &world = real->world ();
    const own_context context (world);
    const auto by = gateway::open (world, context.handle (), {}).value ();
    list (*by, {near, far});
    wait_connected (*by, world, 2);
    std::atomic<bool> over{false};
    std::atomic<int> replied{0}, failed{0};
    auto asking = start_thread (world, [&] {
        while (!over) {
            call_options options = within (world, 20 * ns_per_s);
            options.idempotent = true;
            options.hedge_at_ns = world.time.now_ns () + 20 * ns_per_ms;
            (ask (*by, world, "x", options).status == call_status::replied ? replied : failed) += 1;
        }
    });
    const auto go_on = [&] {
        const int before = replied;
        EXPECT_TRUE (zlink::test::eventually ([&] { return replied > before + 50; }));
    };
    for (int round = 0; round < 2; ++round) {
        go_on ();
        distant.cut ();
        go_on ();
        distant.heal ();
    }
    go_on ();
    over = true;
    asking.reset ();
    EXPECT_EQ (failed, 0) << replied << " were replied to";
}

}  // namespace
}  // namespace zlink::service::test

// Providers in processes of their own, killed at any moment.
#include <optional>

#include "services/provided.hpp"
#include "support/child_process.hpp"
#include "support/places.hpp"
#include "support/waiting.hpp"

namespace zlink::service::test {
namespace {

class provider_process
{
  public:
    explicit provider_process (std::string endpoint) : endpoint_ (std::move (endpoint)) { start (); }

    void start () { process_.emplace (std::vector<std::string>{ZLINK_PROVIDER_PROCESS, endpoint_}); }
    void kill () { process_.reset (); }
    [[nodiscard]] listed_provider listed () const
    {
        listed_provider row;
        row.endpoint = endpoint_;
        return row;
    }

  private:
    std::string endpoint_;
    std::optional<zlink::test::child_process> process_;
};

// One provider is killed after the other, and comes back; whoever asks meanwhile gets a
// reply within a second, which is also the deadline of the request.
TEST (Processes, WhatIsIdempotentSurvivesAnyKilledProviderWithinASecond)
{
    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    base::world &world = real->world ();
    for (std::string (*const place) () : {zlink::test::tcp_place, zlink::test::ipc_place}) {
        const own_context context (world);
        std::vector<std::unique_ptr<provider_process>> all;
        std::vector<listed_provider> rows;
        for (int i = 0; i < 3; ++i) {
            all.push_back (std::make_unique<provider_process> (place ()));
            rows.push_back (all.back ()->listed ());
        }
        const auto by = gateway::open (world, context.handle (), {}).value ();
        list (*by, rows);
        wait_connected (*by, world, 3);
        std::atomic<bool> over{false};
        std::atomic<int> replied{0}, failed{0};
        {
            std::vector<std::unique_ptr<base::joinable>> asking;
            for (int i = 0; i < 2; ++i)
                asking.push_back (start_thread (world, [&] {
                    while (!over) {
                        call_options options = within (world, ns_per_s);
                        options.idempotent = true;
                        (ask (*by, world, "x", options).status == call_status::replied ? replied : failed) +=
                          1;
                    }
                }));
            for (int round = 0; round < 6; ++round) {
                provider_process &victim = *all[static_cast<std::size_t> (round) % all.size ()];
                const int before = replied;
                EXPECT_TRUE (zlink::test::eventually ([&] { return replied > before + 50; }));
                victim.kill ();
                const int behind = replied;
                EXPECT_TRUE (zlink::test::eventually ([&] { return replied > behind + 50; }));
                victim.start ();
                wait_connected (*by, world, 3);
            }
            over = true;
        }
        EXPECT_EQ (failed, 0) << replied << " were replied to";
    }
}

}  // namespace
}  // namespace zlink::service::test

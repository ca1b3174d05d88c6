// Providers and registries in processes of their own, killed at any moment.
#include <optional>

#include "service/gateway_feed.hpp"
#include "services/provided.hpp"
#include "services/registries.hpp"
#include "support/child_process.hpp"
#include "support/places.hpp"
#include "support/waiting.hpp"

namespace zlink::service::test {
namespace {

// Asks in two threads, as long as it lives, for what is to be there within a second.
class crowd
{
  public:
    crowd (base::world &world, gateway &by) : world_ (world), by_ (by)
    {
        for (std::unique_ptr<base::joinable> &each : asking_)
            each = start_thread (world, [this] { ask_on (); });
    }
    ~crowd ()
    {
        over_ = true;
        for (std::unique_ptr<base::joinable> &each : asking_)
            each.reset ();
        EXPECT_EQ (failed_, 0) << replied_ << " were replied to";
    }
    crowd (const crowd &) = delete;
    crowd &operator= (const crowd &) = delete;

    // Until so many more have been replied to.
    void go_on (int count)
    {
        const int before = replied_;
        EXPECT_TRUE (zlink::test::eventually ([&] { return replied_ > before + count; }));
    }

  private:
    void ask_on ()
    {
        while (!over_) {
            call_options options = within (world_, ns_per_s);
            options.idempotent = true;
            (ask (by_, world_, "x", options).status == call_status::replied ? replied_ : failed_) += 1;
        }
    }

    base::world &world_;
    gateway &by_;
    std::atomic<bool> over_{false};
    std::atomic<int> replied_{0}, failed_{0};
    std::array<std::unique_ptr<base::joinable>, 2> asking_;
};

// One that registers, and that goes when it is asked to.
class registered_process
{
  public:
    registered_process (const std::string &endpoint, const std::string &registry)
      : number_ (zlink::test::start_process ({ZLINK_PROVIDER_PROCESS, endpoint, registry}))
    {
        EXPECT_GT (number_, 0);
    }
    ~registered_process ()
    {
        if (number_ <= 0)
            return;
        ::kill (number_, SIGTERM);
        int status = -1;
        EXPECT_EQ (::waitpid (number_, &status, 0), number_);
        EXPECT_TRUE (WIFEXITED (status) && WEXITSTATUS (status) == 0) << status;
    }
    registered_process (const registered_process &) = delete;
    registered_process &operator= (const registered_process &) = delete;

  private:
    pid_t number_;
};

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
        crowd asking (world, *by);
        for (int round = 0; round < 6; ++round) {
            provider_process &victim = *all[static_cast<std::size_t> (round) % all.size ()];
            asking.go_on (50);
            victim.kill ();
            asking.go_on (50);
            victim.start ();
            wait_connected (*by, world, 3);
        }
    }
}

// Each provider goes when another has come for it; and in between the registry is killed
// and comes back, which those who know each other do not notice.
TEST (Processes, ARollingRestartAndAKilledRegistryFailNothingIdempotent)
{
    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    base::world &world = real->world ();
    for (std::string (*const place) () : {zlink::test::tcp_place, zlink::test::ipc_place}) {
        const own_context context (world);
        const auto loop = service_loop::start (world, context.handle ()).value ();
        const std::string where = place ();
        std::optional<zlink::test::child_process> books;
        const auto start_registry = [&] {
            books.emplace (std::vector<std::string>{ZLINK_REGISTRY_PROCESS, where});
        };
        start_registry ();
        closing<discovery> watcher (discovery::open (world, context.handle (), loop));
        ASSERT_TRUE (watcher->connect_registry (where).ok ());
        const gateway_feed::fed fed =
          gateway_feed::open (world, context.handle (), {}, watcher.share ()).value ();
        std::vector<std::unique_ptr<registered_process>> all (3);
        for (std::unique_ptr<registered_process> &each : all)
            each = std::make_unique<registered_process> (place (), where);
        wait_connected (*fed.made, world, 3);
        {
            crowd asking (world, *fed.made);
            for (std::size_t i = 0; i < all.size (); ++i) {
                asking.go_on (50);
                auto next = std::make_unique<registered_process> (place (), where);
                wait_connected (*fed.made, world, 4);
                all[i] = std::move (next);
                asking.go_on (50);
                if (i != 1)
                    continue;
                books.reset ();
                asking.go_on (200);
                start_registry ();
                EXPECT_TRUE (zlink::test::eventually (
                  [&] { return watcher->facts (wire::family_gateway, "calc").fresh == 1; }));
            }
        }
        all.clear ();
        fed.by->stop ();
        fed.made->close ();
    }
}

}  // namespace
}  // namespace zlink::service::test

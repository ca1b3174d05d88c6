// Gateways that find their providers by a registry, and receivers that register there.
#include "service/gateway_feed.hpp"
#include "service/registered.hpp"
#include "services/provided.hpp"
#include "services/registries.hpp"

namespace zlink::service::test {
namespace {

// A provider that registers where it is bound.
struct registering
{
    registering (town &in, const std::string &name, const std::string &where)
      : books (registration::open (in.world, in.context.handle (), in.loop).value ()),
        at (in.world, in.context.handle (), name, where)
    {
        EXPECT_TRUE (books->connect_registry (in.address).ok ());
        EXPECT_TRUE (at.at ().register_by (std::make_shared<registered> (books)).ok ());
        EXPECT_TRUE (at.at ().offer ("calc", at.endpoint (), 1).ok ());
        EXPECT_EQ (at.at ().instance (), books->instance ());
    }
    ~registering ()
    {
        at.go ();
        books->close ();
    }
    std::shared_ptr<registration> books;
    serving at;
};

// In one process, so that any endpoint will do.
std::string near (int number) { return "inproc://provider-" + std::to_string (number); }

TEST (Found, ProvidersAreFoundByNameAndLostWhenTheyGo)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry ("inproc://books");
        closing<discovery> watcher (discovery::open (world, in.context.handle (), in.loop));
        ASSERT_TRUE (watcher->connect_registry (in.address).ok ());
        const std::shared_ptr<discovery> from = watcher.share ();
        const gateway_feed::fed fed = gateway_feed::open (world, in.context.handle (), {}, from).value ();
        {
            call_outcome early;
            {
                const auto asks = start_thread (world, [&] { early = ask (*fed.made, world, "early"); });
                while (fed.made->counters ().requests == 0)
                    world.sleep.yield ();
                registering one (in, "one", near (1));
                EXPECT_TRUE (one.books->wait (family, "calc", one.at.endpoint (), base::never_ns).ok ());
                EXPECT_EQ (ask (*fed.made, world, "x").status, call_status::replied);
                auto two = std::make_unique<registering> (in, "two", near (2));
                wait_connected (*fed.made, world, 2);
                two.reset ();
                const base::time_ns end = world.time.now_ns () + 30 * ns_per_s;
                while (fed.made->connections ("calc") != 1)
                    ASSERT_LT (world.time.now_ns (), end);
                call_outcome got = ask (*fed.made, world, "y");
                EXPECT_EQ (text_of (got.parts), "one:y");
            }
            EXPECT_EQ (early.status, call_status::replied);
        }
        const call_outcome gone = ask (*fed.made, world, "z", within (world, 50 * ns_per_ms));
        EXPECT_EQ (gone.status, call_status::no_provider);
        fed.by->stop ();
        fed.made->close ();
    });
}

// Each goes when its turn comes and another takes its place; nothing idempotent fails.
TEST (Found, ARollingRestartFailsNothingIdempotent)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry ("inproc://books");
        closing<discovery> watcher (discovery::open (world, in.context.handle (), in.loop));
        ASSERT_TRUE (watcher->connect_registry (in.address).ok ());
        const gateway_feed::fed fed =
          gateway_feed::open (world, in.context.handle (), {}, watcher.share ()).value ();
        std::vector<std::unique_ptr<registering>> all;
        int number = 0;
        for (; number < 3; ++number)
            all.push_back (std::make_unique<registering> (in, std::to_string (number), near (number)));
        wait_connected (*fed.made, world, 3);
        base::atomic<bool> over{false};
        base::atomic<int> replied{0}, failed{0};
        {
            std::vector<std::unique_ptr<base::joinable>> asking;
            for (int i = 0; i < 2; ++i)
                asking.push_back (start_thread (world, [&] {
                    while (!over) {
                        call_options options;
                        options.idempotent = true;
                        const call_outcome got = ask (*fed.made, world, "x", options);
                        (got.status == call_status::replied ? replied : failed) += 1;
                        world.sleep.yield ();
                    }
                }));
            for (std::size_t i = 0; i < all.size (); ++i) {
                const int before = replied;
                if (i != 1) {  // one of them is killed rather than asked
                    EXPECT_TRUE (all[i]->at.at ().drain (world.time.now_ns () + 30 * ns_per_s).ok ());
                }
                all[i] = std::make_unique<registering> (in, std::to_string (number), near (number));
                ++number;
                while (replied < before + 20 && failed == 0)
                    world.sleep.yield ();
            }
            over = true;
        }
        EXPECT_EQ (failed, 0);
        all.clear ();
        fed.by->stop ();
        fed.made->close ();
    });
}

}  // namespace
}  // namespace zlink::service::test

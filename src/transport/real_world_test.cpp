#include "transport/real_world.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>

#include "platform/test_tools.hpp"

namespace zlink::transport {
namespace {

TEST (real_world, has_every_seam)
{
    const std::size_t before = platform::test_tools::open_descriptors ();
    {
        const auto made = make_real_world ();
        ASSERT_TRUE (made);
        base::world &world = made->world ();
        EXPECT_GT (world.time.now_ns (), 0);
        EXPECT_GE (world.sleep.cores (), 1U);
        EXPECT_TRUE (world.pollers.make ());
        EXPECT_NE (world.dice.next (), world.dice.next ());
        ASSERT_EQ (world.transports.size (), 7U);
        EXPECT_EQ (world.transports[0]->scheme (), "tcp");
        EXPECT_EQ (world.transports[1]->scheme (), "ipc");
        EXPECT_EQ (world.transports[2]->scheme (), "udp");
        EXPECT_EQ (world.transports[3]->scheme (), "tls");
        EXPECT_EQ (world.transports[4]->scheme (), "vsock");
        EXPECT_EQ (world.transports[5]->scheme (), "ws");
        EXPECT_EQ (world.transports[6]->scheme (), "wss");
        EXPECT_NE (world.disk, nullptr);
        EXPECT_GT (world.time.unix_s (), 1'000'000'000);
    }
    EXPECT_EQ (platform::test_tools::open_descriptors (), before);
}

TEST (real_world, resolves_on_its_own_thread_and_connects)
{
    // What the resolver's thread touches outlives the world, which joins it.
    std::unique_ptr<base::poller> poller;
    base::resolve_result found;
    std::atomic<bool> done{false};
    const auto made = make_real_world ();
    ASSERT_TRUE (made);
    base::world &world = made->world ();
    base::transport &by = *world.transports[0];
    const auto listener = by.listen ("127.0.0.1:*", {});
    ASSERT_TRUE (listener);
    const std::string remote = platform::test_tools::without_scheme (listener.value ()->local_endpoint ());
    auto empty = world.pollers.make ();
    ASSERT_TRUE (empty);
    poller = std::move (empty.value ());
    world.names.submit (by, remote, {}, [&] (base::resolve_result answer) {
        found = std::move (answer);
        done = true;
        poller->wake ();
    });
    std::array<base::poll_event, 1> events{};
    ASSERT_EQ (poller->wait (events, platform::test_tools::watchdog_ns).value (), 1U);
    ASSERT_TRUE (done);
    ASSERT_EQ (found.addresses.size (), 1U);
    EXPECT_EQ (found.addresses[0].text, listener.value ()->local_endpoint ());
    EXPECT_TRUE (by.dial (found.addresses[0], {}));
    EXPECT_TRUE (platform::test_tools::accept (*listener.value ()));
}

}  // namespace
}  // namespace zlink::transport

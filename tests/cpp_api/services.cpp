// Gateways and receivers of the C++ interface.
#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "support/waiting.hpp"
#include "zlink/gateway.hpp"
#include "zlink/receiver.hpp"
#include "zlink/zlink.hpp"

namespace zlink {
namespace {

struct services : testing::Test
{
    services ()
    {
        at.offer ("calc");
        by.set_providers ("calc", std::array{gateway::provider{where}});
    }
    // Answers until it is told to end.
    void serve ()
    {
        while (std::optional<request> next = at.receive ()) {
            if (next->one_way ()) {
                ++one_ways;
                return;
            }
            if (next->parts ().empty ())
                next->fail (ZLINK_FAILURE_REJECTED, 42, "nothing to do");
            else if ((*next)[0].text () == "drop")
                continue;
            else
                next->reply (next->parts ());
        }
    }

    context own;
    service_receiver at{own};
    std::string where = at.bind ("tcp://127.0.0.1:*");
    gateway by{own};
    std::atomic<int> one_ways{0};
};

TEST_F (services, answer_requests)
{
    std::thread worker ([this] { serve (); });
    reply got = by.request ("calc", std::string_view ("question"));
    EXPECT_TRUE (got);
    ASSERT_EQ (got.parts ().size (), 1u);
    EXPECT_EQ (got[0].text (), "question");
    got = by.request ("calc", std::span<message> ());
    EXPECT_FALSE (got);
    EXPECT_EQ (got.status (), request_status::refused);
    EXPECT_EQ (got.detail (), 42u);
    EXPECT_EQ (got.text (), "nothing to do");
    got = by.request ("calc", std::string_view ("drop"));
    EXPECT_EQ (got.status (), request_status::refused);
    EXPECT_EQ (got.code (), static_cast<unsigned> (ZLINK_FAILURE_HANDLER));
    EXPECT_THROW ((void)by.request ("", std::string_view ("x")), failure);
    EXPECT_EQ (by.connections ("calc"), 1u);
    by.set_balancing ("calc", balancing::least_outstanding);
    std::vector<message> last = parts_of (std::string_view ("bye"));
    by.send ("calc", last);
    worker.join ();
    EXPECT_EQ (one_ways, 1);
    EXPECT_TRUE (at.drain (std::chrono::milliseconds (test::watchdog_ms)));
    EXPECT_TRUE (at.withdraw ("calc"));
    EXPECT_FALSE (at.withdraw ("calc"));
}

TEST_F (services, answer_handlers_and_coroutines)
{
    std::thread worker ([this] { serve (); });
    std::atomic<int> called{0};
    std::vector<message> parts = parts_of (std::string_view ("a"), std::string_view ("b"));
    (void)by.request_async ("calc", parts, {},
                            [&called] (reply &&got) { called += got && got[1].text () == "b"; });
    EXPECT_TRUE (parts[0].empty ());
    const std::uint64_t id = by.request_async ("nowhere", parts, {}, [&called] (reply &&got) {
        called += got.status () == request_status::cancelled;
    });
    EXPECT_TRUE (by.cancel (id));
    EXPECT_TRUE (test::eventually ([&] { return called == 2; }));
    EXPECT_FALSE (by.cancel (id));

    inline_executor here;
    std::atomic<bool> over{false};
    const auto asks = [&] () -> task<void> {
        std::vector<message> asked = parts_of (std::string_view ("awaited"));
        reply got = co_await by.ask (here, "calc", asked);
        EXPECT_TRUE (got && got[0].text () == "awaited");
        std::vector<message> none = parts_of (std::string_view ("x"));
        got = co_await by.ask (here, "nowhere", none, {.timeout = std::chrono::milliseconds (5)});
        EXPECT_EQ (got.status (), request_status::no_provider);
        over = true;
    };
    loop<> runs;
    runs.spawn (asks ());
    EXPECT_TRUE (test::eventually ([&] { return over.load (); }));
    std::vector<message> last = parts_of (std::string_view ("bye"));
    EXPECT_TRUE (by.try_send ("calc", last));
    worker.join ();
}

TEST_F (services, take_bytes_as_messages)
{
    by.send ("calc", std::string_view ("one"));
    ASSERT_TRUE (by.send (std::nothrow, "calc", std::array{1, 2}));
    EXPECT_TRUE (by.try_send ("calc", std::string (100'000, 'x')));
    EXPECT_FALSE (by.try_send ("nowhere", std::string_view ("none")));
    for (const std::size_t size : {std::size_t{3}, 2 * sizeof (int), std::size_t{100'000}}) {
        std::optional<request> next = at.receive ();
        ASSERT_TRUE (next);
        EXPECT_TRUE (next->one_way ());
        EXPECT_EQ ((*next)[0].size (), size);
    }
}

}  // namespace
}  // namespace zlink

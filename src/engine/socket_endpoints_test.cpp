// How long an address is waited for, and when one that failed is tried again.
// Over real transports: tests/conformance/tcp_endpoints.cpp.
#include "engine/scripted_world.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::engine {
namespace {

pattern_traits push_traits ()
{
    pattern_traits traits;
    traits.type = 8;
    traits.name = "PUSH";
    traits.sends = send_rule::balance;
    return traits;
}

class dials_told final : public event_sink
{
  public:
    bool take (const event_record &what) noexcept override
    {
        if (what.kind == event_kind::connect_failed)
            reasons.push_back (what.reason);
        if (what.kind == event_kind::connect_planned)
            intervals_ms.push_back (what.interval_ms);
        return true;
    }
    void deliver () noexcept override {}

    std::vector<base::close_reason> reasons;
    std::vector<std::int64_t> intervals_ms;
};

struct dialler : testing::Test
{
    test::scripted_world around;
    std::shared_ptr<context> of = std::make_shared<context> (around.world (), nullptr);
    std::shared_ptr<dials_told> told = std::make_shared<dials_told> ();
    socket_ref ours;

    void connect (settings how)
    {
        ours = socket_core::create (of, push_traits (), how).value ();
        ASSERT_TRUE (of->admit (ours, 1).ok ());
        ASSERT_TRUE (ours.slot->add_sink (ours.generation, told).ok ());
        ASSERT_TRUE (ours.slot->connect (ours.generation, "script://there").ok ());
        around.settle (*of);
    }
    ~dialler () override
    {
        EXPECT_TRUE (ours.slot->close (ours.generation).ok ());
        pass (10 * base::ns_per_s);
        EXPECT_TRUE (of->sockets ().empty ());
    }
    void pass (base::time_ns time)
    {
        around.time ().now.fetch_add (time);
        around.settle (*of);
    }
    // Until the next attempt of one that has failed so far.
    void fail_again ()
    {
        const std::size_t before = told->intervals_ms.size ();
        while (told->intervals_ms.size () == before)
            pass (base::ns_per_ms);
    }
};

// At the first somebody listens who never answers.
struct name_with_two_addresses : dialler
{
    std::shared_ptr<test::script> first;
    std::shared_ptr<test::script> second;

    name_with_two_addresses ()
    {
        around.addresses = 2;
        first = around.peer ({});
        first->answers = false;
        second = around.peer (wire::test::greeting_of (3, 1) + wire::test::ready_of ("PULL"));
    }
};

TEST_F (name_with_two_addresses, the_second_is_tried_when_the_first_stays_silent)
{
    connect ({});
    pass (silent_address_max_ns - 1);
    EXPECT_TRUE (second->hears.empty ());
    EXPECT_TRUE (told->reasons.empty ());
    pass (1);
    EXPECT_FALSE (second->hears.empty ());
    EXPECT_FALSE (first->open);
    EXPECT_EQ (told->reasons, std::vector{base::close_reason::connect_timeout});
}

TEST_F (name_with_two_addresses, the_users_own_limit_counts_where_there_is_one)
{
    settings how;
    how.connect_timeout_ms = 60'000;
    connect (how);
    pass (silent_address_max_ns);
    EXPECT_TRUE (second->hears.empty ());
    pass (60 * base::ns_per_s - silent_address_max_ns);
    EXPECT_FALSE (second->hears.empty ());
}

TEST_F (name_with_two_addresses, the_last_one_is_left_to_the_system)
{
    settings how;
    how.reconnect_ms = 1;
    connect (how);
    second->answers = false;
    pass (silent_address_max_ns);
    EXPECT_FALSE (first->open);
    EXPECT_EQ (told->reasons.size (), 1U);
    pass (3600 * base::ns_per_s);
    EXPECT_EQ (told->reasons.size (), 1U) << "it was given up";
    second->answers = true;
    pass (1);
    EXPECT_FALSE (second->hears.empty ());
}

TEST_F (dialler, asks_for_the_addresses_again_at_each_attempt)
{
    settings how;
    how.reconnect_ms = 10;
    connect (how);
    EXPECT_EQ (around.lookups, 1U);
    around.addresses = 3;
    fail_again ();
    EXPECT_EQ (around.lookups, 2U);
    EXPECT_EQ (told->reasons.size (), 1U + 3U);
}

// As libzmq waits: the interval and up to half of it more, the same each time.
TEST_F (dialler, waits_for_the_interval_and_a_little_more)
{
    settings how;
    how.reconnect_ms = 100;
    connect (how);
    for (int i = 0; i < 20; ++i)
        fail_again ();
    for (const std::int64_t each : told->intervals_ms) {
        EXPECT_GE (each, 100);
        EXPECT_LE (each, 150);
    }
}

TEST_F (dialler, doubles_the_interval_up_to_its_maximum)
{
    settings how;
    how.reconnect_ms = 100;
    how.reconnect_max_ms = 700;
    connect (how);
    for (int i = 0; i < 5; ++i)
        fail_again ();
    const std::vector<std::int64_t> least{100, 200, 400, 700, 700, 700};
    ASSERT_EQ (told->intervals_ms.size (), least.size ());
    for (std::size_t i = 0; i < least.size (); ++i) {
        EXPECT_GE (told->intervals_ms[i], least[i]);
        EXPECT_LE (told->intervals_ms[i], least[i] * 3 / 2);
    }
}

// With full jitter any time within the interval is as likely as another.
TEST_F (dialler, spreads_its_attempts_over_the_interval)
{
    settings how;
    how.reconnect_ms = 1000;
    how.full_jitter = true;
    connect (how);
    for (int i = 0; i < 200; ++i)
        fail_again ();
    std::array<int, 4> quarters{};
    for (const std::int64_t each : told->intervals_ms) {
        ASSERT_LE (each, 1000);
        ++quarters[static_cast<std::size_t> (std::min<std::int64_t> (each, 999) / 250)];
    }
    for (const int each : quarters)
        EXPECT_GT (each, 10);
}

}  // namespace
}  // namespace zlink::engine

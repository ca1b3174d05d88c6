#include "service/balancer.hpp"

#include <array>
#include <map>
#include <queue>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

using base::never_ns;
using base::ns_per_ms;
using number = balancer::member_number;

constexpr int requests = 10'000;

// Members 0, 1, 2 with these weights, connected.
balancer made (balancing policy, const std::vector<std::uint32_t> &weights)
{
    balancer of ({.policy = policy});
    for (number i = 0; i < weights.size (); ++i) {
        of.add (i, "tcp://host:" + std::to_string (i), weights[i], distance::elsewhere);
        of.set_connected (i, true);
    }
    return of;
}

std::map<number, int> counted (balancer &of, std::uint64_t seed, bool with_keys = false)
{
    std::mt19937_64 dice (seed);
    std::map<number, int> count;
    for (int i = 0; i < requests; ++i)
        ++count[of.pick (dice (), with_keys ? "key " + std::to_string (i) : "").value ()];
    return count;
}

TEST (balancer, with_nobody)
{
    balancer of ({});
    EXPECT_FALSE (of.pick (1).has_value ());
    of.add (1, "a", 1, distance::elsewhere);
    EXPECT_FALSE (of.pick (1).has_value ()) << "not connected";
    of.set_connected (1, true);
    EXPECT_EQ (of.pick (1), number{1});
    const std::array<number, 1> excluded{1};
    EXPECT_FALSE (of.pick (1, "", excluded).has_value ());
    of.add (1, "a", 0, distance::elsewhere);
    EXPECT_FALSE (of.pick (1).has_value ()) << "it drains";
    EXPECT_EQ (of.connected (), 1u);
    of.remove (1);
    of.remove (1);
    EXPECT_EQ (of.size (), 0u);
}

// Whom pick () answers, where there is no choice.
TEST (balancer, the_only_one)
{
    for (const balancing policy : {balancing::round_robin, balancing::weighted, balancing::least_outstanding,
                                   balancing::by_key, balancing::nearest}) {
        balancer of ({.policy = policy});
        EXPECT_FALSE (of.only ().has_value ());
        of.add (4, "a", 1, distance::elsewhere);
        EXPECT_FALSE (of.only ().has_value ()) << "not connected";
        of.set_connected (4, true);
        EXPECT_EQ (of.only (), number{4});
        EXPECT_EQ (of.pick (1), of.only ());
        of.add (4, "a", 0, distance::elsewhere);
        EXPECT_FALSE (of.only ().has_value ()) << "it drains";
        of.add (4, "a", 1, distance::elsewhere);
        of.add (5, "b", 1, distance::elsewhere);
        EXPECT_FALSE (of.only ().has_value ()) << "there are two";
        of.remove (5);
        for (unsigned i = 0; i < failures_to_eject; ++i)
            of.failed (1, 4, 0);
        EXPECT_FALSE (of.only ().has_value ()) << "it is left aside";
        EXPECT_EQ (of.pick (1), number{4}) << "and is better than nobody";
    }
}

// Each exactly its share.
TEST (balancer_distribution, round_robin)
{
    balancer of = made (balancing::round_robin, {1, 5, 1, 1, 1, 1, 1, 1, 1, 1});
    for (const auto &[which, count] : counted (of, 1))
        EXPECT_EQ (count, requests / 10) << which;
}

// Each exactly its share, and no stretch of one heavy member.
TEST (balancer_distribution, weighted)
{
    balancer of = made (balancing::weighted, {5, 3, 2});
    EXPECT_EQ (counted (of, 1), (std::map<number, int>{{0, 5000}, {1, 3000}, {2, 2000}}));
    std::string order;
    for (int i = 0; i < 10; ++i)
        order += std::to_string (of.pick (0).value ());
    EXPECT_EQ (order, "0120010210");
}

// Nothing under way: each its tenth, within a fifth of that.
TEST (balancer_distribution, least_outstanding)
{
    balancer of = made (balancing::least_outstanding, std::vector<std::uint32_t> (10, 1));
    for (const auto &[which, count] : counted (of, 2))
        EXPECT_NEAR (count, requests / 10, requests / 50) << which;
}

// By weight, within a tenth of a share.
TEST (balancer_distribution, by_key)
{
    balancer of = made (balancing::by_key, {1, 1, 2, 1, 1, 2, 1, 1});
    for (const auto &[which, count] : counted (of, 3, true))
        EXPECT_NEAR (count, requests / 10 * (which == 2 || which == 5 ? 2 : 1), requests / 100) << which;
}

// All to the near, evenly; to the zone when those are gone.
TEST (balancer_distribution, nearest)
{
    balancer of = made (balancing::nearest, std::vector<std::uint32_t> (6, 1));
    for (const number near : {1u, 4u})
        of.add (near, "near " + std::to_string (near), 1, distance::same_host);
    for (const number zone : {2u, 3u})
        of.add (zone, "zone " + std::to_string (zone), 1, distance::same_zone);
    const auto evenly = [&of] (number one, number other) {
        const std::map<number, int> count = counted (of, 4);
        EXPECT_EQ (count.size (), 2u);
        for (const number each : {one, other})
            EXPECT_NEAR (count.at (each), requests / 2, requests / 25);
    };
    evenly (1, 4);
    of.set_connected (1, false);
    EXPECT_EQ (counted (of, 4).size (), 1u);
    of.set_connected (4, false);
    evenly (2, 3);
    of.add (2, "", 0, distance::same_zone);
    of.remove (3);
    evenly (0, 5);
}

TEST (balancer, distances)
{
    EXPECT_EQ (distance_between ("h", "z", "h", "y"), distance::same_host);
    EXPECT_EQ (distance_between ("h", "z", "g", "z"), distance::same_zone);
    EXPECT_EQ (distance_between ("h", "z", "g", "y"), distance::elsewhere);
    EXPECT_EQ (distance_between ("", "", "", ""), distance::elsewhere) << "nobody says where he is";
}

TEST (balancer, equal_keys_go_to_the_same)
{
    balancer one = made (balancing::by_key, {1, 1, 1, 1, 1});
    balancer other ({.policy = balancing::by_key});
    for (const number i : {4u, 2u, 0u, 1u, 3u}) {
        other.add (i + 100, "tcp://host:" + std::to_string (i), 1, distance::elsewhere);
        other.set_connected (i + 100, true);
    }
    for (int i = 0; i < 200; ++i) {
        const std::string key = std::to_string (i);
        EXPECT_EQ (one.pick (1, key).value () + 100, other.pick (2, key).value ())
          << "gateways agree, whatever they call the providers";
    }
}

// Whoever goes takes only its own keys along, and gets them back.
TEST (balancer, few_keys_move)
{
    balancer of = made (balancing::by_key, {1, 1, 1, 1, 1});
    std::map<std::string, number> before;
    for (int i = 0; i < 2000; ++i)
        before[std::to_string (i)] = of.pick (0, std::to_string (i)).value ();
    of.set_connected (3, false);
    for (const auto &[key, which] : before) {
        const number now = of.pick (0, key).value ();
        EXPECT_NE (now, 3u);
        EXPECT_TRUE (which == 3 || now == which) << key;
    }
    of.set_connected (3, true);
    for (const auto &[key, which] : before)
        EXPECT_EQ (of.pick (0, key), which);
}

TEST (balancer, in_turn_though_members_go)
{
    balancer of = made (balancing::round_robin, {1, 1, 1, 1});
    EXPECT_EQ (of.pick (0), number{0});
    EXPECT_EQ (of.pick (0), number{1});
    of.remove (0);
    EXPECT_EQ (of.pick (0), number{2});
    of.remove (3);
    EXPECT_EQ (of.pick (0), number{1});
}

// --- ejection ----------------------------------------------------------------------

class balancer_ejection : public testing::Test
{
  protected:
    void fail (int times)
    {
        for (int i = 0; i < times; ++i)
            of_.failed (now_, 1, 0);
    }
    balancer of_ = made (balancing::round_robin, {1, 1, 1});
    base::time_ns now_ = 1000;
};

TEST_F (balancer_ejection, takes_several_failures_in_a_row)
{
    fail (failures_to_eject - 1);
    of_.succeeded (1);
    fail (failures_to_eject - 1);
    EXPECT_FALSE (of_.ejected (1));
    EXPECT_EQ (of_.next_probe (), never_ns);
    fail (1);
    EXPECT_TRUE (of_.ejected (1));
    EXPECT_EQ (counted (of_, 5).count (1), 0u);
    EXPECT_EQ (of_.next_probe (), now_ + eject_first_ns);
}

// What is hedged ends at another's answer: of who is silent no failure would ever be seen.
TEST_F (balancer_ejection, who_is_outrun_in_silence_is_left_out_until_it_answers)
{
    const auto outrun = [this] (unsigned times) {
        for (unsigned i = 0; i < times; ++i)
            EXPECT_EQ (of_.outrun (now_, 1), i + 1 == outruns_to_doubt);
    };
    outrun (outruns_to_doubt - 1);
    of_.heard (1);
    outrun (outruns_to_doubt - 1);
    of_.succeeded (1);
    outrun (outruns_to_doubt - 1);
    EXPECT_FALSE (of_.ejected (1));
    of_.heard (1);
    outrun (outruns_to_doubt);
    EXPECT_TRUE (of_.ejected (1));
    EXPECT_EQ (of_.next_probe (), now_);
    EXPECT_EQ (counted (of_, 5).count (1), 0u);
    EXPECT_EQ (of_.take_probe (now_), number{1});
    of_.probed (now_, 1, true, 0);
    EXPECT_FALSE (of_.ejected (1));
    fail (1);
    EXPECT_FALSE (of_.ejected (1)) << "it is not on trial";
    outrun (outruns_to_doubt);
    EXPECT_EQ (of_.take_probe (now_), number{1});
    of_.probed (now_, 1, false, 0);
    EXPECT_EQ (of_.next_probe (), now_ + eject_first_ns);
}

TEST_F (balancer_ejection, a_probe_brings_it_back)
{
    fail (failures_to_eject);
    EXPECT_FALSE (of_.take_probe (now_ + eject_first_ns - 1).has_value ());
    now_ += eject_first_ns;
    EXPECT_EQ (of_.take_probe (now_), number{1});
    EXPECT_FALSE (of_.take_probe (now_).has_value ()) << "one at a time";
    EXPECT_EQ (of_.next_probe (), never_ns);
    EXPECT_EQ (counted (of_, 5).count (1), 0u) << "not before it has answered";
    of_.probed (now_, 1, true, 0);
    EXPECT_FALSE (of_.ejected (1));
    EXPECT_EQ (counted (of_, 5).at (1), requests / 3);
}

TEST_F (balancer_ejection, pauses_double_up_to_the_last)
{
    fail (failures_to_eject);
    base::time_ns pause = eject_first_ns;
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ (of_.next_probe (), now_ + pause);
        now_ += pause;
        ASSERT_TRUE (of_.take_probe (now_).has_value ());
        of_.probed (now_, 1, false, 0);
        pause = std::min (2 * pause, eject_last_ns);
    }
    EXPECT_EQ (pause, eject_last_ns);
}

TEST_F (balancer_ejection, who_is_back_is_on_trial)
{
    fail (failures_to_eject);
    now_ = of_.next_probe ();
    (void)of_.take_probe (now_);
    of_.probed (now_, 1, true, 0);
    fail (1);
    EXPECT_EQ (of_.next_probe (), now_ + 2 * eject_first_ns);
    now_ = of_.next_probe ();
    (void)of_.take_probe (now_);
    of_.probed (now_, 1, true, 0);
    of_.succeeded (1);
    fail (1);
    EXPECT_FALSE (of_.ejected (1)) << "all is forgiven";
    fail (failures_to_eject);
    EXPECT_EQ (of_.next_probe (), now_ + eject_first_ns) << "the pauses too";
}

TEST_F (balancer_ejection, chance_adds_a_quarter_at_most)
{
    of_.failed (now_, 1, 0);
    of_.failed (now_, 1, 0);
    of_.failed (now_, 1, UINT64_MAX);
    EXPECT_GT (of_.next_probe (), now_ + eject_first_ns);
    EXPECT_LE (of_.next_probe (), now_ + eject_first_ns + eject_first_ns / 4);
}

TEST_F (balancer_ejection, never_takes_the_last)
{
    for (const number each : {0u, 1u, 2u})
        for (unsigned i = 0; i < failures_to_eject; ++i)
            of_.failed (now_, each, 0);
    EXPECT_EQ (counted (of_, 6).size (), 3u);
    of_.succeeded (2);
    EXPECT_EQ (counted (of_, 6).size (), 1u);
    const std::array<number, 1> excluded{2};
    EXPECT_NE (of_.pick (0, "", excluded), number{2}) << "else an ejected one, rather than none";
}

TEST_F (balancer_ejection, who_is_not_connected_is_not_probed)
{
    fail (failures_to_eject);
    of_.set_connected (1, false);
    EXPECT_EQ (of_.next_probe (), never_ns);
    EXPECT_FALSE (of_.take_probe (never_ns).has_value ());
    of_.set_connected (1, true);
    EXPECT_EQ (of_.next_probe (), now_ + eject_first_ns);
    now_ += eject_first_ns;
    EXPECT_EQ (of_.take_probe (now_), number{1});
    of_.set_connected (1, false);
    of_.set_connected (1, true);
    EXPECT_EQ (of_.take_probe (now_), number{1}) << "that probe went with its connection";
}

// --- skew --------------------------------------------------------------------------

// Requests come at a steady pace to three providers, each of which does one at a
// time; the first takes ten times as long as the others.
struct skew
{
    double slow_share = 0;
    double mean_ms = 0;
};

skew run_with_a_slow_one (balancing policy)
{
    balancer of = made (policy, {1, 1, 1});
    std::mt19937_64 dice (7);
    unsigned keys = 0;
    std::array<double, 3> free_at{};
    const std::array<double, 3> takes{10.0, 1.0, 1.0};
    using end = std::pair<double, number>;
    std::priority_queue<end, std::vector<end>, std::greater<>> under_way;
    std::array<int, 3> count{};
    double now = 0, waited = 0;
    for (int i = 0; i < requests; ++i, now += 0.8) {
        for (; !under_way.empty () && under_way.top ().first <= now; under_way.pop ())
            of.ended (under_way.top ().second);
        const number picked = of.pick (dice (), "key " + std::to_string (keys++)).value ();
        of.began (picked);
        ++count[picked];
        free_at[picked] = std::max (free_at[picked], now) + takes[picked];
        waited += free_at[picked] - now;
        under_way.emplace (free_at[picked], picked);
    }
    return {count[0] / static_cast<double> (requests), waited / requests};
}

TEST (balancer_skew, least_outstanding_spares_the_slow)
{
    const skew turns = run_with_a_slow_one (balancing::round_robin);
    const skew least = run_with_a_slow_one (balancing::least_outstanding);
    EXPECT_NEAR (turns.slow_share, 0.333, 0.001);
    EXPECT_LT (least.slow_share, 0.12);
    EXPECT_GT (least.slow_share, 0.02) << "it is spared, not shunned";
    EXPECT_LT (least.mean_ms * 50, turns.mean_ms);
    EXPECT_LT (least.mean_ms, 20);
}

// Those that look at no load give a slow one its share all the same: that is what they are
// for, and what ejection is there for.
TEST (balancer_skew, others_keep_their_shares)
{
    for (const balancing policy : {balancing::round_robin, balancing::weighted})
        EXPECT_NEAR (run_with_a_slow_one (policy).slow_share, 0.333, 0.001);
    EXPECT_NEAR (run_with_a_slow_one (balancing::by_key).slow_share, 0.333, 0.15)
      << "points of a ring are not spread evenly";
}

// Among those who are equally near, the slow one is spared.
TEST (balancer_skew, nearest_spares_the_slow)
{
    const skew near = run_with_a_slow_one (balancing::nearest);
    EXPECT_LT (near.slow_share, 0.34);
    EXPECT_GT (near.slow_share, 0.02);
}

TEST (balancer, counts_what_is_under_way)
{
    balancer of = made (balancing::least_outstanding, {1, 3});
    of.began (0);
    of.began (1);
    of.began (1);
    EXPECT_EQ (of.outstanding (1), 2u);
    EXPECT_EQ (counted (of, 8).count (0), 0u) << "two of three is less than one of one";
    of.ended (0);
    of.ended (0);
    EXPECT_EQ (of.outstanding (0), 0u);
}

}  // namespace
}  // namespace zlink::service

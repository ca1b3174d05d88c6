// Grantors and claimants together, in virtual time: messages that take their time,
// links that are cut, processes that stand still or die, clocks that do not agree.
// Whatever happens, numbers rise, and nobody numbers under a number that another
// claimant has numbered under.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/grant_claim.hpp"
#include "service/grant_voter.hpp"

namespace zlink::service {
namespace {

using base::ns_per_ms;
using base::ns_per_s;
using base::time_ns;

constexpr partition_ref part{"t", 0};
constexpr time_ns lease = grant_lease_ns;

struct town_rules
{
    std::size_t grantors = 1;
    std::size_t claimants = 3;
    bool disks = true;
    int clocks_off_percent = 5;  // either way
    bool pause_at_start = true;  // false: a planted fault
    bool record_first = true;    // false: a planted fault
};

struct seeded_dice final : base::random
{
    explicit seeded_dice (std::uint64_t seed) : source (seed) {}
    std::uint64_t next () noexcept override { return source (); }
    std::mt19937_64 source;
};

// A clock of its own, at its own rate.
struct drifting
{
    time_ns offset = 0;
    double rate = 1;
    [[nodiscard]] time_ns at (time_ns real) const
    {
        return offset + static_cast<time_ns> (static_cast<double> (real) * rate);
    }
};

class town
{
  public:
    town (std::uint64_t seed, const town_rules &rules) : rules_ (rules), dice_ (seed)
    {
        for (std::size_t i = 0; i < rules.grantors; ++i) {
            grantors_.push_back ({.clock = new_clock ()});
            start_grantor (i, false);
        }
        for (std::size_t i = 0; i < rules.claimants; ++i) {
            claimants_.push_back ({.clock = new_clock ()});
            start_claimant (i);
        }
    }

    // Answers what went wrong, empty: nothing.
    std::string run (time_ns until)
    {
        for (std::size_t i = 0; i < claimants_.size (); ++i)
            look (i);
        in (chance (100), [this] { trouble (); });
        while (!events_.empty () && events_.begin ()->first < until && wrong_.empty ()) {
            now_ = events_.begin ()->first;
            const std::function<void ()> what = std::move (events_.begin ()->second);
            events_.erase (events_.begin ());
            what ();
        }
        return wrong_;
    }
    [[nodiscard]] std::size_t epochs () const { return numbered_.size (); }

  private:
    struct grantor
    {
        drifting clock{};
        std::unique_ptr<grant_voter> voter{};
        std::map<unsigned, grant_record> disk{};
        bool clean = false;
        unsigned life = 0;
    };
    struct claimant
    {
        drifting clock{};
        std::unique_ptr<grant_claim> claim{};
        bool paused = false;
        unsigned life = 0;
        std::set<std::size_t> cut{};
        std::vector<std::function<void ()>> waiting{};
    };

    drifting new_clock ()
    {
        drifting made;
        made.offset = static_cast<time_ns> (draw (1000)) * ns_per_s;
        const int off = static_cast<int> (draw (2 * static_cast<unsigned> (rules_.clocks_off_percent) + 1))
                        - rules_.clocks_off_percent;
        made.rate = 1 + off / 100.0;
        return made;
    }
    std::uint64_t draw (std::uint64_t below) { return dice_.next () % below; }
    time_ns chance (unsigned ms) { return static_cast<time_ns> (draw (ms * 1000)) * 1000; }
    void in (time_ns delay, std::function<void ()> what) { events_.emplace (now_ + delay, std::move (what)); }

    void start_grantor (std::size_t which, bool clean)
    {
        grantor &at = grantors_[which];
        ++at.life;
        const time_ns started = at.clock.at (now_) - (rules_.pause_at_start ? 0 : lease);
        at.voter = std::make_unique<grant_voter> (started, lease);
        for (const auto &[number, record] : at.disk)
            at.voter->restore (part, record);
        if (clean)
            at.voter->ended_cleanly ();
    }
    void stop_grantor (std::size_t which, bool clean)
    {
        grantor &at = grantors_[which];
        clean = clean && rules_.disks;
        if (clean)
            at.voter->for_each (at.clock.at (now_), [&] (const partition_ref &, const grant_record &record) {
                at.disk[0] = record;
            });
        at.voter.reset ();
        ++at.life;
        in (chance (700), [this, which, clean] { start_grantor (which, clean); });
    }
    void start_claimant (std::size_t which)
    {
        claimant &at = claimants_[which];
        ++at.life;
        at.waiting.clear ();
        at.claim = std::make_unique<grant_claim> (1 + which + 100 * at.life, rules_.grantors, dice_);
        at.claim->heard_of ({highest_told_, 0});
        at.claim->want ();
    }

    // A claimant does what it does, and is looked at again when it is due.
    void look (std::size_t which)
    {
        claimant &at = claimants_[which];
        if (!at.paused) {
            at.claim->advance (at.clock.at (now_));
            while (const auto asked = at.claim->next ()) {
                send (which, *asked);
                at.claim->advance (at.clock.at (now_));
            }
            number (which);
        }
        const unsigned life = at.life;
        in (1 * ns_per_ms + chance (30), [this, which, life] {
            if (claimants_[which].life == life)
                look (which);
        });
    }
    void number (std::size_t which)
    {
        const grant_claim &claim = *claimants_[which].claim;
        if (!claim.may_number (claimants_[which].clock.at (now_)))
            return;
        const std::uint64_t number = claim.current ().number;
        const auto [at, fresh] = numbered_.emplace (number, claim.holder ());
        if (!fresh && at->second != claim.holder ())
            wrong_ = "two number under " + std::to_string (number);
        if (number < highest_)
            wrong_ = "a lower number is used behind a higher one";
        highest_ = std::max (highest_, number);
        if (draw (4) == 0)
            highest_told_ = highest_;
    }
    void send (std::size_t from, const grant_question &asked)
    {
        if (claimants_[from].cut.contains (asked.grantor))
            return;
        const std::uint64_t holder = claimants_[from].claim->holder ();
        in (chance (40), [this, from, asked, holder] { arrive (from, asked, holder); });
    }
    void arrive (std::size_t from, const grant_question &asked, std::uint64_t holder)
    {
        grantor &at = grantors_[asked.grantor];
        if (at.voter == nullptr)
            return;
        if (asked.is_release) {
            (void)at.voter->release (part, asked.of, holder,
                                     asked.knows_end ? &asked.last_sequence : nullptr);
            return;
        }
        const grant_answer answer = at.voter->claim (at.clock.at (now_), part, asked.of, holder);
        const unsigned life = at.life;
        const bool must = answer.must_be_recorded && rules_.disks;
        in (must ? chance (20) : 0, [this, from, asked, answer, life, must, holder] {
            if (grantors_[asked.grantor].life != life)
                return;
            grant_record &disk = grantors_[asked.grantor].disk[0];
            if (must && rules_.record_first && disk.highest.number < asked.of.number)
                disk = {.highest = asked.of, .holder = holder};
            grantors_[asked.grantor].voter->recorded (part, asked.of);
            reply (from, asked, answer, holder);
        });
    }
    void reply (std::size_t to, const grant_question &asked, const grant_answer &answer, std::uint64_t holder)
    {
        in (chance (40), [this, to, asked, answer, holder] {
            claimant &at = claimants_[to];
            auto take = [this, to, asked, answer, holder] {
                claimant &then = claimants_[to];
                if (then.claim->holder () == holder)
                    then.claim->answered (then.clock.at (now_), asked.grantor, asked.round, answer);
            };
            if (at.cut.contains (asked.grantor))
                return;
            if (at.paused)
                at.waiting.push_back (take);
            else
                take ();
        });
    }

    void trouble ()
    {
        const std::size_t which = draw (claimants_.size ());
        const std::size_t whom = draw (grantors_.size ());
        claimant &at = claimants_[which];
        switch (draw (8)) {
        case 0:
            if (grantors_[whom].voter != nullptr)
                stop_grantor (whom, draw (3) == 0);
            break;
        case 1:
            start_claimant (which);
            look (which);
            break;
        case 2:
            pause (which);
            break;
        case 3:
            at.cut.insert (whom);
            break;
        case 4:
        case 5:
            if (at.cut.erase (whom) != 0)
                at.claim->connected (whom);
            break;
        case 6: {
            at.claim->give_up (nullptr);
            in (chance (500), [this, which] { claimants_[which].claim->want (); });
            break;
        }
        default:
            break;
        }
        in (chance (900), [this] { trouble (); });
    }
    void pause (std::size_t which)
    {
        claimant &at = claimants_[which];
        if (std::exchange (at.paused, true))
            return;
        in (chance (5000), [this, which] {
            claimant &then = claimants_[which];
            then.paused = false;
            number (which);  // before it hears of anything
            for (const auto &each : std::exchange (then.waiting, {}))
                each ();
        });
    }

    const town_rules rules_;
    seeded_dice dice_;
    time_ns now_ = 0;
    std::multimap<time_ns, std::function<void ()>> events_;
    std::vector<grantor> grantors_;
    std::vector<claimant> claimants_;
    std::map<std::uint64_t, std::uint64_t> numbered_;  // who, by number
    std::uint64_t highest_ = 0;
    std::uint64_t highest_told_ = 0;
    std::string wrong_;
};

constexpr time_ns span = 60 * ns_per_s;

void expect_no_fault (const town_rules &rules, std::uint64_t seeds)
{
    std::size_t epochs = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        town in (seed, rules);
        ASSERT_EQ (in.run (span), "") << "seed " << seed;
        epochs += in.epochs ();
    }
    EXPECT_GT (epochs, 2 * seeds) << "nobody got anything to number";
}

bool finds_a_fault (const town_rules &rules)
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed)
        if (!town (seed, rules).run (span).empty ())
            return true;
    return false;
}

TEST (GrantProperty, OneGrantorWithARecord) { expect_no_fault ({.grantors = 1}, 300); }
TEST (GrantProperty, AMajorityOfThree) { expect_no_fault ({.grantors = 3}, 300); }
TEST (GrantProperty, AMajorityOfFiveForManyClaimants)
{
    expect_no_fault ({.grantors = 5, .claimants = 6}, 150);
}

TEST (GrantProperty, TheCheckFindsAGrantorThatDoesNotWaitBehindItsStart)
{
    EXPECT_TRUE (finds_a_fault ({.grantors = 1, .disks = false, .pause_at_start = false}));
}

TEST (GrantProperty, TheCheckFindsVotersThatForgetWhatTheyVotedFor)
{
    EXPECT_TRUE (finds_a_fault ({.grantors = 3, .record_first = false}));
}

TEST (GrantProperty, TheCheckFindsClocksThatAreOffByMoreThanTheMargin)
{
    EXPECT_TRUE (finds_a_fault ({.grantors = 3, .clocks_off_percent = 40}));
}

}  // namespace
}  // namespace zlink::service

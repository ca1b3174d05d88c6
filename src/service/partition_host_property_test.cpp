// Nodes with one partition, grantors, publishers and subscribers, in virtual time: owners
// that are killed, stand still for longer than their lease and go on in the middle of what
// they did, are cut off from the others or from the grantors; grantors that restart inside
// a lease; messages that are lost. The history of all that holds (test_history.hpp).
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/partition_host.hpp"
#include "service/test_history.hpp"

namespace zlink::service {
namespace {

using base::ns_per_ms;
using base::ns_per_s;
using base::time_ns;

constexpr partition_ref part{"prices", 0};
constexpr time_ns lease = grant_lease_ns;

struct seeded_dice final : base::random
{
    explicit seeded_dice (std::uint64_t seed) : source (seed) {}
    std::uint64_t next () noexcept override { return source (); }
    std::mt19937_64 source;
};

enum class planted : std::uint8_t
{
    nothing,
    two_grants,  // grantors give everybody what he asks for
};

class town
{
  public:
    town (std::uint64_t seed, std::size_t grantors, planted fault) : dice_ (seed), fault_ (fault)
    {
        for (std::size_t i = 0; i < grantors; ++i) {
            grantors_.emplace_back ();
            start_grantor (i);
        }
        for (std::size_t i = 0; i < 4; ++i)
            nodes_.push_back (std::make_unique<node> (*this, i));
        for (const auto &each : nodes_)
            start (*each);
    }

    std::string run (time_ns until)
    {
        in (chance (500), [this] { trouble (); });
        while (!events_.empty () && events_.begin ()->first < until && all_.wrong ().empty ()) {
            now_ = events_.begin ()->first;
            const std::function<void ()> what = std::move (events_.begin ()->second);
            events_.erase (events_.begin ());
            what ();
        }
        return all_.verdict ();
    }

    test::history all_;
    std::size_t outcomes_[3] = {};

  private:
    struct grantor
    {
        std::unique_ptr<grant_voter> voter{};
        grant_record disk{};
        unsigned life = 0;
    };
    struct node final : partition_ways
    {
        node (town &home, std::size_t which) : in (home), index (which) {}
        void post (std::uint64_t to, const wire::partition_letter &letter) override
        {
            in.post (*this, to, letter);
        }
        void send (std::string_view, const wire::partition_stamp &stamp, std::string_view octets) override
        {
            in.send (*this, stamp, octets);
        }
        void ask (const partition_ref &, const grant_question &question) override
        {
            in.ask (*this, question);
        }
        void published (std::uint64_t, const publish_outcome &outcome) override
        {
            ++in.outcomes_[static_cast<std::size_t> (outcome.what)];
            if (outcome.what == publish_result::numbered)
                in.all_.confirmed (outcome.of, outcome.sequence);
        }
        void owned (const partition_ref &, std::uint64_t, const epoch &) noexcept override {}
        void told (std::uint64_t subscription, const partition_ref &, const reader_event &event) override
        {
            in.all_.told (subscription, event);
        }
        bool has_room (std::uint64_t) override { return in.dice_.next () % 50 != 0; }

        town &in;
        const std::size_t index;
        std::uint64_t id = 0;
        unsigned life = 0;
        std::unique_ptr<partition_host> host{};
        bool paused = false;
        time_ns paused_at = 0;
        std::vector<std::function<void ()>> waiting{};
        std::map<std::size_t, time_ns> arrives{};  // the last from each node: one stream in order
        std::set<std::size_t> cut{};               // nodes
        std::set<std::size_t> no_grantor{};
    };

    std::uint64_t draw (std::uint64_t below) { return dice_.next () % below; }
    time_ns chance (unsigned ms) { return static_cast<time_ns> (draw (ms * 1000)) * 1000; }
    void in (time_ns delay, std::function<void ()> what) { events_.emplace (now_ + delay, std::move (what)); }

    // --- grantors ---
    void start_grantor (std::size_t which)
    {
        grantor &at = grantors_[which];
        ++at.life;
        at.voter = std::make_unique<grant_voter> (now_, lease);
        if (at.disk.highest.number != 0)
            at.voter->restore (part, at.disk);
        for (const auto &each : nodes_)
            if (each->host != nullptr && !each->no_grantor.contains (which))
                each->host->grantor_connected (which);
    }
    grant_answer answer_of (grant_voter &at, const epoch &wanted, std::uint64_t holder)
    {
        if (fault_ == planted::two_grants)
            return {.highest = wanted, .lease_ns = lease};
        return at.claim (now_, part, wanted, holder);
    }
    void ask (node &from, const grant_question &question)
    {
        if (from.no_grantor.contains (question.grantor))
            return;
        const std::uint64_t holder = from.id;
        const std::size_t index = from.index;
        in (ns_per_ms + chance (5), [this, index, question, holder] {
            grantor &at = grantors_[question.grantor];
            if (at.voter == nullptr)
                return;
            if (question.is_release) {
                if (at.voter->release (part, question.of, holder,
                                       question.knows_end ? &question.last_sequence : nullptr))
                    at.disk = *at.voter->find (part);
                return;
            }
            const grant_answer answer = answer_of (*at.voter, question.of, holder);
            if (answer.fault == grant_fault::none && fault_ == planted::nothing) {
                at.disk = *at.voter->find (part);
                at.voter->recorded (part, question.of);
            }
            in (ns_per_ms + chance (5), [this, index, question, holder, answer] {
                deliver (*nodes_[index], holder, [question, answer] (node &to, time_ns now) {
                    to.host->answered (now, part, question.grantor, question.round, answer);
                });
            });
        });
    }

    // --- nodes ---
    void start (node &which)
    {
        which.id = 1000 * (which.index + 1) + ++which.life;
        which.waiting.clear ();
        which.paused = false;
        which.host = std::make_unique<partition_host> (which.id, grantors_.size (), dice_, which);
        partitioned_topic how;
        how.bounds.entries_max = 16;
        (void)which.host->declare (now_, part.topic, how);
        (void)which.host->subscribe (part.topic, which.id, draw (2) == 0 ? read_from::now : read_from::last,
                                     4);
        for (const auto &each : nodes_)
            if (each.get () != &which && each->host != nullptr && !which.cut.contains (each->index))
                meet (*each, which);
        turn (which.index, which.life);
    }
    void meet (node &one, node &two)
    {
        for (const auto &[from, to] : {std::pair (&one, &two), std::pair (&two, &one)})
            deliver (*to, to->id, [id = from->id] (node &at, time_ns) {
                at.host->came (id);
                at.host->doubted ();
            });
    }
    void part_from (node &one, std::uint64_t id)
    {
        deliver (one, one.id, [id] (node &at, time_ns) { at.host->gone (id); });
    }
    // A turn of the node's loop, and now and then something that is published.
    void turn (std::size_t index, unsigned life)
    {
        node &at = *nodes_[index];
        if (at.life != life)
            return;
        if (!at.paused) {
            if (draw (3) == 0)
                (void)at.host->publish (now_, part, std::make_shared<const std::string> ("x"),
                                        now_ + 100 * ns_per_ms + chance (3000), 1);
            (void)at.host->advance (now_);
        }
        in (ns_per_ms + chance (30), [this, index, life] { turn (index, life); });
    }
    void deliver (node &to, std::uint64_t id, std::function<void (node &, time_ns)> what)
    {
        if (to.id != id || to.host == nullptr)
            return;
        if (to.paused)
            to.waiting.push_back ([this, &to, id, what] {
                if (to.id == id)
                    what (to, now_);
            });
        else
            what (to, now_);
    }
    // In order from each node, or lost with all that follows until it is connected anew.
    void carry (node &from, node &to, std::function<void (node &, time_ns)> what)
    {
        if (&from != &to && (from.cut.contains (to.index) || draw (2000) == 0))
            return;
        time_ns &last = to.arrives[from.index];
        last = std::max (last + 1, now_ + (&from == &to ? 1000 : 100'000 + chance (4)));
        events_.emplace (last, [this, &to, id = to.id, what] { deliver (to, id, what); });
    }
    void post (node &from, std::uint64_t to, const wire::partition_letter &letter)
    {
        auto fields = std::make_shared<std::vector<std::byte>> ();
        wire::append_partition_letter (letter, *fields);
        for (const auto &each : nodes_)
            if (each.get () != &from && each->host != nullptr && (to == 0 || to == each->id))
                carry (from, *each, [kind = letter.kind, fields, id = from.id] (node &at, time_ns now) {
                    wire::partition_letter read;
                    ASSERT_TRUE (
                      wire::read_partition_letter (static_cast<std::uint16_t> (kind), *fields, read));
                    at.host->heard (now, id, read);
                    (void)at.host->advance (now);
                });
    }
    void send (node &from, const wire::partition_stamp &stamp, std::string_view octets)
    {
        log_entry entry;
        entry.of = {stamp.epoch_number, stamp.epoch_id};
        entry.first = stamp.first;
        entry.sequence = stamp.sequence;
        entry.origin = stamp.origin;
        entry.origin_number = stamp.origin_number;
        all_.numbered (from.id, entry);
        for (const auto &each : nodes_)
            if (each->host != nullptr)
                carry (from, *each, [stamp, text = std::string (octets), id = from.id] (node &at, time_ns) {
                    (void)at.host->took (id, part.topic, stamp, text);
                });
    }

    // --- trouble ---
    void trouble ()
    {
        node &which = *nodes_[draw (nodes_.size ())];
        node &other = *nodes_[draw (nodes_.size ())];
        const std::size_t whom = draw (grantors_.size ());
        switch (draw (9)) {
        case 0:
            kill (which);
            break;
        case 1:
        case 2:
            pause (which);
            break;
        case 3:
            if (&which != &other)
                cut (which, other);
            break;
        case 4:
            which.no_grantor.insert (whom);
            in (chance (4000), [this, &which, whom] {
                which.no_grantor.erase (whom);
                if (which.host != nullptr)
                    which.host->grantor_connected (whom);
            });
            break;
        case 5:
            if (grantors_[whom].voter != nullptr) {
                grantors_[whom].voter.reset ();
                in (chance (500), [this, whom] { start_grantor (whom); });
            }
            break;
        case 6:
            if (which.host != nullptr && !which.paused) {  // it leaves in order
                which.host->leave ();
                (void)which.host->advance (now_);
                in (chance (300), [this, &which, life = which.life] {
                    if (which.life == life && which.host != nullptr)
                        kill (which);
                });
            }
            break;
        default:
            break;
        }
        in (chance (1500), [this] { trouble (); });
    }
    void kill (node &which)
    {
        if (which.host == nullptr)
            return;
        const std::uint64_t id = which.id;
        ++which.life;
        which.host.reset ();
        for (const auto &each : nodes_)
            if (each->host != nullptr)
                part_from (*each, id);
        in (chance (1500), [this, &which] {
            if (which.host == nullptr)
                start (which);
        });
    }
    void pause (node &which)
    {
        if (which.host == nullptr || which.paused)
            return;
        which.paused = true;
        which.paused_at = now_;
        in (chance (6000), [this, &which, id = which.id] {
            if (which.id != id || which.host == nullptr)
                return;
            which.paused = false;
            // It goes on in the middle of something for which it had looked at the clock.
            if (draw (2) == 0)
                (void)which.host->publish (which.paused_at, part,
                                           std::make_shared<const std::string> ("late"), now_ + ns_per_s, 1);
            for (const auto &each : std::exchange (which.waiting, {}))
                each ();
        });
    }
    void cut (node &one, node &two)
    {
        if (!one.cut.insert (two.index).second)
            return;
        two.cut.insert (one.index);
        part_from (one, two.id);
        part_from (two, one.id);
        in (chance (5000), [this, &one, &two] {
            one.cut.erase (two.index);
            two.cut.erase (one.index);
            if (one.host != nullptr && two.host != nullptr)
                meet (one, two);
        });
    }

    seeded_dice dice_;
    const planted fault_;
    time_ns now_ = 0;
    std::multimap<time_ns, std::function<void ()>> events_;
    std::deque<grantor> grantors_;
    std::vector<std::unique_ptr<node>> nodes_;
};

constexpr time_ns span = 40 * ns_per_s;

void expect_no_fault (std::size_t grantors, std::uint64_t seeds)
{
    std::size_t confirmed = 0, delivered = 0, epochs = 0, outcomes[3] = {};
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        town in (seed, grantors, planted::nothing);
        ASSERT_EQ (in.run (span), "") << "seed " << seed;
        confirmed += in.all_.confirmations ();
        delivered += in.all_.deliveries ();
        epochs += in.all_.epochs ();
        for (std::size_t i = 0; i < 3; ++i)
            outcomes[i] += in.outcomes_[i];
    }
    EXPECT_GT (epochs, 3 * seeds) << "owners did not change";
    EXPECT_GT (confirmed, 100 * seeds);
    EXPECT_GT (delivered, 2 * confirmed);
    EXPECT_GT (outcomes[1], 0U) << "nobody was told that there is no owner";
    EXPECT_GT (outcomes[2], 0U) << "nobody was left in doubt";
}

bool finds_a_fault (std::size_t grantors, planted fault)
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
        if (!town (seed, grantors, fault).run (span).empty ())
            return true;
    return false;
}

TEST (PartitionHostProperty, OneGrantor) { expect_no_fault (1, 40); }
TEST (PartitionHostProperty, AMajorityOfThree) { expect_no_fault (3, 40); }
TEST (PartitionHostProperty, AGrantorThatGrantsToTwoIsFound)
{
    EXPECT_TRUE (finds_a_fault (1, planted::two_grants));
}

}  // namespace
}  // namespace zlink::service

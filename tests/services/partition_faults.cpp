// Partitions whole, over three nodes and three registries that write down their votes, in
// the simulator under many seeds: connections break and stall, registries are cut off or end
// without a farewell and come back with what they had written. What subscribers get and what
// publishers are told keeps every promise (service/test_history.hpp), and in the end all goes
// on. Each node is a process of its own, which may stand still for longer than its lease.
#include <array>
#include <map>
#include <optional>

#include "base/durable_file.hpp"
#include "service/test_history.hpp"
#include "services/workplaces.hpp"

namespace zlink::service::test {
namespace {

constexpr std::uint64_t partition_fault_seeds = 60;
constexpr std::uint64_t seeds_of_a_long_run = 1000;
constexpr std::size_t stations = 3, voters = 3;
constexpr int published_each = 40;
constexpr std::string_view last_words = "end";
constexpr base::time_ns last_words_ns = 10 * ns_per_ms;  // between them
constexpr std::size_t ring = 24;                         // messages; who misses more is told of a gap

// A registry's disk: what was written stays, but of a registry that has died nothing more is.
struct disk
{
    std::optional<std::string> text{};
    unsigned lives = 0;
};

class file_on final : public base::durable_file
{
  public:
    file_on (sim::simulation &sim, disk &on) : sim_ (sim), on_ (on), life_ (++on.lives) {}
    base::result<std::string> read (std::size_t) noexcept override
    {
        return on_.text ? base::result<std::string> (*on_.text) : errc::no_such_file;
    }
    base::result<void> replace (std::string_view text) noexcept override
    {
        sim_.pass_time (sim_.roll_time (5 * ns_per_ms));
        if (on_.lives != life_)
            return errc::permission_denied;
        on_.text = text;
        return {};
    }

  private:
    sim::simulation &sim_;
    disk &on_;
    const unsigned life_;
};

// One run of the simulator.
class partition_storm
{
  public:
    partition_storm (sim::simulation &to, sim::virtual_world &on) : sim_ (to), world_ (on), in_ (on.seams)
    {
        for (std::size_t i = 0; i < voters; ++i)
            open_voter (i);
    }

    void run ()
    {
        std::vector<std::unique_ptr<place_of_work>> places = open_places ();
        places_ = &places;
        std::vector<std::unique_ptr<spot_ordered>> readers;
        std::vector<std::unique_ptr<base::joinable>> listening, speaking;
        for (std::size_t i = 0; i < stations; ++i) {
            readers.push_back (open_reader (*places[i]));
            sim_.be_of_process (process_of (i));
            listening.push_back (start_thread (world_.seams, [&, i] { listen (*readers[i], i); }));
            speaking.push_back (start_thread (world_.seams, [&, i] { speak (*places[i], i); }));
            sim_.be_of_process (0);
        }
        auto trouble = start_thread (world_.seams, [this] { disturb (); });
        speaking.clear ();
        over_ = true;
        trouble.reset ();
        // Somebody numbers again, and everybody hears of it.
        while (listeners_ended_ < stations) {
            note (places[0]->publish ("k", last_words));
            sim_.pass_time (last_words_ns);
        }
        listening.clear ();
        readers.clear ();
    }

    history all;
    std::map<publish_result, std::size_t> outcomes;
    std::size_t owners_outslept = 0;  // their leases

  private:
    static std::string name_of (std::size_t which) { return "books-" + std::to_string (which); }

    // Who ended without a farewell may still be leaving its place.
    void open_voter (std::size_t which)
    {
        closing<registry> made (
          registry::open (world_.seams, in_.context.handle (), in_.loop, granting (short_lease)));
        EXPECT_TRUE (made->keep_votes (std::make_unique<file_on> (sim_, disks_[which])).ok ());
        while (!made->bind ("sim://" + name_of (which)).ok ())
            sim_.pass_time (ns_per_ms);
        voters_[which] = std::make_unique<closing<registry>> (std::move (made));
    }
    void kill_voter (std::size_t which)
    {
        ++disks_[which].lives;
        voters_[which].reset ();
        sim_.pass_time (sim_.roll_time (short_lease / 2));
        open_voter (which);
    }
    static unsigned process_of (std::size_t station) { return 1 + static_cast<unsigned> (station); }
    std::vector<std::unique_ptr<place_of_work>> open_places ()
    {
        std::vector<std::string> grantors;
        for (std::size_t i = 0; i < voters; ++i)
            grantors.push_back ("sim://" + name_of (i));
        std::vector<std::unique_ptr<place_of_work>> made;
        for (std::size_t i = 0; i < stations; ++i) {
            sim_.be_of_process (process_of (i));
            towns_[i] = std::make_unique<town> (world_.seams);
            made.push_back (std::make_unique<place_of_work> (
              *towns_[i], grantors, partitioned_topic{.bounds = {.entries_max = ring}}));
            EXPECT_TRUE (made[i]->node->join (made[0]->endpoint).ok ());
            sim_.be_of_process (0);
        }
        for (const auto &each : made)
            EXPECT_TRUE (each->node->wait_nodes (stations - 1, base::never_ns).ok ());
        return made;
    }

    // From anywhere, and with little room or much.
    std::unique_ptr<spot_ordered> open_reader (place_of_work &at)
    {
        const read_from how = sim_.chance (500)   ? read_from::now
                              : sim_.chance (500) ? read_from::last
                                                  : read_from::sequence;
        return std::move (at.parts->subscribe (parted_topic, how, 1, sim_.chance (300) ? 2 : 1000).value ());
    }

    void disturb ()
    {
        while (!over_) {
            sim_.pass_time (sim_.roll_time (200 * ns_per_ms));
            const std::size_t which = sim_.roll_below (voters);
            switch (sim_.roll_below (14)) {
            case 0:
                kill_voter (which);
                break;
            case 1:
                world_.net.cut (name_of (which), sim_.chance (500), sim_.chance (500),
                                sim_.roll_time (3 * short_lease));
                break;
            case 2:
                world_.net.stall_all (sim_.roll_time (2 * short_lease));
                break;
            case 3:
            case 4:
                (void)world_.net.end_one (sim_.roll_time (5 * ns_per_ms));
                break;
            case 5:
            case 6:
                (void)world_.net.break_one ();
                break;
            case 7:
            case 8:
                stop_one (sim_.roll_below (stations), sim_.roll_time (3 * short_lease));
                break;
            default:
                (void)world_.net.stall_one (sim_.roll_time (short_lease));
                break;
            }
        }
    }
    void stop_one (std::size_t station, base::time_ns length)
    {
        const auto state = (*places_)[station]->parts->state (parted_topic, 0);
        owners_outslept += length > short_lease && state.ok () && state.value ().owned_here;
        sim_.stop_process (process_of (station), length);
    }
    void speak (place_of_work &by, std::size_t who)
    {
        for (int i = 0; i < published_each; ++i) {
            const std::string body = std::to_string (who) + "." + std::to_string (i);
            note (by.publish ("k", body, world_.seams.time.now_ns () + sim_.roll_time (ns_per_s)));
            if (sim_.chance (500))
                sim_.pass_time (sim_.roll_time (100 * ns_per_ms));
        }
    }
    void note (const publish_outcome &what)
    {
        ++outcomes[what.what];
        if (what.what == publish_result::numbered)
            all.confirmed (what.of, what.sequence);
    }
    void listen (spot_ordered &by, std::size_t who)
    {
        ordered_event got;
        bool ended = false;
        while (!ended && by.receive (got, base::never_ns).ok ()) {
            EXPECT_NE (got.event.what, reader_event::kind::another) << "two owners in one epoch";
            const bool is_message = got.event.what == reader_event::kind::message;
            if (is_message)
                all.stands (got.event.entry);
            all.told (who, got.event);
            ended = is_message && got.body () == last_words;
        }
        ++listeners_ended_;
    }

    sim::simulation &sim_;
    sim::virtual_world &world_;
    town in_;  // the registries'
    std::array<std::unique_ptr<town>, stations> towns_{};
    std::array<disk, voters> disks_{};
    std::array<std::unique_ptr<closing<registry>>, voters> voters_{};
    const std::vector<std::unique_ptr<place_of_work>> *places_ = nullptr;
    std::size_t listeners_ended_ = 0;
    bool over_ = false;
};

struct seed_range
{
    std::uint64_t first, count;
};

// --gtest_random_seed=N: the N-th thousand instead.
seed_range wanted_seeds ()
{
    const auto block = static_cast<std::uint64_t> (testing::GTEST_FLAG (random_seed));
    return block == 0 ? seed_range{1, partition_fault_seeds}
                      : seed_range{block * seeds_of_a_long_run, seeds_of_a_long_run};
}

TEST (PartitionFaults, BreakNoPromise)
{
    std::size_t confirmed = 0, delivered = 0, epochs = 0, gaps = 0, outslept = 0;
    std::map<publish_result, std::size_t> outcomes;
    const seed_range seeds_now = wanted_seeds ();
    for (std::uint64_t seed = seeds_now.first; seed < seeds_now.first + seeds_now.count; ++seed) {
        SCOPED_TRACE (testing::Message () << "seed " << seed);
        sim::simulation sim (seed, sim::schedule{});
        sim.spawn ("test", [&] {
            sim::virtual_world world (sim, {});
            partition_storm storm (sim, world);
            storm.run ();
            EXPECT_EQ (storm.all.verdict (), "");
            confirmed += storm.all.confirmations ();
            delivered += storm.all.deliveries ();
            epochs += storm.all.epochs ();
            gaps += storm.all.gaps ();
            outslept += storm.owners_outslept;
            for (const auto &[what, count] : storm.outcomes)
                outcomes[what] += count;
        });
        sim.run ();
        if (testing::Test::HasFailure ())
            break;
    }
    EXPECT_GT (2 * epochs, 3 * seeds_now.count) << "owners did not change";
    EXPECT_GT (confirmed, stations * published_each / 2 * seeds_now.count);
    EXPECT_GT (delivered, confirmed) << "more than one hears of each";
    EXPECT_GT (outslept, seeds_now.count / 2) << "owners did not stand still for longer than their leases";
    EXPECT_GT (gaps, 0U) << "nobody came too late for the ring";
    EXPECT_GT (outcomes[publish_result::unowned], 0U) << "nobody was told that there is no owner";
    EXPECT_GT (outcomes[publish_result::unknown], 0U) << "nobody was left in doubt";
}

}  // namespace
}  // namespace zlink::service::test

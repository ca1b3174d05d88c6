// An owner of a partition in a process of its own, that is killed, or stands still for
// longer than its lease and goes on: another takes over, and what a subscriber is told
// has neither a hole nor a lower epoch.
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "service/partition_choice.hpp"
#include "service/spot_partitions.hpp"
#include "services/spots.hpp"
#include "support/child_process.hpp"
#include "support/namespaces.hpp"
#include "support/places.hpp"
#include "support/waiting.hpp"

namespace zlink::service::test {
namespace {

using zlink::test::child_process;

constexpr std::string_view topic = "prices";
constexpr std::uint64_t own_id = 1;
constexpr std::size_t reader_room = 100'000;  // what an owner publishes in 20 s
const std::string loopback = "127.0.0.1";

// An id that is chosen before ours.
std::uint64_t chosen_id ()
{
    std::uint64_t id = 2;
    while (choose_owner (topic, 0, std::vector<std::uint64_t>{own_id, id}) != id)
        ++id;
    return id;
}

std::vector<std::string>
owner_words (const std::string &host, const std::string &seed, const std::vector<std::string> &grantors)
{
    std::vector<std::string> made{ZLINK_OWNER_PROCESS, std::to_string (chosen_id ()), host, seed};
    made.insert (made.end (), grantors.begin (), grantors.end ());
    return made;
}

struct owner_process : child_process
{
    owner_process (const std::string &seed, const std::vector<std::string> &grantors)
      : child_process (owner_words (loopback, seed, grantors))
    {
    }
};

std::string words_of (const partition_state &what)
{
    return "owner " + std::to_string (what.owner) + ", epoch " + std::to_string (what.of.number) + ", tail "
           + std::to_string (what.tail) + (what.owned_here ? ", owned here, " : ", ")
           + std::to_string (what.under_way) + " under way";
}

base::time_ns watchdog (town &in)
{
    return in.world.time.now_ns () + std::int64_t{zlink::test::watchdog_ms} * ns_per_ms;
}

// Numbered before the watchdog.
void publish_soon (town &in, closing<spot_partitions> &parts, std::string_view body)
{
    const auto done = parts->publish (topic, "k", base::as_bytes (body), watchdog (in));
    ASSERT_TRUE (done.ok ());
    ASSERT_EQ (done.value ().what, publish_result::numbered)
      << body << ": " << words_of (parts->state (topic, 0).value ());
}

// What comes to a subscriber, looked at on the way.
class watched
{
  public:
    watched (town &in, closing<spot_partitions> &parts, read_from how, std::uint64_t value)
      : in_ (in), parts_ (parts), from_ (parts->subscribe (topic, how, value, reader_room).value ())
    {
    }
    // Reads up to a message with that text.
    void until (std::string_view text)
    {
        read ("a message " + std::string (text), [text] (const ordered_event &got) {
            return got.event.what == reader_event::kind::message && got.body () == text;
        });
    }
    // Reads until the other process has published something in its turn.
    void until_theirs ()
    {
        const std::uint64_t before = theirs_;
        read ("one of theirs", [this, before] (const ordered_event &) { return theirs_ != before; });
    }
    [[nodiscard]] std::uint64_t epochs () const { return epochs_; }
    [[nodiscard]] bool doubted () const { return doubted_; }

  private:
    template <class Condition> void read (const std::string &what, Condition holds)
    {
        const base::time_ns deadline = watchdog (in_);
        ordered_event got;
        do {
            ASSERT_TRUE (from_->receive (got, deadline).ok () && in_.world.time.now_ns () < deadline)
              << what << " does not come: next " << next_ << " of epoch " << at_.number << ", theirs "
              << theirs_ << ", missing " << missing_ << "; " << words_of (parts_->state (topic, 0).value ());
            look (got);
        } while (!holds (got));
    }
    void look (const ordered_event &got)
    {
        const reader_event &event = got.event;
        switch (event.what) {
        case reader_event::kind::message:
            EXPECT_TRUE (next_ == 0 || event.entry.sequence == next_) << "a hole, or a repetition";
            EXPECT_TRUE (at_.number == 0 || event.entry.of == at_) << "an epoch that was not told";
            at_ = event.entry.of;
            next_ = event.entry.sequence + 1;
            theirs_ += got.body ().starts_with ("theirs");
            break;
        case reader_event::kind::gap:
            EXPECT_EQ (event.from, next_);
            next_ = event.to + 1;
            missing_ += event.to + 1 - event.from;
            break;
        case reader_event::kind::epoch:
            EXPECT_GT (event.entry.of.number, at_.number);
            EXPECT_TRUE (next_ == 0 || event.from == next_ || (event.from < next_ && event.loss_possible));
            at_ = event.entry.of;
            next_ = event.from;
            ++epochs_;
            doubted_ = doubted_ || event.loss_possible;
            break;
        case reader_event::kind::another:
            ADD_FAILURE () << "two owners in one epoch";
            break;
        case reader_event::kind::owner:
            break;
        }
    }

    town &in_;
    closing<spot_partitions> &parts_;
    const std::unique_ptr<spot_ordered> from_;
    epoch at_{};
    std::uint64_t next_ = 0, theirs_ = 0, epochs_ = 0, missing_ = 0;
    bool doubted_ = false;
};

// A node here, and the registry that grants.
struct neighbourhood
{
    explicit neighbourhood (const std::string &host)
      : books (in.open_registry ("tcp://" + host + ":*", granting ()))
    {
        EXPECT_TRUE (parts->add_grantor (in.address).ok ());
        EXPECT_TRUE (parts->declare (topic, {}).ok ());
        seed = node->bind ("tcp://" + host + ":*").value ();
        EXPECT_TRUE (node->join ("").ok ());
    }
    ~neighbourhood ()
    {
        parts.close ();
        node.close ();
    }
    static registry_options granting ()
    {
        registry_options made;
        made.grant_lease_ns = 400 * ns_per_ms;
        return made;
    }
    void publish (std::string_view body) { publish_soon (in, parts, body); }
    [[nodiscard]] bool owned_here () { return parts->state (topic, 0).value ().owned_here; }

    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    town in{real->world ()};
    closing<registry> books;
    closing<spot_node> node{spot_node::open (in.world, in.context.handle (), in.loop, {.id = own_id})};
    closing<spot_partitions> parts{
      spot_partitions::open (in.world, in.context.handle (), in.loop, node.share ())};
    std::string seed;
};

struct PartitionProcesses : testing::Test, neighbourhood
{
    PartitionProcesses () : neighbourhood (loopback) {}
};

TEST_F (PartitionProcesses, AKilledOwnerIsReplaced)
{
    watched reader (in, parts, read_from::now, 0);
    {
        const owner_process owner (seed, {in.address});
        reader.until_theirs ();
        publish ("one");
        reader.until ("one");
        reader.until_theirs ();
    }
    publish ("two");
    reader.until ("two");
    EXPECT_TRUE (zlink::test::eventually ([this] { return owned_here (); }));
    EXPECT_GE (reader.epochs (), 1u);
    EXPECT_TRUE (reader.doubted ()) << "who is killed does not say how far it came";
}

TEST_F (PartitionProcesses, AnOwnerThatStoodStillForLongerThanItsLeaseNumbersNoMore)
{
    watched reader (in, parts, read_from::now, 0);
    const owner_process owner (seed, {in.address});
    reader.until_theirs ();
    for (int round = 0; round < 2; ++round) {
        const std::string body = "ours " + std::to_string (round);
        owner.stop ();
        publish (body);
        reader.until (body);
        EXPECT_TRUE (zlink::test::eventually ([this] { return owned_here (); }));
        owner.signal (SIGCONT);
        // It publishes on, through us.
        reader.until_theirs ();
        publish (body + " again");
        reader.until (body + " again");
    }
}

// What the owner says meanwhile reaches nobody, and nobody's word reaches it.
TEST (PartitionNetworks, AnOwnerThatIsCutOffNumbersNoMore)
{
    if (!zlink::test::enter_own_network ())
        GTEST_SKIP () << "networks of a process's own are not to be had";
    const zlink::test::distant_process owner;
    neighbourhood here (owner.near_address);
    watched reader (here.in, here.parts, read_from::now, 0);
    owner.start (owner_words (owner.far_address, here.seed, {here.in.address}));
    reader.until_theirs ();
    for (int round = 0; round < 2; ++round) {
        const std::string body = "ours " + std::to_string (round);
        owner.cut ();
        here.publish (body);
        reader.until (body);
        EXPECT_TRUE (zlink::test::eventually ([&here] { return here.owned_here (); }));
        owner.heal ();
        reader.until_theirs ();
        here.publish (body + " again");
        reader.until (body + " again");
    }
    EXPECT_GE (reader.epochs (), 1u);
}

// Three registries in processes of their own, which write their votes down, and a node
// here.
struct VoterProcesses : testing::Test
{
    VoterProcesses ()
    {
        EXPECT_NE (::mkdtemp (folder.data ()), nullptr);
        for (std::size_t i = 0; i < places.size (); ++i) {
            places[i] = zlink::test::tcp_place ();
            start (i);
            EXPECT_TRUE (parts->add_grantor (places[i]).ok ());
        }
        EXPECT_TRUE (parts->declare (topic, {}).ok ());
        seed = node->bind ("tcp://127.0.0.1:*").value ();
        EXPECT_TRUE (node->join ("").ok ());
    }
    ~VoterProcesses () override
    {
        parts.close ();
        node.close ();
        for (std::size_t i = 0; i < places.size (); ++i)
            voters[i].reset ();
        std::error_code ignored;
        std::filesystem::remove_all (folder, ignored);
    }
    void start (std::size_t which)
    {
        voters[which].emplace (std::vector<std::string>{ZLINK_VOTER_PROCESS, places[which],
                                                        folder + "/votes" + std::to_string (which)});
    }
    void publish (std::string_view body) { publish_soon (in, parts, body); }

    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    town in{real->world ()};
    closing<spot_node> node{spot_node::open (in.world, in.context.handle (), in.loop, {.id = own_id})};
    closing<spot_partitions> parts{
      spot_partitions::open (in.world, in.context.handle (), in.loop, node.share ())};
    std::string folder = "/tmp/zlink_voters_XXXXXX", seed;
    std::array<std::string, 3> places;
    std::array<std::optional<child_process>, 3> voters;
};

TEST_F (VoterProcesses, AMajorityGoesOnWhoeverIsKilledAndAMinorityGrantsNothing)
{
    watched reader (in, parts, read_from::sequence, 1);
    publish ("all");
    reader.until ("all");
    voters[0].reset ();
    publish ("two");
    voters[1].reset ();
    EXPECT_TRUE (zlink::test::eventually ([this] { return !parts->state (topic, 0).value ().owned_here; }));
    const base::time_ns soon = in.world.time.now_ns () + 100 * ns_per_ms;
    EXPECT_EQ (parts->publish (topic, "k", base::as_bytes (std::string_view ("one")), soon).value ().what,
               publish_result::unowned);
    // The one that comes back knows what it voted for, and votes on.
    start (0);
    publish ("again");
    reader.until ("again");
    voters[2].reset ();
    start (1);
    publish ("others");
    reader.until ("others");
}

TEST_F (VoterProcesses, AnOwnerThatStoodStillForLongerThanItsLeaseNumbersNoMore)
{
    watched reader (in, parts, read_from::now, 0);
    const owner_process owner (seed, {places.begin (), places.end ()});
    reader.until_theirs ();
    for (std::size_t round = 0; round < 2; ++round) {
        const std::string body = "ours " + std::to_string (round);
        owner.stop ();
        voters[round].reset ();
        publish (body);
        reader.until (body);
        owner.signal (SIGCONT);
        start (round);
        reader.until_theirs ();
        publish (body + " again");
        reader.until (body + " again");
    }
}

}  // namespace
}  // namespace zlink::service::test

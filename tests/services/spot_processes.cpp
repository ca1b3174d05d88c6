// Nodes of SPOT in processes of their own that publish to unpartitioned topics, and are
// killed, stand still, or are cut off: what comes keeps its order and comes once, what may be
// missing is told, and the mesh heals.
#include <csignal>
#include <optional>

#include "service/option_numbers.hpp"
#include "services/spot_history.hpp"
#include "services/spots.hpp"
#include "support/child_process.hpp"
#include "support/namespaces.hpp"

namespace zlink::service::test {
namespace {

using zlink::test::child_process;

constexpr int some = 500;

std::vector<std::string> words_of (int id, const std::string &host, const std::string &seed)
{
    return {ZLINK_SPOT_PROCESS, std::to_string (id), host, seed};
}

// A node here that hears all, and looks at it on the way.
class hearing
{
  public:
    explicit hearing (const std::string &host) : radio_ (node_.share (), {})
    {
        const int heartbeat_ms = 200;
        for (void *const each : {node_->publisher (), node_->subscriber ()})
            EXPECT_TRUE (
              socket::set_option (each, number_of_heartbeat_ivl, &heartbeat_ms, sizeof heartbeat_ms).ok ());
        EXPECT_TRUE (radio_.subscribe (spot_match::prefix, "t.").ok ());
        seed_ = node_->bind ("tcp://" + host + ":*").value ();
        EXPECT_TRUE (node_->join ("").ok ());
    }
    ~hearing ()
    {
        for (const std::string &violation : history_.violations ())
            ADD_FAILURE () << violation;
        radio_.close ();
        node_.close ();
    }
    hearing (const hearing &) = delete;
    hearing &operator= (const hearing &) = delete;

    [[nodiscard]] const std::string &seed () const { return seed_; }
    // That many messages of it more.
    void hear (int id, int count)
    {
        const std::string topic = "t." + std::to_string (id);
        for (int heard = 0; heard < count && !testing::Test::HasFailure ();)
            heard += next () == topic;
    }
    // That something may be missing, whatever else comes before.
    void hear_of_loss ()
    {
        for (const std::uint64_t before = connection_gaps_;
             connection_gaps_ == before && !testing::Test::HasFailure ();)
            (void)next ();
    }

  private:
    // The topic of what came; empty: a gap.
    std::string next ()
    {
        spot_item got;
        EXPECT_TRUE (radio_.receive (got, in_.world.time.now_ns () + 30 * ns_per_s).ok ());
        if (testing::Test::HasFailure ())
            return {};
        if (got.gap != spot_gap::none) {
            history_.gap (got.missing);
            connection_gaps_ += got.gap == spot_gap::connection;
            return {};
        }
        const std::string topic (got.topic);
        history_.came (topic, std::stoull (std::string (base::as_text (got.body))));
        if (history_.messages () % 20 == 0)
            publish (*node_.share (), "go", "on");
        return topic;
    }

    const std::shared_ptr<transport::real_world> real_ = transport::make_real_world ();
    town in_{real_->world ()};
    closing<spot_node> node_ = open_node (in_);
    spot_subscription radio_;
    spot_history history_;
    std::uint64_t connection_gaps_ = 0;
    std::string seed_;
};

const std::string loopback = "127.0.0.1";

TEST (SpotProcesses, AKilledPublisherIsMissedAndTheNextOneHeard)
{
    hearing here (loopback);
    constexpr int stays = 1;
    const child_process steady (words_of (stays, loopback, here.seed ()));
    for (int id = 2; id < 8; ++id) {
        std::optional<child_process> killed (words_of (id, loopback, here.seed ()));
        here.hear (id, some + id * 37);
        killed.reset ();
        here.hear_of_loss ();
        here.hear (stays, some);
    }
}

TEST (SpotProcesses, APublisherThatStandsStillIsMissedAndHeardAgain)
{
    hearing here (loopback);
    const child_process steady (words_of (1, loopback, here.seed ())),
      stopped (words_of (2, loopback, here.seed ()));
    for (int round = 0; round < 3; ++round) {
        here.hear (1, some);
        here.hear (2, some);
        stopped.stop ();
        here.hear_of_loss ();
        here.hear (1, some);
        stopped.signal (SIGCONT);
        here.hear (2, some);
    }
}

TEST (SpotProcesses, WhoIsStoppedForAMomentIsHeardOn)
{
    hearing here (loopback);
    const child_process steady (words_of (1, loopback, here.seed ())),
      stopped (words_of (2, loopback, here.seed ()));
    for (int round = 0; round < 20; ++round) {
        here.hear (2, some);
        stopped.stop ();
        here.hear (1, 10);
        stopped.signal (SIGCONT);
    }
    here.hear (2, some);
}

// In a network of its own: what it says meanwhile reaches nobody, and nobody is told.
TEST (SpotNetworks, APublisherThatIsCutOffIsMissedAndHeardAgain)
{
    if (!zlink::test::enter_own_network ())
        GTEST_SKIP () << "networks of a process's own are not to be had";
    const zlink::test::distant_process far;
    hearing here (far.near_address);
    far.start (words_of (2, far.far_address, here.seed ()));
    const child_process steady (words_of (1, far.near_address, here.seed ()));
    for (int round = 0; round < 3; ++round) {
        here.hear (1, some);
        here.hear (2, some);
        far.cut ();
        here.hear_of_loss ();
        here.hear (1, some);
        far.heal ();
        here.hear (2, some);
    }
}

}  // namespace
}  // namespace zlink::service::test

// Nodes of SPOT together: who hears whom, what is sent and what is not.
#include "service/spot_partitions.hpp"
#include "services/bound_socket.hpp"
#include "services/spots.hpp"
#include "support/places.hpp"

namespace zlink::service::test {
namespace {

std::uint64_t wire_bytes_sent (const closing<spot_node> &by)
{
    return socket::statistics (by->publisher ()).value ().total.wire_bytes_sent;
}

TEST (SpotBetween, APeerIsReadByWhoWasToldOfIt)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        for (const std::string &where : {place_in (world), std::string ("inproc://there")}) {
            station here (in, "t", place_in (world)), there (in, "t", where);
            ASSERT_TRUE (here.node->add_peer (there.endpoint).ok ());
            wait_nodes (there.node, 1);
            ASSERT_TRUE (wait_heard (here.node).ok ());
            publish (*there.node.share (), "t1", "from there");
            publish (*here.node.share (), "t2", "from here");
            texts got{next_of (here.radio), next_of (here.radio)};
            std::ranges::sort (got);
            EXPECT_EQ (got, (texts{"t1=from there", "t2=from here"}));
            EXPECT_EQ (next_of (there.radio), "t1=from there");
            EXPECT_EQ (next_of (there.radio, 0), no_more ()) << "it was not told to read us";
            ASSERT_TRUE (here.node->remove_peer (there.endpoint).ok ());
            EXPECT_EQ (here.node->remove_peer (there.endpoint).code (), errc::no_such_endpoint);
        }
    });
}

TEST (SpotBetween, WhatNobodyWantsIsNotSentAndTheRestOnce)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        station here (in, "t", place_in (world)), there (in, "never", place_in (world));
        spot_subscription second (here.node.share (), {}), third (here.node.share (), {});
        ASSERT_TRUE (second.subscribe (spot_match::exact, "t.1").ok ());
        ASSERT_TRUE (third.subscribe (spot_match::glob, "*.1").ok ());
        ASSERT_TRUE (here.node->add_peer (there.endpoint).ok ());
        ASSERT_TRUE (wait_heard (here.node).ok ());
        const std::uint64_t before = wire_bytes_sent (there.node);
        for (int i = 0; i < 100; ++i)
            publish (*there.node.share (), "unwanted", std::string (1000, 'x'));
        EXPECT_LT (wire_bytes_sent (there.node) - before, 1000u) << "not one, though an answer may be";
        publish (*there.node.share (), "t.1", std::string (3000, 'x'));
        for (spot_subscription *const each : {&here.radio, &second, &third})
            EXPECT_EQ (next_of (*each), "t.1=" + std::string (3000, 'x'));
        const std::uint64_t sent = wire_bytes_sent (there.node) - before;
        EXPECT_GT (sent, 3000u);
        EXPECT_LT (sent, 4000u);
        publish (*there.node.share (), "a.1", "by a pattern");
        EXPECT_EQ (next_of (third), "a.1=by a pattern");
    });
}

// More than who reads has at hand at once, and of sizes on both sides of what shares frames.
TEST (SpotBetween, ManySmallOnesComeInTheirOrderHoweverTheyShareFrames)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        station here (in, "t", place_in (world)), there (in, "never", place_in (world));
        spot_subscription second (here.node.share (), {});
        ASSERT_TRUE (second.subscribe (spot_match::exact, "t2").ok ());
        ASSERT_TRUE (here.node->add_peer (there.endpoint).ok ());
        wait_nodes (there.node, 1);
        ASSERT_TRUE (wait_heard (here.node).ok ());
        constexpr int count = 4'000;
        const auto topic_of = [] (int i) { return i % 1'500 > 1'400 ? "t2" : "t1"; };
        const auto body_of = [] (int i) {
            return std::to_string (i) + std::string (i % 500 == 499 ? 1'100 : i % 7, 'x');
        };
        for (int i = 0; i < count; ++i)
            publish (*there.node.share (), topic_of (i), body_of (i));
        for (int i = 0; i < count; ++i)
            ASSERT_EQ (next_of (here.radio), topic_of (i) + ("=" + body_of (i)));
        for (int i = 0; i < count; ++i)
            if (topic_of (i) == std::string_view ("t2")) {
                ASSERT_EQ (next_of (second), "t2=" + body_of (i));
            }
        const spot_node_counters counted = here.node->counters ();
        EXPECT_EQ (counted.received, static_cast<std::uint64_t> (count));
        EXPECT_EQ (counted.malformed + counted.repeated + counted.missed, 0U);
    });
}

// In a burst the topic and the head go once for many.
TEST (SpotBetween, SmallOnesOfOneTopicShareFrames)
{
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        in_simulation (
          [] (base::world &world) {
              town in (world);
              station here (in, "t", place_in (world)), there (in, "never", place_in (world));
              ASSERT_TRUE (here.node->add_peer (there.endpoint).ok ());
              wait_nodes (there.node, 1);
              ASSERT_TRUE (wait_heard (here.node).ok ());
              const std::uint64_t before = wire_bytes_sent (there.node);
              constexpr int count = 2'000;
              for (int i = 0; i < count; ++i)
                  publish (*there.node.share (), "t.of.twenty.octets..", "12345678");
              for (int i = 0; i < count; ++i)
                  ASSERT_EQ (next_of (here.radio), "t.of.twenty.octets..=12345678");
              EXPECT_LT (wire_bytes_sent (there.node) - before, count * (20U + 8U));
          },
          seed);
}

// A publisher that is none of ours.
class stranger : public bound_socket
{
  public:
    stranger (town &in, const std::string &where)
      : bound_socket (in.context.handle (), where, socket::socket_type::xpub)
    {
    }
    void wait_heard () { EXPECT_TRUE (socket::wait_subscribers (handle (), 1, 30 * ns_per_s).ok ()); }
    // Behind a head with these flags and that number.
    void say (unsigned flags, std::uint64_t number, std::string_view body)
    {
        std::vector<std::byte> made;
        wire::append_spot_opening (made, "t", {.flags = flags, .publisher = 99, .number = number});
        const base::bytes_view octets = base::as_bytes (body);
        made.insert (made.end (), octets.begin (), octets.end ());
        EXPECT_TRUE (socket::send (handle (), base::bytes_view (made), 0).ok ());
    }
    // A letter to all, of that publisher.
    void write (std::uint64_t publisher, std::uint64_t number, wire::spot_letter kind)
    {
        const auto made =
          wire::encode_spot_letter (0, publisher, number, static_cast<std::uint16_t> (kind), {});
        EXPECT_TRUE (socket::send (handle (), base::bytes_view (made), 0).ok ());
    }
};

void read (const station &here, stranger &there)
{
    ASSERT_TRUE (here.node->add_peer (there.endpoint ()).ok ());
    there.wait_heard ();
}

TEST (SpotBetween, ABrokenRowCountsUpToWhereItBreaks)
{
    using namespace std::string_view_literals;
    in_every_world ([] (base::world &world) {
        town in (world);
        stranger there (in, place_in (world));
        station here (in, "t", place_in (world));
        read (here, there);
        there.say (wire::spot_flag_row, 1, "\0\1a\0\2bc"sv);
        there.say (wire::spot_flag_row, 3, "\0\1d\0\2e"sv);
        there.say (wire::spot_flag_row, 4, ""sv);
        there.say (wire::spot_flag_row, 5, "\0"sv);
        there.say (wire::spot_flag_row, 4, "\0\1f\0\0"sv);
        there.say (wire::spot_flag_row, 2, "\0\1x\0\1x\0\1x\0\1x\0\1g"sv);  // the first were there before
        there.say (0, 7, "\0\1h"sv);
        for (const std::string_view each : {"a"sv, "bc"sv, "d"sv, "f"sv, ""sv, "g"sv, "\0\1h"sv})
            EXPECT_EQ (next_of (here.radio), "t=" + std::string (each));
        const spot_node_counters counted = here.node->counters ();
        EXPECT_EQ (counted.malformed, 3U);
        EXPECT_EQ (counted.repeated, 4U);
    });
}

TEST (SpotBetween, ALetterOfNobodyIsMalformed)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        stranger there (in, place_in (world));
        station here (in, "t", place_in (world));
        read (here, there);
        there.write (0, 1, wire::spot_letter::poke);
        there.write (98, 1, wire::spot_letter::poke);
        there.say (0, 1, "a");
        EXPECT_EQ (next_of (here.radio), "t=a");
        EXPECT_EQ (here.node->counters ().malformed, 1U);
    });
}

// Of a kind that is not known a letter may be.
TEST (SpotBetween, WhatIsSaidOfPartitionsAndCannotBeReadIsMalformed)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        stranger there (in, place_in (world));
        station here (in, "t", place_in (world));
        const closing<spot_partitions> parts{
          spot_partitions::open (in.world, in.context.handle (), in.loop, here.node.share ())};
        read (here, there);
        there.say (wire::spot_flag_ordered, 1, "x");
        there.write (99, 2, static_cast<wire::spot_letter> (wire::partition_kind::owner));
        there.write (99, 3, static_cast<wire::spot_letter> (wire::spot_letters_of_partitions + 1'000));
        there.say (0, 4, "a");
        EXPECT_EQ (next_of (here.radio), "t=a");
        EXPECT_EQ (here.node->counters ().malformed, 2U);
    });
}

TEST (SpotBetween, ManyFarewellsOfOneExcuseNoOther)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        auto leaves = std::make_unique<stranger> (in, place (world, "leaves"));
        auto breaks = std::make_unique<stranger> (in, place (world, "breaks"));
        station here (in, "t", place_in (world));
        for (const auto &each : {leaves.get (), breaks.get ()}) {
            read (here, *each);
        }
        for (std::uint64_t number = 1; number <= 10; ++number)
            leaves->write (98, number, wire::spot_letter::farewell);
        leaves->say (0, 1, "a");
        EXPECT_EQ (next_of (here.radio), "t=a");
        const auto wait_lost = [&] (std::uint64_t count) {
            const auto all = [&] { return socket::statistics (here.node->subscriber ()).value ().total; };
            while (all ().connections_lost != count)
                world.sleep.yield ();
        };
        leaves.reset ();
        wait_lost (1);
        breaks.reset ();
        wait_lost (2);
        publish (*here.node.share (), "t", "own");
        const base::time_ns deadline = world.time.now_ns () + 10 * ns_per_s;
        texts got{next_of (here.radio, deadline), next_of (here.radio, deadline)};
        std::ranges::sort (got);
        EXPECT_EQ (got, (texts{connection_gap (), "t=own"}));
        EXPECT_EQ (here.node->counters ().broken, 1U);
    });
}

// They are made up, and more than are remembered: none of those in front is in the way.
TEST (SpotBetween, OfTooManyPublishersTheLastAreRemembered)
{
    in_the_real_world ([] (base::world &world) {
        town in (world);
        stranger there (in, place_in (world));
        const int no_mark = 0;
        ASSERT_TRUE (
          socket::set_option (there.handle (), socket::number_of_send_hwm, &no_mark, sizeof no_mark).ok ());
        station here (in, "t", place_in (world));
        read (here, there);
        constexpr std::uint64_t count = 8 * spot_publishers_max, rest = spot_publishers_max / 2;
        for (std::uint64_t publisher = 1'000; publisher < 1'000 + count; ++publisher)
            there.write (publisher, 7, wire::spot_letter::poke);
        for (std::uint64_t publisher = 1'000 + count - rest; publisher < 1'000 + count; ++publisher)
            there.write (publisher, 7, wire::spot_letter::poke);
        there.say (0, 1, "a");
        EXPECT_EQ (next_of (here.radio), "t=a");
        EXPECT_EQ (here.node->counters ().repeated, rest);
    });
}

TEST (SpotBetween, ASeedMakesEverybodyKnowEverybody)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        std::vector<std::unique_ptr<station>> all;
        for (int i = 0; i < 4; ++i) {
            all.push_back (std::make_unique<station> (in, "t", place_in (world)));
            ASSERT_TRUE (all.back ()->node->join (all.front ()->endpoint).ok ());
        }
        for (const auto &each : all)
            wait_nodes (each->node, 3);
        for (std::size_t i = 0; i < all.size (); ++i) {
            publish (*all[i]->node.share (), "t", std::to_string (i));
            for (const auto &each : all)
                ASSERT_EQ (next_of (each->radio), "t=" + std::to_string (i));
        }
        all.front ()->node.close ();
        all.erase (all.begin ());
        publish (*all[0]->node.share (), "t", "without the seed");
        for (const auto &each : all)
            ASSERT_EQ (next_of (each->radio), "t=without the seed");
    });
}

// As place_in(), where nobody else takes the port while it is not bound.
std::string lasting_place (const base::world &world)
{
    const std::string there = place_in (world);
    return there.starts_with ("tcp:") ? zlink::test::tcp_place () : there;
}

// Each hears each, itself too. What comes together with the news that a node has gone may stand
// behind a gap: letters to others have numbers, too.
void expect_all_heard (const std::vector<station *> &all)
{
    for (station *const from : all) {
        publish (*from->node.share (), "t", from->endpoint);
        for (station *const each : all) {
            std::string got;
            do
                got = next_of (each->radio);
            while (got.starts_with ("gap"));
            ASSERT_EQ (got, "t=" + from->endpoint);
        }
    }
}

void join (const station &who, const std::vector<std::string> &seeds)
{
    for (const std::string &each : seeds)
        ASSERT_TRUE (who.node->join (each).ok ());
}

TEST (SpotBetween, OfSeveralSeedsOneThatLivesIsEnough)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const std::string dead = lasting_place (world);
        station seed (in, "t", place_in (world)), one (in, "t", place_in (world)),
          another (in, "t", place_in (world));
        for (const station *const each : {&seed, &one, &another})
            join (*each, {dead, seed.endpoint});
        std::vector<station *> all{&seed, &one, &another};
        for (const station *const each : all)
            wait_nodes (each->node, 2);
        expect_all_heard (all);
        // It is looked for until it is there, and need not know anybody.
        station late (in, "t", dead);
        join (late, {""});
        all.push_back (&late);
        for (const station *const each : all)
            wait_nodes (each->node, 3);
        expect_all_heard (all);
    });
}

TEST (SpotBetween, ASeedThatDiesLeavesItsWorkToTheOthers)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        auto first = std::make_unique<station> (in, "t", place_in (world));
        const std::string gone = first->endpoint;
        station second (in, "t", place_in (world)), early (in, "t", place_in (world)),
          late (in, "t", place_in (world));
        for (const station *const each : {first.get (), &second})
            join (*each, {""});
        join (early, {gone, second.endpoint});
        for (const station *const each : {first.get (), &second, &early})
            wait_nodes (each->node, 2);  // seeds that nobody told of each other meet, too
        expect_all_heard ({first.get (), &second, &early});
        first.reset ();
        for (const station *const each : {&second, &early})
            while (each->node->nodes () != 1)
                world.sleep.yield ();
        join (late, {gone, second.endpoint});
        const std::vector<station *> all{&second, &early, &late};
        for (const station *const each : all)
            wait_nodes (each->node, 2);
        expect_all_heard (all);
    });
}

TEST (SpotBetween, ANodeThatComesBackIsHeardAgain)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        station here (in, "t", place_in (world));
        const std::string endpoint = lasting_place (world);
        auto there = std::make_unique<station> (in, "never", endpoint);
        ASSERT_TRUE (here.node->add_peer (endpoint).ok ());
        wait_nodes (there->node, 1);
        publish (*there->node.share (), "t", "1");
        EXPECT_EQ (next_of (here.radio), "t=1");
        there.reset ();
        there = std::make_unique<station> (in, "never", endpoint);
        wait_nodes (there->node, 1);
        publish (*there->node.share (), "t", "2");
        EXPECT_EQ (next_of (here.radio), "t=2") << "it said farewell: nothing is missing";
    });
}

TEST (SpotBetween, WhatAPublisherHadNoRoomForIsToldAsAGap)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        const auto node = open_node (in, 4);
        spot_subscription all (node.share (), {.policy = spot_policy::block, .messages_max = 1});
        ASSERT_TRUE (all.subscribe (spot_match::prefix, "").ok ());
        for (int i = 0; i < 1000; ++i)
            publish (*node.share (), "t", std::to_string (i));
        std::uint64_t got = 0, missing = 0;
        spot_item item;
        const auto count = [&] {
            got += item.gap == spot_gap::none;
            missing += item.missing;
        };
        while (all.receive (item, 0).ok ())
            count ();
        publish (*node.share (), "t", "last");
        for (item.body = {}; base::as_text (item.body) != "last"; count ())
            ASSERT_TRUE (all.receive (item, world.time.now_ns () + 30 * ns_per_s).ok ());
        EXPECT_GT (missing, 0u);
        EXPECT_EQ (got + missing, 1001u);
        EXPECT_EQ (node->counters ().missed, missing);
    });
}

// What is said in one's own node costs nothing on the way to others.
TEST (SpotBetween, WhatIsForItsOwnNodeAloneStaysThere)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        station here (in, "other", place_in (world)), there (in, "t", place_in (world));
        for (const station *const each : {&here, &there}) {
            const int off = 0;  // no signs of life
            ASSERT_TRUE (
              socket::set_option (each->node->subscriber (), number_of_heartbeat_ivl, &off, sizeof off)
                .ok ());
        }
        spot_subscription second (there.node.share (), {});
        ASSERT_TRUE (second.subscribe (spot_match::glob, "t.*").ok ());
        for (const auto &[who, whom] : {std::pair{&here, &there}, std::pair{&there, &here}}) {
            ASSERT_TRUE (who->node->add_peer (whom->endpoint).ok ());
            wait_nodes (whom->node, 1);
        }
        ASSERT_TRUE (wait_heard (here.node).ok ());
        // It is heard over there, behind all that was said before.
        publish (*there.node.share (), "other", "are you there?");
        ASSERT_EQ (next_of (here.radio), "other=are you there?");
        const auto octets = [&there] {
            const auto of = [] (void *socket) { return socket::statistics (socket).value ().total; };
            const auto out = of (there.node->publisher ()), come = of (there.node->subscriber ());
            return std::array{out.wire_bytes_sent, out.wire_bytes_received, come.wire_bytes_sent,
                              come.wire_bytes_received};
        };
        const auto before = octets ();
        EXPECT_GT (before[0], 0U) << "what goes to the other node is counted";
        for (const std::size_t size : {std::size_t{8}, std::size_t{1'000}, std::size_t{100'000}})
            for (int i = 0; i < 20; ++i)
                publish (*there.node.share (), "t.1", std::string (size, 'x'));
        for (const std::size_t size : {std::size_t{8}, std::size_t{1'000}, std::size_t{100'000}})
            for (int i = 0; i < 20; ++i)
                for (spot_subscription *const each : {&there.radio, &second})
                    ASSERT_EQ (next_of (*each), "t.1=" + std::string (size, 'x'));
        // But for a few of what nodes tell one another: less than one of the messages.
        const auto after = octets ();
        for (std::size_t i = 0; i < after.size (); ++i)
            EXPECT_LT (after[i] - before[i], 1'000U) << i;
    });
}

// Nobody reads while it goes, and what it has said to others is not missed.
TEST (SpotBetween, AFarewellBehindMuchThatIsUnreadIsHeardInTime)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        for (const int count : {1, 2'000}) {
            station here (in, "t", place_in (world));
            auto there = std::make_unique<station> (in, "never", place_in (world));
            ASSERT_TRUE (here.node->add_peer (there->endpoint).ok ());
            wait_nodes (there->node, 1);
            ASSERT_TRUE (wait_heard (here.node).ok ());
            for (int i = 0; i < count; ++i)
                publish (*there->node.share (), "t", std::to_string (i) + std::string (100, 'x'));
            publish (*there->node.share (), "unwanted", "x");
            there.reset ();
            const auto lost = [&] {
                return socket::statistics (here.node->subscriber ()).value ().total.connections_lost != 0;
            };
            while (!lost ())
                world.sleep.yield ();
            for (int i = 0; i < count; ++i)
                ASSERT_EQ (next_of (here.radio), "t=" + std::to_string (i) + std::string (100, 'x'));
            // Whatever has been told of the loss has been heard behind this.
            publish (*here.node.share (), "t", "own");
            EXPECT_EQ (next_of (here.radio), "t=own") << "it said farewell: nothing is missing";
            EXPECT_EQ (here.node->counters ().broken, 0U);
        }
    });
}

// Of its subscriber.
std::uint64_t connections_of (spot_node &of)
{
    const std::vector<socket::count_row> rows = socket::count_rows (of.subscriber ()).value ();
    std::uint64_t ready = 0;
    for (const socket::count_row &each : rows)
        if (each.what == socket::count_of::connection)
            ready += each.now.connections_ready;
    return ready;
}

// Its connection is hung up before it ends by itself.
TEST (SpotBetween, AFarewellExcusesNoOtherConnection)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        stranger leaving (in, place_in (world));
        station here (in, "t", place_in (world));
        const std::uint64_t before = connections_of (*here.node.share ());
        read (here, leaving);
        leaving.write (99, 1, wire::spot_letter::farewell);
        leaving.say (0, 2, "last");
        EXPECT_EQ (next_of (here.radio), "t=last");
        ASSERT_TRUE (here.node->remove_peer (leaving.endpoint ()).ok ());
        while (connections_of (*here.node.share ()) != before)
            world.sleep.yield ();
        {
            stranger breaking (in, place_in (world));
            read (here, breaking);
            breaking.say (0, 3, "here");
            EXPECT_EQ (next_of (here.radio), "t=here");
        }
        EXPECT_EQ (next_of (here.radio), connection_gap ());
        EXPECT_EQ (here.node->counters ().broken, 1U);
    });
}

// Of one that is far away and does not read; the others are one of its node, and one of a
// third node.
struct slow_far_away
{
    slow_far_away (base::world &world, const spot_bounds &bounds)
      : in (world), there (in, "never", place_in (world)), here (in, "t", place_in (world)),
        third (in, "t", place_in (world)), slow (here.node.share (), bounds)
    {
        EXPECT_TRUE (slow.subscribe (spot_match::prefix, "t").ok ());
        for (const station *const each : {&here, &third}) {
            EXPECT_TRUE (each->node->add_peer (there.endpoint).ok ());
            EXPECT_TRUE (wait_heard (each->node).ok ());
        }
        wait_nodes (there.node, 2);
        for (int i = 0; i < count; ++i)
            publish (*there.node.share (), "t" + std::to_string (i % topics), std::to_string (i));
    }
    static texts numbered (int from, int to)
    {
        texts all;
        for (int i = from; i < to; ++i)
            all.push_back ("t" + std::to_string (i % topics) + "=" + std::to_string (i));
        return all;
    }
    static texts all_of (spot_subscription &from)
    {
        texts all;
        for (int i = 0; i < count; ++i)
            all.push_back (next_of (from));
        return all;
    }
    // Those that read lose nothing.
    void expect_others_to_get_all ()
    {
        EXPECT_EQ (all_of (here.radio), numbered (0, count));
        EXPECT_EQ (all_of (third.radio), numbered (0, count));
        EXPECT_EQ (next_of (third.radio, 0), no_more ());
    }
    // What comes later comes to it again.
    void expect_slow_to_go_on ()
    {
        publish (*there.node.share (), "t0", "later");
        EXPECT_EQ (next_of (slow), "t0=later");
    }

    static constexpr int count = 400, topics = 4, room = 8;
    town in;
    station there, here, third;
    spot_subscription slow;
};

TEST (SpotBetween, WhoDoesNotReadFarAwayLosesTheNewest)
{
    in_every_world ([] (base::world &world) {
        slow_far_away of (world, {.policy = spot_policy::drop_newest, .messages_max = of.room});
        of.expect_others_to_get_all ();
        texts expected = of.numbered (0, of.room);
        expected.push_back ("gap 1:" + std::to_string (of.count - of.room));
        EXPECT_EQ (rest_of (of.slow), expected);
        EXPECT_EQ (of.slow.counters ().dropped, static_cast<std::uint64_t> (of.count - of.room));
        of.expect_slow_to_go_on ();
    });
}

TEST (SpotBetween, WhoDoesNotReadFarAwayLosesTheOldest)
{
    in_every_world ([] (base::world &world) {
        slow_far_away of (world, {.policy = spot_policy::drop_oldest, .messages_max = of.room});
        of.expect_others_to_get_all ();
        texts expected = of.numbered (of.count - of.room, of.count);
        expected.insert (expected.begin (), "gap 1:" + std::to_string (of.count - of.room));
        EXPECT_EQ (rest_of (of.slow), expected);
        EXPECT_EQ (of.slow.counters ().dropped, static_cast<std::uint64_t> (of.count - of.room));
        of.expect_slow_to_go_on ();
    });
}

TEST (SpotBetween, WhoDoesNotReadFarAwayHasTheNewestOfEachTopic)
{
    in_every_world ([] (base::world &world) {
        slow_far_away of (world, {.policy = spot_policy::conflate, .messages_max = of.room});
        of.expect_others_to_get_all ();
        EXPECT_EQ (rest_of (of.slow), of.numbered (of.count - of.topics, of.count));
        EXPECT_EQ (of.slow.counters ().conflated, static_cast<std::uint64_t> (of.count - of.topics));
        of.expect_slow_to_go_on ();
    });
}

TEST (SpotBetween, WhoDoesNotReadFarAwayIsDisconnected)
{
    in_every_world ([] (base::world &world) {
        slow_far_away of (world, {.policy = spot_policy::disconnect, .messages_max = of.room});
        of.expect_others_to_get_all ();
        EXPECT_EQ (rest_of (of.slow), of.numbered (0, of.room));
        spot_item got;
        EXPECT_EQ (of.slow.receive (got, 0).code (), errc::connection_aborted);
    });
}

// It holds up its own node, which has the rest on the way to it, and nobody else.
TEST (SpotBetween, WhoDoesNotReadFarAwayHoldsUpItsNodeAlone)
{
    in_every_world ([] (base::world &world) {
        slow_far_away of (world, {.policy = spot_policy::block, .messages_max = of.room});
        EXPECT_EQ (of.all_of (of.third.radio), of.numbered (0, of.count));
        EXPECT_LE (rest_of (of.here.radio).size (), of.count / 2U);
        EXPECT_EQ (of.all_of (of.slow), of.numbered (0, of.count));
        EXPECT_EQ (of.slow.counters ().dropped, 0U);
        of.expect_slow_to_go_on ();
    });
}

// A node that does not read at all is told by the publisher how much it has lost.
TEST (SpotBetween, ANodeThatDoesNotReadLosesAtThePublisherAndIsTold)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        station there (in, "never", place_in (world)), third (in, "t", place_in (world));
        closing<spot_node> here = open_node (in, 4);
        int hwm = 4;
        ASSERT_TRUE (
          socket::set_option (there.node->publisher (), socket::number_of_send_hwm, &hwm, sizeof hwm).ok ());
        spot_subscription slow (here.share (), {.policy = spot_policy::block, .messages_max = 1});
        ASSERT_TRUE (slow.subscribe (spot_match::prefix, "t").ok ());
        for (const closing<spot_node> *const each : {&here, &third.node}) {
            ASSERT_TRUE ((*each)->add_peer (there.endpoint).ok ());
            ASSERT_TRUE (wait_heard (*each).ok ());
        }
        const auto dropped = [&there] {
            return socket::statistics (there.node->publisher ()).value ().total.dropped_total ();
        };
        std::uint64_t published = 0, got = 0, missing = 0;
        const auto say = [&] {
            const std::string body = std::to_string (published++) + std::string (30'000, 'x');
            publish (*there.node.share (), "t", body);
            EXPECT_EQ (next_of (third.radio), "t=" + body);
        };
        while (dropped () < 10)
            say ();
        // What is missing is told in front of the next that comes.
        do {
            say ();
            for (spot_item item; slow.receive (item, world.time.now_ns () + 20 * ns_per_ms).ok ();) {
                EXPECT_TRUE (item.gap == spot_gap::none || item.gap == spot_gap::publisher_full);
                got += item.gap == spot_gap::none;
                missing += item.missing;
            }
        } while (got + missing < published);
        EXPECT_EQ (got + missing, published);
        EXPECT_GE (missing, 10U);
        EXPECT_EQ (here->counters ().missed, missing);
    });
}

TEST (SpotBetween, ARegistrySaysWhoIsThere)
{
    in_every_world ([] (base::world &world) {
        town in (world);
        closing<registry> books = in.open_registry ("inproc://books");
        std::vector<std::unique_ptr<station>> all;
        std::vector<closing<registration>> entries;
        std::vector<closing<discovery>> watchers;
        for (int i = 0; i < 3; ++i) {
            const std::string where = "inproc://spot-" + std::to_string (i);
            all.push_back (std::make_unique<station> (in, "t", where));
            entries.push_back (in.open_provider (in.address));
            ASSERT_TRUE (entries.back ()
                           ->put ({.family = wire::family_spot, .service = "spots", .endpoint = where})
                           .ok ());
            watchers.emplace_back (discovery::open (world, in.context.handle (), in.loop));
            ASSERT_TRUE (watchers.back ()->connect_registry (in.address).ok ());
            ASSERT_TRUE (all.back ()->node->join_by (watchers.back ().share (), "spots").ok ());
        }
        for (const auto &each : all)
            wait_nodes (each->node, 2);
        for (std::size_t i = 0; i < all.size (); ++i) {
            publish (*all[i]->node.share (), "t", std::to_string (i));
            for (const auto &each : all)
                ASSERT_EQ (next_of (each->radio), "t=" + std::to_string (i));
        }
        for (const auto &each : all)
            each->node.close ();
    });
}

}  // namespace
}  // namespace zlink::service::test

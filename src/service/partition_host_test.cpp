#include "service/partition_host.hpp"

#include <array>

#include <gtest/gtest.h>

#include "service/limits.hpp"
#include "service/partition_choice.hpp"

namespace zlink::service {
namespace {

using base::ns_per_s;
using wire::partition_kind;
using wire::partition_letter;

constexpr std::uint64_t self = 1, other = 2;
constexpr partition_ref part{"prices", 0};

struct counting_dice final : base::random
{
    std::uint64_t next () noexcept override { return ++drawn; }
    std::uint64_t drawn = 0;
};

// An owner whose only grantor grants whatever it asks for, or nothing.
struct PartitionHost : testing::Test, partition_ways
{
    PartitionHost ()
    {
        host.declare (now, part.topic, {});
        settle ();
    }
    void post (std::uint64_t to, const partition_letter &letter) override
    {
        if (letter.kind == partition_kind::published)
            answers.push_back (letter);
        if (letter.kind == partition_kind::tail)
            tails.emplace_back (to, letter);
        if (letter.kind == partition_kind::replay)
            replays.push_back (letter);
        if (letter.kind == partition_kind::declared)
            declared_to.push_back (to);
    }
    void send (std::string_view, const wire::partition_stamp &stamp, std::string_view octets) override
    {
        sent.emplace_back (stamp, octets);
    }
    void ask (const partition_ref &, const grant_question &question) override { asked.push_back (question); }
    void published (std::uint64_t, const publish_outcome &outcome) override { outcomes.push_back (outcome); }
    void owned (const partition_ref &, std::uint64_t, const epoch &) noexcept override {}
    void told (std::uint64_t, const partition_ref &, const reader_event &event) override
    {
        events.push_back (event);
    }
    bool has_room (std::uint64_t) override
    {
        ++rooms_asked;
        return true;
    }

    void settle ()
    {
        for (int turn = 0; turn < 10; ++turn) {
            (void)host.advance (++now);
            for (const grant_question &each : std::exchange (asked, {}))
                if (!each.is_release)
                    host.answered (now, part, 0, each.round,
                                   {.fault = refuses ? grant_fault::held : grant_fault::none,
                                    .highest = each.of,
                                    .lease_ns = grant_lease_ns});
        }
    }
    static partition_letter declared ()
    {
        partition_letter letter;
        letter.kind = partition_kind::declared;
        letter.topic = part.topic;
        letter.partitions = 1;
        return letter;
    }
    // Its lease has run out, and it has another.
    void begin_another_epoch ()
    {
        now += 2 * grant_lease_ns;
        settle ();
    }
    void hear (partition_kind kind, const epoch &of)
    {
        partition_letter letter;
        letter.kind = kind;
        letter.topic = part.topic;
        letter.first = 1;
        letter.epoch_number = of.number;
        letter.epoch_id = of.id;
        host.heard (now, other, letter);
    }
    [[nodiscard]] epoch current () const { return host.state (now, part).of; }
    // A node publishes its first message, or that again.
    const partition_letter &hear_publish ()
    {
        partition_letter letter;
        letter.kind = partition_kind::publish;
        letter.topic = part.topic;
        letter.number = letter.waits_from = 1;
        letter.octets = "x";
        host.heard (now, other, letter);
        return answers.back ();
    }

    counting_dice dice;
    base::time_ns now = ns_per_s;
    bool refuses = false;  // the grantor
    std::size_t rooms_asked = 0;
    std::vector<std::uint64_t> declared_to;
    std::vector<partition_letter> answers;
    std::vector<std::pair<std::uint64_t, partition_letter>> tails;
    std::vector<std::pair<wire::partition_stamp, std::string>> sent;
    std::vector<partition_letter> replays;
    std::vector<reader_event> events;
    std::vector<grant_question> asked;
    std::vector<publish_outcome> outcomes;
    partition_host host{self, 1, dice, *this};
};

TEST_F (PartitionHost, AnswersUnderWhichEpochARetriedPublishWasNumbered)
{
    const epoch first = current ();
    ASSERT_NE (first.number, 0U);
    ASSERT_EQ (hear_publish ().outcome, wire::outcome_numbered);
    begin_another_epoch ();
    ASSERT_GT (current ().number, first.number);
    const partition_letter again = hear_publish ();
    EXPECT_EQ (again.outcome, wire::outcome_numbered);
    EXPECT_EQ (again.sequence, 1U);
    EXPECT_EQ ((epoch{again.epoch_number, again.epoch_id}), first);
    EXPECT_EQ (sent.size (), 1U);
}

// What this node has published to an owner in front of itself, and finds in what it learned.
TEST_F (PartitionHost, TellsUnderWhichEpochAnotherHadNumberedItsOwn)
{
    const epoch theirs{current ().number + 7, 99};
    now += 2 * grant_lease_ns;
    (void)host.advance (now);
    const wire::partition_stamp stamp{.epoch_number = theirs.number,
                                      .epoch_id = theirs.id,
                                      .first = 1,
                                      .sequence = 1,
                                      .origin = self,
                                      .origin_number = 1};
    (void)host.took (other, part.topic, stamp, "x");
    ASSERT_TRUE (host.publish (now, part, std::make_shared<const std::string> ("x"), base::never_ns, 5));
    EXPECT_TRUE (outcomes.empty ());
    settle ();
    ASSERT_GT (current ().number, theirs.number);
    ASSERT_EQ (outcomes.size (), 1U);
    EXPECT_EQ (outcomes[0].what, publish_result::numbered);
    EXPECT_EQ (outcomes[0].of, theirs);
    EXPECT_EQ (outcomes[0].sequence, 1U);
    EXPECT_TRUE (sent.empty ());
}

// Of many partitions.
TEST_F (PartitionHost, LooksAtThoseAloneWithWhichSomethingHasHappened)
{
    constexpr std::uint32_t many = 1'000;
    ASSERT_TRUE (host.declare (now, "many", {.partitions = many}));
    ASSERT_TRUE (host.subscribe ("many", 1, read_from::now, 0));
    partition_letter letter;
    letter.kind = partition_kind::owner;
    letter.topic = "many";
    letter.first = 1;
    letter.epoch_number = 1'000'000;
    for (letter.partition = 0; letter.partition < many; ++letter.partition)
        host.heard (now, other, letter);
    (void)host.advance (++now);
    (void)host.advance (++now);
    rooms_asked = 0;
    letter.partition = 7;
    host.heard (now, other, letter);
    (void)host.advance (now);
    EXPECT_GT (rooms_asked, 0U);
    EXPECT_LT (rooms_asked, 10U);
    rooms_asked = 0;
    host.room_made ("many");
    (void)host.advance (++now);
    EXPECT_GE (rooms_asked, many);
}

TEST_F (PartitionHost, ManyThatSayThatTheyAreThereAndOwnNothingAreSoonPassedOver)
{
    std::size_t before_us = 0;
    for (std::uint64_t node = other; node < other + 2'000; ++node) {
        host.came (node);
        host.heard (now, node, declared ());
        before_us +=
          owner_rank (part.topic, part.partition, node) > owner_rank (part.topic, part.partition, self);
    }
    ASSERT_GT (before_us, 100U);
    settle ();
    ASSERT_FALSE (host.state (now, part).owned_here);
    int waits = 0;
    for (; waits < 100 && !host.state (now, part).owned_here; ++waits) {
        now += pass_over_ns;
        settle ();
        now += learn_ns;
        settle ();
    }
    EXPECT_LE (waits, 12);
    host.came (other + 2'000);
    EXPECT_TRUE (host.state (now, part).owned_here);
}

// It would number on and renew its lease for ever, and nobody would read it.
TEST_F (PartitionHost, WhoOwnsAsksForAnEpochAboveOneThatItHearsOf)
{
    const epoch first = current ();
    ASSERT_EQ (hear_publish ().outcome, wire::outcome_numbered);
    for (const partition_kind how :
         {partition_kind::owner, partition_kind::tail_wanted, partition_kind::tail}) {
        const epoch made_up{current ().number + 7, 99};
        hear (how, made_up);
        EXPECT_FALSE (host.state (now, part).owned_here);
        settle ();
        EXPECT_TRUE (host.state (now, part).owned_here);
        EXPECT_GT (current ().number, made_up.number);
    }
    for (int i = 0; i < 8; ++i) {  // twice round all numbers
        const epoch made_up{current ().number + (std::uint64_t{1} << 62), 99};
        const wire::partition_stamp stamp{
          .epoch_number = made_up.number, .epoch_id = made_up.id, .first = 1, .sequence = 1};
        EXPECT_TRUE (host.took (other, part.topic, stamp, "x")) << "it is to be advanced";
        settle ();
        EXPECT_TRUE (host.state (now, part).owned_here);
        EXPECT_EQ (current ().number, number_above (made_up.number));
    }
    const partition_letter again = hear_publish ();
    EXPECT_EQ (again.sequence, 1U) << "what was numbered is known";
    EXPECT_EQ ((epoch{again.epoch_number, again.epoch_id}), first);
}

TEST_F (PartitionHost, WhoOwnsBearsWhatIsNotAboveItsEpoch)
{
    hear (partition_kind::owner, {current ().number + 1, 5});
    settle ();
    const epoch ours = current ();
    for (const epoch &each : {ours, epoch{ours.number - 1, 5}, epoch{}})
        for (const partition_kind how :
             {partition_kind::owner, partition_kind::tail_wanted, partition_kind::tail})
            hear (how, each);
    EXPECT_EQ (current (), ours);
    EXPECT_TRUE (host.state (now, part).owned_here);
}

// One whose grantors have forgotten the number hears of it, and gets one above.
TEST_F (PartitionHost, WhoComesWithAnEpochThatIsRefusedHearsWhichOneIsKeptTo)
{
    const epoch ours = current ();
    for (const partition_kind how : {partition_kind::owner, partition_kind::tail_wanted}) {
        for (const epoch &refused : {epoch{ours.number, ours.id + 1}, epoch{}}) {
            tails.clear ();
            hear (how, refused);
            ASSERT_EQ (tails.size (), 1U);
            EXPECT_EQ (tails[0].first, other);
            EXPECT_EQ ((epoch{tails[0].second.epoch_number, tails[0].second.epoch_id}), ours);
            EXPECT_TRUE (tails[0].second.entries.empty ());
        }
    }
    tails.clear ();
    hear (partition_kind::owner, {ours.number + 1, 5});
    EXPECT_TRUE (tails.empty ());
}

// It would stand at the end of the log, in front of all that is true.
TEST_F (PartitionHost, ANewOwnerLearnsNothingOfEpochsThatAreNotBelowItsOwn)
{
    ASSERT_EQ (hear_publish ().outcome, wire::outcome_numbered);
    host.came (other);
    now += 2 * grant_lease_ns;
    (void)host.advance (now);
    const epoch wanted = asked.back ().of;
    settle ();
    ASSERT_FALSE (host.state (now, part).owned_here) << "it waits for what the other knows";
    for (const std::uint64_t number : {wanted.number, wanted.number + 1, UINT64_MAX / 2}) {
        std::vector<std::byte> entries;
        wire::append_partition_entry ({.epoch_number = number, .first = 50, .sequence = 50}, "made up",
                                      entries);
        partition_letter letter;
        letter.kind = partition_kind::tail;
        letter.topic = part.topic;
        letter.epoch_number = wanted.number;
        letter.epoch_id = wanted.id;
        letter.entries = entries;
        host.heard (now, other, letter);
    }
    now += learn_ns;
    settle ();
    ASSERT_TRUE (host.state (now, part).owned_here);
    EXPECT_EQ (host.state (now, part).tail, 1U);
}

TEST_F (PartitionHost, AnAnswerTellsNothingOfEpochsAboveThatOfWhoGivesIt)
{
    now += 2 * grant_lease_ns;
    (void)host.advance (now);  // its lease is over
    const epoch theirs{current ().number + 7, 99};
    hear (partition_kind::owner, theirs);
    ASSERT_TRUE (host.subscribe (part.topic, 77, read_from::sequence, 1));
    (void)host.advance (now);
    ASSERT_EQ (replays.size (), 1U);
    std::vector<std::byte> entries;
    for (const std::uint64_t number : {theirs.number, UINT64_MAX / 2, theirs.number})
        wire::append_partition_entry ({.epoch_number = number,
                                       .epoch_id = number == theirs.number ? theirs.id : 1,
                                       .first = 1,
                                       .sequence = entries.empty () ? 1U : 2U},
                                      "x", entries);
    partition_letter letter;
    letter.kind = partition_kind::replayed;
    letter.topic = part.topic;
    letter.token = replays[0].token;
    letter.epoch_number = theirs.number;
    letter.epoch_id = theirs.id;
    letter.first = 1;
    letter.sequence = 2;
    letter.entries = entries;
    letter.flags = wire::partition_flag_complete;
    host.heard (now, other, letter);
    ASSERT_EQ (events.size (), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ (events[i].what, reader_event::kind::message);
        EXPECT_EQ (events[i].entry.of, theirs);
        EXPECT_EQ (events[i].entry.sequence, i + 1);
    }
}

// Whoever says so may have made up who it is.
TEST_F (PartitionHost, WhoIsNotThereIsNotChosen)
{
    for (std::uint64_t node = other; node < other + 3 * partition_candidates_max; ++node)
        host.heard (now, node, declared ());
    settle ();
    EXPECT_TRUE (host.state (now, part).owned_here);
    std::uint64_t higher = other;
    while (owner_rank (part.topic, part.partition, higher) < owner_rank (part.topic, part.partition, self))
        ++higher;
    host.heard (now, higher, declared ());
    EXPECT_TRUE (host.state (now, part).owned_here);
    host.came (higher);
    settle ();
    EXPECT_FALSE (host.state (now, part).owned_here) << "it is there, and has said so before";
    host.gone (higher);
    settle ();
    EXPECT_TRUE (host.state (now, part).owned_here);
}

// --- who is chosen, and is silent ---

// Another node, which is chosen when it has declared the topic, or is not.
std::uint64_t rival (bool is_chosen)
{
    std::uint64_t id = other;
    while ((choose_owner (part.topic, part.partition, std::array{self, id}) == id) != is_chosen)
        ++id;
    return id;
}

struct PartitionRival : PartitionHost
{
    void declare (std::uint64_t node)
    {
        host.came (node);
        say_declared (node);
    }
    void say_declared (std::uint64_t node)
    {
        host.heard (now, node, declared ());
        settle ();
    }
    void say_owner (std::uint64_t node)
    {
        partition_letter letter;
        letter.topic = part.topic;
        letter.kind = partition_kind::owner;
        letter.epoch_number = current ().number + 1;
        letter.epoch_id = letter.first = 1;
        host.heard (now, node, letter);
        settle ();
    }
    void pass (base::time_ns span)
    {
        now += span;
        settle ();
    }
    // And to have learned what there was.
    void be_silent ()
    {
        pass (pass_over_ns);
        pass (learn_ns);
    }
    [[nodiscard]] bool owns () const { return host.state (now, part).owned_here; }
    [[nodiscard]] std::uint64_t owner () const { return host.state (now, part).owner; }
};

TEST_F (PartitionRival, IsPassedOverUntilItIsHeardAsOwner)
{
    const std::uint64_t chosen = rival (true);
    declare (chosen);
    EXPECT_FALSE (owns ());
    be_silent ();
    EXPECT_TRUE (owns ());
    say_owner (chosen);
    EXPECT_EQ (owner (), chosen);
    pass (pass_over_ns - 1);
    EXPECT_EQ (owner (), chosen);
    be_silent ();
    EXPECT_TRUE (owns ());
}

TEST_F (PartitionRival, IsPassedOverUntilItSaysThatItIsThere)
{
    const std::uint64_t chosen = rival (true);
    declare (chosen);
    be_silent ();
    EXPECT_TRUE (owns ());
    say_declared (chosen);
    EXPECT_FALSE (owns ());
}

TEST_F (PartitionRival, IsToldOfThoseThatMayOwnWhenItSaysSoForTheFirstTime)
{
    const std::uint64_t node = rival (false);
    host.came (node);
    declared_to.clear ();
    say_declared (node);
    say_declared (node);
    EXPECT_EQ (declared_to, std::vector<std::uint64_t>{node});
    EXPECT_TRUE (owns ());
}

TEST_F (PartitionRival, ThatOwnsWhatIsOursHearsThatWeAreHereOnceInAWhile)
{
    const std::uint64_t node = rival (false);
    declare (node);
    now += recall_again_ns;
    refuses = true;
    now += 2 * grant_lease_ns;  // as if it had stood still
    settle ();
    declared_to.clear ();
    say_owner (node);
    for (int second = 0; second < 9; ++second)
        pass (ns_per_s);
    EXPECT_EQ (declared_to, std::vector<std::uint64_t>{0});
    for (int second = 0; second < 2; ++second)
        pass (ns_per_s);
    EXPECT_EQ (declared_to, (std::vector<std::uint64_t>{0, 0}));
    refuses = false;
    for (int second = 0; second < 5; ++second)
        pass (ns_per_s);
    EXPECT_TRUE (owns ());
    EXPECT_EQ (declared_to.size (), 2U);
}

}  // namespace
}  // namespace zlink::service

#include "service/store_grantor.hpp"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/test_slots.hpp"
#include "service/votes_file.hpp"

namespace zlink::service {
namespace {

using base::store_outcome;
using wire::grant_message;
using wire::service_status;

constexpr base::time_ns lease = grant_lease_ns;
constexpr partition_ref part{"prices/a", 3};
constexpr std::uint64_t anna = 1, bert = 2;

struct set_clock final : base::clock
{
    base::time_ns now_ns () noexcept override { return now; }
    std::uint64_t ticks () noexcept override { return 0; }
    std::uint64_t ticks_per_us () const noexcept override { return 1; }
    base::time_ns now = 5 * lease;
};

// Visits wait until they are let in.
class waiting_store final : public base::record_store
{
  public:
    explicit waiting_store (test::shared_slots &in) : in_ (in) {}
    base::result<void> put (std::uint64_t, std::string_view, base::bytes_view) noexcept override
    {
        return base::errc::not_supported;
    }
    void drop (std::string_view) noexcept override {}
    base::result<void> visit (std::string_view slot,
                              base::time_ns lasts,
                              base::time_ns,
                              std::shared_ptr<base::slot_visitor> who) noexcept override
    {
        if (refuses)
            return base::errc::no_memory;
        waiting.emplace_back (std::string (slot), lasts, std::move (who));
        return {};
    }
    void let_in ()
    {
        for (const auto &[slot, lasts, who] : std::exchange (waiting, {}))
            who->done (away ? store_outcome::uncertain : in_.visit (slot, lasts, *who));
    }

    std::vector<std::tuple<std::string, base::time_ns, std::shared_ptr<base::slot_visitor>>> waiting;
    bool away = false, refuses = false;

  private:
    test::shared_slots &in_;
};

struct noting_log final : base::log_sink
{
    void take (const base::log_line &line) noexcept override { lines.emplace_back (line.text); }
    std::vector<std::string> lines;
};

// A registry, as far as it grants.
struct office
{
    office (set_clock &time, test::shared_slots &slots, base::log_sink *log = nullptr)
      : grants (time, log, lease, [this] { ++woken; }), store (slots)
    {
    }
    service_status send (std::string_view from, const grant_message &message)
    {
        std::vector<std::byte> octets;
        wire::encode_grant_message (message, octets);
        return grants.take (store, from, octets);
    }
    void claim (std::string_view from, const epoch &wanted, std::uint64_t holder)
    {
        const grant_question question{.round = ++rounds, .of = wanted};
        EXPECT_EQ (send (from, message_of (part, question, holder, true)), service_status::complete);
    }
    void give_back (std::string_view from, const epoch &of, std::uint64_t holder, std::uint64_t last)
    {
        const grant_question question{.is_release = true, .of = of, .knows_end = true, .last_sequence = last};
        EXPECT_EQ (send (from, message_of (part, question, holder, true)), service_status::complete);
    }
    // All that is told, by whom.
    std::map<std::string, grant_answer> turn ()
    {
        std::map<std::string, grant_answer> told;
        store.let_in ();
        grants.turn (store, [&] (std::string_view name, base::bytes_view octets) {
            grant_message read;
            EXPECT_EQ (wire::decode_grant_message (octets, read), service_status::complete);
            EXPECT_EQ (read.topic, part.topic);
            EXPECT_TRUE (told.emplace (name, answer_in (read)).second);
        });
        return told;
    }
    grant_answer ask (const epoch &wanted, std::uint64_t holder)
    {
        claim ("one", wanted, holder);
        return turn ()["one"];
    }

    int woken = 0;
    std::uint64_t rounds = 0;
    store_grantor grants;
    waiting_store store;
};

struct StoreGrantor : testing::Test
{
    [[nodiscard]] test::shared_slots::slot &slot () { return slots.all[slot_of (part)]; }
    set_clock time;
    test::shared_slots slots{time};
    office here{time, slots}, there{time, slots};
};

TEST_F (StoreGrantor, OfTwoThatShareAStoreOneGrantsAndTheOtherKnows)
{
    EXPECT_EQ (slot_of (part), "prices%2Fa/3");
    const grant_answer first = here.ask ({1, 10}, anna);
    EXPECT_EQ (first.fault, grant_fault::none) << "it need not wait behind its start";
    EXPECT_EQ (first.lease_ns, lease);
    EXPECT_EQ (first.highest, (epoch{1, 10}));
    EXPECT_TRUE (first.for_all);
    EXPECT_EQ (here.woken, 1);
    const grant_answer second = there.ask ({2, 20}, bert);
    EXPECT_EQ (second.fault, grant_fault::held);
    EXPECT_EQ (second.highest, (epoch{1, 10}));
    EXPECT_EQ (second.pause_ns, grant_renewal_of (lease));
    EXPECT_TRUE (second.for_all);
}

TEST_F (StoreGrantor, AnyOfThemRenewsAndTheRecordStaysAsItIs)
{
    ASSERT_EQ (here.ask ({1, 10}, anna).fault, grant_fault::none);
    const std::string record = slot ().record;
    time.now += lease / 2;
    EXPECT_EQ (there.ask ({1, 10}, anna).fault, grant_fault::none);
    EXPECT_EQ (slot ().record, record) << "so that only its lease is renewed";
    time.now += lease - 1;
    EXPECT_EQ (here.ask ({2, 20}, bert).fault, grant_fault::held);
    time.now += 1;
    EXPECT_EQ (here.ask ({1, 20}, bert).fault, grant_fault::stale) << "the number was granted";
    EXPECT_EQ (here.ask ({2, 20}, bert).fault, grant_fault::none);
    EXPECT_EQ (there.ask ({1, 10}, anna).fault, grant_fault::held);
    EXPECT_EQ (there.ask ({3, 30}, bert).fault, grant_fault::none) << "its own next one";
}

TEST_F (StoreGrantor, WhatIsGivenBackIsFreeAndItsEndIsKnown)
{
    ASSERT_EQ (here.ask ({1, 10}, anna).fault, grant_fault::none);
    there.give_back ("one", {1, 10}, bert, 7);
    there.give_back ("two", {2, 10}, anna, 7);
    EXPECT_TRUE (there.turn ().empty ());
    EXPECT_TRUE (slots.is_held (slot ())) << "that was nobody's to give back";
    there.give_back ("one", {1, 10}, anna, 77);
    EXPECT_TRUE (there.turn ().empty ()) << "nobody waits for an answer";
    const grant_answer next = here.ask ({2, 20}, bert);
    EXPECT_EQ (next.fault, grant_fault::none);
    EXPECT_EQ (next.before, (grant_end{{1, 10}, 77}));
    EXPECT_EQ (there.ask ({2, 20}, bert).before, (grant_end{{1, 10}, 77}));
}

TEST_F (StoreGrantor, WhoIsOvertakenDecidesAgain)
{
    here.claim ("one", {1, 10}, anna);
    slots.between = [this] { EXPECT_EQ (there.ask ({1, 20}, bert).fault, grant_fault::none); };
    const grant_answer answer = here.turn ()["one"];
    EXPECT_EQ (answer.fault, grant_fault::held);
    EXPECT_EQ (answer.highest, (epoch{1, 20}));
}

TEST_F (StoreGrantor, AStoreThatDoesNotAnswerGrantsNothingAndRenewsNothing)
{
    ASSERT_EQ (here.ask ({1, 10}, anna).fault, grant_fault::none);
    here.store.away = true;
    EXPECT_EQ (here.ask ({1, 10}, anna).fault, grant_fault::no_disk);
    EXPECT_TRUE (here.ask ({1, 10}, anna).for_all) << "another may reach it";
    EXPECT_EQ (there.ask ({1, 10}, anna).fault, grant_fault::none);
    here.store.refuses = true;
    here.claim ("one", {1, 10}, anna);
    EXPECT_TRUE (here.turn ().empty ());
    here.store.refuses = here.store.away = false;
    EXPECT_EQ (here.ask ({1, 10}, anna).fault, grant_fault::none);
}

TEST_F (StoreGrantor, OneQuestionIsAskedAtATimeAndTheLastOneNext)
{
    here.claim ("one", {1, 10}, anna);
    here.claim ("one", {2, 20}, anna);
    here.claim ("two", {5, 50}, bert);
    here.claim ("one", {3, 30}, anna);
    EXPECT_EQ (here.store.waiting.size (), 2U);
    auto told = here.turn ();
    EXPECT_EQ (told["one"].highest, (epoch{1, 10}));
    EXPECT_EQ (told["two"].fault, grant_fault::held);
    ASSERT_EQ (here.store.waiting.size (), 1U);
    told = here.turn ();
    EXPECT_EQ (told["one"].highest, (epoch{3, 30}));
    EXPECT_TRUE (here.turn ().empty ());
}

TEST_F (StoreGrantor, WhatIsNoQuestionIsSaidAndWhatIsNoRecordGrantsNothing)
{
    EXPECT_EQ (here.grants.take (here.store, "one", {}), service_status::malformed);
    EXPECT_EQ (here.send ("one", message_of (part, {.of = {0, 1}}, anna, false)), service_status::malformed);
    noting_log log;
    office careful (time, slots, &log);
    grant_voter other (0, lease);
    (void)other.claim (lease, {"another", 3}, {1, 1}, anna);
    for (const std::string &wrong : {std::string ("garbage"), votes_text (grant_voter (0, lease), 0, true),
                                     votes_text (other, lease, true)}) {
        slot ().record = wrong;
        EXPECT_EQ (careful.ask ({1, 10}, anna).fault, grant_fault::no_disk);
        EXPECT_EQ (slot ().record, wrong);
    }
    EXPECT_EQ (log.lines.size (), 1U) << "it is said once";
}

TEST_F (StoreGrantor, WhereTheRecordWasDeletedNothingIsGrantedBeforeTheLeaseIsOver)
{
    ASSERT_EQ (here.ask ({1, 10}, anna).fault, grant_fault::none);
    slot ().record.clear ();
    EXPECT_EQ (there.ask ({1, 20}, bert).fault, grant_fault::no_disk);
    EXPECT_EQ (here.ask ({1, 10}, anna).fault, grant_fault::no_disk) << "nor renewed, so that it ends";
    time.now += lease;
    EXPECT_EQ (there.ask ({2, 20}, bert).fault, grant_fault::none);
}

TEST_F (StoreGrantor, OneTooManyIsAskedWhenOthersHaveBeenAnswered)
{
    for (std::size_t i = 0; i < store_questions_max; ++i)
        here.claim (std::to_string (i), {1, 10}, anna);
    here.claim ("late", {1, 10}, anna);
    EXPECT_EQ (here.store.waiting.size (), store_questions_max);
    EXPECT_EQ (here.turn ().count ("late"), 0U);
    here.claim ("late", {1, 10}, anna);
    EXPECT_EQ (here.turn ()["late"].fault, grant_fault::none);
}

// Holders that ask any of three registries, which are replaced, over a store that comes and
// goes; leases run out by chance.
struct crowd
{
    explicit crowd (unsigned seed) : dice (seed)
    {
        for (int i = 0; i < 3; ++i)
            offices.push_back (std::make_unique<office> (time, slots));
    }
    // False: one number was granted to two.
    bool run ()
    {
        for (int step = 0; step < 400; ++step) {
            time.now += static_cast<base::time_ns> (dice () % 4) * lease / 8;
            const std::size_t which = dice () % 3;
            if (dice () % 16 == 0)
                offices[which] = std::make_unique<office> (time, slots);
            offices[which]->store.away = dice () % 8 == 0;
            if (dice () % 3 == 0)
                slots.between = [this] { visit (dice () % 3); };
            visit (which);
            if (!well)
                return false;
        }
        return true;
    }
    void visit (std::size_t which)
    {
        const std::uint64_t holder = 1 + dice () % 3;
        if (dice () % 8 == 0)
            offices[which]->give_back ("g", {highest, highest}, holder, 1);
        const std::uint64_t number = std::max<std::uint64_t> (highest + dice () % 2, 1);
        const epoch wanted{number, number};
        offices[which]->claim ("c" + std::to_string (holder), wanted, holder);
        for (const auto &[who, answer] : offices[which]->turn ())
            if (answer.fault == grant_fault::none) {
                const std::uint64_t whose = std::stoull (who.substr (1));
                well = well && owners.emplace (answer.highest.number, whose).first->second == whose;
                highest = std::max (highest, answer.highest.number);
            }
    }

    std::mt19937 dice;
    set_clock time;
    test::shared_slots slots{time};
    std::vector<std::unique_ptr<office>> offices;
    std::map<std::uint64_t, std::uint64_t> owners;
    std::uint64_t highest = 0;
    bool well = true;
};

TEST (StoreGrantorProperty, NoNumberIsGrantedToTwo)
{
    std::size_t epochs = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        crowd all (seed);
        ASSERT_TRUE (all.run ()) << "seed " << seed;
        epochs += all.owners.size ();
    }
    EXPECT_GT (epochs, 1'000U);
}

TEST (StoreGrantorProperty, TheCheckFindsAStoreThatDoesNotCompare)
{
    bool found = false;
    for (unsigned seed = 1; seed <= 100 && !found; ++seed) {
        crowd all (seed);
        all.slots.compares = false;
        found = !all.run ();
    }
    EXPECT_TRUE (found);
}

}  // namespace
}  // namespace zlink::service

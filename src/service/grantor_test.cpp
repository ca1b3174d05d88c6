#include "service/grantor.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/votes_file.hpp"

namespace zlink::service {
namespace {

using base::ns_per_ms;
using wire::grant_message;
using wire::service_status;

constexpr base::time_ns lease = grant_lease_ns;
constexpr partition_ref part{"prices", 3};
constexpr std::uint64_t anna = 1, bert = 2;

struct Grantor : testing::Test
{
    service_status send (base::time_ns now, const grant_message &message)
    {
        std::vector<std::byte> octets;
        wire::encode_grant_message (message, octets);
        answered.clear ();
        return books.take (now, who, octets, answered);
    }
    grant_answer ask (base::time_ns now, const epoch &wanted, std::uint64_t holder, bool several = false)
    {
        grant_question question;
        question.of = wanted;
        question.round = 5;
        EXPECT_EQ (send (now, message_of (part, question, holder, several)), service_status::complete);
        EXPECT_EQ (wire::decode_grant_message (answered, read), service_status::complete);
        EXPECT_EQ (read.round, 5U);
        EXPECT_EQ (read.topic, part.topic);
        EXPECT_EQ (read.partition, part.partition);
        return answer_in (read);
    }
    // Tells who waits; answers of whom.
    std::vector<std::string> write (bool well)
    {
        std::vector<std::string> names;
        books.end_writing (well, [&] (std::string_view name, base::bytes_view octets) {
            names.emplace_back (name);
            EXPECT_EQ (wire::decode_grant_message (octets, read), wire::service_status::complete);
        });
        return names;
    }
    grantor books{0, lease};
    std::string who = "a";
    std::vector<std::byte> answered;
    grant_message read;
};

TEST_F (Grantor, AnswersAsTheVoterDecides)
{
    grant_answer answer = ask (lease / 2 + 1, {1, 10}, anna);
    EXPECT_EQ (answer.fault, grant_fault::settling);
    EXPECT_EQ (answer.pause_ns, lease / 2) << "never shorter than it is";
    answer = ask (lease, {1, 10}, anna);
    EXPECT_EQ (answer.fault, grant_fault::none);
    EXPECT_EQ (answer.lease_ns, lease);
    EXPECT_EQ (answer.highest, (epoch{1, 10}));
    EXPECT_EQ (answer.before.of.number, 0U);
    EXPECT_EQ (ask (lease, {2, 20}, bert).fault, grant_fault::held);

    grant_question back;
    back.is_release = true;
    back.of = {1, 10};
    back.knows_end = true;
    back.last_sequence = 77;
    EXPECT_EQ (send (lease, message_of (part, back, anna, false)), service_status::complete);
    EXPECT_TRUE (answered.empty ());
    answer = ask (lease, {2, 20}, bert);
    EXPECT_EQ (answer.fault, grant_fault::none);
    EXPECT_EQ (answer.before, (grant_end{{1, 10}, 77}));
    EXPECT_EQ (books.size (), 1U);
}

TEST_F (Grantor, WithoutARecordItIsNoVoterAmongSeveral)
{
    EXPECT_EQ (ask (lease, {1, 10}, anna, true).fault, grant_fault::no_disk);
    EXPECT_EQ (books.size (), 0U);
}

using names = std::vector<std::string>;

TEST_F (Grantor, WithARecordAVoteIsToldWhenItIsWritten)
{
    books.keep_record ();
    grant_question question{.round = 7, .of = {1, 10}};
    const grant_message claim = message_of (part, question, anna, true);
    EXPECT_EQ (send (lease, claim), service_status::complete);
    EXPECT_TRUE (answered.empty ());
    EXPECT_TRUE (books.has_unwritten ());
    std::string text = books.begin_writing (lease);
    EXPECT_FALSE (books.has_unwritten ());
    // Who asks again before it is known waits for the next one.
    EXPECT_EQ (send (lease, claim), service_status::complete);
    EXPECT_TRUE (answered.empty ());
    EXPECT_TRUE (books.has_unwritten ());
    EXPECT_EQ (write (true), names{"a"});
    EXPECT_EQ (answer_in (read).fault, grant_fault::none);
    EXPECT_EQ (read.round, 7U);
    EXPECT_EQ (answer_in (read).highest, (epoch{1, 10}));
    EXPECT_EQ (ask (lease, {1, 10}, anna, true).fault, grant_fault::none) << "a renewal is not written";
    EXPECT_EQ (ask (lease, {2, 20}, bert, true).fault, grant_fault::held) << "nor is a refusal";
    (void)books.begin_writing (lease);
    EXPECT_EQ (write (true), names{"a"});
    EXPECT_TRUE (write (true).empty ());

    grant_voter next (0, lease);
    EXPECT_EQ (read_votes (text, next), nullptr);
    EXPECT_EQ (next.claim (0, part, {1, 10}, anna).fault, grant_fault::none);
    EXPECT_EQ (next.claim (lease, part, {1, 11}, bert).fault, grant_fault::stale);
}

TEST_F (Grantor, AVoteThatCannotBeWrittenIsRefusedAndMayBeAskedForAgain)
{
    books.keep_record ();
    grant_question question{.round = 7, .of = {1, 10}};
    const grant_message claim = message_of (part, question, anna, true);
    EXPECT_EQ (send (lease, claim), service_status::complete);
    who = "b";
    EXPECT_EQ (send (lease, claim), service_status::complete);
    EXPECT_EQ (send (lease, claim), service_status::complete);
    (void)books.begin_writing (lease);
    EXPECT_EQ (write (false), (names{"a", "b"}));
    EXPECT_EQ (answer_in (read).fault, grant_fault::no_disk);
    EXPECT_EQ (send (lease, claim), service_status::complete);
    EXPECT_TRUE (answered.empty ()) << "it is not written yet";
    (void)books.begin_writing (lease);
    EXPECT_EQ (write (true), names{"b"});
    EXPECT_EQ (answer_in (read).fault, grant_fault::none);
}

TEST_F (Grantor, WhatIsNoQuestionIsMalformed)
{
    grant_message message = message_of (part, {}, anna, false);
    EXPECT_EQ (send (lease, message), service_status::malformed) << "an epoch of number 0 is none";
    message.epoch_number = 1;
    message.holder = 0;
    EXPECT_EQ (send (lease, message), service_status::malformed);
    message.holder = anna;
    message.kind = wire::grant_kind::answer;
    EXPECT_EQ (send (lease, message), service_status::malformed);
    EXPECT_EQ (books.take (lease, who, base::as_bytes ("G"), answered), service_status::malformed);
    EXPECT_TRUE (answered.empty ());
}

}  // namespace
}  // namespace zlink::service

#include "service/spot_batch.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace zlink::service {
namespace {

// As a node reads them: topic and body one behind the other.
class read_memory
{
  public:
    read_memory () { memory_.clear (); }
    spot_plain write (std::string_view topic, std::uint64_t number, std::string_view body)
    {
        std::byte *const begin = memory_.room.data () + at_;
        std::memcpy (begin, topic.data (), topic.size ());
        std::memcpy (begin + topic.size (), body.data (), body.size ());
        at_ += topic.size () + body.size ();
        spot_plain made;
        made.topic = {reinterpret_cast<const char *> (begin), topic.size ()};
        made.body = {begin + topic.size (), body.size ()};
        made.publisher = 7;
        made.number = number;
        return made;
    }
    [[nodiscard]] std::size_t at () const noexcept { return at_; }
    [[nodiscard]] std::vector<std::byte> &bytes () noexcept { return memory_.room; }
    [[nodiscard]] spot_memory &memory () noexcept { return memory_; }

  private:
    spot_memory memory_;
    std::size_t at_ = 0;
};

base::bytes_view none;  // nothing is left that goes on

TEST (SpotBatch, AnswersWhatWasReadWhereItStands)
{
    read_memory from;
    spot_batch batch;
    EXPECT_TRUE (batch.empty ());
    const spot_plain first = from.write ("heat", 1, "warm");
    const spot_plain second = from.write ("cold", 2, "");
    for (const spot_plain *each : {&first, &second}) {
        ASSERT_TRUE (batch.ready ());
        batch.add (*each);
    }
    batch.trade (from.memory (), {}, none);
    std::memset (from.bytes ().data (), 'x', from.at ());
    const spot_plain *got = batch.next ();
    ASSERT_NE (got, nullptr);
    EXPECT_EQ (got->topic, "heat");
    EXPECT_EQ (base::as_text (got->body), "warm");
    EXPECT_EQ (got->body.data (), first.body.data ()) << "it was copied";
    EXPECT_EQ (got->publisher, 7U);
    EXPECT_EQ (got->number, 1U);
    got = batch.next ();
    ASSERT_NE (got, nullptr);
    EXPECT_EQ (got->topic, "cold");
    EXPECT_TRUE (got->body.empty ());
    EXPECT_EQ (batch.next (), nullptr);
    EXPECT_TRUE (batch.empty ());
}

TEST (SpotBatch, LeavesWhatIsStillToBeHandedOut)
{
    read_memory from;
    spot_batch batch;
    const spot_plain mine = from.write ("a", 1, "mine");
    const std::size_t left_at = from.at ();
    const std::byte *const stood_at = from.bytes ().data () + left_at;
    const spot_plain others = from.write ("b", 2, "others");
    ASSERT_TRUE (batch.ready ());
    batch.add (mine);
    std::array<base::bytes_view, 1> left{base::bytes_view (stood_at, 1 + others.body.size ())};
    batch.trade (from.memory (), left, none);
    EXPECT_EQ (left[0].data (), from.bytes ().data () + left_at);
    EXPECT_NE (left[0].data (), stood_at);
    EXPECT_EQ (base::as_text (left[0]), "bothers");
    const spot_plain *got = batch.next ();
    ASSERT_NE (got, nullptr);
    EXPECT_EQ (base::as_text (got->body), "mine");
    EXPECT_EQ (batch.next (), nullptr);
    const spot_plain next = from.write ("c", 3, "next");
    ASSERT_TRUE (batch.ready ());
    batch.add (next);
    batch.trade (from.memory (), {}, none);
    got = batch.next ();
    ASSERT_NE (got, nullptr);
    EXPECT_EQ (base::as_text (got->body), "next");
    EXPECT_EQ (batch.next (), nullptr) << "the ones before came once more";
}

TEST (SpotBatch, LeavesTheFrontOfARowForWhatGoesOnInIt)
{
    read_memory from;
    spot_batch batch;
    auto elsewhere = std::make_shared<std::string> ("goes on");
    from.memory ().holds[0] = elsewhere;
    from.memory ().held = 1;
    const spot_plain first = from.write ("front", 1, "mine");
    ASSERT_TRUE (batch.ready ());
    batch.add (first);
    base::bytes_view front = base::as_bytes (first.topic);
    std::array<base::bytes_view, 1> left{base::as_bytes (*elsewhere)};
    batch.trade (from.memory (), left, front);
    EXPECT_EQ (base::as_text (front), "front");
    EXPECT_EQ (front.data (), from.bytes ().data ()) << "it is the batch's";
    EXPECT_EQ (base::as_text (left[0]), "goes on");
    const spot_plain *const got = batch.next ();
    ASSERT_NE (got, nullptr);
    EXPECT_EQ (got->topic, "front");
    EXPECT_EQ (elsewhere.use_count (), 3);
}

TEST (SpotBatch, HoldsWhatItDoesNotHave)
{
    read_memory from;
    spot_batch batch;
    auto elsewhere = std::make_shared<std::string> ("minetheirs");
    const base::bytes_view there = base::as_bytes (*elsewhere);
    from.memory ().holds[0] = elsewhere;
    from.memory ().held = 1;
    ASSERT_TRUE (batch.ready ());
    batch.add ({.topic = "a", .body = there.first (4)});
    std::array<base::bytes_view, 1> left{there.subspan (4)};
    batch.trade (from.memory (), left, none);
    EXPECT_EQ (left[0].data (), there.data () + 4) << "it was copied";
    EXPECT_EQ (elsewhere.use_count (), 3) << "both hold it";
    const spot_plain *const got = batch.next ();
    ASSERT_NE (got, nullptr);
    EXPECT_EQ (base::as_text (got->body), "mine");
    EXPECT_EQ (elsewhere.use_count (), 3) << "what was answered is looked at";
    EXPECT_EQ (batch.next (), nullptr);
    EXPECT_EQ (elsewhere.use_count (), 2);
    from.memory ().clear ();
    EXPECT_EQ (elsewhere.use_count (), 1);
}

TEST (SpotBatch, IsFullUntilAllIsAnswered)
{
    read_memory from;
    spot_batch batch;
    const spot_plain one = from.write ("a", 1, "");
    for (std::size_t i = 0; i < spot_batch_messages; ++i) {
        EXPECT_FALSE (batch.full ());
        ASSERT_TRUE (batch.ready ());
        batch.add (one);
    }
    EXPECT_TRUE (batch.full ());
    while (batch.next () != nullptr)
        EXPECT_EQ (batch.full (), !batch.empty ());
    EXPECT_FALSE (batch.full ());
    EXPECT_TRUE (batch.ready ());
}

}  // namespace
}  // namespace zlink::service

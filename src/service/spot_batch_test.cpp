#include "service/spot_batch.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace zlink::service {
namespace {

// As a node reads them: topic and body one behind the other.
class read_memory
{
  public:
    read_memory () : bytes_ (spot_batch_bytes) {}
    spot_item write (std::string_view topic, std::uint64_t number, std::string_view body)
    {
        std::byte *const begin = bytes_.data () + at_;
        std::memcpy (begin, topic.data (), topic.size ());
        std::memcpy (begin + topic.size (), body.data (), body.size ());
        at_ += topic.size () + body.size ();
        spot_item made;
        made.topic = {reinterpret_cast<const char *> (begin), topic.size ()};
        made.body = {begin + topic.size (), body.size ()};
        made.publisher = 7;
        made.number = number;
        return made;
    }
    [[nodiscard]] std::size_t at () const noexcept { return at_; }
    [[nodiscard]] std::vector<std::byte> &bytes () noexcept { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
    std::size_t at_ = 0;
};

TEST (SpotBatch, AnswersWhatWasReadWhereItStands)
{
    read_memory from;
    spot_batch batch;
    EXPECT_TRUE (batch.empty ());
    const spot_item first = from.write ("heat", 1, "warm");
    const spot_item second = from.write ("cold", 2, "");
    for (const spot_item *each : {&first, &second}) {
        ASSERT_TRUE (batch.ready ());
        batch.add (*each);
    }
    batch.trade (from.bytes (), 0, 0);
    std::memset (from.bytes ().data (), 'x', from.at ());
    spot_item got;
    ASSERT_TRUE (batch.next (got));
    EXPECT_EQ (got.topic, "heat");
    EXPECT_EQ (base::as_text (got.body), "warm");
    EXPECT_EQ (got.body.data (), first.body.data ()) << "it was copied";
    EXPECT_EQ (got.publisher, 7U);
    EXPECT_EQ (got.number, 1U);
    EXPECT_EQ (got.gap, spot_gap::none);
    ASSERT_TRUE (batch.next (got));
    EXPECT_EQ (got.topic, "cold");
    EXPECT_TRUE (got.body.empty ());
    EXPECT_FALSE (batch.next (got));
    EXPECT_TRUE (batch.empty ());
}

TEST (SpotBatch, LeavesWhatIsStillToBeHandedOut)
{
    read_memory from;
    spot_batch batch;
    const spot_item mine = from.write ("a", 1, "mine");
    const std::size_t left_at = from.at ();
    const spot_item others = from.write ("b", 2, "others");
    ASSERT_TRUE (batch.ready ());
    batch.add (mine);
    batch.trade (from.bytes (), left_at, from.at () - left_at);
    EXPECT_NE (from.bytes ().data () + left_at + 1, others.body.data ());
    EXPECT_EQ (std::memcmp (from.bytes ().data () + left_at, "bothers", 7), 0);
    spot_item got;
    ASSERT_TRUE (batch.next (got));
    EXPECT_EQ (base::as_text (got.body), "mine");
    EXPECT_FALSE (batch.next (got));
    const spot_item next = from.write ("c", 3, "next");
    ASSERT_TRUE (batch.ready ());
    batch.add (next);
    batch.trade (from.bytes (), 0, 0);
    ASSERT_TRUE (batch.next (got));
    EXPECT_EQ (base::as_text (got.body), "next");
    EXPECT_FALSE (batch.next (got)) << "the ones before came once more";
}

}  // namespace
}  // namespace zlink::service

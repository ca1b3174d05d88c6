#include "service/spot_beginning.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace zlink::service {
namespace {

std::vector<std::byte>
written (std::string_view topic, std::uint64_t publisher, std::uint64_t number, std::string_view body)
{
    std::vector<std::byte> made;
    wire::append_spot_opening (made, topic, {.publisher = publisher, .number = number});
    const base::bytes_view octets = base::as_bytes (body);
    made.insert (made.end (), octets.begin (), octets.end ());
    return made;
}

spot_plain item_of (std::string_view topic, std::uint64_t publisher)
{
    spot_plain made;
    made.topic = topic;
    made.publisher = publisher;
    return made;
}

TEST (SpotBeginning, ShowsAnotherOfTheSameTopicAndPublisher)
{
    spot_beginning known;
    spot_plain got;
    const auto first = written ("heat", 7, 1, "warm");
    EXPECT_FALSE (known.known (0)) << "none was kept";
    known.keep (first, item_of ("heat", 7), 5);
    ASSERT_TRUE (known.known (5));
    for (const std::string_view body : {"colder", ""}) {
        const auto another = written ("heat", 7, 0x0102030405060708, body);
        ASSERT_TRUE (known.holds (another, got));
        EXPECT_EQ (got.topic, "heat");
        EXPECT_EQ (got.publisher, 7U);
        EXPECT_EQ (got.number, 0x0102030405060708U);
        EXPECT_EQ (base::as_text (got.body), body);
    }
}

TEST (SpotBeginning, HoldsForNoOther)
{
    spot_beginning known;
    spot_plain got;
    known.keep (written ("heat", 7, 1, ""), item_of ("heat", 7), 5);
    EXPECT_FALSE (known.known (6)) << "something has changed";
    EXPECT_FALSE (known.holds (written ("heat", 8, 2, ""), got)) << "another publisher";
    EXPECT_FALSE (known.holds (written ("heaT", 7, 2, ""), got)) << "another topic";
    EXPECT_FALSE (known.holds (written ("heats", 7, 2, ""), got)) << "a longer topic";
    std::vector<std::byte> parts;
    wire::append_spot_opening (parts, "heat", {.flags = wire::spot_flag_parts, .publisher = 7});
    EXPECT_FALSE (known.holds (parts, got)) << "its body is elsewhere";
    std::vector<std::byte> cut = written ("heat", 7, 2, "");
    cut.pop_back ();
    EXPECT_FALSE (known.holds (cut, got)) << "it is not whole";
    known.forget ();
    EXPECT_FALSE (known.known (5));
}

TEST (SpotBeginning, TellsARowFromOneThatStandsAlone)
{
    spot_beginning known;
    spot_plain got;
    std::vector<std::byte> row;
    wire::append_spot_opening (row, "heat", {.flags = wire::spot_flag_row, .publisher = 7, .number = 1});
    known.keep (row, item_of ("heat", 7), 5);
    EXPECT_TRUE (known.is_row ());
    EXPECT_TRUE (known.holds (row, got));
    EXPECT_FALSE (known.holds (written ("heat", 7, 2, ""), got));
}

}  // namespace
}  // namespace zlink::service

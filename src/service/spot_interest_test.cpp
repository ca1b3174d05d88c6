#include "service/spot_interest.hpp"

#include <string>

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

using base::errc;

std::size_t count_of (spot_interest &in, std::string_view topic)
{
    std::span<spot_interested *const> chosen;
    EXPECT_TRUE (in.choose (base::as_bytes (std::string (topic) + '\0'), chosen));
    return chosen.size ();
}

TEST (SpotInterest, IsInATopicAPrefixOrAPattern)
{
    spot_interest in;
    spot_interested one, two, three;
    ASSERT_TRUE (in.add (spot_match::exact, "room.a", one).ok ());
    ASSERT_TRUE (in.add (spot_match::prefix, "room.", two).ok ());
    ASSERT_TRUE (in.add (spot_match::glob, "*.a", three).ok ());
    EXPECT_EQ (count_of (in, "room.a"), 3u);
    EXPECT_EQ (count_of (in, "room.ab"), 1u);
    EXPECT_EQ (count_of (in, "hall.a"), 1u);
    EXPECT_EQ (count_of (in, "room"), 0u);
    ASSERT_TRUE (in.add (spot_match::prefix, "", one).ok ());
    EXPECT_EQ (count_of (in, "room"), 1u);
    EXPECT_EQ (count_of (in, "room.a"), 3u);
}

TEST (SpotInterest, OfOneCountsOnceHoweverManyMatch)
{
    spot_interest in;
    spot_interested one;
    ASSERT_TRUE (in.add (spot_match::exact, "a.b", one).ok ());
    ASSERT_TRUE (in.add (spot_match::prefix, "a", one).ok ());
    ASSERT_TRUE (in.add (spot_match::glob, "a.*", one).ok ());
    ASSERT_TRUE (in.add (spot_match::glob, "a.#", one).ok ());
    EXPECT_EQ (count_of (in, "a.b"), 1u);
}

TEST (SpotInterest, AddsUpAndIsTakenBackOneByOne)
{
    spot_interest in;
    spot_interested one;
    for (const spot_match how : {spot_match::exact, spot_match::prefix, spot_match::glob}) {
        ASSERT_TRUE (in.add (how, "a", one).ok ());
        ASSERT_TRUE (in.add (how, "a", one).ok ());
        EXPECT_TRUE (in.remove (how, "a", one));
        EXPECT_EQ (count_of (in, "a"), 1u);
        EXPECT_TRUE (in.remove (how, "a", one));
        EXPECT_EQ (count_of (in, "a"), 0u);
        EXPECT_FALSE (in.remove (how, "a", one));
    }
    EXPECT_EQ (in.size (), 0u);
}

TEST (SpotInterest, EndsWithWhoHadIt)
{
    spot_interest in;
    spot_interested one, two;
    for (spot_interested *const each : {&one, &two}) {
        ASSERT_TRUE (in.add (spot_match::exact, "a", *each).ok ());
        ASSERT_TRUE (in.add (spot_match::prefix, "a", *each).ok ());
        ASSERT_TRUE (in.add (spot_match::glob, "a*", *each).ok ());
    }
    EXPECT_EQ (count_of (in, "a"), 2u);
    in.remove_all (one);
    EXPECT_EQ (count_of (in, "a"), 1u);
    in.remove_all (two);
    EXPECT_EQ (count_of (in, "a"), 0u);
    EXPECT_EQ (in.size (), 0u);
}

TEST (SpotInterest, RefusesWhatIsNone)
{
    spot_interest in;
    spot_interested one;
    using namespace std::string_view_literals;
    EXPECT_EQ (in.add (spot_match::exact, "", one).code (), errc::invalid_argument);
    EXPECT_EQ (in.add (spot_match::exact, "a\0b"sv, one).code (), errc::invalid_argument);
    EXPECT_EQ (in.add (spot_match::prefix, std::string (256, 'a'), one).code (), errc::invalid_argument);
    EXPECT_EQ (in.add (spot_match::glob, "[a", one).code (), errc::invalid_argument);
    EXPECT_EQ (in.size (), 0u);
}

TEST (SpotInterest, OfManyIsFoundAmongMany)
{
    spot_interest in;
    std::vector<spot_interested> all (1000);
    for (std::size_t i = 0; i < all.size (); ++i)
        ASSERT_TRUE (in.add (spot_match::exact, "topic." + std::to_string (i), all[i]).ok ());
    for (std::size_t i = 0; i < all.size (); ++i) {
        std::span<spot_interested *const> chosen;
        ASSERT_TRUE (in.choose (base::as_bytes ("topic." + std::to_string (i) + '\0'), chosen));
        ASSERT_EQ (chosen.size (), 1u);
        EXPECT_EQ (chosen.front (), &all[i]);
    }
}

}  // namespace
}  // namespace zlink::service

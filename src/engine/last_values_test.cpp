#include "engine/last_values.hpp"

#include <string_view>

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

using base::as_bytes;
using base::as_text;
using base::bytes_view;
using outcome = last_values::outcome;

// A message of several parts.
struct made
{
    explicit made (std::initializer_list<std::string_view> texts)
    {
        for (const std::string_view text : texts) {
            base::message part;
            EXPECT_TRUE (part.init_copy (as_bytes (text)).ok ());
            parts.push_back (part);
        }
        for (std::size_t i = 0; i + 1 < parts.size (); ++i)
            parts[i].set_more (true);
    }
    ~made ()
    {
        for (base::message &each : parts)
            each.close ();
    }
    made (const made &) = delete;
    made &operator= (const made &) = delete;
    std::vector<base::message> parts;
};

struct kept_values : testing::Test
{
    kept_values () { all.set_limits (100, 1 << 20); }
    outcome keep (std::string_view topic, std::string_view body)
    {
        return all.keep (made{topic, body}.parts);
    }
    // The bodies of those that begin so, in their order.
    std::string found (std::string_view beginning)
    {
        auto values = all.find (as_bytes (beginning), [] (bytes_view) { return true; });
        EXPECT_TRUE (values.ok ());
        std::string text;
        for (const last_values::value *each : values.value ()) {
            EXPECT_TRUE (each->parts.front ().more ());
            EXPECT_FALSE (each->parts.back ().more ());
            text += as_text (each->parts.back ().view ());
        }
        return text;
    }
    last_values all;
};

TEST_F (kept_values, are_the_newest_in_the_order_of_sending)
{
    EXPECT_EQ (found (""), "");
    for (const auto &[topic, body] :
         {std::pair ("b", "1"), std::pair ("a", "2"), std::pair ("ab", "3"), std::pair ("b", "4")})
        EXPECT_EQ (keep (topic, body), outcome::kept);
    EXPECT_EQ (all.size (), 3U);
    EXPECT_EQ (found (""), "234");
    EXPECT_EQ (found ("a"), "23");
    EXPECT_EQ (found ("ab"), "3");
    EXPECT_EQ (found ("abc"), "");
    all.forget (as_bytes ("a"));
    all.forget (as_bytes ("none"));
    EXPECT_EQ (found (""), "34");
}

TEST_F (kept_values, are_looked_for_by_topic)
{
    EXPECT_EQ (keep ("a.x", "1"), outcome::kept);
    EXPECT_EQ (keep ("a.y", "2"), outcome::kept);
    auto some = all.find (as_bytes ("a."), [] (bytes_view topic) { return as_text (topic) == "a.y"; });
    ASSERT_TRUE (some.ok ());
    ASSERT_EQ (some.value ().size (), 1U);
    EXPECT_EQ (as_text (some.value ().front ()->parts.back ().view ()), "2");
}

TEST_F (kept_values, of_more_topics_than_the_limit_are_left_out)
{
    all.set_limits (2, 1 << 20);
    EXPECT_EQ (keep ("a", "1"), outcome::kept);
    EXPECT_EQ (keep ("b", "2"), outcome::kept);
    EXPECT_EQ (keep ("c", "3"), outcome::full);
    EXPECT_EQ (keep ("a", "4"), outcome::kept);
    EXPECT_EQ (found (""), "24");
    all.set_limits (1, 1 << 20);
    EXPECT_EQ (all.size (), 1U);
    all.set_limits (0, 1 << 20);
    EXPECT_EQ (all.size (), 0U);
    EXPECT_EQ (all.bytes (), 0U);
}

// What is too large takes the older one of its topic along: that is not the last.
TEST_F (kept_values, above_the_bytes_leave_nothing_older_behind)
{
    EXPECT_EQ (keep ("a", "1"), outcome::kept);
    const std::size_t one = all.bytes ();
    EXPECT_EQ (one, 2 * sizeof (base::message) + 3);
    EXPECT_EQ (keep ("b", "2"), outcome::kept);
    all.set_limits (100, 2 * one);
    EXPECT_EQ (keep ("a", "3"), outcome::kept);
    EXPECT_EQ (keep ("a", "too large"), outcome::full);
    EXPECT_EQ (found (""), "2");
    EXPECT_EQ (all.bytes (), one);
    EXPECT_EQ (keep ("a", "4"), outcome::kept);
    EXPECT_EQ (found (""), "24");
}

TEST_F (kept_values, share_bodies_of_ours_and_copy_others)
{
    int released = 0;
    std::string text (1000, 'x');
    {
        made message{"topic", std::string (1000, 'o')};
        EXPECT_EQ (all.keep (message.parts), outcome::kept);
        EXPECT_EQ (message.parts.back ().shared_body ()->references.load (), 2U);
        base::message adopted;
        const auto count = [] (void *, void *hint) { ++*static_cast<int *> (hint); };
        ASSERT_TRUE (adopted.init_adopt (text.data (), text.size (), count, &released).ok ());
        message.parts.back ().close ();
        message.parts.back () = adopted;
        EXPECT_EQ (all.keep (message.parts), outcome::kept);
        EXPECT_EQ (released, 0);
    }
    EXPECT_EQ (released, 1);
    EXPECT_EQ (found ("topic"), text);
}

}  // namespace
}  // namespace zlink::engine

#include "engine/backlog.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

using base::as_bytes;
using base::as_text;
using texts = std::vector<std::string>;
using outcome = backlog::outcome;

outcome add (backlog &to, const texts &message, bool by_topic, std::uint64_t missed = 0)
{
    std::vector<base::message> parts (message.size ());
    for (std::size_t i = 0; i < message.size (); ++i) {
        EXPECT_TRUE (parts[i].init_copy (as_bytes (message[i])).ok ());
        parts[i].set_more (i + 1 < message.size ());
    }
    const outcome done = to.add (parts, by_topic, missed);
    for (base::message &part : parts)
        EXPECT_EQ (part.size (), 0U) << "taken over";
    return done;
}

texts front_of (backlog &from)
{
    texts all;
    for (const base::message &part : from.front ())
        all.emplace_back (as_text (part.view ()));
    return all;
}

texts take (backlog &from)
{
    texts all = front_of (from);
    from.pop_front ();
    return all;
}

const std::string large (100'000, 'x');

TEST (backlog, gives_messages_back_in_order)
{
    byte_budget account;
    {
        backlog some (&account);
        EXPECT_TRUE (some.empty ());
        EXPECT_EQ (add (some, {"a", "1"}, false), outcome::added);
        EXPECT_EQ (add (some, {"a", large}, false), outcome::added);
        EXPECT_EQ (add (some, {""}, false), outcome::added);
        EXPECT_EQ (some.messages (), 3);
        EXPECT_EQ (some.bytes (), 3 + large.size ());
        EXPECT_EQ (account.used (), static_cast<std::int64_t> (some.bytes ()));
        EXPECT_EQ (some.front_bytes (), 2U);
        EXPECT_EQ (take (some), (texts{"a", "1"}));
        EXPECT_EQ (take (some), (texts{"a", large}));
        EXPECT_EQ (take (some), (texts{""}));
        EXPECT_TRUE (some.empty ());
        EXPECT_EQ (some.bytes (), 0U);
        EXPECT_EQ (add (some, {"left"}, false), outcome::added);
    }
    EXPECT_EQ (account.used (), 0) << "what was left is given back";
}

TEST (backlog, by_topic_the_newest_stands_where_the_older_one_was)
{
    backlog some (nullptr);
    EXPECT_EQ (add (some, {"a", "1"}, true), outcome::added);
    EXPECT_EQ (add (some, {"b", "1"}, true), outcome::added);
    EXPECT_EQ (add (some, {"a", large, "more"}, true), outcome::replaced);
    EXPECT_EQ (add (some, {"ab"}, true), outcome::added);
    EXPECT_EQ (add (some, {"a", "3"}, true), outcome::replaced);
    EXPECT_EQ (some.messages (), 3);
    EXPECT_EQ (some.bytes (), 6U);
    EXPECT_EQ (take (some), (texts{"a", "3"}));
    EXPECT_EQ (add (some, {"b", "2"}, true), outcome::replaced);
    EXPECT_EQ (add (some, {"a", "4"}, true), outcome::added) << "the last one has gone";
    EXPECT_EQ (take (some), (texts{"b", "2"}));
    EXPECT_EQ (take (some), (texts{"ab"}));
    EXPECT_EQ (take (some), (texts{"a", "4"}));
}

TEST (backlog, a_message_that_was_looked_at_is_not_replaced_any_more)
{
    backlog some (nullptr);
    EXPECT_EQ (add (some, {large}, true), outcome::added);
    EXPECT_EQ (front_of (some), (texts{large}));
    EXPECT_EQ (add (some, {large}, true), outcome::added);
    EXPECT_EQ (add (some, {large}, true), outcome::replaced);
    EXPECT_EQ (some.messages (), 2);
}

// What was given up is missing before what comes next.
// The rule may change while something waits.
TEST (backlog, none_is_replaced_that_another_of_its_topic_is_behind)
{
    backlog some (nullptr);
    EXPECT_EQ (add (some, {"a", "1"}, true), outcome::added);
    EXPECT_EQ (add (some, {"b", "1"}, true), outcome::added);
    EXPECT_EQ (add (some, {"a", "2"}, false), outcome::added);
    EXPECT_EQ (add (some, {"a", "3"}, true), outcome::added);
    EXPECT_EQ (add (some, {"b", "2"}, true), outcome::replaced);
    EXPECT_EQ (add (some, {"a", "4"}, true), outcome::replaced);
    EXPECT_EQ (take (some), (texts{"a", "1"}));
    EXPECT_EQ (take (some), (texts{"b", "2"}));
    EXPECT_EQ (add (some, {"a", "5"}, true), outcome::replaced);
    EXPECT_EQ (take (some), (texts{"a", "2"}));
    EXPECT_EQ (take (some), (texts{"a", "5"}));
    EXPECT_TRUE (some.empty ());
}

TEST (backlog, knows_what_is_missing_before_each)
{
    backlog some (nullptr);
    (void)add (some, {"a"}, true, 2);
    (void)add (some, {"b"}, true);
    (void)add (some, {"c"}, true, 1);
    (void)add (some, {"c"}, true);
    EXPECT_EQ (some.front_missed (), 2U);
    some.drop_front ();
    EXPECT_EQ (some.front_missed (), 3U);
    some.front_said ();
    EXPECT_EQ (some.front_missed (), 0U);
    some.pop_front ();
    EXPECT_EQ (some.front_missed (), 2U) << "one before it, and the one that it replaced";
}

// Topics of all lengths, inside of the part and beside it, many times over.
TEST (backlog, keeps_one_of_each_of_many_topics)
{
    backlog some (nullptr);
    for (int round = 0; round < 5; ++round)
        for (std::size_t i = 0; i < 200; ++i)
            (void)add (some, {std::string (i, 't'), std::to_string (round)}, true);
    EXPECT_EQ (some.messages (), 200);
    for (std::size_t i = 0; i < 200; ++i)
        ASSERT_EQ (take (some), (texts{std::string (i, 't'), "4"}));
}

}  // namespace
}  // namespace zlink::engine

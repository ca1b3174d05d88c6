#include "engine/routing_table.hpp"

#include <deque>
#include <string>

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

pipe named (const std::string &name)
{
    pipe made (pipe_kind::stream);
    made.name = name;
    return made;
}

TEST (routing_table, finds_by_name)
{
    routing_table table;
    pipe one = named ("one");
    pipe two = named (std::string ("\0two", 4));
    ASSERT_TRUE (table.add (one).ok ());
    ASSERT_TRUE (table.add (two).ok ());
    EXPECT_EQ (table.find ("one"), &one);
    EXPECT_EQ (table.find (std::string_view ("\0two", 4)), &two);
    EXPECT_EQ (table.find ("one"), &one);
    EXPECT_EQ (table.find ("two"), nullptr);
    EXPECT_EQ (table.find (""), nullptr);
    EXPECT_EQ (table.size (), 2u);
}

// The number's octets are the name.
TEST (routing_table, finds_by_number)
{
    routing_table table;
    pipe one = named (std::string ("\0\0\1\2", 4));
    one.number = 258;
    pipe two = named (std::string ("\xff\0\0\0", 4));
    two.number = 0xff000000U;
    ASSERT_TRUE (table.add (one).ok ());
    ASSERT_TRUE (table.add (two).ok ());
    EXPECT_EQ (table.find (std::uint32_t{258}), &one);
    EXPECT_EQ (table.find (std::uint32_t{258}), &one);
    EXPECT_EQ (table.find (std::uint32_t{0xff000000U}), &two);
    EXPECT_EQ (table.find (std::uint32_t{1}), nullptr);
}

TEST (routing_table, keeps_the_first_of_a_name)
{
    routing_table table;
    pipe first = named ("same");
    pipe second = named ("same");
    ASSERT_TRUE (table.add (first).ok ());
    EXPECT_TRUE (first.routed);
    EXPECT_EQ (table.add (second).code (), base::errc::address_in_use);
    EXPECT_FALSE (second.routed);
    EXPECT_EQ (table.find ("same"), &first);
    // Who is not listed takes nobody's entry along.
    table.remove (second);
    EXPECT_EQ (table.find ("same"), &first);
}

TEST (routing_table, forgets_whom_it_found_last)
{
    routing_table table;
    pipe one = named ("name");
    ASSERT_TRUE (table.add (one).ok ());
    ASSERT_EQ (table.find ("name"), &one);
    table.remove (one);
    EXPECT_EQ (table.find ("name"), nullptr);
    pipe two = named ("name");
    ASSERT_TRUE (table.add (two).ok ());
    EXPECT_EQ (table.find ("name"), &two);
    table.clear ();
    EXPECT_EQ (table.find ("name"), nullptr);
    EXPECT_EQ (table.size (), 0u);
}

TEST (routing_table, takes_names_of_every_length)
{
    routing_table table;
    std::deque<pipe> pipes;
    for (std::size_t size = 1; size <= 255; ++size) {
        pipes.push_back (named (std::string (size, 'x')));
        ASSERT_TRUE (table.add (pipes.back ()).ok ());
    }
    for (std::size_t size = 1; size <= 255; ++size)
        EXPECT_EQ (table.find (std::string (size, 'x')), &pipes[size - 1]);
    for (pipe &each : pipes)
        table.remove (each);
    EXPECT_EQ (table.size (), 0u);
}

}  // namespace
}  // namespace zlink::engine

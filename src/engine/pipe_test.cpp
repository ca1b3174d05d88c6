#include "engine/pipe.hpp"

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

credit_line full_line (std::int64_t messages, std::int64_t bytes = 0)
{
    credit_line line;
    line.set_marks (messages, bytes);
    line.refill ();
    return line;
}

// As many messages of a size as there is credit for.
int take_all (credit_line &line, std::size_t size_bytes)
{
    int taken = 0;
    while (line.available () && taken < 100'000) {
        line.take (size_bytes);
        ++taken;
    }
    return taken;
}

// The kernel took so many of them.
void write (credit_line &line, int messages, std::size_t size_bytes)
{
    line.owed_messages += messages;
    line.owed_bytes += messages * static_cast<std::int64_t> (size_bytes);
}

TEST (credit_line, has_none_before_it_is_filled)
{
    credit_line line;
    EXPECT_FALSE (line.available ());
    line.refill ();
    EXPECT_TRUE (line.available ());
}

TEST (credit_line, lasts_for_as_many_messages_as_the_mark_says)
{
    for (const int mark : {1, 2, 3, 10, 1000}) {
        credit_line line = full_line (mark);
        EXPECT_EQ (take_all (line, 64), mark);
    }
}

TEST (credit_line, a_mark_of_zero_is_no_limit)
{
    credit_line line = full_line (0);
    EXPECT_EQ (take_all (line, 1'000'000), 100'000);
}

TEST (credit_line, bytes_last_until_the_mark_is_reached)
{
    credit_line line = full_line (0, 1000);
    EXPECT_EQ (take_all (line, 300), 4) << "any credit at all is enough";
}

TEST (credit_line, a_message_above_the_byte_mark_passes_alone)
{
    credit_line line = full_line (1000, 1000);
    EXPECT_EQ (take_all (line, 50'000), 1);
    write (line, 1, 50'000);
    EXPECT_TRUE (line.give_back ());
    EXPECT_EQ (take_all (line, 50'000), 1);
}

TEST (credit_line, low_water_is_half_the_mark_rounded_up)
{
    EXPECT_EQ (full_line (1).low_water (), 1);
    EXPECT_EQ (full_line (2).low_water (), 1);
    EXPECT_EQ (full_line (3).low_water (), 2);
    EXPECT_EQ (full_line (1000).low_water (), 500);
    EXPECT_EQ (full_line (0).low_water (), 1);
}

TEST (credit_line, returns_in_multiples_of_low_water)
{
    credit_line line = full_line (10);
    EXPECT_EQ (take_all (line, 64), 10);
    write (line, 4, 64);
    EXPECT_FALSE (line.give_back ()) << "four are less than low water";
    EXPECT_EQ (line.owed_messages, 4);
    write (line, 1, 64);
    EXPECT_TRUE (line.give_back ());
    EXPECT_EQ (line.messages, 5);
    EXPECT_EQ (line.owed_messages, 0);
    EXPECT_EQ (take_all (line, 64), 5);
    write (line, 9, 64);
    EXPECT_TRUE (line.give_back ());
    EXPECT_EQ (line.messages, 5) << "the rest of nine stays owed";
    EXPECT_EQ (line.owed_messages, 4);
}

TEST (credit_line, bytes_return_with_the_messages_or_when_they_are_what_is_missing)
{
    credit_line line = full_line (10, 1000);
    line.take (1200);
    EXPECT_FALSE (line.available ());
    write (line, 1, 1200);
    EXPECT_TRUE (line.give_back ()) << "nothing is queued any more";
    EXPECT_EQ (line.bytes, 1000);
    EXPECT_EQ (line.messages, 9);
    line.take (100);
    write (line, 1, 100);
    EXPECT_TRUE (line.give_back ());
    EXPECT_EQ (line.bytes, 900) << "below low water, and bytes are left";
}

// Nothing is lost or made: taken and written as often as one likes.
TEST (credit_line, never_grows_above_its_marks)
{
    credit_line line = full_line (7, 5000);
    for (int turn = 0; turn < 1000; ++turn) {
        const int taken = take_all (line, static_cast<std::size_t> (turn % 900));
        write (line, taken, static_cast<std::size_t> (turn % 900));
        (void)line.give_back ();
        ASSERT_LE (line.messages + line.owed_messages, 7);
        ASSERT_EQ (line.messages + line.owed_messages, 7);
        ASSERT_EQ (line.bytes + line.owed_bytes, 5000);
        ASSERT_TRUE (line.available ()) << "all is written";
    }
}

TEST (credit_line, refill_forgets_what_is_owed)
{
    credit_line line = full_line (10, 1000);
    (void)take_all (line, 200);
    write (line, 3, 200);
    line.refill ();
    EXPECT_EQ (line.messages, 10);
    EXPECT_EQ (line.bytes, 1000);
    EXPECT_EQ (line.owed_messages, 0);
    EXPECT_EQ (line.owed_bytes, 0);
}

TEST (pipe, starts_unattached)
{
    const pipe made (pipe_kind::inproc);
    EXPECT_EQ (made.kind, pipe_kind::inproc);
    EXPECT_FALSE (made.attached);
    EXPECT_FALSE (made.listed);
    EXPECT_FALSE (made.credit.available ());
}

}  // namespace
}  // namespace zlink::engine

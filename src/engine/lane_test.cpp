#include "engine/lane.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "engine/limits.hpp"
#include "wire/row.hpp"

namespace zlink::engine {
namespace {

using base::as_bytes;
using base::as_text;

struct lane_giver
{
    void operator() (lane *gone) const { release_lane (gone); }
};
using held_lane = std::unique_ptr<lane, lane_giver>;

held_lane fresh_lane ()
{
    held_lane made (take_lane ());
    made->holders.store (1);
    return made;
}

// Counts the bodies that are alive: each releases one when its message goes.
struct counted_bodies
{
    int alive = 0;
    std::string memory = std::string (100, 'm');

    base::message make ()
    {
        base::message part;
        ++alive;
        EXPECT_TRUE (part.init_adopt (memory.data (), memory.size (), &counted_bodies::release, this).ok ());
        return part;
    }
    static void release (void *, void *hint) { --static_cast<counted_bodies *> (hint)->alive; }
};

base::message message_of (std::string_view text)
{
    base::message part;
    EXPECT_TRUE (part.init_copy (as_bytes (text)).ok ());
    return part;
}

std::string text_of (std::size_t bytes, std::size_t seed)
{
    std::string text (bytes, ' ');
    for (std::size_t i = 0; i < bytes; ++i)
        text[i] = static_cast<char> ('a' + (i + seed) % 26);
    return text;
}

void send (lane &to, std::string_view body)
{
    ASSERT_TRUE (to.push (as_bytes (body), false));
    to.publish ();
}

// The part at the front, "text" or "text+"; takes it.
std::string take (lane &from)
{
    if (!from.inside_message () && !from.readable ()) {
        ADD_FAILURE () << "nothing to take";
        return {};
    }
    const lane_front part = from.front ();
    std::string text (as_text (part.bytes));
    const std::size_t size = text.size ();
    if (part.more)
        text += '+';
    if (part.whole != nullptr) {
        part.whole->close ();
        from.let_go (size);
    }
    from.consume (size);
    return text;
}

// --- accounts --------------------------------------------------------------------

// Counted are messages by reference and the segments behind the first: when
// they are taken, taken back, or dropped with the lane.
TEST (lane, counts_what_it_holds_beyond_its_first_segment)
{
    byte_budget account;
    {
        const held_lane link = fresh_lane ();
        link->charge_to (&account);
        send (*link, text_of (100, 0));
        EXPECT_EQ (account.used (), 0);
        send (*link, text_of (2 * lane_inline_bytes_max, 1));
        EXPECT_EQ (account.used (), std::int64_t{2 * lane_inline_bytes_max});
        for (std::size_t i = 0; i < 20; ++i)
            send (*link, text_of (lane_inline_bytes_max, i));
        EXPECT_GE (account.used (), std::int64_t{6 * lane_segment_bytes});
        for (std::size_t i = 0; i < 12; ++i)
            (void)take (*link);
        EXPECT_LE (account.used (), std::int64_t{4 * lane_segment_bytes});
        const std::int64_t before = account.used ();
        const lane::position start = link->where ();
        std::array<base::message, 3000> parts;
        for (base::message &each : parts) {
            each = message_of ("part");
            ASSERT_TRUE (link->push (each));
        }
        EXPECT_GT (account.used (), before);
        link->take_back (start, parts);
        EXPECT_EQ (account.used (), before);
        for (base::message &each : parts)
            each.close ();
        send (*link, text_of (3 * lane_inline_bytes_max, 2));
    }
    EXPECT_EQ (account.used (), 0);
}

// --- order -----------------------------------------------------------------------

TEST (lane, starts_with_nothing)
{
    const held_lane link = fresh_lane ();
    EXPECT_FALSE (link->readable ());
    EXPECT_FALSE (link->readable_soon ());
    EXPECT_EQ (link->queued (), 0U);
    EXPECT_TRUE (link->has_room ());
    EXPECT_TRUE (link->writer_may_go_on ());
}

TEST (lane, a_message_shows_when_it_is_published)
{
    const held_lane link = fresh_lane ();
    ASSERT_TRUE (link->push (as_bytes ("one"), false));
    EXPECT_FALSE (link->readable ());
    link->publish ();
    ASSERT_TRUE (link->readable ());
    EXPECT_EQ (link->queued (), 1U);
    EXPECT_EQ (as_text (link->front ().bytes), "one");
    EXPECT_EQ (take (*link), "one");
    EXPECT_FALSE (link->readable ());
}

TEST (lane, every_size_in_order_over_segment_boundaries)
{
    const held_lane link = fresh_lane ();
    std::vector<std::size_t> sizes;
    for (std::size_t size = 0; size < 300; ++size)
        sizes.push_back (size);
    for (std::size_t size = 512; size <= lane_inline_bytes_max; size += 509)
        sizes.push_back (size);
    sizes.insert (sizes.end (),
                  {lane_inline_bytes_max, lane_inline_bytes_max + 1, 2 * lane_segment_bytes, 1});
    for (std::size_t i = 0; i < sizes.size (); ++i)
        send (*link, text_of (sizes[i], i));
    EXPECT_EQ (link->queued (), sizes.size ());
    for (std::size_t i = 0; i < sizes.size (); ++i) {
        ASSERT_TRUE (link->readable ());
        ASSERT_EQ (take (*link), text_of (sizes[i], i)) << sizes[i];
    }
    EXPECT_FALSE (link->readable ());
}

// Every place where a segment may end: bodies of one size each.
TEST (lane, a_segment_may_end_anywhere)
{
    for (std::size_t size = 0; size < 130; ++size) {
        const held_lane link = fresh_lane ();
        const std::size_t count = 2 * lane_segment_bytes / (size + 8) + 2;
        for (std::size_t i = 0; i < count; ++i)
            send (*link, text_of (size, i));
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ (take (*link), text_of (size, i)) << size;
        ASSERT_FALSE (link->readable ());
    }
}

// A consumer at the producer's heels goes round in the same two segments.
TEST (lane, runs_for_ever_in_step)
{
    const held_lane link = fresh_lane ();
    for (std::size_t i = 0; i < 20'000; ++i) {
        send (*link, text_of (i % 97, i));
        ASSERT_TRUE (link->readable_soon ());
        ASSERT_EQ (take (*link), text_of (i % 97, i));
        ASSERT_FALSE (link->readable_soon ());
    }
}

TEST (lane, a_message_given_away_arrives_as_it_is)
{
    const held_lane link = fresh_lane ();
    counted_bodies bodies;
    base::message part = bodies.make ();
    const std::byte *const where = part.data ();
    ASSERT_TRUE (link->push (part));
    EXPECT_TRUE (part.valid ());
    EXPECT_EQ (part.size (), 0U) << "the source is empty";
    link->publish ();
    ASSERT_TRUE (link->readable ());
    const lane_front front = link->front ();
    ASSERT_NE (front.whole, nullptr);
    EXPECT_EQ (front.whole->data (), where);
    EXPECT_EQ (bodies.alive, 1);
    EXPECT_EQ (take (*link), bodies.memory);
    EXPECT_EQ (bodies.alive, 0);
}

// --- multipart -------------------------------------------------------------------

// It stands in line with messages, and says what it is.
TEST (lane, a_command_is_a_message_that_says_so)
{
    const held_lane between = fresh_lane ();
    lane &to = *between;
    ASSERT_TRUE (to.push (as_bytes ("before"), false));
    to.publish ();
    ASSERT_TRUE (to.push_command (as_bytes ("command")));
    EXPECT_EQ (to.untaken_messages (), 1U);
    to.publish ();
    ASSERT_TRUE (to.push (as_bytes ("behind"), false));
    to.publish ();
    for (const std::string_view text : {"before", "command", "behind"}) {
        ASSERT_TRUE (to.readable ());
        const lane_front front = to.front ();
        EXPECT_EQ (as_text (front.bytes), text);
        EXPECT_EQ (front.command, text == "command");
        EXPECT_FALSE (front.more);
        EXPECT_EQ (front.whole, nullptr);
        to.consume (front.bytes.size ());
    }
    EXPECT_FALSE (to.readable ());
    EXPECT_EQ (to.queued_bytes (), 0U);
}

TEST (lane, parts_become_visible_together)
{
    const held_lane link = fresh_lane ();
    ASSERT_TRUE (link->push (as_bytes ("a"), true));
    base::message middle = message_of (text_of (100, 1));
    middle.set_more (true);
    ASSERT_TRUE (link->push (middle));
    ASSERT_TRUE (link->push (as_bytes ("c"), false));
    EXPECT_FALSE (link->readable ());
    link->publish ();
    ASSERT_TRUE (link->readable ());
    EXPECT_EQ (link->queued (), 1U);
    EXPECT_EQ (link->parts_left (), 3U);
    EXPECT_EQ (take (*link), "a+");
    EXPECT_TRUE (link->inside_message ());
    EXPECT_EQ (link->parts_left (), 2U);
    EXPECT_EQ (take (*link), text_of (100, 1) + '+');
    EXPECT_EQ (link->parts_left (), 1U);
    EXPECT_EQ (take (*link), "c");
    EXPECT_FALSE (link->inside_message ());
    EXPECT_FALSE (link->readable ());
}

TEST (lane, parts_are_counted_over_a_jump)
{
    constexpr std::size_t parts = 40;
    for (std::size_t lead = 0; lead < 12; ++lead) {
        const held_lane link = fresh_lane ();
        for (std::size_t i = 0; i < lead; ++i)
            send (*link, text_of (5000, i));
        for (std::size_t i = 0; i < parts; ++i)
            ASSERT_TRUE (link->push (as_bytes (text_of (4000, i)), i + 1 < parts));
        link->publish ();
        for (std::size_t i = 0; i < lead; ++i)
            ASSERT_EQ (take (*link), text_of (5000, i));
        for (std::size_t i = 0; i < parts; ++i) {
            ASSERT_EQ (link->parts_left (), parts - i);
            ASSERT_EQ (take (*link), text_of (4000, i) + (i + 1 < parts ? "+" : ""));
        }
    }
}

// --- marks -----------------------------------------------------------------------

TEST (lane, takes_as_many_messages_as_the_mark_says)
{
    for (const std::int64_t mark : {1, 2, 10, 1000}) {
        const held_lane link = fresh_lane ();
        link->set_limits (mark, unlimited);
        for (std::int64_t i = 0; i < mark; ++i) {
            ASSERT_TRUE (link->has_room ());
            send (*link, "x");
        }
        EXPECT_FALSE (link->has_room ());
        (void)take (*link);
        EXPECT_TRUE (link->has_room ());
        send (*link, "x");
        EXPECT_FALSE (link->has_room ());
    }
}

TEST (lane, a_multipart_message_counts_as_one)
{
    const held_lane link = fresh_lane ();
    link->set_limits (2, unlimited);
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE (link->push (as_bytes ("part"), i < 4));
    link->publish ();
    EXPECT_TRUE (link->has_room ());
    send (*link, "second");
    EXPECT_FALSE (link->has_room ());
    for (int i = 0; i < 4; ++i)
        (void)take (*link);
    EXPECT_FALSE (link->has_room ()) << "the message is not taken before its last part";
    (void)take (*link);
    EXPECT_TRUE (link->has_room ());
}

TEST (lane, a_mark_in_bytes_stands_beside)
{
    const held_lane link = fresh_lane ();
    link->set_limits (unlimited, 100);
    EXPECT_TRUE (link->has_room ());
    send (*link, text_of (60, 1));
    EXPECT_TRUE (link->has_room ()) << "below the mark";
    send (*link, text_of (60, 2));
    EXPECT_FALSE (link->has_room ());
    (void)take (*link);
    EXPECT_TRUE (link->has_room ());
    (void)take (*link);
    send (*link, text_of (5000, 3));
    EXPECT_FALSE (link->has_room ()) << "one above the mark passes alone";
    (void)take (*link);
    EXPECT_TRUE (link->has_room ());
}

// A message given away counts with the bytes of its body.
TEST (lane, a_mark_in_bytes_counts_bodies_by_reference)
{
    const held_lane link = fresh_lane ();
    link->set_limits (unlimited, 100);
    base::message part = message_of (text_of (100, 1));
    ASSERT_TRUE (link->push (part));
    EXPECT_TRUE (link->has_room ()) << "not published";
    link->publish ();
    EXPECT_FALSE (link->has_room ());
    (void)take (*link);
    EXPECT_TRUE (link->has_room ());
}

TEST (lane, a_waiting_writer_goes_on_at_the_low_water_mark)
{
    const held_lane link = fresh_lane ();
    link->set_limits (10, unlimited);
    for (int i = 0; i < 10; ++i)
        send (*link, "x");
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE (link->writer_may_go_on ());
        (void)take (*link);
    }
    EXPECT_FALSE (link->writer_may_go_on ());
    (void)take (*link);
    EXPECT_TRUE (link->writer_may_go_on ());
}

TEST (lane, a_writer_with_a_mark_of_one_goes_on_when_it_is_taken)
{
    const held_lane link = fresh_lane ();
    link->set_limits (1, unlimited);
    send (*link, "x");
    EXPECT_FALSE (link->writer_may_go_on ());
    (void)take (*link);
    EXPECT_TRUE (link->writer_may_go_on ());
}

// --- conflate --------------------------------------------------------------------

TEST (lane, replace_keeps_the_newest)
{
    const held_lane link = fresh_lane ();
    counted_bodies bodies;
    for (int i = 0; i < 5; ++i) {
        base::message part = bodies.make ();
        ASSERT_TRUE (link->replace (part));
        EXPECT_EQ (part.size (), 0U);
        EXPECT_EQ (bodies.alive, 1);
    }
    base::message newest = message_of ("newest");
    ASSERT_TRUE (link->replace (newest));
    EXPECT_EQ (bodies.alive, 0);
    ASSERT_TRUE (link->readable ());
    EXPECT_EQ (link->queued (), 1U);
    EXPECT_EQ (link->parts_left (), 1U);
    EXPECT_EQ (take (*link), "newest");
    EXPECT_FALSE (link->readable ());
    base::message next = message_of ("next");
    ASSERT_TRUE (link->replace (next));
    EXPECT_EQ (take (*link), "next");
}

// A consumer may look at the front, and look again, while the producer goes on.
TEST (lane, what_the_consumer_has_looked_at_is_not_replaced)
{
    const held_lane link = fresh_lane ();
    counted_bodies bodies;
    base::message first = bodies.make ();
    ASSERT_TRUE (link->replace (first));
    ASSERT_TRUE (link->readable ());
    EXPECT_EQ (as_text (link->front ().bytes), bodies.memory);
    base::message second = message_of ("second");
    ASSERT_TRUE (link->replace (second));
    EXPECT_EQ (as_text (link->front ().bytes), bodies.memory);
    EXPECT_EQ (take (*link), bodies.memory);
    EXPECT_EQ (bodies.alive, 0);
    ASSERT_TRUE (link->readable ());
    EXPECT_EQ (take (*link), "second");
    EXPECT_FALSE (link->readable ());
}

// --- the end ---------------------------------------------------------------------

TEST (lane, the_last_holder_closes_everything)
{
    counted_bodies bodies;
    lane *const link = take_lane ();
    link->holders.store (2);
    for (int i = 0; i < 4; ++i) {
        base::message part = bodies.make ();
        part.set_more (i % 2 == 0);
        ASSERT_TRUE (link->push (part));
        if (i % 2 == 1)
            link->publish ();
    }
    send (*link, text_of (2 * lane_inline_bytes_max, 1));
    release_lane (link);
    EXPECT_EQ (bodies.alive, 4) << "somebody still holds it";
    release_lane (link);
    EXPECT_EQ (bodies.alive, 0);
}

TEST (lane, the_last_holder_closes_a_message_that_is_half_taken)
{
    counted_bodies bodies;
    lane *const link = take_lane ();
    link->holders.store (1);
    for (int i = 0; i < 3; ++i) {
        base::message part = bodies.make ();
        part.set_more (i < 2);
        ASSERT_TRUE (link->push (part));
    }
    link->publish ();
    (void)take (*link);
    release_lane (link);
    EXPECT_EQ (bodies.alive, 0);
}

TEST (lane, the_last_holder_closes_the_newest_of_conflate)
{
    counted_bodies bodies;
    {
        const held_lane link = fresh_lane ();
        base::message part = bodies.make ();
        ASSERT_TRUE (link->replace (part));
    }
    EXPECT_EQ (bodies.alive, 0);
    {
        const held_lane link = fresh_lane ();
        base::message part = bodies.make ();
        ASSERT_TRUE (link->replace (part));
        (void)link->front ();
    }
    EXPECT_EQ (bodies.alive, 0);
}

TEST (lane, comes_back_as_new)
{
    lane *const before = take_lane ();
    before->holders.store (1);
    before->set_limits (1, 1);
    send (*before, "left behind");
    before->listed.store (true);
    before->writer_waits.store (true);
    before->writer_closed.store (true);
    before->reader_closed.store (true);
    release_lane (before);
    const held_lane link = fresh_lane ();
    EXPECT_EQ (link.get (), before) << "lanes are used again";
    EXPECT_FALSE (link->readable ());
    EXPECT_FALSE (link->listed || link->writer_waits || link->writer_closed || link->reader_closed);
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE (link->has_room ());
        send (*link, "anew");
    }
    EXPECT_EQ (take (*link), "anew");
}

// --- read in place -----------------------------------------------------------------

TEST (lane, what_is_held_stays_as_it_is)
{
    std::vector<base::memory_hold> holds;
    std::vector<base::bytes_view> read;
    {
        const held_lane link = fresh_lane ();
        for (std::size_t i = 0; i < 100; ++i) {
            send (*link, text_of (5000, i));
            ASSERT_TRUE (link->readable ());
            read.push_back (link->front ().bytes);
            if (holds.empty () || holds.back ().get () != link->memory ())
                holds.push_back (link->keep_memory ());
            link->consume (5000);
        }
        EXPECT_LT (holds.size (), read.size () / 5) << "a hold is for all that stands there";
    }
    // The lane's next users take other memory.
    const held_lane other = fresh_lane ();
    for (std::size_t i = 0; i < 1000; ++i) {
        send (*other, std::string (5000, '!'));
        EXPECT_EQ (take (*other).size (), 5000U);
    }
    for (std::size_t i = 0; i < read.size (); ++i)
        EXPECT_EQ (as_text (read[i]), text_of (5000, i)) << i;
}

TEST (lane, a_hold_takes_no_room)
{
    const held_lane link = fresh_lane ();
    link->set_limits (1, 1);
    send (*link, "held");
    ASSERT_TRUE (link->readable ());
    (void)link->front ();
    const base::memory_hold hold = link->keep_memory ();
    EXPECT_FALSE (link->has_room ());
    link->consume (4);
    EXPECT_TRUE (link->has_room ());
    EXPECT_EQ (hold.get (), link->memory ()) << "the next one stands there, too";
}

TEST (lane, shows_a_pair_that_stands_together)
{
    const held_lane link = fresh_lane ();
    lane_pair both;
    const auto push = [&] (std::size_t first, std::size_t second) {
        ASSERT_TRUE (link->push (as_bytes (text_of (first, 1)), true));
        ASSERT_TRUE (link->push (as_bytes (text_of (second, 2)), false));
        link->publish ();
        ASSERT_TRUE (link->readable ());
    };
    const auto shows = [&] { return link->front_pair (both); };
    // Over many segments, in which most, but not all, stand together.
    std::size_t apart = 0;
    for (std::size_t i = 0; i < 300; ++i) {
        push (i % 20, 1000 + i);
        if (shows ()) {
            EXPECT_EQ (as_text (both.first), text_of (i % 20, 1));
            EXPECT_EQ (as_text (both.second), text_of (1000 + i, 2));
            link->consume (both.first.size ());
            link->consume (both.second.size ());
        } else {
            ++apart;
            EXPECT_EQ (take (*link), text_of (i % 20, 1) + '+');
            EXPECT_EQ (take (*link), text_of (1000 + i, 2));
        }
        EXPECT_FALSE (link->readable () || link->inside_message ());
    }
    EXPECT_LT (apart, 300U / 20);
    send (*link, "alone");
    ASSERT_TRUE (link->readable ());
    EXPECT_FALSE (shows ());
    (void)take (*link);
    for (const char *each : {"one", "two"})
        ASSERT_TRUE (link->push (as_bytes (std::string_view (each)), true));
    push (1, 1);
    EXPECT_FALSE (shows ()) << "it has four parts";
    for (int i = 0; i < 4; ++i)
        (void)take (*link);
    push (1, 2 * lane_inline_bytes_max);
    EXPECT_FALSE (shows ()) << "the second is a message of its own";
}

// --- two threads -----------------------------------------------------------------

TEST (lane, two_threads_pass_all_in_order)
{
    constexpr std::size_t count = 50'000;
    const held_lane link = fresh_lane ();
    link->set_limits (100, unlimited);
    std::thread producer ([&] {
        for (std::size_t i = 0; i < count;) {
            if (!link->has_room ()) {
                std::this_thread::yield ();
                continue;
            }
            ASSERT_TRUE (link->push (as_bytes (text_of (i % 200, i)), false));
            link->publish ();
            ++i;
        }
    });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count;) {
        if (!link->readable_soon ()) {
            std::this_thread::yield ();
            continue;
        }
        wrong += take (*link) != text_of (i % 200, i);
        ++i;
    }
    producer.join ();
    EXPECT_EQ (wrong, 0U);
    EXPECT_FALSE (link->readable ());
}

// --- taking back ------------------------------------------------------------------

class TakingBack : public testing::TestWithParam<std::size_t>
{
};

// Pushes so many parts, takes them back, and sends something else: as if they
// had never been there.
TEST_P (TakingBack, LeavesTheLaneAsItWas)
{
    const held_lane link = fresh_lane ();
    counted_bodies bodies;
    for (int round = 0; round < 3; ++round) {
        const lane::position start = link->where ();
        std::vector<base::message> parts (GetParam ());
        for (base::message &each : parts) {
            each = bodies.make ();
            each.set_more (true);
            ASSERT_TRUE (link->push (each));
        }
        link->take_back (start, parts);
        EXPECT_EQ (link->queued (), round == 0 ? 0U : 1U);
        EXPECT_EQ (bodies.alive, static_cast<int> (parts.size ()));
        for (base::message &each : parts) {
            EXPECT_EQ (as_text (each.view ()), bodies.memory);
            each.close ();
        }
        EXPECT_EQ (bodies.alive, 0);
        send (*link, "after");
        if (round > 0) {
            EXPECT_EQ (take (*link), "after");
        }
    }
    EXPECT_EQ (take (*link), "after");
    EXPECT_FALSE (link->readable ());
}

// Within a segment, and over one and several of them.
INSTANTIATE_TEST_SUITE_P (Of, TakingBack, testing::Values (0, 1, 3, 1000, 5000));

TEST (lane, knows_for_how_many_messages_there_is_room)
{
    const held_lane to = fresh_lane ();
    to->set_limits (10, unlimited);
    EXPECT_EQ (to->sure_room (), 10U);
    for (std::uint64_t left = 10; left-- > 0;) {
        EXPECT_TRUE (to->publish_small ({as_bytes ("ab"), as_bytes ("c")}, 3));
        EXPECT_EQ (to->sure_room (), left);
    }
    EXPECT_FALSE (to->has_room ());
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE (to->readable ());
        EXPECT_EQ (as_text (to->front ().bytes), "abc");
        to->drop (to->front ());
    }
    EXPECT_EQ (to->sure_room (), 3U);
    to->hold ();
    EXPECT_EQ (to->sure_room (), 0U);
    to->let_through ();
    EXPECT_EQ (to->sure_room (), 3U);
}

// Any byte of room is room for one more.
TEST (lane, counts_room_in_bytes_by_the_largest_small_message)
{
    const held_lane to = fresh_lane ();
    to->set_limits (unlimited, 2 * lane_inline_bytes_max + 1);
    EXPECT_EQ (to->sure_room (), 3U);
    EXPECT_TRUE (to->publish_small ({.front = as_bytes ("ab")}, 2));
    EXPECT_EQ (to->sure_room (), 2U);
    to->set_limits (unlimited, 2);
    EXPECT_EQ (to->sure_room (), 0U);
    EXPECT_FALSE (to->has_room ());
}

// --- rows ------------------------------------------------------------------------

// Publishes messages that begin with a topic and a number.
struct row_publisher
{
    lane &to;
    std::string front = std::string ("topic:") + std::string (sizeof (std::uint64_t), '?');
    std::uint64_t number = 1;
    std::uint64_t row = 7;

    // What the message is, whole.
    std::string send (std::string_view body)
    {
        base::joined_part what{as_bytes (front), as_bytes (body), row, number, front.size () - sizeof number};
        const std::size_t bytes = wire::joined_bytes (what);
        EXPECT_TRUE (to.publish_small (what, bytes));
        std::string whole (bytes, ' ');
        wire::write_joined (reinterpret_cast<std::byte *> (whole.data ()), what);
        ++number;
        return whole;
    }
};

// The octets of the next message behind the front of its row; "-": it is not one that goes on.
std::string item_of (lane &from)
{
    lane_row_item item;
    if (!from.front_row_item (item))
        return "-";
    EXPECT_EQ (as_text (from.front ().bytes.last (item.octets.size ())), as_text (item.octets));
    EXPECT_EQ (from.front ().bytes.size (), item.message_bytes);
    EXPECT_FALSE (from.front_stands ());
    return std::string (as_text (item.octets.subspan (wire::row_mark_bytes)));
}

TEST (lane, a_row_is_shown_as_the_messages_that_it_is)
{
    const held_lane link = fresh_lane ();
    row_publisher by{*link};
    const std::string first = by.send ("one"), second = by.send (""), third = by.send (text_of (64, 3));
    ASSERT_TRUE (link->readable ());
    EXPECT_EQ (link->seen_behind (), 2U);
    EXPECT_EQ (item_of (*link), "-");
    EXPECT_TRUE (link->front_stands ());
    const void *const beginning = link->beginning ();
    EXPECT_EQ (take (*link), first);
    lane_row_item item;
    ASSERT_TRUE (link->front_row_item (item));
    EXPECT_EQ (item.beginning, beginning);
    EXPECT_EQ (item_of (*link), "");
    EXPECT_EQ (take (*link), second);
    EXPECT_EQ (item_of (*link), text_of (64, 3));
    EXPECT_EQ (link->parts_left (), 1U);
    EXPECT_EQ (take (*link), third);
    EXPECT_FALSE (link->readable ());
    EXPECT_EQ (link->queued_bytes (), 0U) << "it is counted as the whole messages";
}

TEST (lane, a_row_goes_on_only_behind_itself)
{
    const held_lane link = fresh_lane ();
    row_publisher by{*link};
    std::vector<std::string> sent{by.send ("1")};
    const auto alone = [&] (const std::string &what) {
        sent.push_back (what);
        while (sent.size () > 1) {
            ASSERT_EQ (take (*link), sent.front ());
            sent.erase (sent.begin ());
            ASSERT_TRUE (link->readable ());
        }
        EXPECT_EQ (item_of (*link), "-");
    };
    ++by.number;
    alone (by.send ("a number is missing"));
    by.row = 8;
    alone (by.send ("another row"));
    send (*link, "between");
    sent.emplace_back ("between");
    alone (by.send ("behind another message"));
    by.row = 0;
    alone (by.send ("no row"));
    by.row = 9;
    by.front = text_of (lane_row_front_bytes_max, 0);
    alone (by.send ("new"));
    sent.push_back (by.send ("on"));
    ASSERT_EQ (take (*link), sent.front ());
    ASSERT_TRUE (link->readable ());
    EXPECT_EQ (item_of (*link), "on");
    ASSERT_EQ (take (*link), sent.back ());
    by.row = 10;
    by.front += 'x';
    sent = {by.send ("its front is too long")};
    alone (by.send ("its front is too long"));
    (void)take (*link);
    EXPECT_EQ (link->queued_bytes (), 0U);
}

// Over many segments; what is taken back is written as it would have been.
TEST (lane, a_row_begins_anew_in_every_segment)
{
    const held_lane link = fresh_lane ();
    row_publisher by{*link};
    std::vector<std::string> sent;
    std::size_t whole = 0;
    for (std::size_t round = 0; round < 40; ++round) {
        for (std::size_t i = 0; i < 500; ++i) {
            sent.push_back (by.send (text_of ((round * 31 + i * 7) % wire::row_item_bytes_max, i)));
            if (i % 100 != 99)
                continue;
            const lane::position start = link->where ();
            std::array<base::message, 3> parts{message_of ("a"), message_of ("b"), message_of ("c")};
            for (base::message &each : parts)
                ASSERT_TRUE (link->push (each));
            link->take_back (start, parts);
            for (base::message &each : parts)
                each.close ();
        }
        for (const std::string &each : sent) {
            ASSERT_TRUE (link->readable ());
            (void)link->front ();  // goes over a jump
            whole += link->front_stands ();
            ASSERT_EQ (take (*link), each);
        }
        sent.clear ();
    }
    EXPECT_EQ (link->queued_bytes (), 0U);
    EXPECT_GE (whole, 40U * 500 * 512 / lane_segment_bytes / 2) << "about one in each segment";
    EXPECT_LE (whole, 40U * 500 * 600 / lane_segment_bytes);
}

// Both at once; what was shown where it stands is looked at behind what comes next.
TEST (lane, rows_come_whole_from_one_thread_to_another)
{
    constexpr std::uint64_t count = 60'000;
    const held_lane link = fresh_lane ();
    const auto body_of = [] (std::uint64_t number) { return text_of (number * 37 % 300, number % 26); };
    std::thread writes ([&] {
        row_publisher by{*link};
        while (by.number <= count) {
            (void)by.send (body_of (by.number));
            by.row += by.number % 50 == 0;
            while (link->queued_bytes () > 4 * lane_segment_bytes)
                std::this_thread::yield ();
        }
    });
    base::memory_hold held;
    base::bytes_view before;
    for (std::uint64_t number = 1; number <= count; ++number) {
        while (!link->readable ())
            std::this_thread::yield ();
        const base::bytes_view whole = link->front ().bytes;
        lane_row_item item;
        const bool goes_on = link->front_row_item (item);
        const std::size_t size = whole.size ();
        ASSERT_EQ (base::load_u64_be (whole.data () + 6), number);
        ASSERT_EQ (as_text (whole.subspan (16)), body_of (number));
        if (held != nullptr) {
            ASSERT_EQ (as_text (before.subspan (wire::row_mark_bytes)), body_of (number - 1));
        }
        held = goes_on ? link->keep_memory () : nullptr;
        before = item.octets;
        link->consume (size);
    }
    writes.join ();
    EXPECT_EQ (link->queued_bytes (), 0U);
}

}  // namespace
}  // namespace zlink::engine

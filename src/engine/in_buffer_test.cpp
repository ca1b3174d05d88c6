#include "engine/in_buffer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "engine/limits.hpp"

namespace zlink::engine {
namespace {

using base::as_bytes;
using base::as_text;

constexpr unsigned more = 1;
constexpr unsigned command = 4;

std::string frame (unsigned flags, std::string_view body)
{
    const bool is_long = body.size () > 255;
    std::string text (1, static_cast<char> (flags | (is_long ? 2U : 0U)));
    for (unsigned shift = is_long ? 64 : 8; shift > 0; shift -= 8)
        text += static_cast<char> (static_cast<std::uint64_t> (body.size ()) >> (shift - 8) & 255);
    return text + std::string (body);
}

std::string text_of (std::size_t bytes, char seed)
{
    std::string text (bytes, ' ');
    for (std::size_t i = 0; i < bytes; ++i)
        text[i] = static_cast<char> ('a' + (i + static_cast<std::size_t> (seed)) % 26);
    return text;
}

// What came out: "one", "two+" for a part that more follow, "/PING" for a command.
using outcome = std::vector<std::string>;

struct reader
{
    explicit reader (std::size_t slab_bytes) : pool (slab_bytes, 2), in (charged (pool, account)) {}
    ~reader ()
    {
        in.reset ();
        EXPECT_EQ (account.used (), 0);
    }
    static buffer_pool &charged (buffer_pool &of, byte_budget &to)
    {
        of.charge_to (&to);
        return of;
    }
    [[nodiscard]] bool holds_slab () const
    {
        return account.used () >= static_cast<std::int64_t> (pool.buffer_bytes ());
    }

    // Gives the buffer octets as a read would, as many as it has room for.
    std::size_t read (std::string_view octets)
    {
        in_buffer::read_slices slices;
        const std::size_t count = in.prepare (slices, SIZE_MAX);
        std::size_t taken = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t some = std::min (slices[i].size (), octets.size () - taken);
            std::memcpy (slices[i].data (), octets.data () + taken, some);
            taken += some;
        }
        in.commit (taken);
        return taken;
    }

    front_status take_all ()
    {
        for (;;) {
            const front_status status = in.peek ();
            if (status == front_status::need_bytes || status == front_status::violation)
                return status;
            const front_part &part = in.front ();
            const std::string body (as_text (part.bytes));
            seen.push_back (status == front_status::command ? '/' + body : body + (part.more ? "+" : ""));
            in.drop_front ();
        }
    }

    front_status feed (std::string_view octets)
    {
        for (;;) {
            const std::size_t taken = read (octets);
            octets.remove_prefix (taken);
            const front_status status = take_all ();
            if (status == front_status::violation || octets.empty ())
                return status;
            if (taken == 0) {
                ADD_FAILURE () << "no room, and nothing to take";
                return status;
            }
        }
    }

    byte_budget account;
    buffer_pool pool;
    in_buffer in;
    outcome seen;
};

struct scene
{
    std::string octets;
    outcome expected;
};

// Small frames, a multipart message with a command inside, long headers,
// bodies above the slab's size alone and in the middle of a message.
scene everything (std::size_t slab_bytes)
{
    const std::string half = text_of (slab_bytes / 2 - 20, 1);
    const std::string large = text_of (slab_bytes * 2, 2);
    const std::string larger = text_of (slab_bytes * 3 + 7, 3);
    scene all;
    all.octets = frame (0, "one") + frame (0, "") + frame (more, "a") + frame (more, "")
                 + frame (command, "\4PING") + frame (0, "c") + frame (0, half) + frame (0, large)
                 + frame (0, "behind") + frame (more, "head") + frame (more, larger)
                 + frame (command, "\4PONG") + frame (0, half) + frame (more, large) + frame (0, "")
                 + frame (0, "last");
    all.expected = {"one",    "",        "/\4PING", "a+",         "+",  "c",         half, large,
                    "behind", "/\4PONG", "head+",   larger + "+", half, large + "+", "",   "last"};
    return all;
}

// --- another stream comes ----------------------------------------------------------

// Wherever the first was cut off, and whatever was taken of it.
TEST (in_buffer, of_a_stream_that_ended_the_whole_messages_stay)
{
    constexpr std::size_t slab_bytes = 1 << 16;
    const std::string octets = everything (2000).octets;
    for (std::size_t cut = 0; cut <= octets.size (); cut += cut < 100 ? 1 : 97)
        for (int taken = 0; taken < 3; ++taken) {
            reader reference (slab_bytes), from (slab_bytes);
            reference.feed (octets.substr (0, cut));
            outcome left;
            for (const std::string &each : reference.seen)
                if (each.empty () || each[0] != '/')
                    left.push_back (each);
            for (std::size_t read = 0; read < cut;)
                read += from.read (std::string_view (octets).substr (read, cut - read));
            for (int i = 0; i < taken && !left.empty (); ++i) {
                ASSERT_EQ (from.in.peek (), front_status::part);  // the first two are whole messages
                from.in.drop_front ();
                left.erase (left.begin ());
            }
            ASSERT_EQ (from.in.keep_messages (), !left.empty ()) << cut;
            left.emplace_back ("next");
            ASSERT_EQ (from.feed (frame (0, "next")), front_status::need_bytes);
            ASSERT_EQ (from.seen, left) << cut << ' ' << taken;
        }
}

TEST (in_buffer, of_a_large_message_all_stays_or_nothing)
{
    constexpr std::size_t slab_bytes = 1024;
    const std::string large = text_of (5 * slab_bytes, 3);
    const std::string octets = frame (0, large);
    for (const std::size_t cut : {octets.size (), octets.size () - 1, std::size_t{20}}) {
        reader from (slab_bytes);
        for (std::size_t read = 0; read < cut;) {
            read += from.read (std::string_view (octets).substr (read, cut - read));
            (void)from.in.peek ();
        }
        EXPECT_EQ (from.in.keep_messages (), cut == octets.size ());
        EXPECT_EQ (from.feed (frame (0, "next")), front_status::need_bytes);
        EXPECT_EQ (from.seen, cut == octets.size () ? outcome ({large, "next"}) : outcome ({"next"}));
    }
}

// --- nothing more will come ------------------------------------------------------

TEST (in_buffer, shrunk_it_holds_what_it_held_and_no_slab)
{
    constexpr std::size_t slab_bytes = 1024;
    const std::string octets = frame (0, "one") + frame (more, "a") + frame (command, "\4PING")
                               + frame (0, "b") + frame (0, "the last")
                               + frame (0, "never whole").substr (0, 6);
    for (int taken = 0; taken < 2; ++taken) {
        reader from (slab_bytes);
        ASSERT_EQ (from.read (octets), octets.size ());
        if (taken > 0) {
            ASSERT_EQ (from.in.peek (), front_status::part);
            from.in.drop_front ();
        }
        const std::size_t unread = from.in.unread_bytes ();
        from.in.shrink ();
        EXPECT_EQ (from.in.unread_bytes (), unread);
        EXPECT_EQ (from.account.used (), static_cast<std::int64_t> (unread));
        from.in.shrink ();
        EXPECT_EQ (from.account.used (), static_cast<std::int64_t> (unread)) << "once is enough";
        EXPECT_EQ (from.take_all (), front_status::need_bytes);
        const outcome all = {"one", "/\4PING", "a+", "b", "the last"};
        EXPECT_EQ (from.seen, outcome (all.begin () + taken, all.end ()));
    }
}

TEST (in_buffer, shrunk_with_much_in_it_keeps_its_slab)
{
    constexpr std::size_t slab_bytes = 1024;
    reader from (slab_bytes);
    const std::string much = text_of (slab_bytes * 3 / 4, 1);
    from.read (frame (0, much));
    from.in.shrink ();
    EXPECT_TRUE (from.holds_slab ());
    EXPECT_EQ (from.take_all (), front_status::need_bytes);
    EXPECT_EQ (from.seen, outcome{much});
    from.in.shrink ();
    EXPECT_EQ (from.account.used (), 0) << "it is empty";
}

// --- every split -----------------------------------------------------------------

TEST (in_buffer, frames_come_out_the_same_at_every_split)
{
    constexpr std::size_t slab_bytes = 128;
    const scene all = everything (slab_bytes);
    for (std::size_t split = 0; split <= all.octets.size (); ++split) {
        reader from (slab_bytes);
        ASSERT_EQ (from.feed (std::string_view (all.octets).substr (0, split)), front_status::need_bytes);
        ASSERT_EQ (from.feed (std::string_view (all.octets).substr (split)), front_status::need_bytes);
        ASSERT_EQ (from.seen, all.expected) << "at " << split;
        ASSERT_TRUE (from.in.idle ());
    }
}

TEST (in_buffer, frames_come_out_the_same_in_pieces_of_every_size)
{
    constexpr std::size_t slab_bytes = 128;
    const scene all = everything (slab_bytes);
    for (std::size_t step = 1; step < 200; ++step) {
        reader from (slab_bytes);
        for (std::size_t at = 0; at < all.octets.size (); at += step)
            ASSERT_EQ (from.feed (std::string_view (all.octets).substr (at, step)), front_status::need_bytes);
        ASSERT_EQ (from.seen, all.expected) << "in steps of " << step;
    }
}

TEST (in_buffer, a_slab_of_any_size_serves)
{
    for (std::size_t slab_bytes = 64; slab_bytes < 400; slab_bytes += 3) {
        const scene all = everything (slab_bytes);
        reader from (slab_bytes);
        ASSERT_EQ (from.feed (all.octets), front_status::need_bytes);
        ASSERT_EQ (from.seen, all.expected) << "with a slab of " << slab_bytes;
    }
}

TEST (in_buffer, an_older_framing_is_used_throughout)
{
    reader from (64);
    from.in.set_framing (wire::framing::zmtp_1_0);
    EXPECT_EQ (from.feed (std::string_view ("\3\1ab\2\0c\1\0", 9)), front_status::need_bytes);
    EXPECT_EQ (from.seen, (outcome{"ab+", "c", ""}));
}

TEST (in_buffer, packets_and_raw_bytes_are_framings_too)
{
    reader packets (64);
    packets.in.set_framing (wire::framing::packets);
    EXPECT_EQ (packets.feed (std::string ("\0\0\0\2ab\0\0\0\0\0\0\0\5cd", 16)), front_status::need_bytes);
    EXPECT_EQ (packets.seen, (outcome{"ab", ""}));
    reader raw (20'000);
    raw.in.set_framing (wire::framing::raw);
    const std::string all = text_of (10'000, 7);
    EXPECT_EQ (raw.feed (all), front_status::need_bytes);
    EXPECT_EQ (raw.seen, (outcome{all.substr (0, 8192), all.substr (8192)}));
    EXPECT_TRUE (raw.in.idle ());
}

// --- fronts ----------------------------------------------------------------------

TEST (in_buffer, a_part_stays_at_the_front_until_it_is_taken)
{
    reader from (128);
    from.read (frame (0, "one") + frame (0, "two"));
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ (from.in.peek (), front_status::part);
        EXPECT_EQ (as_text (from.in.front ().bytes), "one");
    }
    from.in.consume ();
    ASSERT_EQ (from.in.peek (), front_status::part);
    EXPECT_EQ (as_text (from.in.front ().bytes), "two");
}

TEST (in_buffer, a_part_that_is_remembered_needs_no_second_look_until_it_moves)
{
    reader from (128);
    from.read (frame (0, text_of (40, 1)) + frame (0, "two"));
    ASSERT_TRUE (from.in.peek_slab_part ());
    EXPECT_FALSE (from.in.remembers_slab_part ());
    from.in.consume ();
    ASSERT_TRUE (from.in.peek_slab_part ());
    from.in.remember_slab_part ();
    from.read (frame (0, "three"));  // behind it
    ASSERT_TRUE (from.in.remembers_slab_part ());
    EXPECT_EQ (as_text (from.in.front ().bytes), "two");
    from.read (frame (0, text_of (50, 2)));
    from.read (frame (0, "five"));  // for which the slab's content moves to its start
    EXPECT_FALSE (from.in.remembers_slab_part ());
    ASSERT_TRUE (from.in.peek_slab_part ());
    EXPECT_EQ (as_text (from.in.front ().bytes), "two");
    from.in.remember_slab_part ();
    from.in.forget_slab_part ();
    EXPECT_FALSE (from.in.remembers_slab_part ());
}

TEST (in_buffer, take_front_gives_the_whole_part)
{
    const std::string large = text_of (1000, 4);
    reader from (128);
    std::string octets = frame (0, "small") + frame (0, large) + frame (more, "a") + frame (0, large);
    outcome seen;
    while (!octets.empty ()) {
        octets.erase (0, from.read (octets));
        while (from.in.peek () == front_status::part) {
            base::message part;
            ASSERT_TRUE (from.in.take_front (part));
            seen.push_back (std::string (as_text (part.view ())) + (part.more () ? "+" : ""));
            part.close ();
        }
    }
    EXPECT_EQ (seen, (outcome{"small", large, "a+", large}));
    EXPECT_TRUE (from.in.idle ());
}

TEST (in_buffer, a_large_body_is_read_into_its_own_memory)
{
    const std::string large = text_of (1000, 4);
    const std::string octets = frame (0, large);
    reader from (128);
    std::string_view rest = octets;
    rest.remove_prefix (from.read (rest));
    EXPECT_EQ (from.in.peek (), front_status::need_bytes);
    in_buffer::read_slices slices;
    ASSERT_EQ (from.in.prepare (slices, SIZE_MAX), 2U);
    EXPECT_EQ (slices[0].size (), rest.size ()) << "the rest of the body, no copy between";
    EXPECT_EQ (slices[1].size (), 128U) << "and an empty slab for what follows";
    from.in.commit (0);
    from.read (rest);
    ASSERT_EQ (from.in.peek (), front_status::part);
    ASSERT_NE (from.in.front ().held, nullptr);
    base::message part;
    ASSERT_TRUE (from.in.take_front (part));
    EXPECT_EQ (as_text (part.view ()), large);
    EXPECT_EQ (part.shared_body ()->references.load (), 1U);
    part.close ();
}

// Else who reads for nobody stands still there for ever.
TEST (in_buffer, there_is_room_behind_the_front_of_a_frame)
{
    const std::string body = text_of (50, 1);
    for (std::size_t cut = 1; cut < body.size () + 2; ++cut) {
        reader from (256);
        const std::size_t first = 256 - cut - 2;
        ASSERT_EQ (from.read ((frame (0, text_of (first, 2)) + frame (0, body)).substr (0, 256)), 256U);
        EXPECT_FALSE (from.in.has_room ()) << cut;
        ASSERT_EQ (from.take_all (), front_status::need_bytes);
        EXPECT_TRUE (from.in.has_room ()) << cut;
        from.feed (frame (0, body).substr (cut));
        ASSERT_EQ (from.seen.size (), 2U);
        EXPECT_EQ (from.seen[1], body);
    }
}

TEST (in_buffer, of_an_announced_body_only_what_has_come_counts)
{
    const std::string large = text_of (1000, 4);
    reader from (128);
    from.read (frame (0, large).substr (0, 128));
    EXPECT_EQ (from.in.peek (), front_status::need_bytes);
    in_buffer::read_slices slices;
    ASSERT_GT (from.in.prepare (slices, SIZE_MAX), 0U);
    from.in.commit (0);
    const auto slab = static_cast<std::int64_t> (from.pool.buffer_bytes ());
    EXPECT_EQ (from.account.used (), slab + 128 - 9);
    from.read (frame (0, large).substr (128, 500));
    EXPECT_EQ (from.account.used (), slab + 128 - 9 + 500);
    from.read (frame (0, large).substr (628));
    EXPECT_EQ (from.account.used (), slab + 1000);
    ASSERT_EQ (from.in.peek (), front_status::part);
    from.in.drop_front ();
    EXPECT_EQ (from.account.used (), slab);
}

TEST (in_buffer, a_multipart_message_is_held_back_until_it_is_complete)
{
    reader from (128);
    from.read (frame (more, "a") + frame (more, "b"));
    EXPECT_EQ (from.in.peek (), front_status::need_bytes);
    EXPECT_FALSE (from.in.idle ());
    from.read (frame (0, "c").substr (0, 2));
    EXPECT_EQ (from.in.peek (), front_status::need_bytes);
    from.read ("c");
    ASSERT_EQ (from.in.peek (), front_status::part);
    EXPECT_EQ (from.take_all (), front_status::need_bytes);
    EXPECT_EQ (from.seen, (outcome{"a+", "b+", "c"}));
}

TEST (in_buffer, parts_left_counts_down)
{
    reader from (128);
    from.read (frame (more, "a") + frame (more, "b") + frame (0, "c") + frame (0, "alone"));
    for (const std::size_t left : {3U, 2U, 1U, 1U}) {
        ASSERT_EQ (from.in.peek (), front_status::part);
        EXPECT_EQ (from.in.parts_left (), left);
        from.in.drop_front ();
    }
    EXPECT_EQ (from.in.peek (), front_status::need_bytes);
}

// Reading goes on while others take parts that were committed before.
TEST (in_buffer, parts_may_be_taken_between_prepare_and_commit)
{
    reader from (256);
    from.read (frame (0, "one") + frame (0, "two"));
    in_buffer::read_slices slices;
    ASSERT_EQ (from.in.prepare (slices, SIZE_MAX), 1U);
    EXPECT_EQ (from.take_all (), front_status::need_bytes);
    const std::string three = frame (0, "three");
    std::memcpy (slices[0].data (), three.data (), three.size ());
    from.in.commit (three.size ());
    EXPECT_EQ (from.take_all (), front_status::need_bytes);
    EXPECT_EQ (from.seen, (outcome{"one", "two", "three"}));
}

// Somebody looks and finds the start of a large body while a reader holds
// slices of the slab: what it brings belongs to the body all the same.
TEST (in_buffer, a_large_body_may_be_found_between_prepare_and_commit)
{
    const std::string large = text_of (300, 5);
    const std::string octets = frame (0, large) + frame (0, "next");
    reader from (128);
    from.read (octets.substr (0, 40));
    in_buffer::read_slices slices;
    ASSERT_EQ (from.in.prepare (slices, SIZE_MAX), 1U);
    EXPECT_EQ (from.in.peek (), front_status::need_bytes);
    std::memcpy (slices[0].data (), octets.data () + 40, 50);
    from.in.commit (50);
    for (std::size_t at = 90; at < octets.size ();) {
        EXPECT_EQ (from.take_all (), front_status::need_bytes);
        at += from.read (octets.substr (at, 60));
    }
    EXPECT_EQ (from.take_all (), front_status::need_bytes);
    EXPECT_EQ (from.seen, (outcome{large, "next"}));
}

TEST (in_buffer, a_part_put_back_can_be_taken_without_another_look)
{
    reader from (128);
    from.read (frame (0, "old") + frame (0, "new"));
    base::message part;
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ (from.in.peek (), front_status::part);
        ASSERT_TRUE (from.in.take_front (part));
    }
    ASSERT_TRUE (from.in.put_back (part));
    EXPECT_EQ (as_text (from.in.front ().bytes), "new");
    ASSERT_TRUE (from.in.take_front (part));
    EXPECT_EQ (as_text (part.view ()), "new");
    part.close ();
    EXPECT_TRUE (from.in.idle ());
}

TEST (in_buffer, a_part_put_back_is_found_next)
{
    reader from (128);
    from.read (frame (0, "old") + frame (0, "new"));
    base::message part;
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ (from.in.peek (), front_status::part);
        ASSERT_TRUE (from.in.take_front (part));
    }
    ASSERT_TRUE (from.in.put_back (part));
    from.read (frame (0, "newest"));
    EXPECT_EQ (from.take_all (), front_status::need_bytes);
    EXPECT_EQ (from.seen, (outcome{"new", "newest"}));
}

// --- limits ----------------------------------------------------------------------

TEST (in_buffer, a_message_at_the_limit_passes_and_one_above_is_a_violation)
{
    for (const std::size_t limit : {std::size_t{0}, std::size_t{10}, std::size_t{255}, std::size_t{5000}}) {
        reader from (256);
        from.in.set_message_bytes_max (static_cast<std::int64_t> (limit));
        const std::string body = text_of (limit, 1);
        EXPECT_EQ (from.feed (frame (0, body)), front_status::need_bytes);
        EXPECT_EQ (from.seen, outcome{body});
        // The header is enough to know.
        const std::string above = frame (0, text_of (limit + 1, 1));
        EXPECT_EQ (from.feed (std::string_view (above).substr (0, limit + 1 > 255 ? 9 : 2)),
                   front_status::violation);
        EXPECT_EQ (from.in.why (), base::close_reason::message_too_large);
    }
}

TEST (in_buffer, without_a_limit_a_size_no_memory_can_hold_is_a_violation)
{
    reader from (256);
    const std::string head ("\2\x7f\xff\xff\xff\xff\xff\xff\xff", 9);
    EXPECT_EQ (from.feed (head), front_status::violation);
    EXPECT_EQ (from.in.why (), base::close_reason::out_of_memory);
}

TEST (in_buffer, what_is_malformed_is_a_violation_behind_what_was_good)
{
    reader from (256);
    EXPECT_EQ (from.feed (frame (0, "good") + frame (command | more, "bad")), front_status::violation);
    EXPECT_EQ (from.seen, outcome{"good"});
    EXPECT_EQ (from.in.why (), base::close_reason::frame_malformed);
    EXPECT_EQ (from.in.peek (), front_status::violation) << "for good";
}

TEST (in_buffer, a_command_has_a_limit_of_its_own)
{
    reader from (256);
    const std::string longest = text_of (command_bytes_max, 1);
    EXPECT_EQ (from.feed (frame (command, longest)), front_status::need_bytes);
    EXPECT_EQ (from.seen, outcome{'/' + longest});
    EXPECT_EQ (from.feed (frame (command, longest + '!').substr (0, 9)), front_status::violation);
    EXPECT_EQ (from.in.why (), base::close_reason::command_malformed);
}

TEST (in_buffer, a_message_has_a_limit_of_parts)
{
    reader from (64 * 1024);
    std::string many;
    for (int i = 0; i < 10'000; ++i)
        many += frame (more, "");
    for (std::size_t parts = 0; parts + 10'000 <= frames_per_message_max; parts += 10'000)
        ASSERT_EQ (from.feed (many), front_status::need_bytes);
    EXPECT_EQ (from.feed (frame (more, "")), front_status::violation);
    EXPECT_EQ (from.in.why (), base::close_reason::too_many_frames);
}

// --- slabs -----------------------------------------------------------------------

TEST (in_buffer, owns_no_slab_before_it_reads_and_gives_an_empty_one_back)
{
    reader from (128);
    EXPECT_FALSE (from.holds_slab ());
    EXPECT_TRUE (from.in.has_room ());
    from.read (frame (0, "one"));
    EXPECT_TRUE (from.holds_slab ());
    from.in.release_slab ();
    EXPECT_TRUE (from.holds_slab ()) << "something is in it";
    EXPECT_EQ (from.take_all (), front_status::need_bytes);
    from.in.release_slab ();
    EXPECT_FALSE (from.holds_slab ());
    EXPECT_EQ (from.feed (frame (0, "two")), front_status::need_bytes);
    EXPECT_EQ (from.seen, (outcome{"one", "two"}));
}

TEST (in_buffer, a_full_slab_of_frames_has_no_room_until_one_is_taken)
{
    reader from (64);
    std::string octets;
    while (octets.size () < 64)
        octets += frame (0, "123456");
    ASSERT_EQ (from.read (octets), 64U);
    EXPECT_FALSE (from.in.has_room ());
    EXPECT_EQ (from.read ("x"), 0U);
    EXPECT_EQ (from.take_all (), front_status::need_bytes);
    EXPECT_TRUE (from.in.has_room ());
    EXPECT_EQ (from.seen.size (), 8U);
}

TEST (in_buffer, preloaded_octets_come_first)
{
    for (const std::size_t slab_bytes : {std::size_t{64}, std::size_t{4096}}) {
        reader from (slab_bytes);
        const std::string octets = frame (0, "one") + frame (0, "two") + frame (0, "three").substr (0, 4);
        ASSERT_TRUE (from.in.preload (as_bytes (octets)));
        EXPECT_EQ (from.feed (frame (0, "three").substr (4)), front_status::need_bytes);
        EXPECT_EQ (from.seen, (outcome{"one", "two", "three"}));
    }
}

TEST (in_buffer, reset_forgets_all_that_was_half_done)
{
    const std::string large = text_of (1000, 1);
    for (const std::string &octets :
         {frame (0, "x").substr (0, 2), frame (0, large).substr (0, 500),
          frame (more, "a") + frame (more, large), frame (more, "a") + frame (0, "b"),
          frame (more, large) + frame (0, large).substr (0, 300)}) {
        reader from (128);
        std::string_view rest = octets;
        while (!rest.empty ()) {
            rest.remove_prefix (from.read (rest));
            (void)from.in.peek ();
        }
        from.in.reset ();
        EXPECT_TRUE (from.in.idle ());
        EXPECT_FALSE (from.holds_slab ());
        EXPECT_EQ (from.feed (frame (0, "anew")), front_status::need_bytes);
        EXPECT_EQ (from.seen, outcome{"anew"});
    }
}

// Half of a message taken, then the connection is gone.
TEST (in_buffer, reset_inside_a_message_that_is_half_taken)
{
    reader from (128);
    from.read (frame (more, text_of (60, 1)) + frame (0, text_of (50, 2)));
    ASSERT_EQ (from.in.peek (), front_status::part);
    from.in.drop_front ();
    from.in.reset ();
    EXPECT_EQ (from.in.peek (), front_status::need_bytes);
}

std::string text_at_front (const in_buffer &of)
{
    const base::bytes_view bytes = of.front ().bytes;
    return {reinterpret_cast<const char *> (bytes.data ()), bytes.size ()};
}

std::string long_frame (unsigned flags, std::string_view body)
{
    return std::string (1, static_cast<char> (flags | 2U)) + std::string (7, '\0')
           + static_cast<char> (body.size ()) + std::string (body);
}

// The bodies that are found as like a pair "head", "one" at the front, behind it.
outcome bodies_like_it (const std::string &head, const std::string &behind, std::int64_t bytes_max = -1)
{
    reader from (1000);
    from.in.set_message_bytes_max (bytes_max);
    from.read (head + frame (0, "one") + behind);
    outcome found;
    if (!from.in.peek_slab_pair ())
        return {"no pair"};
    const base::bytes_view first = from.in.short_group_frame ();
    from.in.consume ();
    while (!first.empty () && from.in.peek_slab_pair_like (first)) {
        found.push_back (text_at_front (from.in));
        EXPECT_EQ (as_text (from.in.group ()), "head");
        EXPECT_TRUE (from.in.peek_slab_pair ()) << "the long way finds it, too";
        EXPECT_EQ (text_at_front (from.in), found.back ());
        from.in.consume ();
    }
    from.in.reset ();
    return found;
}

TEST (in_buffer, pairs_that_begin_alike_are_found_one_behind_the_other)
{
    const std::string head = frame (more, "head");
    const std::string two =
      head + frame (0, "two") + head + frame (0, "") + head + frame (0, text_of (255, 1));
    EXPECT_EQ (bodies_like_it (head, two), (outcome{"two", "", text_of (255, 1)}));
    EXPECT_EQ (bodies_like_it (head, two + frame (0, "single") + two).size (), 3U);
    EXPECT_EQ (bodies_like_it (head, two, 5), (outcome{"two", ""})) << "the limit holds";
}

TEST (in_buffer, pairs_that_do_not_begin_alike_or_are_not_whole_are_not)
{
    const std::string head = frame (more, "head");
    for (const std::string &other :
         {frame (more, "heat") + frame (0, "two"), frame (more, "hea") + frame (0, "two"),
          frame (more, "heads") + frame (0, "two"), frame (0, "head") + frame (0, "two"),
          head + frame (more, "two") + frame (0, "three"), head + frame (command, "two"),
          head + frame (0, text_of (256, 1)), head + long_frame (0, "two"),
          long_frame (more, "head") + frame (0, "two")})
        EXPECT_EQ (bodies_like_it (head, other), outcome{}) << other;
    const std::string whole = head + frame (0, "two");
    for (std::size_t bytes = 0; bytes < whole.size (); ++bytes)
        EXPECT_EQ (bodies_like_it (head, whole.substr (0, bytes)), outcome{}) << bytes;
    EXPECT_EQ (bodies_like_it (long_frame (more, "head"), whole), outcome{}) << "the first was a long one";
}

TEST (in_buffer, the_rest_of_a_half_taken_message_moves_to_another)
{
    reader from (128);
    reader to (128);
    from.read (frame (more, "one") + frame (more, "two") + frame (0, "three"));
    ASSERT_EQ (from.in.peek (), front_status::part);
    from.in.drop_front ();
    to.in.take_rest (from.in);
    EXPECT_EQ (from.in.peek (), front_status::need_bytes);
    ASSERT_EQ (to.in.peek (), front_status::part);
    EXPECT_EQ (to.in.parts_left (), 2U);
    EXPECT_EQ (text_at_front (to.in), "two");
    to.in.drop_front ();
    ASSERT_EQ (to.in.peek (), front_status::part);
    EXPECT_FALSE (to.in.front ().more);
    EXPECT_EQ (text_at_front (to.in), "three");
    to.in.drop_front ();
    EXPECT_TRUE (to.in.idle ());
    EXPECT_EQ (from.feed (frame (0, "anew")), front_status::need_bytes);
    EXPECT_EQ (from.seen, outcome{"anew"});
}

TEST (in_buffer, a_rest_is_put_together_from_messages)
{
    reader to (128);
    for (const bool last : {false, true}) {
        base::message part;
        ASSERT_TRUE (part.init_size (200).ok ());
        part.set_more (!last);
        ASSERT_TRUE (to.in.add_rest (part));
    }
    ASSERT_EQ (to.in.peek (), front_status::part);
    EXPECT_EQ (to.in.parts_left (), 2U);
    to.in.drop_front ();
    ASSERT_EQ (to.in.peek (), front_status::part);
    EXPECT_EQ (to.in.front ().bytes.size (), 200U);
    to.in.drop_front ();
    EXPECT_TRUE (to.in.idle ());
}

// --- landings ---------------------------------------------------------------------

constexpr std::size_t body_bytes = landing_bytes_min;

// A reader whose owner lends a buffer for every read.
struct lender
{
    explicit lender (bool expects = true) { in.expect_body (expects ? body_bytes : 0); }

    // True when a landing was asked for.
    bool read (std::string_view octets)
    {
        in_buffer::read_slices slices;
        const std::size_t count = in.prepare (slices, SIZE_MAX, lent);
        const bool asked = count > 0 && slices[count > 2 ? 1 : 0].data () >= lent.data ()
                           && slices[count > 2 ? 1 : 0].data () < lent.data () + lent.size ();
        std::size_t taken = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t some = std::min (slices[i].size (), octets.size () - taken);
            std::memcpy (slices[i].data (), octets.data () + taken, some);
            taken += some;
        }
        EXPECT_EQ (taken, octets.size ());
        in.commit (taken);
        return asked;
    }
    // What is at the front, taken.
    std::string take ()
    {
        if (in.peek () != front_status::part)
            return "nothing";
        std::string body (as_text (in.front ().bytes));
        landed = in.front ().bytes.data () == lent.data ();
        in.drop_front ();
        return body;
    }

    buffer_pool pool{128 * 1024, 2};
    in_buffer in{pool};
    std::vector<std::byte> lent = std::vector<std::byte> (body_bytes + 100);
    bool landed = false;
};

TEST (landing, a_body_of_the_expected_size_is_read_into_the_callers_buffer)
{
    lender from;
    for (char seed = 0; seed < 3; ++seed) {
        const std::string body = text_of (body_bytes, seed);
        EXPECT_TRUE (from.read (frame (0, body)));
        EXPECT_FALSE (from.in.idle ());
        EXPECT_EQ (from.take (), body);
        EXPECT_TRUE (from.landed);
        EXPECT_TRUE (from.in.idle ());
    }
}

TEST (landing, what_else_comes_is_put_together_in_the_slab)
{
    const std::string body = text_of (body_bytes, 1);
    const std::string shorter = text_of (body_bytes - 1, 2);
    const std::string longer = text_of (body_bytes + 1, 3);
    for (const auto &[octets, expected] : std::vector<std::pair<std::string, outcome>>{
           {frame (0, "small"), {"small"}},
           {frame (0, shorter), {shorter}},
           {frame (0, longer), {longer}},
           {frame (0, "before") + frame (0, body), {"before", body}},
           {frame (more, body) + frame (0, "end"), {body, "end"}},
           {frame (0, body).substr (0, 5), {}},
           {frame (0, body).substr (0, 500), {}}}) {
        lender from;
        EXPECT_TRUE (from.read (octets));
        for (const std::string &each : expected) {
            EXPECT_EQ (from.take (), each);
            EXPECT_FALSE (from.landed);
        }
        EXPECT_EQ (from.take (), "nothing");
        EXPECT_EQ (from.in.idle (), !expected.empty ());
    }
}

TEST (landing, one_that_comes_in_two_reads_is_whole)
{
    const std::string body = text_of (body_bytes, 1);
    const std::string octets = frame (0, body);
    for (const std::size_t cut : {1UL, 9UL, 10UL, 1000UL, octets.size () - 1}) {
        lender from;
        EXPECT_TRUE (from.read (octets.substr (0, cut)));
        EXPECT_EQ (from.take (), "nothing");
        EXPECT_FALSE (from.read (octets.substr (cut)));
        EXPECT_EQ (from.take (), body);
    }
}

TEST (landing, what_comes_behind_the_body_follows_it)
{
    const std::string body = text_of (body_bytes, 1);
    lender from;
    EXPECT_TRUE (from.read (frame (0, body) + frame (0, "one") + frame (0, "two").substr (0, 3)));
    EXPECT_EQ (from.take (), body);
    EXPECT_TRUE (from.landed);
    EXPECT_EQ (from.take (), "one");
    EXPECT_EQ (from.take (), "nothing");
    from.read (frame (0, "two").substr (3));
    EXPECT_EQ (from.take (), "two");
    EXPECT_TRUE (from.in.idle ());
}

// The header and some of the body came with what was before it.
TEST (landing, a_body_that_has_begun_goes_on_in_the_callers_buffer)
{
    const std::string body = text_of (body_bytes + 7, 1);
    const std::string octets = frame (0, body);
    for (const std::size_t begun : {9UL, 10UL, 400UL, octets.size () - 1}) {
        lender from (false);
        from.read (frame (0, "before") + octets.substr (0, begun));
        EXPECT_EQ (from.take (), "before");
        EXPECT_EQ (from.take (), "nothing");
        EXPECT_TRUE (from.read (octets.substr (begun) + frame (0, "behind")));
        EXPECT_EQ (from.take (), body);
        EXPECT_TRUE (from.landed);
        EXPECT_EQ (from.take (), "behind");
        EXPECT_TRUE (from.in.idle ());
    }
}

TEST (landing, a_body_that_has_begun_and_does_not_end_in_time_is_whole_all_the_same)
{
    const std::string body = text_of (body_bytes + 7, 1);
    const std::string octets = frame (0, "before") + frame (0, body);
    lender from (false);
    from.read (octets.substr (0, 100));
    EXPECT_EQ (from.take (), "before");
    EXPECT_EQ (from.take (), "nothing");
    EXPECT_TRUE (from.read (octets.substr (100, 900)));
    EXPECT_EQ (from.take (), "nothing");
    EXPECT_FALSE (from.read (octets.substr (1000)));
    EXPECT_EQ (from.take (), body);
    EXPECT_FALSE (from.landed);
    EXPECT_TRUE (from.in.idle ());
}

TEST (landing, a_part_of_a_multipart_message_does_not_land)
{
    const std::string body = text_of (body_bytes, 1);
    for (const std::string &octets :
         {frame (more, body) + frame (0, "end"), frame (more, "a") + frame (0, body)}) {
        lender from (false);
        from.read (octets.substr (0, 100));
        EXPECT_EQ (from.take (), "nothing");
        EXPECT_FALSE (from.read (octets.substr (100)));
        EXPECT_NE (from.take (), "nothing");
        EXPECT_FALSE (from.landed);
        EXPECT_NE (from.take (), "nothing");
    }
}

TEST (landing, discarded_it_leaves_what_is_behind)
{
    lender from;
    from.read (frame (0, text_of (body_bytes, 1)) + frame (0, "behind"));
    from.in.discard_landing ();
    EXPECT_EQ (from.take (), "behind");
}

TEST (landing, goes_on_while_only_the_rest_of_the_body_is_missing)
{
    const std::string body = text_of (body_bytes, 1);
    const std::string whole = frame (0, body);
    for (const std::string &octets : {whole, frame (0, text_of (body_bytes - 1, 1)), frame (more, body)}) {
        lender from;
        in_buffer::read_slices slices;
        ASSERT_EQ (from.in.prepare (slices, SIZE_MAX, from.lent), 3U);
        std::memcpy (slices[0].data (), octets.data (), slices[0].size ());
        const bool expected = octets == whole;
        EXPECT_FALSE (from.in.landing_goes_on (8));
        EXPECT_EQ (from.in.landing_goes_on (9), expected);
        EXPECT_EQ (from.in.landing_goes_on (8 + body_bytes), expected);
        EXPECT_FALSE (from.in.landing_goes_on (9 + body_bytes));
    }
    lender other;
    in_buffer::read_slices slices;
    ASSERT_GT (other.in.prepare (slices, SIZE_MAX), 0U);
    EXPECT_FALSE (other.in.landing_goes_on (9));
}

TEST (landing, misses_switch_it_off_for_longer_and_longer)
{
    lender from;
    unsigned asked = 0;
    constexpr unsigned reads = 1 << landing_backoff_max;
    for (unsigned i = 0; i < reads; ++i) {
        asked += from.read (frame (0, "small"));
        EXPECT_EQ (from.take (), "small");
    }
    EXPECT_GE (asked, 2U);
    EXPECT_LE (asked, landing_backoff_max);
}

TEST (landing, a_limit_on_messages_holds)
{
    lender from;
    from.in.set_message_bytes_max (static_cast<std::int64_t> (body_bytes) - 1);
    from.read (frame (0, text_of (body_bytes, 1)));
    EXPECT_EQ (from.in.peek (), front_status::violation);
    EXPECT_EQ (from.in.why (), base::close_reason::message_too_large);
}

TEST (landing, discarded_and_reset_it_is_gone)
{
    lender from;
    from.read (frame (0, text_of (body_bytes, 1)));
    from.in.discard_landing ();
    EXPECT_TRUE (from.in.idle ());
    EXPECT_EQ (from.take (), "nothing");
    from.read (frame (0, text_of (body_bytes, 1)));
    from.in.reset ();
    EXPECT_TRUE (from.in.idle ());
    EXPECT_EQ (from.take (), "nothing");
}

}  // namespace
}  // namespace zlink::engine

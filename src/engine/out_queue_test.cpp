#include "engine/out_queue.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "wire/command.hpp"

namespace zlink::engine {
namespace {

using base::as_bytes;
using base::as_text;

constexpr std::size_t small_arena_bytes = 128;

// How a frame gets into the queue.
enum class by : std::uint8_t
{
    copy,
    command,
    shared,
    borrowed,
};

struct item
{
    std::string body;
    bool more = false;
    by how = by::copy;
};

// The frame as a peer expects it, spelt out here once more on purpose.
std::string spelt (const item &from)
{
    const std::size_t size = from.body.size ();
    unsigned flags = (from.more ? 1U : 0U) | (from.how == by::command ? 4U : 0U) | (size > 255 ? 2U : 0U);
    std::string text (1, static_cast<char> (flags));
    for (unsigned shift = size > 255 ? 64 : 8; shift > 0; shift -= 8)
        text += static_cast<char> (static_cast<std::uint64_t> (size) >> (shift - 8) & 255);
    return text + from.body;
}

// What a script of frames comes to on the wire.
struct expectation
{
    struct whole
    {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::vector<std::string> parts;
    };
    std::string octets;
    std::vector<whole> messages;

    explicit expectation (const std::vector<item> &script)
    {
        bool inside = false;
        for (const item &each : script) {
            const std::size_t begin = octets.size ();
            octets += spelt (each);
            if (each.how == by::command)
                continue;
            if (!inside)
                messages.push_back ({begin, 0, {}});
            messages.back ().parts.push_back (each.body);
            messages.back ().end = octets.size ();
            inside = each.more;
        }
    }

    [[nodiscard]] std::int64_t written_by (std::size_t split) const
    {
        return std::count_if (messages.begin (), messages.end (),
                              [split] (const whole &each) { return each.end <= split; });
    }
};

// What was counted is given back in the end, whatever happened between.
struct balanced_account
{
    ~balanced_account () { EXPECT_EQ (of.used (), 0); }
    byte_budget of;
};

// A queue filled by a script; the script's strings stand for the caller's memory.
struct filled
{
    explicit filled (const std::vector<item> &script, std::size_t arena_bytes = small_arena_bytes)
      : pool (arena_bytes, 4), queue (pool)
    {
        pool.charge_to (&account.of);
        for (const item &each : script)
            add (each);
    }

    void add (const item &each)
    {
        switch (each.how) {
        case by::copy:
        case by::command:
            ASSERT_TRUE (queue.append_copy (as_bytes (each.body), each.more, each.how == by::command));
            break;
        case by::shared: {
            base::body *const held = base::body::allocate (each.body.size ());
            std::memcpy (held->data, each.body.data (), each.body.size ());
            ASSERT_TRUE (queue.append_body (held, each.more));
            break;
        }
        case by::borrowed:
            ASSERT_TRUE (queue.append_borrowed (as_bytes (each.body), each.more));
            break;
        }
    }

    [[nodiscard]] std::string unwritten (std::size_t slices_max = 64) const
    {
        std::vector<base::bytes_view> slices (slices_max);
        slices.resize (queue.gather (slices));
        std::string text;
        for (const base::bytes_view each : slices)
            text += as_text (each);
        return text;
    }

    balanced_account account;
    buffer_pool pool;
    out_queue queue;
};

std::vector<std::vector<std::string>> messages_of (std::vector<base::message> &parts)
{
    std::vector<std::vector<std::string>> all;
    bool inside = false;
    for (base::message &each : parts) {
        if (!inside)
            all.emplace_back ();
        all.back ().emplace_back (as_text (each.view ()));
        inside = each.more ();
        each.close ();
    }
    EXPECT_FALSE (inside) << "half a message came back";
    return all;
}

std::string text_of (std::size_t bytes, char seed)
{
    std::string text (bytes, ' ');
    for (std::size_t i = 0; i < bytes; ++i)
        text[i] = static_cast<char> ('a' + (i + static_cast<std::size_t> (seed)) % 26);
    return text;
}

std::vector<item> small_ones ()
{
    std::vector<item> script;
    for (int i = 0; i < 12; ++i)
        script.push_back ({text_of (static_cast<std::size_t> (i) * 5, static_cast<char> (i))});
    return script;
}

// Everything there is, over several arenas: commands, empty parts, multipart
// messages, shared bodies alone and inside of messages, long headers.
std::vector<item> mixture ()
{
    return {
      {"first"},
      {"\4PING", false, by::command},
      {"one", true},
      {"", true},
      {"three"},
      {text_of (90, 3)},
      {text_of (300, 4), false, by::shared},
      {"behind"},
      {text_of (70, 5), true},
      {text_of (70, 6), true},
      {text_of (70, 7)},
      {"again"},
      {"envelope", true},
      {text_of (280, 8), true, by::shared},
      {"", false},
      {text_of (200, 9)},
      {"last"},
    };
}

// --- what is written -------------------------------------------------------------

TEST (out_queue, starts_empty)
{
    filled with ({});
    EXPECT_TRUE (with.queue.empty ());
    EXPECT_EQ (with.unwritten (), "");
    EXPECT_EQ (with.queue.unwritten_messages (), 0);
    EXPECT_FALSE (with.queue.fits (0)) << "an idle queue owns no arena";
}

TEST (out_queue, gathers_the_frames_in_order)
{
    for (const auto &script : {small_ones (), mixture ()}) {
        const expectation expected (script);
        const filled with (script);
        EXPECT_EQ (with.unwritten (), expected.octets);
        EXPECT_EQ (with.queue.unwritten_bytes (), expected.octets.size ());
        EXPECT_EQ (with.queue.unwritten_messages (), static_cast<std::int64_t> (expected.messages.size ()));
        EXPECT_TRUE (with.queue.arena_full ());
    }
}

TEST (out_queue, a_head_and_what_is_behind_it_are_two_frames)
{
    for (const std::size_t head : {1, 15, 300})
        for (const std::size_t body : {0, 64, 400}) {
            const item first{std::string (head, 'h'), true};
            const item second{std::string (body, 'b')};
            filled with ({}, 1024);
            ASSERT_TRUE (with.queue.open_arena ());
            const std::string octets = spelt (first) + spelt (second);
            EXPECT_EQ (with.queue.append_pair (as_bytes (first.body), as_bytes (second.body)),
                       octets.size ());
            EXPECT_EQ (with.unwritten (), octets);
            EXPECT_EQ (with.queue.unwritten_messages (), 1);
        }
}

TEST (out_queue, few_slices_hold_a_prefix)
{
    const auto script = mixture ();
    const expectation expected (script);
    const filled with (script);
    for (std::size_t slices = 1; slices < 16; ++slices) {
        const std::string some = with.unwritten (slices);
        EXPECT_FALSE (some.empty ());
        EXPECT_EQ (some, expected.octets.substr (0, some.size ()));
    }
}

TEST (out_queue, advance_at_every_split_counts_what_is_complete)
{
    for (const auto &script : {small_ones (), mixture ()}) {
        const expectation expected (script);
        const std::size_t all = expected.octets.size ();
        for (std::size_t split = 1; split < all; ++split) {
            filled with (script);
            const written first = with.queue.advance (split);
            ASSERT_EQ (first.bytes, static_cast<std::int64_t> (split));
            ASSERT_EQ (first.messages, expected.written_by (split)) << "at " << split;
            ASSERT_EQ (with.unwritten (), expected.octets.substr (split)) << "at " << split;
            ASSERT_EQ (with.queue.unwritten_bytes (), all - split);
            const written second = with.queue.advance (all - split);
            ASSERT_EQ (first.messages + second.messages,
                       static_cast<std::int64_t> (expected.messages.size ()));
            ASSERT_TRUE (with.queue.empty ());
            ASSERT_EQ (with.queue.unwritten_messages (), 0);
        }
    }
}

TEST (out_queue, octet_by_octet_every_message_is_counted_with_its_last)
{
    const auto script = mixture ();
    const expectation expected (script);
    filled with (script);
    std::int64_t so_far = 0;
    for (std::size_t at = 1; at <= expected.octets.size (); ++at) {
        so_far += with.queue.advance (1).messages;
        ASSERT_EQ (so_far, expected.written_by (at)) << "at " << at;
    }
    EXPECT_TRUE (with.queue.empty ());
}

TEST (out_queue, goes_on_after_it_ran_empty)
{
    filled with ({{"one"}, {"two"}});
    const std::size_t before = with.queue.unwritten_bytes ();
    EXPECT_EQ (with.queue.advance (before).messages, 2);
    with.add ({"three"});
    EXPECT_EQ (with.unwritten (), spelt ({"three"}));
    EXPECT_EQ (with.queue.advance (with.queue.unwritten_bytes ()).messages, 1);
}

// The holder of the tx claim writes while others append.
TEST (out_queue, what_was_gathered_stays_where_it_is)
{
    filled with (small_ones ());
    std::array<base::bytes_view, 64> slices;
    const std::size_t count = with.queue.gather (slices);
    const std::string before = with.unwritten ();
    for (const item &each : mixture ())
        with.add (each);
    std::string after;
    for (std::size_t i = 0; i < count; ++i)
        after += as_text (slices[i]);
    EXPECT_EQ (after, before);
    EXPECT_EQ (with.queue.advance (before.size ()).messages, 12);
    EXPECT_EQ (with.unwritten (), expectation (mixture ()).octets);
}

TEST (out_queue, an_older_framing_is_used_throughout)
{
    buffer_pool pool (small_arena_bytes, 4);
    out_queue queue (pool);
    queue.set_framing (wire::framing::zmtp_1_0);
    EXPECT_EQ (queue.framing (), wire::framing::zmtp_1_0);
    ASSERT_TRUE (queue.append_copy (as_bytes ("ab"), true, false));
    ASSERT_TRUE (queue.append_copy (as_bytes ("c"), false, false));
    std::array<base::bytes_view, 4> slices;
    ASSERT_EQ (queue.gather (slices), 1U);
    EXPECT_EQ (as_text (slices[0]), std::string_view ("\3\1ab\2\0c", 7));
    EXPECT_EQ (queue.advance (4).messages, 0);
    EXPECT_EQ (queue.advance (3).messages, 1);
}

// --- arenas ----------------------------------------------------------------------

TEST (out_queue, an_empty_arena_goes_back_and_a_used_one_does_not)
{
    filled with ({{"one"}});
    with.queue.release_arena ();
    EXPECT_EQ (with.unwritten (), spelt ({"one"}));
    (void)with.queue.advance (with.queue.unwritten_bytes ());
    EXPECT_TRUE (with.queue.fits (8)) << "kept for the next burst";
    with.queue.release_arena ();
    EXPECT_FALSE (with.queue.fits (8));
}

TEST (out_queue, fits_until_the_arena_is_full)
{
    filled with ({});
    ASSERT_TRUE (with.queue.open_arena ());
    constexpr std::size_t largest = small_arena_bytes - wire::frame_header_bytes_max;
    EXPECT_TRUE (with.queue.fits (largest));
    EXPECT_FALSE (with.queue.fits (largest + 1));
    with.queue.append (as_bytes (std::string (largest, 'x')), false, false);
    EXPECT_FALSE (with.queue.fits (0));
    EXPECT_FALSE (with.queue.arena_full ()) << "one arena's worth is not more than one";
    ASSERT_TRUE (with.queue.open_arena ());
    EXPECT_TRUE (with.queue.arena_full ());
    EXPECT_EQ (with.queue.sealed_chunks (), 1U);
}

TEST (out_queue, what_fits_no_arena_is_copied_into_a_body_of_its_own)
{
    std::string body = text_of (3 * small_arena_bytes, 1);
    const item large{body};
    filled with ({{"before"}});
    ASSERT_TRUE (with.queue.append_copy (as_bytes (body), false, false));
    body.assign (body.size (), '!');
    EXPECT_EQ (with.unwritten (), spelt ({"before"}) + spelt (large));
}

TEST (out_queue, a_shared_body_is_dropped_once_written)
{
    base::body *const held = base::body::allocate (500);
    held->retain ();
    filled with ({});
    std::memset (held->data, 'x', 500);
    ASSERT_TRUE (with.queue.append_body (held, false));
    EXPECT_EQ (held->references.load (), 2U);
    (void)with.queue.advance (508);
    EXPECT_EQ (held->references.load (), 2U);
    EXPECT_EQ (with.queue.advance (1).messages, 1);
    EXPECT_EQ (held->references.load (), 1U);
    held->drop ();
}

TEST (out_queue, drops_what_is_left_with_itself)
{
    base::body *const held = base::body::allocate (500);
    held->retain ();
    {
        filled with ({{"before"}});
        ASSERT_TRUE (with.queue.append_body (held, false));
    }
    EXPECT_EQ (held->references.load (), 1U);
    held->drop ();
}

// --- borrowed bodies -------------------------------------------------------------

TEST (out_queue, a_borrow_ends_at_every_split_with_the_rest_copied)
{
    const std::string body = text_of (300, 2);
    const std::vector<item> script{{"before"}, {body, false, by::borrowed}};
    const expectation expected (script);
    for (std::size_t split = 0; split < expected.octets.size (); ++split) {
        auto memory = std::make_unique<std::string> (body);
        filled with ({{"before"}});
        ASSERT_TRUE (with.queue.append_borrowed (as_bytes (*memory), false));
        std::int64_t messages = split == 0 ? 0 : with.queue.advance (split).messages;
        ASSERT_TRUE (with.queue.borrowing ());
        ASSERT_TRUE (with.queue.end_borrow ());
        ASSERT_FALSE (with.queue.borrowing ());
        memory.reset ();
        with.add ({"after"});
        ASSERT_EQ (with.unwritten (), expected.octets.substr (split) + spelt ({"after"}));
        messages += with.queue.advance (with.queue.unwritten_bytes ()).messages;
        ASSERT_EQ (messages, 3);
    }
}

TEST (out_queue, a_borrow_is_over_when_all_is_written)
{
    const std::string body = text_of (300, 2);
    filled with ({});
    ASSERT_TRUE (with.queue.append_borrowed (as_bytes (body), false));
    EXPECT_EQ (with.queue.advance (with.queue.unwritten_bytes ()).messages, 1);
    EXPECT_FALSE (with.queue.borrowing ());
    EXPECT_TRUE (with.queue.empty ());
}

TEST (out_queue, a_forgotten_borrow_leaves_what_stands_before_it)
{
    const std::string body = text_of (300, 2);
    filled with ({{"before"}});
    ASSERT_TRUE (with.queue.append_borrowed (as_bytes (body), false));
    with.queue.forget_borrowed ();
    EXPECT_FALSE (with.queue.borrowing ());
    EXPECT_EQ (with.unwritten (), spelt ({"before"}));
    EXPECT_EQ (with.queue.unwritten_messages (), 1);
    recovered all = with.queue.recover ();
    EXPECT_EQ (messages_of (all.parts), (std::vector<std::vector<std::string>>{{"before"}}));
    EXPECT_EQ (all.cut, 1U);
}

// --- after a lost connection -----------------------------------------------------

TEST (out_queue, recovers_whole_messages_in_order_and_no_commands)
{
    const auto script = mixture ();
    const expectation expected (script);
    filled with (script);
    recovered all = with.queue.recover ();
    const auto messages = messages_of (all.parts);
    ASSERT_EQ (messages.size (), expected.messages.size ());
    for (std::size_t i = 0; i < messages.size (); ++i)
        EXPECT_EQ (messages[i], expected.messages[i].parts);
    EXPECT_EQ (all.cut, 0U);
    EXPECT_TRUE (with.queue.empty ());
    EXPECT_EQ (with.queue.unwritten_messages (), 0);
    EXPECT_EQ (with.unwritten (), "");
}

// Those behind the split come back, those before it do not, and the one that
// is cut comes back whole or is counted.
void expect_recovery (filled &with, const expectation &expected, std::size_t split, bool all_ours)
{
    recovered all = with.queue.recover ();
    std::vector<std::vector<std::string>> behind;
    const expectation::whole *cut = nullptr;
    for (const auto &each : expected.messages) {
        if (each.begin >= split)
            behind.push_back (each.parts);
        else if (each.end > split)
            cut = &each;
    }
    auto messages = messages_of (all.parts);
    if (cut != nullptr && all.cut == 0) {
        ASSERT_FALSE (messages.empty ()) << "at " << split;
        EXPECT_EQ (messages.front (), cut->parts) << "at " << split;
        messages.erase (messages.begin ());
    } else {
        ASSERT_EQ (all.cut, cut == nullptr ? 0U : 1U) << "at " << split;
        ASSERT_TRUE (cut == nullptr || !all_ours) << "at " << split;
    }
    ASSERT_EQ (messages, behind) << "at " << split;
}

TEST (out_queue, recovers_at_every_split)
{
    const auto script = mixture ();
    const expectation expected (script);
    for (std::size_t split = 1; split < expected.octets.size (); ++split) {
        filled with (script);
        (void)with.queue.advance (split);
        expect_recovery (with, expected, split, false);
    }
}

TEST (out_queue, recovers_after_octet_by_octet_too)
{
    const auto script = mixture ();
    const expectation expected (script);
    for (std::size_t split = 1; split < expected.octets.size (); split += 7) {
        filled with (script);
        for (std::size_t i = 0; i < split; ++i)
            (void)with.queue.advance (1);
        expect_recovery (with, expected, split, false);
    }
}

// In one arena, and of single shared bodies, every byte is still ours.
TEST (out_queue, a_cut_message_of_ours_comes_back_whole)
{
    const std::vector<item> script{
      {"one"}, {"a", true}, {"b", true}, {"c"}, {text_of (400, 1), false, by::shared}, {"last"}};
    const expectation expected (script);
    for (std::size_t split = 1; split < expected.octets.size (); ++split) {
        filled with (script, 4096);
        (void)with.queue.advance (split);
        expect_recovery (with, expected, split, true);
    }
}

TEST (out_queue, a_borrowed_body_that_was_cut_is_dropped_and_counted)
{
    const std::string body = text_of (300, 2);
    const std::size_t head = spelt ({body}).size () - body.size ();
    for (const std::size_t gone : {std::size_t{0}, head - 1, head, head + 1, head + 299}) {
        filled with ({});
        ASSERT_TRUE (with.queue.append_borrowed (as_bytes (body), false));
        if (gone > 0)
            (void)with.queue.advance (gone);
        ASSERT_TRUE (with.queue.end_borrow ());
        with.add ({"after"});
        recovered all = with.queue.recover ();
        const auto messages = messages_of (all.parts);
        const bool cut = gone > head;
        EXPECT_EQ (all.cut, cut ? 1U : 0U) << "at " << gone;
        ASSERT_EQ (messages.size (), cut ? 1U : 2U) << "at " << gone;
        EXPECT_EQ (messages.back (), std::vector<std::string>{"after"});
        if (!cut) {
            EXPECT_EQ (messages.front (), std::vector<std::string>{body});
        }
    }
}

TEST (out_queue, is_as_new_after_a_recovery)
{
    filled with (mixture ());
    (void)with.queue.advance (20);
    recovered all = with.queue.recover ();
    (void)messages_of (all.parts);
    with.queue.set_framing (wire::framing::zmtp_2_0);
    with.add ({"again"});
    EXPECT_EQ (with.unwritten (), spelt ({"again"}));
    EXPECT_EQ (with.queue.advance (with.queue.unwritten_bytes ()).messages, 1);
}

// Nothing tells where they end: they count as written with their arena, and
// none comes back.
TEST (out_queue, raw_messages_go_out_as_they_are_and_never_come_back)
{
    buffer_pool arenas (small_arena_bytes, 4);
    out_queue queue (arenas);
    queue.set_framing (wire::framing::raw);
    std::string sent;
    for (const std::size_t size : {1, 10, 100, 100, 1000, 3}) {
        const std::string body (size, static_cast<char> ('a' + size % 26));
        ASSERT_TRUE (queue.append_copy (as_bytes (body), false, false));
        sent += body;
    }
    EXPECT_EQ (queue.unwritten_messages (), 6);
    std::array<base::bytes_view, 16> slices;
    const std::size_t count = queue.gather (slices);
    std::string gathered;
    for (std::size_t i = 0; i < count; ++i)
        gathered += as_text (slices[i]);
    EXPECT_EQ (gathered, sent);
    EXPECT_EQ (queue.advance (5).messages, 0);
    const written more = queue.advance (500);
    EXPECT_GE (more.messages, 3);
    EXPECT_EQ (queue.unwritten_messages (), 6 - more.messages);
    const recovered left = queue.recover ();
    EXPECT_TRUE (left.parts.empty ());
    EXPECT_EQ (static_cast<std::int64_t> (left.cut), 6 - more.messages);
    EXPECT_TRUE (queue.empty ());
}

// --- taking back -----------------------------------------------------------------

// What stays and what comes back when so much is written, as the script says it.
struct split_script
{
    std::string left;
    std::vector<std::vector<std::string>> back;

    split_script (const std::vector<item> &script, std::size_t written)
    {
        std::size_t at = 0;
        bool inside = false;  // a message
        bool begun = false;   // and the kernel has some of it
        for (const item &each : script) {
            const std::string frame = spelt (each);
            const std::size_t end = at + frame.size ();
            const bool command = each.how == by::command;
            if (!command && !inside)
                begun = at < written;
            if (end > written && (command || begun))
                left += frame.substr (written > at ? written - at : 0);
            else if (end > written)
                put_back (each, inside);
            inside = command ? inside : each.more;
            at = end;
        }
    }

    void put_back (const item &each, bool inside)
    {
        if (!inside)
            back.emplace_back ();
        back.back ().push_back (each.body);
    }
};

TEST (out_queue, take_back_at_every_split_leaves_what_was_begun)
{
    for (const auto &script : {small_ones (), mixture ()}) {
        const std::size_t all = expectation (script).octets.size ();
        for (std::size_t split = 0; split <= all; ++split) {
            filled with (script);
            if (split > 0)
                (void)with.queue.advance (split);
            const split_script expected (script, split);
            taken_back got;
            ASSERT_TRUE (with.queue.take_back (got)) << "at " << split;
            ASSERT_TRUE (got.gaps.empty ());
            ASSERT_EQ (messages_of (got.parts), expected.back) << "at " << split;
            ASSERT_EQ (with.unwritten (), expected.left) << "at " << split;
            ASSERT_EQ (with.queue.unwritten_bytes (), expected.left.size ());
            ASSERT_LE (with.queue.unwritten_messages (), 1);
            with.add ({"next"});
            ASSERT_EQ (with.unwritten (), expected.left + spelt ({"next"})) << "at " << split;
            const std::int64_t rest = with.queue.unwritten_messages ();
            ASSERT_EQ (with.queue.advance (with.queue.unwritten_bytes ()).messages, rest) << "at " << split;
            ASSERT_TRUE (with.queue.empty ());
        }
    }
}

// As gaps that were told stand in the queue.
item gap_of (std::uint64_t messages)
{
    std::array<std::byte, 8> number;
    base::store_u64_be (number.data (), messages);
    const wire::command what = wire::make_gap (number);
    std::string body (wire::command_body_bytes (what), ' ');
    wire::encode_command_body (reinterpret_cast<std::byte *> (body.data ()), what);
    return {.body = body, .how = by::command};
}

TEST (out_queue, take_back_brings_gaps_with_their_places)
{
    const item other{.body = "\4PING", .how = by::command};
    const std::string large = text_of (5'000, 3);
    filled with ({gap_of (1),
                  {"a"},
                  gap_of (2),
                  other,
                  {.body = "b", .more = true},
                  {large, false, by::shared},
                  gap_of (3),
                  {"c"},
                  gap_of (4)});
    // The first gap is with the kernel.
    (void)with.queue.advance (spelt (gap_of (1)).size ());
    taken_back got;
    ASSERT_TRUE (with.queue.take_back (got));
    EXPECT_EQ (messages_of (got.parts), (std::vector<std::vector<std::string>>{{"a"}, {"b", large}, {"c"}}));
    std::vector<std::pair<std::size_t, std::uint64_t>> gaps;
    for (const taken_back::gap &each : got.gaps)
        gaps.emplace_back (each.before, each.messages);
    EXPECT_EQ (gaps, (std::vector<std::pair<std::size_t, std::uint64_t>>{{1, 2}, {3, 3}, {4, 4}}));
    EXPECT_EQ (with.unwritten (), spelt (other));
}

TEST (out_queue, of_raw_bytes_nothing_is_taken_back)
{
    filled with ({{"one"}});
    with.queue.set_framing (wire::framing::raw);
    taken_back got;
    EXPECT_FALSE (with.queue.take_back (got));
    EXPECT_TRUE (got.parts.empty ());
    EXPECT_EQ (with.unwritten (), spelt ({"one"}));
}

// --- rows ------------------------------------------------------------------------

constexpr std::string_view row_front = "F:";

// As an item of a row of that number is appended.
void add_row (
  out_queue &to, std::uint64_t row, std::uint64_t number, std::string_view body, bool alone = false)
{
    const base::joined_part part{as_bytes (row_front), as_bytes (body), row, number};
    ASSERT_TRUE (to.fits (wire::joined_bytes (part)) || to.open_arena ());
    if (alone || to.append_to_row (part) == 0)
        (void)to.append_joined (part, !alone);
}

// The bodies of frames that stand whole in octets; a row's without its front and sizes,
// each behind a bar.
std::vector<std::string> frames_in (std::string_view octets)
{
    std::vector<std::string> all;
    base::bytes_view left = as_bytes (octets);
    wire::frame_head head;
    while (wire::decode_frame_header (wire::framing::zmtp_3, left, head) == wire::head_status::complete) {
        const base::bytes_view body = left.subspan (head.header_bytes, head.body_size);
        left = left.subspan (head.header_bytes + body.size ());
        std::string text (as_text (body));
        if (text.starts_with (row_front)) {
            base::bytes_view items = body.subspan (row_front.size ());
            base::bytes_view item;
            for (text.clear (); wire::take_row_item (items, item);)
                text += "|" + std::string (as_text (item));
            EXPECT_TRUE (items.empty ());
        }
        all.push_back (std::move (text));
    }
    EXPECT_TRUE (left.empty ());
    return all;
}

using frames = std::vector<std::string>;

TEST (out_queue, a_row_stands_in_one_frame_and_counts_as_messages)
{
    filled with ({}, 4096);
    for (std::uint64_t i = 1; i <= 3; ++i)
        add_row (with.queue, 7, i, text_of (i, 0));
    EXPECT_EQ (with.queue.unwritten_messages (), 3);
    const std::string octets = with.unwritten ();
    EXPECT_EQ (frames_in (octets), (frames{"|a|ab|abc"}));
    EXPECT_EQ (with.queue.unwritten_bytes (), octets.size ());
    const written first = with.queue.advance (octets.size () - 1);
    EXPECT_EQ (first.messages + with.queue.advance (1).messages, 3);
    EXPECT_EQ (with.queue.unwritten_messages (), 0);
}

TEST (out_queue, a_row_ends_where_anything_else_begins)
{
    filled with ({}, 4096);
    add_row (with.queue, 7, 1, "a");
    add_row (with.queue, 7, 3, "b");  // one is missing
    add_row (with.queue, 8, 4, "c");  // another row
    with.queue.append (as_bytes ("plain"), false, false);
    add_row (with.queue, 8, 5, "d");
    add_row (with.queue, 8, 6, "e", true);  // wants to be alone
    add_row (with.queue, 8, 7, "f");
    EXPECT_EQ (frames_in (with.unwritten ()), (frames{"|a", "|b", "|c", "plain", "|d", "|e", "|f"}));
}

TEST (out_queue, what_was_shown_of_a_row_stays_as_it_is)
{
    filled with ({}, 4096);
    add_row (with.queue, 7, 1, "a");
    const std::string before = with.unwritten ();
    add_row (with.queue, 7, 2, "b");
    add_row (with.queue, 7, 3, "c");
    const std::string after = with.unwritten ();
    EXPECT_EQ (after.substr (0, before.size ()), before);
    EXPECT_EQ (frames_in (after), (frames{"|a", "|b|c"}));
    (void)with.queue.advance (after.size ());
    add_row (with.queue, 7, 4, "d");
    EXPECT_EQ (frames_in (with.unwritten ()), (frames{"|d"})) << "an arena that was written begins anew";
}

TEST (out_queue, a_row_grows_up_to_a_size)
{
    filled with ({}, 64 * 1024);
    const std::string body (1000, 'x');
    std::uint64_t number = 0;
    for (int i = 0; i < 20; ++i)
        add_row (with.queue, 7, ++number, body);
    std::size_t items = 0;
    for (const std::string &each : frames_in (with.unwritten ())) {
        EXPECT_LE (each.size (), wire::row_frame_bytes_max);
        items += each.size () / (body.size () + 1);
    }
    EXPECT_EQ (items, 20U);
}

TEST (out_queue, an_older_framing_has_no_frames_that_grow)
{
    buffer_pool pool (4096, 4);
    out_queue queue (pool);
    queue.set_framing (wire::framing::zmtp_1_0);
    ASSERT_TRUE (queue.open_arena ());
    add_row (queue, 7, 1, "a");
    add_row (queue, 7, 2, "b");
    std::array<base::bytes_view, 4> slices;
    ASSERT_EQ (queue.gather (slices), 1U);
    EXPECT_EQ (as_text (slices[0]), std::string_view ("\6\0F:\0\1a\6\0F:\0\1b", 14));
    (void)queue.advance (14);
}

TEST (out_queue, a_row_is_recovered_as_it_stood)
{
    filled with ({}, 4096);
    for (std::uint64_t i = 1; i <= 5; ++i)
        add_row (with.queue, i < 4 ? 7 : 8, i, "a");
    EXPECT_EQ (with.queue.unwritten_messages (), 5);
    recovered all = with.queue.recover ();
    EXPECT_EQ (messages_of (all.parts).size (), 2U);
    EXPECT_EQ (with.queue.unwritten_messages (), 0);
}

// Whatever happens in between, every item comes out once, in order, in whole frames.
TEST (out_queue, rows_come_out_whole_whatever_is_written_when)
{
    std::minstd_rand dice (1);
    const auto roll = [&dice] (unsigned sides) { return static_cast<unsigned> (dice ()) % sides; };
    for (int round = 0; round < 200; ++round) {
        filled with ({}, 1024);
        std::string octets;
        std::string expected;
        std::int64_t messages = 0;
        std::uint64_t number = 0;
        const auto write = [&] (std::size_t bytes) {
            octets += with.unwritten ().substr (0, bytes);
            messages -= with.queue.advance (bytes).messages;
        };
        for (int step = 0; step < 100; ++step) {
            const unsigned what = roll (10);
            if (what < 7) {
                number += 1 + (roll (10) == 0);
                const std::string body = text_of (roll (40), static_cast<char> (step));
                add_row (with.queue, 1 + (roll (8) == 0), number, body, roll (20) == 0);
                expected += "|" + body;
                ++messages;
            } else if (what == 7) {
                ASSERT_TRUE (with.queue.fits (5) || with.queue.open_arena ());
                with.queue.append (as_bytes ("plain"), false, false);
                expected += "plain";
                ++messages;
            } else {
                write (roll (static_cast<unsigned> (with.queue.unwritten_bytes ()) + 1));
            }
        }
        write (with.queue.unwritten_bytes ());
        std::string got;
        for (const std::string &each : frames_in (octets))
            got += each;
        ASSERT_EQ (got, expected) << "round " << round;
        ASSERT_EQ (messages, 0) << "round " << round;
    }
}

}  // namespace
}  // namespace zlink::engine

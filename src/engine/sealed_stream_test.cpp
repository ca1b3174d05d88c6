// Two sealed streams back to back over a pipe that takes and gives as much as a
// test says: what goes in comes out, however it was cut on the way.
#include "engine/sealed_stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "engine/tube_stream.hpp"

namespace zlink::engine {
namespace {

using base::as_bytes;
using base::as_text;
using base::bytes_span;
using base::bytes_view;
using base::close_reason;
using base::errc;
using base::result;
using test::tube;
using test::tube_stream;

constexpr std::size_t pooled_bytes = 4096;

struct pair_of_ends
{
    explicit pair_of_ends (std::int64_t bytes_max = INT64_MAX)
      : left (std::make_unique<tube_stream> (right_bound, left_bound), one_way, bytes_max, pool, pool),
        right (std::make_unique<tube_stream> (left_bound, right_bound), other_way, bytes_max, pool, pool)
    {
    }
    buffer_pool pool{pooled_bytes, 4};
    tube right_bound;
    tube left_bound;
    crypto::numbered_key key_right{base::secret_key (), as_bytes ("CurveZMQMESSAGEC")};
    crypto::numbered_key key_left{base::secret_key (), as_bytes ("CurveZMQMESSAGES")};
    wire::sealing one_way{{key_right, 3}, {key_left, 1}};
    wire::sealing other_way{{key_left, 2}, {key_right, 2}};
    sealed_stream left;
    sealed_stream right;
};

std::string frame_of (unsigned flags, const std::string &body)
{
    std::array<std::byte, wire::frame_header_bytes_max> head;
    const std::size_t size = wire::encode_frame_header (wire::framing::zmtp_3, head.data (), body.size (),
                                                        (flags & 1) != 0, (flags & 4) != 0);
    return std::string (as_text (bytes_view (head).first (size))) + body;
}

// All that one read gives, into two slices of these sizes.
result<std::size_t> read_into (sealed_stream &from, std::string &to, std::size_t first, std::size_t second)
{
    std::string room (first + second, '?');
    const bytes_span whole = std::as_writable_bytes (std::span (room));
    const std::array slices{whole.first (first), whole.subspan (first)};
    const auto got = from.read (slices);
    if (got.ok ())
        to += room.substr (0, got.value ());
    return got;
}

result<std::size_t> write_all (sealed_stream &to, std::string_view octets)
{
    const bytes_view all = as_bytes (octets);
    return to.write (std::span (&all, 1));
}

TEST (sealed_stream, what_goes_in_comes_out_and_nothing_shows)
{
    pair_of_ends both;
    const std::string said = frame_of (1, "first part") + frame_of (0, "") + frame_of (4, "\4PING12ctx")
                             + frame_of (0, std::string (300, 'x'));
    EXPECT_EQ (write_all (both.left, said).value (), said.size ());
    EXPECT_EQ (both.right_bound.octets.size (), said.size () + 4 * 33);
    EXPECT_EQ (both.right_bound.octets.find ("first part"), std::string::npos);
    std::string heard;
    EXPECT_EQ (read_into (both.right, heard, 10'000, 0).value (), said.size ());
    EXPECT_EQ (heard, said);
    EXPECT_EQ (read_into (both.right, heard, 10'000, 0).code (), errc::would_block);
    EXPECT_FALSE (both.right.pending ());
}

TEST (sealed_stream, is_else_as_the_stream_inside)
{
    pair_of_ends both;
    EXPECT_EQ (both.left.handle (), 42);
    EXPECT_EQ (both.left.peer_address () + both.left.local_endpoint () + both.left.remote_endpoint (),
               "peerherethere");
    EXPECT_TRUE (both.left.admitted () && both.left.finish_connect ().ok () && !both.left.connecting ());
    EXPECT_TRUE (both.left.wait_writable (0));
    EXPECT_FALSE (both.left.output_pending ());
    both.left.shutdown_write ();
    EXPECT_TRUE (both.right_bound.ended);
    std::string heard;
    EXPECT_EQ (read_into (both.right, heard, 10, 0).value (), 0U);
    EXPECT_EQ (both.right.fault (), close_reason::none);
}

// Rooms, pieces and slices at random, frames around every border, the rest of a
// write begun again where it was left.
TEST (sealed_stream, however_it_is_cut)
{
    for (unsigned seed = 1; seed <= 60; ++seed) {
        std::mt19937 dice (seed);
        const auto below = [&dice] (std::size_t bound) { return dice () % bound; };
        pair_of_ends both;
        std::string said;
        for (std::size_t i = 0; i < 30; ++i) {
            constexpr std::array sizes{0U,   1U,   30U,   31U,   32U,   222U,   223U,
                                       255U, 256U, 1000U, 4000U, 4096U, 20'000U};
            const unsigned flags = below (3) == 0 ? 4 : static_cast<unsigned> (below (2));
            said += frame_of (flags, std::string (sizes[below (sizes.size ())], static_cast<char> ('a' + i)));
        }
        both.right_bound.piece = 1 + below (3000);
        std::size_t written = 0;
        std::string heard;
        std::size_t still = 0;
        while (heard.size () < said.size () && still < 5000) {
            both.right_bound.room = below (4) == 0 ? 0 : below (6000);
            const auto sent = write_all (both.left, std::string_view (said).substr (written));
            written += sent.ok () ? sent.value () : 0;
            ASSERT_TRUE (sent.ok () || sent.code () == errc::would_block);
            const auto got = read_into (both.right, heard, below (300), 1 + below (5000));
            ASSERT_TRUE (got.ok () || got.code () == errc::would_block);
            still = got.ok () ? 0 : still + 1;
        }
        EXPECT_EQ (written, said.size ()) << seed;
        EXPECT_TRUE (heard == said) << seed;
    }
}

TEST (sealed_stream, a_byte_stays_unwritten_as_long_as_the_system_has_not_all)
{
    pair_of_ends both;
    const std::string said = frame_of (0, "hello") + frame_of (0, "again");
    both.right_bound.room = 50;
    EXPECT_EQ (write_all (both.left, said).value (), said.size () - 1);
    both.right_bound.room = 0;
    EXPECT_EQ (write_all (both.left, said.substr (said.size () - 1)).code (), errc::would_block);
    both.right_bound.room = 1000;
    const std::string rest = said.substr (said.size () - 1) + frame_of (0, "third");
    EXPECT_EQ (write_all (both.left, rest).value (), rest.size ());
    std::string heard;
    (void)read_into (both.right, heard, 1000, 0);
    EXPECT_EQ (heard, said + frame_of (0, "third"));
}

TEST (sealed_stream, what_has_gone_before_it_broke_is_not_said_to_have_failed)
{
    const std::string first = frame_of (0, std::string (3000, 'a'));
    const std::string said = first + frame_of (0, std::string (3000, 'b'));
    pair_of_ends measured;
    EXPECT_EQ (write_all (measured.left, first).value (), first.size ());
    for (const std::size_t beyond : {0u, 100u}) {
        pair_of_ends both;
        both.right_bound.room = measured.right_bound.octets.size () + beyond;
        both.right_bound.broken = true;
        const std::size_t taken = write_all (both.left, said).value ();
        EXPECT_EQ (taken, beyond == 0 ? first.size () : said.size () - 1);
        EXPECT_EQ (write_all (both.left, said.substr (taken)).code (), errc::connection_reset);
        std::string heard;
        (void)read_into (both.right, heard, 10'000, 0);
        EXPECT_TRUE (heard == first);
    }
}

TEST (sealed_stream, a_header_and_its_body_may_stand_apart)
{
    pair_of_ends both;
    const std::string body (5000, 'b');
    const std::string whole = frame_of (0, body);
    const std::array slices{as_bytes (std::string_view (whole).substr (0, 9)), as_bytes (body)};
    EXPECT_EQ (both.left.write (slices).value (), whole.size ());
    std::string heard;
    while (read_into (both.right, heard, 3000, 0).ok ()) {}
    EXPECT_TRUE (heard == whole);
}

TEST (sealed_stream, what_came_early_is_read_first)
{
    pair_of_ends both;
    const std::string said = frame_of (0, "early") + frame_of (0, "late");
    (void)write_all (both.left, said);
    ASSERT_TRUE (both.right.preload (as_bytes (both.right_bound.octets.substr (0, 45))));
    both.right_bound.octets.erase (0, 45);
    std::string heard;
    EXPECT_EQ (read_into (both.right, heard, 1000, 0).value (), said.size ());
    EXPECT_EQ (heard, said);
}

// What came before is handed out; then there is an end, of which no event tells.
void breaks (std::string octets, close_reason why, std::int64_t bytes_max = INT64_MAX)
{
    pair_of_ends both (bytes_max);
    (void)write_all (both.left, frame_of (0, "good"));
    both.right_bound.octets += octets;
    std::string heard;
    EXPECT_TRUE (read_into (both.right, heard, 1000, 0).ok ());
    EXPECT_EQ (heard, frame_of (0, "good"));
    EXPECT_TRUE (both.right.pending ());
    EXPECT_EQ (read_into (both.right, heard, 1000, 0).code (), errc::incompatible_protocol);
    EXPECT_STREQ (base::reason_name (both.right.fault ()), base::reason_name (why));
    EXPECT_EQ (read_into (both.right, heard, 1000, 0).code (), errc::incompatible_protocol) << "for good";
}

TEST (sealed_stream, what_is_not_genuine_ends_it)
{
    breaks (frame_of (0, "in the clear, and long enough for a box"), close_reason::command_unexpected);
    breaks (frame_of (4, "\4PING12"), close_reason::command_unexpected);
    breaks (frame_of (0, ""), close_reason::command_unexpected);
    breaks (frame_of (0, "\7MESSAGE" + std::string (24, '.')), close_reason::message_malformed);
    breaks (frame_of (0, "\7MESSAGE" + std::string (40, '.')), close_reason::box_unopened);
    breaks (frame_of (0, "\7MESSAGE" + std::string (40, '\0')), close_reason::sequence_invalid);
    breaks (std::string ("\2\xFF\0\0\0\0\0\0\0", 9), close_reason::frame_malformed);
    breaks (frame_of (0, "\7MESSAGE" + std::string (26 + 100, '.')), close_reason::message_too_large, 100);
    breaks (std::string ("\2\0\0\0\1\0\0\0\0", 9), close_reason::message_too_large, 100);
}

// Nobody asks again who was told that nothing is there.
TEST (sealed_stream, an_end_behind_a_piece_of_a_box_is_told_at_once)
{
    pair_of_ends both;
    (void)write_all (both.left, frame_of (0, "cut off"));
    both.right_bound.octets.resize (10);
    both.right_bound.ended = true;
    std::string heard;
    const result<std::size_t> got = read_into (both.right, heard, 1000, 0);
    EXPECT_TRUE (got.ok () && got.value () == 0);
}

TEST (sealed_stream, an_error_behind_data_is_told_next)
{
    pair_of_ends both;
    (void)write_all (both.left, frame_of (0, "good"));
    both.right_bound.piece = 20;
    both.right_bound.failure = errc::connection_reset;
    std::string heard;
    while (read_into (both.right, heard, 1000, 0).code () == errc::would_block) {}
    EXPECT_EQ (heard, frame_of (0, "good"));
    EXPECT_EQ (read_into (both.right, heard, 1000, 0).code (), errc::connection_reset);
    EXPECT_EQ (both.right.fault (), close_reason::none);
}

}  // namespace
}  // namespace zlink::engine

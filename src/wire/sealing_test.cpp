#include "wire/sealing.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;
using base::close_reason;

const crypto::numbered_key key (base::secret_key (), as_bytes ("CurveZMQMESSAGEC"));

std::string sealed (sealer &by, frame_flags flags, std::string_view body)
{
    std::vector<std::byte> room (frame_header_bytes_max + sealing_body_bytes + body.size ());
    return std::string (as_text (bytes_view (room).first (by.seal (room.data (), flags, as_bytes (body)))));
}

std::string body_of (const std::string &frame) { return frame.substr (frame[0] == 2 ? 9 : 2); }

close_reason opened (opener &by, std::string body, std::string &plain, frame_flags &flags)
{
    const std::span octets = std::as_writable_bytes (std::span (body));
    std::byte *const place = opener::plain_place (octets.data ());
    const close_reason why = by.open (octets, flags, place);
    plain = why == close_reason::none ? body.substr (sealing_body_bytes) : "";
    return why;
}

TEST (sealing, frames_are_ordinary_ones_of_the_right_size)
{
    sealer out (key, 3);
    const std::string small = sealed (out, {}, "hello");
    EXPECT_EQ (small.size (), 2u + 33 + 5);
    EXPECT_EQ (small.substr (0, 18), octet (0) + octet (38) + "\7MESSAGE" + be (3, 8));
    const std::string large = sealed (out, {.more = true}, zeros (300));
    EXPECT_EQ (large.size (), 9u + 33 + 300);
    EXPECT_EQ (large.substr (0, 9), octet (2) + be (333, 8));
    EXPECT_EQ (large.substr (17, 8), be (4, 8));
}

TEST (sealing, what_was_sealed_opens_once_and_in_order)
{
    sealer out (key, 3);
    opener in (key, 2);
    std::vector<std::string> bodies;
    for (const frame_flags flags : {frame_flags{}, frame_flags{.more = true}, frame_flags{.command = true}}) {
        bodies.push_back (body_of (sealed (out, flags, "text")));
        frame_flags got;
        std::string plain;
        ASSERT_EQ (opened (in, bodies.back (), plain, got), close_reason::none);
        EXPECT_EQ (plain, "text");
        EXPECT_EQ (got.more, flags.more);
        EXPECT_EQ (got.command, flags.command);
    }
    std::string plain;
    frame_flags got;
    for (const std::string &each : bodies)
        EXPECT_EQ (opened (in, each, plain, got), close_reason::sequence_invalid);
    sealed (out, {}, "lost on the way");
    EXPECT_EQ (opened (in, body_of (sealed (out, {}, "")), plain, got), close_reason::none)
      << "gaps are borne";
}

TEST (sealing, what_is_not_genuine_does_not_open)
{
    sealer out (key, 5);
    const std::string good = body_of (sealed (out, {}, "0123456789"));
    std::string plain;
    frame_flags got;
    const auto why = [&] (const std::string &body) {
        opener in (key, 0);
        return opened (in, body, plain, got);
    };
    EXPECT_EQ (why (good), close_reason::none);
    for (std::size_t i = 8; i < good.size (); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char> (bad[i] ^ 0x40);
        EXPECT_EQ (why (bad), close_reason::box_unopened) << i;
    }
    EXPECT_EQ (why (good.substr (0, 42)), close_reason::box_unopened);
    EXPECT_EQ (why (good.substr (0, 32)), close_reason::message_malformed);
    EXPECT_EQ (why (good.substr (0, 8)), close_reason::message_malformed);
    EXPECT_EQ (why (good.substr (0, 7)), close_reason::command_unexpected);
    EXPECT_EQ (why (""), close_reason::command_unexpected);
    EXPECT_EQ (why ("plain text, and long enough to be mistaken"), close_reason::command_unexpected);
    opener other (crypto::numbered_key (base::secret_key (), as_bytes ("CurveZMQMESSAGES")), 0);
    EXPECT_EQ (opened (other, good, plain, got), close_reason::box_unopened) << "not this direction's";
}

TEST (sealing, a_forged_number_is_not_remembered)
{
    sealer out (key, 5);
    opener in (key, 0);
    std::string plain;
    frame_flags got;
    const std::string good = body_of (sealed (out, {}, "text"));
    std::string forged = good;
    forged.replace (8, 8, be (1000, 8));
    EXPECT_EQ (opened (in, forged, plain, got), close_reason::box_unopened);
    EXPECT_EQ (opened (in, good, plain, got), close_reason::none);
}

TEST (sealing, numbers_end_and_never_begin_again)
{
    sealer out (key, std::numeric_limits<std::uint64_t>::max ());
    EXPECT_NE (sealed (out, {}, "last"), "");
    EXPECT_EQ (sealed (out, {}, "none"), "");
    EXPECT_EQ (sealed (out, {}, "none"), "");
}

}  // namespace
}  // namespace zlink::wire

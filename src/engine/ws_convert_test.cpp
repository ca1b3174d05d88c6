#include "engine/ws_convert.hpp"

#include <gtest/gtest.h>
#include <string>

namespace zlink::engine {
namespace {

using base::as_bytes;

std::string plain_frame (const std::string &body, bool more)
{
    return std::string (1, more ? '\1' : '\0') + static_cast<char> (body.size ()) + body;
}

std::string body_of (std::size_t size) { return std::string (size, static_cast<char> ('a' + size % 26)); }

// There and back, with as much room and as little.
std::string there_and_back (const std::string &plain, bool masked, std::size_t room_bytes)
{
    wire::ws_mask_keys keys ({});
    std::string web (room_bytes, '?');
    const converted there =
      into_web (as_bytes (plain), std::as_writable_bytes (std::span (web)), masked ? &keys : nullptr);
    EXPECT_LE (there.taken, plain.size ());
    EXPECT_LE (there.made, web.size ());
    web.resize (there.made);
    std::string back (room_bytes + 64, '?');
    const converted again =
      out_of_web (as_bytes (web), std::as_writable_bytes (std::span (back)), masked, UINT64_MAX);
    EXPECT_EQ (again.taken, web.size ());
    EXPECT_EQ (again.made, there.taken);
    return back.substr (0, again.made);
}

TEST (ws_convert, what_goes_in_comes_out)
{
    std::string all;
    for (std::size_t size = 0; size < 256; ++size)
        all += plain_frame (body_of (size), size % 3 == 0);
    for (const bool masked : {false, true}) {
        EXPECT_EQ (there_and_back (all, masked, 2 * all.size ()), all);
        // Of little room a part, which ends with a frame.
        for (const std::size_t room : {std::size_t{0}, std::size_t{40}, std::size_t{1000}}) {
            const std::string some = there_and_back (all, masked, room);
            EXPECT_TRUE (all.starts_with (some));
        }
    }
}

TEST (ws_convert, a_frame_is_spelled_as_the_rfc_has_it)
{
    std::string web (100, '?');
    const auto to = std::as_writable_bytes (std::span (web));
    ASSERT_EQ (into_web (as_bytes (plain_frame ("hello", true)), to, nullptr).made, 8U);
    EXPECT_EQ (web.substr (0, 8), std::string ("\x82\6\1hello", 8));
    wire::ws_mask_keys keys ({});
    ASSERT_EQ (into_web (as_bytes (plain_frame ("hello", false)), to, &keys).made, 12U);
    EXPECT_EQ (web.substr (0, 2), "\x82\x86");
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_EQ (web[6 + i] ^ web[2 + i % 4], std::string ("\0hello", 6)[i]);
}

TEST (ws_convert, whatever_is_unusual_is_left)
{
    std::string room (1000, '?');
    const auto to = std::as_writable_bytes (std::span (room));
    const std::string whole = plain_frame ("whole", false);
    for (const std::string &other : {std::string ("\4\5READY", 7), std::string ("\2\0\0\0\0\0\0\1\0", 9),
                                     std::string ("\0\5half", 6), std::string ("\0", 1), std::string ()}) {
        const converted done = into_web (as_bytes (whole + other), to, nullptr);
        EXPECT_EQ (done.taken, whole.size ());
    }
    const std::string good ("\x82\2\0x", 4);
    for (const std::string &other :
         {std::string ("\x82\2\2x", 4), std::string ("\x82\2\xFFx", 4), std::string ("\x82\0", 2),
          std::string ("\x02\2\0x", 4), std::string ("\x89\0", 2), std::string ("\x82\x82key!\0x", 8),
          std::string ("\x82\x7E\0\5\0abcd", 9), std::string ("\x82\5\0ha", 5),
          std::string ("\xC2\2\0x", 4)}) {
        const converted done = out_of_web (as_bytes (good + other), to, false, UINT64_MAX);
        EXPECT_EQ (done.taken, good.size ());
        EXPECT_EQ (done.made, 3U);
    }
    EXPECT_EQ (out_of_web (as_bytes (good), to, false, 0).taken, 0U) << "too large";
    EXPECT_EQ (out_of_web (as_bytes (good), to, true, 10).taken, 0U) << "not masked";
}

}  // namespace
}  // namespace zlink::engine

#include "wire/ws_mask.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;

ws_mask_key key_of (std::string_view octets)
{
    ws_mask_key key;
    std::copy_n (as_bytes (octets).begin (), key.size (), key.begin ());
    return key;
}

std::string some (std::size_t size)
{
    std::string text;
    for (std::size_t i = 0; i < size; ++i)
        text.push_back (static_cast<char> (i * 151 + i / 7));
    return text;
}

// As the RFC's text has it, octet by octet.
std::string by_the_book (std::string text, ws_mask_key key, std::uint64_t phase)
{
    for (std::size_t i = 0; i < text.size (); ++i)
        text[i] = static_cast<char> (text[i] ^ std::to_integer<int> (key[(i + phase) % 4]));
    return text;
}

std::string masked (std::string text, ws_mask_key key, std::uint64_t phase)
{
    ws_mask (std::as_writable_bytes (std::span (text)), key, phase);
    return text;
}

// RFC 6455, 5.7: "Hello".
TEST (ws_mask, hello_of_the_rfc)
{
    EXPECT_EQ (masked ("Hello", key_of (hex ("37fa213d")), 0), hex ("7f9f4d5158"));
}

TEST (ws_mask, any_size_from_any_place_in_any_phase)
{
    const ws_mask_key key = key_of (hex ("01a2f37c"));
    const std::string text = some (400);
    for (std::size_t at = 0; at < 18; ++at) {
        for (std::size_t size = 0; size < 300; ++size) {
            for (const std::uint64_t phase : {0ULL, 1ULL, 2ULL, 3ULL, (1ULL << 40) + 3}) {
                std::string whole = text;
                ws_mask (std::as_writable_bytes (std::span (whole)).subspan (at, size), key, phase);
                const std::string expected = text.substr (0, at)
                                             + by_the_book (text.substr (at, size), key, phase)
                                             + text.substr (at + size);
                ASSERT_EQ (whole, expected) << at << ' ' << size << ' ' << phase;
            }
        }
    }
}

TEST (ws_mask, in_pieces_as_in_one)
{
    const ws_mask_key key = key_of (hex ("9c0055fe"));
    const std::string text = some (200);
    for (std::size_t cut = 0; cut <= text.size (); ++cut)
        ASSERT_EQ (masked (text.substr (0, cut), key, 0) + masked (text.substr (cut), key, cut),
                   masked (text, key, 0))
          << cut;
}

TEST (ws_mask, a_copy_is_masked_and_what_is_copied_is_not)
{
    const ws_mask_key key = key_of (hex ("37fa213d"));
    const std::string text = some (301);
    for (std::size_t size = 0; size < text.size (); ++size) {
        std::string to (size + 1, '#');
        const std::string from = text.substr (0, size);
        ws_mask_copy (reinterpret_cast<std::byte *> (to.data ()), as_bytes (from), key, size);
        ASSERT_EQ (to, by_the_book (from, key, size) + '#') << size;
        ASSERT_EQ (from, text.substr (0, size));
    }
}

TEST (ws_mask, keys_do_not_come_back_and_have_a_seed_of_their_own)
{
    base::secret_key seed;
    ws_mask_keys keys (seed);
    ws_mask_keys same (seed);
    seed.data ()[7] = std::byte{1};
    ws_mask_keys others (seed);
    std::set<ws_mask_key> seen;
    for (int i = 0; i < 200; ++i) {
        const ws_mask_key key = keys.next ();
        EXPECT_EQ (key, same.next ());
        seen.insert (key);
        seen.insert (others.next ());
    }
    EXPECT_EQ (seen.size (), 400U);  // of 2^32: two alike here would be by design, not by chance
}

}  // namespace
}  // namespace zlink::wire

// Keys and the first shared key as in RFC 7748, section 6.1, and Bernstein,
// "Cryptography in NaCl", section 8.
#include "crypto/box.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::crypto {
namespace {

template <class Key> Key key_of (std::string_view hex)
{
    Key made{};
    for (std::size_t i = 0; i < key_bytes; ++i)
        made.data ()[i] =
          static_cast<std::byte> (std::stoi (std::string (hex.substr (2 * i, 2)), nullptr, 16));
    return made;
}

const auto alice = key_of<secret_key> ("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
const auto alices = key_of<public_key> ("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
const auto bob = key_of<secret_key> ("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
const auto bobs = key_of<public_key> ("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
const auto theirs = key_of<secret_key> ("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");

constexpr std::string_view prefix = "CurveZMQMESSAGEC";

nonce numbered (std::uint64_t number)
{
    nonce made;
    std::memcpy (made.data (), prefix.data (), prefix.size ());
    base::store_u64_be (made.data () + prefix.size (), number);
    return made;
}

std::vector<std::byte> pattern (std::size_t size)
{
    std::vector<std::byte> made (size);
    for (std::size_t i = 0; i < size; ++i)
        made[i] = static_cast<std::byte> (i * 31 + 7);
    return made;
}

bool same (const secret_key &a, const secret_key &b) { return equal (a.bytes (), b.bytes ()); }

TEST (box, keys_are_as_published)
{
    EXPECT_TRUE (built ());
    EXPECT_EQ (public_key_of (alice), alices);
    EXPECT_EQ (public_key_of (bob), bobs);
    secret_key one;
    secret_key other;
    ASSERT_TRUE (agree (bobs, alice, one) && agree (alices, bob, other));
    EXPECT_TRUE (same (one, theirs));
    EXPECT_TRUE (same (other, theirs));
}

TEST (box, keys_that_give_nothing_away_are_asked_for)
{
    public_key low{};
    secret_key shared;
    EXPECT_FALSE (agree (low, alice, shared));
    low[0] = std::byte{1};
    EXPECT_FALSE (agree (low, alice, shared));
    const auto of_order_8 =
      key_of<public_key> ("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800");
    EXPECT_FALSE (agree (of_order_8, alice, shared));
}

TEST (box, opens_only_what_was_sealed)
{
    for (const std::size_t size : {0U, 1U, 64U, 1000U}) {
        const std::vector<std::byte> plain = pattern (size);
        std::vector<std::byte> box (size + mac_bytes);
        seal (box.data (), plain, numbered (1), theirs);
        std::vector<std::byte> back (size);
        ASSERT_TRUE (open (back.data (), box, numbered (1), theirs));
        EXPECT_EQ (back, plain);
        EXPECT_FALSE (open (back.data (), box, numbered (2), theirs));
        EXPECT_FALSE (open (back.data (), box, numbered (1), bob));
        for (std::size_t i = 0; i < box.size (); i += 1 + box.size () / 40) {
            box[i] ^= std::byte{0x80};
            EXPECT_FALSE (open (back.data (), box, numbered (1), theirs)) << i;
            box[i] ^= std::byte{0x80};
        }
    }
    EXPECT_FALSE (open (nullptr, pattern (mac_bytes - 1), numbered (1), theirs));
}

// The short way is the long way with the nonce in two parts.
TEST (box, a_numbered_box_is_a_box)
{
    const numbered_key key (theirs, base::as_bytes (prefix));
    for (const std::size_t size : {0U, 1U, 30U, 31U, 32U, 63U, 64U, 65U, 4096U, 70'001U}) {
        const std::vector<std::byte> rest = pattern (size);
        std::vector<std::byte> whole = {std::byte{3}};
        whole.insert (whole.end (), rest.begin (), rest.end ());
        std::vector<std::byte> wanted (whole.size () + mac_bytes);
        seal (wanted.data (), whole, numbered (77), theirs);
        std::vector<std::byte> box (whole.size () + mac_bytes);
        key.seal (box.data (), std::byte{3}, rest, 77);
        ASSERT_EQ (box, wanted) << size;

        std::byte first{};
        std::vector<std::byte> back (size);
        ASSERT_TRUE (key.open (first, back.data (), box, 77)) << size;
        EXPECT_EQ (first, std::byte{3});
        EXPECT_EQ (back, rest);
        EXPECT_FALSE (key.open (first, back.data (), box, 78));
        std::vector<std::byte> broken = box;
        broken.back () ^= std::byte{1};
        EXPECT_FALSE (key.open (first, back.data (), broken, 77));

        ASSERT_TRUE (key.open (first, box.data () + mac_bytes + 1, box, 77)) << "in place, " << size;
        EXPECT_TRUE (std::equal (rest.begin (), rest.end (), box.begin () + mac_bytes + 1));
    }
}

TEST (box, equal_compares_all)
{
    const std::vector<std::byte> one = pattern (32);
    std::vector<std::byte> other = one;
    EXPECT_TRUE (equal (one, other));
    EXPECT_TRUE (equal ({}, {}));
    for (std::byte &each : other) {
        each ^= std::byte{4};
        EXPECT_FALSE (equal (one, other));
        each ^= std::byte{4};
    }
    EXPECT_FALSE (equal (one, bytes_view (other).first (31)));
}

TEST (box, secrets_are_overwritten)
{
    alignas (secret_key) std::array<std::byte, sizeof (secret_key)> place;
    auto *const held = new (place.data ()) secret_key (alice);
    EXPECT_TRUE (equal (place, alice.bytes ()));
    held->~secret ();
    // Read as memory, where nobody lives any more.
    const volatile std::byte *at = place.data ();
    unsigned left = 0;
    for (std::size_t i = 0; i < place.size (); ++i)
        left |= static_cast<unsigned> (at[i]);
    EXPECT_EQ (left, 0U);
}

}  // namespace
}  // namespace zlink::crypto

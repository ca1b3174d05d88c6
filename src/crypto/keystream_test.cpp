#include "crypto/keystream.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace zlink::crypto {
namespace {

base::secret_key seed_of (unsigned char value)
{
    base::secret_key seed;
    std::fill_n (seed.data (), seed.size (), std::byte{value});
    return seed;
}

std::string drawn (keystream &from)
{
    keystream::drawing drawing;
    from.draw (drawing);
    return std::string (base::as_text (drawing.bytes ()));
}

TEST (keystream, a_seed_repeats_itself_and_another_does_not)
{
    keystream one (seed_of (1));
    keystream again (seed_of (1));
    keystream other (seed_of (2));
    const std::string first = drawn (one);
    EXPECT_EQ (first, drawn (again));
    EXPECT_NE (first, drawn (other));
}

TEST (keystream, no_drawing_is_another_s)
{
    keystream of (seed_of (3));
    std::set<std::string> words;
    for (int i = 0; i < 16; ++i) {
        const std::string all = drawn (of);
        for (std::size_t at = 0; at < all.size (); at += 8)
            words.insert (all.substr (at, 8));
    }
    EXPECT_EQ (words.size (), 16 * keystream::draw_bytes / 8);
}

}  // namespace
}  // namespace zlink::crypto

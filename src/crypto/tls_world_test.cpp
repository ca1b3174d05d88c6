#include "crypto/tls_world.hpp"

#include <array>
#include <openssl/rand.h>

#include "support/tls_ends.hpp"

namespace zlink::crypto {
namespace {

using test::files_in_memory;
using test::seeded;
using drawn = std::array<unsigned char, 100>;

drawn draw (const tls_world &from, bool secret)
{
    drawn made{};
    EXPECT_EQ (secret ? RAND_priv_bytes_ex (from.library (), made.data (), made.size (), 0)
                      : RAND_bytes_ex (from.library (), made.data (), made.size (), 0),
               1);
    return made;
}

TEST (tls_world, randomness_is_what_it_was_made_with)
{
    EXPECT_TRUE (tls_world::built ());
    files_in_memory files;
    for (const bool secret : {false, true}) {
        seeded one (7);
        seeded same (7);
        seeded other (8);
        const auto first = tls_world::make (one, files);
        const auto second = tls_world::make (same, files);
        const auto third = tls_world::make (other, files);
        ASSERT_TRUE (first && second && third);
        const drawn begin = draw (*first, secret);
        EXPECT_EQ (begin, draw (*second, secret));
        EXPECT_NE (begin, draw (*third, secret));
        EXPECT_NE (begin, draw (*first, secret)) << "the same again";
        EXPECT_GT (one.asked, 0U);
    }
}

TEST (tls_world, no_randomness_is_an_error)
{
    files_in_memory files;
    seeded secrets (1);
    const auto world = tls_world::make (secrets, files);
    ASSERT_TRUE (world);
    secrets.dry = true;
    std::array<unsigned char, 16> made{};
    EXPECT_NE (RAND_bytes_ex (world->library (), made.data (), made.size (), 0), 1);
    secrets.dry = false;
    EXPECT_EQ (RAND_bytes_ex (world->library (), made.data (), made.size (), 0), 1);
}

// A whole secret of more than one request.
TEST (tls_world, much_randomness_comes_in_pieces)
{
    files_in_memory files;
    seeded secrets (1);
    const auto world = tls_world::make (secrets, files);
    ASSERT_TRUE (world);
    std::vector<unsigned char> made (200'000);
    ASSERT_EQ (RAND_bytes_ex (world->library (), made.data (), made.size (), 0), 1);
    EXPECT_NE (std::count (made.end () - 1000, made.end (), 0), 1000);
}

}  // namespace
}  // namespace zlink::crypto

#include "crypto/web_digest.hpp"

#include <string>

#include <gtest/gtest.h>

namespace zlink::crypto {
namespace {

std::string base64_of (bytes_view of)
{
    std::string text (base64_chars (of.size ()), '?');
    base64 (text.data (), of);
    return text;
}

std::string sha1_of (std::string_view text)
{
    sha1_digest digest{};
    EXPECT_TRUE (sha1 (base::as_bytes (text), digest));
    return base64_of (digest);
}

// FIPS 180's own examples, in Base64.
TEST (web_digest, sha1_is_the_standard_s)
{
    EXPECT_EQ (sha1_of (""), "2jmj7l5rSw0yVb/vlWAYkK/YBwk=");
    EXPECT_EQ (sha1_of ("abc"), "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=");
    EXPECT_EQ (sha1_of ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
               "hJg+RBw70m66rkqh+VEp5eVGcPE=");
}

// RFC 4648, section 10.
TEST (web_digest, base64_is_padded)
{
    const char *const rows[][2] = {{"", ""},
                                   {"f", "Zg=="},
                                   {"fo", "Zm8="},
                                   {"foo", "Zm9v"},
                                   {"foob", "Zm9vYg=="},
                                   {"fooba", "Zm9vYmE="},
                                   {"foobar", "Zm9vYmFy"}};
    for (const auto &[octets, text] : rows)
        EXPECT_EQ (base64_of (base::as_bytes (octets)), text);
    EXPECT_EQ (base64_of (base::as_bytes ("\xff\xff\xfe")), "///+");
}

}  // namespace
}  // namespace zlink::crypto

#include "crypto/web_digest.hpp"

#include <algorithm>
#include <openssl/evp.h>
#include <string_view>

namespace zlink::crypto {

bool sha1 (bytes_view of, sha1_digest &to) noexcept
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    if (EVP_Digest (of.data (), of.size (), digest.data (), &size, EVP_sha1 (), nullptr) != 1
        || size != sha1_bytes)
        return false;
    std::transform (digest.begin (), digest.begin () + sha1_bytes, to.begin (),
                    [] (unsigned char octet) { return static_cast<std::byte> (octet); });
    return true;
}

// OpenSSL's own ends in a zero that nobody has room for.
void base64 (char *to, bytes_view of) noexcept
{
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t at = 0; at < of.size (); at += 3) {
        const std::size_t there = std::min<std::size_t> (of.size () - at, 3);
        unsigned group = 0;
        for (std::size_t i = 0; i < 3; ++i)
            group = group << 8 | (i < there ? std::to_integer<unsigned> (of[at + i]) : 0);
        for (std::size_t i = 0; i < 4; ++i)
            *to++ = i <= there ? digits[group >> (6 * (3 - i)) & 63U] : '=';
    }
}

}  // namespace zlink::crypto

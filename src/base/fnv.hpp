// FNV-1a, 64 bits: a digest against accidents, not against whoever may choose the octets.
// Thread rule: none; pure. Source: Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm".
#pragma once

#include <cstdint>
#include <string_view>

namespace zlink::base {

// salt: another one gives another digest of the same octets.
[[nodiscard]] constexpr std::uint64_t fnv1a (std::string_view octets, std::uint64_t salt = 0) noexcept
{
    std::uint64_t digest = 0xcbf29ce484222325 ^ salt;
    for (const char octet : octets)
        digest = (digest ^ static_cast<unsigned char> (octet)) * 0x100000001b3;
    return digest;
}

// Test vectors of its authors.
static_assert (fnv1a ("") == 0xcbf29ce484222325 && fnv1a ("a") == 0xaf63dc4c8601ec8c
               && fnv1a ("foobar") == 0x85944171f73967e8);

}  // namespace zlink::base

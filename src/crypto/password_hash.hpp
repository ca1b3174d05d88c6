// Hashes of passwords that take long to compute, so that whoever steals them
// guesses slowly: Argon2 in its usual text form (RFC 9106 computes it; the text is
// that of the reference program), over libsodium:
//
//   $argon2id$v=19$m=65536,t=2,p=1$salt$hash      m in KiB, Base64 without padding
//
// Thread rule: any thread. Blocking: check and make compute for as long as the
// cost says, tens of milliseconds and more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace zlink::crypto {

// Of one check. Above these a text is none: it would be a mistake, or a trap.
inline constexpr std::uint32_t password_memory_kib_max = 1024 * 1024;
inline constexpr std::uint32_t password_rounds_max = 16;

struct password_cost
{
    std::uint32_t memory_kib = 64 * 1024;
    std::uint32_t rounds = 2;
};

// False: it is no such text, or its cost is above the bounds.
[[nodiscard]] bool read_password_cost (const std::string &hash, password_cost &to) noexcept;

enum class password_answer : std::uint8_t
{
    right,
    wrong,
    not_now,  // memory is out
};

// hash: one whose cost could be read.
[[nodiscard]] password_answer check_password (const std::string &hash, base::bytes_view password) noexcept;

inline constexpr std::size_t password_salt_bytes = 16;
inline constexpr std::size_t password_hash_letters_max = 128;  // with the NUL at the end
using password_hash = std::array<char, password_hash_letters_max>;

// False: memory is out, or the cost is above the bounds (or below 8 KiB or one round).
[[nodiscard]] bool make_password_hash (base::bytes_view password,
                                       const std::array<std::byte, password_salt_bytes> &salt,
                                       const password_cost &cost,
                                       password_hash &to) noexcept;

}  // namespace zlink::crypto

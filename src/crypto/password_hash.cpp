#include "crypto/password_hash.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <sodium.h>

#include "base/secret.hpp"

namespace zlink::crypto {

namespace {

constexpr std::size_t hash_bytes = 32;
static_assert (password_salt_bytes == crypto_pwhash_SALTBYTES
               && password_hash_letters_max == crypto_pwhash_STRBYTES);

bool take (std::string_view &from, std::string_view text) noexcept
{
    if (!from.starts_with (text))
        return false;
    from.remove_prefix (text.size ());
    return true;
}

bool take (std::string_view &from, std::uint32_t &number) noexcept
{
    const auto [end, bad] = std::from_chars (from.data (), from.data () + from.size (), number);
    if (bad != std::errc ())
        return false;
    from.remove_prefix (static_cast<std::size_t> (end - from.data ()));
    return true;
}

bool in_bounds (const password_cost &cost) noexcept
{
    return cost.memory_kib <= password_memory_kib_max && cost.rounds <= password_rounds_max;
}

const char *letters (base::bytes_view of) noexcept { return reinterpret_cast<const char *> (of.data ()); }

}  // namespace

bool read_password_cost (const std::string &hash, password_cost &to) noexcept
{
    std::string_view left = hash;
    password_cost cost;
    const bool known = take (left, "$argon2id$v=19$m=") || take (left, "$argon2i$v=19$m=");
    if (!known || !take (left, cost.memory_kib) || !take (left, ",t=") || !take (left, cost.rounds)
        || !in_bounds (cost) || hash.find ('\0') != std::string::npos)
        return false;
    // Negative where it cannot read the text.
    if (crypto_pwhash_str_needs_rehash (hash.c_str (), cost.rounds, std::size_t{cost.memory_kib} * 1024) < 0)
        return false;
    to = cost;
    return true;
}

password_answer check_password (const std::string &hash, base::bytes_view password) noexcept
{
    errno = 0;
    if (crypto_pwhash_str_verify (hash.c_str (), letters (password), password.size ()) == 0)
        return password_answer::right;
    return errno == EINVAL ? password_answer::wrong : password_answer::not_now;
}

bool make_password_hash (base::bytes_view password,
                         const std::array<std::byte, password_salt_bytes> &salt,
                         const password_cost &cost,
                         password_hash &to) noexcept
{
    const auto *const raw_salt = reinterpret_cast<const unsigned char *> (salt.data ());
    base::secret<hash_bytes> hash;
    auto *const raw_hash = reinterpret_cast<unsigned char *> (hash.data ());
    if (!in_bounds (cost)
        || crypto_pwhash (raw_hash, hash_bytes, letters (password), password.size (), raw_salt, cost.rounds,
                          std::size_t{cost.memory_kib} * 1024, crypto_pwhash_ALG_ARGON2ID13)
             != 0)
        return false;
    constexpr int base64 = sodium_base64_VARIANT_ORIGINAL_NO_PADDING;
    std::array<char, sodium_base64_ENCODED_LEN (password_salt_bytes, base64)> salt_letters;
    std::array<char, sodium_base64_ENCODED_LEN (hash_bytes, base64)> hash_letters;
    sodium_bin2base64 (salt_letters.data (), salt_letters.size (), raw_salt, password_salt_bytes, base64);
    sodium_bin2base64 (hash_letters.data (), hash_letters.size (), raw_hash, hash_bytes, base64);
    const int size = std::snprintf (to.data (), to.size (), "$argon2id$v=19$m=%u,t=%u,p=1$%s$%s",
                                    cost.memory_kib, cost.rounds, salt_letters.data (), hash_letters.data ());
    return size > 0 && static_cast<std::size_t> (size) < to.size ();
}

}  // namespace zlink::crypto

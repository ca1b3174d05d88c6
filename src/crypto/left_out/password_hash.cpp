// Instead of password_hash, in a library without libsodium: no text is a hash.
// Chosen by src/crypto/CMakeLists.txt; contracts are those of
// crypto/password_hash.hpp.
#include "crypto/password_hash.hpp"

namespace zlink::crypto {

bool read_password_cost (const std::string &, password_cost &) noexcept { return false; }

password_answer check_password (const std::string &, base::bytes_view) noexcept
{
    return password_answer::not_now;
}

bool make_password_hash (base::bytes_view,
                         const std::array<std::byte, password_salt_bytes> &,
                         const password_cost &,
                         password_hash &) noexcept
{
    return false;
}

}  // namespace zlink::crypto

// CURVE's keys and hashes of passwords as text, for both C interfaces. Answers -1
// with errno: ENOTSUP without CURVE, EFAULT for a null pointer, EINVAL for what is no
// key, ENOMEM.
#pragma once

#include <cstddef>

namespace zlink::api {

// Each into 41 bytes: 40 letters of Z85 and a NUL.
int curve_key_pair (char *public_letters, char *secret_letters) noexcept;
int curve_public_key (char *public_letters, const char *secret_letters) noexcept;
// zlink_hash_password.
int hash_password (char *to, std::size_t to_size, const void *password, std::size_t size) noexcept;

}  // namespace zlink::api

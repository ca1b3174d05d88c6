// CURVE's keys as text, for both C interfaces. Answers -1 with errno: ENOTSUP
// without CURVE, EFAULT for a null pointer, EINVAL for what is no key, ENOMEM.
#pragma once

namespace zlink::api {

// Each into 41 bytes: 40 letters of Z85 and a NUL.
int curve_key_pair (char *public_letters, char *secret_letters) noexcept;
int curve_public_key (char *public_letters, const char *secret_letters) noexcept;

}  // namespace zlink::api

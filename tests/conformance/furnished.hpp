// What a suite over TLS says to those who make the certificates.
#pragma once

#include <cstdint>

namespace zlink::test {

// The day of the world that the suite lives in, as Unix time.
[[nodiscard]] std::int64_t unix_s_of_certificates ();

}  // namespace zlink::test

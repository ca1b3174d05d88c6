// What measuring tls takes besides the libraries: a certificate, and how fast the
// cipher alone is.
#pragma once

#include <cstdint>
#include <string>

namespace zlink::bench {

struct certificate
{
    std::string text;  // PEM; it is its own authority, of 127.0.0.1
    std::string key;
};
// The process's: made by the first call, before it forks. Ends the process where
// there is no OpenSSL.
[[nodiscard]] const certificate &own_certificate ();

struct enciphered
{
    double bytes = 0;
    double seconds = 0;
};
// AES-256-GCM in records of TLS's size, on this core, for about so long.
[[nodiscard]] enciphered encipher (std::int64_t duration_ns);

}  // namespace zlink::bench

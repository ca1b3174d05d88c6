// What a socket's options say about TLS, and about WebSocket: a plain value, made
// anew by whoever changes it, as endpoints keep the one of their day. Secrets are
// overwritten at its end.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/secret.hpp"

namespace zlink::crypto {

struct web_settings
{
    std::string host;     // whom a dialer asks; empty: as in its endpoint
    std::string origin;   // the page a dialer says it is from; empty: none
    std::string origins;  // the pages that a listener lets in, with commas between; empty: all
    std::vector<std::pair<std::string, std::string>> headers;  // said besides
};

struct tls_settings
{
    tls_settings () = default;
    tls_settings (const tls_settings &) = default;
    tls_settings &operator= (const tls_settings &) = delete;
    ~tls_settings ()
    {
        for (std::string *const each : {&certificate, &key, &passphrase})
            base::wipe (std::as_writable_bytes (std::span (*each)));
    }

    // Each a path, or PEM as text: "-----BEGIN" decides. A key may stand behind its
    // certificate.
    std::string certificate;
    std::string key;
    std::string authority;
    std::string passphrase;
    std::string host;       // whom a dialer expects; empty: as in its endpoint
    std::string protocols;  // ALPN, best first, with commas between; empty: none
    bool verify = true;
    bool trust_system = true;
    bool trust_system_said = false;  // what trust_system is was asked for
    bool require_client_certificate = false;
    web_settings web{};
};

}  // namespace zlink::crypto

// Certificates for tests and small networks: an authority of one's own, and what it
// signs. Keys are of P-256. Nothing is kept; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace zlink::tool {

// Both in PEM. Who has the key is whom the certificate names.
struct credential
{
    std::string certificate;
    std::string key;
};

struct certificate_wish
{
    std::string name;                // the common name
    std::vector<std::string> hosts;  // names and addresses that it is good for; empty: a client's
    int days = 365;                  // from now on, and the hour before for clocks that go wrong
};

// Letters, digits, dots, dashes and colons, and a star in front.
[[nodiscard]] bool may_be_host (const std::string &text) noexcept;

// Nothing: `why` says why not.
[[nodiscard]] std::optional<credential> make_authority (const certificate_wish &wish, std::string &why);
[[nodiscard]] std::optional<credential>
make_certificate (const credential &authority, const certificate_wish &wish, std::string &why);

}  // namespace zlink::tool

// Whether others can reach a provider at the endpoint that it registers: what a
// registry takes and what it refuses (docs/protocol/registry.md), and what a provider
// is told that has bound a wildcard. Text only: names are not looked up. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace zlink::service {

// From where the provider speaks to the registry.
enum class nearness : std::uint8_t
{
    same_process,
    same_host,
    elsewhere,
};

enum class offer_fault : std::uint8_t
{
    none,
    malformed,  // no endpoint of a known transport, or no host, or no port
    wildcard,   // every address of whoever connects, or any port
    multicast,
    loopback,  // reaches the reader's own host, which is another one
    local,     // inproc of another process, ipc of another host
};

// tcp, tls, ws and wss with a host and a port (ws and wss also with a path), ipc and
// inproc.
[[nodiscard]] offer_fault judge_offer (std::string_view endpoint, nearness from) noexcept;
// One lower-case word, for logs.
[[nodiscard]] const char *offer_fault_name (offer_fault fault) noexcept;

// The endpoint with this host in the place of a wildcard; others as they are.
// invalid_argument: it is none, or has no port. May throw std::bad_alloc.
[[nodiscard]] base::result<std::string> with_host (std::string_view endpoint, std::string_view host);

}  // namespace zlink::service

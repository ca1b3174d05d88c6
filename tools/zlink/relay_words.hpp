// What clients of a relay say and are told (docs/protocol/relay.md). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zlink::tool {

inline constexpr std::size_t relay_wish_bytes_max = 4096;
inline constexpr std::int32_t relay_timeout_ms_max = 86'400'000;

// The first part of a request.
struct relay_wish
{
    std::string service;
    std::int32_t timeout_ms = -1;  // negative: the relay's own
    bool idempotent = false;
    bool one_way = false;
    std::string key;
    std::string traceparent;
    std::string tracestate;
};

// Lines: the service, then NAME=VALUE or NAME, which are passed over where they are not
// known. False: `why` names the line and the rule.
[[nodiscard]] bool read_relay_wish (std::string_view text, relay_wish &to, std::string &why);

// How a request ended that has no reply.
struct relay_failure
{
    std::int32_t status = 0;  // ZLINK_REQUEST_*
    bool maybe_done = false;
    std::uint32_t code = 0;
    std::uint32_t detail = 0;
    std::uint32_t retry_after_ms = 0;
};

inline constexpr std::string_view relay_good = "OK";
// The first part of what the client is told: ERROR, a word, and what is known beside it.
[[nodiscard]] std::string relay_line (const relay_failure &of);
// Of what is no request at all.
[[nodiscard]] std::string relay_malformed_line ();

}  // namespace zlink::tool

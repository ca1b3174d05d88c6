// What stands in front of requests to services and of what comes back
// (docs/protocol/gateway.md): the first part of a message, whose further parts are
// the application's.
//
//   octet 0  47 ('G')   octet 1  version, 01   octet 2  kind   octet 3  flags
//   4  attempt (2)   6  code (2)   8  id (8)   16  time in microseconds (8)
//   24 fields (service_fields.hpp), in any order
//
// A one-way has nothing of what stands from 4 on: its fields begin there.
//
// All numbers are big endian. Pure functions; what is read borrows from the octets
// it was read from, and reading allocates nothing. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "wire/registry_message.hpp"

namespace zlink::wire {

inline constexpr unsigned gateway_protocol_version = 1;
inline constexpr std::size_t gateway_head_bytes = 24;
inline constexpr std::size_t gateway_one_way_bytes = 4;  // of a one-way

enum class gateway_kind : std::uint8_t
{
    request = 1,  // to the provider: a reply or a failure is wanted
    one_way = 2,  // nothing comes back
    reply = 3,    //
    failure = 4,  // instead of a reply; no further parts
    cancel = 5,   // nobody waits for this request any more
    probe = 6,    // are you there? no further parts
    alive = 7,    // answers it; also said unasked when the provider begins to drain
};

// Flags.
inline constexpr unsigned gateway_flag_idempotent = 1;  // of a request: doing it twice does no harm
inline constexpr unsigned gateway_flag_untouched = 2;   // of a failure: nothing of it was done
inline constexpr unsigned gateway_flag_draining = 4;    // from a provider: send me no new ones

// What went wrong. Numbers of the protocol; others may come and are failures of a
// kind not known.
enum gateway_failure : std::uint16_t
{
    failure_malformed = 1,
    failure_version = 2,       // of the protocol
    failure_no_service = 3,    // not here
    failure_draining = 4,      // no new ones
    failure_overloaded = 5,    // not now
    failure_deadline = 6,      // it is over
    failure_cancelled = 7,     //
    failure_rejected = 8,      // by the application, whose number is in detail
    failure_handler = 9,       // the application's handler broke off
    failure_not_allowed = 10,  // to who asks
    failure_instance = 11,     // this process is another one than was asked for
    // From a relay, about the way behind it:
    failure_no_provider = 12,
    failure_provider_lost = 13,
    failure_hops = 14,  // more relays than may be: a loop
};

// Of a one-way attempt, code, id and time are 0.
struct gateway_head
{
    gateway_kind kind = gateway_kind::request;
    unsigned flags = 0;
    std::uint16_t attempt = 0;   // of the same request, told apart by what comes back
    std::uint16_t code = 0;      // of a failure
    std::uint64_t id = 0;        // of the request, drawn by who asks; unique on its connection
    std::uint64_t time_us = 0;   // request: how long it may still take, 0 = any time;
                                 // reply, failure: how long the provider had it
    std::uint64_t instance = 0;  // request: for this one only; alive: who I am
    std::uint32_t detail = 0;
    std::uint32_t load = 0;  // from a provider: requests it has now
    std::uint32_t retry_after_ms = 0;
    std::uint16_t hops = 0;  // relays passed
    std::string_view service{};
    std::string_view key{};  // any octets: equal ones go to the same provider
    std::string_view traceparent{};
    std::string_view tracestate{};
    std::string_view text{};  // of a failure, for people
};

// On complete out is set, else it is of no use. A traceparent that is none is left
// out, as W3C has it.
[[nodiscard]] service_status decode_gateway_head (bytes_view bytes, gateway_head &out) noexcept;

// Appends the head. A request and a one_way name a service. May throw
// std::bad_alloc, with a part of it appended.
void encode_gateway_head (const gateway_head &head, std::vector<std::byte> &out);
// What two heads of the same texts differ in.
struct gateway_numbers
{
    unsigned flags = 0;
    std::uint16_t attempt = 0;
    std::uint64_t id = 0;
    std::uint64_t time_us = 0;
};
// Writes them, and the code 0, into an encoded head that is no one_way's.
void number_gateway_head (base::bytes_span encoded, const gateway_numbers &numbers) noexcept;
[[nodiscard]] gateway_numbers numbers_of_gateway_head (bytes_view encoded) noexcept;
// Two encoded heads, one of which is in order, differ in nothing but attempt, code, id and
// time: then so is the other.
[[nodiscard]] bool are_gateway_heads_alike (bytes_view good, bytes_view other) noexcept;

// A reply's head that says how busy the provider is, and nothing else.
inline constexpr std::size_t gateway_reply_bytes = gateway_head_bytes + service_field_head_bytes + 4;
[[nodiscard]] std::array<std::byte, gateway_reply_bytes> gateway_reply_head (const gateway_numbers &numbers,
                                                                             std::uint32_t load) noexcept;
// It is such a one, and without flags.
[[nodiscard]] bool is_gateway_reply_head (bytes_view encoded) noexcept;

// W3C Trace Context: "00-" 32 and 16 digits that are not all zeroes, 2 digits of
// flags; lower case. A later version may go on behind a dash.
[[nodiscard]] bool is_traceparent (std::string_view text) noexcept;

// One lower-case word with hyphens, for logs; "unknown" of other numbers.
[[nodiscard]] const char *failure_name (std::uint16_t code) noexcept;

}  // namespace zlink::wire

// Questions to a grantor and its answers (docs/protocol/grants.md): one part each, on the
// connection to a registry, which tells them from its own messages by the first octet.
//
//   octet 0  47 ('G')    octet 1  version, 01    octet 2  kind    octet 3  flags
//   fields (service_fields.hpp), in any order
//
// Pure functions; what is read borrows from the octets it was read from, and reading
// allocates nothing. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "wire/registry_message.hpp"

namespace zlink::wire {

inline constexpr unsigned grant_protocol_version = 1;
inline constexpr std::byte grant_mark{0x47};

enum class grant_kind : std::uint8_t
{
    claim = 1,      // a holder wants an epoch, or more time for it
    answer = 2,     //
    give_back = 3,  // it numbers no more under that epoch
};

// Of a claim: it asks several grantors, so a vote must outlive this one.
inline constexpr unsigned grant_flag_of_several = 1;
// Of give_back: sequence is the last number of the epoch. Of an answer: the last epoch that
// ended in order is in it.
inline constexpr unsigned grant_flag_ended = 2;
// Of an answer: the grantors decide in one place that they share, so it is the answer of all.
inline constexpr unsigned grant_flag_for_all = 4;

// Which of these a kind has is said in docs/protocol/grants.md.
struct grant_message
{
    grant_kind kind = grant_kind::claim;
    unsigned flags = 0;
    std::uint64_t round = 0;  // comes back with the answer
    std::uint64_t holder = 0;
    std::uint64_t epoch_number = 0;  // of an answer: the highest that is known
    std::uint64_t epoch_id = 0;
    std::uint64_t ended_number = 0;
    std::uint64_t ended_id = 0;
    std::uint64_t sequence = 0;
    std::uint32_t partition = 0;
    std::uint32_t lease_ms = 0;
    std::uint32_t pause_ms = 0;
    std::uint16_t fault = 0;  // as service::grant_fault; others are refusals
    std::string_view topic{};
};

// Whether it is one of these at all.
[[nodiscard]] inline bool is_grant_message (bytes_view bytes) noexcept
{
    return !bytes.empty () && bytes[0] == grant_mark;
}
// On complete out is set, else it is of no use.
[[nodiscard]] service_status decode_grant_message (bytes_view bytes, grant_message &out) noexcept;
// Appends the message. May throw std::bad_alloc, with a part of it appended.
void encode_grant_message (const grant_message &message, std::vector<std::byte> &out);

}  // namespace zlink::wire

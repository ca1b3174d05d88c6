// What a benchmark message carries and what its receiver verifies.
//
// Bytes 0..7 hold the sender's number and the sequence number. A mark that
// follows from them stands in the last byte and in one byte that wanders
// through the body, so that whoever skips a part of the body is caught within
// a few hundred messages. Bytes 8..15 may hold a time (open loop).
//
// Pure; both sides run on one machine, so numbers are in native byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink::bench {

inline constexpr std::size_t payload_smallest = 32;
inline constexpr std::size_t payload_head = 16;
inline constexpr unsigned sender_shift = 48;
inline constexpr std::uint64_t sequence_mask = (std::uint64_t{1} << sender_shift) - 1;
inline constexpr std::uint64_t last_sequence = sequence_mask;  // "no more will come"
inline constexpr std::size_t senders_max = 256;

[[nodiscard]] inline std::byte payload_mark (std::uint64_t label) noexcept
{
    return static_cast<std::byte> ((label * 0x9E3779B97F4A7C15u) >> 56);
}

[[nodiscard]] inline std::size_t payload_place (std::uint64_t label, std::size_t size) noexcept
{
    const std::uint64_t spread = (label * 0x9E3779B97F4A7C15u) & 0xFFFFFFFFu;
    return payload_head + static_cast<std::size_t> ((spread * (size - payload_head)) >> 32);
}

// label = sender << sender_shift | sequence; size >= payload_smallest.
inline void write_payload (std::byte *body, std::size_t size, std::uint64_t label) noexcept
{
    const std::byte mark = payload_mark (label);
    std::memcpy (body, &label, sizeof label);
    body[payload_place (label, size)] = mark;
    body[size - 1] = mark;
}

inline void write_payload_time (std::byte *body, std::int64_t time_ns) noexcept
{
    std::memcpy (body + 8, &time_ns, sizeof time_ns);
}

[[nodiscard]] inline std::int64_t payload_time (const std::byte *body) noexcept
{
    std::int64_t time_ns = 0;
    std::memcpy (&time_ns, body + 8, sizeof time_ns);
    return time_ns;
}

[[nodiscard]] inline std::uint64_t payload_label (const std::byte *body) noexcept
{
    std::uint64_t label = 0;
    std::memcpy (&label, body, sizeof label);
    return label;
}

[[nodiscard]] inline bool
payload_intact (const std::byte *body, std::size_t size, std::uint64_t label) noexcept
{
    const std::byte mark = payload_mark (label);
    return body[size - 1] == mark && body[payload_place (label, size)] == mark;
}

}  // namespace zlink::bench

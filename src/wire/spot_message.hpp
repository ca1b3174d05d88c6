// What the nodes of SPOT say to each other (docs/protocol/spot.md): the first part of
// a message is its subject, a head and, of a single small part, the application's
// octets.
//
//   topic 00 | version (1) flags (1) head size (2) publisher (8) number (8) fields | body
//
// All numbers are big endian. Pure functions; what is read borrows from the octets
// it was read from. Writing a message and reading anything allocate nothing. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "wire/registry_message.hpp"
#include "wire/service_fields.hpp"

namespace zlink::wire {

inline constexpr unsigned spot_protocol_version = 1;
inline constexpr std::size_t spot_topic_bytes_max = 255;
inline constexpr std::size_t spot_head_bytes = 20;
inline constexpr std::size_t spot_head_bytes_max = 1024;  // with its fields
inline constexpr std::size_t spot_flags_in_head = 1;
inline constexpr std::size_t spot_number_in_head = 12;  // where it stands; nothing but fields is behind it
inline constexpr std::size_t spot_members_max = 256;    // of one letter
// Room for a topic, its end and a head without fields.
inline constexpr std::size_t spot_opening_bytes_max = spot_topic_bytes_max + 1 + spot_head_bytes;

// Flags.
inline constexpr unsigned spot_flag_parts = 1;    // the body is in further parts
inline constexpr unsigned spot_flag_ordered = 2;  // of a partition; the fields say where in it
inline constexpr unsigned spot_flag_row = 4;      // the body is several, with numbers that follow (row.hpp)

// Tags of fields in heads and letters. From 32 on: partitions'.
inline constexpr std::uint16_t spot_tag_member = 1;
inline constexpr std::uint16_t spot_tag_partitions = 32;

enum class spot_subject : std::uint8_t
{
    topic,     // the application's
    letter,    // to one node
    circular,  // a letter to all
    other,     // to be passed over
};

struct spot_head
{
    unsigned flags = 0;
    std::uint64_t publisher = 0;
    std::uint64_t number = 0;
    bytes_view fields{};  // whole ones, service_field_reader's
};

// A first part as it was read.
struct spot_frame
{
    spot_subject subject = spot_subject::other;
    std::string_view topic{};  // of a topic
    std::uint64_t to = 0;      // of a letter: the node
    spot_head head{};
    bytes_view body{};  // behind the head
};

// complete: out is set. kind_unknown: a subject that is to be passed over.
[[nodiscard]] service_status decode_spot_frame (bytes_view bytes, spot_frame &out) noexcept;

// What may be a topic: 1 to 255 octets, none of them 0.
[[nodiscard]] bool is_spot_topic (std::string_view topic) noexcept;

// Writes subject and head, without fields, and answers how long that is. The topic is
// one; to has room for spot_opening_bytes_max.
[[nodiscard]] std::size_t
encode_spot_opening (std::span<std::byte> to, std::string_view topic, const spot_head &head) noexcept;
// The same with head.fields, at most spot_head_bytes_max with the head. May throw
// std::bad_alloc, and nothing is appended then.
void append_spot_opening (std::vector<std::byte> &to, std::string_view topic, const spot_head &head);

// --- subjects that are no topics --------------------------------------------------

inline constexpr std::size_t spot_letter_subject_bytes = 10;
// What a node subscribes to for letters to it, and to all.
[[nodiscard]] std::array<std::byte, spot_letter_subject_bytes>
spot_letter_subject (std::uint64_t node) noexcept;
[[nodiscard]] bytes_view spot_circular_subject () noexcept;

// Who says by a subscription that it is there.
struct spot_presence
{
    std::uint64_t node = 0;
    std::string_view endpoint{};  // empty: it is not to be connected to
};
// The subscription: 12 octets and an endpoint. May throw std::bad_alloc.
[[nodiscard]] std::vector<std::byte> encode_spot_presence (const spot_presence &who);
// kind_unknown: it is another subscription.
[[nodiscard]] service_status decode_spot_presence (bytes_view subscription, spot_presence &out) noexcept;

// --- letters ----------------------------------------------------------------------

enum class spot_letter : std::uint16_t
{
    members = 1,
    farewell = 2,
    poke = 3,
    // From 16 on: partitions'.
};
inline constexpr std::uint16_t spot_letters_of_partitions = 16;

// A whole letter: to a node, or to all (0). fields are whole ones. May throw
// std::bad_alloc.
[[nodiscard]] std::vector<std::byte> encode_spot_letter (
  std::uint64_t to, std::uint64_t publisher, std::uint64_t number, std::uint16_t kind, bytes_view fields);
// Of the body of a letter. The fields are read to their end: malformed if they are.
[[nodiscard]] service_status
decode_spot_letter (bytes_view body, std::uint16_t &kind, bytes_view &fields) noexcept;

void append_spot_member (std::vector<std::byte> &to, const spot_presence &who);
// Of a field with that tag. False: malformed.
[[nodiscard]] bool read_spot_member (bytes_view value, spot_presence &out) noexcept;

}  // namespace zlink::wire

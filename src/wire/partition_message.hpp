// What nodes of SPOT say to each other of partitions (docs/protocol/partitions.md):
// where an ordered message stands, and letters between publishers, owners and
// subscribers. All are fields (service_fields.hpp) with tags of their own.
//
// Pure functions; what is read borrows from the octets it was read from, and reading
// allocates nothing. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "wire/service_fields.hpp"

namespace zlink::wire {

// Kinds of letters, from where those of partitions begin.
enum class partition_kind : std::uint16_t
{
    declared = 16,     // the sender may own partitions of that topic
    publish = 17,      // to an owner: number this
    published = 18,    // what became of it
    owner = 19,        // the sender owns the partition, and stands there
    replay = 20,       // to an owner: what is behind that number
    replayed = 21,     // a part of that; the last one is complete
    tail_wanted = 22,  // by who is to be the owner: what was seen last
    tail = 23,         // a part of that; the last one is complete
};

// Where a message stands: one field, 60 octets.
struct partition_stamp
{
    std::uint32_t partition = 0;
    std::uint64_t epoch_number = 0;
    std::uint64_t epoch_id = 0;
    std::uint64_t first = 0;  // number with which the epoch began
    std::uint64_t after = 0;  // number of the epoch before, if it ended in order
    std::uint64_t sequence = 0;
    std::uint64_t origin = 0;
    std::uint64_t origin_number = 0;
    bool operator== (const partition_stamp &) const = default;
};

inline constexpr std::size_t partition_stamp_bytes = 60;
inline constexpr std::size_t partitions_max = 65'536;  // of one topic
inline constexpr std::uint64_t partition_sequence_max = std::uint64_t{1} << 63;
// Entries in one letter end behind the one that passes this.
inline constexpr std::size_t partition_page_bytes = 64 * 1024;

inline constexpr std::uint16_t partition_flag_complete = 1;  // of replayed, tail

// Which of these a kind has is said in docs/protocol/partitions.md.
struct partition_letter
{
    partition_kind kind = partition_kind::declared;
    std::uint16_t flags = 0;
    std::uint16_t how = 0;      // of replay: as service::read_from
    std::uint16_t outcome = 0;  // of published
    std::uint32_t partition = 0;
    std::uint32_t partitions = 0;
    std::uint64_t epoch_number = 0;
    std::uint64_t epoch_id = 0;
    std::uint64_t first = 0;
    std::uint64_t after = 0;
    std::uint64_t sequence = 0;  // of owner, replayed: the last that was numbered
    std::uint64_t number = 0;    // of publish, published: the origin's
    std::uint64_t waits_from = 0;
    std::uint64_t token = 0;  // of replay, replayed
    std::uint64_t value = 0;
    std::string_view topic{};
    std::string_view octets{};  // of publish
    bytes_view entries{};       // of replayed, tail: for partition_entries
};

// Of published. Others that may come are failures.
enum partition_outcome : std::uint16_t
{
    outcome_numbered = 1,   // under the sequence; 0: it was numbered before, and where is not known any more
    outcome_not_owner = 2,  // or not for long enough
    outcome_early = 3,      // an earlier one is missing
};

// Of another kind than ours is what a later version says.
[[nodiscard]] bool is_partition_kind (std::uint16_t kind) noexcept;
// The fields of a letter. May throw std::bad_alloc, with a part appended.
void append_partition_letter (const partition_letter &letter, std::vector<std::byte> &out);
// False: malformed, a field that the kind must have is missing, or the kind is not known.
// The entries are read to their end.
[[nodiscard]] bool
read_partition_letter (std::uint16_t kind, bytes_view fields, partition_letter &out) noexcept;

// The stamp of an ordered message as fields of its head.
void append_partition_stamp (const partition_stamp &stamp, std::vector<std::byte> &out);
[[nodiscard]] bool read_partition_stamp (bytes_view fields, partition_stamp &out) noexcept;

// An entry of a list.
void append_partition_entry (const partition_stamp &stamp,
                             std::string_view octets,
                             std::vector<std::byte> &out);
class partition_entries
{
  public:
    explicit partition_entries (bytes_view fields) noexcept : fields_ (fields) {}
    // False at the end, and at what is malformed.
    [[nodiscard]] bool next (partition_stamp &stamp, std::string_view &octets) noexcept;
    [[nodiscard]] bool malformed () const noexcept { return malformed_ || fields_.malformed (); }

  private:
    service_field_reader fields_;
    bool malformed_ = false;
};

// The octets of a message: how long the key is, the key, and the body.
inline constexpr std::size_t partition_key_bytes_max = 65'535;

struct partition_octets
{
    std::string_view key{};
    std::string_view body{};
};

// The key has at most partition_key_bytes_max. May throw std::bad_alloc.
[[nodiscard]] std::string join_partition_octets (std::string_view key, std::string_view body);
// What is too short for its key has none, and is all body.
[[nodiscard]] partition_octets split_partition_octets (std::string_view octets) noexcept;

}  // namespace zlink::wire

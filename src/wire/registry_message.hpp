// Messages between a registry and those who register with it or watch it
// (docs/protocol/registry.md): one part each, over DEALER and ROUTER.
//
//   octet 0  52 ('R')    octet 1  version, 01    octet 2  kind    octet 3  flags
//   fields (service_fields.hpp), in any order
//
// Pure functions; what is read borrows from the octets it was read from, and
// reading allocates nothing. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "wire/service_fields.hpp"
#include "wire/service_limits.hpp"

namespace zlink::wire {

inline constexpr unsigned registry_protocol_version = 1;
inline constexpr std::size_t registry_head_bytes = 4;
inline constexpr std::size_t registry_token_bytes = 16;

enum class registry_kind : std::uint8_t
{
    open = 1,      // to the registry: I am this instance
    opened = 2,    // its lease, and who the registry is
    put = 3,       // this provider is there, or has changed
    drop = 4,      // it is there no more
    answer = 5,    // to put, drop, watch and unwatch
    renew = 6,     // all of mine are alive
    renewed = 7,   //
    watch = 8,     // tell me of this service, or of all
    unwatch = 9,   //
    page = 10,     // what has changed of a service since a revision
    seen = 11,     // up to this page all is read: send the next
    close = 12,    // I leave: drop all of mine
    refused = 13,  // what you sent is none of these; nothing more is said
};

// Flags of a page, but for settled, which opened and renewed have too.
inline constexpr unsigned registry_flag_reset =
  1;  // it begins anew: what is not in it or in those to come is gone
inline constexpr unsigned registry_flag_complete = 2;  // nothing newer is known
inline constexpr unsigned registry_flag_settled = 4;   // whoever is alive has had the time to register

// Numbers of the protocol; others may come and are failures of a kind not known.
enum registry_fault : std::uint16_t
{
    fault_none = 0,
    fault_malformed = 1,
    fault_version = 2,      // of the protocol
    fault_no_session = 3,   // open comes first
    fault_taken = 4,        // a living instance has this endpoint, or your instance's number
    fault_not_yours = 5,    // another instance registered it
    fault_not_found = 6,    //
    fault_endpoint = 7,     // nobody could reach you there
    fault_too_many = 8,     // a limit of the registry's, or of what one peer may have
    fault_not_allowed = 9,  // who comes in may not do this
    fault_closing = 10,     // the registry leaves
    fault_out_of_memory = 11,
    fault_store_lost = 12,  // what the registry stands on is not there: come again soon
};

// Why a provider is gone.
enum removal : std::uint16_t
{
    removal_unregistered = 1,
    removal_expired = 2,  // its lease ran out
    removal_lost = 3,     // its connection broke, and it did not come back in time
    removal_forced = 4,   // by who runs the registry
};

// What is provided: families keep names of different kinds apart.
inline constexpr std::uint16_t family_gateway = 1;
inline constexpr std::uint16_t family_spot = 2;

// A provider as it is registered and told of. Its labels are octets that
// label_reader walks. Weight 0: it drains, and gets no new requests.
struct provider_view
{
    std::uint16_t family = 0;
    std::uint32_t weight = 1;
    std::string_view service{};
    std::string_view endpoint{};
    std::uint64_t instance = 0;          // of the process that provides, drawn at its start
    std::uint64_t version = 0;           // grows with what the instance changes
    std::uint64_t registered_at_ms = 0;  // since 1970, by the registry's clock; for people
    std::string_view host{};             // equal: the same machine
    std::string_view zone{};
    std::string_view labels{};
    bool operator== (const provider_view &) const = default;
};

// A provider that is gone.
struct removed_view
{
    std::uint16_t family = 0;
    std::uint16_t why = 0;
    std::string_view service{};
    std::string_view endpoint{};
    std::uint64_t instance = 0;
    bool operator== (const removed_view &) const = default;
};

// Which of these a kind has is said in docs/protocol/registry.md; the others are
// as they are here.
struct registry_message
{
    registry_kind kind = registry_kind::open;
    unsigned flags = 0;
    std::uint64_t request = 0;      // whose answer it is
    std::uint64_t incarnation = 0;  // of the registry, drawn at its start
    std::uint64_t revision = 0;
    std::uint64_t since = 0;
    std::uint64_t instance = 0;
    std::uint32_t lease_ms = 0;
    std::uint32_t renew_ms = 0;
    std::uint16_t family = 0;
    std::uint16_t fault = fault_none;
    std::string_view token{};
    std::string_view service{};  // of watch, unwatch, page and seen: empty is all of a family
    std::string_view endpoint{};
    std::string_view text{};
    provider_view provider{};
    bytes_view entries{};  // of a page: fields with providers and removed ones, for registry_entries
    bytes_view others{};   // of opened: fields with endpoints of other registries, for registry_others
};

enum class service_status : std::uint8_t
{
    complete,
    malformed,
    version_unsupported,
    kind_unknown,
    too_large,
};

// On complete out is set, else it is of no use. Entries and others have been looked
// at too: walking them finds no fault.
[[nodiscard]] service_status decode_registry_message (bytes_view bytes, registry_message &out) noexcept;

// Appends the message. Entries and others are appended as they are. May throw
// std::bad_alloc, with a part of it appended.
void encode_registry_message (const registry_message &message, std::vector<std::byte> &out);

// One of a page: the provider is there (gone false), or gone.
struct registry_entry
{
    bool gone = false;
    provider_view provider{};
    removed_view removed{};
};

// Appends one entry, for registry_message::entries. May throw std::bad_alloc, with a
// part of it appended.
void append_provider (const provider_view &provider, std::vector<std::byte> &out);
void append_removed (const removed_view &removed, std::vector<std::byte> &out);

class registry_entries
{
  public:
    explicit registry_entries (bytes_view entries) noexcept : fields_ (entries) {}
    // False at the end, and at one that is malformed.
    [[nodiscard]] bool next (registry_entry &out) noexcept;
    [[nodiscard]] bool malformed () const noexcept { return malformed_ || fields_.malformed (); }

  private:
    service_field_reader fields_;
    bool malformed_ = false;
};

// Endpoints of other registries that hold the same, at most registry_others_max.
void append_other (std::string_view endpoint, std::vector<std::byte> &out);
class registry_others
{
  public:
    explicit registry_others (bytes_view others) noexcept : fields_ (others) {}
    [[nodiscard]] bool next (std::string_view &out) noexcept;
    [[nodiscard]] bool malformed () const noexcept { return malformed_ || fields_.malformed (); }

  private:
    service_field_reader fields_;
    std::size_t told_ = 0;
    bool malformed_ = false;
};

// Labels: pairs of a name (1 octet length, not 0, printable ASCII) and a value (2
// octets length, no control characters). Walks what are_labels accepts.
class label_reader
{
  public:
    explicit label_reader (std::string_view labels) noexcept : rest_ (labels) {}
    // False at the end and at the first violation.
    [[nodiscard]] bool next (std::string_view &name, std::string_view &value) noexcept;
    [[nodiscard]] bool malformed () const noexcept { return malformed_; }

  private:
    std::string_view rest_;
    bool malformed_ = false;
};
[[nodiscard]] bool are_labels (std::string_view labels) noexcept;
// Appends one label. False, and nothing appended, when it is none, or labels would
// be longer than service_labels_bytes_max. May throw std::bad_alloc.
bool append_label (std::vector<char> &labels, std::string_view name, std::string_view value);

// One lower-case word with hyphens, for logs; "unknown" of other numbers.
[[nodiscard]] const char *fault_name (std::uint16_t fault) noexcept;
[[nodiscard]] const char *removal_name (std::uint16_t why) noexcept;

}  // namespace zlink::wire

// What is said to etcd's HTTP gateway, and what it answers (etcd's API, version 3):
// JSON with keys and values in base64 and 64-bit numbers as text. Pure; what comes is
// from strangers. All may throw std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace zlink::etcd {

inline constexpr const char *path_range = "/v3/kv/range";
inline constexpr const char *path_change = "/v3/kv/txn";
inline constexpr const char *path_lease = "/v3/lease/grant";
inline constexpr const char *path_renew = "/v3/lease/keepalive";
inline constexpr const char *path_watch = "/v3/watch";

// Etcd counts leases in seconds, and makes shorter ones longer.
inline constexpr std::int64_t lease_s_min = 2;
[[nodiscard]] std::int64_t lease_seconds (base::time_ns lease) noexcept;

[[nodiscard]] std::string to_base64 (std::string_view octets);
// Nothing: it is none.
[[nodiscard]] std::optional<std::string> from_base64 (std::string_view text);

// --- what is said --------------------------------------------------------------------

// Keys from one on, before another; at a revision, 0: the newest.
[[nodiscard]] std::string
range_request (std::string_view from, std::string_view end, std::int64_t revision, std::size_t limit);
[[nodiscard]] std::string watch_request (std::string_view from, std::string_view end, std::int64_t revision);
[[nodiscard]] std::string lease_request (std::int64_t seconds);
[[nodiscard]] std::string renew_request (std::int64_t lease);
[[nodiscard]] std::string revoke_request (std::int64_t lease);
// Stores if the key was changed last at that revision, 0: if it is not there. Else reads.
[[nodiscard]] std::string
put_request (std::string_view key, std::string_view value, std::int64_t lease, std::int64_t if_changed_at);
// A record that stays, and a mark beside it that goes with a lease; changed_at as they were
// found, 0: not there.
struct slot_keys
{
    std::string record, mark;
    std::int64_t record_at = 0, mark_at = 0;
};
// Stores the record, and the mark with a lease, 0: removes it, if both were changed last at
// those revisions.
[[nodiscard]] std::string slot_request (const slot_keys &keys, std::string_view record, std::int64_t lease);
// Removes if it is of that lease. Else reads.
[[nodiscard]] std::string drop_request (std::string_view key, std::int64_t if_lease);

// --- what is answered ----------------------------------------------------------------

struct record
{
    std::string key;
    std::string value;
    std::int64_t changed_at = 0;
    std::int64_t lease = 0;
};

struct range_answer
{
    std::int64_t revision = 0;
    bool more = false;
    std::vector<record> records;
};

struct change_answer
{
    bool done = false;
    std::optional<record> found;  // of what was read instead
};

struct watch_event
{
    bool gone = false;
    record what;
};

struct watch_answer
{
    bool ended = false;  // nothing more comes: it was refused, or asked for what is compacted
    std::vector<watch_event> events;
};

// Nothing: it is no such answer. A record with a key or a value that is no base64 is left
// out.
[[nodiscard]] std::optional<range_answer> read_range (std::string_view json);
[[nodiscard]] std::optional<change_answer> read_change (std::string_view json);
// The lease; 0: there is none any more.
[[nodiscard]] std::optional<std::int64_t> read_lease (std::string_view json);
[[nodiscard]] std::optional<watch_answer> read_watch (std::string_view json);
// For people: what an answer that is none of these says is wrong; empty: nothing.
[[nodiscard]] std::string read_complaint (std::string_view json);

}  // namespace zlink::etcd

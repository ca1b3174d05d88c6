// ZWS 2.0 (RFC 45): ZMTP's frames inside WebSocket's. One binary message is one
// ZMTP frame: an octet of flags, 00 for the last part of a message, 01 for
// another, 02 for a command, then the body. Sub-protocols of the upgrade take the
// place of the greeting. Pure: octets in, events out; nothing is allocated or
// thrown. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "wire/security.hpp"
#include "wire/ws_frame.hpp"
#include "wire/ws_link.hpp"

namespace zlink::wire {

// --- sub-protocols -------------------------------------------------------------

enum class zws_protocol : std::uint8_t
{
    bare,  // "ZWS2.0": no mechanism; the first message each way is a routing id
    null,  // "ZWS2.0/NULL" and so on: the mechanism's commands come first
    plain,
    curve,
};

// Case matters.
[[nodiscard]] std::string_view zws_protocol_name (zws_protocol protocol) noexcept;
[[nodiscard]] std::optional<zws_protocol> zws_protocol_of (std::string_view name) noexcept;
[[nodiscard]] mechanism_kind mechanism_of (zws_protocol protocol) noexcept;

// What either end of a connection with this mechanism speaks, the better first.
// Without a mechanism nobody can be asked about who comes in: bare is only for
// open ones (security::open_to_all).
[[nodiscard]] std::span<const std::string_view> zws_protocols (const security &wish) noexcept;

// --- frames --------------------------------------------------------------------

inline constexpr unsigned zws_flag_more = 1;
inline constexpr unsigned zws_flag_command = 2;
inline constexpr std::size_t zws_header_bytes_max = ws_header_bytes_max + 1;

// Writes what stands in front of a body, flags included, and returns its length;
// out has room for zws_header_bytes_max. Of a command `more` is not looked at.
// With a key the body is to be masked with it, in phase zws_body_phase.
inline constexpr std::uint64_t zws_body_phase = 1;
[[nodiscard]] std::size_t encode_zws_header (
  std::byte *out, std::uint64_t body_bytes, bool more, bool command, const ws_mask_key *key) noexcept;

struct zws_event
{
    ws_event_kind kind = ws_event_kind::nothing;  // of data: a piece of a body
    bool begins = false;                          // the first piece, which may be empty
    bool ends = false;
    bool more = false;
    bool command = false;
    // As of ws_event: what is to_come is all that the body still has.
    bool last_frame = false;
    bytes_span payload{};
    std::uint64_t to_come = 0;
};

// A link whose messages are ZMTP's frames. Whatever is no such frame (text, no
// flags, flags of nobody's) breaks a rule of the link's.
class zws_reader
{
  public:
    // body_bytes_max: MAXMSGSIZE, of one body; at most frame_body_bytes_max.
    zws_reader (ws_role role, std::uint64_t body_bytes_max, ws_mask_keys *keys) noexcept;

    // As of ws_link. Its answers, close and reasons are the link's.
    zws_event next (bytes_span &in) noexcept;
    [[nodiscard]] ws_link &link () noexcept { return link_; }
    [[nodiscard]] const ws_link &link () const noexcept { return link_; }

  private:
    bool take_flags (ws_event &event) noexcept;

    ws_link link_;
    unsigned flags_ = 0;  // of the message under way
    bool flags_known_ = false;
    bool body_begins_ = false;
};

}  // namespace zlink::wire

// The greeting of one connection: who speaks which ZMTP, and by which
// mechanism (RFC 13, 15, 23, 37). Pure: bytes in, bytes out.
//
//   octets 0-9    signature: FF, 8 of padding, 7F
//   octet  10     major version (3), or revision 0 or 1 of older peers
//   octet  11     minor version, or the socket type towards those
//   octets 12-31  mechanism, 32 as-server, 33-63 filler
//
// We send as libzmq does, so that every age of peer understands the part it
// has seen: the signature at once, its padding being the length of a ZMTP 1.0
// identity frame; the major version after the peer's signature; the rest after
// the peer's major version.
// One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/reason.hpp"

namespace zlink::wire {

using base::bytes_view;

inline constexpr std::size_t signature_bytes = 10;
inline constexpr std::size_t greeting_bytes_zmtp_2_0 = 12;
inline constexpr std::size_t greeting_bytes = 64;
inline constexpr std::size_t mechanism_bytes = 20;

inline constexpr std::string_view mechanism_null = "NULL";

struct greeting_config
{
    std::size_t identity_size = 0;                // 0 to identity_bytes_max
    std::uint8_t socket_type_octet = 0;           // for ZMTP 2.0 peers
    std::string_view mechanism = mechanism_null;  // outlives the greeting
    bool older_allowed = true;                    // 1.0 and 2.0; false with any mechanism but NULL
};

// How the peer turned out to speak.
enum class peer_dialect : std::uint8_t
{
    unversioned,  // ZMTP 1.0: no greeting, an identity frame from the first octet on
    revision_0,   // greeting of 12 octets, then ZMTP 1.0 framing
    revision_1,   // ZMTP 2.0: greeting of 12 octets, then ZMTP 2.0 framing
    zmtp_3,       // 3.0 or later
};

enum class greeting_status : std::uint8_t
{
    need_more,
    complete,
    failed,
};

class greeting
{
  public:
    explicit greeting (const greeting_config &config) noexcept : config_ (config) {}

    // Appends the signature. Once, before the first feed.
    void start (std::vector<std::byte> &out) const;
    // Takes no more than the greeting from in, says how much in consumed, and
    // appends the answers to out. Not called again after complete or failed.
    [[nodiscard]] greeting_status feed (bytes_view in, std::size_t &consumed, std::vector<std::byte> &out);

    // After complete.
    [[nodiscard]] peer_dialect dialect () const noexcept { return dialect_; }
    // zmtp_3: 0 for 3.0, 1 for 3.1 and everything later.
    [[nodiscard]] std::uint8_t minor () const noexcept { return minor_; }
    // revision_0 and revision_1: the peer's socket type octet.
    [[nodiscard]] std::uint8_t peer_octet () const noexcept { return static_cast<std::uint8_t> (have_[11]); }
    // unversioned: the octets that turned out to be the front of a frame.
    [[nodiscard]] bytes_view front_of_frame () const noexcept { return bytes_view (have_).first (size_); }

    // After failed.
    [[nodiscard]] base::close_reason reason () const noexcept { return reason_; }
    [[nodiscard]] const char *text () const noexcept { return text_; }

  private:
    greeting_status step (std::vector<std::byte> &out);
    greeting_status after_major (std::vector<std::byte> &out);
    greeting_status finish () noexcept;
    greeting_status finish_as (peer_dialect dialect) noexcept;
    greeting_status fail (base::close_reason reason, const char *text) noexcept;

    greeting_config config_;
    std::array<std::byte, greeting_bytes> have_{};
    std::size_t size_ = 0;
    std::size_t goal_ = 1;  // the next octet count at which something is decided
    peer_dialect dialect_ = peer_dialect::zmtp_3;
    std::uint8_t minor_ = 0;
    base::close_reason reason_ = base::close_reason::none;
    const char *text_ = "";
};

}  // namespace zlink::wire

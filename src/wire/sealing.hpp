// The traffic of a CURVE connection (RFC 25, 26): each frame in a box of its
// own, numbered upwards in its direction. Either direction has its own state, so
// that one thread may seal while another opens; each by one thread at a time.
// Nothing is allocated.
//
//   frame     an ordinary one of ZMTP 3.x around
//   body      07 'MESSAGE', number (8 octets, big endian), box
//   in it     flags: bit 0 MORE, bit 1 COMMAND (as libzmq); the plain body
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/reason.hpp"
#include "crypto/box.hpp"

namespace zlink::wire {

using base::bytes_view;

// Of a frame's body: what a box takes besides what is in it.
inline constexpr std::size_t sealing_front_bytes = 8 + 8;  // name and number
inline constexpr std::size_t sealing_body_bytes = sealing_front_bytes + crypto::mac_bytes + 1;

struct frame_flags
{
    bool more = false;
    bool command = false;
};

class sealer
{
  public:
    sealer (const crypto::numbered_key &key, std::uint64_t next) noexcept : key_ (key), next_ (next) {}

    // Writes the whole sealed frame and returns its size, at most
    // frame_header_bytes_max + sealing_body_bytes + body.size (). 0: all numbers
    // are used up, nothing can be sealed any more.
    [[nodiscard]] std::size_t seal (std::byte *to, frame_flags flags, bytes_view body) noexcept;

  private:
    crypto::numbered_key key_;
    std::uint64_t next_;
};

class opener
{
  public:
    opener (const crypto::numbered_key &key, std::uint64_t last) noexcept : key_ (key), last_ (last) {}

    // The body of a frame as it came: its plain body, body.size () -
    // sealing_body_bytes octets, goes to `to`, which may be that place in body
    // itself (plain_place). Anything but none: the connection must end.
    [[nodiscard]] base::close_reason open (bytes_view body, frame_flags &flags, std::byte *to) noexcept;
    // Where a body that came may be opened in place.
    [[nodiscard]] static std::byte *plain_place (std::byte *body) noexcept
    {
        return body + sealing_body_bytes;
    }

  private:
    crypto::numbered_key key_;
    std::uint64_t last_;
};

struct sealing
{
    sealer out;
    opener in;
};

}  // namespace zlink::wire

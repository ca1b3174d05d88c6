// The mask that a WebSocket client lays over all it sends (RFC 6455, 5.3):
// octet i of a frame's payload is combined with octet i mod 4 of a key that
// nobody can foresee. Laying it on twice takes it off.
//
// Pure functions over the caller's bytes, any thread; keys: one thread at a
// time. Nothing is allocated or thrown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bytes.hpp"
#include "crypto/keystream.hpp"

namespace zlink::wire {

using base::bytes_span;
using base::bytes_view;

inline constexpr std::size_t ws_mask_key_bytes = 4;
using ws_mask_key = std::array<std::byte, ws_mask_key_bytes>;

// In place. phase: how many octets of the same frame's payload went before.
void ws_mask (bytes_span data, ws_mask_key key, std::uint64_t phase) noexcept;

// The same on the way somewhere else: one pass where a copy is needed anyway.
// Nothing may overlap.
void ws_mask_copy (std::byte *to, bytes_view from, ws_mask_key key, std::uint64_t phase) noexcept;

// A client's keys, a fresh one for each frame. The system is asked for the seed
// only, so keys may be drawn under a lock.
class ws_mask_keys
{
  public:
    // The seed is from base::entropy.
    explicit ws_mask_keys (const base::secret_key &seed) noexcept : stream_ (seed) {}
    [[nodiscard]] ws_mask_key next () noexcept
    {
        if (used_bytes_ == crypto::keystream::draw_bytes) [[unlikely]]
            refill ();
        ws_mask_key key;
        std::memcpy (key.data (), drawn_.data () + used_bytes_, key.size ());
        used_bytes_ += key.size ();
        return key;
    }

  private:
    void refill () noexcept;

    crypto::keystream stream_;
    crypto::keystream::drawing drawn_;
    std::size_t used_bytes_ = crypto::keystream::draw_bytes;
};

static_assert (crypto::keystream::draw_bytes % ws_mask_key_bytes == 0);

}  // namespace zlink::wire

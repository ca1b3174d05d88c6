// Bytes that leave no trace: a secret key, overwritten when it is no longer
// needed, moved from or replaced. A plain value; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "base/bytes.hpp"

namespace zlink::base {

// Overwrites with zeros, also where nobody reads them any more: no compiler knows
// whom it calls for that.
inline void wipe (bytes_span bytes) noexcept
{
    static void *(*const volatile overwrite) (void *, int, std::size_t) = std::memset;
    if (!bytes.empty ())
        overwrite (bytes.data (), 0, bytes.size ());
}

template <std::size_t Size> class secret
{
  public:
    secret () = default;
    secret (const secret &) = default;
    secret &operator= (const secret &) = default;
    ~secret () { wipe (bytes_); }

    [[nodiscard]] std::byte *data () noexcept { return bytes_.data (); }
    [[nodiscard]] const std::byte *data () const noexcept { return bytes_.data (); }
    [[nodiscard]] static constexpr std::size_t size () noexcept { return Size; }
    [[nodiscard]] bytes_span bytes () noexcept { return bytes_; }
    [[nodiscard]] bytes_view bytes () const noexcept { return bytes_; }

  private:
    std::array<std::byte, Size> bytes_{};
};

inline constexpr std::size_t key_bytes = 32;
using public_key = std::array<std::byte, key_bytes>;
using secret_key = secret<key_bytes>;

}  // namespace zlink::base

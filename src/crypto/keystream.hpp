// Numbers that nobody can foresee, many from one seed and without asking the
// system again: ChaCha20 over libsodium. What was given out cannot be worked out
// from what the object holds later: each drawing replaces the key.
// One thread at a time; nothing is allocated or thrown.
#pragma once

#include <cstddef>

#include "base/bytes.hpp"
#include "base/secret.hpp"

namespace zlink::crypto {

class keystream
{
  public:
    static constexpr std::size_t draw_bytes = 256;
    using drawing = base::secret<draw_bytes>;

    // The seed is from base::entropy.
    explicit keystream (const base::secret_key &seed) noexcept : key_ (seed) {}
    void draw (drawing &to) noexcept;

  private:
    base::secret_key key_;
};

}  // namespace zlink::crypto

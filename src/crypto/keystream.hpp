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
    // With the key to come a kilobyte, which libsodium makes in whole runs of its
    // widest registers: three times as fast, an octet, as a quarter of it.
    static constexpr std::size_t draw_bytes = 1024 - base::key_bytes;
    using drawing = base::secret<draw_bytes>;

    // The seed is from base::entropy.
    explicit keystream (const base::secret_key &seed) noexcept : key_ (seed) {}
    void draw (drawing &to) noexcept;

  private:
    base::secret_key key_;
};

}  // namespace zlink::crypto

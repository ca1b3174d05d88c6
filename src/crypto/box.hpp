// The boxes of CURVE: Curve25519, XSalsa20 and Poly1305 (NaCl's crypto_box)
// over libsodium. Pure functions of what they are given: randomness is the
// caller's (base/entropy.hpp), so that a simulation repeats itself. Nothing is
// allocated or thrown. Thread rule: any thread.
//
// A box is 16 octets of authentication, then as many as were put in. Whoever
// uses a nonce twice under one key gives both messages away: the callers count.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/secret.hpp"

namespace zlink::crypto {

using base::bytes_span;
using base::bytes_view;
using base::key_bytes;
using base::public_key;
using base::secret_key;

inline constexpr std::size_t nonce_bytes = 24;
inline constexpr std::size_t mac_bytes = 16;
using nonce = std::array<std::byte, nonce_bytes>;

// False in a library that is built without: then nothing else here is called.
[[nodiscard]] bool built () noexcept;

[[nodiscard]] public_key public_key_of (const secret_key &own) noexcept;

// The key that the owners of both pairs share. False: the peer's key is of low
// order, or otherwise gives a key that anybody knows.
[[nodiscard]] bool agree (const public_key &peer, const secret_key &own, secret_key &shared) noexcept;

// Writes plain.size () + mac_bytes to `to`, which may not overlap plain.
void seal (std::byte *to, bytes_view plain, const nonce &once, const secret_key &key) noexcept;
// The reverse, to.size () = box.size () - mac_bytes. False: it was sealed with
// another key or nonce, or is shorter than that; `to` is untouched then.
[[nodiscard]] bool open (std::byte *to, bytes_view box, const nonce &once, const secret_key &key) noexcept;

// In a time that tells nothing of where they differ. Of different sizes: false.
[[nodiscard]] bool equal (bytes_view a, bytes_view b) noexcept;

// One direction of a connection: the nonces of all its boxes begin with the same
// 16 octets, what follows from these and the key is worked out once.
class numbered_key
{
  public:
    numbered_key () = default;
    numbered_key (const secret_key &shared, bytes_view prefix) noexcept;  // of 16 octets

    // Writes a box of first and then rest, rest.size () + 1 + mac_bytes octets;
    // may not overlap rest.
    void seal (std::byte *to, std::byte first, bytes_view rest, std::uint64_t number) const noexcept;
    // Opens a box of at least mac_bytes + 1. What was first is answered in
    // `first`, the rest written to `to`, which may be the box itself, from its
    // octet 17 on, or memory apart from it. False: nothing was written.
    [[nodiscard]] bool
    open (std::byte &first, std::byte *to, bytes_view box, std::uint64_t number) const noexcept;

  private:
    secret_key key_;
};

}  // namespace zlink::crypto

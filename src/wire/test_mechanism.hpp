// What the tests of mechanisms share: random numbers that repeat themselves, and
// two sessions that talk to each other.
#pragma once

#include <string>

#include "base/entropy.hpp"
#include "crypto/box.hpp"
#include "wire/test_bytes.hpp"

namespace zlink::wire::test {

// 1, 2, 3 and so on, so that every run says the same.
class counting_entropy final : public base::entropy
{
  public:
    explicit counting_entropy (unsigned first = 1) noexcept : next_ (first) {}
    [[nodiscard]] bool fill (base::bytes_span to) noexcept override
    {
        for (std::byte &each : to)
            each = static_cast<std::byte> (next_++ * 167 >> 3);
        return !dry;
    }
    bool dry = false;

  private:
    unsigned next_;
};

// A pair of keys, the same for a seed.
struct key_pair
{
    base::public_key open{};
    base::secret_key secret;
    explicit key_pair (unsigned seed)
    {
        counting_entropy from (seed);
        (void)from.fill (secret.bytes ());
        open = crypto::public_key_of (secret);
    }
};

// What the options of either side come to.
inline security plain_client (std::string name = "me", std::string password = "secret")
{
    return {
      .mechanism = mechanism_kind::plain, .username = std::move (name), .password = std::move (password)};
}

inline security plain_server () { return {.mechanism = mechanism_kind::plain, .as_server = true}; }

inline security curve_server (const key_pair &own)
{
    return {.mechanism = mechanism_kind::curve, .as_server = true, .own_secret = own.secret};
}

inline security curve_client (const key_pair &own, const base::public_key &server)
{
    return {
      .mechanism = mechanism_kind::curve, .own_public = own.open, .own_secret = own.secret, .server = server};
}

inline session_config end_of (socket_type type, const security &secured, base::entropy *secrets = nullptr)
{
    session_config config;
    config.type = type;
    config.secured = secured;
    config.secrets = secrets;
    return config;
}

// What one says goes to the other; true if there was something.
inline bool pass (session &from, session &to)
{
    const std::string octets = drain (from);
    std::size_t consumed = 0;
    to.feed (as_bytes (octets), consumed);
    return !octets.empty ();
}

// Until both wait for something else: the peer, or somebody's verdict.
inline void talk (session &one, session &other)
{
    bool moved = true;
    while (moved) {
        moved = pass (one, other);
        moved = pass (other, one) || moved;
    }
}

inline void meet (session &one, session &other)
{
    one.start ();
    other.start ();
    talk (one, other);
}

}  // namespace zlink::wire::test

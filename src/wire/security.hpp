// What a socket's options ask of the handshake: the mechanism and what it shows,
// and whether somebody is asked about peers. A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/secret.hpp"
#include "crypto/tls_ref.hpp"

namespace zlink::crypto {
struct tls_settings;
}

namespace zlink::wire {

// Numbered as option MECHANISM is.
enum class mechanism_kind : std::uint8_t
{
    null = 0,
    plain = 1,
    curve = 2,
};

[[nodiscard]] constexpr std::string_view mechanism_name (mechanism_kind kind) noexcept
{
    switch (kind) {
    case mechanism_kind::plain:
        return "PLAIN";
    case mechanism_kind::curve:
        return "CURVE";
    default:
        return "NULL";
    }
}

struct security
{
    mechanism_kind mechanism = mechanism_kind::null;
    bool as_server = false;  // the side that lets in, whoever dialled
    // PLAIN's client, each at most 255 octets.
    std::string username{};
    std::string password{};
    // CURVE.
    base::public_key own_public{};
    base::secret_key own_secret{};
    base::public_key server{};  // of a client: whom it wants to talk to
    // Of authentication (RFC 27). Empty: NULL asks nobody.
    std::string domain{};
    // Where nobody can be asked, nobody comes in (CURVE, NULL); CURVE without a
    // domain does not ask.
    bool enforce_domain = false;
    bool requires_policy = false;  // or who wants a policy may not begin, and nobody comes in without
    // Of CURVE's server: it waits for a verdict on each peer, though nobody is
    // asked, as whoever drives it may have a list of keys by then.
    bool judged = false;
    // Somebody of the socket's own is asked about every peer, whatever the mechanism.
    bool always_asks = false;

    // Of the stream below all this; empty: nothing is said of it.
    crypto::tls_ref<const crypto::tls_settings> tls{};

    // Peers that know no mechanism may come in.
    [[nodiscard]] bool open_to_all () const noexcept
    {
        return mechanism == mechanism_kind::null && domain.empty () && !always_asks;
    }
    // Somebody is asked about each peer.
    [[nodiscard]] bool asks () const noexcept
    {
        if (mechanism == mechanism_kind::null)
            return always_asks || !domain.empty ();
        if (!as_server)
            return false;
        return always_asks || mechanism == mechanism_kind::plain || !domain.empty () || !enforce_domain;
    }
    // Where there is nobody to ask, somebody should be told.
    [[nodiscard]] bool wants_policy () const noexcept
    {
        return mechanism != mechanism_kind::null && as_server;
    }
    // A peer comes in where there is nobody to ask.
    [[nodiscard]] bool admits_unasked () const noexcept
    {
        if (mechanism == mechanism_kind::plain || (requires_policy && wants_policy ()))
            return false;
        return !enforce_domain || !asks ();
    }
};

}  // namespace zlink::wire

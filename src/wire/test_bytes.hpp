// What the tests of this layer share: octets as strings, a peer's greeting,
// a session driven in pieces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "wire/session.hpp"

namespace zlink::wire::test {

using base::as_bytes;
using base::as_text;

// "FF 00 7f" -> three octets; blanks are ignored.
inline std::string hex (std::string_view digits)
{
    std::string octets;
    int high = -1;
    for (const char c : digits) {
        if (c == ' ')
            continue;
        const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        if (high < 0) {
            high = digit;
        } else {
            octets.push_back (static_cast<char> (high * 16 + digit));
            high = -1;
        }
    }
    return octets;
}

inline std::string zeros (std::size_t count) { return std::string (count, '\0'); }

inline std::string be (std::uint64_t value, std::size_t octets)
{
    std::string text;
    for (std::size_t i = octets; i-- > 0;)
        text.push_back (static_cast<char> (value >> (8 * i)));
    return text;
}

inline std::string octet (unsigned value) { return std::string (1, static_cast<char> (value)); }

inline const std::string signature = hex ("FF 0000000000000001 7F");

// 64 octets.
inline std::string greeting_of (unsigned major, unsigned minor, std::string mechanism = "NULL")
{
    mechanism.resize (mechanism_bytes);
    return signature + octet (major) + octet (minor) + mechanism + zeros (32);
}

// A frame of ZMTP 2.0 or 3.x; long form where the size asks for it.
inline std::string frame (unsigned flags, std::string_view body)
{
    const bool is_long = body.size () > 255;
    return octet (flags | (is_long ? 2u : 0u)) + be (body.size (), is_long ? 8 : 1) + std::string (body);
}

inline std::string property_octets (std::string_view name, std::string_view value)
{
    return octet (static_cast<unsigned> (name.size ())) + std::string (name) + be (value.size (), 4)
           + std::string (value);
}

inline std::string ready_with (std::string_view properties)
{
    return frame (4, "\5READY" + std::string (properties));
}

inline std::string ready_of (std::string_view type)
{
    return ready_with (property_octets ("Socket-Type", type));
}

// Everything a session said, and how it ended.
struct course
{
    session_status status = session_status::need_more;
    std::size_t consumed = 0;
    std::string sent;
};

// Takes what the session wants to write.
inline std::string drain (session &from)
{
    const std::string sent (as_text (from.output ()));
    from.output_drained (sent.size ());
    return sent;
}

// Feeds all of in, at most piece octets at a time, from the start on.
inline course drive (session &to, std::string_view in, std::size_t piece = ~std::size_t{0})
{
    course done;
    to.start ();
    done.sent = drain (to);
    while (done.status == session_status::need_more && done.consumed < in.size ()) {
        std::size_t consumed = 0;
        done.status = to.feed (as_bytes (in.substr (done.consumed, piece)), consumed);
        done.consumed += consumed;
        done.sent += drain (to);
    }
    return done;
}

}  // namespace zlink::wire::test

// What the tests of WebSocket share: frames as strings, and what a link makes of
// octets that come in pieces.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "wire/test_bytes.hpp"
#include "wire/ws_frame.hpp"
#include "wire/ws_link.hpp"

namespace zlink::wire::test {

// The one of the RFC's examples.
inline const ws_mask_key book_key = {std::byte{0x37}, std::byte{0xfa}, std::byte{0x21}, std::byte{0x3d}};

// One frame by hand: `front` is its first octet.
inline std::string ws_frame_of (unsigned front, std::string_view payload, bool masked)
{
    const unsigned mark = masked ? 0x80 : 0;
    std::string text = octet (front);
    if (payload.size () < 126)
        text += octet (mark | static_cast<unsigned> (payload.size ()));
    else if (payload.size () < 65536)
        text += octet (mark | 126) + be (payload.size (), 2);
    else
        text += octet (mark | 127) + be (payload.size (), 8);
    if (!masked)
        return text + std::string (payload);
    text += as_text (book_key);
    for (std::size_t i = 0; i < payload.size (); ++i)
        text.push_back (static_cast<char> (payload[i] ^ std::to_integer<int> (book_key[i % 4])));
    return text;
}

// As a client says it, to our server; and as a server does.
inline std::string from_client (unsigned front, std::string_view payload)
{
    return ws_frame_of (front, payload, true);
}
inline std::string from_server (unsigned front, std::string_view payload)
{
    return ws_frame_of (front, payload, false);
}

// What the link has to say now.
inline std::string taken (ws_link &from)
{
    std::array<std::byte, ws_output_bytes_max> out;
    return std::string (as_text (bytes_view (out).first (from.take_output (out.data ()))));
}

// What came of octets, independent of how they were cut.
struct ws_course
{
    std::vector<std::string> messages{};  // whole ones; text ones begin with "T:"
    std::vector<std::string> pongs{};
    std::string begun{};   // of the message that has not ended
    bool in_order = true;  // no message begins twice
    std::string said{};    // back to the peer
    std::size_t consumed = 0;
    ws_event_kind end = ws_event_kind::nothing;
    bool operator== (const ws_course &) const = default;
};

// One read of these octets.
inline void hear (ws_course &so_far, ws_link &link, std::string octets, bool answers = true)
{
    bytes_span in = std::as_writable_bytes (std::span (octets));
    const std::size_t offered = in.size ();
    for (;;) {
        const ws_event event = link.next (in);
        if (answers)
            so_far.said += taken (link);
        if (event.kind == ws_event_kind::data) {
            so_far.in_order = so_far.in_order && event.begins == so_far.begun.empty ();
            so_far.begun += event.begins ? (event.text ? "T:" : "B:") : "";
            so_far.begun += as_text (event.payload);
            if (event.ends) {
                so_far.messages.push_back (so_far.begun);
                so_far.begun.clear ();
            }
        } else if (event.kind == ws_event_kind::pong) {
            so_far.pongs.emplace_back (as_text (event.payload));
        } else {
            so_far.end = event.kind;
            break;
        }
    }
    so_far.consumed += offered - in.size ();
    // How much had been taken when it failed is the cuts' affair.
    if (so_far.end == ws_event_kind::failed) {
        so_far.begun.clear ();
        so_far.consumed = 0;
    }
}

// Reads of at most piece octets each.
inline ws_course heard (ws_link &link, std::string_view octets, std::size_t piece = ~std::size_t{0})
{
    ws_course course;
    while (!octets.empty ()) {
        const std::string_view front = octets.substr (0, piece);
        hear (course, link, std::string (front));
        octets.remove_prefix (front.size ());
    }
    return course;
}

}  // namespace zlink::wire::test

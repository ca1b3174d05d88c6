// What a peer of WebSocket says, spelled by hand: the request of an upgrade, and
// frames as a client masks them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "support/raw_peer.hpp"

namespace zlink::test {

// Where a raw peer connects to: the endpoint as tcp's, without a path.
[[nodiscard]] inline std::string tcp_below (const std::string &endpoint)
{
    constexpr std::size_t scheme_and_slashes = 5;
    const std::string rest = endpoint.substr (scheme_and_slashes);
    return "tcp://" + rest.substr (0, rest.find ('/'));
}

// Lines of a request, each to be replaced or left out.
struct web_request
{
    std::string first = "GET / HTTP/1.1";
    std::string host = "Host: example.org";
    std::string upgrade = "Upgrade: websocket";
    std::string connection = "Connection: Upgrade";
    std::string key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    std::string version = "Sec-WebSocket-Version: 13";
    std::string protocol = "Sec-WebSocket-Protocol: ZWS2.0/NULL";
    std::string more{};

    [[nodiscard]] std::string text () const
    {
        std::string all;
        for (const std::string *line :
             {&first, &host, &upgrade, &connection, &key, &version, &protocol, &more})
            if (!line->empty ())
                all += *line + "\r\n";
        return all + "\r\n";
    }
};

// `front` is the frame's first octet: 0x82 a whole binary message, 0x02 its first
// fragment, 0x00 one more, 0x80 the last, 0x88 close, 0x89 ping, 0x8A pong.
[[nodiscard]] inline std::string web_frame (unsigned front, std::string_view payload, bool masked = true)
{
    const std::string key = "\x37\xFA\x21\x3D";
    const unsigned mark = masked ? 0x80 : 0;
    std::string text = octet (front);
    if (payload.size () < 126)
        text += octet (mark | static_cast<unsigned> (payload.size ()));
    else if (payload.size () < 65'536)
        text += octet (mark | 126) + big_endian (payload.size (), 2);
    else
        text += octet (mark | 127) + big_endian (payload.size (), 8);
    if (!masked)
        return text + std::string (payload);
    text += key;
    for (std::size_t i = 0; i < payload.size (); ++i)
        text += octet (static_cast<unsigned char> (payload[i] ^ key[i % key.size ()]));
    return text;
}

// A request or an answer, and nothing of what comes behind it.
[[nodiscard]] inline std::string head_from (const raw_peer &peer)
{
    std::string head;
    while (!head.ends_with ("\r\n\r\n")) {
        const std::string one = peer.read_exactly (1);
        EXPECT_FALSE (one.empty ()) << head;
        if (one.empty ())
            break;
        head += one;
    }
    return head;
}

// One frame of ZMTP in it: 0 the last part, 1 another, 2 a command.
[[nodiscard]] inline std::string zws_frame (unsigned flags, std::string_view body)
{
    return web_frame (0x82, octet (flags) + std::string (body));
}
[[nodiscard]] inline std::string zws_ready (std::string_view type)
{
    return zws_frame (2, "\5READY" + zmtp_property ("Socket-Type", type));
}

}  // namespace zlink::test

#include "engine/web_layer.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "engine/tube_stream.hpp"

namespace zlink::engine {
namespace {

class any_numbers final : public base::entropy
{
  public:
    bool fill (base::bytes_span to) noexcept override
    {
        for (std::byte &each : to)
            each = std::byte{1};
        return true;
    }
};

// What a client of such an endpoint asks for.
std::string asked (const base::stream_layers &around, const wire::security &secured = {}, bool bare = false)
{
    buffer_pool pool (1024, 1);
    any_numbers numbers;
    test::tube out;
    test::tube in;
    const web_layer how{around, secured, true, bare, -1, &numbers, pool, pool};
    bool is_web = false;
    const auto made = put_into_web (std::make_unique<test::tube_stream> (out, in), how, is_web);
    EXPECT_TRUE (is_web);
    EXPECT_EQ (made->open ().code (), base::errc::would_block);
    return out.octets;
}

bool says (const std::string &request, const std::string &line)
{
    return request.find (line + "\r\n") != std::string::npos;
}

TEST (web_layer, a_host_is_named_as_in_a_url)
{
    EXPECT_TRUE (
      says (asked ({.web = true, .host = "example.org", .port = "5555"}), "Host: example.org:5555"));
    EXPECT_TRUE (says (asked ({.web = true, .host = "example.org", .port = "80"}), "Host: example.org"));
    EXPECT_TRUE (
      says (asked ({.tls = true, .web = true, .host = "example.org", .port = "443"}), "Host: example.org"));
    EXPECT_TRUE (says (asked ({.web = true, .host = "fe80::1%lo", .port = "81"}), "Host: [fe80::1]:81"));
}

TEST (web_layer, without_a_path_the_root_is_asked_for)
{
    EXPECT_TRUE (asked ({.web = true, .host = "h", .port = "80"}).starts_with ("GET / HTTP/1.1\r\n"));
    EXPECT_TRUE (asked ({.web = true, .host = "h", .port = "80", .target = "/a?b"})
                   .starts_with ("GET /a?b HTTP/1.1\r\n"));
}

TEST (web_layer, the_mechanism_says_which_protocols_are_spoken)
{
    const base::stream_layers around{.web = true, .host = "h", .port = "80"};
    EXPECT_TRUE (says (asked (around), "Sec-WebSocket-Protocol: ZWS2.0/NULL, ZWS2.0"));
    wire::security curve;
    curve.mechanism = wire::mechanism_kind::curve;
    EXPECT_TRUE (says (asked (around, curve), "Sec-WebSocket-Protocol: ZWS2.0/CURVE"));
    EXPECT_EQ (asked (around, {}, true).find ("Sec-WebSocket-Protocol"), std::string::npos);
}

}  // namespace
}  // namespace zlink::engine

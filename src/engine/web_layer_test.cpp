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
std::string asked (const base::stream_layers &around,
                   const wire::security &secured = {},
                   bool bare = false,
                   const crypto::web_settings *said = nullptr)
{
    buffer_pool pool (1024, 1);
    any_numbers numbers;
    test::tube out;
    test::tube in;
    const web_layer how{around, said, secured, true, bare, -1, &numbers, pool, pool};
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

TEST (web_layer, what_was_said_is_in_the_request)
{
    const base::stream_layers around{.web = true, .host = "h", .port = "80"};
    crypto::web_settings said;
    said.host = "virtual.example";
    said.origin = "https://page.example";
    ASSERT_TRUE (add_web_header (said, "X-Token:  a b "));
    ASSERT_TRUE (add_web_header (said, "X-Empty:"));
    const std::string request = asked (around, {}, false, &said);
    for (const char *line :
         {"Host: virtual.example", "Origin: https://page.example", "X-Token: a b", "X-Empty: "})
        EXPECT_TRUE (says (request, line)) << line << "\n" << request;
    EXPECT_FALSE (says (request, "Host: h"));
}

TEST (web_layer, what_is_no_header_or_not_ones_own_is_refused)
{
    crypto::web_settings to;
    for (const char *line : {"no colon", ": x", "Name : x", "X: a\r\nY: b", "Host: x", "Sec-WebSocket-Key: x",
                             "Upgrade: x", "Content-Length: 5"})
        EXPECT_EQ (add_web_header (to, line).code (), base::errc::invalid_argument) << line;
    EXPECT_TRUE (to.headers.empty ());
    // They have a limit together.
    const std::string kib = "X: " + std::string (1017, 'x');
    for (int i = 0; i < 4; ++i)
        EXPECT_TRUE (add_web_header (to, kib)) << i;
    EXPECT_FALSE (add_web_header (to, kib));
    EXPECT_EQ (to.headers.size (), 4U);
    EXPECT_TRUE (web_word_acceptable ("example.org:80"));
    EXPECT_FALSE (web_word_acceptable ("a b"));
    EXPECT_FALSE (web_word_acceptable ("a\r\nX: y"));
}

}  // namespace
}  // namespace zlink::engine

#include "transport/web_address.hpp"

#include <gtest/gtest.h>
#include <string>

namespace zlink::transport {
namespace {

using base::errc;

TEST (web_address, the_path_is_what_stands_behind_the_authority)
{
    struct row
    {
        const char *text;
        const char *authority;
        const char *target;
    };
    for (const row &one :
         {row{"*:80", "*:80", ""}, row{"*:*/", "*:*", "/"},
          row{"127.0.0.1:5555/a/b", "127.0.0.1:5555", "/a/b"}, row{"[::1]:7/x", "[::1]:7", "/x"},
          row{"lo:0;host:9/p:1;q", "lo:0;host:9", "/p:1;q"}, row{"", "", ""}}) {
        const auto bound = parse_web_listen_address (one.text);
        ASSERT_TRUE (bound) << one.text;
        EXPECT_EQ (bound.value ().authority, one.authority) << one.text;
        EXPECT_EQ (bound.value ().target, one.target) << one.text;
        const auto dialled = parse_web_remote_address (one.text);
        ASSERT_TRUE (dialled) << one.text;
        EXPECT_EQ (dialled.value ().target, one.target) << one.text;
    }
}

TEST (web_address, a_query_is_for_those_who_connect)
{
    const auto dialled = parse_web_remote_address ("host:80/path?token=a/b&c");
    ASSERT_TRUE (dialled);
    EXPECT_EQ (dialled.value ().authority, "host:80");
    EXPECT_EQ (dialled.value ().target, "/path?token=a/b&c");
    EXPECT_EQ (parse_web_listen_address ("*:80/path?x").code (), errc::invalid_argument);
}

TEST (web_address, what_no_target_can_hold_is_refused)
{
    for (const char *text : {"h:1/a b", "h:1/a#b", "h:1/a\r\nHost: x", "h:1/\x7f", "h:1/\xc3\xa4"}) {
        EXPECT_EQ (parse_web_remote_address (text).code (), errc::invalid_argument) << text;
        EXPECT_EQ (parse_web_listen_address (text).code (), errc::invalid_argument) << text;
    }
    const std::string longest = "h:1/" + std::string (web_target_bytes_max - 1, 'p');
    EXPECT_TRUE (parse_web_remote_address (longest));
    EXPECT_EQ (parse_web_remote_address (longest + 'p').code (), errc::invalid_argument);
}

}  // namespace
}  // namespace zlink::transport

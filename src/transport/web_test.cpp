// What ws adds to tcp; the rest of tcp's promises are tcp's tests'.
#include "transport/web.hpp"

#include <gtest/gtest.h>

namespace zlink::transport {
namespace {

using base::errc;

TEST (web, shows_its_own_name_and_its_path)
{
    web under_test ("ws");
    EXPECT_EQ (under_test.scheme (), "ws");
    const auto listener = under_test.listen ("127.0.0.1:*/chat", {});
    ASSERT_TRUE (listener);
    const std::string shown = listener.value ()->local_endpoint ();
    EXPECT_TRUE (shown.starts_with ("ws://127.0.0.1:")) << shown;
    EXPECT_TRUE (shown.ends_with ("/chat")) << shown;
    const auto found = under_test.resolve (shown.substr (5), {});
    ASSERT_EQ (found.addresses.size (), 1U);
    EXPECT_EQ (found.addresses[0].text + "/chat", shown);
    const auto dialled = under_test.dial (found.addresses[0], {});
    ASSERT_TRUE (dialled);
    EXPECT_TRUE (dialled.value ()->remote_endpoint ().starts_with ("ws://"));
}

TEST (web, without_a_path_is_shown_as_tcp_is)
{
    web under_test ("ws");
    const auto listener = under_test.listen ("127.0.0.1:*", {});
    ASSERT_TRUE (listener);
    EXPECT_EQ (listener.value ()->local_endpoint ().find ('/', 5), std::string::npos);
}

TEST (web, says_what_is_put_around_a_stream)
{
    const web under_test ("ws");
    base::stream_layers around;
    EXPECT_TRUE (under_test.wraps ("lo:0;[::1]:8080/a?b", around));
    EXPECT_TRUE (around.web);
    EXPECT_FALSE (around.tls);
    EXPECT_EQ (around.host, "::1");
    EXPECT_EQ (around.port, "8080");
    EXPECT_EQ (around.target, "/a?b");
    EXPECT_TRUE (under_test.wraps ("*:80/path", around));
    EXPECT_EQ (around.target, "/path");
    EXPECT_TRUE (under_test.wraps ("*:80", around));
    EXPECT_EQ (around.target, "");
    EXPECT_FALSE (tcp ().wraps ("host:80", around));
}

TEST (web, refuses_what_tcp_refuses_and_targets_that_are_none)
{
    web under_test ("ws");
    for (const char *text : {"", "host", "host:0/x", "*:80/x", "h:1/a b"})
        EXPECT_EQ (under_test.check_remote (text, {}).code (), errc::invalid_argument) << text;
    EXPECT_TRUE (under_test.check_remote ("host:80/x?y", {}));
    EXPECT_TRUE (under_test.must_ask ("host:80/x", {}));
    EXPECT_FALSE (under_test.must_ask ("127.0.0.1:80/x", {}));
    EXPECT_EQ (under_test.listen ("127.0.0.1:*/a?b", {}).code (), errc::invalid_argument);
    EXPECT_EQ (under_test.resolve ("h:1/a b", {}).failure.code, errc::invalid_argument);
}

}  // namespace
}  // namespace zlink::transport

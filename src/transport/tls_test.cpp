#include "transport/tls.hpp"

#include <gtest/gtest.h>

namespace zlink::transport {
namespace {

using base::errc;

TEST (tls, is_tcp_under_another_name)
{
    base::transport *const made = tls_transport ();
    ASSERT_NE (made, nullptr);
    EXPECT_EQ (made->scheme (), "tls");
    base::stream_layers around;
    ASSERT_TRUE (made->wraps ("[::1]:443", around));
    EXPECT_TRUE (around.tls);
    EXPECT_FALSE (around.web);
    EXPECT_EQ (around.host, "::1");
    ASSERT_TRUE (made->wraps ("127.0.0.1:0;example.com:444", around));
    EXPECT_EQ (around.host, "example.com");
    EXPECT_EQ (around.port, "444");
    EXPECT_EQ (tls_transport (), made) << "one for the process";
    const auto listener = made->listen ("127.0.0.1:*", {});
    ASSERT_TRUE (listener.ok ());
    EXPECT_TRUE (listener.value ()->local_endpoint ().starts_with ("tls://127.0.0.1:"));
    EXPECT_EQ (made->check_remote ("no port", {}).code (), errc::invalid_argument);
    const auto found = made->resolve ("127.0.0.1:9", {});
    ASSERT_EQ (found.addresses.size (), 1U);
    EXPECT_EQ (found.addresses[0].text, "tls://127.0.0.1:9");
}

TEST (tls, has_the_files_of_the_machine)
{
    base::files *const files = certificate_files ();
    ASSERT_NE (files, nullptr);
    EXPECT_EQ (files->read ("/no such file").code (), errc::no_such_file);
}

}  // namespace
}  // namespace zlink::transport

#include "transport/udp.hpp"

#include <array>

#include <gtest/gtest.h>

namespace zlink::transport {
namespace {

using base::errc;

struct udp_transport : testing::Test
{
    udp under_test;
    base::stream_options options;

    [[nodiscard]] std::unique_ptr<base::datagram_port> bound (const char *where)
    {
        auto made = under_test.open_local (where, options);
        EXPECT_TRUE (made.ok ()) << where << ": " << made.failure ().os_code;
        return std::move (made).value ();
    }
    [[nodiscard]] std::unique_ptr<base::datagram_port> to (const std::string &endpoint)
    {
        const base::resolve_result found = under_test.resolve (endpoint.substr (6), options);
        EXPECT_EQ (found.addresses.size (), 1u) << endpoint;
        auto made = under_test.open_remote (found.addresses.at (0), options);
        EXPECT_TRUE (made.ok ()) << endpoint;
        return std::move (made).value ();
    }
};

TEST_F (udp_transport, carries_datagrams_and_no_streams)
{
    EXPECT_EQ (under_test.scheme (), "udp");
    EXPECT_TRUE (under_test.carries_datagrams ());
    EXPECT_EQ (under_test.dial ({}, options).code (), errc::not_supported);
    EXPECT_EQ (under_test.listen ("127.0.0.1:*", options).code (), errc::not_supported);
}

TEST_F (udp_transport, sends_to_what_was_resolved)
{
    const auto here = bound ("127.0.0.1:*");
    const auto there = to (here->local_endpoint ());
    EXPECT_EQ (there->remote_endpoint (), here->local_endpoint ());
    EXPECT_EQ (there->local_endpoint (), "");
    EXPECT_EQ (there->peer_address (), "127.0.0.1");
    ASSERT_TRUE (there->send (base::as_bytes (std::string_view ("hi")), {}).ok ());
    std::array<std::byte, 10> buffer{};
    const auto came = here->receive (buffer, nullptr);
    ASSERT_TRUE (came.ok ());
    EXPECT_EQ (came.value ().size_bytes, 2u);
    EXPECT_FALSE (came.value ().cut);
}

TEST_F (udp_transport, asks_for_names_only)
{
    EXPECT_FALSE (under_test.must_ask ("127.0.0.1:5", options));
    EXPECT_FALSE (under_test.must_ask ("localhost:5", options));
    EXPECT_TRUE (under_test.must_ask ("host.example:5", options));
    EXPECT_TRUE (under_test.check_remote ("host.example:5", options).ok ());
    EXPECT_EQ (under_test.check_remote ("host.example", options).code (), errc::invalid_argument);
}

// What can be known at once is said at once.
TEST_F (udp_transport, checks_interfaces_and_families)
{
    EXPECT_TRUE (under_test.check_remote ("lo;239.1.1.1:5", options).ok ());
    EXPECT_TRUE (under_test.check_remote ("*;239.1.1.1:5", options).ok ());
    EXPECT_EQ (under_test.check_remote ("lo;127.0.0.1:5", options).code (), errc::invalid_argument);
    EXPECT_EQ (under_test.check_remote ("239.1.1.2;239.1.1.1:5", options).code (), errc::invalid_argument);
    EXPECT_EQ (under_test.check_remote ("no_such;239.1.1.1:5", options).code (), errc::no_device);
    EXPECT_EQ (under_test.check_remote ("[::1]:5", options).code (), errc::address_not_available);
    EXPECT_EQ (under_test.open_local ("[::1]:*", options).code (), errc::no_device);
    options.ipv6 = true;
    EXPECT_TRUE (under_test.check_remote ("[::1]:5", options).ok ());
    EXPECT_EQ (under_test.check_remote ("127.0.0.1;[ff02::1]:5", options).code (), errc::invalid_argument);
    EXPECT_EQ (under_test.check_remote ("[::1];[ff02::1]:5", options).code (), errc::no_device);
}

TEST_F (udp_transport, what_is_no_address_of_its_own_opens_nothing)
{
    EXPECT_EQ (under_test.open_remote ({}, options).code (), errc::invalid_argument);
    base::address odd;
    odd.raw.resize (5, std::byte{200});
    EXPECT_EQ (under_test.open_remote (odd, options).code (), errc::invalid_argument);
}

TEST_F (udp_transport, shows_the_group_that_it_has_joined)
{
    const std::string shown = bound ("127.0.0.1;239.255.77.9:*")->local_endpoint ();
    EXPECT_TRUE (shown.starts_with ("udp://127.0.0.1;239.255.77.9:")) << shown;
    EXPECT_FALSE (shown.ends_with (":0"));
}

}  // namespace
}  // namespace zlink::transport

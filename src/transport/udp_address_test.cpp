#include "transport/udp_address.hpp"

#include <gtest/gtest.h>

namespace zlink::transport {
namespace {

using base::errc;

TEST (udp_address, is_host_and_port_and_perhaps_an_interface)
{
    const auto plain = parse_udp_address ("127.0.0.1:5555", false);
    ASSERT_TRUE (plain.ok ());
    EXPECT_EQ (plain.value ().at.host, "127.0.0.1");
    EXPECT_EQ (plain.value ().at.port, 5555);
    EXPECT_FALSE (plain.value ().through.has_value ());
    const auto through = parse_udp_address ("eth0;[ff02::1]:7", true);
    ASSERT_TRUE (through.ok ());
    EXPECT_EQ (through.value ().at.host, "ff02::1");
    EXPECT_EQ (through.value ().through->host, "eth0");
    const auto any = parse_udp_address ("*;239.1.1.1:*", true);
    ASSERT_TRUE (any.ok ());
    EXPECT_TRUE (any.value ().through->any_host);
    EXPECT_EQ (any.value ().at.port, 0);
    EXPECT_TRUE (parse_udp_address ("*:*", true).value ().at.any_host);
    EXPECT_EQ (parse_udp_address ("[::1];[ff02::1]:7", true).value ().through->host, "::1");
}

TEST (udp_address, wildcards_are_for_those_who_bind)
{
    for (const char *each : {"*:5555", "127.0.0.1:*", "127.0.0.1:0"}) {
        EXPECT_TRUE (parse_udp_address (each, true).ok ()) << each;
        EXPECT_EQ (parse_udp_address (each, false).code (), errc::invalid_argument) << each;
    }
}

TEST (udp_address, is_nothing_else)
{
    for (const char *each : {"", ":", "127.0.0.1", "127.0.0.1:", ":5555", "127.0.0.1:65536", "127.0.0.1:+5",
                             ";239.1.1.1:5555", "a;b;239.1.1.1:5555", "[::1:5555", "::1]:5555", "a b:5555"})
        for (const bool binds : {false, true})
            EXPECT_EQ (parse_udp_address (each, binds).code (), errc::invalid_argument) << each;
}

}  // namespace
}  // namespace zlink::transport

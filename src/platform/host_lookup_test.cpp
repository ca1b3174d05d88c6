#include "platform/host_lookup.hpp"

#include <gtest/gtest.h>

namespace zlink::platform {
namespace {

using base::errc;

TEST (host_lookup, numbers)
{
    EXPECT_EQ (numeric_address ("127.0.0.1", false).value ().host_text (), "127.0.0.1");
    EXPECT_EQ (numeric_address ("127.0.0.1", true).value ().host_text (), "127.0.0.1");
    EXPECT_EQ (numeric_address ("::1", true).value ().host_text (), "::1");
    EXPECT_EQ (numeric_address ("fe80::1%lo", true).value ().host_text (), "fe80::1%lo");
    EXPECT_EQ (numeric_address ("fe80::1%1", true).value ().host_text (), "fe80::1%lo");
    for (const char *no : {"", "1", "1.2.3", "256.1.1.1", "127.0.0.1%lo", "localhost", "fe80::1%",
                           "fe80::1%no-such-nic", "1.2.3.4 "})
        EXPECT_FALSE (numeric_address (no, true)) << no;
    EXPECT_FALSE (numeric_address ("::1", false));
}

TEST (host_lookup, tells_numbers_from_names)
{
    EXPECT_TRUE (is_numeric ("10.0.0.1"));
    EXPECT_TRUE (is_numeric ("::1"));
    EXPECT_TRUE (is_numeric ("fe80::1%eth7"));
    EXPECT_FALSE (is_numeric ("localhost"));
    EXPECT_FALSE (is_numeric ("10.0.0"));
}

TEST (host_lookup, interfaces)
{
    const auto loopback = interface_address ("lo", address_family::v4);
    ASSERT_TRUE (loopback);
    EXPECT_EQ (loopback.value ().host_text (), "127.0.0.1");
    EXPECT_EQ (interface_address ("no-such-nic", address_family::v4).code (), errc::no_device);
    EXPECT_EQ (interface_address ("", address_family::v4).code (), errc::no_device);
}

TEST (host_lookup, names_of_this_host_without_the_network)
{
    EXPECT_EQ (local_host_address ("localhost", false).value ().host_text (), "127.0.0.1");
    EXPECT_EQ (local_host_address ("LocalHost", true).value ().host_text (), "::1");
    EXPECT_EQ (local_host_address ("no-such-name.invalid", false).code (), errc::no_device);
    EXPECT_EQ (local_host_address ("", false).code (), errc::no_device);
}

TEST (host_lookup, localhost_is_known)
{
    const auto v4 = look_up_host ("localhost", false);
    ASSERT_TRUE (v4);
    ASSERT_EQ (v4.value ().size (), 1U);
    EXPECT_EQ (v4.value ()[0].host_text (), "127.0.0.1");
    const auto both = look_up_host ("localhost", true);
    ASSERT_TRUE (both);
    ASSERT_EQ (both.value ().size (), 2U);
    EXPECT_EQ (both.value ()[0].host_text (), "::1");
    EXPECT_EQ (both.value ()[1].host_text (), "127.0.0.1");
}

TEST (host_lookup, the_resolver_answers_numbers_and_refuses_nonsense)
{
    const auto number = look_up_host ("127.0.0.1", false);
    ASSERT_TRUE (number);
    EXPECT_EQ (number.value ().front ().host_text (), "127.0.0.1");
    EXPECT_FALSE (look_up_host ("a..b", false));
}

}  // namespace
}  // namespace zlink::platform

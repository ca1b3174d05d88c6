#include "transport/vsock.hpp"

#include <gtest/gtest.h>
#include <string>

#include "platform/test_tools.hpp"

namespace zlink::transport {
namespace {

using base::errc;

base::transport &under_test () { return *vsock_transport (); }

TEST (vsock, remote_addresses_are_a_machine_and_a_port)
{
    for (const auto &[text, becomes] :
         {std::pair{"3:1024", "3:1024"}, {"host:7", "2:7"}, {"local:4294967294", "1:4294967294"}}) {
        EXPECT_TRUE (under_test ().check_remote (text, {})) << text;
        const base::resolve_result found = under_test ().resolve (text, {});
        ASSERT_EQ (found.addresses.size (), 1u) << text;
        EXPECT_EQ (found.addresses[0].text, std::string ("vsock://") + becomes);
        EXPECT_FALSE (under_test ().must_ask (text, {}));
    }
    for (const char *text : {"",
                             ":",
                             "3",
                             "3:",
                             ":5",
                             "*:5",
                             "3:*",
                             "3:0",
                             "-1:5",
                             "3:-5",
                             "+3:5",
                             "x:5",
                             "3:x",
                             "3:5 ",
                             "3:5:6",
                             "4294967295:5",
                             "4294967296:5",
                             "3:4294967295",
                             "3:4294967296",
                             "hosts:5"}) {
        EXPECT_EQ (under_test ().check_remote (text, {}).code (), errc::invalid_argument) << text;
        EXPECT_EQ (under_test ().resolve (text, {}).failure.code, errc::invalid_argument) << text;
    }
}

TEST (vsock, what_is_no_address_is_not_listened_at)
{
    for (const char *text : {"", "*", "*:", ":5", "x:5", "*:x", "*:4294967295", "*:5 ", "4294967295:5"})
        EXPECT_EQ (under_test ().listen (text, {}).code (), errc::invalid_argument) << text;
}

TEST (vsock, dials_only_what_it_resolved)
{
    EXPECT_EQ (under_test ().dial ({}, {}).code (), errc::invalid_argument);
    EXPECT_EQ (under_test ().dial ({"x", std::vector<std::byte> (16, std::byte{9})}, {}).code (),
               errc::invalid_argument);
}

// Where the kernel has vsock; with whom one can talk depends on the machine.
TEST (vsock, listens_at_any_port)
{
    const auto first = under_test ().listen ("*:*", {});
    if (first.code () == errc::protocol_not_supported)
        GTEST_SKIP () << "this kernel has no vsock";
    ASSERT_TRUE (first);
    const std::string where = first.value ()->local_endpoint ();
    EXPECT_TRUE (where.starts_with ("vsock://*:")) << where;
    const auto second = under_test ().listen ("*:0", {});
    ASSERT_TRUE (second);
    EXPECT_NE (second.value ()->local_endpoint (), where);
    EXPECT_EQ (under_test ().listen (platform::test_tools::without_scheme (where), {}).code (),
               errc::address_in_use);
}

}  // namespace
}  // namespace zlink::transport

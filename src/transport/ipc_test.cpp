#include "transport/ipc.hpp"

#include <gtest/gtest.h>
#include <string>

#include "platform/test_tools.hpp"

namespace zlink::transport {
namespace {

using base::errc;
using platform::test_tools::connect_pair;

TEST (ipc, connects_by_wildcard_path_and_abstract_name)
{
    ipc by;
    const auto wildcard = connect_pair (by, "*");
    ASSERT_TRUE (wildcard.complete ());
    const std::string path = platform::test_tools::without_scheme (wildcard.listener->local_endpoint ());
    EXPECT_TRUE (path.starts_with ('/'));
    EXPECT_EQ (wildcard.client->remote_endpoint (), "ipc://" + path);
    EXPECT_EQ (wildcard.server->local_endpoint (), "ipc://" + path);
    EXPECT_EQ (wildcard.server->remote_endpoint (), "");
    EXPECT_TRUE (wildcard.server->peer_address ().starts_with ("localhost:"));
    EXPECT_EQ (wildcard.client->peer_address (), wildcard.server->peer_address ()) << "we are both";

    const auto beside = connect_pair (by, path + "-2");
    EXPECT_TRUE (beside.complete ());
    const auto abstract = connect_pair (by, "@" + path);
    ASSERT_TRUE (abstract.complete ());
    EXPECT_EQ (abstract.listener->local_endpoint (), "ipc://@" + path);
}

TEST (ipc, check_remote)
{
    ipc by;
    EXPECT_TRUE (by.check_remote ("some/path", {}));
    EXPECT_TRUE (by.check_remote ("@name", {}));
    for (const char *text : {"", "@", "*"})
        EXPECT_EQ (by.check_remote (text, {}).code (), errc::invalid_argument) << text;
    EXPECT_EQ (by.check_remote (std::string (108, 'x'), {}).code (), errc::name_too_long);
    EXPECT_FALSE (by.must_ask ("some/path", {}));
}

TEST (ipc, resolve_failures)
{
    ipc by;
    EXPECT_EQ (by.resolve ("", {}).failure.code, errc::invalid_argument);
    EXPECT_EQ (by.resolve (std::string (108, 'x'), {}).failure.code, errc::name_too_long);
    const auto good = by.resolve ("@name", {});
    ASSERT_EQ (good.addresses.size (), 1U);
    EXPECT_EQ (good.addresses[0].text, "ipc://@name");
}

TEST (ipc, a_live_path_is_in_use_and_free_once_closed)
{
    ipc by;
    auto pair = connect_pair (by, "*");
    ASSERT_TRUE (pair.complete ());
    const std::string path = platform::test_tools::without_scheme (pair.listener->local_endpoint ()) + "-x";
    {
        const auto first = by.listen (path, {});
        ASSERT_TRUE (first);
        EXPECT_EQ (by.listen (path, {}).code (), errc::address_in_use);
    }
    EXPECT_TRUE (by.listen (path, {}));
}

TEST (ipc, dials_only_what_it_resolved)
{
    ipc by;
    EXPECT_EQ (by.dial ({}, {}).code (), errc::invalid_argument);
    EXPECT_EQ (by.dial ({"x", std::vector<std::byte> (30, std::byte{9})}, {}).code (),
               errc::invalid_argument);
    const auto nobody = by.resolve ("@nobody-listens-on-this-name", {});
    ASSERT_EQ (nobody.addresses.size (), 1U);
    EXPECT_EQ (by.dial (nobody.addresses[0], {}).code (), errc::connection_refused);
}

TEST (ipc, leaves_no_descriptor_behind)
{
    ipc by;
    const std::size_t before = platform::test_tools::open_descriptors ();
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE (connect_pair (by, "*").complete ());
        EXPECT_FALSE (by.listen ("/no/such/folder/anywhere", {}));
        EXPECT_FALSE (by.listen (std::string (200, 'x'), {}));
    }
    EXPECT_EQ (platform::test_tools::open_descriptors (), before);
}

}  // namespace
}  // namespace zlink::transport

#include "transport/tcp.hpp"

#include <gtest/gtest.h>
#include <string>

#include "platform/test_tools.hpp"

namespace zlink::transport {
namespace {

using base::errc;
using platform::test_tools::connect_pair;

base::stream_options with_ipv6 ()
{
    base::stream_options options;
    options.ipv6 = true;
    return options;
}

bool has_ipv6 () { return tcp ().listen ("[::1]:*", with_ipv6 ()).ok (); }

// The endpoint with its port replaced by "P".
std::string listened (std::string_view at, const base::stream_options &options = {})
{
    const auto made = tcp ().listen (at, options);
    if (!made)
        return "error " + std::to_string (static_cast<int> (made.code ()));
    std::string text = made.value ()->local_endpoint ();
    const auto colon = text.rfind (':');
    EXPECT_NE (text.substr (colon), ":0");
    text.resize (colon + 1);
    return text += 'P';
}

TEST (tcp, listens_on_what_was_asked_for)
{
    EXPECT_EQ (listened ("*:*"), "tcp://0.0.0.0:P");
    EXPECT_EQ (listened ("0.0.0.0:0"), "tcp://0.0.0.0:P");
    EXPECT_EQ (listened ("127.0.0.1:*"), "tcp://127.0.0.1:P");
    EXPECT_EQ (listened ("lo:*"), "tcp://127.0.0.1:P");
    EXPECT_EQ (listened ("localhost:*"), "tcp://127.0.0.1:P");
}

TEST (tcp, listens_in_both_families_when_asked_for)
{
    if (!has_ipv6 ())
        GTEST_SKIP () << "no IPv6 here";
    EXPECT_EQ (listened ("*:*", with_ipv6 ()), "tcp://[::]:P");
    EXPECT_EQ (listened ("[::]:*", with_ipv6 ()), "tcp://[::]:P");
    EXPECT_EQ (listened ("[::1]:*", with_ipv6 ()), "tcp://[::1]:P");
    EXPECT_EQ (listened ("lo:*", with_ipv6 ()), "tcp://[::1]:P");
    EXPECT_EQ (listened ("127.0.0.1:*", with_ipv6 ()), "tcp://[::ffff:127.0.0.1]:P");
}

TEST (tcp, listen_refusals)
{
    tcp by;
    EXPECT_EQ (by.listen ("nonsense", {}).code (), errc::invalid_argument);
    EXPECT_EQ (by.listen ("*:99999", {}).code (), errc::invalid_argument);
    EXPECT_EQ (by.listen ("no-such-nic:*", {}).code (), errc::no_device);
    EXPECT_EQ (by.listen (":*", {}).code (), errc::no_device);
    EXPECT_EQ (by.listen ("[::1]:*", {}).code (), errc::no_device);
    EXPECT_EQ (by.listen ("192.0.2.77:*", {}).code (), errc::address_not_available);
    const auto first = by.listen ("127.0.0.1:*", {});
    ASSERT_TRUE (first);
    const std::string taken = platform::test_tools::without_scheme (first.value ()->local_endpoint ());
    EXPECT_EQ (by.listen (taken, {}).code (), errc::address_in_use);
}

TEST (tcp, the_wildcard_hears_both_families)
{
    if (!has_ipv6 ())
        GTEST_SKIP () << "no IPv6 here";
    tcp by;
    const auto listener = by.listen ("*:*", with_ipv6 ());
    ASSERT_TRUE (listener);
    const std::string endpoint = listener.value ()->local_endpoint ();
    const std::string port = endpoint.substr (endpoint.rfind (':'));
    const auto v4 = platform::test_tools::dial (by, "127.0.0.1" + port);
    ASSERT_TRUE (v4);
    const auto from_v4 = platform::test_tools::accept (*listener.value ());
    ASSERT_TRUE (from_v4);
    EXPECT_EQ (from_v4->peer_address (), "::ffff:127.0.0.1");
    const auto v6 = platform::test_tools::dial (by, "[::1]" + port, with_ipv6 ());
    ASSERT_TRUE (v6);
    const auto from_v6 = platform::test_tools::accept (*listener.value ());
    ASSERT_TRUE (from_v6);
    EXPECT_EQ (from_v6->peer_address (), "::1");
}

TEST (tcp, connects_by_name)
{
    tcp by;
    const auto listener = by.listen ("127.0.0.1:*", {});
    ASSERT_TRUE (listener);
    const std::string endpoint = listener.value ()->local_endpoint ();
    const auto client = platform::test_tools::dial (by, "localhost" + endpoint.substr (endpoint.rfind (':')));
    ASSERT_TRUE (client);
    EXPECT_EQ (client->remote_endpoint (), endpoint);
    EXPECT_TRUE (platform::test_tools::accept (*listener.value ()));
}

TEST (tcp, connects_from_a_source_address)
{
    tcp by;
    const auto listener = by.listen ("127.0.0.1:*", {});
    ASSERT_TRUE (listener);
    const std::string to = platform::test_tools::without_scheme (listener.value ()->local_endpoint ());
    for (const char *source : {"127.0.0.2:*", "127.0.0.2", "127.0.0.2:0"}) {
        const auto client = platform::test_tools::dial (by, std::string (source) + ";" + to);
        ASSERT_TRUE (client) << source;
        const auto server = platform::test_tools::accept (*listener.value ());
        ASSERT_TRUE (server);
        EXPECT_EQ (server->peer_address (), "127.0.0.2") << source;
    }
    for (const char *source : {"lo:*", "*:*", "*"}) {
        const auto client = platform::test_tools::dial (by, std::string (source) + ";" + to);
        ASSERT_TRUE (client) << source;
        EXPECT_TRUE (platform::test_tools::accept (*listener.value ())) << source;
    }
}

TEST (tcp, one_source_port_serves_several_targets)
{
    tcp by;
    const auto first = connect_pair (by, "127.0.0.1:*");
    ASSERT_TRUE (first.complete ());
    const std::string source = platform::test_tools::without_scheme (first.client->local_endpoint ());
    const auto listener = by.listen ("127.0.0.1:*", {});
    ASSERT_TRUE (listener);
    const std::string to = platform::test_tools::without_scheme (listener.value ()->local_endpoint ());
    const std::string fixed = "127.0.0.3" + source.substr (source.rfind (':'));
    const auto one = platform::test_tools::dial (by, fixed + ";" + to);
    ASSERT_TRUE (one);
    const auto other = platform::test_tools::dial (
      by, fixed + ";" + platform::test_tools::without_scheme (first.listener->local_endpoint ()));
    ASSERT_TRUE (other);
    EXPECT_EQ (one->local_endpoint (), other->local_endpoint ());
}

TEST (tcp, resolve_failures)
{
    tcp by;
    EXPECT_EQ (by.resolve ("h", {}).failure.code, errc::invalid_argument);
    EXPECT_EQ (by.resolve ("[::1]:5", {}).failure.code, errc::address_not_available);
    EXPECT_EQ (by.resolve ("no-such-nic:*;127.0.0.1:5", {}).failure.code, errc::no_device);
    EXPECT_EQ (by.resolve ("a..b:5", {}).failure.code, errc::name_not_found);
    const auto good = by.resolve ("127.0.0.1:5", {});
    EXPECT_EQ (good.failure.code, errc::ok);
    ASSERT_EQ (good.addresses.size (), 1U);
    EXPECT_EQ (good.addresses[0].text, "tcp://127.0.0.1:5");
}

TEST (tcp, resolve_gives_all_addresses_that_the_source_can_reach)
{
    tcp by;
    EXPECT_EQ (by.resolve ("localhost:5", {}).addresses.size (), 1U);
    const auto both = by.resolve ("localhost:5", with_ipv6 ());
    ASSERT_EQ (both.addresses.size (), 2U);
    EXPECT_EQ (both.addresses[0].text, "tcp://[::1]:5");
    EXPECT_EQ (both.addresses[1].text, "tcp://127.0.0.1:5");
    const auto from_v4 = by.resolve ("127.0.0.1:*;localhost:5", with_ipv6 ());
    ASSERT_EQ (from_v4.addresses.size (), 1U);
    EXPECT_EQ (from_v4.addresses[0].text, "tcp://127.0.0.1:5");
    EXPECT_EQ (from_v4.failure.code, errc::ok);
    const auto scoped = by.resolve ("[fe80::1%lo]:5", with_ipv6 ());
    ASSERT_EQ (scoped.addresses.size (), 1U);
    EXPECT_EQ (scoped.addresses[0].text, "tcp://[fe80::1%lo]:5");
}

TEST (tcp, dials_both_families_where_that_is_wished)
{
    EXPECT_EQ (tcp ().resolve ("[::1]:1", {}).failure.code, errc::address_not_available);
    base::stream_options both;
    both.dial_both_families = true;
    const base::resolve_result found = tcp ().resolve ("[::1]:1", both);
    ASSERT_EQ (found.addresses.size (), 1U);
    EXPECT_EQ (found.addresses[0].text, "tcp://[::1]:1");
}

TEST (tcp, knows_what_needs_asking)
{
    const tcp by;
    EXPECT_FALSE (by.must_ask ("127.0.0.1:5", {}));
    EXPECT_FALSE (by.must_ask ("[::1]:5", {}));
    EXPECT_FALSE (by.must_ask ("lo:*;127.0.0.1:5", {}));
    EXPECT_FALSE (by.must_ask ("localhost:5", {}));
    EXPECT_FALSE (by.must_ask ("nonsense", {}));
    EXPECT_TRUE (by.must_ask ("example.invalid:5", {}));
    EXPECT_TRUE (by.must_ask ("127.0.0.1:*;example.invalid:5", {}));
}

TEST (tcp, check_remote_asks_nobody)
{
    tcp by;
    EXPECT_TRUE (by.check_remote ("example.invalid:5", {}));
    EXPECT_TRUE (by.check_remote ("[::1]:5", {}));
    for (const char *text : {"", "h", "h:0", "*:5", "h:5x", "h:65536", "a b:5"})
        EXPECT_EQ (by.check_remote (text, {}).code (), errc::invalid_argument) << text;
}

TEST (tcp, dials_only_what_it_resolved)
{
    tcp by;
    EXPECT_EQ (by.dial ({}, {}).code (), errc::invalid_argument);
    EXPECT_EQ (by.dial ({"x", std::vector<std::byte> (3, std::byte{9})}, {}).code (), errc::invalid_argument);
    EXPECT_EQ (by.dial ({"x", std::vector<std::byte> (40, std::byte{0})}, {}).code (),
               errc::invalid_argument);
}

TEST (tcp, leaves_no_descriptor_behind)
{
    tcp by;
    const std::size_t before = platform::test_tools::open_descriptors ();
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE (connect_pair (by, "127.0.0.1:*").complete ());
        EXPECT_FALSE (by.listen ("192.0.2.77:*", {}));
        EXPECT_FALSE (by.listen ("no-such-nic:*", {}));
    }
    EXPECT_EQ (platform::test_tools::open_descriptors (), before);
}

}  // namespace
}  // namespace zlink::transport

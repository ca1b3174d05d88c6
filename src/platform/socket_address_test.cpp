#include "platform/socket_address.hpp"

#include <gtest/gtest.h>
#include <string>

#include "platform/host_lookup.hpp"

namespace zlink::platform {
namespace {

using base::errc;

socket_address number (std::string_view host, std::uint16_t port)
{
    auto found = numeric_address (host, true);
    EXPECT_TRUE (found) << host;
    socket_address address = found ? found.value () : socket_address ();
    address.set_port (port);
    return address;
}

TEST (socket_address, none_is_nothing)
{
    const socket_address none;
    EXPECT_EQ (none.family (), address_family::none);
    EXPECT_EQ (none.size_bytes (), 0U);
    EXPECT_EQ (none.port (), 0);
    EXPECT_EQ (none.text (), "");
    EXPECT_EQ (none.host_text (), "");
    EXPECT_EQ (none.path_text (), "");
}

TEST (socket_address, text_of_numbers)
{
    EXPECT_EQ (socket_address::any_v4 (5555).text (), "0.0.0.0:5555");
    EXPECT_EQ (socket_address::any_v6 (5555).text (), "[::]:5555");
    EXPECT_EQ (number ("127.0.0.1", 1).text (), "127.0.0.1:1");
    EXPECT_EQ (number ("::1", 65535).text (), "[::1]:65535");
    EXPECT_EQ (number ("fe80::1%lo", 7).text (), "[fe80::1%lo]:7");
    EXPECT_EQ (number ("fe80::1%lo", 7).host_text (), "fe80::1%lo");
}

TEST (socket_address, mapped_to_v6)
{
    EXPECT_EQ (number ("127.0.0.1", 9).mapped_to_v6 ().text (), "[::ffff:127.0.0.1]:9");
    EXPECT_EQ (number ("::1", 9).mapped_to_v6 (), number ("::1", 9));
}

TEST (socket_address, local_paths_and_abstract_names)
{
    const auto path = socket_address::local ("some/path");
    ASSERT_TRUE (path);
    EXPECT_EQ (path.value ().family (), address_family::local);
    EXPECT_EQ (path.value ().text (), "some/path");
    EXPECT_EQ (path.value ().host_text (), "");
    const auto abstract = socket_address::local ("@name");
    ASSERT_TRUE (abstract);
    EXPECT_EQ (abstract.value ().text (), "@name");
    EXPECT_EQ (abstract.value ().size_bytes (), 2U + 5U);  // interoperates: no end mark
}

TEST (socket_address, ports_of_machines)
{
    const socket_address one = socket_address::of_machine (3, 70'000);
    EXPECT_EQ (one.family (), address_family::machine);
    EXPECT_EQ (one.text (), "3:70000");
    EXPECT_EQ (one.host_text (), "3");
    EXPECT_EQ (one.path_text (), "");
    EXPECT_FALSE (one.number ());
    EXPECT_EQ (one.mapped_to_v6 (), one);
    EXPECT_EQ (socket_address::of_machine (socket_address::any_machine, 1).text (), "*:1");
    EXPECT_EQ (socket_address (one.data (), one.size_bytes () - 1).family (), address_family::none);
}

TEST (socket_address, local_limits)
{
    EXPECT_EQ (socket_address::local ("").code (), errc::invalid_argument);
    EXPECT_EQ (socket_address::local ("@").code (), errc::invalid_argument);
    EXPECT_EQ (socket_address::local (std::string_view ("a\0b", 3)).code (), errc::invalid_argument);
    EXPECT_TRUE (socket_address::local (std::string (107, 'a')));
    EXPECT_EQ (socket_address::local (std::string (108, 'a')).code (), errc::name_too_long);
    EXPECT_TRUE (socket_address::local ("@" + std::string (107, 'a')));
    EXPECT_EQ (socket_address::local ("@" + std::string (108, 'a')).code (), errc::name_too_long);
}

TEST (socket_address, copies_only_what_can_be_one)
{
    const socket_address good = number ("127.0.0.1", 5);
    EXPECT_EQ (socket_address (good.data (), good.size_bytes ()), good);
    EXPECT_EQ (socket_address (good.data (), 1).family (), address_family::none);
    EXPECT_EQ (socket_address (good.data (), 3).family (), address_family::none);
    const std::string junk (200, '\xff');
    EXPECT_EQ (socket_address (junk.data (), 200).family (), address_family::none);
    EXPECT_EQ (socket_address (junk.data (), 100).family (), address_family::none);
    EXPECT_FALSE (good == number ("127.0.0.1", 6));
}

}  // namespace
}  // namespace zlink::platform

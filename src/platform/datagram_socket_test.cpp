#include "platform/datagram_socket.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "platform/host_lookup.hpp"

namespace zlink::platform {
namespace {

using base::errc;

socket_address v4 (const char *host, std::uint16_t port)
{
    socket_address made = numeric_address (host, false).value ();
    made.set_port (port);
    return made;
}

std::unique_ptr<base::datagram_port> open (const datagram_way &way, const base::stream_options &options = {})
{
    auto made = open_datagram_socket ("udp", way, options);
    EXPECT_TRUE (made.ok ()) << made.failure ().os_code;
    return std::move (made).value ();
}

datagram_way bound_here ()
{
    datagram_way way;
    way.here = v4 ("127.0.0.1", 0);
    return way;
}

std::string name_of (const base::datagram_port &port) { return port.local_endpoint ().substr (6); }

base::bytes_view bytes (std::string_view text) { return base::as_bytes (text); }

TEST (datagram_socket, sends_one_and_receives_one)
{
    const auto one = open (bound_here ());
    const auto two = open (bound_here ());
    std::array<std::byte, 100> buffer{};
    base::sender_name from;
    EXPECT_EQ (two->receive (buffer, &from).code (), errc::would_block);
    ASSERT_TRUE (one->send (bytes ("first"), name_of (*two)).ok ());
    ASSERT_TRUE (one->send (bytes (""), name_of (*two)).ok ());
    const auto came = two->receive (buffer, &from);
    ASSERT_TRUE (came.ok ());
    EXPECT_EQ (base::as_text (base::bytes_view (buffer).first (came.value ().size_bytes)), "first");
    EXPECT_EQ (from.view (), name_of (*one));
    EXPECT_EQ (two->receive (buffer, nullptr).value ().size_bytes, 0u);
    EXPECT_TRUE (one->wait_writable (0));
}

TEST (datagram_socket, says_when_a_datagram_was_cut)
{
    const auto one = open (bound_here ());
    std::array<std::byte, 4> small{};
    ASSERT_TRUE (one->send (bytes ("1234"), name_of (*one)).ok ());
    ASSERT_TRUE (one->send (bytes ("12345"), name_of (*one)).ok ());
    EXPECT_FALSE (one->receive (small, nullptr).value ().cut);
    EXPECT_TRUE (one->receive (small, nullptr).value ().cut);
}

TEST (datagram_socket, a_datagram_that_cannot_leave_is_not_the_ports_end)
{
    const auto one = open (bound_here ());
    EXPECT_EQ (one->send (bytes ("x"), "nowhere").code (), errc::bad_address);
    EXPECT_EQ (one->send (bytes ("x"), {}).code (), errc::bad_address);
    EXPECT_EQ (one->send (bytes (std::string (70'000, 'x')), name_of (*one)).code (), errc::message_too_long);
    // From the loopback nothing gets anywhere.
    EXPECT_EQ (one->send (bytes ("x"), "192.0.2.1:9").code (), errc::host_unreachable);
    EXPECT_TRUE (one->send (bytes ("x"), name_of (*one)).ok ());
}

TEST (datagram_socket, counts_what_the_system_had_no_room_for)
{
    base::stream_options options;
    options.receive_buffer_bytes = 4096;
    const auto one = open (bound_here (), options);
    std::array<std::byte, 4096> buffer{};
    constexpr unsigned sent = 50;
    for (unsigned i = 0; i < sent; ++i)
        ASSERT_TRUE (one->send (bytes (std::string (1000, 'x')), name_of (*one)).ok ());
    unsigned came = 0;
    while (one->receive (buffer, nullptr).ok ())
        ++came;
    EXPECT_LT (came, sent);
    ASSERT_TRUE (one->send (bytes ("x"), name_of (*one)).ok ());
    ASSERT_TRUE (one->receive (buffer, nullptr).ok ());
    EXPECT_EQ (one->overrun (), sent - came);
}

TEST (datagram_socket, a_device_that_is_not_there_is_a_failure)
{
    base::stream_options options;
    options.bind_to_device = "no_such";
    EXPECT_FALSE (open_datagram_socket ("udp", bound_here (), options).ok ());
}

TEST (datagram_socket, multicast_addresses_are_known)
{
    for (const char *each : {"224.0.0.1", "239.255.255.255"})
        EXPECT_TRUE (is_multicast (v4 (each, 0))) << each;
    for (const char *each : {"223.255.255.255", "240.0.0.1", "127.0.0.1"})
        EXPECT_FALSE (is_multicast (v4 (each, 0))) << each;
    EXPECT_TRUE (is_multicast (numeric_address ("ff02::1", true).value ()));
    EXPECT_FALSE (is_multicast (numeric_address ("fe02::1", true).value ()));
    EXPECT_FALSE (is_multicast (socket_address ()));
    EXPECT_NE (interface_number ("lo"), 0u);
    EXPECT_EQ (interface_number ("no_such"), 0u);
}

TEST (datagram_socket, senders_names_are_addresses)
{
    EXPECT_EQ (parse_sender_name ("127.0.0.1:5555", address_family::v4), v4 ("127.0.0.1", 5555));
    EXPECT_EQ (parse_sender_name (std::string_view ("127.0.0.1:5555\0\0", 16), address_family::v4),
               v4 ("127.0.0.1", 5555));
    EXPECT_EQ (parse_sender_name ("127.0.0.1:5555", address_family::v6),
               v4 ("127.0.0.1", 5555).mapped_to_v6 ());
    for (const char *each : {"[::1]:5555", "[fe80::1%1]:65535"})
        EXPECT_EQ (parse_sender_name (each, address_family::v6).port (), each[1] == ':' ? 5555 : 65535)
          << each;
    EXPECT_EQ (parse_sender_name ("[::1]:5", address_family::v4), socket_address ());
    for (const char *each :
         {"", ":", "1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:-1",
          "127.0.0.1:5x", "127.0.0.1:+5", "[127.0.0.1]:5", "::1:5", "[::1:5", "[::1%]:5", "[::1%lo]:5",
          "[::1%4294967296]:5", "127.0.0.1%1:5", "localhost:5"})
        for (const address_family family : {address_family::v4, address_family::v6})
            EXPECT_EQ (parse_sender_name (each, family), socket_address ()) << each;
    EXPECT_EQ (parse_sender_name (std::string (200, '1') + ":5", address_family::v4), socket_address ());
}

}  // namespace
}  // namespace zlink::platform

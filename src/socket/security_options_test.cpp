#include "socket/security_options.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace zlink::socket {
namespace {

using base::errc;
using engine::mechanism_kind;
using engine::security;

constexpr std::string_view letters = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";

errc put (security &of, security_value what, std::string_view value)
{
    return set_security (of, what, value.data (), value.size ()).code ();
}

errc put (security &of, security_value what, int value)
{
    return set_security (of, what, &value, sizeof value).code ();
}

int read_int (const security &of, security_value what)
{
    int value = -1;
    std::size_t size = sizeof value;
    EXPECT_TRUE (get_security (of, what, &value, &size).ok ());
    return value;
}

std::string read_text (const security &of, security_value what, std::size_t room = 256)
{
    std::string value (room, '?');
    std::size_t size = room;
    EXPECT_TRUE (get_security (of, what, value.data (), &size).ok ());
    return value.substr (0, size);
}

TEST (security_options, the_last_one_set_chooses_mechanism_and_role)
{
    security of;
    EXPECT_EQ (put (of, security_value::plain_server, 1), errc::ok);
    EXPECT_TRUE (of.mechanism == mechanism_kind::plain && of.as_server);
    EXPECT_EQ (read_int (of, security_value::plain_server), 1);
    EXPECT_EQ (read_int (of, security_value::curve_server), 0);
    EXPECT_EQ (put (of, security_value::plain_username, "me"), errc::ok);
    EXPECT_TRUE (of.mechanism == mechanism_kind::plain && !of.as_server);
    EXPECT_EQ (put (of, security_value::curve_server, 1), errc::ok);
    EXPECT_TRUE (of.mechanism == mechanism_kind::curve && of.as_server);
    EXPECT_EQ (put (of, security_value::curve_server_key, letters), errc::ok);
    EXPECT_TRUE (of.mechanism == mechanism_kind::curve && !of.as_server);
    EXPECT_EQ (put (of, security_value::plain_password, "secret"), errc::ok);
    EXPECT_TRUE (of.mechanism == mechanism_kind::plain);
    EXPECT_EQ (set_security (of, security_value::plain_password, nullptr, 0).code (), errc::ok);
    EXPECT_TRUE (of.mechanism == mechanism_kind::null);
    EXPECT_EQ (put (of, security_value::curve_server, 1), errc::ok);
    EXPECT_EQ (put (of, security_value::curve_server, 0), errc::ok);
    EXPECT_TRUE (of.mechanism == mechanism_kind::null && !of.as_server);
}

TEST (security_options, keys_are_32_bytes_or_their_letters)
{
    for (const auto what : {security_value::curve_public_key, security_value::curve_secret_key,
                            security_value::curve_server_key}) {
        security of;
        EXPECT_EQ (put (of, what, letters), errc::ok);
        const std::string bytes = read_text (of, what, 32);
        EXPECT_EQ (read_text (of, what, 41), std::string (letters) + '\0');
        security other;
        EXPECT_EQ (put (other, what, bytes), errc::ok);
        EXPECT_EQ (read_text (other, what, 41), std::string (letters) + '\0');
        EXPECT_EQ (put (other, what, std::string (letters) + '\0'), errc::ok) << "with its NUL";
        EXPECT_TRUE (other.mechanism == mechanism_kind::curve);

        security none;
        std::string foreign (letters);
        foreign[7] = '~';
        for (const std::string &bad :
             {std::string (), bytes.substr (1), bytes + "x", std::string (letters) + "x", foreign,
              std::string (letters.substr (1))})
            EXPECT_EQ (put (none, what, bad), errc::invalid_argument) << bad.size ();
        EXPECT_EQ (set_security (none, what, nullptr, 32).code (), errc::invalid_argument);
        EXPECT_TRUE (none.mechanism == mechanism_kind::null);
        std::array<char, 64> room{};
        for (std::size_t size : {0U, 31U, 33U, 40U, 42U})
            EXPECT_EQ (get_security (of, what, room.data (), &size).code (), errc::invalid_argument) << size;
    }
}

TEST (security_options, texts_and_flags_have_their_bounds)
{
    security of;
    for (const auto what : {security_value::plain_username, security_value::plain_password}) {
        EXPECT_EQ (put (of, what, ""), errc::invalid_argument);
        EXPECT_EQ (put (of, what, std::string (256, 'x')), errc::invalid_argument);
        EXPECT_EQ (put (of, what, std::string (255, 'x')), errc::ok);
        EXPECT_EQ (read_text (of, what), std::string (255, 'x') + '\0');
        std::array<char, 10> room{};
        std::size_t size = room.size ();
        EXPECT_EQ (get_security (of, what, room.data (), &size).code (), errc::invalid_argument);
    }
    EXPECT_EQ (put (of, security_value::domain, std::string (256, 'x')), errc::invalid_argument);
    EXPECT_EQ (put (of, security_value::domain, "home"), errc::ok);
    EXPECT_EQ (read_text (of, security_value::domain), std::string ("home") + '\0');
    EXPECT_EQ (put (of, security_value::domain, ""), errc::ok);
    EXPECT_EQ (of.domain, "");
    for (const auto what : {security_value::plain_server, security_value::curve_server}) {
        EXPECT_EQ (put (of, what, 2), errc::invalid_argument);
        EXPECT_EQ (put (of, what, "1"), errc::invalid_argument);
        EXPECT_EQ (set_security (of, what, nullptr, sizeof (int)).code (), errc::invalid_argument);
    }
    EXPECT_EQ (put (of, security_value::enforce_domain, 7), errc::ok);
    EXPECT_EQ (read_int (of, security_value::enforce_domain), 1);
    EXPECT_EQ (put (of, security_value::enforce_domain, 0), errc::ok);
    EXPECT_EQ (read_int (of, security_value::enforce_domain), 0);
    EXPECT_EQ (put (of, security_value::enforce_domain, "xx"), errc::invalid_argument);
}

}  // namespace
}  // namespace zlink::socket

// The options of TLS: what is set is told again, but for secrets, and endpoints that
// are there keep what they had.
#include "socket/tls_options.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "base/files.hpp"

namespace zlink::socket {
namespace {

using base::errc;

errc put (tls_settings_ref &of, security_value what, std::string_view value)
{
    return set_tls (of, what, value.data (), value.size ()).code ();
}

errc put (tls_settings_ref &of, security_value what, int value)
{
    return set_tls (of, what, &value, sizeof value).code ();
}

std::string told (const tls_settings_ref &of, security_value what)
{
    std::array<char, 100> text{};
    std::size_t size = text.size ();
    EXPECT_EQ (get_tls (of, what, text.data (), &size).code (), errc::ok);
    return text.data ();
}

int flag (const tls_settings_ref &of, security_value what)
{
    int value = -1;
    std::size_t size = sizeof value;
    EXPECT_EQ (get_tls (of, what, &value, &size).code (), errc::ok);
    return value;
}

TEST (tls_options, are_as_careful_as_can_be_at_first)
{
    const tls_settings_ref nothing;
    EXPECT_EQ (flag (nothing, security_value::tls_verify), 1);
    EXPECT_EQ (flag (nothing, security_value::tls_trust_system), 1);
    EXPECT_EQ (flag (nothing, security_value::tls_require_client_certificate), 0);
    EXPECT_EQ (told (nothing, security_value::tls_certificate), "");
}

TEST (tls_options, are_told_as_they_were_set)
{
    tls_settings_ref of;
    for (const auto what :
         {security_value::tls_certificate, security_value::tls_key, security_value::tls_authority,
          security_value::tls_host, security_value::tls_protocols}) {
        EXPECT_EQ (put (of, what, "a.pem"), errc::ok);
        EXPECT_EQ (told (of, what), "a.pem");
        EXPECT_EQ (put (of, what, std::string_view ("b.pem\0", 6)), errc::ok) << "with its end";
        EXPECT_EQ (told (of, what), "b.pem");
        EXPECT_EQ (put (of, what, ""), errc::ok);
        EXPECT_EQ (told (of, what), "");
    }
    for (const auto what : {security_value::tls_verify, security_value::tls_trust_system,
                            security_value::tls_require_client_certificate})
        for (const int value : {1, 0}) {
            EXPECT_EQ (put (of, what, value), errc::ok);
            EXPECT_EQ (flag (of, what), value);
        }
}

TEST (tls_options, of_the_web_are_told_but_for_headers)
{
    tls_settings_ref of;
    for (const auto what :
         {security_value::web_host, security_value::web_origin, security_value::web_origins}) {
        EXPECT_EQ (put (of, what, "https://a.example"), errc::ok);
        EXPECT_EQ (told (of, what), "https://a.example");
    }
    EXPECT_EQ (put (of, security_value::web_origins, std::string (4096, 'x')), errc::ok);
    EXPECT_EQ (put (of, security_value::web_origins, std::string (4097, 'x')), errc::invalid_argument);
    EXPECT_EQ (put (of, security_value::web_host, "a\r\nX: b"), errc::invalid_argument);
    EXPECT_EQ (put (of, security_value::web_header, "X-A: 1"), errc::ok);
    EXPECT_EQ (put (of, security_value::web_header, "X-B: 2"), errc::ok);
    EXPECT_EQ (put (of, security_value::web_header, "Host: x"), errc::invalid_argument);
    EXPECT_EQ (of.shared ()->web.headers.size (), 2U);
    EXPECT_EQ (put (of, security_value::web_header, ""), errc::ok);
    EXPECT_TRUE (of.shared ()->web.headers.empty ());
    char text[8];
    std::size_t size = sizeof text;
    EXPECT_EQ (get_tls (of, security_value::web_header, text, &size).code (), errc::invalid_argument);
}

// WSS_TRUST_PEM: of libzmq's programs, which trust nobody but whom they name.
TEST (tls_options, who_names_a_sole_authority_does_not_trust_the_systems_unless_it_says_so)
{
    tls_settings_ref of;
    EXPECT_EQ (put (of, security_value::tls_sole_authority, "a.pem"), errc::ok);
    EXPECT_EQ (told (of, security_value::tls_authority), "a.pem");
    EXPECT_EQ (told (of, security_value::tls_sole_authority), "a.pem");
    EXPECT_EQ (flag (of, security_value::tls_trust_system), 0);
    EXPECT_EQ (put (of, security_value::tls_sole_authority, ""), errc::ok) << "taken back";
    EXPECT_EQ (flag (of, security_value::tls_trust_system), 1);
    EXPECT_EQ (put (of, security_value::tls_trust_system, 1), errc::ok);
    EXPECT_EQ (put (of, security_value::tls_sole_authority, "b.pem"), errc::ok);
    EXPECT_EQ (flag (of, security_value::tls_trust_system), 1);
    tls_settings_ref first_said;
    EXPECT_EQ (put (first_said, security_value::tls_trust_system, 0), errc::ok);
    EXPECT_EQ (put (first_said, security_value::tls_sole_authority, ""), errc::ok);
    EXPECT_EQ (flag (first_said, security_value::tls_trust_system), 0);
}

TEST (tls_options, of_secrets_nothing_is_told)
{
    tls_settings_ref of;
    EXPECT_EQ (put (of, security_value::tls_passphrase, "open"), errc::ok);
    EXPECT_EQ (put (of, security_value::tls_key, "-----BEGIN PRIVATE KEY-----"), errc::ok);
    EXPECT_EQ (told (of, security_value::tls_passphrase), "");
    EXPECT_EQ (told (of, security_value::tls_key), "");
    EXPECT_EQ (of.shared ()->passphrase, "open");
}

TEST (tls_options, leave_those_before_alone)
{
    tls_settings_ref of;
    EXPECT_EQ (put (of, security_value::tls_certificate, "first"), errc::ok);
    const tls_settings_ref first = of;
    EXPECT_EQ (put (of, security_value::tls_certificate, "second"), errc::ok);
    EXPECT_EQ (first.shared ()->certificate, "first");
    EXPECT_EQ (of.shared ()->certificate, "second");
}

TEST (tls_options, what_is_wrong_changes_nothing)
{
    tls_settings_ref of;
    EXPECT_EQ (put (of, security_value::tls_host, "host"), errc::ok);
    const tls_settings_ref before = of;
    EXPECT_EQ (put (of, security_value::tls_host, std::string (256, 'x')), errc::invalid_argument);
    EXPECT_EQ (put (of, security_value::tls_host, std::string_view ("a\0b", 3)), errc::invalid_argument);
    EXPECT_EQ (put (of, security_value::tls_certificate, std::string (base::files::file_bytes_max + 1, 'x')),
               errc::invalid_argument);
    EXPECT_EQ (set_tls (of, security_value::tls_host, nullptr, 1).code (), errc::invalid_argument);
    EXPECT_EQ (put (of, security_value::tls_verify, 2), errc::invalid_argument);
    EXPECT_EQ (put (of, security_value::tls_verify, "yes"), errc::invalid_argument);
    EXPECT_EQ (put (of, security_value::domain, 1), errc::invalid_argument) << "another's";
    EXPECT_EQ (of.shared (), before.shared ());
    char little[2];
    std::size_t size = sizeof little;
    EXPECT_EQ (get_tls (of, security_value::tls_host, little, &size).code (), errc::invalid_argument);
}

}  // namespace
}  // namespace zlink::socket

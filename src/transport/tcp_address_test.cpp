#include "transport/tcp_address.hpp"

#include <gtest/gtest.h>

namespace zlink::transport {
namespace {

using base::errc;

TEST (tcp_address, listen_forms)
{
    struct row
    {
        const char *text;
        const char *host;
        bool any_host;
        std::uint16_t port;
    };
    for (const row &one :
         {row{"*:5555", "", true, 5555}, row{"*:*", "", true, 0}, row{"[*]:*", "", true, 0},
          row{"0.0.0.0:0", "0.0.0.0", false, 0}, row{"127.0.0.1:*", "127.0.0.1", false, 0},
          row{"[::1]:65535", "::1", false, 65535}, row{"::1:7", "::1", false, 7},
          row{"[fe80::1%lo]:5", "fe80::1%lo", false, 5}, row{"eth0:5555", "eth0", false, 5555},
          row{"my_host-1.example:00080", "my_host-1.example", false, 80}, row{":5555", "", false, 5555}}) {
        const auto parsed = parse_listen_address (one.text);
        ASSERT_TRUE (parsed) << one.text;
        EXPECT_EQ (parsed.value ().host, one.host) << one.text;
        EXPECT_EQ (parsed.value ().any_host, one.any_host) << one.text;
        EXPECT_EQ (parsed.value ().port, one.port) << one.text;
    }
}

TEST (tcp_address, listen_refusals)
{
    for (const char *text :
         {"",       "*",      "*:",    "host",  "host:",    "*:70000", "*:65536", "*:123x",
          "*:-1",   "*:+1",   "*: 1",  "*:1 ",  "*:000001", "*:**",    "[::1]",   "[::1:5",
          "::1]:5", "[::1]5", "a b:5", "a/b:5", "host:5/x", "*:5;*:6", "ho*st:5", "[[::1]]:5"})
        EXPECT_EQ (parse_listen_address (text).code (), errc::invalid_argument) << text;
}

TEST (tcp_address, remote_forms)
{
    const auto plain = parse_remote_address ("host:5555");
    ASSERT_TRUE (plain);
    EXPECT_EQ (plain.value ().target.host, "host");
    EXPECT_EQ (plain.value ().target.port, 5555);
    EXPECT_FALSE (plain.value ().source);

    const auto both = parse_remote_address ("192.168.1.17:4444;192.168.1.1:5555");
    ASSERT_TRUE (both);
    EXPECT_EQ (both.value ().source->host, "192.168.1.17");
    EXPECT_EQ (both.value ().source->port, 4444);
    EXPECT_EQ (both.value ().target.host, "192.168.1.1");

    for (const char *text :
         {"lo:*;h:1", "lo:0;h:1", "lo;h:1", "*:0;h:1", "*;h:1", "[::1];h:1", "[::1]:*;h:1"}) {
        const auto any_port = parse_remote_address (text);
        ASSERT_TRUE (any_port) << text;
        EXPECT_EQ (any_port.value ().source->port, 0) << text;
    }
    EXPECT_EQ (parse_remote_address ("[::1]:7;h:1").value ().source->host, "::1");
    EXPECT_TRUE (parse_remote_address ("*:7;h:1").value ().source->any_host);
}

TEST (tcp_address, remote_refusals)
{
    for (const char *text : {"",        "h",       ":5",      "*:5",         "h:0",   "h:*",    "h:",
                             "h:x",     "h:70000", "h:5x",    "[]:5",        ";h:1",  ":1;h:1", "s:1;",
                             "s:1;*:5", "s:1;h:0", "s:x;h:1", "s:1;h:1;h:2", "a b:5", "x/y:5",  "[::1]"})
        EXPECT_EQ (parse_remote_address (text).code (), errc::invalid_argument) << text;
}

TEST (tcp_address, tells_whom_it_leads_to)
{
    std::string host;
    std::string port;
    tell_remote ("127.0.0.1:0;[::1]:80", host, port);
    EXPECT_EQ (host, "::1");
    EXPECT_EQ (port, "80");
    tell_remote ("nothing", host, port);
    EXPECT_EQ (host, "::1");
}

}  // namespace
}  // namespace zlink::transport

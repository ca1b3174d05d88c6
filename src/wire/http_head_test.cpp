#include "wire/http_head.hpp"

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;

struct read_head
{
    explicit read_head (std::string_view octets,
                        http_kind kind = http_kind::request,
                        std::size_t piece = ~std::size_t{0})
      : head (kind)
    {
        while (status == http_head_status::need_more && taken < octets.size ()) {
            std::size_t consumed = 0;
            status = head.feed (as_bytes (octets.substr (taken, piece)), consumed);
            taken += consumed;
        }
    }
    http_head head;
    http_head_status status = http_head_status::need_more;
    std::size_t taken = 0;
};

const std::string line = "GET /path?q HTTP/1.1\r\n";

TEST (http_head, a_request_and_what_stands_behind_it)
{
    const std::string text =
      line + "Host: a.b:1\r\nX-Empty:\r\nconnection:\tkeep-alive ,Upgrade, \r\nConnection: x\r\n\r\n";
    const read_head read (text + "more");
    ASSERT_EQ (read.status, http_head_status::complete);
    EXPECT_EQ (read.taken, text.size ());
    EXPECT_EQ (read.head.method (), "GET");
    EXPECT_EQ (read.head.target (), "/path?q");
    EXPECT_TRUE (read.head.speaks_1_1 ());
    EXPECT_EQ (read.head.headers ().size (), 4U);
    EXPECT_EQ (read.head.value ("HOST"), "a.b:1");
    EXPECT_EQ (read.head.value ("x-empty"), "");
    EXPECT_EQ (read.head.count ("Connection"), 2U);
    EXPECT_EQ (read.head.count ("Upgrade"), 0U);
    EXPECT_TRUE (read.head.lists ("Connection", "upgrade"));
    EXPECT_TRUE (read.head.lists ("Connection", "X"));
    EXPECT_FALSE (read.head.lists ("Connection", "alive"));
    EXPECT_FALSE (read.head.lists ("Connection", ""));
}

TEST (http_head, a_response)
{
    const read_head read ("HTTP/1.1 101 Switching Protocols\r\nA: b\r\n\r\n", http_kind::response);
    ASSERT_EQ (read.status, http_head_status::complete);
    EXPECT_EQ (read.head.status (), 101U);
    EXPECT_EQ (read_head ("HTTP/1.1 404\r\n\r\n", http_kind::response).head.status (), 404U);
    EXPECT_FALSE (read_head ("HTTP/1.0 200 OK\r\n\r\n", http_kind::response).head.speaks_1_1 ());
}

struct flawed
{
    std::string octets;
    http_flaw flaw;
    bool early = true;  // judged at the last octet of these, not later
};

std::string header_of (std::size_t name, std::size_t value)
{
    return std::string (name, 'n') + ":" + std::string (value, 'v') + "\r\n";
}

std::vector<flawed> flawed_requests ()
{
    const auto bad = http_flaw::malformed;
    const auto large = http_flaw::too_large;
    std::string many = line;
    for (std::size_t i = 0; i < http_headers_max; ++i)
        many += "a:b\r\n";
    return {
      {"\x16", bad},
      {hex ("FF"), bad},
      {"\r", bad, false},
      {"get", bad, false},
      {"GET / HTTP/1.1\n", bad},
      {"GET / HTTP/1.1\rX", bad},
      {"GET / HTTP/1.1\r\r", bad},
      {"GET /\r\n", bad},
      {"GET  HTTP/1.1\r\n", bad},
      {"GET / x HTTP/1.1\r\n", bad},
      {"GET /\xC3\xA9 HTTP/1.1\r\n", bad},
      {"G(T / HTTP/1.1\r\n", bad},
      {"GET / HTTP/2.0\r\n", bad},
      {"GET / HTTP/1.11\r\n", bad},
      {"GET / HTTP/1.x\r\n", bad},
      {"GET / http/1.1\r\n", bad},
      {line + "none\r\n", bad},
      {line + ": nameless\r\n", bad},
      {line + "a : b\r\n", bad},
      {line + " folded: b\r\n", bad},
      {line + "a: b\r\n\tfolded\r\n", bad},
      {line + "a: b\n", bad},
      {line + std::string ("a: \0", 4), bad},
      {line + "a: \x7F", bad},
      {"GET /" + std::string (http_target_bytes_max, 'p') + " HTTP/1.1\r\n", http_flaw::target_too_long},
      {"GET /" + std::string (http_head_bytes_max, 'p'), http_flaw::target_too_long, false},
      {line + header_of (http_name_bytes_max + 1, 1), large},
      {line + header_of (1, http_value_bytes_max + 1), large},
      {line + std::string (http_name_bytes_max + http_value_bytes_max + 5, 'n'), large},
      {many + "a:b\r\n", large},
      {line + header_of (1000, 2000) + header_of (1000, 2000) + header_of (1000, 2000), large, false},
    };
}

TEST (http_head, what_is_no_head_is_refused_as_soon_as_it_shows)
{
    for (const flawed &row : flawed_requests ()) {
        const read_head read (row.octets);
        EXPECT_EQ (read.status, http_head_status::failed) << row.octets;
        EXPECT_EQ (read.head.flaw (), row.flaw) << row.octets;
        if (row.early) {
            EXPECT_EQ (read.taken, row.octets.size ()) << row.octets;
        }
    }
}

TEST (http_head, what_is_no_response)
{
    for (const char *octets :
         {"HTTP/2", "X", "GET", "HTTP/1.1 1\r\n", "HTTP/1.1 1x1 A\r\n", "HTTP/1.1 600 A\r\n",
          "HTTP/1.1 099 A\r\n", "HTTP/1.1 1010\r\n", "HTTP/1.1_101 A\r\n"}) {
        const read_head read (octets, http_kind::response);
        EXPECT_EQ (read.status, http_head_status::failed) << octets;
        EXPECT_EQ (read.head.flaw (), http_flaw::malformed);
    }
}

TEST (http_head, what_is_just_within_the_limits)
{
    const std::string target (http_target_bytes_max, '/');
    EXPECT_EQ (read_head ("GET " + target + " HTTP/1.1\r\n\r\n").head.target (), target);
    const read_head longest (line + header_of (http_name_bytes_max, http_value_bytes_max) + "\r\n");
    EXPECT_EQ (longest.status, http_head_status::complete);
    std::string most = line;
    for (std::size_t i = 0; i < http_headers_max; ++i)
        most += "a:b\r\n";
    EXPECT_EQ (read_head (most + "\r\n").head.count ("a"), http_headers_max);

    std::string full = line + header_of (1000, 2000) + header_of (1000, 2000);
    full += header_of (200, http_head_bytes_max - full.size () - 200 - 3 - 2);
    EXPECT_EQ (full.size (), http_head_bytes_max - 2);
    EXPECT_EQ (read_head (full + "\r\n").status, http_head_status::complete);
    EXPECT_EQ (read_head (full + "a:b\r\n").head.flaw (), http_flaw::too_large);
    full.insert (full.size () - 2, "v");
    EXPECT_EQ (read_head (full + "\r\n").head.flaw (), http_flaw::too_large) << "by one octet";
}

TEST (http_head, however_the_octets_are_cut_it_ends_the_same_way)
{
    std::vector<std::string> scripts = {line + "Host: a\r\nB:c\r\n\r\nrest"};
    for (const flawed &row : flawed_requests ())
        scripts.push_back (row.octets);
    for (const std::string &script : scripts) {
        const read_head whole (script);
        for (const std::size_t piece : {1UL, 2UL, 3UL, 7UL, 100UL}) {
            const read_head pieces (script, http_kind::request, piece);
            ASSERT_EQ (pieces.status, whole.status);
            ASSERT_EQ (pieces.taken, whole.taken);
            ASSERT_EQ (pieces.head.flaw (), whole.head.flaw ());
        }
    }
}

}  // namespace
}  // namespace zlink::wire

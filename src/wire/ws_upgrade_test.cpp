#include "wire/ws_upgrade.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;
using base::close_reason;

// RFC 6455, 1.3: "the sample nonce".
const ws_nonce book_nonce = [] {
    ws_nonce nonce;
    std::copy_n (as_bytes ("the sample nonce").begin (), nonce.size (), nonce.begin ());
    return nonce;
}();
const std::string book_answer = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

const std::string good_request = "GET /chat HTTP/1.1\r\n"
                                 "Host: server.example.com\r\n"
                                 "Upgrade: websocket\r\n"
                                 "Connection: Upgrade\r\n"
                                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                 "Origin: http://example.com\r\n"
                                 "Sec-WebSocket-Protocol: chat, superchat\r\n"
                                 "Sec-WebSocket-Version: 13\r\n";

const std::string good_answer = "HTTP/1.1 101 Switching Protocols\r\n"
                                "Upgrade: websocket\r\n"
                                "Connection: Upgrade\r\n"
                                "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
const std::string end_of_head = "\r\n";

std::string replaced (std::string text, std::string_view what, std::string_view by)
{
    const std::size_t at = text.find (what);
    EXPECT_NE (at, text.npos) << what;
    return text.replace (at, what.size (), by);
}

std::string drained (ws_upgrade &from)
{
    const std::string said (as_text (from.output ()));
    from.output_drained (said.size ());
    return said;
}

template <class Upgrade>
std::size_t fed (Upgrade &to, std::string_view octets, std::size_t piece = ~std::size_t{0})
{
    std::size_t taken = 0;
    while (to.status () == ws_upgrade_status::need_more && taken < octets.size ()) {
        std::size_t consumed = 0;
        to.feed (as_bytes (octets.substr (taken, piece)), consumed);
        taken += consumed;
    }
    return taken;
}

// --- the key -------------------------------------------------------------------

TEST (ws_upgrade, the_answer_to_the_rfc_s_key)
{
    ws_accept accept;
    ASSERT_TRUE (ws_accept_of ("dGhlIHNhbXBsZSBub25jZQ==", accept));
    EXPECT_EQ (std::string (accept.data (), accept.size ()), book_answer);
    EXPECT_FALSE (ws_accept_of ("short", accept));
}

// --- who connects --------------------------------------------------------------

struct client
{
    explicit client (const std::string &answer, std::size_t piece = ~std::size_t{0})
      : upgrade ({.target = "/chat", .host = "server.example.com", .protocols = protocols}, book_nonce),
        taken (fed (upgrade, answer, piece))
    {
    }
    static constexpr std::string_view protocols[] = {"chat", "superchat"};
    ws_client_upgrade upgrade;
    std::size_t taken;
};

TEST (ws_upgrade, what_a_client_says)
{
    static constexpr std::string_view protocols[] = {"chat", "superchat"};
    const ws_header headers[] = {{"X-Token", "a b"},     {"Bad Name", "x"}, {"X-Split", "a\r\nX-B: c"},
                                 {"host", "elsewhere"},  {"X-Last", ""},    {"sec-websocket-extensions", "x"},
                                 {"Content-Length", "3"}};
    ws_client_upgrade upgrade ({.target = "/chat",
                                .host = "server.example.com",
                                .origin = "http://example.com",
                                .protocols = protocols,
                                .headers = headers},
                               book_nonce);
    EXPECT_EQ (drained (upgrade), "GET /chat HTTP/1.1\r\n"
                                  "Host: server.example.com\r\n"
                                  "Upgrade: websocket\r\n"
                                  "Connection: Upgrade\r\n"
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                  "Sec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Protocol: chat, superchat\r\n"
                                  "Origin: http://example.com\r\n"
                                  "X-Token: a b\r\n"
                                  "X-Last: \r\n\r\n");
    EXPECT_TRUE (upgrade.output ().empty ());
}

TEST (ws_upgrade, what_a_program_adds_never_makes_a_head_too_long)
{
    const ws_server_rules rules;
    for (const ws_header &header :
         {ws_header ("X-Long", std::string (1000, 'x')), ws_header ("X-Short", "x")}) {
        const std::vector<ws_header> headers (100, header);
        ws_client_upgrade upgrade ({.host = "h", .headers = headers}, book_nonce);
        const std::string request = drained (upgrade);
        ws_server_upgrade server (rules);
        EXPECT_EQ (fed (server, request), request.size ());
        EXPECT_EQ (server.status (), ws_upgrade_status::done);
        EXPECT_GT (server.said ().count (header.first), 5U);
    }
}

TEST (ws_upgrade, an_answer_that_is_good_and_frames_behind_it)
{
    const std::string head = good_answer + "Sec-WebSocket-Protocol: superchat\r\n" + end_of_head;
    const client ours (head + "frames");
    EXPECT_EQ (ours.upgrade.status (), ws_upgrade_status::done);
    EXPECT_EQ (ours.taken, head.size ());
    EXPECT_EQ (ours.upgrade.protocol (), "superchat");
    EXPECT_EQ (ours.upgrade.http_status (), 101U);
}

TEST (ws_upgrade, names_and_words_of_an_answer_have_no_case)
{
    const client ours ("HTTP/1.1 101 ok\r\nUPGRADE: WebSocket\r\nconnection: keep-alive, upgrade\r\n"
                       "sec-websocket-accept:s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nsec-websocket-extensions:\r\n"
                       "Sec-WebSocket-Protocol: chat\r\n\r\n");
    EXPECT_EQ (ours.upgrade.status (), ws_upgrade_status::done) << ours.upgrade.reason_text ();
}

struct bad_answer
{
    std::string octets;
    close_reason reason = close_reason::upgrade_malformed;
    unsigned status = 101;
};

std::vector<bad_answer> bad_answers ()
{
    const auto refused = close_reason::upgrade_refused;
    const std::string good = good_answer + "Sec-WebSocket-Protocol: chat\r\n" + end_of_head;
    return {
      {"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", refused, 302},
      {"HTTP/1.1 400 Bad Request\r\n\r\n", refused, 400},
      {"HTTP/1.1 426 Upgrade Required\r\n\r\n", refused, 426},
      {"HTTP/1.1 200 OK\r\n\r\n", refused, 200},
      {replaced (good, "HTTP/1.1", "HTTP/1.0")},
      {replaced (good, "Upgrade: websocket\r\n", "")},
      {replaced (good, "websocket", "h2c")},
      {replaced (good, "Connection: Upgrade\r\n", "Connection: close\r\n")},
      {replaced (good, "s3pP", "S3pP")},
      {replaced (good, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n", "")},
      {replaced (good, "Sec-WebSocket-Accept",
                 "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Accept")},
      {replaced (good, "Protocol: chat", "Extensions: permessage-deflate")},
      {replaced (good, ": chat", ": other")},
      {replaced (good, ": chat", ": Chat")},
      {replaced (good, ": chat", ": chat, superchat")},
      {replaced (good, ": chat\r\n", ": chat\r\nSec-WebSocket-Protocol: chat\r\n")},
      {replaced (good, "Sec-WebSocket-Protocol: chat\r\n", ""), refused},
      {"SSH-2.0-x\r\n", close_reason::upgrade_malformed, 0},
      {replaced (good, "\r\n", "\n"), close_reason::upgrade_malformed, 0},
      {"HTTP/1.1 101 ok\r\nX: " + std::string (http_head_bytes_max, 'x'), close_reason::limit_reached, 0},
    };
}

TEST (ws_upgrade, answers_that_are_none)
{
    for (const bad_answer &row : bad_answers ()) {
        const client ours (row.octets);
        EXPECT_EQ (ours.upgrade.status (), ws_upgrade_status::failed) << row.octets;
        EXPECT_EQ (ours.upgrade.reason (), row.reason) << row.octets;
        EXPECT_EQ (ours.upgrade.http_status (), row.status) << row.octets;
        const client by_octets (row.octets, 1);
        EXPECT_EQ (by_octets.upgrade.reason (), row.reason);
        EXPECT_EQ (by_octets.taken, ours.taken);
        EXPECT_STREQ (by_octets.upgrade.reason_text (), ours.upgrade.reason_text ());
    }
}

TEST (ws_upgrade, who_offers_no_sub_protocol_gets_none)
{
    ws_client_upgrade upgrade ({.host = "h"}, book_nonce);
    EXPECT_EQ (drained (upgrade).find ("Protocol"), std::string::npos);
    fed (upgrade, good_answer + end_of_head);
    EXPECT_EQ (upgrade.status (), ws_upgrade_status::done);
    EXPECT_EQ (upgrade.protocol (), "");
    ws_client_upgrade given ({.host = "h"}, book_nonce);
    fed (given, good_answer + "Sec-WebSocket-Protocol: chat\r\n\r\n");
    EXPECT_EQ (given.reason (), close_reason::upgrade_malformed);
}

// --- who accepts ---------------------------------------------------------------

ws_server_rules rules_of_chat ()
{
    return {.target = "/chat",
            .protocols = {"superchat", "chat"},
            .origins = {"http://example.com", "https://other"},
            .headers = {{"X-Server", "ours"}, {"Upgrade", "no"}}};
}

struct server
{
    explicit server (const std::string &request,
                     ws_server_rules by = rules_of_chat (),
                     std::size_t piece = ~std::size_t{0})
      : rules (std::move (by)), upgrade (rules), taken (fed (upgrade, request, piece)),
        said (drained (upgrade))
    {
    }
    ws_server_rules rules;
    ws_server_upgrade upgrade;
    std::size_t taken;
    std::string said;
};

TEST (ws_upgrade, a_request_of_the_rfc_and_its_answer)
{
    const std::string head = good_request + end_of_head;
    const server ours (head + "frames");
    EXPECT_EQ (ours.upgrade.status (), ws_upgrade_status::done);
    EXPECT_EQ (ours.taken, head.size ());
    EXPECT_EQ (ours.upgrade.protocol (), "chat") << "the first of the client's";
    EXPECT_EQ (ours.upgrade.said ().value ("origin"), "http://example.com");
    EXPECT_EQ (ours.said, good_answer + "Sec-WebSocket-Protocol: chat\r\nX-Server: ours\r\n\r\n");
}

TEST (ws_upgrade, requests_that_are_good_too)
{
    const std::string good = good_request + end_of_head;
    const std::string rows[] = {
      replaced (good, "Connection: Upgrade", "Connection: keep-alive, Upgrade"),
      replaced (good, "Connection: Upgrade", "Connection: keep-alive\r\nconnection: upgrade"),
      replaced (good, "Upgrade: websocket", "upgrade: h2c, WebSocket"),
      replaced (good, "/chat", "/chat?room=1"),
      replaced (good, "chat, superchat", "none\r\nSec-WebSocket-Protocol: chat"),
      replaced (good, "Origin: http://example.com\r\n", ""),
      replaced (good, "http://example.com", "HTTPS://OTHER"),
      replaced (good, "Origin",
                "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\nOrigin"),
      replaced (good, "Origin", "Content-Length: 0\r\nOrigin"),
      replaced (good, "HTTP/1.1", "HTTP/1.2"),
    };
    for (const std::string &request : rows) {
        const server ours (request);
        EXPECT_EQ (ours.upgrade.status (), ws_upgrade_status::done) << request << ours.upgrade.reason_text ();
        EXPECT_EQ (ours.upgrade.protocol (), "chat");
        EXPECT_EQ (ours.said.find ("Extensions"), ours.said.npos);
    }
}

struct bad_request
{
    std::string octets;
    unsigned status;
    close_reason reason = close_reason::upgrade_malformed;
};

std::vector<bad_request> bad_requests ()
{
    const auto refused = close_reason::upgrade_refused;
    const std::string good = good_request + end_of_head;
    const std::string key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    return {
      {replaced (good, "GET", "POST"), 405, refused},
      {replaced (good, "GET", "get"), 400},
      {replaced (good, "/chat", "http://server.example.com/chat"), 400},
      {replaced (good, "/chat", "/other"), 404, refused},
      {replaced (good, "/chat", "/chat/"), 404, refused},
      {replaced (good, "/chat", "/Chat"), 404, refused},
      {replaced (good, "HTTP/1.1", "HTTP/1.0"), 426, refused},
      {replaced (good, "HTTP/1.1", "HTTP/2.0"), 400},
      {replaced (good, "Host: server.example.com\r\n", ""), 400},
      {replaced (good, "Host:", "Host: a\r\nHost:"), 400},
      {replaced (good, "Upgrade: websocket\r\n", ""), 426, refused},
      {replaced (good, "websocket", "h2c"), 426, refused},
      {replaced (good, "Connection: Upgrade\r\n", ""), 426, refused},
      {replaced (good, "Connection: Upgrade", "Connection: keep-alive"), 426, refused},
      {replaced (good, "Version: 13", "Version: 8"), 426, refused},
      {replaced (good, "Sec-WebSocket-Version: 13\r\n", ""), 426, refused},
      {replaced (good, key, ""), 400},
      {replaced (good, key, key + key), 400},
      {replaced (good, "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ"), 400},
      {replaced (good, "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25j*Q=="), 400},
      {replaced (good, "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQA="), 400},
      {replaced (good, "http://example.com", "http://evil"), 403, refused},
      {replaced (good, "Origin:", "Origin: http://example.com\r\nOrigin:"), 403, refused},
      {replaced (good, "chat, superchat", "other"), 400, refused},
      {replaced (good, "chat, superchat", "Chat"), 400, refused},
      {replaced (good, "chat, superchat", ""), 400, refused},
      {replaced (good, "Sec-WebSocket-Protocol: chat, superchat\r\n", ""), 400, refused},
      {replaced (good, "Origin", "Content-Length: 5\r\nOrigin"), 400},
      {replaced (good, "Origin", "Transfer-Encoding: chunked\r\nOrigin"), 400},
      {replaced (good, "Upgrade: websocket", "Upgrade:\r\n websocket"), 400},
      {replaced (good, "Upgrade: websocket\r\n", "Upgrade: websocket\n"), 400},
      {replaced (good, "Host:", "Host :"), 400},
      {hex ("16 03 01 02 00"), 400},
      {"GET /" + std::string (http_target_bytes_max, 'x') + " HTTP/1.1\r\n", 414,
       close_reason::limit_reached},
      {replaced (good, "Origin", std::string (http_name_bytes_max + 1, 'n') + ": v\r\nOrigin"), 431,
       close_reason::limit_reached},
      {replaced (good, "http://example.com", std::string (http_value_bytes_max + 1, 'v')), 431,
       close_reason::limit_reached},
    };
}

TEST (ws_upgrade, requests_that_are_refused_politely)
{
    for (const bad_request &row : bad_requests ()) {
        const server ours (row.octets);
        EXPECT_EQ (ours.upgrade.status (), ws_upgrade_status::failed) << row.octets;
        EXPECT_EQ (ours.upgrade.http_status (), row.status) << row.octets;
        EXPECT_EQ (ours.upgrade.reason (), row.reason) << row.octets;
        const std::string front = "HTTP/1.1 " + std::to_string (row.status) + " ";
        EXPECT_EQ (ours.said.substr (0, front.size ()), front);
        EXPECT_NE (ours.said.find ("close\r\n"), ours.said.npos);
        EXPECT_EQ (ours.said.find ("Sec-WebSocket-Version: 13\r\n") != ours.said.npos, row.status == 426);
        const std::string text (ours.upgrade.reason_text ());
        EXPECT_TRUE (ours.said.ends_with ("Content-Length: " + std::to_string (text.size () + 1) + "\r\n\r\n"
                                          + text + "\n"));
        const server by_octets (row.octets, rules_of_chat (), 1);
        EXPECT_EQ (by_octets.said, ours.said);
        EXPECT_EQ (by_octets.taken, ours.taken);
    }
}

TEST (ws_upgrade, a_server_without_rules_takes_who_comes)
{
    const server ours (good_request + end_of_head, {});
    EXPECT_EQ (ours.upgrade.status (), ws_upgrade_status::done);
    EXPECT_EQ (ours.upgrade.protocol (), "");
    EXPECT_EQ (ours.said, good_answer + end_of_head);
}

TEST (ws_upgrade, where_a_sub_protocol_is_optional_none_is_good_too)
{
    const server ours (replaced (good_request, "chat, superchat", "other") + end_of_head,
                       {.protocols = {"chat"}, .protocol_optional = true});
    EXPECT_EQ (ours.upgrade.status (), ws_upgrade_status::done);
    EXPECT_EQ (ours.upgrade.protocol (), "");
}

TEST (ws_upgrade, our_client_and_our_server_whole_and_octet_by_octet)
{
    for (const std::size_t piece : {~std::size_t{0}, std::size_t{1}}) {
        ws_client_upgrade ours ({.target = "/chat", .host = "h", .protocols = client::protocols}, book_nonce);
        server theirs (drained (ours), rules_of_chat (), piece);
        EXPECT_EQ (theirs.upgrade.status (), ws_upgrade_status::done) << theirs.upgrade.reason_text ();
        EXPECT_EQ (fed (ours, theirs.said, piece), theirs.said.size ());
        EXPECT_EQ (ours.status (), ws_upgrade_status::done) << ours.reason_text ();
        EXPECT_EQ (ours.protocol (), "chat");
    }
}

TEST (ws_upgrade, what_may_be_asked_for_and_added)
{
    EXPECT_TRUE (ws_target_acceptable ("/"));
    EXPECT_TRUE (ws_target_acceptable ("/a/b?c=%20"));
    for (const char *target : {"", "a", "/a b", "/a\r\n", "/\xC3\xA9", "/a#b"})
        EXPECT_FALSE (ws_target_acceptable (target)) << target;
    EXPECT_FALSE (ws_target_acceptable (std::string (http_target_bytes_max + 1, '/')));
    EXPECT_TRUE (ws_header_acceptable ("Authorization", "Basic YQ=="));
    EXPECT_FALSE (ws_header_acceptable ("", "x"));
    EXPECT_FALSE (ws_header_acceptable ("a:", "x"));
    EXPECT_FALSE (ws_header_acceptable ("a", "x\n"));
    EXPECT_FALSE (ws_header_acceptable (std::string (http_name_bytes_max + 1, 'a'), "x"));
    EXPECT_FALSE (ws_header_acceptable ("a", std::string (http_value_bytes_max + 1, 'a')));
}

}  // namespace
}  // namespace zlink::wire

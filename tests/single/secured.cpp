// A program over the single header with its crypto parts: CURVE, passwords, tls,
// ws and wss. Nothing of the library's targets is linked.
#include "zlink_single.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <string>

#include <gtest/gtest.h>

#include "support/identities.hpp"

namespace zlink::test {
namespace {

// One end asks, the other answers, at an endpoint of that form.
template <class Furnish> void expect_talk (const std::string &place, Furnish furnish)
{
    context in;
    rep_socket server (in);
    req_socket client (in);
    furnish (server, client);
    client.connect (server.bind (place));
    for (socket_base *const each :
         {static_cast<socket_base *> (&server), static_cast<socket_base *> (&client)}) {
        each->set (options::rcvtimeo, std::chrono::seconds (20));
        each->set (options::sndtimeo, std::chrono::seconds (20));
    }
    client.send ("question");
    EXPECT_EQ (server.receive ().text (), "question");
    server.send (std::string (100'000, 'a'));
    EXPECT_EQ (client.receive ().size (), 100'000U);
}

TEST (single_header_with_crypto, has_all_that_stands_on_it)
{
    for (const char *each : {"curve", "tls", "ws", "wss", "tcp", "ipc"})
        EXPECT_EQ (zlink_has (each), 1) << each;
    EXPECT_EQ (zlink_has ("services"), 0);
    EXPECT_EQ (hash_password ("word").substr (0, 10), "$argon2id$");
}

TEST (single_header_with_crypto, speaks_curve_over_tcp_and_ws)
{
    std::array<char, 41> open{}, secret{}, of_client{}, kept{};
    ASSERT_EQ (zlink_curve_keypair (open.data (), secret.data ()), 0);
    ASSERT_EQ (zlink_curve_keypair (of_client.data (), kept.data ()), 0);
    for (const char *place : {"tcp://127.0.0.1:*", "ws://127.0.0.1:*/here"})
        expect_talk (place, [&] (rep_socket &server, req_socket &client) {
            server.set (options::curve_server, true);
            server.set (options::curve_secretkey, secret.data ());
            client.set (options::curve_serverkey, open.data ());
            client.set (options::curve_publickey, of_client.data ());
            client.set (options::curve_secretkey, kept.data ());
        });
}

TEST (single_header_with_crypto, speaks_tls_and_wss)
{
    const std::int64_t now_s = std::time (nullptr);
    const identity root ({.name = "root", .from_s = now_s - day_s, .until_s = now_s + day_s});
    const identity own ({.name = "own", .from_s = now_s - day_s, .until_s = now_s + day_s}, &root);
    for (const char *place : {"tls://127.0.0.1:*", "wss://127.0.0.1:*/here"})
        expect_talk (place, [&] (rep_socket &server, req_socket &client) {
            server.set (options::tls_cert, own.certificate () + own.key ());
            client.set (options::tls_ca, root.certificate ());
            client.set (options::tls_hostname, "peer.example");
            client.set (options::tls_trust_system, false);
        });
}

}  // namespace
}  // namespace zlink::test

// CURVE: sizes and places of the RFC's fields, what opens and what does not. The
// other side of each case is made here, from keys that are known.
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "wire/test_mechanism.hpp"

namespace zlink::wire {
namespace {

using namespace test;
using base::close_reason;

const key_pair server_keys (1000);
const key_pair client_keys (2000);
const key_pair other_keys (3000);

struct ends
{
    explicit ends (const security &of_client = curve_client (client_keys, server_keys.open),
                   const security &of_server = curve_server (server_keys))
      : client (end_of (socket_type::push, of_client, &of_clients)),
        server (end_of (socket_type::pull, of_server, &of_servers))
    {
    }
    // Up to the one command that is to be looked at, which stays out.
    std::string greet ()
    {
        client.start ();
        server.start ();
        while (client.output ().size () < 200 && (pass (client, server) || pass (server, client))) {}
        return drain (client);
    }
    counting_entropy of_clients{1};
    counting_entropy of_servers{500};
    session client;
    session server;
};

session_status say (session &to, const std::string &octets)
{
    std::size_t consumed = 0;
    return to.feed (as_bytes (octets), consumed);
}

TEST (curve, two_of_ours_agree)
{
    ends both;
    meet (both.client, both.server);
    ASSERT_TRUE (both.server.wants_verdict ());
    EXPECT_EQ (both.server.credentials_shown ().mechanism, "CURVE");
    ASSERT_EQ (both.server.credentials_shown ().parts.size (), 1u);
    EXPECT_EQ (both.server.credentials_shown ().parts[0], as_text (client_keys.open));
    EXPECT_EQ (both.server.admit (), session_status::ready);
    talk (both.client, both.server);
    EXPECT_EQ (both.client.status (), session_status::ready);
    EXPECT_EQ (both.client.peer_socket_type (), socket_type::pull);
    EXPECT_EQ (both.server.peer_socket_type (), socket_type::push);

    const auto one = both.client.take_sealing ();
    const auto other = both.server.take_sealing ();
    ASSERT_TRUE (one && other);
    for (const auto &[from, to] : {std::pair{&one->out, &other->in}, std::pair{&other->out, &one->in}}) {
        std::vector<std::byte> sealed (200);
        sealed.resize (from->seal (sealed.data (), {.more = true}, as_bytes ("hello")));
        std::string plain (5, '?');
        frame_flags flags;
        ASSERT_EQ (to->open (bytes_view (sealed).subspan (2), flags,
                             std::as_writable_bytes (std::span (plain)).data ()),
                   close_reason::none);
        EXPECT_EQ (plain, "hello");
        EXPECT_TRUE (flags.more && !flags.command);
    }
}

TEST (curve, nobody_is_asked_where_a_domain_is_wanted_and_there_is_none)
{
    security server = curve_server (server_keys);
    server.enforce_domain = true;
    ends both (curve_client (client_keys, server_keys.open), server);
    meet (both.client, both.server);
    EXPECT_EQ (both.server.status (), session_status::ready);
    EXPECT_EQ (both.client.status (), session_status::ready);
}

// As whoever drives it may have a list.
TEST (curve, a_verdict_is_waited_for_where_nobody_is_asked)
{
    security server = curve_server (server_keys);
    server.enforce_domain = server.judged = true;
    ends both (curve_client (client_keys, server_keys.open), server);
    meet (both.client, both.server);
    EXPECT_TRUE (both.server.wants_verdict ());
    EXPECT_EQ (both.client.status (), session_status::need_more);
}

TEST (curve, commands_have_the_sizes_and_places_of_the_rfc)
{
    ends both;
    const std::string hello = both.greet ();
    ASSERT_EQ (hello.size (), 2u + 200);
    EXPECT_EQ (hello.substr (0, 2 + 6 + 2 + 72), hex ("04 C8 05 48454C4C4F 01 00") + zeros (72));
    EXPECT_EQ (hello.substr (2 + 112, 8), be (1, 8));
    ASSERT_EQ (say (both.server, hello), session_status::need_more);
    const std::string welcome = drain (both.server);
    ASSERT_EQ (welcome.size (), 2u + 168);
    EXPECT_EQ (welcome.substr (0, 10), hex ("04 A8 07 57454C434F4D45"));
    ASSERT_EQ (say (both.client, welcome), session_status::need_more);
    const std::string initiate = drain (both.client);
    ASSERT_EQ (initiate.size (), 9u + 257 + 20);  // and its type: 1 + 11 + 4 + 4
    EXPECT_EQ (initiate.substr (9, 9), hex ("08 494E495449415445"));
    EXPECT_EQ (initiate.substr (9 + 105, 8), be (2, 8));
    ASSERT_EQ (say (both.server, initiate), session_status::need_more);
    both.server.admit ();
    const std::string ready = drain (both.server);
    ASSERT_EQ (ready.size (), 2u + 30 + 20);
    EXPECT_EQ (ready.substr (2, 14), hex ("05 5245414459") + be (1, 8));
    EXPECT_EQ (say (both.client, ready), session_status::ready);
}

// What has been changed in one octet, anywhere, opens nothing.
TEST (curve, no_octet_of_a_command_may_change)
{
    for (const std::size_t at : {80u, 112u, 120u, 199u}) {
        ends both;
        std::string hello = both.greet ();
        hello[2 + at] = static_cast<char> (hello[2 + at] ^ 1);
        EXPECT_EQ (say (both.server, hello), session_status::failed) << at;
        EXPECT_EQ (both.server.reason (), close_reason::box_unopened) << at;
    }
    for (const std::size_t at : {8u, 24u, 167u}) {
        ends both;
        (void)say (both.server, both.greet ());
        std::string welcome = drain (both.server);
        welcome[2 + at] = static_cast<char> (welcome[2 + at] ^ 1);
        EXPECT_EQ (say (both.client, welcome), session_status::failed) << at;
        EXPECT_EQ (both.client.reason (), close_reason::box_unopened) << at;
    }
    for (const std::size_t at : {9u, 25u, 104u, 112u, 113u, 276u}) {
        ends both;
        (void)say (both.server, both.greet ());
        (void)say (both.client, drain (both.server));
        std::string initiate = drain (both.client);
        initiate[9 + at] = static_cast<char> (initiate[9 + at] ^ 1);
        EXPECT_EQ (say (both.server, initiate), session_status::failed) << at;
        EXPECT_EQ (both.server.reason (), close_reason::box_unopened) << at;
        EXPECT_FALSE (both.server.wants_verdict ());
    }
}

TEST (curve, a_server_takes_no_other_hello)
{
    const auto refused = [] (const std::string &hello, close_reason why) {
        ends both;
        (void)both.greet ();
        EXPECT_EQ (say (both.server, hello), session_status::failed);
        EXPECT_EQ (both.server.reason (), why);
    };
    ends model;
    const std::string body = model.greet ().substr (2);
    refused (frame (4, body.substr (0, 199)), close_reason::hello_malformed);
    refused (frame (4, body + "."), close_reason::hello_malformed);
    refused (frame (4, "\5HELLO" + octet (2) + body.substr (7)), close_reason::hello_malformed);
    refused (frame (4, body.substr (0, 7) + octet (1) + body.substr (8)), close_reason::hello_malformed);
    refused (frame (4, body.substr (0, 112) + zeros (8) + body.substr (120)), close_reason::sequence_invalid);
    refused (frame (4, body.substr (0, 80) + zeros (32) + body.substr (112)), close_reason::box_unopened);
    refused (frame (4, "\10INITIATE" + std::string (248, '.')), close_reason::command_unexpected);
    refused (ready_of ("PUSH"), close_reason::command_unexpected);
    refused (frame (4, "\5ERROR\3"
                       "bad"),
             close_reason::refused_by_peer);

    // Padding is not looked at.
    ends both;
    std::string padded = both.greet ();
    padded.replace (2 + 8, 72, 72, 'x');
    EXPECT_EQ (say (both.server, padded), session_status::need_more);
    // Nor does a second one come in.
    EXPECT_EQ (say (both.server, padded), session_status::failed);
    EXPECT_EQ (both.server.reason (), close_reason::command_unexpected);
}

TEST (curve, a_cookie_is_good_for_its_own_connection_only)
{
    ends one;
    ends other;
    (void)say (one.server, one.greet ());
    (void)say (one.client, drain (one.server));
    const std::string initiate = drain (one.client);
    (void)say (other.server, other.greet ());
    // The same client, a server whose random numbers are others.
    ends third;
    std::array<std::byte, 7> spent;
    (void)third.of_servers.fill (spent);
    (void)say (third.server, third.greet ());
    EXPECT_EQ (say (third.server, initiate), session_status::failed);
    EXPECT_EQ (third.server.reason (), close_reason::box_unopened);
}

TEST (curve, initiates_are_long_enough_and_come_once)
{
    ends both;
    (void)say (both.server, both.greet ());
    (void)say (both.client, drain (both.server));
    const std::string body = drain (both.client).substr (9);
    EXPECT_EQ (say (both.server, frame (4, body.substr (0, 256))), session_status::failed);
    EXPECT_EQ (both.server.reason (), close_reason::initiate_malformed);

    ends again;
    (void)say (again.server, again.greet ());
    (void)say (again.client, drain (again.server));
    const std::string initiate = drain (again.client);
    (void)say (again.server, initiate);
    ASSERT_TRUE (again.server.wants_verdict ());
    EXPECT_EQ (say (again.server, initiate), session_status::failed);
    EXPECT_EQ (again.server.reason (), close_reason::command_unexpected);
}

TEST (curve, metadata_may_be_long_and_must_be_good)
{
    ends both;
    session_config large =
      end_of (socket_type::push, curve_client (client_keys, server_keys.open), &both.of_clients);
    large.properties = {{"X-long", std::string (40'000, 'x')}};
    session client (large);
    meet (client, both.server);
    both.server.admit ();
    talk (client, both.server);
    ASSERT_EQ (both.server.status (), session_status::ready);
    EXPECT_EQ (both.server.peer_property ("X-long")->size (), 40'000u);
}

TEST (curve, a_client_must_vouch_for_itself)
{
    security liar = curve_client (client_keys, server_keys.open);
    liar.own_public = other_keys.open;
    ends both (liar);
    meet (both.client, both.server);
    EXPECT_EQ (both.server.status (), session_status::failed);
    EXPECT_EQ (both.server.reason (), close_reason::key_exchange);
    EXPECT_FALSE (both.server.wants_verdict ());
}

TEST (curve, a_wrong_server_key_opens_no_hello)
{
    ends both (curve_client (client_keys, other_keys.open));
    meet (both.client, both.server);
    EXPECT_EQ (both.server.reason (), close_reason::box_unopened);

    ends none (curve_client (client_keys, {}));
    none.client.start ();
    none.server.start ();
    talk (none.client, none.server);
    EXPECT_EQ (none.client.reason (), close_reason::no_keys);
}

TEST (curve, a_client_takes_nothing_else)
{
    const auto refused = [] (const std::string &said, close_reason why) {
        ends both;
        (void)both.greet ();
        EXPECT_EQ (say (both.client, said), session_status::failed);
        EXPECT_EQ (both.client.reason (), why);
    };
    refused (frame (4, "\7WELCOME" + std::string (159, '.')), close_reason::welcome_malformed);
    refused (frame (4, "\7WELCOME" + std::string (161, '.')), close_reason::welcome_malformed);
    refused (frame (4, "\7WELCOME" + std::string (160, '.')), close_reason::box_unopened);
    refused (ready_of ("PULL"), close_reason::command_unexpected);
    refused (frame (4, "\5ERROR\003400"), close_reason::authentication_failed);

    ends both;
    (void)say (both.server, both.greet ());
    (void)say (both.client, drain (both.server));
    EXPECT_EQ (say (both.client, frame (4, "\5READY" + std::string (23, '.'))), session_status::failed);
    EXPECT_EQ (both.client.reason (), close_reason::ready_malformed);
}

TEST (curve, without_random_numbers_there_are_no_keys)
{
    ends both;
    both.of_clients.dry = true;
    (void)both.greet ();
    EXPECT_EQ (both.client.reason (), close_reason::no_keys);

    session nowhere (end_of (socket_type::push, curve_client (client_keys, server_keys.open)));
    nowhere.start ();
    EXPECT_EQ (nowhere.reason (), close_reason::no_keys);

    ends dry;
    const std::string hello = dry.greet ();
    dry.of_servers.dry = true;
    EXPECT_EQ (say (dry.server, hello), session_status::failed);
    EXPECT_EQ (dry.server.reason (), close_reason::no_keys);
}

}  // namespace
}  // namespace zlink::wire

// PLAIN octet for octet (RFC 24), and who is let in: of the session, as that is
// where mechanisms are used.
#include <gtest/gtest.h>
#include <vector>

#include "wire/test_mechanism.hpp"

namespace zlink::wire {
namespace {

using namespace test;
using base::close_reason;

const std::string hello = frame (4, "\5HELLO\2me\6secret");

std::string command (std::string_view name, std::string_view data = {})
{
    return frame (4, octet (static_cast<unsigned> (name.size ())) + std::string (name) + std::string (data));
}

TEST (plain, two_of_ours_agree_once_somebody_says_yes)
{
    session client (end_of (socket_type::push, plain_client ()));
    session server (end_of (socket_type::pull, plain_server ()));
    meet (client, server);
    ASSERT_TRUE (server.wants_verdict ());
    EXPECT_FALSE (client.wants_verdict ());
    EXPECT_EQ (server.credentials_shown ().mechanism, "PLAIN");
    EXPECT_EQ (server.credentials_shown ().parts, (std::vector<std::string>{"me", "secret"}));
    EXPECT_EQ (server.admit (), session_status::need_more);
    talk (client, server);
    EXPECT_EQ (client.status (), session_status::ready);
    EXPECT_EQ (server.status (), session_status::ready);
    EXPECT_EQ (client.peer_socket_type (), socket_type::pull);
    EXPECT_EQ (server.peer_socket_type (), socket_type::push);
    EXPECT_EQ (client.take_sealing (), nullptr);
}

TEST (plain, says_what_the_rfc_says)
{
    session client (end_of (socket_type::push, plain_client ()));
    EXPECT_EQ (drive (client, greeting_of (3, 1, "PLAIN")).sent, greeting_of (3, 1, "PLAIN") + hello);
    std::size_t consumed = 0;
    const std::string welcome = command ("WELCOME");
    EXPECT_EQ (client.feed (as_bytes (welcome), consumed), session_status::need_more);
    EXPECT_EQ (drain (client), command ("INITIATE", property_octets ("Socket-Type", "PUSH")));
    EXPECT_EQ (client.feed (as_bytes (ready_of ("PULL")), consumed), session_status::ready);
    EXPECT_EQ (drain (client), "");

    session server (end_of (socket_type::pull, plain_server ()));
    EXPECT_EQ (drive (server, greeting_of (3, 1, "PLAIN") + hello).sent, greeting_of (3, 1, "PLAIN"));
    server.admit ();
    EXPECT_EQ (drain (server), welcome);
    const std::string initiate = command ("INITIATE", property_octets ("Socket-Type", "PUSH"));
    EXPECT_EQ (server.feed (as_bytes (initiate), consumed), session_status::ready);
    EXPECT_EQ (drain (server), ready_of ("PULL"));
}

struct refusal
{
    const char *name;
    std::string said;
    close_reason why;
};

TEST (plain, a_server_takes_nothing_else)
{
    const std::string begun = greeting_of (3, 1, "PLAIN");
    const refusal cases[] = {
      {"no name", command ("HELLO"), close_reason::hello_malformed},
      {"name past the end", command ("HELLO", "\3me"), close_reason::hello_malformed},
      {"no password", command ("HELLO", "\2me"), close_reason::hello_malformed},
      {"password past the end", command ("HELLO", "\2me\7secret"), close_reason::hello_malformed},
      {"more behind it", command ("HELLO", "\2me\6secret."), close_reason::hello_malformed},
      {"INITIATE before WELCOME", command ("INITIATE"), close_reason::command_unexpected},
      {"INITIATE behind HELLO", hello + command ("INITIATE"), close_reason::command_unexpected},
      {"READY", ready_of ("PUSH"), close_reason::command_unexpected},
      {"a message", frame (0, "hello"), close_reason::data_before_ready},
      {"ERROR",
       command ("ERROR", "\3"
                         "bad"),
       close_reason::refused_by_peer},
      {"longer than any HELLO, by its header", octet (6) + be (hello_bytes_max + 1, 8),
       close_reason::limit_reached},
    };
    for (const refusal &each : cases) {
        session server (end_of (socket_type::pull, plain_server ()));
        EXPECT_EQ (drive (server, begun + each.said).status, session_status::failed) << each.name;
        EXPECT_EQ (server.reason (), each.why) << each.name;
        EXPECT_FALSE (server.wants_verdict ()) << each.name;
    }
    session server (end_of (socket_type::pull, plain_server ()));
    drive (server, begun + command ("HELLO", octet (255) + zeros (255) + octet (0)));
    ASSERT_TRUE (server.wants_verdict ());
    EXPECT_EQ (server.credentials_shown ().parts, (std::vector<std::string>{zeros (255), ""}));
}

TEST (plain, a_server_takes_more_of_whom_it_has_heard)
{
    session server (end_of (socket_type::pull, plain_server ()));
    const std::string longest = command ("HELLO", octet (255) + zeros (255) + octet (255) + zeros (255));
    ASSERT_EQ (longest.size (), 9 + hello_bytes_max);
    drive (server, greeting_of (3, 1, "PLAIN") + longest);
    ASSERT_TRUE (server.wants_verdict ());
    server.admit ();
    const std::string initiate = command ("INITIATE", property_octets ("Socket-Type", "PUSH")
                                                        + property_octets ("X-Long", zeros (1000)));
    std::size_t consumed = 0;
    EXPECT_EQ (server.feed (as_bytes (initiate), consumed), session_status::ready);
}

// By this a client knows that it is the peer who did not want it.
TEST (plain, a_client_waits_for_entry_from_its_hello_on)
{
    session client (end_of (socket_type::push, plain_client ()));
    session server (end_of (socket_type::pull, plain_server ()));
    client.start ();
    server.start ();
    EXPECT_FALSE (client.waits_for_entry ());
    talk (client, server);
    EXPECT_TRUE (client.waits_for_entry ());
    EXPECT_FALSE (server.waits_for_entry ());
    server.admit ();
    talk (client, server);
    EXPECT_EQ (client.status (), session_status::ready);
    EXPECT_FALSE (client.waits_for_entry ());
}

TEST (plain, a_client_takes_nothing_else)
{
    const std::string begun = greeting_of (3, 1, "PLAIN");
    const refusal cases[] = {
      {"WELCOME that says more", command ("WELCOME", "."), close_reason::welcome_malformed},
      {"READY before WELCOME", ready_of ("PULL"), close_reason::command_unexpected},
      {"two WELCOMEs", command ("WELCOME") + command ("WELCOME"), close_reason::command_unexpected},
      {"HELLO", hello, close_reason::command_unexpected},
      {"READY without a type", command ("WELCOME") + command ("READY"), close_reason::metadata_malformed},
      {"of a wrong type", command ("WELCOME") + ready_of ("PUSH"), close_reason::socket_type_incompatible},
    };
    for (const refusal &each : cases) {
        session client (end_of (socket_type::push, plain_client ()));
        EXPECT_EQ (drive (client, begun + each.said).status, session_status::failed) << each.name;
        EXPECT_EQ (client.reason (), each.why) << each.name;
    }
}

TEST (plain, who_is_refused_hears_the_status_unless_it_may_try_again)
{
    for (const unsigned status : {300U, 400U, 500U}) {
        session client (end_of (socket_type::push, plain_client ()));
        session server (end_of (socket_type::pull, plain_server ()));
        meet (client, server);
        server.refuse (status);
        EXPECT_EQ (server.reason (), close_reason::authentication_failed);
        EXPECT_EQ (server.refused_status (), static_cast<int> (status));
        EXPECT_FALSE (server.wants_verdict ());
        talk (client, server);
        EXPECT_EQ (client.status () == session_status::failed, status != 300) << status;
        if (status == 300)
            continue;
        EXPECT_EQ (client.reason (), close_reason::authentication_failed);
        EXPECT_EQ (client.refused_status (), static_cast<int> (status));
    }
}

TEST (plain, mechanisms_must_be_the_same)
{
    for (const std::string &other : {greeting_of (3, 1), greeting_of (3, 1, "CURVE"), greeting_of (3, 0)}) {
        session server (end_of (socket_type::pull, plain_server ()));
        EXPECT_EQ (drive (server, other + ready_of ("PUSH")).status, session_status::failed);
        EXPECT_EQ (server.reason (), close_reason::mechanism_mismatch);
    }
    for (const std::string &older : {signature + hex ("01"), signature + hex ("00"), hex ("01")}) {
        session server (end_of (socket_type::pull, plain_server ()));
        EXPECT_EQ (drive (server, older).status, session_status::failed);
        EXPECT_EQ (server.reason (), close_reason::version_unsupported);
    }
}

// --- NULL with somebody to ask ------------------------------------------------------

TEST (asked_null, says_ready_behind_the_verdict_only)
{
    session server (end_of (socket_type::pull, {.domain = "home"}));
    EXPECT_EQ (drive (server, greeting_of (3, 1)).sent, greeting_of (3, 1));
    ASSERT_TRUE (server.wants_verdict ());
    EXPECT_EQ (server.credentials_shown ().mechanism, "NULL");
    EXPECT_TRUE (server.credentials_shown ().parts.empty ());
    std::size_t consumed = 0;
    EXPECT_EQ (server.feed (as_bytes (ready_of ("PUSH")), consumed), session_status::need_more);
    EXPECT_EQ (server.admit (), session_status::ready);
    EXPECT_EQ (drain (server), ready_of ("PULL"));

    session early (end_of (socket_type::pull, {.domain = "home"}));
    drive (early, greeting_of (3, 1));
    EXPECT_EQ (early.admit (), session_status::need_more);
    EXPECT_EQ (drain (early), ready_of ("PULL"));
    EXPECT_EQ (early.feed (as_bytes (ready_of ("PUSH")), consumed), session_status::ready);
    EXPECT_EQ (drain (early), "");
}

TEST (asked_null, nothing_may_follow_before_the_verdict)
{
    session server (end_of (socket_type::pull, {.domain = "home"}));
    drive (server, greeting_of (3, 1) + ready_of ("PUSH") + frame (0, "hello"));
    EXPECT_EQ (server.status (), session_status::failed);
    EXPECT_EQ (server.reason (), close_reason::command_unexpected);
    EXPECT_EQ (server.admit (), session_status::failed);
}

TEST (asked_null, a_newcomer_that_is_turned_away_hears_no_ready)
{
    session_config config = end_of (socket_type::router, {.domain = "home"});
    config.order = ready_order::after_peer;
    session server (config);
    drive (server, greeting_of (3, 1) + ready_of ("DEALER"));
    ASSERT_EQ (server.admit (), session_status::ready);
    server.turn_away (close_reason::identity_taken, "in use");
    EXPECT_EQ (drain (server), command ("ERROR", "\6in use"));
}

}  // namespace
}  // namespace zlink::wire

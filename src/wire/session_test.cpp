// Whole handshakes with every age of peer, octet for octet. What libzmq 4.3.4
// sends in the same place was recorded from its sockets.
#include "wire/session.hpp"

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;
using base::close_reason;

TEST (session, two_of_ours_agree)
{
    session push ({.type = socket_type::push});
    session pull ({.type = socket_type::pull});
    push.start ();
    pull.start ();
    const auto pass = [] (session &from, session &to) {
        const std::string octets = drain (from);
        std::size_t consumed = 0;
        to.feed (as_bytes (octets), consumed);
        EXPECT_EQ (consumed, octets.size ());
        return octets.size ();
    };
    while (pass (push, pull) + pass (pull, push) > 0) {}
    EXPECT_EQ (push.status (), session_status::ready);
    EXPECT_EQ (pull.status (), session_status::ready);
    EXPECT_EQ (push.peer_socket_type (), socket_type::pull);
    EXPECT_EQ (pull.peer_socket_type (), socket_type::push);
    EXPECT_EQ (*pull.peer_property ("Socket-Type"), "PUSH");
    EXPECT_TRUE (push.subscribe_commands ());
    EXPECT_TRUE (push.heartbeats ());
}

TEST (session, sends_what_libzmq_sends)
{
    session pair ({.type = socket_type::pair});
    const course done = drive (pair, greeting_of (3, 1) + ready_of ("PAIR"));
    EXPECT_EQ (done.status, session_status::ready);
    EXPECT_EQ (
      done.sent,
      greeting_of (3, 1)
        + hex ("04 1A 05 52 45 41 44 59 0B 53 6F 63 6B 65 74 2D 54 79 70 65 00 00 00 04 50 41 49 52"));

    session dealer ({.type = socket_type::dealer, .identity = "abc", .send_identity = true});
    const course named = drive (dealer, greeting_of (3, 1));
    EXPECT_EQ (named.status, session_status::need_more);
    EXPECT_EQ (
      named.sent,
      hex ("FF 0000000000000004 7F") + greeting_of (3, 1).substr (10)
        + hex (
          "04 2C 05 52 45 41 44 59 0B 53 6F 63 6B 65 74 2D 54 79 70 65 00 00 00 06 44 45 41 4C 45 52 08 49 "
          "64 65 6E 74 69 74 79 00 00 00 03 61 62 63"));

    session push ({.type = socket_type::push, .identity = "abc"});
    EXPECT_EQ (drive (push, greeting_of (3, 1)).sent.substr (64), ready_of ("PUSH"));
}

TEST (session, more_properties_go_both_ways)
{
    session ours ({.type = socket_type::pair, .properties = {{"X-hello", "world"}, {"", "left out"}}});
    const std::string theirs = property_octets ("Socket-Type", "PAIR") + property_octets ("Identity", "me")
                               + property_octets ("X-Key", "value");
    const course done = drive (ours, greeting_of (3, 1) + ready_with (theirs));
    EXPECT_EQ (done.status, session_status::ready);
    EXPECT_EQ (done.sent.substr (64),
               ready_with (property_octets ("Socket-Type", "PAIR") + property_octets ("X-hello", "world")));
    EXPECT_EQ (ours.peer_identity (), "me");
    EXPECT_EQ (*ours.peer_property ("x-key"), "value");
    EXPECT_EQ (*ours.peer_property ("Routing-Id"), "me");
    EXPECT_EQ (ours.peer_property ("X-Other"), nullptr);
    EXPECT_EQ (ours.peer_metadata ().all ().size (), 3u);
}

TEST (session, leaves_the_first_frames_to_the_caller)
{
    for (const std::string &handshake : {
           greeting_of (3, 1) + ready_of ("PULL"),
           signature + hex ("01 07 00 00"),
           signature + hex ("00 07 01 00"),
           hex ("01 00"),
         }) {
        session push ({.type = socket_type::push});
        const course done = drive (push, handshake + hex ("00 05") + "hello");
        EXPECT_EQ (done.status, session_status::ready);
        EXPECT_EQ (done.consumed, handshake.size ());
        std::size_t consumed = 99;
        EXPECT_EQ (push.feed (as_bytes ("more"), consumed), session_status::ready);
        EXPECT_EQ (consumed, 0u);
    }
}

TEST (session, version_3_0_has_no_subscribe_command)
{
    session sub ({.type = socket_type::sub});
    const course done = drive (sub, greeting_of (3, 0) + ready_of ("PUB"));
    ASSERT_EQ (done.status, session_status::ready);
    EXPECT_EQ (sub.frames (), framing::zmtp_3);
    EXPECT_EQ (sub.major (), 3u);
    EXPECT_EQ (sub.minor (), 0u);
    EXPECT_TRUE (sub.heartbeats ());
    EXPECT_FALSE (sub.subscribe_commands ());
    EXPECT_TRUE (sub.peer_forwards_subscriptions ());
}

TEST (session, a_2_0_peer)
{
    session dealer ({.type = socket_type::dealer, .identity = "abc", .send_identity = true});
    const course done = drive (dealer, signature + hex ("01 06") + hex ("00 03") + "xyz");
    ASSERT_EQ (done.status, session_status::ready);
    EXPECT_EQ (done.sent, hex ("FF 0000000000000004 7F 03 05 00 03") + "abc");
    EXPECT_EQ (dealer.frames (), framing::zmtp_2_0);
    EXPECT_EQ (dealer.major (), 2u);
    EXPECT_EQ (dealer.peer_socket_type (), socket_type::router);
    EXPECT_EQ (dealer.peer_identity (), "xyz");
    EXPECT_FALSE (dealer.heartbeats ());
    EXPECT_FALSE (dealer.subscribe_commands ());
    EXPECT_TRUE (dealer.peer_metadata ().empty ());
}

TEST (session, a_1_0_peer_with_a_greeting)
{
    session pair ({.type = socket_type::pair, .identity = "abc"});
    const course done = drive (pair, signature + hex ("00 00") + hex ("04 00") + "xyz");
    ASSERT_EQ (done.status, session_status::ready);
    EXPECT_EQ (done.sent, hex ("FF 0000000000000004 7F 03 00 04 00") + "abc");
    EXPECT_EQ (pair.frames (), framing::zmtp_1_0);
    EXPECT_EQ (pair.major (), 1u);
    EXPECT_EQ (pair.peer_socket_type (), socket_type::pair);
    EXPECT_TRUE (pair.peer_forwards_subscriptions ());
}

TEST (session, a_1_0_peer_without)
{
    for (const std::string &theirs : {hex ("04 00") + "xyz", hex ("FF 0000000000000004 00") + "xyz"}) {
        session pub ({.type = socket_type::pub, .identity = "abc"});
        const course done = drive (pub, theirs);
        ASSERT_EQ (done.status, session_status::ready);
        EXPECT_EQ (done.sent, hex ("FF 0000000000000004 7F") + "abc");
        EXPECT_EQ (pub.frames (), framing::zmtp_1_0);
        EXPECT_EQ (pub.peer_socket_type (), std::nullopt);
        EXPECT_EQ (pub.peer_identity (), "xyz");
        EXPECT_FALSE (pub.peer_forwards_subscriptions ());
    }
}

TEST (session, longest_identities)
{
    const std::string name (identity_bytes_max, 'i');
    session v1 ({.type = socket_type::pair, .identity = name});
    EXPECT_EQ (drive (v1, signature + hex ("00 00 FF 0000000000000100 00") + name).status,
               session_status::ready);
    EXPECT_EQ (v1.peer_identity (), name);

    session v2 ({.type = socket_type::pair, .identity = name});
    const course done = drive (v2, signature + hex ("01 00 00 FF") + name);
    EXPECT_EQ (done.status, session_status::ready);
    EXPECT_EQ (done.sent, hex ("FF 0000000000000100 7F 03 00 00 FF") + name);

    session v3 ({.type = socket_type::dealer, .identity = name, .send_identity = true});
    session other ({.type = socket_type::router});
    const std::string theirs = drive (v3, greeting_of (3, 1)).sent;
    EXPECT_EQ (drive (other, theirs).status, session_status::ready);
    EXPECT_EQ (other.peer_identity (), name);

    session too_long ({.type = socket_type::pair, .identity = name + "i"});
    too_long.start ();
    EXPECT_EQ (too_long.status (), session_status::failed);
    EXPECT_EQ (too_long.reason (), close_reason::identity_malformed);
    EXPECT_TRUE (too_long.output ().empty ());
}

TEST (session, null_only_keeps_the_door_to_older_peers)
{
    for (const std::string &peer : {signature + hex ("01"), signature + hex ("00"), hex ("01")}) {
        session pair ({.type = socket_type::pair, .secured = {.domain = "asks"}});
        EXPECT_EQ (drive (pair, peer).status, session_status::failed);
        EXPECT_EQ (pair.reason (), close_reason::version_unsupported);
    }
}

TEST (session, an_accepting_end_may_wait_for_the_peer)
{
    session pull ({.type = socket_type::pull, .order = ready_order::after_peer});
    EXPECT_EQ (drive (pull, greeting_of (3, 1)).sent, greeting_of (3, 1));
    std::size_t consumed = 0;
    const std::string ready = ready_of ("PUSH");
    EXPECT_EQ (pull.feed (as_bytes (ready), consumed), session_status::ready);
    EXPECT_EQ (drain (pull), ready_of ("PULL"));

    session refusing ({.type = socket_type::pull, .order = ready_order::after_peer});
    const course done = drive (refusing, greeting_of (3, 1) + ready_of ("PAIR"));
    EXPECT_EQ (done.status, session_status::failed);
    EXPECT_EQ (done.sent, greeting_of (3, 1) + frame (4, "\5ERROR\x18incompatible socket type"));
}

TEST (session, an_accepting_end_may_turn_a_good_peer_away)
{
    session pull ({.type = socket_type::pull, .order = ready_order::after_peer});
    pull.start ();
    std::size_t consumed = 0;
    const std::string all = greeting_of (3, 1) + ready_of ("PUSH");
    EXPECT_EQ (pull.feed (as_bytes (all), consumed), session_status::ready);
    pull.output_drained (10);
    pull.turn_away (close_reason::identity_taken, "no room");
    EXPECT_EQ (pull.status (), session_status::failed);
    EXPECT_EQ (pull.reason (), close_reason::identity_taken);
    EXPECT_EQ (drain (pull), greeting_of (3, 1).substr (10) + frame (4, "\5ERROR\7no room"));

    session older ({.type = socket_type::pull, .order = ready_order::after_peer});
    EXPECT_EQ (drive (older, signature + hex ("01 08") + frame (0, "")).status, session_status::ready);
    older.turn_away (close_reason::identity_taken, "no room");
    EXPECT_EQ (older.status (), session_status::ready) << "it would not understand";
}

TEST (session, a_wrong_type_is_told_so)
{
    session pull ({.type = socket_type::pull});
    const course done = drive (pull, greeting_of (3, 1) + ready_of ("PULL"));
    EXPECT_EQ (done.status, session_status::failed);
    EXPECT_EQ (pull.reason (), close_reason::socket_type_incompatible);
    EXPECT_EQ (done.sent.substr (64), ready_of ("PULL") + frame (4, "\5ERROR\x18incompatible socket type"));

    session older ({.type = socket_type::pull});
    EXPECT_EQ (drive (older, signature + hex ("01 07")).sent, signature + hex ("03 07"));
    EXPECT_EQ (older.reason (), close_reason::socket_type_incompatible);
}

TEST (session, the_peers_refusal_is_kept_in_print)
{
    session pair ({.type = socket_type::pair});
    const course done = drive (pair, greeting_of (3, 1)
                                       + frame (4, "\5ERROR\6"
                                                   "no\n\x1b\xffz"));
    EXPECT_EQ (done.status, session_status::failed);
    EXPECT_EQ (pair.reason (), close_reason::refused_by_peer);
    EXPECT_EQ (pair.reason_text (), "no???z");
    std::size_t consumed = 99;
    EXPECT_EQ (pair.feed (as_bytes ("more"), consumed), session_status::failed);
    EXPECT_EQ (consumed, 0u);
}

TEST (session, output_may_be_drained_in_pieces)
{
    session pair ({.type = socket_type::pair});
    pair.start ();
    EXPECT_EQ (as_text (pair.output ()), signature);
    pair.output_drained (4);
    EXPECT_EQ (as_text (pair.output ()), signature.substr (4));
    std::size_t consumed = 0;
    pair.feed (as_bytes (signature), consumed);
    EXPECT_EQ (as_text (pair.output ()), signature.substr (4) + hex ("03"));
    pair.output_drained (100);
    EXPECT_TRUE (pair.output ().empty ());
}

TEST (session, bare_framings_have_no_handshake)
{
    for (const framing kind : {framing::packets, framing::raw}) {
        session bare ({.speaks = kind, .type = socket_type::stream});
        bare.start ();
        EXPECT_EQ (bare.status (), session_status::ready);
        EXPECT_TRUE (bare.output ().empty ());
        EXPECT_EQ (bare.frames (), kind);
        EXPECT_FALSE (bare.heartbeats () || bare.subscribe_commands ());
        EXPECT_TRUE (bare.peer_identity ().empty () && bare.peer_metadata ().all ().empty ());
        std::size_t consumed = 99;
        EXPECT_EQ (bare.feed (as_bytes ("\xff not a greeting"), consumed), session_status::ready);
        EXPECT_EQ (consumed, 0u);
    }
}

TEST (session, goes_without_a_greeting_where_all_is_settled)
{
    session push ({.type = socket_type::push});
    push.start (session_start::commands);
    EXPECT_EQ (drain (push), ready_of ("PUSH"));
    std::size_t consumed = 0;
    const std::string said = ready_of ("PULL") + hex ("00 05") + "hello";
    EXPECT_EQ (push.feed (as_bytes (said), consumed), session_status::ready);
    EXPECT_EQ (consumed, ready_of ("PULL").size ());
    EXPECT_EQ (push.peer_socket_type (), socket_type::pull);
    EXPECT_EQ (push.major (), 3u);
    EXPECT_FALSE (push.subscribe_commands ());
    EXPECT_TRUE (push.heartbeats ());
    EXPECT_TRUE (push.peer_forwards_subscriptions ());
}

TEST (session, a_property_makes_a_peer_that_never_greeted_newer)
{
    for (const bool greets : {false, true}) {
        session sub ({.type = socket_type::sub});
        sub.start (greets ? session_start::greeting : session_start::commands);
        const std::string said =
          (greets ? greeting_of (3, 0) : std::string ())
          + ready_with (property_octets ("Socket-Type", "PUB") + property_octets ("X-Zlink", "1"));
        std::size_t consumed = 0;
        EXPECT_EQ (sub.feed (as_bytes (said), consumed), session_status::ready);
        EXPECT_EQ (sub.subscribe_commands (), !greets) << "a greeting says which version it is";
    }
}

TEST (session, names_alone_come_first_where_there_is_no_mechanism)
{
    session router ({.type = socket_type::router, .identity = "me"});
    router.start (session_start::identities);
    EXPECT_EQ (drain (router), hex ("00 02") + "me");
    std::size_t consumed = 0;
    const std::string said = hex ("00 03") + "you" + hex ("00 01") + "x";
    EXPECT_EQ (router.feed (as_bytes (said), consumed), session_status::ready);
    EXPECT_EQ (consumed, 5u);
    EXPECT_EQ (router.peer_identity (), "you");
    EXPECT_EQ (router.peer_socket_type (), std::nullopt);
    EXPECT_EQ (router.frames (), framing::zmtp_3);
    EXPECT_TRUE (router.heartbeats ());
    EXPECT_FALSE (router.subscribe_commands ());
    for (const std::string &bad : {hex ("01 01") + "x", hex ("04 01") + "x", hex ("02 0000000000000100")}) {
        session other ({.type = socket_type::router});
        other.start (session_start::identities);
        EXPECT_EQ (other.feed (as_bytes (bad), consumed), session_status::failed);
        EXPECT_EQ (other.reason (), close_reason::identity_malformed);
    }
}

TEST (session, limits_are_the_callers)
{
    const std::string ready = ready_of ("PAIR");
    session narrow ({.type = socket_type::pair, .limits = {.command_bytes_max = ready.size () - 3}});
    EXPECT_EQ (drive (narrow, greeting_of (3, 1) + ready).status, session_status::failed);
    EXPECT_EQ (narrow.reason (), close_reason::limit_reached);
    session wide ({.type = socket_type::pair, .limits = {.command_bytes_max = ready.size () - 2}});
    EXPECT_EQ (drive (wide, greeting_of (3, 1) + ready).status, session_status::ready);
    session none ({.type = socket_type::pair, .limits = {.properties_max = 0}});
    EXPECT_EQ (drive (none, greeting_of (3, 1) + ready).status, session_status::failed);
    EXPECT_EQ (none.reason (), close_reason::metadata_malformed);
}

}  // namespace
}  // namespace zlink::wire

// Frames and commands after the handshake.
#include "hostile/hostile_peer.hpp"

namespace zlink::test {
namespace {

class frames : public hostile
{
  protected:
    [[nodiscard]] static hostile_case odd (const std::string &name, const std::string &octets)
    {
        return fine (name, greeted_and_ready () + octets);
    }
    [[nodiscard]] static hostile_case
    bad (const std::string &name, const std::string &reason, const std::string &octets)
    {
        return closes (name, reason, greeted_and_ready () + octets);
    }
};

INSTANTIATE_TEST_SUITE_P (at, frames, every_victim (), victim_name);

std::string zeros (std::size_t size) { return std::string (size, '\0'); }

TEST_P (frames, that_are_malformed_close_the_connection)
{
    run ({
      bad ("2^63", "frame-malformed", octet (2) + big_endian (1ull << 63, 8)),
      bad ("2^64 - 1", "frame-malformed", octet (2) + big_endian (~0ull, 8)),
      bad ("command with more", "frame-malformed", octet (5) + octet (6)),
      bad ("long command with more", "frame-malformed", octet (7) + big_endian (6, 8)),
      bad ("endless command", "command-malformed", octet (6) + big_endian (~0ull >> 1, 8)),
      bad ("empty command", "command-malformed", zmtp_frame (4, "")),
      bad ("command without a name", "command-malformed", zmtp_frame (4, zeros (3))),
      bad ("name past the end", "command-malformed", zmtp_frame (4, "\7PING")),
      bad ("PING of 5", "command-malformed", zmtp_frame (4, "\4PING")),
      bad ("PING of 6", "command-malformed", zmtp_frame (4, "\4PING" + zeros (1))),
      bad ("PING with a context of 17", "command-malformed", zmtp_frame (4, "\4PING" + zeros (19))),
      bad ("second READY", "command-unexpected", ready ()),
      bad ("ERROR", "refused-by-peer", zmtp_frame (4, std::string ("\5ERROR\3") + "400")),
      bad ("ERROR past the end", "command-malformed", zmtp_frame (4, std::string ("\5ERROR\4") + "400")),
    });
}

TEST_P (frames, that_are_odd_are_accepted)
{
    run ({
      odd ("PING", zmtp_frame (4, "\4PING" + zeros (2))),
      odd ("PING with a context of 16", zmtp_frame (4, "\4PING" + zeros (18))),
      odd ("PING with the longest TTL", zmtp_frame (4, "\4PING" + octet (255) + octet (255))),
      odd ("PONG that nobody asked for", zmtp_frame (4, "\4PONG" + zeros (5))),
      odd ("SUBSCRIBE", zmtp_frame (4, "\x09SUBSCRIBE" + std::string (300, 't'))),
      odd ("CANCEL", zmtp_frame (4, "\6CANCEL")),
      odd ("JOIN", zmtp_frame (4, "\4JOINgroup")),
      odd ("unknown command", zmtp_frame (4, "\7UNKNOWNwith a body")),
      odd ("long command in the long form", octet (6) + big_endian (7, 8) + "\4PING" + zeros (2)),
    });
}

TEST_P (frames, with_reserved_flags_and_long_sizes_are_delivered)
{
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.send (greeted_and_ready ()));
    for (unsigned reserved = 0x08; reserved <= 0xF8; reserved += 8) {
        ASSERT_TRUE (peer.send (octet (reserved) + octet (2) + "hi"));
        ASSERT_EQ (victim.receive (), "hi") << reserved;
    }
    for (const std::size_t size : {0u, 1u, 2u, 255u, 256u}) {
        ASSERT_TRUE (peer.send (octet (2) + big_endian (size, 8) + pattern (size)));
        ASSERT_EQ (victim.receive (), pattern (size)) << size;
    }
}

TEST_P (frames, of_every_size_in_pieces_are_delivered)
{
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.send (greeted_and_ready ()));
    worker sender ([&] {
        for (const std::size_t size : {0u, 1u, 40u, 255u, 256u, 8191u, 8193u})
            EXPECT_TRUE (peer.trickle (zmtp_frame (0, pattern (size))));
    });
    for (const std::size_t size : {0u, 1u, 40u, 255u, 256u, 8191u, 8193u})
        ASSERT_EQ (victim.receive (), pattern (size)) << size;
}

TEST_P (frames, very_many_parts_are_one_message)
{
    raw_peer peer = raw_peer::connect_to (where);
    constexpr std::size_t count = 40'000;
    std::string octets = greeted_and_ready ();
    for (std::size_t i = 0; i < count; ++i)
        octets += zmtp_frame (1, "");
    worker sender ([&] { EXPECT_TRUE (peer.send (octets + zmtp_frame (0, "end"))); });
    const std::vector<std::string> got = victim.receive_message ();
    ASSERT_EQ (got.size (), count + 1);
    EXPECT_EQ (got.back (), "end");
}

TEST_P (frames, a_message_that_never_ends_is_never_delivered)
{
    const std::uint64_t before = lost_so_far ();
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands (peer_name ()));
    std::string octets;
    for (int i = 0; i < 1000; ++i)
        octets += zmtp_frame (1, "part");
    ASSERT_TRUE (peer.send (octets));
    peer.close ();
    victim.set (ZMQ_RCVTIMEO, 1);
    ASSERT_TRUE (eventually ([&] {
        EXPECT_FALSE (victim.receive ());
        return lost_so_far () > before;
    }));
    victim.set (ZMQ_RCVTIMEO, watchdog_ms);
    good_goes_on ("half a message");
}

TEST_P (frames, a_command_between_two_parts_does_not_part_them)
{
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.send (greeted_and_ready () + zmtp_frame (1, "a")
                            + zmtp_frame (4, "\4PING" + zeros (2) + "ctx") + zmtp_frame (0, "b")));
    EXPECT_EQ (victim.receive_message (), (std::vector<std::string>{"a", "b"}));
}

TEST_P (frames, a_ping_is_answered_with_its_context)
{
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands (peer_name ()));
    ASSERT_TRUE (peer.send (zmtp_frame (4, "\4PING" + zeros (2) + "context")));
    EXPECT_EQ (peer.read_frame (), "\4PONGcontext");
}

// Whoever pings and does not read fills its own connection only.
TEST_P (frames, a_flood_of_pings_that_reads_no_answer_harms_nobody)
{
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands (peer_name ()));
    std::string flood;
    for (int i = 0; i < 50'000; ++i)
        flood += zmtp_frame (4, "\4PING" + zeros (2) + "0123456789abcdef");
    worker sender ([&] { peer.send (flood + zmtp_frame (0, "behind the flood")); });
    EXPECT_EQ (victim.receive (), "behind the flood");
    sender.join ();
    peer.close ();
    victim.set (ZMQ_RCVTIMEO, 1);
    ASSERT_TRUE (eventually ([&] {
        (void)victim.receive ();
        return zlink_wait_peers (victim, is_pair () ? 1 : 2, 0) != 0;
    }));
    victim.set (ZMQ_RCVTIMEO, watchdog_ms);
    good_goes_on ("the flood");
}

TEST_P (frames, good_messages_before_the_bad_frame_are_delivered)
{
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.send (greeted_and_ready () + zmtp_frame (0, "one") + zmtp_frame (0, "two") + octet (5)
                            + octet (0)));
    EXPECT_EQ (victim.receive (), "one");
    EXPECT_EQ (victim.receive (), "two");
    victim.set (ZMQ_RCVTIMEO, 1);
    ASSERT_TRUE (eventually ([&] {
        EXPECT_FALSE (victim.receive ());
        return std::string (victim.status (where).reason_text) == "frame-malformed";
    }));
    victim.set (ZMQ_RCVTIMEO, watchdog_ms);
    good_goes_on ("a bad third frame");
}

TEST_P (frames, cut_anywhere_deliver_what_was_whole)
{
    const std::string whole =
      zmtp_frame (0, "first") + zmtp_frame (1, "part") + zmtp_frame (0, pattern (300));
    const std::size_t first_end = zmtp_frame (0, "first").size ();
    for (std::size_t size = 0; size <= whole.size (); size += size < 25 ? 1 : 31) {
        const std::uint64_t before = lost_so_far ();
        raw_peer peer = raw_peer::connect_to (where);
        // All of ours is read, so that closing does not reset.
        ASSERT_TRUE (peer.shake_hands (peer_name ()));
        ASSERT_TRUE (peer.send (whole.substr (0, size)));
        peer.close ();
        if (size >= first_end) {
            ASSERT_EQ (victim.receive (), "first") << size;
        }
        if (size == whole.size ()) {
            ASSERT_EQ (victim.receive_message ().size (), 2u);
        }
        victim.set (ZMQ_RCVTIMEO, 1);
        ASSERT_TRUE (eventually ([&] {
            EXPECT_FALSE (victim.receive ()) << size;
            return lost_so_far () > before;
        }))
          << size;
        victim.set (ZMQ_RCVTIMEO, watchdog_ms);
    }
    good_goes_on ("cuts");
}

}  // namespace
}  // namespace zlink::test

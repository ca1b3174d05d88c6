// A socket under attack, and a good peer that talks to it before and after. A
// PULL has the good peer all the while, a PAIR between the bad ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hostile/corpus.hpp"
#include "support/events.hpp"
#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {

// How the peer says one more message, in the framing that it has.
[[nodiscard]] inline std::string zmtp_message (int version, std::string_view body)
{
    if (version > 1)
        return zmtp_frame (0, body);
    return octet (static_cast<unsigned> (body.size () + 1)) + octet (0) + std::string (body);
}

// What a socket has counted of connections that ended.
struct ends_counted
{
    explicit ends_counted (const socket &of)
      : lost (of.statistics ().connections_lost), failed (of.statistics ().handshakes_failed)
    {
    }
    [[nodiscard]] std::uint64_t all () const { return lost + failed; }
    std::uint64_t lost;
    std::uint64_t failed;
};

class victim
{
  public:
    victim (int type, const std::string &place, int handshake_ms = watchdog_ms)
      : type_ (type), own_ (context_, type), events_ (own_)
    {
        (void)zlink_set_log (zlink_log_discard, nullptr);  // there would be a line for each
        own_.set (ZMQ_HANDSHAKE_IVL, handshake_ms);
        where_ = own_.bind (place);
        if (type == ZMQ_PAIR)
            return;
        good_.emplace (context_, ZMQ_PUSH);
        good_->connect (where_);
        EXPECT_TRUE (own_.has_peers ());
    }

    [[nodiscard]] socket &own () { return own_; }
    [[nodiscard]] const std::string &where () const { return where_; }
    [[nodiscard]] bool is_pair () const { return type_ == ZMQ_PAIR; }
    [[nodiscard]] const char *peer_type () const { return is_pair () ? "PAIR" : "PUSH"; }

    // Says the row and sees what comes of it. in_pieces: one octet a segment.
    void suffers (const hostile_row &row, bool in_pieces)
    {
        SCOPED_TRACE (row.name + (in_pieces ? ", in pieces" : ""));
        own_.set_wide (ZMQ_MAXMSGSIZE, row.message_bytes_max);
        const ends_counted before (own_);
        raw_peer peer = raw_peer::connect_to (where_);
        ASSERT_TRUE (peer.valid ());
        // It may be cut off before it has said all.
        worker speaker ([&] {
            in_pieces ? peer.trickle (row.octets) : peer.send (row.octets);
            if (row.ends)
                peer.end_output ();
            if (row.expected == outcome::accepts) {
                EXPECT_TRUE (peer.send (zmtp_message (row.version, "behind it")));
            }
        });
        for (const std::vector<std::string> &message : row.delivered)
            ASSERT_TRUE (own_.receive_message () == message);
        if (row.expected == outcome::accepts) {
            ASSERT_EQ (own_.receive (), "behind it");
            speaker.join ();
            peer.close ();
        }
        ASSERT_NO_FATAL_FAILURE (loses_one (before));
        if (row.expected == outcome::closes) {
            speaker.join ();
            EXPECT_TRUE (peer.sees_end ());
            ASSERT_NO_FATAL_FAILURE (says_why (row, before));
        }
        ASSERT_NO_FATAL_FAILURE (keeps_nothing ());
        ASSERT_NO_FATAL_FAILURE (good_goes_on ());
    }

    // The good peer talks and is heard.
    void good_goes_on ()
    {
        std::optional<socket> visitor;
        if (is_pair ()) {
            visitor.emplace (context_, ZMQ_PAIR);
            visitor->set (ZMQ_RECONNECT_IVL, 5);
            visitor->connect (where_);
        }
        socket &by = is_pair () ? *visitor : *good_;
        ASSERT_TRUE (by.send ("good"));
        ASSERT_EQ (own_.receive (), "good");
        if (is_pair ()) {
            visitor.reset ();
            ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (own_, 1, 0) != 0; }));
        }
    }

    // Nothing more arrives, and one more connection has ended.
    void loses_one (const ends_counted &before)
    {
        // While somebody waits for messages the socket reads by itself.
        own_.set (ZMQ_RCVTIMEO, 1);
        EXPECT_TRUE (eventually ([&] {
            EXPECT_FALSE (own_.receive ());
            return ends_counted (own_).all () > before.all ();
        }));
        own_.set (ZMQ_RCVTIMEO, watchdog_ms);
    }

  private:
    // By the endpoint, by an event, by a counter.
    void says_why (const hostile_row &row, const ends_counted &before)
    {
        EXPECT_EQ (own_.status (where_).reason_text, row.reason);
        zlink_event_t told{};
        do {
            told = events_.next ();
            ASSERT_NE (told.event, 0u) << "no event says " << row.reason;
        } while (told.reason_text != row.reason);
        const ends_counted now (own_);
        const bool was_ready = row.begins == stage::traffic;
        EXPECT_EQ (now.lost - before.lost, was_ready ? 1u : 0u);
        EXPECT_EQ (now.failed - before.failed, was_ready ? 0u : 1u);
    }

    // Of what the bad one said, or is still to be told.
    void keeps_nothing ()
    {
        std::vector<zlink_counters_t> rows (16);
        std::size_t count = rows.size ();
        ASSERT_EQ (zlink_counters (own_, rows.data (), sizeof rows[0], &count), 0);
        ASSERT_LE (count, rows.size ());
        EXPECT_EQ (rows[0].unread_bytes, 0u);
        EXPECT_EQ (rows[0].queued_bytes, 0u);
        EXPECT_EQ (rows[0].connections_ready, is_pair () ? 0u : 1u);
    }

    int type_;
    context context_;
    socket own_;
    events events_;
    std::optional<socket> good_;
    std::string where_;
};

}  // namespace zlink::test

// A socket under attack, and a good peer that talks with it before and after. Most
// have the good peer all the while, a PAIR between the bad ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "hostile/corpus.hpp"
#include "support/events.hpp"
#include "support/places.hpp"
#include "support/raw_peer.hpp"
#include "support/sockets.hpp"

namespace zlink::test {

// How a peer says one more message, in the framing that it has.
[[nodiscard]] inline std::string zmtp_message (int version, std::string_view body, bool more = false)
{
    if (version > 1)
        return zmtp_frame (more ? 1 : 0, body);
    return octet (static_cast<unsigned> (body.size () + 1)) + octet (more ? 1 : 0) + std::string (body);
}

// A row with a name, by one of the transports that bad peers come by.
template <class Row> struct row_by_transport
{
    Row row;
    bool by_ipc;
    [[nodiscard]] std::string place () const { return by_ipc ? ipc_place () : tcp_place (); }
    friend void PrintTo (const row_by_transport &of, std::ostream *to) { *to << of.row.name; }
};

template <class Row>
[[nodiscard]] std::vector<row_by_transport<Row>> rows_by_transport (std::vector<Row> rows, bool by_ipc)
{
    std::vector<row_by_transport<Row>> all;
    for (Row &row : rows)
        all.push_back ({std::move (row), by_ipc});
    return all;
}

// What GoogleTest calls it.
template <class Row>
[[nodiscard]] std::string name_of_row (const testing::TestParamInfo<row_by_transport<Row>> &of)
{
    return of.param.row.name;
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

// By what one sees that a socket hears a peer.
enum class hearing : std::uint8_t
{
    messages,       // it hands out what the peer says
    named,          // behind the peer's name
    requests,       // behind an envelope, and it answers
    answers,        // it asks its peers in turn
    subscriptions,  // it hands out what the peer asks for, and sends that
    wishes,         // it only sends what the peer asks for
    nothing,        // it sends to all of its peers in turn
};

struct victim_kind
{
    const char *name;
    int type;
    const char *peer_type;  // as bad peers say in READY
    int good_type;
    hearing hears;
    friend void PrintTo (const victim_kind &of, std::ostream *to) { *to << of.name; }
};

inline constexpr std::array victim_kinds = {
  victim_kind{"pull", ZMQ_PULL, "PUSH", ZMQ_PUSH, hearing::messages},
  victim_kind{"pair", ZMQ_PAIR, "PAIR", ZMQ_PAIR, hearing::messages},
  victim_kind{"dealer", ZMQ_DEALER, "DEALER", ZMQ_DEALER, hearing::messages},
  victim_kind{"sub", ZMQ_SUB, "PUB", ZMQ_XPUB, hearing::messages},
  victim_kind{"xsub", ZMQ_XSUB, "PUB", ZMQ_XPUB, hearing::messages},
  victim_kind{"router", ZMQ_ROUTER, "DEALER", ZMQ_DEALER, hearing::named},
  victim_kind{"rep", ZMQ_REP, "REQ", ZMQ_REQ, hearing::requests},
  victim_kind{"req", ZMQ_REQ, "REP", ZMQ_REP, hearing::answers},
  victim_kind{"xpub", ZMQ_XPUB, "SUB", ZMQ_SUB, hearing::subscriptions},
  victim_kind{"pub", ZMQ_PUB, "SUB", ZMQ_SUB, hearing::wishes},
  victim_kind{"push", ZMQ_PUSH, "PULL", ZMQ_PULL, hearing::nothing},
};

[[nodiscard]] inline const victim_kind &kind_of (int type)
{
    for (const victim_kind &each : victim_kinds)
        if (each.type == type)
            return each;
    return victim_kinds[0];
}

class victim
{
  public:
    victim (int type, const std::string &place, int handshake_ms = watchdog_ms)
      : kind_ (kind_of (type)), own_ (context_, type), events_ (own_)
    {
        (void)zlink_set_log (zlink_log_discard, nullptr);  // there would be a line for each
        own_.set (ZMQ_HANDSHAKE_IVL, handshake_ms);
        if (type == ZMQ_SUB) {
            EXPECT_EQ (zmq_setsockopt (own_, ZMQ_SUBSCRIBE, "", 0), 0);
        }
        if (type == ZMQ_REQ) {
            // What a bad one does not answer does not keep it from asking.
            own_.set (ZMQ_REQ_RELAXED, 1);
            own_.set (ZMQ_REQ_CORRELATE, 1);
        }
        where_ = own_.bind (place);
        if (type == ZMQ_XSUB) {
            EXPECT_TRUE (own_.send (octet (1)));
        }
        if (!is_pair ())
            connect_good ();
    }

    [[nodiscard]] socket &own () { return own_; }
    [[nodiscard]] const std::string &where () const { return where_; }
    [[nodiscard]] bool is_pair () const { return kind_.type == ZMQ_PAIR; }
    [[nodiscard]] const char *peer_type () const { return kind_.peer_type; }

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
                EXPECT_TRUE (peer.send (last_word (row.version)));
            }
        });
        if (kind_.hears == hearing::messages || kind_.hears == hearing::named) {
            for (const std::vector<std::string> &message : row.delivered)
                ASSERT_TRUE (next_message () == message);
        }
        if (row.expected == outcome::accepts) {
            ASSERT_NO_FATAL_FAILURE (hears_last_word (peer));
            speaker.join ();
            peer.close ();
        }
        ASSERT_NO_FATAL_FAILURE (loses_one (before));
        if (row.expected == outcome::closes) {
            speaker.join ();
            EXPECT_TRUE (peer.sees_end ());
            ASSERT_NO_FATAL_FAILURE (says_why (row, before));
        }
        own_.set_wide (ZMQ_MAXMSGSIZE, -1);
        ASSERT_NO_FATAL_FAILURE (keeps_nothing ());
        ASSERT_NO_FATAL_FAILURE (good_goes_on ());
    }

    // The good peer and the socket talk.
    void good_goes_on ()
    {
        if (is_pair ())
            connect_good ();
        switch (kind_.hears) {
        case hearing::messages:
            ASSERT_TRUE (good_->send ("good"));
            ASSERT_EQ (own_.receive (), "good");
            break;
        case hearing::named:
        case hearing::requests:
            ASSERT_NO_FATAL_FAILURE (good_is_answered ());
            break;
        case hearing::answers:
            ASSERT_TRUE (own_.send ("good"));
            ASSERT_NO_FATAL_FAILURE (good_answers ("good"));
            ASSERT_EQ (own_.receive (), "answer");
            break;
        default:
            ASSERT_TRUE (own_.send ("good"));
            ASSERT_EQ (good_->receive (), "good");
        }
        if (is_pair ()) {
            good_.reset ();
            ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (own_, 1, 0) != 0; }));
        }
    }

    // Nothing more arrives, and one more connection has ended.
    void loses_one (const ends_counted &before)
    {
        // While somebody waits for messages the socket reads by itself.
        own_.set (ZMQ_RCVTIMEO, 1);
        ASSERT_TRUE (eventually ([&] {
            hears_no_more ();
            return ends_counted (own_).all () > before.all ();
        }));
        own_.set (ZMQ_RCVTIMEO, watchdog_ms);
    }

  private:
    static constexpr std::string_view last_words = "behind it";

    void connect_good ()
    {
        good_.emplace (context_, kind_.good_type);
        good_->set (ZMQ_RECONNECT_IVL, 5);
        if (kind_.good_type == ZMQ_SUB) {
            EXPECT_EQ (zmq_setsockopt (*good_, ZMQ_SUBSCRIBE, "good", 4), 0);
        }
        good_->connect (where_);
        EXPECT_TRUE (own_.has_peers ());
        if (kind_.good_type == ZMQ_XPUB) {
            EXPECT_EQ (good_->receive (), octet (1));
        }
        if (kind_.good_type == ZMQ_SUB) {
            EXPECT_TRUE (eventually ([&] { return own_.get (ZMQ_TOPICS_COUNT) == 1; }));
        }
    }
    void good_is_answered ()
    {
        ASSERT_TRUE (good_->send ("good"));
        std::vector<std::string> got = own_.receive_message ();
        ASSERT_FALSE (got.empty ());
        ASSERT_EQ (got.back (), "good");
        got.back () = "answer";
        ASSERT_TRUE (own_.send (got));
        ASSERT_EQ (good_->receive (), "answer");
    }

    void good_answers (std::string_view request)
    {
        // It may have been asked before.
        for (std::optional<std::string> asked; asked != request;) {
            asked = good_->receive ();
            ASSERT_TRUE (asked);
            ASSERT_TRUE (good_->send ("answer"));
        }
    }

    // Without the name before it.
    [[nodiscard]] std::vector<std::string> next_message ()
    {
        std::vector<std::string> got = own_.receive_message ();
        if (kind_.hears == hearing::named && !got.empty ())
            got.erase (got.begin ());
        return got;
    }
    // What a good peer of its kind would say.
    [[nodiscard]] std::string last_word (int version) const
    {
        switch (kind_.hears) {
        case hearing::requests:
            return zmtp_message (version, "", true) + zmtp_message (version, last_words);
        case hearing::subscriptions:
        case hearing::wishes:
            return zmtp_message (version, octet (1) + std::string (last_words));
        default:
            return zmtp_message (version, last_words);
        }
    }
    // And what comes of it.
    void hears_last_word (const raw_peer &peer)
    {
        std::vector<std::string> got;
        switch (kind_.hears) {
        case hearing::messages:
        case hearing::named:
            ASSERT_EQ (next_message (), std::vector{std::string (last_words)});
            return;
        case hearing::requests:
            // What came before it may have been a request as well.
            while (got != std::vector{std::string (last_words)}) {
                got = own_.receive_message ();
                ASSERT_FALSE (got.empty ());
                ASSERT_TRUE (own_.send ("answer"));
            }
            ASSERT_TRUE (comes_to_hear (peer, "answer", [] { return true; }));
            return;
        case hearing::subscriptions:
            while (got != std::vector{octet (1) + std::string (last_words)}) {
                got = own_.receive_message ();
                ASSERT_FALSE (got.empty ());
            }
            break;
        case hearing::nothing:
        case hearing::answers:
            // To each of both in turn.
            ASSERT_TRUE (own_.has_peers (2));
            ASSERT_TRUE (own_.send (last_words));
            ASSERT_TRUE (own_.send (last_words));
            if (kind_.hears == hearing::answers) {
                ASSERT_NO_FATAL_FAILURE (good_answers (last_words));
            } else {
                ASSERT_EQ (good_->receive (), last_words);
            }
            ASSERT_TRUE (comes_to_hear (peer, last_words, [] { return true; }));
            return;
        case hearing::wishes:
            break;
        }
        ASSERT_TRUE (comes_to_hear (peer, last_words, [&] { return own_.send (last_words); }));
    }
    // Whatever else it is told before.
    template <class Say>
    [[nodiscard]] static bool comes_to_hear (const raw_peer &peer, std::string_view text, Say say)
    {
        std::string all;
        return eventually ([&] {
            EXPECT_TRUE (say ());
            all += peer.read_what_is_there ();
            return all.find (text) != std::string::npos;
        });
    }
    // An XPUB may be told that nobody wants any more what a bad one has asked for.
    // A REQ looks at what has come only when it has asked.
    void hears_no_more ()
    {
        if (kind_.hears == hearing::answers) {
            EXPECT_TRUE (own_.send ("anybody there?"));
            (void)own_.receive ();
            return;
        }
        const std::vector<std::string> got = own_.receive_message ();
        EXPECT_TRUE (got.empty () || kind_.hears == hearing::subscriptions);
    }

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

    // Of what the bad one said, or is still to be told: once nobody writes to it
    // any more.
    void keeps_nothing ()
    {
        zlink_counters_t last{};
        if (kind_.hears == hearing::answers) {
            ASSERT_NO_FATAL_FAILURE (good_goes_on ());
        }
        EXPECT_TRUE (eventually ([&] {
            std::vector<zlink_counters_t> rows (16);
            std::size_t count = rows.size ();
            if (zlink_counters (own_, rows.data (), sizeof rows[0], &count) != 0 || count > rows.size ())
                return false;
            last = rows[0];
            return last.unread_bytes == 0 && last.queued_bytes == 0
                   && last.connections_ready == (is_pair () ? 0u : 1u);
        }))
          << last.unread_bytes << " bytes unread, " << last.queued_bytes << " queued, "
          << last.connections_ready << " ready";
    }

    const victim_kind &kind_;
    context context_;
    socket own_;
    events events_;
    std::optional<socket> good_;
    std::string where_;
};

}  // namespace zlink::test

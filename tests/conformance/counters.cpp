// Counters: exact on both sides, for every connection, whatever the way of
// sending and receiving.
#include <algorithm>
#include <cstring>

#include "conformance/transport.hpp"
#include "support/counts.hpp"
#include "support/events.hpp"

namespace zlink::test {
namespace {

std::string text_of (int (*call) (void *, char *, std::size_t *), void *of)
{
    std::size_t size = 0;
    EXPECT_EQ (call (of, nullptr, &size), 0);
    std::string text;
    do {  // it grows while messages flow
        text.assign (size, 'x');
        EXPECT_EQ (call (of, text.data (), &size), 0);
    } while (size > text.size ());
    EXPECT_EQ (text[size - 1], '\0');
    text.resize (size - 1);
    return text;
}

struct counters : conformance
{
    // One pair, joined, whose sender has sent and whose receiver has received
    // all of it.
    void exchange (socket &push, socket &pull)
    {
        std::array<char, 4096> buffer;
        for (std::size_t i = 0; i < 100; ++i) {
            ASSERT_TRUE (push.send (pattern (i)));
            ASSERT_EQ (zmq_recv (pull, buffer.data (), buffer.size (), 0), static_cast<int> (i));
        }
        messages += 100;
        bytes += 4950;
        ASSERT_TRUE (push.send (std::vector<std::string>{"two", "parts"}));
        ASSERT_EQ (pull.receive_message ().size (), 2U);
        messages += 1;
        bytes += 8;
        for (const std::size_t size : {20'000U, 100'000U, 1'000'000U}) {
            worker sender ([&push, size] { EXPECT_TRUE (push.send (pattern (size))); });
            ASSERT_EQ (pull.receive ()->size (), size);
            messages += 1;
            bytes += size;
        }
        parts_of<4> all;
        for (std::size_t i = 0; i < 4; ++i)
            all.set (i, "batch");
        ASSERT_EQ (zlink_sendn (push, all.data (), 4, 0), 4);
        for (int i = 0; i < 4; ++i)
            ASSERT_TRUE (pull.receive ());
        messages += 4;
        bytes += 20;
    }

    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

TEST_F (counters, agree_on_both_sides_to_the_last_byte)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    ASSERT_NO_FATAL_FAILURE (exchange (push, pull));
    for (const std::uint32_t what : {ZLINK_COUNTS_SOCKET, ZLINK_COUNTS_ENDPOINT, ZLINK_COUNTS_CONNECTION}) {
        const auto sent = rows_of (push, what);
        const auto received = rows_of (pull, what);
        ASSERT_EQ (sent.size (), 1U) << what;
        ASSERT_EQ (received.size (), 1U) << what;
        EXPECT_EQ (sent[0].messages_sent, messages) << what;
        EXPECT_EQ (sent[0].bytes_sent, bytes) << what;
        EXPECT_EQ (sent[0].messages_received, 0U) << what;
        EXPECT_EQ (received[0].messages_received, messages) << what;
        EXPECT_EQ (received[0].bytes_received, bytes) << what;
        EXPECT_EQ (received[0].messages_sent, 0U) << what;
        EXPECT_EQ (received[0].wire_bytes_received, sent[0].wire_bytes_sent) << what;
        EXPECT_EQ (sent[0].handshakes_done, 1U) << what;
        EXPECT_EQ (received[0].handshakes_done, 1U) << what;
        EXPECT_EQ (sent[0].connections_ready, 1U) << what;
        EXPECT_EQ (sent[0].queued_messages + sent[0].queued_bytes + sent[0].queue_age_ns, 0U) << what;
        EXPECT_EQ (received[0].unread_bytes, 0U) << what;
    }
    if (!under_test ().one_queue) {
        EXPECT_GT (own_row (push).wire_bytes_sent, bytes);
        EXPECT_GT (own_row (push).write_calls, 0U);
    }
}

TEST_F (counters, tell_which_connection_carried_what)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    socket first = open (ZMQ_PUSH);
    socket second = open (ZMQ_PUSH);
    first.connect (where);
    second.connect (where);
    ASSERT_TRUE (pull.has_peers (2));
    for (int i = 0; i < 30; ++i)
        ASSERT_TRUE (first.send ("1") && second.send ("22") && (i % 3 != 0 || second.send ("22")));
    for (int i = 0; i < 70; ++i)
        ASSERT_TRUE (pull.receive ());
    auto lines = rows_of (pull, ZLINK_COUNTS_CONNECTION);
    ASSERT_EQ (lines.size (), 2U);
    std::sort (lines.begin (), lines.end (),
               [] (const auto &a, const auto &b) { return a.messages_received < b.messages_received; });
    EXPECT_EQ (lines[0].messages_received, 30U);
    EXPECT_EQ (lines[0].bytes_received, 30U);
    EXPECT_EQ (lines[1].messages_received, 40U);
    EXPECT_EQ (lines[1].bytes_received, 80U);
    EXPECT_NE (lines[0].id, lines[1].id);
    const auto bound = rows_of (pull, ZLINK_COUNTS_ENDPOINT);
    ASSERT_EQ (bound.size (), 1U);
    EXPECT_EQ (bound[0].is_listener, 1U);
    EXPECT_EQ (bound[0].attempts, 2U);
    EXPECT_EQ (bound[0].messages_received, 70U);
    EXPECT_EQ (bound[0].address, where);
    EXPECT_EQ (lines[0].endpoint_id, bound[0].id);
    EXPECT_EQ (lines[1].endpoint_id, bound[0].id);
}

TEST_F (counters, of_connections_that_are_gone_stay_in_the_sums)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    for (std::uint64_t round = 1; round <= 3; ++round) {
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        for (int i = 0; i < 5; ++i)
            ASSERT_TRUE (push.send ("abc"));
        for (int i = 0; i < 5; ++i)
            ASSERT_EQ (pull.receive (), "abc");
        push.close ();
        ASSERT_TRUE (eventually ([&] {
            (void)pull.receive (ZMQ_DONTWAIT);
            return own_row (pull).connections_lost == round;
        }));
        const auto bound = rows_of (pull, ZLINK_COUNTS_ENDPOINT);
        ASSERT_EQ (bound.size (), 1U);
        EXPECT_EQ (bound[0].messages_received, 5 * round);
        EXPECT_EQ (bound[0].handshakes_done, round);
        EXPECT_EQ (own_row (pull).messages_received, 5 * round);
        EXPECT_EQ (own_row (pull).bytes_received, 15 * round);
        EXPECT_TRUE (rows_of (pull, ZLINK_COUNTS_CONNECTION).empty ());
    }
}

TEST_F (counters, show_what_waits_for_a_connection_and_for_how_long)
{
    const std::string where = place ();
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    ASSERT_TRUE (push.send ("1234"));
    ASSERT_TRUE (push.send ("567"));
    ASSERT_TRUE (push.send (std::vector<std::string>{"8", "9"}));
    zlink_counters_t waits = own_row (push);
    EXPECT_EQ (waits.messages_sent, 3U);
    EXPECT_EQ (waits.queued_messages, 3U);
    EXPECT_EQ (waits.queued_bytes, 9U);
    EXPECT_EQ (waits.connections_ready, 0U);
    EXPECT_TRUE (eventually ([&] { return own_row (push).queue_age_ns > waits.queue_age_ns; }));
    socket pull = open (ZMQ_PULL);
    pull.bind (where);
    for (int i = 0; i < 3; ++i)
        ASSERT_FALSE (pull.receive_message ().empty ());
    EXPECT_TRUE (eventually ([&] { return own_row (push).queued_messages == 0; }));
    waits = own_row (push);
    EXPECT_EQ (waits.queued_bytes, 0U);
    EXPECT_EQ (waits.queue_age_ns, 0U);
    EXPECT_EQ (waits.messages_sent, 3U);
}

// A queue that is never empty holds ever newer messages.
TEST_F (counters, show_a_queue_younger_when_it_has_turned_over)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    push.set (ZMQ_SNDBUF, 16'384);
    pull.set (ZMQ_RCVBUF, 16'384);
    ASSERT_TRUE (join (pull, push));
    const std::string body = pattern (1000);
    // Nobody receives, but what the system and the other end hold may still grow:
    // only when all is full does what waits grow old. Were its age told from its
    // beginning ever after, it would be older than what comes from now on.
    constexpr std::uint64_t head_start_ns = 10'000'000;
    ASSERT_TRUE (eventually ([&] {
        zmq_send (push, body.data (), body.size (), ZMQ_DONTWAIT);
        const zlink_counters_t now = own_row (push);
        return now.queued_messages >= 100 && now.queue_age_ns > head_start_ns;
    }));
    const std::int64_t start_us = here ().now_us ();
    EXPECT_TRUE (eventually ([&] {
        zmq_send (push, body.data (), body.size (), ZMQ_DONTWAIT);
        part one;
        zmq_msg_recv (one.raw (), pull, ZMQ_DONTWAIT);
        const auto since_ns = static_cast<std::uint64_t> (here ().now_us () - start_us) * 1000;
        const zlink_counters_t now = own_row (push);
        return now.queued_messages > 0 && now.queue_age_ns < since_ns;
    }));
}

// What was accepted is in the queue, or with the system, or taken.
TEST_F (counters, account_for_every_message_behind_a_full_link)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    push.set (ZMQ_SNDHWM, 10);
    pull.set (ZMQ_RCVHWM, 10);
    push.set (ZMQ_SNDBUF, 16'384);
    pull.set (ZMQ_RCVBUF, 16'384);
    ASSERT_TRUE (join (pull, push));
    const auto accepted = static_cast<std::uint64_t> (push.send_until_full (pattern (1000), 50));
    const zlink_counters_t full = own_row (push);
    EXPECT_EQ (full.messages_sent, accepted);
    EXPECT_GT (full.queued_messages, 0U);
    EXPECT_LE (full.queued_messages, accepted);
    EXPECT_GE (full.queued_bytes, full.queued_messages * 1000 - 1000);
    if (under_test ().one_queue) {
        EXPECT_EQ (full.queued_messages, accepted);
        EXPECT_EQ (full.queued_bytes, accepted * 1000);
    }
    EXPECT_GT (full.queue_age_ns, 0U);
    for (std::uint64_t i = 0; i < accepted; ++i)
        ASSERT_TRUE (pull.receive ());
    EXPECT_TRUE (eventually ([&] { return own_row (push).queued_messages == 0; }));
    EXPECT_EQ (own_row (push).messages_sent, accepted);
    EXPECT_EQ (own_row (push).queue_age_ns, 0U);
    EXPECT_EQ (own_row (pull).messages_received, accepted);
    EXPECT_EQ (own_row (push).dropped_closed + own_row (push).dropped_peer_lost, 0U);
}

TEST_F (counters, fill_rows_of_other_lengths)
{
    socket pull = open (ZMQ_PULL);
    pull.bind (place ());
    struct longer
    {
        zlink_counters_t known;
        std::uint64_t unknown[3];
    };
    std::array<longer, 2> rows;
    std::memset (rows.data (), 0xAA, sizeof rows);
    std::size_t count = rows.size ();
    ASSERT_EQ (zlink_counters (pull, &rows[0].known, sizeof (longer), &count), 0);
    ASSERT_EQ (count, 2U);
    EXPECT_EQ (rows[1].known.what, 1U);
    EXPECT_EQ (rows[0].unknown[0] + rows[1].unknown[2], 0U);
    // Of an older header's row there are but the first fields.
    std::array<std::uint64_t, 3> first{7, 7, 7};
    count = 1;
    ASSERT_EQ (zlink_counters (pull, reinterpret_cast<zlink_counters_t *> (first.data ()),
                               sizeof (std::uint64_t), &count),
               0);
    EXPECT_EQ (count, 2U);
    EXPECT_EQ (first[0], 0U);
    EXPECT_EQ (first[1], 7U);
}

TEST_F (counters, are_text_for_people_too)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("12345"));
    ASSERT_TRUE (pull.receive ());
    const std::string text = text_of (zlink_counters_text, pull);
    EXPECT_NE (text.find ("socket PULL ready=1 messages_received=1 bytes_received=5"), std::string::npos)
      << text;
    EXPECT_NE (text.find ("\n  bound "), std::string::npos) << text;
    EXPECT_NE (text.find ("\n    connection "), std::string::npos) << text;
    const std::string all = text_of (zlink_ctx_counters_text, own);
    EXPECT_NE (all.find ("socket PULL "), std::string::npos) << all;
    EXPECT_NE (all.find ("socket PUSH "), std::string::npos) << all;
    std::array<char, 8> little;
    std::size_t size = little.size ();
    ASSERT_EQ (zlink_counters_text (pull, little.data (), &size), 0);
    EXPECT_STREQ (little.data (), "socket ");
    EXPECT_GT (size, text.size ());
}

TEST_F (counters, say_what_conflate_passed_over)
{
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_CONFLATE, 1);
    const std::string where = place ();
    push.connect (where);
    for (int i = 0; i < 5; ++i) {
        part next (std::to_string (i));
        ASSERT_EQ (zmq_msg_send (next.raw (), push, 0), 1);
    }
    EXPECT_EQ (own_row (push).messages_sent, 5U);
    EXPECT_EQ (own_row (push).dropped_conflated, 4U);
    EXPECT_EQ (own_row (push).queued_messages, 1U);
}

// Every way of sending replaces what waits.
TEST_F (counters, say_what_conflate_passed_over_whatever_the_call)
{
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_CONFLATE, 1);
    const std::string where = place ();
    push.connect (where);
    ASSERT_TRUE (push.send ("1"));
    ASSERT_TRUE (push.send (pattern (50'000)));
    const std::array<std::uint32_t, 3> sizes = {1, 1, 1};
    ASSERT_EQ (zlink_send_packed (push, "345", 3, sizes.data (), 3, 0), 3);
    ASSERT_EQ (zmq_send_const (push, "6", 1, 0), 1);
    EXPECT_EQ (own_row (push).messages_sent, 6U);
    EXPECT_EQ (own_row (push).dropped_conflated, 5U);
    EXPECT_EQ (own_row (push).queued_messages, 1U);
    socket pull = open (ZMQ_PULL);
    pull.bind (where);
    EXPECT_EQ (pull.receive (), "6");
}

// A row and an event that speak of one connection have one id for it, and the
// list of peers has the row's numbers.
TEST_F (counters, and_events_and_peers_are_of_the_same_connections)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    events at_pull (pull, ZLINK_EVENT_CONNECTION_READY);
    events at_push (push, ZLINK_EVENT_CONNECTION_READY);
    push.connect (place ());  // where nobody is
    const std::string where = pull.bind (place ());
    push.connect (where);
    const zlink_event_t here = at_pull.next ();
    const zlink_event_t there = at_push.next ();
    ASSERT_TRUE (push.has_peers () && pull.has_peers ());
    const auto row_with = [] (void *of, std::uint64_t id) {
        auto rows = rows_of (of, ZLINK_COUNTS_CONNECTION);
        std::erase_if (rows, [id] (const auto &each) { return each.id != id; });
        EXPECT_EQ (rows.size (), 1U);
        return rows.empty () ? zlink_counters_t{} : rows.front ();
    };
    EXPECT_EQ (row_with (pull, here.connection_id).connections_ready, 1U);
    EXPECT_EQ (row_with (push, there.connection_id).connections_ready, 1U);
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE (push.send ("dealt in turn"));
    ASSERT_TRUE (pull.receive ());
    zlink_peer_info_t peer{};
    std::size_t count = 1;
    ASSERT_EQ (zlink_socket_peers (pull, &peer, &count), 0);
    EXPECT_EQ (peer.msgs_received, 1U);
    EXPECT_EQ (row_with (pull, here.connection_id).messages_received, 1U);
    ASSERT_EQ (zlink_socket_peers (push, &peer, &count), 0);
    EXPECT_EQ (peer.msgs_sent, 5U);
    EXPECT_EQ (row_with (push, there.connection_id).messages_sent, 5U);
}

// They may be asked for at any time from anywhere.
TEST_F (counters, are_read_while_messages_flow)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    constexpr std::uint64_t count = 3000;
    std::atomic<bool> stop{false};
    worker asker ([&] {
        std::uint64_t before = 0;
        while (!stop) {
            const zlink_counters_t now = own_row (pull);
            EXPECT_GE (now.messages_received, before);
            before = now.messages_received;
            (void)text_of (zlink_ctx_counters_text, own);
            here ().give_way ();
        }
    });
    worker sender ([&] {
        for (std::uint64_t i = 0; i < count; ++i)
            EXPECT_TRUE (push.send ("some text"));
    });
    for (std::uint64_t i = 0; i < count; ++i)
        ASSERT_TRUE (pull.receive ());
    sender.join ();
    stop = true;
    asker.join ();
    EXPECT_EQ (own_row (push).messages_sent, count);
    EXPECT_EQ (own_row (pull).messages_received, count);
}

}  // namespace
}  // namespace zlink::test

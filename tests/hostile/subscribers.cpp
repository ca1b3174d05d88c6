// Subscribers of an XPUB that ask for what they should not, or in odd ways: rows
// with what the application is told. Source: RFC 29; the old form is a message.
#include "hostile/victim.hpp"

namespace zlink::test {
namespace {

std::string asks (std::string_view topic) { return zmtp_command ("SUBSCRIBE", topic); }
std::string cancels (std::string_view topic) { return zmtp_command ("CANCEL", topic); }
std::string asks_by_pattern (std::string_view pattern) { return zmtp_command ("X-ZLINK-SUBSCRIBE", pattern); }
std::string cancels_pattern (std::string_view pattern) { return zmtp_command ("X-ZLINK-CANCEL", pattern); }
std::string asks_as_of_old (const std::string &topic) { return zmtp_frame (0, octet (1) + topic); }
std::string cancels_as_of_old (const std::string &topic) { return zmtp_frame (0, octet (0) + topic); }
std::vector<std::string> asked (const std::string &topic) { return {octet (1) + topic}; }
std::vector<std::string> cancelled (const std::string &topic) { return {octet (0) + topic}; }

// The longest topic that a command of 64 KiB holds.
constexpr std::size_t topic_bytes_max = 65'536 - 10;

hostile_rows topic_rows ()
{
    hostile_rows rows = {
      accepts ("command", asks ("topic"), {asked ("topic")}),
      accepts ("message", asks_as_of_old ("topic"), {asked ("topic")}),
      accepts ("command_cancelled_by_message", asks ("t") + cancels_as_of_old ("t"),
               {asked ("t"), cancelled ("t")}),
      accepts ("message_cancelled_by_command", asks_as_of_old ("t") + cancels ("t"),
               {asked ("t"), cancelled ("t")}),
      accepts ("twice_is_once", asks ("t") + asks ("t") + cancels ("t") + asks ("u") + cancels ("t"),
               {asked ("t"), cancelled ("t"), asked ("u")}),
      accepts ("cancel_of_what_was_never_asked_for", cancels ("t") + cancels_as_of_old ("")),
      accepts ("cancel_once_too_often", asks ("t") + cancels ("t") + cancels ("t"),
               {asked ("t"), cancelled ("t")}),
      accepts ("everything", asks ("") + cancels (""), {asked (""), cancelled ("")}),
      accepts ("in_front_of_a_message", zmtp_frame (1, "\1t") + zmtp_frame (0, "u"), {asked ("t"), {"u"}}),
      accepts ("two_in_a_message", zmtp_frame (1, "\1t") + zmtp_frame (1, "\1u") + zmtp_frame (0, ""),
               {asked ("t"), asked ("u"), {""}}),
      accepts ("behind_a_message_is_none", zmtp_frame (1, "u") + zmtp_frame (0, "\1t"), {{"u", "\1t"}}),
      accepts ("other_messages_are_none", zmtp_frame (0, "hello") + zmtp_frame (0, "\2t"),
               {{"hello"}, {"\2t"}}),
      accepts ("groups_are_none", zmtp_command ("JOIN", "t") + zmtp_command ("LEAVE", "t")),
      accepts ("pattern", asks_by_pattern ("t.*") + cancels_pattern ("t.*"),
               {asked ("t."), cancelled ("t.")}),
      accepts ("pattern_twice_is_once",
               asks_by_pattern ("t.*") + asks_by_pattern ("t.*") + cancels_pattern ("t.*") + asks ("u")
                 + cancels_pattern ("t.*"),
               {asked ("t."), cancelled ("t."), asked ("u")}),
      accepts ("pattern_cancelled_as_a_topic",
               asks_by_pattern ("t.*") + cancels ("t.") + cancels ("t.*") + asks ("u")
                 + cancels_pattern ("t.*"),
               {asked ("t."), asked ("u"), cancelled ("t.")}),
      accepts ("topic_cancelled_as_a_pattern", asks ("t.*") + cancels_pattern ("t.*") + cancels ("t.*"),
               {asked ("t.*"), cancelled ("t.*")}),
      accepts ("pattern_that_was_never_asked_for", cancels_pattern ("t.*") + cancels_pattern ("")),
      accepts ("pattern_of_nothing", asks_by_pattern (""), {asked ("")}),
      accepts ("pattern_of_256", asks_by_pattern (std::string (256, '*')), {asked ("")}),
      closes ("pattern_of_257", "command-malformed", asks_by_pattern (std::string (257, '*'))),
      closes ("pattern_of_64_kb", "command-malformed", asks_by_pattern (std::string (65'000, '*'))),
      closes ("pattern_that_is_none", "command-malformed", asks_by_pattern ("[t")),
      closes ("cancel_of_what_is_no_pattern", "command-malformed", cancels_pattern ("t\\")),
      closes ("past_the_limit", "command-malformed", asks (std::string (topic_bytes_max + 1, 't'))),
      closes ("endless", "command-malformed", octet (6) + big_endian (~0ull >> 1, 8)),
      closes ("with_more", "frame-malformed", octet (5) + octet (10)),
    };
    for (const std::size_t size : {std::size_t{245}, std::size_t{246}, std::size_t{255}, std::size_t{256},
                                   std::size_t{16'384}, topic_bytes_max}) {
        const std::string topic (size, 't');
        rows.push_back (accepts ("of_" + std::to_string (size), asks (topic) + cancels (topic),
                                 {asked (topic), cancelled (topic)}));
    }
    const std::string huge (1 << 20, 't');
    rows.push_back (accepts ("message_of_1_mb", asks_as_of_old (huge), {asked (huge)}));
    return rows;
}

using topics_by_row = row_by_transport<hostile_row>;

struct publisher
{
    explicit publisher (const std::string &place)
    {
        (void)zlink_set_log (zlink_log_discard, nullptr);
        where = own.bind (place);
        good.connect (where);
        EXPECT_EQ (zmq_setsockopt (good, ZMQ_SUBSCRIBE, "good", 4), 0);
        EXPECT_EQ (own.receive (), "\1good");
    }
    // Whatever it still hears of who left.
    void loses_one_more_than (std::uint64_t before)
    {
        own.set (ZMQ_RCVTIMEO, 1);
        ASSERT_TRUE (eventually ([&] {
            (void)own.receive ();
            return own.statistics ().connections_lost > before;
        }));
        own.set (ZMQ_RCVTIMEO, watchdog_ms);
    }
    void good_goes_on ()
    {
        ASSERT_TRUE (own.send ("good news"));
        ASSERT_EQ (good.receive (), "good news");
    }

    context around;
    socket own{around, ZMQ_XPUB};
    socket good{around, ZMQ_SUB};
    std::string where;
};

class subscribers : public testing::TestWithParam<topics_by_row>
{
};

INSTANTIATE_TEST_SUITE_P (tcp,
                          subscribers,
                          testing::ValuesIn (rows_by_transport (topic_rows (), false)),
                          name_of_row<hostile_row>);
INSTANTIATE_TEST_SUITE_P (ipc,
                          subscribers,
                          testing::ValuesIn (rows_by_transport (topic_rows (), true)),
                          name_of_row<hostile_row>);

TEST_P (subscribers, ask_in_odd_ways)
{
    const hostile_row &row = GetParam ().row;
    publisher xpub (GetParam ().place ());
    const std::uint64_t lost = xpub.own.statistics ().connections_lost;
    raw_peer peer = raw_peer::connect_to (xpub.where);
    ASSERT_TRUE (peer.shake_hands ("SUB"));
    worker speaker ([&] {
        peer.send (row.octets);
        if (row.expected == outcome::accepts) {
            EXPECT_TRUE (peer.send (asks ("behind it")));
        }
    });
    for (const std::vector<std::string> &told : row.delivered)
        ASSERT_TRUE (xpub.own.receive_message () == told);
    if (row.expected == outcome::accepts) {
        ASSERT_EQ (xpub.own.receive (), "\1behind it");
        ASSERT_TRUE (xpub.own.send ("behind it, too"));
        ASSERT_EQ (peer.read_frame (), "behind it, too");
        speaker.join ();
        peer.close ();
    }
    ASSERT_NO_FATAL_FAILURE (xpub.loses_one_more_than (lost));
    if (row.expected == outcome::closes) {
        speaker.join ();
        EXPECT_EQ (xpub.own.status (xpub.where).reason_text, row.reason);
    }
    xpub.good_goes_on ();
}

// With ONLY_FIRST_SUBSCRIBE the second part of a message is none, whatever the
// first was.
TEST (later_parts, are_no_topics_when_so_wished)
{
    publisher xpub (tcp_place ());
    xpub.own.set (ZMQ_ONLY_FIRST_SUBSCRIBE, 1);
    raw_peer peer = raw_peer::connect_to (xpub.where);
    ASSERT_TRUE (peer.shake_hands ("XSUB"));
    ASSERT_TRUE (peer.send (zmtp_frame (1, "\1t") + zmtp_frame (0, "\1u")));
    EXPECT_EQ (xpub.own.receive (), "\1t");
    EXPECT_EQ (xpub.own.receive (), "\1u");
    EXPECT_EQ (xpub.own.get (ZMQ_TOPICS_COUNT), 2);  // with the good one's
    xpub.good_goes_on ();
}

// More than one may have: whoever asks goes, in whatever form it asks.
struct greed
{
    std::string name;
    std::vector<std::string> topics;  // the last is one too many
    bool messages = false;
    int type = ZMQ_XPUB;
    bool repeats = false;  // each is asked for, cancelled and asked for again
    bool patterns = false;
    friend void PrintTo (const greed &of, std::ostream *to) { *to << of.name; }
};

class greedy : public testing::TestWithParam<greed>
{
};

constexpr int topics_max = 3;
constexpr int topic_bytes_max_of_all = 100;

std::vector<greed> kinds_of_greed ()
{
    const std::vector<std::string> many = {"a", "b", "c", "d"};
    return {
      {"commands", many},
      {"messages", many, true},
      {"large_commands", {std::string (50, 'a'), std::string (51, 'b')}},
      {"large_messages", {std::string (100, 'a'), "b"}, true},
      {"repetitions", many, false, ZMQ_XPUB, true},
      {"patterns", {"a*", "b*", "c*", "d*"}, false, ZMQ_XPUB, false, true},
      {"large_patterns", {std::string (50, 'a') + '*', std::string (50, 'b')}, false, ZMQ_XPUB, false, true},
      {"patterns_to_a_pub", {"a*", "b*", "c*", "d*"}, false, ZMQ_PUB, true, true},
      {"commands_to_a_pub", many, false, ZMQ_PUB},
      {"messages_to_a_pub", many, true, ZMQ_PUB},
    };
}

std::string name_of_greed (const testing::TestParamInfo<greed> &of) { return of.param.name; }
INSTANTIATE_TEST_SUITE_P (tcp, greedy, testing::ValuesIn (kinds_of_greed ()), name_of_greed);

TEST_P (greedy, subscribers_are_disconnected)
{
    const greed &row = GetParam ();
    (void)zlink_set_log (zlink_log_discard, nullptr);
    context around;
    socket own (around, row.type);
    own.set (ZLINK_TOPICS_MAX, topics_max);
    own.set_wide (ZLINK_TOPIC_BYTES_MAX, topic_bytes_max_of_all);
    const std::string where = own.bind (tcp_place ());
    socket good (around, ZMQ_SUB);
    good.connect (where);
    ASSERT_EQ (zmq_setsockopt (good, ZMQ_SUBSCRIBE, "good", 4), 0);
    const auto topics = [&] {  // an XPUB looks when its application does
        while (row.type == ZMQ_XPUB && own.receive (ZMQ_DONTWAIT)) {}
        return own.get (ZMQ_TOPICS_COUNT);
    };
    ASSERT_TRUE (eventually ([&] { return topics () == 1; }));
    raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("SUB"));
    const auto ask = [&row] (const std::string &topic) {
        if (row.patterns)
            return asks_by_pattern (topic);
        return row.messages ? asks_as_of_old (topic) : asks (topic);
    };
    for (std::size_t i = 0; i + 1 < row.topics.size (); ++i) {
        const std::string &topic = row.topics[i];
        ASSERT_TRUE (peer.send (ask (topic) + ask (topic)));
        if (row.repeats) {
            ASSERT_TRUE (
              peer.send ((row.patterns ? cancels_pattern (topic) : cancels (topic)) + ask (topic)));
        }
    }
    const auto all = static_cast<int> (row.topics.size ());  // with the good one's, without the last
    ASSERT_TRUE (eventually ([&] { return topics () == all; }));
    EXPECT_EQ (own.statistics ().connections_lost, 0U);
    ASSERT_TRUE (peer.send (ask (row.topics.back ())));
    ASSERT_TRUE (eventually ([&] { return topics () == 1; }));
    EXPECT_EQ (own.statistics ().connections_lost, 1U);
    EXPECT_STREQ (own.status (where).reason_text, "too-many-topics");
    ASSERT_TRUE (own.send ("good news"));
    EXPECT_EQ (good.receive (), "good news");
}

// Very many, all different, and then gone at once.
TEST (many_topics, of_one_subscriber_go_with_it)
{
    publisher xpub (tcp_place ());
    const std::uint64_t lost = xpub.own.statistics ().connections_lost;
    raw_peer peer = raw_peer::connect_to (xpub.where);
    ASSERT_TRUE (peer.shake_hands ("SUB"));
    constexpr int count = 20'000;
    worker speaker ([&] {
        std::string all;
        for (int i = 0; i < count; ++i)
            all += i % 2 == 0 ? asks (std::to_string (i)) : asks_as_of_old (std::to_string (i));
        EXPECT_TRUE (peer.send (all));
    });
    for (int i = 0; i < count; ++i)
        ASSERT_EQ (xpub.own.receive (), octet (1) + std::to_string (i));
    speaker.join ();
    peer.reset ();
    ASSERT_NO_FATAL_FAILURE (xpub.loses_one_more_than (lost));
    // Nobody else had them, so each is told to be gone, once.
    int gone = 0;
    while (xpub.own.receive (ZMQ_DONTWAIT))
        ++gone;
    EXPECT_LE (gone, count);
    xpub.good_goes_on ();
}

// What is no reply to what was asked does not reach who asked.
TEST (replies, that_are_malformed_or_unasked_are_dropped)
{
    context own;
    socket req (own, ZMQ_REQ);
    const std::string where = req.bind (tcp_place ());
    const raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("REP"));
    // Too early: nobody has asked.
    ASSERT_TRUE (peer.send (zmtp_frame (1, "") + zmtp_frame (0, "early")));
    ASSERT_TRUE (req.has_peers ());
    ASSERT_TRUE (req.send ("question"));
    ASSERT_EQ (peer.read_frame (), "");
    ASSERT_EQ (peer.read_frame (), "question");
    const std::string good = zmtp_frame (1, "") + zmtp_frame (0, "answer");
    ASSERT_TRUE (peer.send (zmtp_frame (0, "no delimiter") + zmtp_frame (0, "") + zmtp_frame (1, "x")
                            + zmtp_frame (0, "wrong delimiter") + good + good));
    // The early one may count as an answer when it overtakes the question.
    std::optional<std::string> got = req.receive ();
    ASSERT_TRUE (got == "answer" || got == "early");
    ASSERT_TRUE (req.send ("another"));
    ASSERT_EQ (peer.read_frame (), "");
    ASSERT_EQ (peer.read_frame (), "another");
}

}  // namespace
}  // namespace zlink::test

// Rules that several socket types share (RFC 28 to 31), for each type that has
// them. tests/rules/rules.toml says which test is which rule's.
#include <map>
#include <ostream>

#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

// A type, and the type that is at the other end.
struct kind
{
    const char *name;
    int type;
    int partner;
};

// As failures and lists of tests show it.
void PrintTo (const kind &which, std::ostream *to) { *to << which.name; }

struct types : conformance, testing::WithParamInterface<kind>
{
    static constexpr const char *other_name = "peer";
    static constexpr int more_than_fit = 3000;

    // As a rule's test needs it: SUB and XSUB want everything, REQ may ask
    // again, ROUTER says when it cannot send.
    [[nodiscard]] socket opened (int type)
    {
        socket made = open (type);
        if (type == ZMQ_SUB) {
            EXPECT_EQ (zmq_setsockopt (made, ZMQ_SUBSCRIBE, "", 0), 0);
        }
        if (type == ZMQ_XSUB) {
            EXPECT_TRUE (made.send (std::string (1, '\1')));
        }
        if (type == ZMQ_DISH) {
            EXPECT_EQ (zmq_join (made, ""), 0);
        }
        if (type == ZMQ_REQ)
            made.set (ZMQ_REQ_RELAXED, 1);
        if (type == ZMQ_ROUTER)
            made.set (ZMQ_ROUTER_MANDATORY, 1);
        return made;
    }
    [[nodiscard]] socket subject () { return opened (GetParam ().type); }
    // At the other end, under a name.
    [[nodiscard]] socket partner ()
    {
        socket made = opened (GetParam ().partner);
        EXPECT_EQ (zmq_setsockopt (made, ZMQ_ROUTING_ID, other_name, 4), 0);
        return made;
    }
    [[nodiscard]] static socket small (socket of)
    {
        of.set (ZMQ_SNDHWM, 5);
        of.set (ZMQ_RCVHWM, 5);
        of.set (ZMQ_SNDBUF, 8192);
        of.set (ZMQ_RCVBUF, 8192);
        return of;
    }
    // One message to the only peer, whatever it takes to send one.
    [[nodiscard]] static bool give (socket &from, const std::string &body, int flags = 0)
    {
        if (GetParam ().type == ZMQ_ROUTER && !from.send (other_name, flags | ZMQ_SNDMORE))
            return false;
        return from.send (body, flags);
    }
    // What has been sent so, without what the type at the other end adds.
    [[nodiscard]] static std::string take (socket &at, int flags = 0)
    {
        const parts got = at.receive_message (flags);
        return got.empty () ? "nothing" : got.back ();
    }
    // How many are accepted before there is no room; each begins with its number.
    [[nodiscard]] static int fill (socket &from)
    {
        int accepted = 0;
        while (accepted < more_than_fit && give (from, numbered (accepted), ZMQ_DONTWAIT))
            ++accepted;
        EXPECT_TRUE (accepted < more_than_fit);
        EXPECT_EQ (errno, EAGAIN);
        return accepted;
    }
    [[nodiscard]] static std::string numbered (int number)
    {
        return std::to_string (number) + "." + pattern (8000);
    }
    [[nodiscard]] static bool is_alone (socket &which)
    {
        return eventually ([&] {
            (void)which.get (ZMQ_EVENTS);
            return zlink_wait_peers (which, 1, 0) != 0;
        });
    }
    // Nobody is there yet, and a dialler knows.
    [[nodiscard]] static bool has_tried (socket &which, const std::string &where)
    {
        return under_test ().one_queue || eventually ([&] { return which.status (where).last_reason != 0; });
    }
    [[nodiscard]] static std::uint64_t refused (const socket &which)
    {
        const zlink_statistics_t seen = which.statistics ();
        return seen.handshakes_failed + seen.connections_lost;
    }
    static zlink_counters_t counts (const socket &which)
    {
        std::array<zlink_counters_t, 1> row{};
        std::size_t count = row.size ();
        EXPECT_EQ (zlink_counters (which, row.data (), sizeof row[0], &count), 0);
        return row[0];
    }
};

const auto name_of = [] (const auto &of) { return std::string (of.param.name); };

// --- how many peers ----------------------------------------------------------

struct peers : types
{
};
INSTANTIATE_TEST_SUITE_P (,
                          peers,
                          testing::Values (kind{"REQ", ZMQ_REQ, ZMQ_REP},
                                           kind{"REP", ZMQ_REP, ZMQ_REQ},
                                           kind{"DEALER", ZMQ_DEALER, ZMQ_REP},
                                           kind{"ROUTER", ZMQ_ROUTER, ZMQ_DEALER},
                                           kind{"PUB", ZMQ_PUB, ZMQ_SUB},
                                           kind{"XPUB", ZMQ_XPUB, ZMQ_XSUB},
                                           kind{"SUB", ZMQ_SUB, ZMQ_PUB},
                                           kind{"XSUB", ZMQ_XSUB, ZMQ_XPUB},
                                           kind{"PUSH", ZMQ_PUSH, ZMQ_PULL},
                                           kind{"PULL", ZMQ_PULL, ZMQ_PUSH},
                                           kind{"CLIENT", ZMQ_CLIENT, ZMQ_SERVER},
                                           kind{"SERVER", ZMQ_SERVER, ZMQ_CLIENT},
                                           kind{"SCATTER", ZMQ_SCATTER, ZMQ_GATHER},
                                           kind{"GATHER", ZMQ_GATHER, ZMQ_SCATTER},
                                           kind{"PEER", ZMQ_PEER, ZMQ_PEER},
                                           kind{"RADIO", ZMQ_RADIO, ZMQ_DISH},
                                           kind{"DISH", ZMQ_DISH, ZMQ_RADIO}),
                          name_of);

TEST_P (peers, may_be_many)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    std::vector<socket> others;
    for (int i = 0; i < 3; ++i) {
        others.push_back (opened (GetParam ().partner));
        others.back ().connect (where);
    }
    ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (one, 3, 0) == 0 || refused (one) > 0; }));
    EXPECT_EQ (zlink_wait_peers (one, 3, 0), 0);
}

// --- queues of those who lose nothing ----------------------------------------

constexpr kind req{"REQ", ZMQ_REQ, ZMQ_ROUTER};
constexpr kind dealer{"DEALER", ZMQ_DEALER, ZMQ_DEALER};
constexpr kind router{"ROUTER", ZMQ_ROUTER, ZMQ_DEALER};
constexpr kind push{"PUSH", ZMQ_PUSH, ZMQ_PULL};
constexpr kind pair{"PAIR", ZMQ_PAIR, ZMQ_PAIR};
constexpr kind client{"CLIENT", ZMQ_CLIENT, ZMQ_SERVER};
constexpr kind scatter{"SCATTER", ZMQ_SCATTER, ZMQ_GATHER};
constexpr kind channel{"CHANNEL", ZMQ_CHANNEL, ZMQ_CHANNEL};

struct queues : types
{
};
INSTANTIATE_TEST_SUITE_P (,
                          queues,
                          testing::Values (req, dealer, router, push, pair, client, scatter, channel),
                          name_of);

TEST_P (queues, are_there_before_the_connection)
{
    const std::string where = place ();
    socket one = subject ();
    if (GetParam ().type == ZMQ_ROUTER) {
        ASSERT_EQ (zmq_setsockopt (one, ZMQ_CONNECT_ROUTING_ID, other_name, 4), 0);
    }
    one.connect (where);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE (give (one, std::to_string (i), ZMQ_DONTWAIT)) << zmq_strerror (errno);
    }
    socket far = partner ();
    far.bind (where);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ (take (far), std::to_string (i));
    }
}

TEST_P (queues, take_no_more_than_the_marks_say)
{
    socket one = small (subject ());
    socket far = small (partner ());
    ASSERT_TRUE (join (one, far));
    EXPECT_LT (fill (one), more_than_fit);
}

// Who waits at the mark goes on when there is room, and all comes in order.
TEST_P (queues, that_are_full_lose_nothing)
{
    socket one = small (subject ());
    socket far = small (partner ());
    ASSERT_TRUE (join (one, far));
    const int accepted = fill (one);
    ASSERT_LT (accepted, more_than_fit);
    worker sender ([&] {
        for (int i = accepted; i < accepted + 50; ++i) {
            EXPECT_TRUE (give (one, numbered (i))) << zmq_strerror (errno);
        }
    });
    for (int i = 0; i < accepted + 50; ++i) {
        ASSERT_TRUE (take (far) == numbered (i)) << i;
    }
}

TEST_P (queues, end_with_the_peer_that_came)
{
    socket one = small (subject ());
    const std::string where = one.bind (place ());
    {
        socket far = small (partner ());
        far.connect (where);
        ASSERT_TRUE (one.has_peers ());
        (void)fill (one);
    }
    ASSERT_TRUE (is_alone (one));
    EXPECT_FALSE (give (one, "nobody", ZMQ_DONTWAIT));
    EXPECT_EQ (errno, GetParam ().type == ZMQ_ROUTER ? EHOSTUNREACH : EAGAIN);
    socket far = partner ();
    far.connect (where);
    ASSERT_TRUE (one.has_peers ());
    ASSERT_TRUE (give (one, "fresh"));
    EXPECT_EQ (take (far), "fresh");
}

// --- those who have room for nobody ------------------------------------------

struct senders : types
{
};
INSTANTIATE_TEST_SUITE_P (,
                          senders,
                          testing::Values (req, dealer, push, pair, client, scatter, channel),
                          name_of);

TEST_P (senders, wait_while_there_is_nobody)
{
    socket one = subject ();
    one.bind (place ());
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE (give (one, "nobody", ZMQ_DONTWAIT));
        EXPECT_EQ (errno, EAGAIN);
    }
    one.set (ZMQ_SNDTIMEO, 10);
    EXPECT_FALSE (give (one, "nobody"));
    EXPECT_EQ (errno, EAGAIN);
}

struct dealing : types
{
};
INSTANTIATE_TEST_SUITE_P (, dealing, testing::Values (dealer, push, client, scatter), name_of);

// Two are full, one of them makes room: it gets all that follows but what the
// system takes for the other.
TEST_P (dealing, passes_over_who_is_full)
{
    socket one = small (subject ());
    const std::string where = one.bind (place ());
    socket stuck = small (partner ());
    stuck.connect (where);
    ASSERT_TRUE (one.has_peers (1));
    socket reader = small (opened (GetParam ().partner));
    reader.connect (where);
    ASSERT_TRUE (one.has_peers (2));
    (void)fill (one);
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE (eventually ([&] {
            while (reader.receive (ZMQ_DONTWAIT)) {}
            return give (one, numbered (i), ZMQ_DONTWAIT);
        }))
          << i;
    }
}

struct deals : types
{
};
INSTANTIATE_TEST_SUITE_P (, deals, testing::Values (client, scatter), name_of);

TEST_P (deals, go_to_all_in_turn)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    std::vector<socket> others;
    for (unsigned i = 0; i < 3; ++i) {
        others.push_back (opened (GetParam ().partner));
        others.back ().connect (where);
        ASSERT_TRUE (one.has_peers (i + 1));
    }
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE (one.send (std::to_string (i)));
    }
    for (socket &each : others) {
        const std::string first = take (each);
        for (int i = 1; i < 10; ++i) {
            ASSERT_EQ (take (each), std::to_string (std::stoi (first) + 3 * i));
        }
    }
}

// --- both ways ---------------------------------------------------------------

struct both_ways : types
{
};
INSTANTIATE_TEST_SUITE_P (,
                          both_ways,
                          testing::Values (dealer,
                                           router,
                                           pair,
                                           channel,
                                           kind{"XPUB", ZMQ_XPUB, ZMQ_XSUB},
                                           kind{"XSUB", ZMQ_XSUB, ZMQ_XPUB}),
                          name_of);

// Nobody reads what goes out; what comes in comes.
TEST_P (both_ways, are_apart)
{
    socket one = small (subject ());
    socket far = small (partner ());
    ASSERT_TRUE (join (one, far));
    const bool topics = GetParam ().type == ZMQ_XPUB || GetParam ().type == ZMQ_XSUB;
    if (topics) {
        ASSERT_EQ ((GetParam ().type == ZMQ_XPUB ? one : far).receive (), std::string (1, '\1'));
    }
    for (int i = 0; topics && i < 500; ++i) {
        ASSERT_TRUE (one.send (numbered (i), ZMQ_DONTWAIT));
    }
    if (!topics)
        (void)fill (one);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE (far.send ("back"));
        EXPECT_EQ (take (one), "back");
    }
}

// --- as they were sent -------------------------------------------------------

struct messages_of : types
{
};
INSTANTIATE_TEST_SUITE_P (,
                          messages_of,
                          testing::Values (dealer,
                                           push,
                                           pair,
                                           kind{"PULL", ZMQ_PUSH, ZMQ_PULL},
                                           kind{"PUB", ZMQ_PUB, ZMQ_SUB},
                                           kind{"SUB", ZMQ_PUB, ZMQ_SUB},
                                           kind{"XPUB", ZMQ_XPUB, ZMQ_XSUB},
                                           kind{"XSUB", ZMQ_XPUB, ZMQ_XSUB},
                                           kind{"upwards", ZMQ_XSUB, ZMQ_XPUB}),
                          name_of);

TEST_P (messages_of, arrive_as_they_were_sent)
{
    socket one = subject ();
    socket far = opened (GetParam ().partner);
    ASSERT_TRUE (join (one, far));
    if (GetParam ().type == ZMQ_XSUB) {
        ASSERT_EQ (far.receive (), std::string (1, '\1'));
    } else if (GetParam ().type == ZMQ_PUB || GetParam ().type == ZMQ_XPUB) {
        ASSERT_TRUE (eventually ([&] { return one.get (ZMQ_TOPICS_COUNT) == 1; }));
    }
    for (const parts &whole : {parts{"single"}, parts{"two", ""}, parts{"a", "", pattern (300)},
                               parts{pattern (9000), "", "", "end"}}) {
        ASSERT_TRUE (one.send (whole));
        EXPECT_EQ (far.receive_message (), whole);
    }
}

// --- in turn -----------------------------------------------------------------

struct listeners : types
{
    static constexpr int each_sends = 300;
    static constexpr int looked_at = 90;

    [[nodiscard]] static parts message (const std::string &from)
    {
        return GetParam ().type == ZMQ_REP ? parts{"", from} : parts{from};
    }
    // All that was sent is where it is only to be taken.
    [[nodiscard]] static bool has_come (const socket &to, const std::vector<socket> &from)
    {
        if (under_test ().one_queue)
            return true;
        return eventually ([&] {
            std::uint64_t sent = 0;
            std::uint64_t queued = 0;
            for (const socket &each : from) {
                const zlink_counters_t seen = counts (each);
                sent += seen.wire_bytes_sent;
                queued += seen.queued_messages;
            }
            return queued == 0 && counts (to).wire_bytes_received == sent;
        });
    }
};
INSTANTIATE_TEST_SUITE_P (,
                          listeners,
                          testing::Values (kind{"REP", ZMQ_REP, ZMQ_DEALER},
                                           kind{"DEALER", ZMQ_DEALER, ZMQ_DEALER},
                                           kind{"ROUTER", ZMQ_ROUTER, ZMQ_DEALER},
                                           kind{"PULL", ZMQ_PULL, ZMQ_PUSH},
                                           kind{"SUB", ZMQ_SUB, ZMQ_PUB},
                                           kind{"XSUB", ZMQ_XSUB, ZMQ_XPUB},
                                           kind{"XPUB", ZMQ_XPUB, ZMQ_XSUB},
                                           kind{"SERVER", ZMQ_SERVER, ZMQ_CLIENT},
                                           kind{"GATHER", ZMQ_GATHER, ZMQ_SCATTER},
                                           kind{"DISH", ZMQ_DISH, ZMQ_RADIO}),
                          name_of);

// Each has much to say: nobody is heard to the end before the next.
TEST_P (listeners, hear_all_in_turn)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    std::vector<socket> others;
    for (unsigned i = 0; i < 3; ++i) {
        others.push_back (open (GetParam ().partner));
        others.back ().connect (where);
        ASSERT_TRUE (one.has_peers (i + 1) && others.back ().has_peers ());
        if (one.get (ZMQ_TYPE) == ZMQ_SUB || one.get (ZMQ_TYPE) == ZMQ_XSUB) {
            ASSERT_TRUE (eventually ([&] { return others.back ().get (ZMQ_TOPICS_COUNT) == 1; }));
        }
        if (one.get (ZMQ_TYPE) == ZMQ_DISH) {
            ASSERT_EQ (zlink_wait_subscribers (others.back (), 1, watchdog_ms), 0);
        }
    }
    for (std::size_t i = 0; i < others.size (); ++i)
        for (int k = 0; k < each_sends; ++k) {
            ASSERT_TRUE (others[i].send (message (std::to_string (i))));
        }
    ASSERT_TRUE (has_come (one, others));
    std::map<std::string, int> heard;
    for (int i = 0; i < looked_at; ++i) {
        ++heard[take (one)];
        if (GetParam ().type == ZMQ_REP) {
            ASSERT_TRUE (one.send ("answer"));
        }
    }
    for (const char *each : {"0", "1", "2"}) {
        EXPECT_GE (heard[each], looked_at / 9) << each;
    }
}

// --- one way only ------------------------------------------------------------

struct one_way : types
{
};
INSTANTIATE_TEST_SUITE_P (,
                          one_way,
                          testing::Values (push,
                                           scatter,
                                           kind{"PULL", ZMQ_PULL, ZMQ_PUSH},
                                           kind{"GATHER", ZMQ_GATHER, ZMQ_SCATTER},
                                           kind{"PUB", ZMQ_PUB, ZMQ_SUB},
                                           kind{"SUB", ZMQ_SUB, ZMQ_PUB},
                                           kind{"RADIO", ZMQ_RADIO, ZMQ_DISH},
                                           kind{"DISH", ZMQ_DISH, ZMQ_RADIO}),
                          name_of);

TEST_P (one_way, has_no_other)
{
    socket one = subject ();
    socket far = opened (GetParam ().partner);
    ASSERT_TRUE (join (one, far));
    if (GetParam ().type == ZMQ_PUSH || GetParam ().type == ZMQ_PUB || GetParam ().type == ZMQ_SCATTER
        || GetParam ().type == ZMQ_RADIO) {
        EXPECT_FALSE (one.receive (ZMQ_DONTWAIT));
    } else {
        EXPECT_FALSE (one.send ("no", ZMQ_DONTWAIT));
        EXPECT_EQ (errno, ENOTSUP);
        parts_of<2> batch;
        EXPECT_EQ (zlink_sendn (one, batch.data (), 2, ZMQ_DONTWAIT), -1);
    }
    EXPECT_EQ (errno, ENOTSUP);
}

// --- room for what comes -----------------------------------------------------

struct takers : types
{
};
INSTANTIATE_TEST_SUITE_P (,
                          takers,
                          testing::Values (kind{"PULL", ZMQ_PULL, ZMQ_PUSH},
                                           kind{"GATHER", ZMQ_GATHER, ZMQ_SCATTER},
                                           kind{"SUB", ZMQ_SUB, ZMQ_XPUB},
                                           kind{"XSUB", ZMQ_XSUB, ZMQ_XPUB},
                                           kind{"DISH", ZMQ_DISH, ZMQ_RADIO}),
                          name_of);

// Who sends without giving up anything sees how much the other takes.
TEST_P (takers, take_no_more_than_they_have_room_for)
{
    socket one = small (subject ());
    socket far = small (partner ());
    if (GetParam ().partner == ZMQ_XPUB || GetParam ().partner == ZMQ_RADIO)
        far.set (ZMQ_XPUB_NODROP, 1);
    ASSERT_TRUE (join (one, far));
    if (GetParam ().partner == ZMQ_RADIO) {
        ASSERT_EQ (zlink_wait_subscribers (far, 1, watchdog_ms), 0);
    }
    if (GetParam ().partner == ZMQ_XPUB) {
        ASSERT_EQ (far.receive (), std::string (1, '\1'));
    }
    EXPECT_LT (far.send_until_full (pattern (8000), 200, more_than_fit), more_than_fit);
}

// --- publishers --------------------------------------------------------------

struct publishers : types
{
    [[nodiscard]] socket subscriber (const std::string &where, std::string_view topic)
    {
        socket made = open (ZMQ_SUB);
        EXPECT_EQ (zmq_setsockopt (made, ZMQ_SUBSCRIBE, topic.data (), topic.size ()), 0);
        made.connect (where);
        return made;
    }
    // An XPUB takes topics as fast as it reads of them.
    static void read_topics (socket &publisher)
    {
        while (GetParam ().type == ZMQ_XPUB && publisher.receive (ZMQ_DONTWAIT)) {}
    }
    [[nodiscard]] static bool knows (socket &publisher, int count)
    {
        return eventually ([&] {
            read_topics (publisher);
            return publisher.get (ZMQ_TOPICS_COUNT) == count;
        });
    }
    // The other's choice of what to hear is known when this is true.
    [[nodiscard]] static bool hears (socket &publisher, socket &far, const std::string &text)
    {
        return eventually ([&] {
            read_topics (publisher);
            return publisher.send (text) && far.receive (ZMQ_DONTWAIT) == text;
        });
    }
};
INSTANTIATE_TEST_SUITE_P (,
                          publishers,
                          testing::Values (kind{"PUB", ZMQ_PUB, ZMQ_SUB}, kind{"XPUB", ZMQ_XPUB, ZMQ_SUB}),
                          name_of);

TEST_P (publishers, send_only_what_is_asked_for)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    socket far = subscriber (where, "a");
    ASSERT_TRUE (knows (one, 1));
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE (one.send ("b"));
    }
    EXPECT_EQ (one.statistics ().messages_sent, 0u);
    ASSERT_TRUE (one.send ("a"));
    EXPECT_EQ (far.receive (), "a");
    EXPECT_EQ (one.statistics ().messages_sent, 1u);
}

TEST_P (publishers, compare_octets_with_the_start_of_the_first_part)
{
    const std::string topic ("a\0b", 3);
    socket one = subject ();
    const std::string where = one.bind (place ());
    socket far = subscriber (where, topic);
    ASSERT_TRUE (knows (one, 1));
    for (const parts &each : {parts{std::string ("a\0c", 3)}, parts{"x" + topic}, parts{"x", topic},
                              parts{std::string ("a\0", 2), "b"}, parts{topic + "!", "x"}, parts{topic}})
        ASSERT_TRUE (one.send (each));
    EXPECT_EQ (far.receive_message (), (parts{topic + "!", "x"}));
    EXPECT_EQ (far.receive_message (), parts{topic});
    EXPECT_FALSE (far.receive (ZMQ_DONTWAIT));
}

// Nobody waits, the other loses nothing, and what was lost is counted.
TEST_P (publishers, drop_what_one_has_no_room_for)
{
    socket one = subject ();
    one.set (ZMQ_SNDHWM, 10);
    const std::string where = one.bind (place ());
    socket slow = small (open (ZMQ_SUB));
    EXPECT_EQ (zmq_setsockopt (slow, ZMQ_SUBSCRIBE, "x", 1), 0);
    EXPECT_EQ (zmq_setsockopt (slow, ZMQ_SUBSCRIBE, "s", 1), 0);
    slow.connect (where);
    socket quick = subscriber (where, "x");
    ASSERT_TRUE (hears (one, slow, "s"));
    ASSERT_TRUE (hears (one, quick, "xx"));
    const std::string body = pattern (20'000);
    for (int i = 0; i < 500; ++i) {
        const parts whole = {"x" + std::to_string (i), body};
        ASSERT_EQ (zmq_send (one, whole[0].data (), whole[0].size (), ZMQ_SNDMORE | ZMQ_DONTWAIT),
                   static_cast<int> (whole[0].size ()));
        ASSERT_TRUE (one.send (body, ZMQ_DONTWAIT)) << zmq_strerror (errno);
        parts got = quick.receive_message ();
        while (got == parts{"xx"})
            got = quick.receive_message ();
        ASSERT_TRUE (got == whole) << i;
    }
    EXPECT_GT (counts (one).dropped_full, 0u);
}

TEST_P (publishers, forget_what_those_asked_for_who_left)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    {
        socket far = subscriber (where, "a");
        EXPECT_EQ (zmq_setsockopt (far, ZMQ_SUBSCRIBE, "b", 1), 0);
        ASSERT_TRUE (knows (one, 2));
    }
    ASSERT_TRUE (is_alone (one));
    EXPECT_EQ (one.get (ZMQ_TOPICS_COUNT), 0);
    ASSERT_TRUE (one.send ("a"));
    EXPECT_EQ (one.statistics ().messages_sent, 0u);
}

TEST_P (publishers, find_subscribers_that_come_later)
{
    const std::string where = place ();
    socket one = subject ();
    one.connect (where);
    ASSERT_TRUE (has_tried (one, where));
    ASSERT_TRUE (one.send ("early"));
    socket far = open (ZMQ_SUB);
    EXPECT_EQ (zmq_setsockopt (far, ZMQ_SUBSCRIBE, "", 0), 0);
    far.bind (where);
    ASSERT_TRUE (knows (one, 1));
    ASSERT_TRUE (one.send ("now"));
    EXPECT_EQ (far.receive (), "now");
}

TEST_P (publishers, do_what_is_asked_and_taken_back)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    socket far = subscriber (where, "a");
    ASSERT_TRUE (knows (one, 1));
    EXPECT_EQ (zmq_setsockopt (far, ZMQ_SUBSCRIBE, "b", 1), 0);
    ASSERT_TRUE (knows (one, 2));
    EXPECT_EQ (zmq_setsockopt (far, ZMQ_UNSUBSCRIBE, "a", 1), 0);
    EXPECT_EQ (zmq_setsockopt (far, ZMQ_SUBSCRIBE, "c", 1), 0);
    ASSERT_TRUE (hears (one, far, "c"));  // behind the other
    EXPECT_EQ (one.get (ZMQ_TOPICS_COUNT), 2);
    ASSERT_TRUE (one.send ("a"));
    ASSERT_TRUE (one.send ("b"));
    std::string got = "c";
    while (got == "c")
        got = far.receive ().value_or ("nothing");
    EXPECT_EQ (got, "b");
}

// What a subscriber sends that is no topic: read by an XPUB, by nobody of a PUB.
TEST_P (publishers, get_messages_from_subscribers)
{
    socket one = subject ();
    socket far = open (ZMQ_XSUB);
    ASSERT_TRUE (join (one, far));
    ASSERT_TRUE (far.send ("upwards"));
    ASSERT_TRUE (far.send (parts{"two", "parts"}));
    ASSERT_TRUE (far.send (std::string (1, '\1')));
    if (GetParam ().type == ZMQ_XPUB) {
        EXPECT_EQ (one.receive (), "upwards");
        EXPECT_EQ (one.receive_message (), (parts{"two", "parts"}));
    }
    ASSERT_TRUE (knows (one, 1));
    ASSERT_TRUE (one.send ("down"));
    EXPECT_EQ (far.receive (), "down");
    EXPECT_EQ (refused (one), 0u);
}

// --- subscribers -------------------------------------------------------------

struct subscribers : types
{
};
INSTANTIATE_TEST_SUITE_P (,
                          subscribers,
                          testing::Values (kind{"SUB", ZMQ_SUB, ZMQ_XPUB}, kind{"XSUB", ZMQ_XSUB, ZMQ_XPUB}),
                          name_of);

TEST_P (subscribers, ask_publishers_that_come_later)
{
    const std::string where = place ();
    socket one = subject ();
    one.connect (where);
    ASSERT_TRUE (has_tried (one, where));
    socket far = open (ZMQ_XPUB);
    far.bind (where);
    ASSERT_TRUE (one.has_peers ());
    ASSERT_TRUE (eventually ([&] { return far.send ("now") && one.receive (ZMQ_DONTWAIT) == "now"; }));
    EXPECT_EQ (far.receive (), std::string (1, '\1'));
}

// What was received before a publisher left is read to its end.
TEST_P (subscribers, hear_what_one_said_who_has_left)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    {
        std::optional<context> theirs;  // whose end is that of the connection
        if (!under_test ().one_queue)
            theirs.emplace (under_test ().zmq_context ());
        socket far (theirs ? *theirs : own, ZMQ_XPUB);
        far.set (ZMQ_LINGER, watchdog_ms);
        far.connect (where);
        ASSERT_EQ (far.receive (), std::string (1, '\1'));
        for (int i = 0; i < 100; ++i) {
            ASSERT_TRUE (far.send (std::to_string (i)));
        }
    }
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ (one.receive (), std::to_string (i));
    }
}

struct upstream : types
{
};
INSTANTIATE_TEST_SUITE_P (, upstream, testing::Values (kind{"XSUB", ZMQ_XSUB, ZMQ_XPUB}), name_of);

TEST_P (upstream, reaches_every_publisher)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    std::vector<socket> others;
    for (unsigned i = 0; i < 3; ++i) {
        others.push_back (open (ZMQ_XPUB));
        others.back ().connect (where);
        ASSERT_EQ (others.back ().receive (), std::string (1, '\1'));
    }
    ASSERT_TRUE (one.send ("to all"));
    EXPECT_EQ (one.statistics ().messages_sent, 3u);
    for (socket &each : others) {
        EXPECT_EQ (each.receive (), "to all");
    }
}

TEST_P (upstream, drops_what_a_publisher_has_no_room_for)
{
    socket one = small (subject ());
    socket far = small (partner ());
    ASSERT_TRUE (join (one, far));
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE (one.send (numbered (i), ZMQ_DONTWAIT)) << zmq_strerror (errno);
    }
    EXPECT_GT (counts (one).dropped_full, 0u);
}

struct filtering : types
{
};
INSTANTIATE_TEST_SUITE_P (, filtering, testing::Values (kind{"SUB", ZMQ_SUB, ZMQ_XPUB}), name_of);

// The publisher sends it although nobody has asked.
TEST_P (filtering, gives_up_what_was_not_asked_for)
{
    socket xpub = open (ZMQ_XPUB);
    xpub.set (ZMQ_XPUB_MANUAL, 1);
    const std::string where = xpub.bind (place ());
    socket sub = open (ZMQ_SUB);
    EXPECT_EQ (zmq_setsockopt (sub, ZMQ_SUBSCRIBE, "a", 1), 0);
    sub.connect (where);
    ASSERT_EQ (xpub.receive (), "\1a");
    EXPECT_EQ (zmq_setsockopt (xpub, ZMQ_SUBSCRIBE, "", 0), 0);
    ASSERT_TRUE (xpub.send ("b"));
    ASSERT_TRUE (xpub.send ("a"));
    EXPECT_EQ (sub.receive (), "a");
    EXPECT_EQ (counts (sub).dropped_filtered, 1u);
}

// --- one at a time -----------------------------------------------------------

struct replying : conformance
{
};

// Its peer does not read: the reply is given up, and nobody waits.
TEST_F (replying, to_who_has_no_room_does_not_wait)
{
    socket rep = open (ZMQ_REP);
    rep.set (ZMQ_SNDHWM, 5);
    rep.set (ZMQ_SNDBUF, 8192);
    socket asker = open (ZMQ_DEALER);
    asker.set (ZMQ_RCVHWM, 5);
    asker.set (ZMQ_RCVBUF, 8192);
    ASSERT_TRUE (join (rep, asker));
    const std::string body = pattern (8000);
    for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE (asker.send (parts{"", "question"}));
        ASSERT_EQ (rep.receive (), "question");
        ASSERT_TRUE (rep.send (body)) << zmq_strerror (errno);
    }
    EXPECT_GT (rep.statistics ().dropped, 0u);
}

TEST_F (replying, goes_to_who_asked_and_to_nobody_else)
{
    socket rep = open (ZMQ_REP);
    const std::string where = rep.bind (place ());
    std::vector<socket> dealers;
    for (unsigned i = 0; i < 2; ++i) {
        dealers.push_back (open (ZMQ_DEALER));
        dealers.back ().connect (where);
        ASSERT_TRUE (rep.has_peers (i + 1));
    }
    for (const std::size_t who : {1, 0, 1}) {
        ASSERT_TRUE (dealers[who].send (parts{"", "question"}));
        ASSERT_EQ (rep.receive (), "question");
        ASSERT_TRUE (rep.send ("answer"));
        parts got;
        ASSERT_TRUE (eventually ([&] {
            EXPECT_FALSE (dealers[1 - who].receive (ZMQ_DONTWAIT));
            got = dealers[who].receive_message (ZMQ_DONTWAIT);
            return !got.empty ();
        }));
        EXPECT_EQ (got, (parts{"", "answer"}));
    }
}

}  // namespace
}  // namespace zlink::test

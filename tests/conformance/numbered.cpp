// The types whose messages have one part (RFC 41, 49, 51, 52), and those of them
// that know their peers by numbers.
#include <map>
#include <ostream>
#include <set>

#include "conformance/transport.hpp"
#include "support/counts.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

// --- one part -----------------------------------------------------------------

struct two_types
{
    const char *name;
    int type;
    int partner;
    int foreign;  // sends several parts to it, where nobody looks at the types
};

void PrintTo (const two_types &which, std::ostream *to) { *to << which.name; }

struct single_parts : conformance, testing::WithParamInterface<two_types>
{
    // Types that have no foreign sender to meet, or meet it in groups.cpp.
    [[nodiscard]] static bool has_no_foreigner ()
    {
        return !under_test ().one_queue || GetParam ().type == ZMQ_SCATTER || GetParam ().type == ZMQ_RADIO
               || GetParam ().type == ZMQ_DISH;
    }
};
INSTANTIATE_TEST_SUITE_P (,
                          single_parts,
                          testing::Values (two_types{"CLIENT", ZMQ_CLIENT, ZMQ_SERVER, ZMQ_DEALER},
                                           two_types{"SERVER", ZMQ_SERVER, ZMQ_CLIENT, ZMQ_DEALER},
                                           two_types{"SCATTER", ZMQ_SCATTER, ZMQ_GATHER, ZMQ_PUSH},
                                           two_types{"GATHER", ZMQ_GATHER, ZMQ_SCATTER, ZMQ_PUSH},
                                           two_types{"CHANNEL", ZMQ_CHANNEL, ZMQ_CHANNEL, ZMQ_PAIR},
                                           two_types{"PEER", ZMQ_PEER, ZMQ_PEER, ZMQ_DEALER},
                                           two_types{"RADIO", ZMQ_RADIO, ZMQ_DISH, ZMQ_PUSH},
                                           two_types{"DISH", ZMQ_DISH, ZMQ_RADIO, ZMQ_PUSH}),
                          [] (const auto &of) { return std::string (of.param.name); });

// Whatever is there to send it to, and by whatever call.
TEST_P (single_parts, are_all_that_can_be_sent)
{
    socket one = open (GetParam ().type);
    socket far = open (GetParam ().partner);
    ASSERT_TRUE (join (one, far));
    const bool receives_only = GetParam ().type == ZMQ_GATHER || GetParam ().type == ZMQ_DISH;
    const int expected = receives_only ? ENOTSUP : EINVAL;
    EXPECT_FALSE (one.send ("first", ZMQ_SNDMORE));
    EXPECT_EQ (errno, expected);
    part first ("first");
    EXPECT_EQ (zmq_msg_send (first.to (1).raw (), one, ZMQ_SNDMORE | ZMQ_DONTWAIT), -1);
    EXPECT_EQ (errno, expected);
    parts_of<2> both;
    EXPECT_EQ (zlink_sendv (one, both.data (), 2, ZMQ_DONTWAIT), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_FALSE (far.receive (ZMQ_DONTWAIT));
    EXPECT_EQ (one.get (ZMQ_THREAD_SAFE), 1);
}

// In one process nobody checks who meets whom: what comes in parts is dropped,
// and what follows is not.
TEST_P (single_parts, are_all_that_is_received)
{
    if (has_no_foreigner ())
        GTEST_SKIP () << "streams tell their types, and a SCATTER receives nothing";
    socket one = open (GetParam ().type);
    socket far = open (GetParam ().foreign);
    ASSERT_TRUE (join (one, far));
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE (far.send (parts{"two", pattern (100)}));
        ASSERT_TRUE (far.send ("one"));
        EXPECT_EQ (one.receive (), "one");
        EXPECT_EQ (one.get (ZMQ_RCVMORE), 0);
    }
    ASSERT_TRUE (far.send (parts{"", "", ""}));
    EXPECT_FALSE (one.receive (ZMQ_DONTWAIT));
    std::array<char, 8> small{};
    ASSERT_TRUE (far.send (parts{"two", "parts"}) && far.send ("one"));
    EXPECT_EQ (zmq_recv (one, small.data (), small.size (), 0), 3);
    EXPECT_EQ (own_row (one).dropped_multipart, 5u);
}

// Who sends is told of the room that the dropped ones have made.
TEST_P (single_parts, that_are_dropped_make_room)
{
    if (has_no_foreigner ())
        GTEST_SKIP () << "streams tell their types, and a SCATTER receives nothing";
    socket one = open (GetParam ().type);
    one.set (ZMQ_RCVHWM, 2);
    socket far = open (GetParam ().foreign);
    far.set (ZMQ_SNDHWM, 2);
    ASSERT_TRUE (join (one, far));
    worker sender ([&] {
        for (int i = 0; i < 100; ++i) {
            EXPECT_TRUE (far.send (parts{"two", "parts"}));
        }
        EXPECT_TRUE (far.send ("last"));
    });
    EXPECT_EQ (one.receive (), "last");
}

TEST_P (single_parts, come_in_all_sizes_by_all_calls)
{
    socket one = open (GetParam ().type);
    socket far = open (GetParam ().partner);
    ASSERT_TRUE (join (one, far));
    socket &from = GetParam ().type == ZMQ_CLIENT || GetParam ().type == ZMQ_SCATTER ? one : far;
    socket &to = &from == &one ? far : one;
    // Who speaks first is told of the other otherwise, and who speaks to a group
    // does in groups.cpp.
    if (GetParam ().type == ZMQ_PEER || GetParam ().type == ZMQ_RADIO || GetParam ().type == ZMQ_DISH)
        return;
    for (const std::size_t size : {0, 1, 40, 41, 64, 255, 256, 8192, 16'384, 70'000, 300'000}) {
        ASSERT_TRUE (from.send (pattern (size)));
        ASSERT_EQ (to.receive (), pattern (size));
        parts_of<1> whole;
        whole.set (0, pattern (size));
        ASSERT_EQ (zlink_sendv (from, whole.data (), 1, 0), 1);
        std::string read (size, '\0');
        ASSERT_EQ (zmq_recv (to, read.data (), size, 0), static_cast<int> (size));
        ASSERT_EQ (read, pattern (size));
    }
    parts_of<20> many;
    for (std::size_t i = 0; i < 20; ++i)
        many.set (i, std::to_string (i));
    ASSERT_EQ (zlink_sendn (from, many.data (), 20, 0), 20);
    for (int taken = 0; taken < 20;) {
        parts_of<7> some;
        const int count = zlink_recvn (to, some.data (), 7, 0);
        ASSERT_GT (count, 0);
        for (int i = 0; i < count; ++i)
            EXPECT_EQ (some.text (static_cast<std::size_t> (i)), std::to_string (taken++));
    }
}

// --- numbers --------------------------------------------------------------------

struct numbers : conformance, testing::WithParamInterface<two_types>
{
    // Who speaks to the subject, and by what number: a PEER is told when it connects.
    struct other
    {
        socket at;
        std::uint32_t number = 0;
        [[nodiscard]] bool send (std::string_view text)
        {
            return number == 0 ? at.send (text) : at.send_to (number, text);
        }
    };
    [[nodiscard]] socket subject () { return open (GetParam ().type); }
    [[nodiscard]] other connected_to (const std::string &where, bool small = false)
    {
        other made{open (GetParam ().partner)};
        if (small)
            make_small (made.at);
        if (GetParam ().partner == ZMQ_PEER) {
            made.number = zmq_connect_peer (made.at, where.c_str ());
            EXPECT_NE (made.number, 0u) << zmq_strerror (errno);
        } else {
            made.at.connect (where);
        }
        return made;
    }
    // How the subject knows it.
    [[nodiscard]] static std::uint32_t number_of (socket &one, other &far)
    {
        EXPECT_TRUE (far.send ("hello"));
        const auto got = one.receive_from ();
        return got && got->second == "hello" ? got->first : 0;
    }
    static void make_small (socket &of)
    {
        of.set (ZMQ_SNDHWM, 5);
        of.set (ZMQ_RCVHWM, 5);
        of.set (ZMQ_SNDBUF, 8192);
        of.set (ZMQ_RCVBUF, 8192);
    }
    static constexpr int more_than_fit = 3000;
    // Longer than a reactor lets be what nobody reads.
    static constexpr int refused_for_good_ms = 1000;
    static int fill (socket &one, std::uint32_t number)
    {
        int sent = 0;
        one.set (ZMQ_SNDTIMEO, refused_for_good_ms);
        while (sent < more_than_fit && one.send_to (number, pattern (8000)))
            ++sent;
        EXPECT_TRUE (sent < more_than_fit && errno == EAGAIN);
        one.set (ZMQ_SNDTIMEO, watchdog_ms);
        return sent;
    }
};
INSTANTIATE_TEST_SUITE_P (,
                          numbers,
                          testing::Values (two_types{"SERVER", ZMQ_SERVER, ZMQ_CLIENT, 0},
                                           two_types{"PEER", ZMQ_PEER, ZMQ_PEER, 0}),
                          [] (const auto &of) { return std::string (of.param.name); });

TEST_P (numbers, are_different_and_stay)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    std::vector<other> others;
    std::set<std::uint32_t> seen;
    for (int i = 0; i < 5; ++i)
        others.push_back (connected_to (where));
    for (other &each : others) {
        const std::uint32_t number = number_of (one, each);
        EXPECT_NE (number, 0u);
        EXPECT_EQ (number_of (one, each), number);
        seen.insert (number);
    }
    EXPECT_EQ (seen.size (), 5u);
}

// Whatever it calls itself, and however it was sent.
TEST_P (numbers, cannot_be_chosen_by_the_peer)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    other far = connected_to (where);
    const std::uint32_t number = number_of (one, far);
    ASSERT_NE (number, 0u);
    for (const std::size_t size : {1, 30'000}) {
        part chosen (pattern (size));
        chosen.to (far.number == 0 ? number + 1 : far.number);
        ASSERT_GE (zmq_msg_send (chosen.raw (), far.at, 0), 0);
        const auto got = one.receive_from ();
        ASSERT_TRUE (got);
        EXPECT_EQ (got->first, number);
        ASSERT_TRUE (one.send_to (number, pattern (size)));
        const auto back = far.at.receive_from ();
        ASSERT_TRUE (back);
        EXPECT_EQ (back->first, far.number);
    }
}

TEST_P (numbers, are_not_used_again_soon)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    std::set<std::uint32_t> seen;
    for (int i = 0; i < 10; ++i) {
        other far = connected_to (where);
        const std::uint32_t number = number_of (one, far);
        EXPECT_TRUE (seen.insert (number).second);
        far.at.close ();
        ASSERT_TRUE (eventually ([&] {
            (void)one.get (ZMQ_EVENTS);
            return !one.send_to (number, "gone", ZMQ_DONTWAIT) && errno == EHOSTUNREACH;
        }));
    }
}

TEST_P (numbers, say_to_whom_it_goes)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    other a = connected_to (where);
    other b = connected_to (where);
    const std::uint32_t to_a = number_of (one, a);
    const std::uint32_t to_b = number_of (one, b);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE (one.send_to (to_b, std::to_string (i)));
        ASSERT_TRUE (one.send_to (to_a, "a" + std::to_string (i)));
    }
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ (b.at.receive (), std::to_string (i));
        ASSERT_EQ (a.at.receive (), "a" + std::to_string (i));
    }
    for (const std::size_t size : {0, 41, 8192, 16'384, 300'000}) {
        ASSERT_TRUE (one.send_to (to_a, pattern (size)));
        ASSERT_EQ (a.at.receive (), pattern (size));
    }
    EXPECT_FALSE (a.at.receive (ZMQ_DONTWAIT));
    EXPECT_FALSE (b.at.receive (ZMQ_DONTWAIT));
}

TEST_P (numbers, of_nobody_are_refused)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    EXPECT_EQ (one.get (ZMQ_EVENTS), ZMQ_POLLOUT);
    other far = connected_to (where);
    const std::uint32_t number = number_of (one, far);
    part kept ("kept");
    EXPECT_EQ (zmq_msg_send (kept.raw (), one, 0), -1);
    EXPECT_EQ (errno, EHOSTUNREACH);
    EXPECT_EQ (zmq_msg_send (kept.to (number + 1).raw (), one, 0), -1);
    EXPECT_EQ (errno, EHOSTUNREACH);
    EXPECT_EQ (kept.text (), "kept");
    EXPECT_FALSE (one.send ("to nobody"));
    EXPECT_EQ (errno, EHOSTUNREACH);
    parts_of<2> batch;
    EXPECT_EQ (zlink_sendn (one, batch.data (), 2, 0), -1);
    EXPECT_EQ (errno, ENOTSUP);
    ASSERT_EQ (zmq_msg_send (kept.to (number).raw (), one, 0), 4);
    EXPECT_EQ (far.at.receive (), "kept");
    EXPECT_EQ (one.statistics ().messages_sent, 1u);
}

TEST_P (numbers, of_who_has_no_room_are_waited_for)
{
    socket one = subject ();
    make_small (one);
    const std::string where = one.bind (place ());
    other slow = connected_to (where, true);
    other quick = connected_to (where);
    const std::uint32_t to_slow = number_of (one, slow);
    const std::uint32_t to_quick = number_of (one, quick);
    const int sent = fill (one, to_slow);
    EXPECT_LT (sent, more_than_fit);
    ASSERT_TRUE (one.send_to (to_quick, "past it", ZMQ_DONTWAIT));
    EXPECT_EQ (quick.at.receive (), "past it");
    EXPECT_FALSE (one.send_to (to_slow, "at once", ZMQ_DONTWAIT));
    EXPECT_EQ (errno, EAGAIN);
    worker sender ([&] {
        for (int i = 0; i < 20; ++i) {
            EXPECT_TRUE (one.send_to (to_slow, std::to_string (i))) << zmq_strerror (errno);
        }
    });
    for (int i = 0; i < sent; ++i)
        ASSERT_EQ (slow.at.receive (), pattern (8000));
    for (int i = 0; i < 20; ++i)
        ASSERT_EQ (slow.at.receive (), std::to_string (i));
}

// Who waits for room hears that there is nobody to wait for any more.
TEST_P (numbers, of_who_goes_are_not_waited_for)
{
    socket one = subject ();
    make_small (one);
    const std::string where = one.bind (place ());
    other far = connected_to (where, true);
    const std::uint32_t number = number_of (one, far);
    (void)fill (one, number);
    worker sender ([&] {
        while (one.send_to (number, pattern (8000))) {}
        EXPECT_EQ (errno, EHOSTUNREACH);
    });
    far.at.close ();
}

TEST_P (numbers, hear_all_in_turn)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    std::vector<other> others;
    for (int i = 0; i < 3; ++i)
        others.push_back (connected_to (where));
    for (int k = 0; k < 50; ++k)
        for (other &each : others)
            ASSERT_TRUE (each.send ("x"));
    std::map<std::uint32_t, int> heard;
    for (int k = 0; k < 150; ++k) {
        const auto got = one.receive_from ();
        ASSERT_TRUE (got);
        ++heard[got->first];
    }
    EXPECT_EQ (heard.size (), 3u);
    for (const auto &[number, count] : heard)
        EXPECT_EQ (count, 50) << number;
}

TEST_P (numbers, of_those_who_go_are_told)
{
    socket one = subject ();
    ASSERT_EQ (zmq_setsockopt (one, ZMQ_DISCONNECT_MSG, "bye", 3), 0);
    const std::string where = one.bind (place ());
    other a = connected_to (where);
    other b = connected_to (where);
    const std::uint32_t to_a = number_of (one, a);
    const std::uint32_t to_b = number_of (one, b);
    ASSERT_TRUE (a.send ("last"));
    a.at.close ();
    EXPECT_EQ (one.receive_from (), std::pair (to_a, std::string ("last")));
    EXPECT_EQ (one.receive_from (), std::pair (to_a, std::string ("bye")));
    b.at.close ();
    EXPECT_EQ (one.receive_from (), std::pair (to_b, std::string ("bye")));
}

TEST_P (numbers, can_be_sent_away)
{
    socket one = subject ();
    const std::string where = one.bind (place ());
    other far = connected_to (where);
    const std::uint32_t number = number_of (one, far);
    EXPECT_EQ (zmq_disconnect_peer (one, number + 1), -1);
    EXPECT_EQ (errno, EHOSTUNREACH);
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE (one.send_to (number, std::to_string (i)));
    ASSERT_EQ (zmq_disconnect_peer (one, number), 0);
    EXPECT_FALSE (one.send_to (number, "late"));
    EXPECT_EQ (errno, EHOSTUNREACH);
    for (int i = 0; i < 100; ++i)
        ASSERT_EQ (far.at.receive (), std::to_string (i));
}

// --- PEER --------------------------------------------------------------------------

struct peers_by_number : conformance
{
};

TEST_F (peers_by_number, are_known_at_once)
{
    const std::string where = place ();
    socket one = open (ZMQ_PEER);
    const std::uint32_t to_far = zlink_connect_peer (one, where.c_str ());
    ASSERT_NE (to_far, 0u);
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE (one.send_to (to_far, std::to_string (i), ZMQ_DONTWAIT));
    socket far = open (ZMQ_PEER);
    far.bind (where);
    std::uint32_t back = 0;
    for (int i = 0; i < 10; ++i) {
        const auto got = far.receive_from ();
        ASSERT_TRUE (got);
        EXPECT_EQ (got->second, std::to_string (i));
        back = got->first;
    }
    ASSERT_TRUE (far.send_to (back, "answer"));
    EXPECT_EQ (one.receive_from (), std::pair (to_far, std::string ("answer")));
}

TEST_F (peers_by_number, are_let_go_by_who_connected)
{
    socket far = open (ZMQ_PEER);
    const std::string where = far.bind (place ());
    socket one = open (ZMQ_PEER);
    const std::uint32_t number = zmq_connect_peer (one, where.c_str ());
    ASSERT_TRUE (one.has_peers ());
    ASSERT_EQ (zlink_disconnect_peer (one, number), 0);
    EXPECT_EQ (zlink_disconnect_peer (one, number), -1);
    EXPECT_EQ (errno, EHOSTUNREACH);
    EXPECT_EQ (zmq_disconnect (one, where.c_str ()), -1);
    EXPECT_EQ (errno, ENOENT);
    const std::uint32_t again = zmq_connect_peer (one, where.c_str ());
    EXPECT_NE (again, number);
    ASSERT_TRUE (one.send_to (again, "again"));
    EXPECT_EQ (far.receive (), "again");
}

TEST_F (peers_by_number, are_for_peers_alone)
{
    socket one = open (ZMQ_PEER);
    EXPECT_EQ (zmq_connect_peer (one, nullptr), 0u);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_connect_peer (one, "nonsense"), 0u);
    EXPECT_EQ (errno, EINVAL);
    one.set (ZMQ_IMMEDIATE, 1);
    EXPECT_EQ (zmq_connect_peer (one, place ().c_str ()), 0u);
    EXPECT_EQ (errno, EFAULT);
    socket server = open (ZMQ_SERVER);
    EXPECT_EQ (zmq_connect_peer (server, place ().c_str ()), 0u);
    EXPECT_EQ (errno, ENOTSUP);
    socket client = open (ZMQ_CLIENT);
    EXPECT_EQ (zmq_disconnect_peer (client, 1), -1);
    EXPECT_EQ (errno, ENOTSUP);
    EXPECT_EQ (zmq_connect_peer (nullptr, "inproc://x"), 0u);
    EXPECT_EQ (errno, ENOTSOCK);
}

// --- CHANNEL -------------------------------------------------------------------------

struct channels : conformance
{
};

TEST_F (channels, have_one_peer_and_take_the_next)
{
    socket one = open (ZMQ_CHANNEL);
    const std::string where = one.bind (place ());
    socket first = open (ZMQ_CHANNEL);
    first.connect (where);
    ASSERT_TRUE (one.has_peers ());
    {
        socket second = open (ZMQ_CHANNEL);
        second.set (ZMQ_RECONNECT_IVL, -1);
        second.connect (where);
        ASSERT_TRUE (eventually ([&] {  // it has been decided
            return under_test ().one_queue || one.statistics ().handshakes_failed > 0
                   || zlink_wait_peers (one, 2, 0) == 0;
        }));
        ASSERT_TRUE (first.send ("mine") && one.receive () == "mine");
        EXPECT_FALSE (second.receive (ZMQ_DONTWAIT));
        EXPECT_NE (zlink_wait_peers (one, 2, 0), 0);
    }
    first.close ();
    ASSERT_TRUE (eventually ([&] {
        (void)one.get (ZMQ_EVENTS);
        return zlink_wait_peers (one, 1, 0) != 0;
    }));
    socket next = open (ZMQ_CHANNEL);
    next.connect (where);
    ASSERT_TRUE (next.send ("next"));
    EXPECT_EQ (one.receive (), "next");
}

}  // namespace
}  // namespace zlink::test

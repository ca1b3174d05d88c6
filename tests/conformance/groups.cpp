// RADIO and DISH, rule by rule of RFC 48.
#include "conformance/transport.hpp"
#include "support/counts.hpp"

namespace zlink::test {
namespace {

struct groups : conformance
{
    using message = std::pair<std::string, std::string>;

    [[nodiscard]] socket dish_of (const std::vector<std::string> &names)
    {
        socket made = open (ZMQ_DISH);
        for (const std::string &each : names)
            EXPECT_EQ (zmq_join (made, each.c_str ()), 0) << each;
        return made;
    }
    // Every wish of the dish's is known to all its radios when this is true.
    [[nodiscard]] static bool heard (socket &dish, unsigned radios = 1)
    {
        return zlink_wait_subscribed (dish, radios, watchdog_ms) == 0;
    }
    [[nodiscard]] bool meet (socket &radio, socket &dish) { return join (radio, dish) && heard (dish); }
    static std::uint64_t sent_by (const socket &radio) { return radio.statistics ().messages_sent; }
};

TEST_F (groups, are_matched_as_a_whole)
{
    socket radio = open (ZMQ_RADIO);
    socket dish = dish_of ({"a", std::string (255, 'l')});
    ASSERT_TRUE (meet (radio, dish));
    for (const char *each : {"", "b", "ab", "A", "aa"}) {
        ASSERT_TRUE (radio.send_in (each, "not for it"));
    }
    EXPECT_EQ (sent_by (radio), 0u);
    ASSERT_TRUE (radio.send_in ("a", "one"));
    ASSERT_TRUE (radio.send_in (std::string (255, 'l'), "two"));
    EXPECT_EQ (dish.receive_in (), message ("a", "one"));
    EXPECT_EQ (dish.receive_in (), message (std::string (255, 'l'), "two"));
    EXPECT_EQ (sent_by (radio), 2u);
    EXPECT_EQ (radio.get (ZMQ_THREAD_SAFE) + dish.get (ZMQ_THREAD_SAFE), 2);
}

TEST_F (groups, have_a_name_for_what_names_none)
{
    socket radio = open (ZMQ_RADIO);
    socket dish = dish_of ({""});
    ASSERT_TRUE (meet (radio, dish));
    ASSERT_TRUE (radio.send ("plain"));
    EXPECT_EQ (dish.receive_in (), message ("", "plain"));
}

TEST_F (groups, are_joined_once_and_left_once)
{
    socket dish = dish_of ({"a"});
    EXPECT_EQ (zmq_join (dish, "a"), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zlink_join (dish, std::string (256, 'x').c_str ()), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zlink_leave (dish, "b"), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_leave (dish, std::string (256, 'x').c_str ()), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zmq_join (dish, nullptr), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (zlink_leave (dish, "a"), 0);
    EXPECT_EQ (zmq_leave (dish, "a"), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (zlink_join (dish, "a"), 0);
    socket radio = open (ZMQ_RADIO);
    EXPECT_EQ (zmq_join (radio, "a"), -1);
    EXPECT_EQ (errno, ENOTSUP);
    EXPECT_EQ (zmq_leave (radio, nullptr), -1);
    EXPECT_EQ (errno, ENOTSUP);
}

TEST_F (groups, come_and_go)
{
    socket radio = open (ZMQ_RADIO);
    socket dish = dish_of ({"a", "b"});
    ASSERT_TRUE (meet (radio, dish));
    ASSERT_EQ (zmq_leave (dish, "a"), 0);
    ASSERT_EQ (zmq_join (dish, "c"), 0);
    ASSERT_TRUE (heard (dish));
    for (const char *each : {"a", "b", "c"}) {
        ASSERT_TRUE (radio.send_in (each, each));
    }
    EXPECT_EQ (dish.receive_in (), message ("b", "b"));
    EXPECT_EQ (dish.receive_in (), message ("c", "c"));
    EXPECT_EQ (sent_by (radio), 2u);
    dish.close ();
    ASSERT_TRUE (eventually ([&] { return zlink_wait_subscribers (radio, 1, 0) != 0; }));
    ASSERT_TRUE (radio.send_in ("b", "nobody"));
    EXPECT_EQ (sent_by (radio), 2u);
}

// What was left is not handed out any more, though it is here.
TEST_F (groups, that_were_left_are_not_heard)
{
    socket radio = open (ZMQ_RADIO);
    socket dish = dish_of ({"a", "b"});
    ASSERT_TRUE (meet (radio, dish));
    ASSERT_TRUE (radio.send_in ("a", "late") && radio.send_in ("b", "wanted"));
    ASSERT_EQ (zmq_leave (dish, "a"), 0);
    EXPECT_EQ (dish.receive_in (), message ("b", "wanted"));
    EXPECT_EQ (own_row (dish).dropped_filtered, 1u);
}

TEST_F (groups, are_told_to_whoever_comes_later)
{
    const std::string where = place ();
    socket dish = dish_of ({"a"});
    dish.connect (where);
    ASSERT_EQ (zmq_join (dish, "b"), 0);
    socket radio = open (ZMQ_RADIO);
    radio.bind (where);
    ASSERT_TRUE (heard (dish));
    ASSERT_TRUE (radio.send_in ("a", "one") && radio.send_in ("b", "two"));
    EXPECT_EQ (dish.receive_in (), message ("a", "one"));
    EXPECT_EQ (dish.receive_in (), message ("b", "two"));
}

TEST_F (groups, carry_bodies_of_every_size_to_one_and_to_many)
{
    socket radio = open (ZMQ_RADIO);
    radio.set (ZMQ_XPUB_NODROP, 1);
    const std::string where = radio.bind (place ());
    std::vector<socket> dishes;
    for (unsigned count = 1; count <= 3; ++count) {
        dishes.push_back (dish_of ({"group", "g"}));
        dishes.back ().connect (where);
        ASSERT_TRUE (heard (dishes.back ()) && radio.has_peers (count));
        for (const std::size_t size : {0, 1, 40, 41, 255, 256, 8192, 16'384, 70'000, 300'000}) {
            ASSERT_TRUE (radio.send_in ("group", pattern (size)));
            ASSERT_TRUE (radio.send_in ("g", pattern (size, 1)));
            for (socket &each : dishes) {
                ASSERT_EQ (each.receive_in (), message ("group", pattern (size)));
                std::string read (size, '\0');
                ASSERT_EQ (zmq_recv (each, read.data (), size, 0), static_cast<int> (size));
                ASSERT_EQ (read, pattern (size, 1));
            }
        }
    }
}

TEST_F (groups, carry_many_messages_in_order)
{
    constexpr int count = 20'000;
    socket radio = open (ZMQ_RADIO);
    radio.set (ZMQ_XPUB_NODROP, 1);
    socket dish = dish_of ({"a", "b"});
    ASSERT_TRUE (meet (radio, dish));
    worker sender ([&] {
        for (int i = 0; i < count; ++i) {
            EXPECT_TRUE (radio.send_in (i % 3 == 0 ? "a" : "b", std::to_string (i)));
        }
    });
    for (int i = 0; i < count; ++i)
        ASSERT_EQ (dish.receive_in (), message (i % 3 == 0 ? "a" : "b", std::to_string (i)));
    EXPECT_FALSE (dish.receive (ZMQ_DONTWAIT));
}

// "SHALL NOT block", "SHALL silently drop" for who is full.
TEST_F (groups, without_room_lose_messages_and_hold_nobody_back)
{
    socket radio = open (ZMQ_RADIO);
    radio.set (ZMQ_SNDHWM, 5);
    radio.set (ZMQ_SNDBUF, 8192);
    const std::string where = radio.bind (place ());
    socket slow = dish_of ({"slow"});
    slow.set (ZMQ_RCVHWM, 5);
    slow.set (ZMQ_RCVBUF, 8192);
    slow.connect (where);
    socket quick = dish_of ({"quick"});
    quick.connect (where);
    ASSERT_TRUE (heard (slow) && heard (quick) && radio.has_peers (2));
    for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE (radio.send_in ("slow", pattern (8000)));
    }
    EXPECT_GT (own_row (radio).dropped_full, 0u);
    ASSERT_TRUE (radio.send_in ("quick", "there"));
    EXPECT_EQ (quick.receive_in (), message ("quick", "there"));
    EXPECT_EQ (radio.get (ZMQ_EVENTS), ZMQ_POLLOUT);
}

TEST_F (groups, with_nodrop_wait_for_room)
{
    socket radio = open (ZMQ_RADIO);
    radio.set (ZMQ_XPUB_NODROP, 1);
    radio.set (ZMQ_SNDHWM, 5);
    radio.set (ZMQ_SNDBUF, 8192);
    socket dish = dish_of ({""});
    dish.set (ZMQ_RCVHWM, 5);
    dish.set (ZMQ_RCVBUF, 8192);
    ASSERT_TRUE (meet (radio, dish));
    const int sent = radio.send_until_full (pattern (8000), 50, 3000);
    EXPECT_LT (sent, 3000);
    for (int i = 0; i < sent; ++i)
        ASSERT_EQ (dish.receive (), pattern (8000));
    EXPECT_EQ (own_row (radio).dropped_full, 0u);
}

TEST_F (groups, make_a_dish_readable_when_they_are_its_own)
{
    socket radio = open (ZMQ_RADIO);
    socket dish = dish_of ({"mine"});
    ASSERT_TRUE (meet (radio, dish));
    ASSERT_TRUE (radio.send_in ("other", "x"));
    EXPECT_EQ (dish.get (ZMQ_EVENTS), 0);
    ASSERT_TRUE (radio.send_in ("mine", "x"));
    EXPECT_TRUE (eventually ([&] { return dish.get (ZMQ_EVENTS) == ZMQ_POLLIN; }));
    for (int look = 0; look < 3; ++look)
        EXPECT_EQ (dish.get (ZMQ_EVENTS), ZMQ_POLLIN);
    EXPECT_EQ (dish.receive_in (), message ("mine", "x"));
    EXPECT_EQ (dish.get (ZMQ_EVENTS), 0);
}

// In one process nobody checks who meets whom.
TEST_F (groups, are_not_what_others_send)
{
    if (!under_test ().one_queue)
        GTEST_SKIP () << "streams tell their types";
    socket push = open (ZMQ_PUSH);
    socket dish = dish_of ({"a", ""});
    const std::string where = push.bind (place ());
    dish.connect (where);
    ASSERT_TRUE (push.has_peers ());
    for (const std::vector<std::string> &each :
         {std::vector<std::string>{"a"}, {"a", "b", "c"}, {std::string (256, 'a'), "b"}, {"a", "good"}})
        ASSERT_TRUE (push.send (each));
    EXPECT_EQ (dish.receive_in (), message ("a", "good"));
    EXPECT_EQ (own_row (dish).dropped_malformed, 2u);
    EXPECT_EQ (own_row (dish).dropped_multipart, 1u);
}

}  // namespace
}  // namespace zlink::test

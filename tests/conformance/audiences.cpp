// A publisher and several subscribers: whatever comes between two messages, each gets what
// is its own, in order, none above its mark, and is woken for it.
#include <array>
#include <atomic>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <list>

#include "conformance/transport.hpp"
#include "support/surroundings.hpp"

namespace zlink::test {
namespace {

struct audiences : conformance
{
    void SetUp () override
    {
        pub.set (ZMQ_XPUB_NODROP, 1);
        pub.set (ZMQ_SNDBUF, 20'000);
        where = pub.bind (place ());
    }
    socket &subscriber (const char *topic, int mark = 1000)
    {
        socket &made = subscribers.emplace_back (own, ZMQ_SUB);
        made.set (ZMQ_RCVHWM, mark);
        made.set (ZMQ_RCVBUF, 20'000);
        EXPECT_EQ (zmq_setsockopt (made, ZMQ_SUBSCRIBE, topic, std::strlen (topic)), 0);
        made.connect (where);
        return made;
    }
    [[nodiscard]] bool are_known ()
    {
        return zlink_wait_subscribers (pub, static_cast<unsigned> (subscribers.size ()), watchdog_ms) == 0;
    }
    // Everybody gets it.
    void publish (const std::vector<std::string> &what)
    {
        ASSERT_TRUE (pub.send (what)) << zmq_strerror (errno);
        for (socket &each : subscribers)
            ASSERT_EQ (each.receive_message (), what);
    }
    static void expect_nothing (socket &of)
    {
        EXPECT_FALSE (of.receive (ZMQ_DONTWAIT));
        EXPECT_EQ (errno, EAGAIN);
    }

    socket pub = open (ZMQ_PUB);
    std::string where;
    std::list<socket> subscribers;
};

TEST_F (audiences, get_every_kind_of_message_however_many_they_are)
{
    for (const std::size_t count : {1, 3, 17}) {
        while (subscribers.size () < count)
            subscriber ("");
        ASSERT_TRUE (are_known ());
        for (int i = 0; i < 20; ++i) {
            const std::string number = std::to_string (i);
            for (const std::size_t bytes : {0, 30, 40, 2'000, 20'000})
                ASSERT_NO_FATAL_FAILURE (publish ({number + pattern (bytes)}));
            ASSERT_NO_FATAL_FAILURE (publish ({number, "", "end"}));
        }
    }
}

TEST_F (audiences, change_with_the_topic)
{
    socket &a = subscriber ("a");
    socket &b = subscriber ("b");
    socket &all = subscriber ("");
    ASSERT_TRUE (are_known ());
    for (int i = 0; i < 60; ++i) {
        const std::string text = (i % 3 == 0 ? "b" : "a") + std::to_string (i);
        ASSERT_TRUE (pub.send (text));
        ASSERT_EQ ((i % 3 == 0 ? b : a).receive (), text);
        ASSERT_EQ (all.receive (), text);
    }
    expect_nothing (a);
    expect_nothing (b);
}

struct sleeping_audiences : audiences
{
    // Of each topic so many, who go to sleep at once.
    void readers (std::initializer_list<const char *> topics)
    {
        for (const char *each : topics)
            subscriber (each).set (ZLINK_SPIN, 0);
        ASSERT_TRUE (are_known ());
    }
    // They all wait for one message, most likely asleep when it is sent; each gets its own.
    template <class Send> void meet (const std::vector<std::string> &wanted, Send send)
    {
        std::atomic<int> heard{0};
        std::list<worker> beside;
        std::size_t index = 0;
        for (socket &each : subscribers)
            beside.emplace_back ([&each, &heard, text = wanted[index++]] {
                EXPECT_EQ (each.receive (), text);
                ++heard;
            });
        for (int i = 0; i < 50; ++i)
            here ().give_way ();
        send ();
        ASSERT_TRUE (eventually ([&] { return heard == static_cast<int> (wanted.size ()); }));
    }
};

TEST_F (sleeping_audiences, are_woken_by_each_message)
{
    readers ({"", "", ""});
    for (int round = 0; round < 50; ++round)
        ASSERT_NO_FATAL_FAILURE (meet ({"x", "x", "x"}, [&] { ASSERT_TRUE (pub.send ("x")); }));
}

// Two messages in one call are under one lock, and go to different ones.
TEST_F (sleeping_audiences, of_one_call_are_all_woken)
{
    readers ({"a", "a", "b", "b"});
    const std::string bytes = "a1b1";
    const std::array<std::uint32_t, 2> sizes = {2, 2};
    for (int round = 0; round < 50; ++round) {
        for (int i = 0; i < 2; ++i) {
            ASSERT_TRUE (pub.send ("a0"));
            for (auto at = subscribers.begin (); at != std::next (subscribers.begin (), 2); ++at)
                ASSERT_EQ (at->receive (), "a0");
        }
        ASSERT_NO_FATAL_FAILURE (meet ({"a1", "a1", "b1", "b1"}, [&] {
            ASSERT_EQ (zlink_send_packed (pub, bytes.data (), bytes.size (), sizes.data (), 2, 0), 2);
        }));
    }
}

TEST_F (audiences, come_and_go_between_messages)
{
    for (int i = 0; i < 3; ++i)
        subscriber ("");
    for (int round = 0; round < 10; ++round) {
        ASSERT_TRUE (are_known ());
        for (int i = 0; i < 5; ++i)
            ASSERT_NO_FATAL_FAILURE (publish ({std::to_string (i)}));
        subscribers.front ().close ();
        subscribers.pop_front ();
        const auto left = static_cast<unsigned> (subscribers.size ());
        ASSERT_TRUE (eventually ([&] { return zlink_wait_subscribers (pub, left + 1, 0) != 0; }));
        for (int i = 0; i < 5; ++i)
            ASSERT_NO_FATAL_FAILURE (publish ({std::to_string (i)}));
        subscriber ("");
    }
}

// Nobody gets more than its mark, and what one has no room for nobody gets.
TEST_F (audiences, wait_for_the_one_that_is_full)
{
    constexpr int mark = 7;
    pub.set (ZMQ_SNDHWM, mark);
    pub.set (ZMQ_SNDTIMEO, 0);
    pub.unbind (where);
    where = pub.bind (place ());
    socket &fast = subscriber ("", mark);
    socket &slow = subscriber ("", mark);
    ASSERT_TRUE (are_known ());
    const std::string body = pattern (under_test ().one_queue ? 100 : 10'000);
    for (int round = 0; round < 5; ++round) {
        int sent = 0;
        for (; pub.send (body); ++sent)
            ASSERT_EQ (fast.receive (), body);
        ASSERT_EQ (errno, EAGAIN);
        ASSERT_TRUE (!under_test ().one_queue || sent == 2 * mark) << sent;
        for (int i = 0; i < sent; ++i)
            ASSERT_EQ (slow.receive (), body);
        expect_nothing (fast);
        expect_nothing (slow);
        // That there is room again is known when it has been looked for.
        ASSERT_TRUE (eventually ([&] { return pub.send (body); }));
        ASSERT_EQ (fast.receive (), body);
        ASSERT_EQ (slow.receive (), body);
    }
}

TEST_F (audiences, are_others_once_an_option_has_changed)
{
    socket &a = subscriber ("a");
    socket &b = subscriber ("b");
    ASSERT_TRUE (are_known ());
    for (int round = 0; round < 5; ++round)
        for (const bool inverted : {false, true}) {
            pub.set (ZMQ_INVERT_MATCHING, inverted);
            for (socket *each : {&a, &b})
                each->set (ZMQ_INVERT_MATCHING, inverted);
            for (int i = 0; i < 5; ++i) {
                ASSERT_TRUE (pub.send ("a"));
                ASSERT_EQ ((inverted ? b : a).receive (), "a");
            }
            expect_nothing (inverted ? a : b);
        }
}

}  // namespace
}  // namespace zlink::test

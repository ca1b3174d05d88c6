// What options do that belong to no one pattern's rules: greetings, farewells,
// subscriptions entered by hand, the state of one peer.
#include <algorithm>

#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

using parts = std::vector<std::string>;

struct option_effects : conformance
{
    static void set_text (socket &of, int option, std::string_view text)
    {
        ASSERT_EQ (zmq_setsockopt (of, option, text.data (), text.size ()), 0) << zmq_strerror (errno);
    }
    static std::string asks (std::string_view topic) { return '\1' + std::string (topic); }
    static std::string cancels (std::string_view topic) { return '\0' + std::string (topic); }
    socket by_hand (int option = ZMQ_XPUB_MANUAL)
    {
        socket made = open (ZMQ_XPUB);
        made.set (option, 1);
        return made;
    }
    socket subscriber (const std::string &where, std::string_view topic)
    {
        socket made = open (ZMQ_SUB);
        set_text (made, ZMQ_SUBSCRIBE, topic);
        made.connect (where);
        return made;
    }
};

// --- XPUB_MANUAL -------------------------------------------------------------

TEST_F (option_effects, xpub_manual_gives_what_the_application_says)
{
    socket xpub = by_hand ();
    socket sub = subscriber (xpub.bind (place ()), "A");
    EXPECT_EQ (xpub.receive (), asks ("A"));
    EXPECT_EQ (xpub.get (ZMQ_TOPICS_COUNT), 0);
    ASSERT_TRUE (xpub.send ("A nobody gets"));
    set_text (xpub, ZMQ_SUBSCRIBE, "XA");
    set_text (sub, ZMQ_SUBSCRIBE, "XA");
    EXPECT_EQ (xpub.receive (), asks ("XA"));
    ASSERT_TRUE (xpub.send ("A nobody gets"));
    ASSERT_TRUE (xpub.send ("XA is there"));
    EXPECT_EQ (sub.receive (), "XA is there");
    set_text (xpub, ZMQ_UNSUBSCRIBE, "XA");
    set_text (xpub, ZMQ_SUBSCRIBE, "A");
    ASSERT_TRUE (xpub.send ("XA nobody gets"));
    ASSERT_TRUE (xpub.send ("A is there"));
    EXPECT_EQ (sub.receive (), "A is there");
}

// What was entered by hand goes with its subscriber, also when that is no
// longer done by hand.
TEST_F (option_effects, xpub_manual_switched_off_forgets_who_goes)
{
    socket xpub = by_hand ();
    const std::string where = xpub.bind (place ());
    {
        socket sub = subscriber (where, "A");
        EXPECT_EQ (xpub.receive (), asks ("A"));
        set_text (xpub, ZMQ_SUBSCRIBE, "B");
        set_text (sub, ZMQ_UNSUBSCRIBE, "A");
        EXPECT_EQ (xpub.receive (), cancels ("A"));
        xpub.set (ZMQ_XPUB_MANUAL, 0);
        EXPECT_EQ (xpub.get (ZMQ_TOPICS_COUNT), 1);
    }
    EXPECT_TRUE (eventually ([&] { return xpub.get (ZMQ_TOPICS_COUNT) == 0; }));
    ASSERT_TRUE (xpub.send ("B"));
    socket next = subscriber (where, "B");
    EXPECT_EQ (xpub.receive (), cancels ("B"));
    EXPECT_EQ (xpub.receive (), asks ("B"));
    ASSERT_TRUE (xpub.send ("B is there"));
    EXPECT_EQ (next.receive (), "B is there");
}

// Each change is of the peer whose message was read last, though others stand
// to be read, and have been looked at.
TEST_F (option_effects, xpub_manual_is_about_who_was_read_last)
{
    socket xpub = by_hand ();
    const std::string where = xpub.bind (place ());
    std::vector<socket> subs;
    for (int i = 0; i < 3; ++i)
        subs.push_back (subscriber (where, ""));
    ASSERT_TRUE (xpub.has_peers (3));
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ (xpub.receive (), asks (""));
        if (i < 2) {
            ASSERT_TRUE (eventually ([&] { return (xpub.get (ZMQ_EVENTS) & ZMQ_POLLIN) != 0; }));
        }
        set_text (xpub, ZMQ_SUBSCRIBE, std::to_string (i));
    }
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE (xpub.send (std::to_string (i)));
    std::string got;
    for (socket &each : subs) {
        const std::optional<std::string> one = each.receive ();
        ASSERT_TRUE (one.has_value ());
        got += *one;
    }
    std::sort (got.begin (), got.end ());
    EXPECT_EQ (got, "012");
    for (socket &each : subs)
        EXPECT_FALSE (each.receive (ZMQ_DONTWAIT));
}

TEST_F (option_effects, xpub_manual_tells_what_a_subscriber_that_goes_had_asked_for)
{
    socket xpub = by_hand ();
    const std::string where = xpub.bind (place ());
    {
        socket sub = subscriber (where, "A");
        EXPECT_EQ (xpub.receive (), asks ("A"));
        set_text (xpub, ZMQ_SUBSCRIBE, "B");
        EXPECT_EQ (xpub.get (ZMQ_TOPICS_COUNT), 1);
        set_text (sub, ZMQ_SUBSCRIBE, "C");
        EXPECT_EQ (xpub.receive (), asks ("C"));
        set_text (sub, ZMQ_UNSUBSCRIBE, "C");
        EXPECT_EQ (xpub.receive (), cancels ("C"));
    }
    EXPECT_EQ (xpub.receive (), cancels ("A"));
    EXPECT_EQ (xpub.get (ZMQ_TOPICS_COUNT), 0);
    set_text (xpub, ZMQ_SUBSCRIBE, "D");  // of nobody
    EXPECT_EQ (xpub.get (ZMQ_TOPICS_COUNT), 0);
}

TEST_F (option_effects, xpub_manual_is_what_makes_subscribing_by_hand_legal)
{
    socket xpub = open (ZMQ_XPUB);
    EXPECT_EQ (zmq_setsockopt (xpub, ZMQ_SUBSCRIBE, "A", 1), -1);
    EXPECT_EQ (errno, EINVAL);
    xpub.set (ZMQ_XPUB_MANUAL, 1);
    set_text (xpub, ZMQ_SUBSCRIBE, "A");
    set_text (xpub, ZMQ_UNSUBSCRIBE, "A");
}

TEST_F (option_effects, xpub_manual_last_value_reaches_the_newcomer_only)
{
    socket xpub = by_hand (ZMQ_XPUB_MANUAL_LAST_VALUE);
    const std::string where = xpub.bind (place ());
    socket first = subscriber (where, "A");
    ASSERT_EQ (xpub.receive (), asks ("A"));
    set_text (xpub, ZMQ_SUBSCRIBE, "A");
    ASSERT_TRUE (xpub.send ("A for the first"));
    EXPECT_EQ (first.receive (), "A for the first");
    socket second = subscriber (where, "A");
    ASSERT_EQ (xpub.receive (), asks ("A"));
    set_text (xpub, ZMQ_SUBSCRIBE, "A");
    ASSERT_TRUE (xpub.send ("A for the second"));
    ASSERT_TRUE (xpub.send ("A for both"));
    EXPECT_EQ (second.receive (), "A for the second");
    EXPECT_EQ (second.receive (), "A for both");
    EXPECT_EQ (first.receive (), "A for both");
}

TEST_F (option_effects, xpub_verbose_tells_repeated_subscriptions)
{
    socket xpub = open (ZMQ_XPUB);
    const std::string where = xpub.bind (place ());
    socket first = subscriber (where, "A");
    EXPECT_EQ (xpub.receive (), asks ("A"));
    socket second = subscriber (where, "A");
    ASSERT_TRUE (xpub.has_peers (2));
    set_text (second, ZMQ_SUBSCRIBE, "B");
    EXPECT_EQ (xpub.receive (), asks ("B"));  // and nothing of the second A
    xpub.set (ZMQ_XPUB_VERBOSE, 1);
    socket third = subscriber (where, "A");
    EXPECT_EQ (xpub.receive (), asks ("A"));
    set_text (third, ZMQ_UNSUBSCRIBE, "A");
    set_text (third, ZMQ_SUBSCRIBE, "B");
    EXPECT_EQ (xpub.receive (), asks ("B"));  // and nothing of the cancellation
}

TEST_F (option_effects, xsub_verbose_unsubscribe_sends_every_cancellation)
{
    for (const int verbose : {0, 1}) {
        socket xpub = open (ZMQ_XPUB);
        xpub.set (ZMQ_XPUB_VERBOSER, 1);
        socket xsub = open (ZMQ_XSUB);
        xsub.set (ZMQ_XSUB_VERBOSE_UNSUBSCRIBE, verbose);
        ASSERT_TRUE (join (xpub, xsub));
        for (const std::string &change : {asks ("A"), asks ("A"), cancels ("A"), cancels ("A"), asks ("B")})
            ASSERT_TRUE (xsub.send (change));
        parts told;
        do
            told.push_back (xpub.receive ().value_or (asks ("B")));
        while (told.back () != asks ("B"));
        EXPECT_EQ (std::count (told.begin (), told.end (), cancels ("A")), verbose + 1);
    }
}

// --- of every socket ---------------------------------------------------------

TEST_F (option_effects, of_networks_that_are_not_there_are_kept)
{
    socket push = open (ZMQ_PUSH);
    for (const int option : {ZMQ_RATE, ZMQ_RECOVERY_IVL, ZMQ_MULTICAST_MAXTPDU, ZMQ_LOOPBACK_FASTPATH}) {
        push.set (option, 1);
        EXPECT_EQ (push.get (option), 1) << option;
    }
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("hello"));
    EXPECT_EQ (pull.receive (), "hello");
}

TEST_F (option_effects, tell_what_a_socket_is)
{
    for (const int type : {ZMQ_PUSH, ZMQ_ROUTER, ZMQ_STREAM, ZMQ_XPUB}) {
        socket any = open (type);
        EXPECT_EQ (any.get (ZMQ_TYPE), type);
        EXPECT_EQ (any.get (ZMQ_MECHANISM), ZMQ_NULL);
        EXPECT_EQ (any.get (ZMQ_THREAD_SAFE), 0);
    }
}

TEST_F (option_effects, ipv4only_is_the_opposite_of_ipv6)
{
    socket push = open (ZMQ_PUSH);
    EXPECT_EQ (push.get (ZMQ_IPV4ONLY), 1);
    push.set (ZMQ_IPV4ONLY, 0);
    EXPECT_EQ (push.get (ZMQ_IPV6), 1);
    push.set (ZMQ_IPV6, 0);
    EXPECT_EQ (push.get (ZMQ_IPV4ONLY), 1);
    ASSERT_EQ (zmq_ctx_set (own, ZMQ_IPV6, 1), 0);
    EXPECT_EQ (open (ZMQ_PUSH).get (ZMQ_IPV6), 1);
}

TEST_F (option_effects, without_spin_nobody_waits_for_ever)
{
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    for (socket *each : {&one, &two})
        each->set (ZLINK_SPIN, 0);
    ASSERT_TRUE (join (one, two));
    worker echo ([&] {
        for (int i = 0; i < 500; ++i)
            ASSERT_TRUE (two.send (two.receive ().value_or ("lost")));
    });
    for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE (one.send (std::to_string (i)));
        ASSERT_EQ (one.receive (), std::to_string (i));
    }
}

// --- greetings and farewells -------------------------------------------------

TEST_F (option_effects, hello_msg_comes_before_all_others)
{
    socket router = open (ZMQ_ROUTER);
    set_text (router, ZMQ_HELLO_MSG, "welcome");
    const std::string where = router.bind (place ());
    for (int i = 0; i < 3; ++i) {
        socket dealer = open (ZMQ_DEALER);
        set_text (dealer, ZMQ_HELLO_MSG, "it is me");
        dealer.connect (where);
        ASSERT_TRUE (dealer.send ("more"));
        const parts hello = router.receive_message ();
        ASSERT_EQ (hello.size (), 2u);
        EXPECT_EQ (hello[1], "it is me");
        EXPECT_EQ (router.receive_message (), (parts{hello[0], "more"}));
        ASSERT_TRUE (router.send (parts{hello[0], "answer"}));
        EXPECT_EQ (dealer.receive (), "welcome");
        EXPECT_EQ (dealer.receive (), "answer");
    }
}

TEST_F (option_effects, disconnect_msg_is_read_behind_what_a_peer_had_sent)
{
    socket router = open (ZMQ_ROUTER);
    set_text (router, ZMQ_DISCONNECT_MSG, "gone");
    const std::string where = router.bind (place ());
    for (const std::string &name : {std::string ("one"), std::string ("two")}) {
        socket dealer = open (ZMQ_DEALER);
        dealer.set (ZMQ_LINGER, -1);
        set_text (dealer, ZMQ_ROUTING_ID, name);
        dealer.connect (where);
        ASSERT_TRUE (dealer.send ("last"));
        dealer.close ();
        EXPECT_EQ (router.receive_message (), (parts{name, "last"}));
        EXPECT_EQ (router.receive_message (), (parts{name, "gone"}));
    }
}

TEST_F (option_effects, messages_of_options_are_for_types_that_have_them)
{
    socket push = open (ZMQ_PUSH);
    for (const int option : {ZMQ_HELLO_MSG, ZMQ_DISCONNECT_MSG, ZMQ_HICCUP_MSG}) {
        EXPECT_EQ (zmq_setsockopt (push, option, "x", 1), -1);
        EXPECT_EQ (errno, EINVAL);
    }
}

// --- one peer ----------------------------------------------------------------

TEST_F (option_effects, peer_state_tells_of_room)
{
    socket router = open (ZMQ_ROUTER);
    router.set (ZMQ_SNDHWM, 1);
    router.set (ZMQ_ROUTER_MANDATORY, 1);
    const std::string where = router.bind (place ());
    EXPECT_EQ (zmq_socket_get_peer_state (router, "one", 3), -1);
    EXPECT_EQ (errno, EHOSTUNREACH);
    socket dealer = open (ZMQ_DEALER);
    dealer.set (ZMQ_RCVHWM, 1);
    set_text (dealer, ZMQ_ROUTING_ID, "one");
    dealer.connect (where);
    ASSERT_TRUE (router.has_peers ());
    EXPECT_EQ (zmq_socket_get_peer_state (router, "one", 3), ZMQ_POLLOUT);
    // What is queued goes on into the kernel for a while.
    EXPECT_TRUE (eventually ([&] {
        while (zmq_send (router, "one", 3, ZMQ_SNDMORE | ZMQ_DONTWAIT) == 3)
            EXPECT_TRUE (router.send (pattern (100'000)));
        return zmq_socket_get_peer_state (router, "one", 3) == 0;
    }));
    char none = 0;
    EXPECT_TRUE (eventually ([&] {
        while (zmq_recv (dealer, &none, 1, ZMQ_DONTWAIT) >= 0) {}
        return zmq_socket_get_peer_state (router, "one", 3) == ZMQ_POLLOUT;
    }));
    EXPECT_EQ (zmq_socket_get_peer_state (dealer, "one", 3), -1);
    EXPECT_EQ (errno, ENOTSUP);
    EXPECT_EQ (zmq_socket_get_peer_state (router, nullptr, 3), -1);
    EXPECT_EQ (errno, EINVAL);
}

}  // namespace
}  // namespace zlink::test

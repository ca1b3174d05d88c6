// Over byte streams: whom a listener accepts.
#include <unistd.h>

#include "conformance/transport.hpp"
#include "support/events.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

struct filters : conformance
{
    [[nodiscard]] static bool is_tcp () { return std::string (under_test ().name) == "tcp"; }
    static void set_text (socket &of, int option, std::string_view text)
    {
        ASSERT_EQ (zmq_setsockopt (of, option, text.data (), text.size ()), 0) << zmq_strerror (errno);
    }
    // We are not in, and we are.
    static void let_in_others (socket &of)
    {
        if (is_tcp ())
            set_text (of, ZMQ_TCP_ACCEPT_FILTER, "192.0.2.0/24");
        else
            of.set (ZMQ_IPC_FILTER_PID, 1);
    }
    static void let_us_in (socket &of)
    {
        if (is_tcp ())
            set_text (of, ZMQ_TCP_ACCEPT_FILTER, "127.0.0.0/8");
        else
            of.set (ZMQ_IPC_FILTER_PID, static_cast<int> (::getpid ()));
    }
    static void let_in_everybody (socket &of)
    {
        ASSERT_EQ (zmq_setsockopt (of, is_tcp () ? ZMQ_TCP_ACCEPT_FILTER : ZMQ_IPC_FILTER_PID, nullptr, 0),
                   0);
    }
    [[nodiscard]] static std::uint64_t turned_away (const socket &of)
    {
        return of.statistics ().handshakes_failed;
    }
};

TEST_F (filters, turn_away_at_the_door)
{
    socket pull = open (ZMQ_PULL);
    let_in_others (pull);
    zmq_monitor monitored (own, pull, 1, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_ACCEPT_FAILED);
    events told (pull, ZLINK_EVENT_ACCEPT_FAILED);
    const std::string where = pull.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.valid ());
    const monitor_event failed = monitored.next ();
    EXPECT_EQ (event_name (failed.event), "accept failed");
    EXPECT_EQ (failed.value, unsigned{EACCES});
    EXPECT_EQ (failed.local, where);
    const zlink_event_t typed = told.next ();
    EXPECT_STREQ (typed.reason_text, "not-admitted");
    EXPECT_EQ (std::string (typed.local_addr), where);
    if (is_tcp ()) {
        EXPECT_TRUE (std::string (typed.remote_addr).starts_with ("tcp://127.")) << typed.remote_addr;
    }
    EXPECT_EQ (peer.read_to_end (), "");  // not a word was said
    EXPECT_EQ (turned_away (pull), 1U);
    EXPECT_STREQ (pull.status (where).reason_text, "not-admitted");
    EXPECT_EQ (pull.status (where).connected, 0U);
}

TEST_F (filters, one_that_matches_is_enough)
{
    socket pull = open (ZMQ_PULL);
    let_in_others (pull);
    let_us_in (pull);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("hello"));
    EXPECT_EQ (pull.receive (), "hello");
    EXPECT_EQ (turned_away (pull), 0U);
}

// As the option says: by the next bind.
TEST_F (filters, are_those_of_the_bind)
{
    socket pull = open (ZMQ_PULL);
    const std::string open_door = pull.bind (place ());
    let_in_others (pull);
    const std::string guarded = pull.bind (place ());
    let_in_everybody (pull);
    const std::string open_again = pull.bind (place ());
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_RECONNECT_IVL, 1);
    push.connect (guarded);
    ASSERT_TRUE (eventually ([&] { return turned_away (pull) > 2; }));  // it comes again and again
    for (const std::string &each : {open_door, open_again}) {
        socket welcome = open (ZMQ_PUSH);
        welcome.connect (each);
        ASSERT_TRUE (welcome.send (each));
        EXPECT_EQ (pull.receive (), each);
    }
    EXPECT_EQ (push.status (guarded).connected, 0U);
}

TEST_F (filters, of_the_other_transport_do_not_count)
{
    socket pull = open (ZMQ_PULL);
    if (is_tcp ())
        pull.set (ZMQ_IPC_FILTER_PID, 1);
    else
        set_text (pull, ZMQ_TCP_ACCEPT_FILTER, "192.0.2.1");
    socket push = open (ZMQ_PUSH);
    EXPECT_TRUE (join (pull, push));
}

TEST_F (filters, of_users_and_groups)
{
    if (is_tcp ())
        GTEST_SKIP () << "the system tells these of its own processes only";
    const int me = static_cast<int> (::getuid ());
    const int mine = static_cast<int> (::getgid ());
    for (const auto &[option, number, in] :
         {std::tuple (ZMQ_IPC_FILTER_UID, me, true), std::tuple (ZMQ_IPC_FILTER_UID, me + 1, false),
          std::tuple (ZMQ_IPC_FILTER_GID, mine, true), std::tuple (ZMQ_IPC_FILTER_GID, -17, false)}) {
        socket pull = open (ZMQ_PULL);
        pull.set (option, number);
        const std::string where = pull.bind (place ());
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        if (in) {
            EXPECT_TRUE (push.has_peers ());
        } else {
            EXPECT_TRUE (eventually ([&] { return turned_away (pull) > 0; }));
        }
    }
}

// Side by side, over one listener; version four looks like six there.
TEST_F (filters, part_good_peers_from_others)
{
    if (!is_tcp ())
        GTEST_SKIP () << "needs two addresses";
    for (const bool both : {false, true}) {
        if (both && !raw_peer (::socket (AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)).valid ())
            continue;
        socket pull = open (ZMQ_PULL);
        pull.set (ZMQ_IPV6, both);
        set_text (pull, ZMQ_TCP_ACCEPT_FILTER, "127.77.0.0/16");
        const std::string bound = pull.bind ("tcp://*:*");
        const std::string target = "127.0.0.1" + bound.substr (bound.rfind (':'));
        socket good = open (ZMQ_PUSH);
        socket bad = open (ZMQ_PUSH);
        bad.set (ZMQ_RECONNECT_IVL, 1);
        bad.connect ("tcp://127.78.0.1:0;" + target);
        ASSERT_TRUE (eventually ([&] { return turned_away (pull) > 1; }));
        good.connect ("tcp://127.77.3.4:0;" + target);
        ASSERT_TRUE (good.send ("hello"));
        EXPECT_EQ (pull.receive (), "hello");
    }
}

}  // namespace
}  // namespace zlink::test

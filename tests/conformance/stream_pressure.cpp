// High-water marks over byte streams, against a peer that reads nothing: what
// was accepted and is not in the kernel is the queue, and its bounds are
// exact.
#include "conformance/transport.hpp"
#include "support/raw_peer.hpp"

namespace zlink::test {
namespace {

struct stream_marks : conformance, testing::WithParamInterface<int>
{
    // Whole messages among the octets that the kernel had taken.
    [[nodiscard]] static int whole_messages (const std::string &octets, std::size_t message_octets)
    {
        return static_cast<int> (octets.size () / message_octets);
    }
};

INSTANTIATE_TEST_SUITE_P (of, stream_marks, testing::Values (1, 2, 10, 1000));

// accepted - kernel is between SNDHWM - (LWM - 1) and SNDHWM.
TEST_P (stream_marks, the_queue_in_front_of_a_full_kernel_is_the_mark)
{
    const int mark = GetParam ();
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, mark);
    push.set (ZMQ_SNDBUF, 20'000);
    const std::string where = push.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where, 20'000);
    ASSERT_TRUE (peer.shake_hands ("PULL"));
    ASSERT_TRUE (push.has_peers ());
    const std::string text = pattern (1000);
    int accepted = 0;
    // The kernel may move bytes on for a while: full is when nothing more goes.
    for (int more = 1; more > 0;) {
        more = push.send_until_full (text, 150);
        accepted += more;
    }
    push.close ();
    ASSERT_EQ (own.term (), 0);  // LINGER 0: what is queued is gone, what the kernel has stays
    const int in_kernel = whole_messages (peer.read_to_end (), 1000 + 9);
    const int low_water = (mark + 1) / 2;
    EXPECT_LE (accepted - in_kernel, mark) << accepted << " accepted";
    EXPECT_GE (accepted - in_kernel, mark - (low_water - 1)) << accepted << " accepted";
}

// kernel + slab + SNDHWM - (LWM - 1) <= accepted <= kernel + slab + RCVHWM + SNDHWM
TEST_P (stream_marks, a_reader_that_is_ours_and_does_not_read_is_bounded_too)
{
    const int mark = GetParam ();
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    push.set (ZMQ_SNDHWM, mark);
    pull.set (ZMQ_RCVHWM, mark);
    push.set (ZMQ_SNDBUF, 20'000);
    pull.set (ZMQ_RCVBUF, 20'000);
    ASSERT_TRUE (join (pull, push));
    const std::string text = pattern (1000);
    int accepted = 0;
    for (int more = 1; more > 0;) {
        more = push.send_until_full (text, 400);
        accepted += more;
    }
    constexpr int slab_messages = 256 * 1024 / 1009;
    constexpr int kernel_messages_max = 400;  // the system doubles what it is asked for
    EXPECT_LE (accepted, kernel_messages_max + slab_messages + 2 * mark);
    for (int i = 0; i < accepted; ++i)
        ASSERT_TRUE (pull.receive () == text) << i << " of " << accepted;
    EXPECT_FALSE (pull.receive (ZMQ_DONTWAIT));
}

// DONTWAIT senders meet the mark although the kernel would take more.
TEST_P (stream_marks, a_tight_loop_meets_eagain)
{
    const int mark = GetParam ();
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, mark);
    const std::string where = push.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("PULL"));
    ASSERT_TRUE (push.has_peers ());
    bool refused = false;
    for (int i = 0; i < 10'000'000 && !refused; ++i)
        refused = !push.send ("x", ZMQ_DONTWAIT);
    EXPECT_TRUE (refused);
    EXPECT_EQ (errno, EAGAIN);
}

struct stream_pressure : conformance
{
};

// Nobody is blocked while the kernel has room: many times the mark goes out
// to a peer that reads nothing.
TEST_F (stream_pressure, a_blocking_sender_goes_on_while_the_kernel_has_room)
{
    constexpr int messages = 200;  // a kernel has room for so many, each in a packet of its own
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 10);
    const std::string where = push.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where);
    ASSERT_TRUE (peer.shake_hands ("PULL"));
    for (int i = 0; i < messages; ++i)
        ASSERT_TRUE (push.send ("small")) << i;
    const std::string frame = zmtp_frame (0, "small");
    std::string all;
    for (int i = 0; i < messages; ++i)
        all += frame;
    EXPECT_TRUE (peer.read_exactly (all.size ()) == all);
}

TEST_F (stream_pressure, marks_in_bytes_bound_the_queue)
{
    constexpr int mark_bytes = 200'000;
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDHWM, 0);
    push.set_wide (ZLINK_SNDHWM_BYTES, mark_bytes);
    push.set (ZMQ_SNDBUF, 20'000);
    const std::string where = push.bind (place ());
    const raw_peer peer = raw_peer::connect_to (where, 20'000);
    ASSERT_TRUE (peer.shake_hands ("PULL"));
    ASSERT_TRUE (push.has_peers ());
    const std::string text = pattern (2000);
    int accepted = 0;
    for (int more = 1; more > 0;) {
        more = push.send_until_full (text, 150);
        accepted += more;
    }
    push.close ();
    ASSERT_EQ (own.term (), 0);
    const auto in_kernel = static_cast<int> (peer.read_to_end ().size ());
    const int queued_bytes = accepted * 2000 - in_kernel;
    EXPECT_LE (queued_bytes, mark_bytes + 2000);
    EXPECT_GE (queued_bytes, mark_bytes / 4);
}

TEST_F (stream_pressure, finite_linger_waits_at_least_so_long)
{
    constexpr int linger_ms = 120;
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_LINGER, linger_ms);
    push.connect (place ());
    ASSERT_TRUE (push.send ("nobody comes"));
    // From before close(), where the time begins: the machine may be busy.
    const auto whole = elapsed_ms ([&] {
        push.close ();
        EXPECT_EQ (own.term (), 0);
    });
    EXPECT_GE (whole, linger_ms - 1);
}

TEST_F (stream_pressure, endless_linger_waits_for_a_late_listener)
{
    const std::string where = place ();
    worker ender ([&] {
        context second (under_test ().zmq_context ());
        socket push (second, ZMQ_PUSH);
        push.set (ZMQ_LINGER, -1);
        push.set (ZMQ_RECONNECT_IVL, 5);
        push.connect (where);
        for (int i = 0; i < 100; ++i)
            EXPECT_TRUE (push.send (std::to_string (i)));
        push.close ();
        EXPECT_EQ (second.term (), 0);
    });
    socket pull = open (ZMQ_PULL);
    pull.bind (where);
    for (int i = 0; i < 100; ++i)
        ASSERT_EQ (pull.receive (), std::to_string (i));
}

// BLOCKY 0: new sockets do not linger.
TEST_F (stream_pressure, a_context_that_is_not_blocky_ends_at_once)
{
    context mine (under_test ().zmq_context ());
    ASSERT_EQ (zmq_ctx_set (mine, ZMQ_BLOCKY, 0), 0);
    void *const raw = zmq_socket (mine, ZMQ_PUSH);
    ASSERT_EQ (zmq_connect (raw, place ().c_str ()), 0);
    ASSERT_EQ (zmq_send (raw, "x", 1, 0), 1);
    ASSERT_EQ (zmq_close (raw), 0);
    EXPECT_EQ (mine.term (), 0);
}

}  // namespace
}  // namespace zlink::test

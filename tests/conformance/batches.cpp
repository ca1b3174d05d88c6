// zlink.h's calls on whole messages: vectors, batches, packed batches.
#include <algorithm>
#include <numeric>

#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

struct batches : conformance
{
    socket pull = open_zlink (ZMQ_PULL);
    socket push = open_zlink (ZMQ_PUSH);
};

TEST_F (batches, a_vector_is_one_message)
{
    ASSERT_TRUE (join (pull, push));
    parts_of<4> out;
    out.set (0, "head");
    out.set (2, pattern (100'000));
    out.set (3, "tail");
    ASSERT_EQ (zlink_sendv (push, out.data (), 4, 0), 4);
    for (zlink_msg_t &each : out.all)
        EXPECT_EQ (zlink_msg_size (&each), 0u);
    parts_of<6> in;
    std::size_t count = 6;
    ASSERT_EQ (zlink_recvv (pull, in.data (), &count, 0), 4);
    EXPECT_EQ (count, 4u);
    EXPECT_EQ (in.text (0), "head");
    EXPECT_EQ (in.text (1), "");
    EXPECT_TRUE (in.text (2) == pattern (100'000));
    EXPECT_EQ (in.text (3), "tail");
    EXPECT_EQ (zlink_msg_more (&in.all[0]), 1);
    EXPECT_EQ (zlink_msg_more (&in.all[3]), 0);
}

TEST_F (batches, a_vector_too_short_takes_nothing)
{
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send (std::vector<std::string>{"a", "b", "c"}));
    parts_of<3> in;
    std::size_t count = 2;
    EXPECT_EQ (zlink_recvv (pull, in.data (), &count, 0), -1);
    EXPECT_EQ (errno, EMSGSIZE);
    EXPECT_EQ (count, 3u);
    ASSERT_EQ (zlink_recvv (pull, in.data (), &count, 0), 3);
    EXPECT_EQ (in.text (2), "c");
}

TEST_F (batches, a_refused_vector_stays_with_the_caller)
{
    parts_of<2> out;
    out.set (0, "mine");
    out.set (1, "still");
    EXPECT_EQ (zlink_sendv (push, out.data (), 2, ZLINK_DONTWAIT), -1);
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_EQ (out.text (0), "mine");
    EXPECT_EQ (out.text (1), "still");
}

TEST_F (batches, vectors_of_many_threads_are_never_torn)
{
    ASSERT_TRUE (join (pull, push));
    constexpr int each_sends = 500;
    std::vector<worker> senders;
    for (int i = 0; i < 4; ++i)
        senders.emplace_back ([&, i] {
            for (int k = 0; k < each_sends; ++k) {
                parts_of<3> out;
                const std::string me = std::to_string (i) + ':' + std::to_string (k);
                out.set (0, me);
                out.set (1, pattern (static_cast<std::size_t> (k) * 50));
                out.set (2, me);
                EXPECT_EQ (zlink_sendv (push, out.data (), 3, 0), 3);
            }
        });
    std::atomic<int> received{0};
    std::vector<worker> receivers;
    for (int i = 0; i < 2; ++i)
        receivers.emplace_back ([&] {
            while (received < 4 * each_sends) {
                parts_of<3> in;
                std::size_t count = 3;
                if (zlink_recvv (pull, in.data (), &count, ZLINK_DONTWAIT) < 0) {
                    here ().give_way ();
                    continue;
                }
                EXPECT_EQ (count, 3u);
                EXPECT_EQ (in.text (0), in.text (2));
                ++received;
            }
        });
}

TEST_F (batches, many_messages_go_in_order)
{
    ASSERT_TRUE (join (pull, push));
    constexpr int total = 20'000;
    worker sender ([&] {
        int sent = 0;
        while (sent < total) {
            parts_of<50> out;
            for (std::size_t i = 0; i < 50; ++i)
                out.set (i, std::to_string (sent + static_cast<int> (i)));
            std::size_t done = 0;
            while (done < 50) {
                const int taken = zlink_sendn (push, out.data () + done, 50 - done, 0);
                ASSERT_GT (taken, 0);
                done += static_cast<std::size_t> (taken);
            }
            sent += 50;
        }
    });
    int received = 0;
    while (received < total) {
        parts_of<64> in;
        const int taken = zlink_recvn (pull, in.data (), 64, 0);
        ASSERT_GT (taken, 0);
        for (int i = 0; i < taken; ++i)
            ASSERT_EQ (in.text (static_cast<std::size_t> (i)), std::to_string (received++));
    }
}

// What of a batch goes beyond the mark stays with the caller.
TEST_F (batches, a_batch_stops_at_the_mark)
{
    push.set (ZLINK_SNDHWM, 4);
    pull.set (ZLINK_RCVHWM, 4);
    push.set (ZLINK_SNDBUF, 8192);
    pull.set (ZLINK_RCVBUF, 8192);
    ASSERT_TRUE (join (pull, push));
    const std::string text = pattern (2000);
    int sent = 0;
    for (;;) {
        parts_of<32> out;
        for (std::size_t i = 0; i < 32; ++i)
            out.set (i, text);
        const int taken = zlink_sendn (push, out.data (), 32, ZLINK_DONTWAIT);
        if (taken < 0) {
            EXPECT_EQ (errno, EAGAIN);
            break;
        }
        sent += taken;
        for (std::size_t i = 0; i < 32; ++i)
            EXPECT_EQ (zlink_msg_size (&out.all[i]),
                       i < static_cast<std::size_t> (taken) ? 0u : text.size ());
    }
    if (under_test ().one_queue) {
        EXPECT_EQ (sent, 8);
    }
    for (int i = 0; i < sent; ++i)
        ASSERT_TRUE (pull.receive () == text) << i << " of " << sent;
}

TEST_F (batches, a_batch_stops_before_a_message_of_parts)
{
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("one"));
    ASSERT_TRUE (push.send (std::vector<std::string>{"a", "b"}));
    ASSERT_TRUE (push.send ("two"));
    ASSERT_TRUE (eventually ([&] { return (pull.get (ZLINK_EVENTS) & ZLINK_POLLIN) != 0; }));
    parts_of<8> in;
    ASSERT_EQ (zlink_recvn (pull, in.data (), 8, 0), 1);
    EXPECT_EQ (in.text (0), "one");
    ASSERT_TRUE (eventually ([&] { return (pull.get (ZLINK_EVENTS) & ZLINK_POLLIN) != 0; }));
    EXPECT_EQ (zlink_recvn (pull, in.data (), 8, 0), -1);
    EXPECT_EQ (errno, EFSM);
    EXPECT_EQ (pull.receive_message (), (std::vector<std::string>{"a", "b"}));
    ASSERT_EQ (zlink_recvn (pull, in.data (), 8, 0), 1);
    EXPECT_EQ (in.text (0), "two");
}

TEST_F (batches, packed_messages_arrive_packed)
{
    ASSERT_TRUE (join (pull, push));
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t i = 0; i < 200; ++i)
        sizes.push_back (i * 37 % 1500);
    const std::string bytes = pattern (std::accumulate (sizes.begin (), sizes.end (), std::size_t{0}));
    worker sender ([&] {
        std::size_t done = 0;
        std::size_t at = 0;
        while (done < sizes.size ()) {
            const int taken = zlink_send_packed (push, bytes.data () + at, bytes.size () - at,
                                                 sizes.data () + done, sizes.size () - done, 0);
            ASSERT_GT (taken, 0);
            for (int i = 0; i < taken; ++i)
                at += sizes[done++];
        }
    });
    std::string got;
    std::vector<std::uint32_t> got_sizes;
    while (got_sizes.size () < sizes.size ()) {
        std::string room (10'000, '\0');
        std::array<std::uint32_t, 30> some{};
        const int taken = zlink_recv_packed (pull, room.data (), room.size (), some.data (), some.size (), 0);
        ASSERT_GT (taken, 0);
        std::size_t total = 0;
        for (int i = 0; i < taken; ++i) {
            got_sizes.push_back (some[static_cast<std::size_t> (i)]);
            total += got_sizes.back ();
        }
        got.append (room, 0, total);
    }
    EXPECT_EQ (got_sizes, sizes);
    EXPECT_TRUE (got == bytes);
}

TEST_F (batches, a_packed_batch_that_does_not_fit_stays)
{
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("too long"));
    std::array<char, 4> room{};
    std::uint32_t size = 0;
    EXPECT_EQ (zlink_recv_packed (pull, room.data (), room.size (), &size, 1, 0), -1);
    EXPECT_EQ (errno, EMSGSIZE);
    EXPECT_EQ (pull.receive (), "too long");
}

TEST_F (batches, wait_only_for_the_first)
{
    ASSERT_TRUE (join (pull, push));
    pull.set (ZLINK_RCVTIMEO, 60);
    parts_of<4> in;
    EXPECT_GE (elapsed_ms ([&] { EXPECT_EQ (zlink_recvn (pull, in.data (), 4, 0), -1); }), 60);
    EXPECT_EQ (errno, EAGAIN);
    pull.set (ZLINK_RCVTIMEO, watchdog_ms);
    ASSERT_TRUE (push.send ("one"));
    EXPECT_EQ (zlink_recvn (pull, in.data (), 4, 0), 1);
}

TEST_F (batches, statistics_count_whole_messages)
{
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send (std::vector<std::string>{"ab", "cd", "e"}));
    ASSERT_TRUE (push.send ("fgh"));
    EXPECT_EQ (pull.receive_message ().size (), 3u);
    EXPECT_EQ (pull.receive (), "fgh");
    EXPECT_EQ (push.statistics ().messages_sent, 2u);
    EXPECT_EQ (push.statistics ().bytes_sent, 8u);
    EXPECT_EQ (pull.statistics ().messages_received, 2u);
    EXPECT_EQ (pull.statistics ().bytes_received, 8u);
}

}  // namespace
}  // namespace zlink::test

// What is sent arrives, whole, once and as it was.
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>

#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

struct messages : conformance
{
};

// Around the sizes at which something changes inside.
const std::vector<std::size_t> sizes = {
  0,       1,       2,       7,       8,         32,        33,        34,       39,     40,
  41,      63,      64,      65,      127,       128,       254,       255,      256,    257,
  1023,    1024,    4095,    4096,    4097,      8183,      8191,      8192,     8193,   16'383,
  16'384,  16'385,  32'767,  32'768,  32'769,    65'527,    65'535,    65'536,   65'537, 98'304,
  131'071, 131'072, 131'073, 262'144, 1'048'575, 1'048'576, 1'048'577, 8'388'608};

TEST_F (messages, of_every_size_by_copying_calls)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    worker sender ([&] {
        for (const std::size_t size : sizes)
            EXPECT_TRUE (push.send (pattern (size, 1))) << size;
    });
    for (const std::size_t size : sizes) {
        std::string buffer (size + 1, '\0');
        ASSERT_EQ (zmq_recv (pull, buffer.data (), buffer.size (), 0), static_cast<int> (size));
        buffer.resize (size);
        ASSERT_TRUE (buffer == pattern (size, 1)) << size;
    }
}

TEST_F (messages, of_every_size_by_message_calls_both_ways)
{
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    ASSERT_TRUE (join (one, two));
    const auto speak = [] (socket &from, unsigned salt) {
        for (const std::size_t size : sizes) {
            part next (pattern (size, salt));
            EXPECT_EQ (zmq_msg_send (next.raw (), from, 0), static_cast<int> (size));
            EXPECT_EQ (next.size (), 0u);
        }
    };
    const auto listen = [] (socket &to, unsigned salt) {
        for (const std::size_t size : sizes) {
            part next;
            ASSERT_EQ (zmq_msg_recv (next.raw (), to, 0), static_cast<int> (size));
            ASSERT_TRUE (next.text () == pattern (size, salt)) << size;
        }
    };
    worker first ([&] { speak (one, 1); });
    worker second ([&] { speak (two, 2); });
    worker third ([&] { listen (one, 2); });
    listen (two, 1);
}

TEST_F (messages, of_every_size_many_times_in_a_burst)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    constexpr int rounds = 30;
    std::vector<std::size_t> some;
    std::copy_if (sizes.begin (), sizes.end (), std::back_inserter (some),
                  [] (std::size_t size) { return size <= 300'000; });
    worker sender ([&] {
        for (int i = 0; i < rounds; ++i)
            for (const std::size_t size : some)
                EXPECT_TRUE (push.send (pattern (size, static_cast<unsigned> (i))));
    });
    for (int i = 0; i < rounds; ++i)
        for (const std::size_t size : some)
            ASSERT_TRUE (pull.receive () == pattern (size, static_cast<unsigned> (i))) << i << ' ' << size;
}

TEST_F (messages, a_short_buffer_cuts_and_the_answer_is_the_full_size)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    for (const std::size_t size : {10u, 300u, 70'000u}) {
        const std::string sent = pattern (size);
        ASSERT_TRUE (push.send (sent));
        ASSERT_TRUE (push.send ("next"));
        std::array<char, 5> room{};
        ASSERT_EQ (zmq_recv (pull, room.data (), 4, 0), static_cast<int> (size));
        EXPECT_EQ (std::string (room.data (), 4), sent.substr (0, 4));
        EXPECT_EQ (room[4], '\0');
        EXPECT_EQ (pull.receive (), "next");
    }
    ASSERT_TRUE (push.send ("unseen"));
    EXPECT_EQ (zmq_recv (pull, nullptr, 0, 0), 6);
}

TEST_F (messages, parts_arrive_in_order_with_more_between_them)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    EXPECT_EQ (pull.get (ZMQ_RCVMORE), 0);
    const std::vector<std::string> sent = {"", "a", pattern (300), "", pattern (20'000), pattern (100'000),
                                           ""};
    ASSERT_TRUE (push.send (sent));
    ASSERT_TRUE (push.send ("single"));
    for (std::size_t i = 0; i < sent.size (); ++i) {
        part next;
        ASSERT_GE (zmq_msg_recv (next.raw (), pull, 0), 0);
        EXPECT_TRUE (next.text () == sent[i]) << i;
        const bool more = i + 1 < sent.size ();
        EXPECT_EQ (next.more (), more);
        EXPECT_EQ (pull.get (ZMQ_RCVMORE), more ? 1 : 0);
    }
    EXPECT_EQ (pull.receive_message (), std::vector<std::string>{"single"});
}

TEST_F (messages, of_very_many_parts)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    constexpr int count = 20'000;
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            EXPECT_TRUE (push.send (std::to_string (i), i + 1 < count ? ZMQ_SNDMORE : 0));
    });
    const std::vector<std::string> got = pull.receive_message ();
    ASSERT_EQ (got.size (), static_cast<std::size_t> (count));
    for (int i = 0; i < count; ++i)
        ASSERT_EQ (got[static_cast<std::size_t> (i)], std::to_string (i));
}

TEST_F (messages, without_their_last_part_are_not_there)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    ASSERT_TRUE (push.send ("first", ZMQ_SNDMORE));
    ASSERT_TRUE (push.send (pattern (200'000), ZMQ_SNDMORE));
    pull.set (ZMQ_RCVTIMEO, 100);
    EXPECT_FALSE (pull.receive ());
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_EQ (pull.get (ZMQ_EVENTS), 0);
    pull.set (ZMQ_RCVTIMEO, watchdog_ms);
    ASSERT_TRUE (push.send ("last"));
    const std::vector<std::string> whole = {"first", pattern (200'000), "last"};
    EXPECT_EQ (pull.receive_message (), whole);
}

TEST_F (messages, without_their_last_part_vanish_with_their_sender)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    {
        socket push = open (ZMQ_PUSH);
        push.set (ZMQ_LINGER, watchdog_ms);
        push.connect (where);
        ASSERT_TRUE (push.send ("whole"));
        ASSERT_TRUE (push.send ("half", ZMQ_SNDMORE));
    }
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    EXPECT_EQ (pull.receive (), "whole");
    ASSERT_TRUE (push.send ("next"));
    EXPECT_EQ (pull.receive_message (), std::vector<std::string>{"next"});
}

// --- memory of the caller's --------------------------------------------------

const std::vector<std::size_t> owned_sizes = {0, 1, 100, 8192, 16'384, 70'000, 300'000};

// Half a message has been handed out when its link goes: the rest of it is
// here, and is handed out as well.
TEST_F (messages, half_taken_stay_whole_though_their_link_goes)
{
    const std::vector<std::string> whole = {"first", "", pattern (100'000), "x", "last"};
    for (const bool by_parts : {true, false}) {
        socket push = open (ZMQ_PUSH);
        socket pull = open (ZMQ_PULL);
        const std::string where = push.bind (place ());
        pull.connect (where);
        ASSERT_TRUE (push.has_peers ());
        ASSERT_TRUE (push.send (whole));
        ASSERT_EQ (pull.receive (), whole[0]);
        pull.disconnect (where);
        EXPECT_NE (pull.get (ZMQ_EVENTS) & ZMQ_POLLIN, 0);
        ASSERT_EQ (pull.get (ZMQ_RCVMORE), 1);
        if (by_parts) {
            for (std::size_t i = 1; i < whole.size (); ++i) {
                ASSERT_TRUE (pull.receive (ZMQ_DONTWAIT) == whole[i]) << i;
                ASSERT_EQ (pull.get (ZMQ_RCVMORE), i + 1 < whole.size () ? 1 : 0);
            }
        } else {
            parts_of<4> rest;
            std::size_t count = 4;
            ASSERT_EQ (zlink_recvv (pull, rest.data (), &count, ZLINK_DONTWAIT), 4) << zmq_strerror (errno);
            for (std::size_t i = 0; i < 4; ++i)
                EXPECT_TRUE (rest.text (i) == whole[i + 1]) << i;
        }
        EXPECT_EQ (pull.get (ZMQ_EVENTS) & ZMQ_POLLIN, 0);
        EXPECT_FALSE (pull.receive (ZMQ_DONTWAIT));
        socket next = open (ZMQ_PUSH);
        pull.connect (next.bind (place ()));
        ASSERT_TRUE (next.send (whole));
        EXPECT_TRUE (pull.receive_message () == whole);
    }
}

// The same, and nobody asks for the rest.
TEST_F (messages, half_taken_are_released_with_their_socket)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    const std::string where = push.bind (place ());
    pull.connect (where);
    release_count released;
    std::string memory = pattern (80'000);
    ASSERT_TRUE (push.has_peers ());
    {
        ASSERT_TRUE (push.send ("first", ZMQ_SNDMORE));
        part second (memory.data (), memory.size (), release_count::release, &released);
        ASSERT_GE (zmq_msg_send (second.raw (), push, 0), 0);
    }
    ASSERT_EQ (pull.receive (), "first");
    pull.disconnect (where);
    EXPECT_EQ (pull.close (), 0);
    EXPECT_TRUE (released.reaches (1));
}

TEST_F (messages, by_reference_are_released_once_after_delivery)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    release_count released;
    std::string memory = pattern (300'000);
    for (const std::size_t size : owned_sizes) {
        part next (memory.data (), size, release_count::release, &released);
        ASSERT_EQ (zmq_msg_send (next.raw (), push, 0), static_cast<int> (size));
        EXPECT_EQ (pull.receive (), memory.substr (0, size));
    }
    EXPECT_TRUE (released.reaches (static_cast<int> (owned_sizes.size ())));
}

TEST_F (messages, by_reference_as_parts_are_released_once)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    release_count released;
    std::string memory = pattern (300'000);
    for (int round = 0; round < 3; ++round)
        for (const std::size_t size : owned_sizes) {
            part next (memory.data (), size, release_count::release, &released);
            const bool more = size != owned_sizes.back ();
            ASSERT_GE (zmq_msg_send (next.raw (), push, more ? ZMQ_SNDMORE : 0), 0);
        }
    for (int round = 0; round < 3; ++round) {
        const std::vector<std::string> got = pull.receive_message ();
        ASSERT_EQ (got.size (), owned_sizes.size ());
        EXPECT_TRUE (got.back () == memory);
    }
    EXPECT_TRUE (released.reaches (3 * static_cast<int> (owned_sizes.size ())));
}

// Messages for nobody: dropped at once with LINGER 0.
TEST_F (messages, by_reference_are_released_once_when_their_socket_closes)
{
    release_count released;
    std::string memory = pattern (300'000);
    socket push = open (ZMQ_PUSH);
    push.connect (place ());
    for (const std::size_t size : owned_sizes) {
        part next (memory.data (), size, release_count::release, &released);
        ASSERT_GE (zmq_msg_send (next.raw (), push, 0), 0);
    }
    part unfinished (memory.data (), 1000, release_count::release, &released);
    ASSERT_GE (zmq_msg_send (unfinished.raw (), push, ZMQ_SNDMORE), 0);
    EXPECT_EQ (released.calls.load (), 0);
    push.close ();
    EXPECT_EQ (own.term (), 0);
    EXPECT_EQ (released.calls.load (), 1 + static_cast<int> (owned_sizes.size ()));
}

TEST_F (messages, by_reference_are_released_once_when_nobody_reads_them)
{
    release_count released;
    std::string memory = pattern (300'000);
    int sent = 0;
    {
        socket pull = open (ZMQ_PULL);
        socket push = open (ZMQ_PUSH);
        push.set (ZMQ_SNDHWM, 100);
        pull.set (ZMQ_RCVHWM, 100);
        ASSERT_TRUE (join (pull, push));
        for (;; ++sent) {
            part next (memory.data (), owned_sizes[static_cast<std::size_t> (sent) % owned_sizes.size ()],
                       release_count::release, &released);
            if (zmq_msg_send (next.raw (), push, ZMQ_DONTWAIT) < 0)
                break;
        }
        EXPECT_EQ (errno, EAGAIN);
        pull.close ();
        EXPECT_TRUE (eventually ([&] { return zlink_wait_peers (push, 1, 0) != 0; }));
    }
    EXPECT_EQ (own.term (), 0);
    EXPECT_EQ (released.calls.load (), sent + 1);  // the refused one by its owner
}

TEST_F (messages, by_reference_are_released_once_on_disconnect)
{
    release_count released;
    std::string memory = pattern (300'000);
    const std::string where = place ();
    socket push = open (ZMQ_PUSH);
    push.connect (where);
    for (const std::size_t size : owned_sizes) {
        part next (memory.data (), size, release_count::release, &released);
        ASSERT_GE (zmq_msg_send (next.raw (), push, 0), 0);
    }
    push.disconnect (where);
    EXPECT_TRUE (released.reaches (static_cast<int> (owned_sizes.size ())));
}

TEST_F (messages, that_were_refused_stay_with_the_caller)
{
    release_count released;
    std::string memory = pattern (5000);
    socket push = open (ZMQ_PUSH);
    {
        part next (memory.data (), memory.size (), release_count::release, &released);
        ASSERT_EQ (zmq_msg_send (next.raw (), push, ZMQ_DONTWAIT), -1);
        EXPECT_EQ (errno, EAGAIN);
        EXPECT_TRUE (next.text () == memory);
        EXPECT_EQ (released.calls.load (), 0);
    }
    EXPECT_EQ (released.calls.load (), 1);
}

TEST_F (messages, copied_and_sent_twice_share_their_bytes)
{
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    release_count released;
    std::string memory = pattern (50'000);
    {
        part original (memory.data (), memory.size (), release_count::release, &released);
        for (int i = 0; i < 3; ++i) {
            part copy;
            ASSERT_EQ (zmq_msg_copy (copy.raw (), original.raw ()), 0);
            ASSERT_GE (zmq_msg_send (copy.raw (), push, 0), 0);
        }
        for (int i = 0; i < 3; ++i)
            EXPECT_TRUE (pull.receive () == memory);
        EXPECT_TRUE (original.text () == memory);
        EXPECT_EQ (released.calls.load (), 0);
    }
    EXPECT_TRUE (released.reaches (1));
}

TEST_F (messages, constant_bytes_arrive)
{
    static const std::string constant = pattern (100'000);
    socket pull = open (ZMQ_PULL);
    socket push = open (ZMQ_PUSH);
    ASSERT_TRUE (join (pull, push));
    for (const std::size_t size : {3u, 20'000u, 100'000u}) {
        ASSERT_EQ (zmq_send_const (push, constant.data (), size, 0), static_cast<int> (size));
        EXPECT_TRUE (pull.receive () == constant.substr (0, size));
    }
}

TEST_F (messages, kept_outlive_sockets_and_context)
{
    std::vector<std::unique_ptr<part>> kept;
    {
        socket pull = open (ZMQ_PULL);
        socket push = open (ZMQ_PUSH);
        ASSERT_TRUE (join (pull, push));
        for (const std::size_t size : owned_sizes)
            ASSERT_TRUE (push.send (pattern (size)));
        for (std::size_t i = 0; i < owned_sizes.size (); ++i) {
            kept.push_back (std::make_unique<part> ());
            ASSERT_GE (zmq_msg_recv (kept.back ()->raw (), pull, 0), 0);
        }
    }
    ASSERT_EQ (own.term (), 0);
    for (std::size_t i = 0; i < owned_sizes.size (); ++i)
        EXPECT_TRUE (kept[i]->text () == pattern (owned_sizes[i]));
}

TEST_F (messages, a_failed_receive_leaves_the_message_alone)
{
    socket pull = open (ZMQ_PULL);
    part held ("mine");
    EXPECT_EQ (zmq_msg_recv (held.raw (), pull, ZMQ_DONTWAIT), -1);
    EXPECT_EQ (errno, EAGAIN);
    EXPECT_EQ (held.text (), "mine");
}

}  // namespace
}  // namespace zlink::test

// The traps of engines of this kind. Each hung or corrupted a run of an
// earlier one; most can only be provoked by interleavings, so these are
// stresses that a fallen-into trap hangs (the watchdog bites) or corrupts
// (the patterns differ). Those that need a byte stream are in
// stream_traps.cpp.
#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

struct traps : conformance
{
    // Small kernel buffers, so that the kernel is full all the time.
    void narrow (socket &push, socket &pull)
    {
        push.set (ZMQ_SNDBUF, 8192);
        pull.set (ZMQ_RCVBUF, 8192);
    }
};

// 1: tx released with bytes left and nobody told. Appenders find tx claimed
// and leave their bytes to the holder; then all stop. What is left must
// arrive without any further call of the sender's.
TEST_F (traps, trap_01_what_appenders_left_behind_arrives)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    narrow (push, pull);
    ASSERT_TRUE (join (pull, push));
    constexpr int senders = 4;
    constexpr int rounds = 150;
    constexpr int each_sends = 20;
    meeting start (senders + 1);
    std::vector<worker> all;
    for (int i = 0; i < senders; ++i)
        all.emplace_back ([&, i] {
            for (int round = 0; round < rounds; ++round) {
                start.arrive_and_wait ();
                for (int k = 0; k < each_sends; ++k)
                    EXPECT_TRUE (push.send (pattern (static_cast<std::size_t> (50 + 40 * i))));
            }
        });
    for (int round = 0; round < rounds; ++round) {
        start.arrive_and_wait ();
        for (int k = 0; k < senders * each_sends; ++k) {
            const auto got = pull.receive ();
            if (!got)
                std::abort ();  // the senders stand at the barrier
            ASSERT_TRUE (*got == pattern (got->size ()));
        }
    }
}

// 2: the event that the kernel has room fires before the flag is up, and the
// flag stays up for ever. The kernel is filled and emptied over and over; the
// rest of each burst must follow by itself.
TEST_F (traps, trap_02_a_full_kernel_is_written_on_when_it_drains)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    narrow (push, pull);
    ASSERT_TRUE (join (pull, push));
    for (int round = 0; round < 80; ++round) {
        const std::string text = pattern (static_cast<std::size_t> (1 + round * 61 % 7000));
        for (int k = 0; k < 100; ++k)
            ASSERT_TRUE (push.send (text));
        for (int k = 0; k < 100; ++k)
            ASSERT_TRUE (pull.receive () == text) << round << ' ' << k;
    }
}

// 3: an edge harvested while a read is under way is lost. Lone messages of
// several peers at odd moments, each waited for.
TEST_F (traps, trap_03_an_edge_during_a_read_is_not_lost)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    constexpr int peers = 3;
    constexpr int each_sends = 4000;
    std::atomic<int> received{0};
    std::vector<worker> senders;
    for (int i = 0; i < peers; ++i)
        senders.emplace_back ([&, i] {
            socket push = open (ZMQ_PUSH);
            push.connect (where);
            for (int k = 0; k < each_sends; ++k) {
                EXPECT_TRUE (push.send (std::to_string (i)));
                // At most a few in flight: most messages meet an empty socket.
                ASSERT_TRUE (eventually ([&] { return received >= (k - 1) * peers / 2; }));
            }
            EXPECT_TRUE (eventually ([&] { return received == peers * each_sends; }));
        });
    for (int k = 0; k < peers * each_sends; ++k) {
        ASSERT_TRUE (pull.receive ()) << k;
        ++received;
    }
}

// 4: a thread that leaves with messages in its slab wakes nobody. As many
// threads as messages, each takes one and none comes again before all have.
TEST_F (traps, trap_04_who_leaves_messages_behind_wakes_another)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    constexpr int receivers = 4;
    constexpr int rounds = 600;
    meeting round_over (receivers + 1);
    std::vector<worker> all;
    for (int i = 0; i < receivers; ++i)
        all.emplace_back ([&] {
            for (int round = 0; round < rounds; ++round) {
                if (!pull.receive ())
                    std::abort ();  // the others stand at the barrier
                round_over.arrive_and_wait ();
            }
        });
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < receivers; ++i)
            ASSERT_TRUE (push.send ("x"));
        round_over.arrive_and_wait ();
    }
}

// 5: a kick that comes between a leader's unlock and its sleep is lost. One
// thread sleeps as the leader, another looks in without waiting, takes one of
// two messages out of the slab and leaves the other to the leader.
TEST_F (traps, trap_05_a_kick_before_the_sleep_is_not_lost)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    constexpr int total = 6000;
    std::atomic<int> received{0};
    worker leader ([&] {
        while (received < total - 1) {
            const auto got = pull.receive ();
            ASSERT_TRUE (got);
            if (*got == "end")
                return;
            ++received;
        }
    });
    worker passer_by ([&] {
        while (received < total)
            if (pull.receive (ZMQ_DONTWAIT))
                ++received;
            else
                here ().give_way ();
    });
    for (int k = 0; k < total; k += 2) {
        ASSERT_TRUE (push.send ("x"));
        ASSERT_TRUE (push.send ("x"));
        // Both are taken, by whomever, before the next two.
        ASSERT_TRUE (eventually ([&] { return received >= k + 1; }));
    }
    ASSERT_TRUE (eventually ([&] { return received >= total - 1; }));
    ASSERT_TRUE (push.send ("end"));
    ASSERT_TRUE (push.send ("end"));
    received = total;
}

// 6: counters that the other side looks at outside the lock. Both sides sleep
// on marks of one all the time. (ThreadSanitizer sees a plain counter.)
TEST_F (traps, trap_06_both_sides_asleep_at_a_mark_of_one)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    push.set (ZMQ_SNDHWM, 1);
    pull.set (ZMQ_RCVHWM, 1);
    narrow (push, pull);
    ASSERT_TRUE (join (pull, push));
    constexpr int count = 10'000;
    worker sender ([&] {
        for (int i = 0; i < count; ++i)
            ASSERT_TRUE (push.send (std::to_string (i))) << i;
    });
    for (int i = 0; i < count; ++i)
        ASSERT_EQ (pull.receive (), std::to_string (i));
}

// 7: copies whose ends lie a few bytes apart modulo a page are slow on some
// machines: large bodies stand at an odd place in their page.
TEST_F (traps, trap_07_large_bodies_stand_off_the_start_of_a_page)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    for (const std::size_t size : {65'536u, 131'072u, 262'144u})
        for (int k = 0; k < 5; ++k) {
            ASSERT_TRUE (push.send (pattern (size)));
            part got;
            ASSERT_GE (zmq_msg_recv (got.raw (), pull, 0), 0);
            const auto in_page = reinterpret_cast<std::uintptr_t> (zmq_msg_data (got.raw ())) % 4096;
            EXPECT_GE (in_page, 256u) << size;
            EXPECT_LE (in_page, 4096u - 256u) << size;
        }
}

// 10: others parse a slab while its holder reads into it. Several receivers,
// sizes that straddle every boundary, every byte looked at.
TEST_F (traps, trap_10_a_claimed_slab_is_parsed_by_others)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    constexpr int total = 12'000;
    const auto size_of = [] (unsigned i) {
        const unsigned mixed = i * 2654435761u >> 8;
        return i % 50 == 0 ? std::size_t{mixed % 300'000} : std::size_t{mixed % 3000};
    };
    std::atomic<int> received{0};
    std::atomic<std::uint64_t> sum{0};
    std::vector<worker> receivers;
    for (int i = 0; i < 3; ++i)
        receivers.emplace_back ([&] {
            for (;;) {
                const auto got = pull.receive ();
                ASSERT_TRUE (got);
                if (*got == "end")
                    return;
                const auto number = static_cast<unsigned> (std::stoul (got->substr (0, 8)));
                ASSERT_TRUE (got->substr (8) == pattern (size_of (number), number)) << number;
                sum += number;
                ++received;
            }
        });
    for (unsigned i = 0; i < total; ++i) {
        const std::string number = std::to_string (i);
        ASSERT_TRUE (push.send (std::string (8 - number.size (), '0') + number + pattern (size_of (i), i)));
    }
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE (push.send ("end"));
    for (worker &each : receivers)
        each.join ();
    EXPECT_EQ (received, total);
    EXPECT_EQ (sum, std::uint64_t{total} * (total - 1) / 2);
}

}  // namespace
}  // namespace zlink::test

// Many senders and receivers on the same sockets: every message arrives once,
// whole, and in the order of its sender where one thread receives.
#include <array>
#include <memory>

#include "threads/crowd.hpp"

namespace zlink::test {
namespace {

class traffic : public crowd
{
  protected:
    [[nodiscard]] bool join (socket &binder, socket &dialler)
    {
        dialler.connect (binder.bind (place ()));
        return dialler.has_peers () && binder.has_peers ();
    }
};

INSTANTIATE_TEST_SUITE_P (over, traffic, every_transport (), transport_name);

// "sender:number:" and a body that follows from both.
std::string letter (unsigned sender, unsigned number)
{
    const unsigned mixed = (sender * 31 + number) * 2654435761u >> 8;
    const std::size_t size = number % 97 == 0 ? mixed % 150'000 : mixed % 600;
    return std::to_string (sender) + ':' + std::to_string (number) + ':' + pattern (size, mixed);
}

struct postmark
{
    unsigned sender;
    unsigned number;
};

postmark read_letter (const std::string &text)
{
    const std::size_t first = text.find (':');
    const postmark mark{static_cast<unsigned> (std::stoul (text)),
                        static_cast<unsigned> (std::stoul (text.substr (first + 1)))};
    EXPECT_TRUE (text == letter (mark.sender, mark.number)) << mark.sender << ' ' << mark.number;
    return mark;
}

TEST_P (traffic, eight_senders_one_receiver)
{
    constexpr unsigned senders = 8;
    constexpr unsigned each_sends = 1500;
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    std::vector<worker> all;
    for (unsigned i = 0; i < senders; ++i)
        all.emplace_back ([&, i] {
            for (unsigned k = 0; k < each_sends; ++k)
                EXPECT_TRUE (push.send (letter (i, k)));
        });
    std::array<unsigned, senders> next{};
    for (unsigned k = 0; k < senders * each_sends; ++k) {
        const auto got = pull.receive ();
        ASSERT_TRUE (got);
        const postmark mark = read_letter (*got);
        ASSERT_EQ (mark.number, next[mark.sender]++);
    }
}

TEST_P (traffic, four_senders_four_receivers)
{
    constexpr unsigned senders = 4;
    constexpr unsigned receivers = 4;
    constexpr unsigned each_sends = 2000;
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    std::vector<std::vector<std::atomic<int>>> seen (senders);
    for (auto &each : seen)
        each = std::vector<std::atomic<int>> (each_sends);
    std::vector<worker> all;
    for (unsigned i = 0; i < receivers; ++i)
        all.emplace_back ([&] {
            for (;;) {
                const auto got = pull.receive ();
                ASSERT_TRUE (got);
                if (got->empty ())
                    return;
                const postmark mark = read_letter (*got);
                ++seen[mark.sender][mark.number];
            }
        });
    {
        std::vector<worker> posts;
        for (unsigned i = 0; i < senders; ++i)
            posts.emplace_back ([&, i] {
                for (unsigned k = 0; k < each_sends; ++k)
                    EXPECT_TRUE (push.send (letter (i, k)));
            });
    }
    for (unsigned i = 0; i < receivers; ++i)
        ASSERT_TRUE (push.send (""));
    all.clear ();
    for (const auto &sender : seen)
        for (const auto &times : sender)
            ASSERT_EQ (times.load (), 1);
}

TEST_P (traffic, both_ways_on_a_pair_at_low_marks)
{
    constexpr unsigned each_sends = 1500;
    socket one = open (ZMQ_PAIR);
    socket two = open (ZMQ_PAIR);
    for (socket *each : {&one, &two}) {
        each->set (ZMQ_SNDHWM, 3);
        each->set (ZMQ_RCVHWM, 3);
        each->set (ZMQ_SNDBUF, 8192);
        each->set (ZMQ_RCVBUF, 8192);
    }
    ASSERT_TRUE (join (one, two));
    std::vector<worker> all;
    for (socket *from : {&one, &two})
        for (unsigned i = 0; i < 2; ++i)
            all.emplace_back ([from, i] {
                for (unsigned k = 0; k < each_sends; ++k)
                    EXPECT_TRUE (from->send (letter (i, k)));
            });
    for (socket *to : {&one, &two})
        all.emplace_back ([to] {
            std::array<unsigned, 2> next{};
            for (unsigned k = 0; k < 2 * each_sends; ++k) {
                const auto got = to->receive ();
                ASSERT_TRUE (got);
                const postmark mark = read_letter (*got);
                ASSERT_EQ (mark.number, next[mark.sender]++);
            }
        });
}

// Every way to receive at once, on one socket.
TEST_P (traffic, receivers_of_every_kind_on_one_socket)
{
    constexpr unsigned total = 6000;
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    std::atomic<unsigned> received{0};
    const auto take = [&] (const std::string &text) {
        (void)read_letter (text);
        ++received;
    };
    std::vector<worker> all;
    all.emplace_back ([&] {
        pull.set (ZMQ_RCVTIMEO, 20);
        while (received < total)
            if (const auto got = pull.receive ())
                take (*got);
    });
    all.emplace_back ([&] {
        while (received < total)
            if (const auto got = pull.receive (ZMQ_DONTWAIT))
                take (*got);
            else
                ::sched_yield ();
    });
    all.emplace_back ([&] {
        while (received < total) {
            zmq_pollitem_t item{pull, 0, ZMQ_POLLIN, 0};
            if (zmq_poll (&item, 1, 20) == 1)
                if (const auto got = pull.receive (ZMQ_DONTWAIT))
                    take (*got);
        }
    });
    all.emplace_back ([&] {
        while (received < total) {
            parts_of<8> in;
            const int taken = zlink_recvn (pull, in.data (), 8, 0);
            for (int i = 0; i < taken; ++i)
                take (in.text (static_cast<std::size_t> (i)));
        }
    });
    for (unsigned k = 0; k < total; ++k)
        ASSERT_TRUE (push.send (letter (0, k)));
}

TEST_P (traffic, senders_of_every_kind_on_one_socket)
{
    constexpr unsigned each_sends = 1200;
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    push.set (ZMQ_SNDHWM, 20);
    pull.set (ZMQ_RCVHWM, 20);
    ASSERT_TRUE (join (pull, push));
    std::vector<worker> all;
    all.emplace_back ([&] {
        for (unsigned k = 0; k < each_sends; ++k)
            EXPECT_TRUE (push.send (letter (0, k)));
    });
    all.emplace_back ([&] {
        for (unsigned k = 0; k < each_sends; ++k)
            EXPECT_TRUE (eventually ([&] { return push.send (letter (1, k), ZMQ_DONTWAIT); }));
    });
    all.emplace_back ([&] {
        for (unsigned k = 0; k < each_sends; ++k) {
            part next (letter (2, k));
            EXPECT_GE (zmq_msg_send (next.raw (), push, 0), 0);
        }
    });
    all.emplace_back ([&] {
        for (unsigned k = 0; k < each_sends;) {
            parts_of<4> out;
            for (unsigned i = 0; i < 4; ++i)
                out.set (i, letter (3, k + i));
            const int taken = zlink_sendn (push, out.data (), 4, 0);
            ASSERT_GT (taken, 0);
            k += static_cast<unsigned> (taken);
        }
    });
    std::array<unsigned, 4> next{};
    unsigned extra = 0;
    for (unsigned k = 0; k < 4 * each_sends + extra; ++k) {
        const auto got = pull.receive ();
        ASSERT_TRUE (got);
        const postmark mark = read_letter (*got);
        ASSERT_EQ (mark.number, next[mark.sender]++);
        extra += mark.number >= each_sends;  // the batches may run over by a few
    }
}

TEST_P (traffic, references_shared_between_threads_are_released_once)
{
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    ASSERT_TRUE (join (pull, push));
    release_count released;
    std::string memory = pattern (80'000);
    constexpr int rounds = 50;
    constexpr int senders = 3;
    worker receiver ([&] {
        for (int i = 0; i < rounds * senders; ++i)
            ASSERT_TRUE (pull.receive () == memory);
    });
    for (int round = 0; round < rounds; ++round) {
        part original (memory.data (), memory.size (), release_count::release, &released);
        std::vector<std::unique_ptr<part>> copies;
        std::vector<worker> all;
        for (int i = 0; i < senders; ++i) {
            copies.push_back (std::make_unique<part> ());
            zmq_msg_copy (copies.back ()->raw (), original.raw ());
        }
        for (int i = 0; i < senders; ++i)
            all.emplace_back ([&, i] {
                EXPECT_GE (zmq_msg_send (copies[static_cast<std::size_t> (i)]->raw (), push, 0), 0);
            });
    }
    receiver.join ();
    EXPECT_TRUE (released.reaches (rounds));
}

TEST_P (traffic, many_peers_many_receivers)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    constexpr unsigned peers = 12;
    constexpr unsigned each_sends = 300;
    std::vector<worker> all;
    for (unsigned i = 0; i < peers; ++i)
        all.emplace_back ([&, i] {
            socket push = open (ZMQ_PUSH);
            push.set (ZMQ_LINGER, watchdog_ms);
            push.connect (where);
            for (unsigned k = 0; k < each_sends; ++k)
                EXPECT_TRUE (push.send (letter (i, k)));
        });
    std::atomic<unsigned> received{0};
    std::vector<worker> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back ([&] {
            for (;;) {
                const auto got = pull.receive ();
                ASSERT_TRUE (got);
                if (got->empty ())
                    return;
                (void)read_letter (*got);
                ++received;
            }
        });
    ASSERT_TRUE (eventually ([&] { return received == peers * each_sends; })) << received;
    socket last = open (ZMQ_PUSH);
    last.set (ZMQ_LINGER, watchdog_ms);
    last.connect (where);
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE (last.send (""));
}

}  // namespace
}  // namespace zlink::test

// Sockets that are opened, connected, disconnected and closed while other
// threads send, receive and poll on them.
#include <array>

#include "threads/crowd.hpp"

namespace zlink::test {
namespace {

class churn : public crowd
{
};

INSTANTIATE_TEST_SUITE_P (over, churn, every_transport (), transport_name);

// Traffic on a link that stays is untouched by links that come and go.
TEST_P (churn, links_come_and_go_beside_traffic)
{
    constexpr int total = 3000;
    socket push = open (ZMQ_PUSH);
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    push.connect (where);
    ASSERT_TRUE (push.has_peers ());
    std::atomic<bool> stop{false};
    std::vector<worker> all;
    for (int i = 0; i < 2; ++i)
        all.emplace_back ([&] {
            while (!stop) {
                socket visitor = open (ZMQ_PUSH);
                visitor.connect (where);
                (void)visitor.send ("visitor", ZMQ_DONTWAIT);
                (void)visitor.status (where);
            }
        });
    all.emplace_back ([&] {
        while (!stop) {
            const std::string other = place ();
            pull.bind (other);
            (void)pull.statistics ();
            std::size_t none = 0;
            EXPECT_EQ (zlink_counters_text (pull, nullptr, &none), 0);
            pull.unbind (other);
        }
    });
    all.emplace_back ([&] {
        while (!stop) {
            zmq_pollitem_t items[] = {{pull, 0, ZMQ_POLLIN, 0}, {push, 0, ZMQ_POLLOUT, 0}};
            EXPECT_GE (zmq_poll (items, 2, 1), 0);
        }
    });
    worker sender ([&] {
        for (int i = 0; i < total; ++i)
            EXPECT_TRUE (push.send (std::to_string (i)));
    });
    for (int i = 0; i < total;) {
        const auto got = pull.receive ();
        ASSERT_TRUE (got);
        if (*got == "visitor")
            continue;
        ASSERT_EQ (*got, std::to_string (i));
        ++i;
    }
    stop = true;
    // Whoever blocks at a mark needs a reader until the end.
    for (worker &each : all)
        while (!each.done ())
            (void)pull.receive (ZMQ_DONTWAIT);
}

// A socket shared by senders is disconnected and connected again under them.
TEST_P (churn, the_senders_own_link_comes_and_goes)
{
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_SNDTIMEO, 10);
    std::atomic<bool> stop{false};
    std::vector<worker> all;
    for (int i = 0; i < 3; ++i)
        all.emplace_back ([&] {
            while (!stop) {
                const bool sent = push.send (pattern (2000));
                EXPECT_TRUE (sent || errno == EAGAIN) << zmq_strerror (errno);
            }
        });
    std::atomic<int> received{0};
    for (int i = 0; i < 2; ++i)
        all.emplace_back ([&] {
            while (!stop) {
                const auto got = pull.receive (ZMQ_DONTWAIT);
                if (!got) {
                    ::sched_yield ();
                    continue;
                }
                EXPECT_TRUE (*got == pattern (2000));
                ++received;
            }
        });
    for (int round = 0; round < 60; ++round) {
        push.connect (where);
        const int before = received;
        ASSERT_TRUE (eventually ([&] { return received > before; })) << round;
        push.disconnect (where);
    }
    stop = true;
}

// One call of any kind on a handle that may be dead, alive or null.
int use (void *handle, dice &by)
{
    std::array<char, 64> room{};
    int number = 0;
    std::size_t size = sizeof number;
    zmq_pollitem_t item{handle, 0, ZMQ_POLLIN | ZMQ_POLLOUT, 0};
    switch (by.roll (7)) {
    case 0:
    case 1:
        return zmq_send (handle, "some text", 9, ZMQ_DONTWAIT);
    case 2:
    case 3:
        return zmq_recv (handle, room.data (), room.size (), ZMQ_DONTWAIT);
    case 4:
        return handle == nullptr ? 0 : zmq_poll (&item, 1, 1);
    case 5:
        return zmq_getsockopt (handle, ZMQ_EVENTS, &number, &size);
    default:
        return zmq_getsockopt (handle, ZMQ_FD, &number, &size);
    }
}

// Handles are passed around, closed by anybody at any moment and used after.
TEST_P (churn, anybody_closes_anything)
{
    constexpr std::size_t slots = 6;
    constexpr int each_does = 1500;
    std::array<std::atomic<void *>, slots> handles{};
    const std::string where = place ();
    socket anchor = open (ZMQ_PULL);
    anchor.bind (where);
    const auto fresh = [&] (dice &by) {
        void *const made = zmq_socket (own, by.roll (2) == 0 ? ZMQ_PUSH : ZMQ_PULL);
        const int zero = 0;
        zmq_setsockopt (made, ZMQ_LINGER, &zero, sizeof zero);
        (void)zmq_connect (made, where.c_str ());
        return made;
    };
    dice first (99);
    for (auto &each : handles)
        each = fresh (first);
    std::vector<worker> all;
    for (std::uint32_t i = 0; i < 4; ++i)
        all.emplace_back ([&, i] {
            dice by (i + 1);
            for (int k = 0; k < each_does; ++k) {
                auto &slot = handles[by.roll (slots)];
                void *handle = slot;
                if (by.roll (8) == 0 && handle != nullptr && slot.compare_exchange_strong (handle, nullptr)) {
                    EXPECT_EQ (zmq_close (handle), 0);
                    slot = fresh (by);
                    continue;
                }
                const int outcome = use (handle, by);
                EXPECT_TRUE (outcome >= 0 || errno == ENOTSOCK || errno == EAGAIN || errno == ENOTSUP)
                  << zmq_strerror (errno);
            }
        });
    for (worker &each : all)
        while (!each.done ())
            if (!anchor.receive (ZMQ_DONTWAIT))
                ::sched_yield ();
    all.clear ();
    for (auto &each : handles)
        zmq_close (each);
}

// Blocked callers of a socket that another thread closes.
TEST_P (churn, closing_under_blocked_callers)
{
    for (int round = 0; round < 60; ++round) {
        socket one = open (ZMQ_PAIR);
        socket two = open (ZMQ_PAIR);
        two.connect (one.bind (place ()));
        ASSERT_TRUE (two.has_peers ());
        void *const handle = one;
        std::atomic<int> entered{0};
        std::vector<worker> all;
        for (int i = 0; i < 3; ++i)
            all.emplace_back ([&] {
                char byte = 0;
                ++entered;
                EXPECT_EQ (zmq_recv (handle, &byte, 1, 0), -1);
                EXPECT_EQ (errno, ENOTSOCK);
            });
        all.emplace_back ([&] {
            zmq_pollitem_t item{handle, 0, ZMQ_POLLIN, 0};
            ++entered;
            EXPECT_EQ (zmq_poll (&item, 1, watchdog_ms), -1);
            EXPECT_EQ (errno, ENOTSOCK);
        });
        ASSERT_TRUE (eventually ([&] { return entered == 4; }));
        one.close ();
    }
}

TEST_P (churn, threads_open_talk_and_close)
{
    std::vector<worker> all;
    for (int i = 0; i < 4; ++i)
        all.emplace_back ([&] {
            for (int k = 0; k < 60; ++k) {
                socket pull = open (ZMQ_PULL);
                socket push = open (ZMQ_PUSH);
                push.connect (pull.bind (place ()));
                EXPECT_TRUE (push.send ("x"));
                EXPECT_EQ (pull.receive (), "x");
            }
        });
}

// The listener goes and comes back while several threads send; what arrives
// is whole.
TEST_P (churn, the_listener_comes_and_goes)
{
    const std::string where = place ();
    if (where.starts_with ("inproc:"))
        return;  // inproc links do not come back
    socket push = open (ZMQ_PUSH);
    push.set (ZMQ_RECONNECT_IVL, 2);
    push.set (ZMQ_SNDHWM, 50);
    push.set (ZMQ_SNDTIMEO, 10);
    push.connect (where);
    std::atomic<bool> stop{false};
    std::vector<worker> all;
    for (unsigned i = 0; i < 3; ++i)
        all.emplace_back ([&, i] {
            dice by (i + 1);
            while (!stop) {
                const std::size_t size = by.roll (10) == 0 ? by.roll (200'000) : by.roll (2000);
                (void)push.send (pattern (size));
            }
        });
    for (int round = 0; round < 15; ++round) {
        socket pull = open (ZMQ_PULL);
        pull.bind (where);
        for (int k = 0; k < 50; ++k) {
            const auto got = pull.receive ();
            ASSERT_TRUE (got) << round;
            ASSERT_TRUE (*got == pattern (got->size ()));
        }
    }
    stop = true;
}

}  // namespace
}  // namespace zlink::test

// Events under contention: monitors and queues that are opened, read, stopped
// and closed while links come and go.
#include "support/events.hpp"
#include "threads/crowd.hpp"

namespace zlink::test {
namespace {

class watching : public crowd
{
};

INSTANTIATE_TEST_SUITE_P (over, watching, every_transport (), transport_name);

// Per queue: numbers grow, a connection is ready before it is lost, no id
// comes twice.
void check_queue (void *of, const std::atomic<bool> &stop)
{
    events queue (of, ZLINK_EVENT_ALL, 100'000);
    std::uint64_t last_number = 0;
    std::uint64_t last_ready = 0;
    while (!stop) {
        zlink_event_t got{};
        if (zlink_events_recv (queue, &got, 1) != 0) {
            EXPECT_TRUE (errno == EAGAIN || errno == ETERM) << errno;
            continue;
        }
        EXPECT_GT (got.number, last_number);
        last_number = got.number;
        EXPECT_EQ (got.lost, 0u);
        if (got.event == ZLINK_EVENT_CONNECTION_READY) {
            EXPECT_NE (got.connection_id, 0u);
            last_ready = std::max (last_ready, got.connection_id);
        } else if (got.event == ZLINK_EVENT_DISCONNECTED) {
            EXPECT_NE (got.connection_id, 0u);
        }
    }
}

TEST_P (watching, monitors_come_and_go_while_links_do)
{
    constexpr int rounds = 150;
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    std::atomic<bool> stop{false};
    std::vector<worker> all;
    for (int i = 0; i < 2; ++i)
        all.emplace_back ([&, i] {
            const std::string name = "inproc://watch-" + std::to_string (i);
            while (!stop) {
                if (zmq_socket_monitor (pull, name.c_str (), ZMQ_EVENT_ALL) != 0)
                    continue;  // the other one's name is not free yet
                socket reader = open (ZMQ_PAIR);
                reader.set (ZMQ_RCVTIMEO, 1);
                reader.connect (name);
                (void)reader.receive_message ();
                if (i == 0)
                    (void)zmq_socket_monitor (pull, nullptr, 0);
            }
        });
    for (int i = 0; i < 2; ++i)
        all.emplace_back ([&] { check_queue (pull, stop); });
    all.emplace_back ([&] {
        while (!stop) {
            events brief (pull);
            (void)brief.next (0);
        }
    });
    for (int i = 0; i < rounds; ++i) {
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        ASSERT_TRUE (push.send (std::to_string (i)));
        ASSERT_EQ (pull.receive (), std::to_string (i));
    }
    stop = true;
}

TEST_P (watching, the_watched_socket_is_closed_under_its_watchers)
{
    for (int round = 0; round < 60; ++round) {
        socket pull = open (ZMQ_PULL);
        const std::string where = pull.bind (place ());
        events queue (pull);
        zmq_monitor monitor (own, pull);
        worker visitor ([&] {
            for (int i = 0; i < 3; ++i) {
                socket push = open (ZMQ_PUSH);
                push.connect (where);
                (void)push.send ("x", ZMQ_DONTWAIT);
            }
        });
        worker listener ([&] {
            std::uint64_t last = 0;
            do
                last = monitor.next ().event;
            while (last != 0 && last != ZMQ_EVENT_MONITOR_STOPPED);
            EXPECT_EQ (event_name (last), "stopped");
        });
        worker opener ([&] {
            for (int i = 0; i < 5; ++i)
                if (void *const late = zlink_events_open (pull, ZLINK_EVENT_ALL, 0); late != nullptr) {
                    EXPECT_EQ (zlink_events_close (late), 0);
                }
        });
        (void)pull.receive (ZMQ_DONTWAIT);
        if (round % 3 == 0)
            here ().give_way ();
        opener.join ();  // it reads the handle that closing clears
        pull.close ();
        EXPECT_EQ (event_name (queue.up_to (ZLINK_EVENT_MONITOR_STOPPED).back ().event), "stopped") << round;
    }
}

// Several readers of one queue: each event goes to one of them.
TEST_P (watching, an_event_goes_to_one_reader)
{
    constexpr unsigned total = 200;
    socket pull = open (ZMQ_PULL);
    const std::string where = pull.bind (place ());
    events queue (pull, ZLINK_EVENT_CONNECTION_READY, total);
    std::atomic<unsigned> seen{0};
    std::vector<worker> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back ([&] {
            zlink_event_t got;
            while (zlink_events_recv (queue, &got, watchdog_ms) == 0
                   && got.event == ZLINK_EVENT_CONNECTION_READY)
                ++seen;
        });
    for (unsigned i = 0; i < total; ++i) {
        socket push = open (ZMQ_PUSH);
        push.connect (where);
        ASSERT_TRUE (push.has_peers ());
    }
    ASSERT_TRUE (eventually ([&] { return seen == total; })) << seen;
    pull.close ();  // one of them is told, the others find the queue ended
}

}  // namespace
}  // namespace zlink::test

// Publishers and subscribers that threads share, while others come, go, close
// and end.
#include "threads/crowd.hpp"

namespace zlink::test {
namespace {

using publishing = crowd;

INSTANTIATE_TEST_SUITE_P (over, publishing, every_transport (), transport_name);

void ask (socket &who, const std::string &topic)
{
    ASSERT_EQ (zmq_setsockopt (who, ZMQ_SUBSCRIBE, topic.data (), topic.size ()), 0);
}

void take_back (socket &who, const std::string &topic)
{
    ASSERT_EQ (zmq_setsockopt (who, ZMQ_UNSUBSCRIBE, topic.data (), topic.size ()), 0);
}

// A body of either way through the library: copied, or shared by reference.
std::string text_of (unsigned sender, unsigned number)
{
    const std::string head = std::to_string (sender) + ':' + std::to_string (number) + ';';
    return head + std::string (number % 50 == 0 ? 20'000 : 20, 'x');
}

// Three threads publish without loss: who stays gets everything of each, in
// its order, while others come, read a little and go.
TEST_P (publishing, of_many_threads_reaches_who_stays)
{
    constexpr unsigned senders = 3;
    constexpr unsigned each_sends = 1000;
    socket publisher = open (ZMQ_XPUB);
    publisher.set (ZMQ_XPUB_NODROP, 1);
    const std::string where = publisher.bind (place ());
    socket stays = open (ZMQ_SUB);
    ask (stays, "");
    stays.connect (where);
    ASSERT_EQ (publisher.receive (), std::string (1, '\1'));
    std::atomic<bool> stop{false};
    std::vector<worker> visitors;
    for (int i = 0; i < 2; ++i)
        visitors.emplace_back ([&] {
            while (!stop) {
                socket visitor = open (ZMQ_SUB);
                visitor.set (ZMQ_RCVTIMEO, 1);
                ask (visitor, "1:");
                visitor.connect (where);
                for (int k = 0; k < 20; ++k)
                    (void)visitor.receive ();
                take_back (visitor, "1:");
            }
        });
    worker hears ([&] {
        publisher.set (ZMQ_RCVTIMEO, 5);
        while (!stop)
            (void)publisher.receive ();
    });
    std::vector<worker> all;
    for (unsigned i = 0; i < senders; ++i)
        all.emplace_back ([&, i] {
            for (unsigned k = 0; k < each_sends; ++k)
                ASSERT_TRUE (publisher.send (text_of (i, k)));
        });
    std::vector<unsigned> next (senders);
    for (unsigned got = 0; got < senders * each_sends; ++got) {
        const auto text = stays.receive ();
        ASSERT_TRUE (text);
        const unsigned sender = static_cast<unsigned> (text->front () - '0');
        ASSERT_LT (sender, senders);
        ASSERT_EQ (*text, text_of (sender, next[sender]++));
    }
    all.clear ();
    stop = true;
}

// A publisher closes in the middle of what threads publish on it.
TEST_P (publishing, on_a_socket_that_another_thread_closes)
{
    for (int round = 0; round < 25; ++round) {
        socket publisher = open (ZMQ_PUB);
        publisher.set (ZMQ_LINGER, 0);
        if (round % 2 == 0)
            publisher.set (ZMQ_XPUB_NODROP, 1);
        const std::string where = publisher.bind (place ());
        void *const handle = publisher;
        std::vector<socket> subscribers;
        for (int i = 0; i < 2; ++i) {
            subscribers.push_back (open (ZMQ_SUB));
            subscribers.back ().set (ZMQ_RCVTIMEO, 1);
            ask (subscribers.back (), i == 0 ? "" : "1:");
            subscribers.back ().connect (where);
        }
        std::atomic<bool> stop{false};
        std::atomic<unsigned> heard{0};
        std::vector<worker> readers;
        for (socket &each : subscribers)
            readers.emplace_back ([&] {
                while (!stop)
                    heard += each.receive ().has_value ();
            });
        std::vector<worker> all;
        for (unsigned i = 0; i < 3; ++i)
            all.emplace_back ([&, i] {
                for (unsigned k = 0;; ++k) {
                    const std::string text = text_of (i, k);
                    const int flags = i == 2 && k % 2 == 0 ? ZMQ_SNDMORE : 0;
                    if (zmq_send (handle, text.data (), text.size (), flags) >= 0)
                        continue;
                    ASSERT_EQ (errno, ENOTSOCK);
                    return;
                }
            });
        ASSERT_TRUE (eventually ([&] { return heard > 20; }));
        ASSERT_EQ (publisher.close (), 0);
        all.clear ();
        stop = true;
    }
}

// Topics change under the messages that are matched against them.
TEST_P (publishing, while_topics_change)
{
    socket publisher = open (ZMQ_XPUB);
    publisher.set (ZMQ_XPUB_VERBOSER, 1);
    const std::string where = publisher.bind (place ());
    socket xsub = open (ZMQ_XSUB);
    socket sub = open (ZMQ_SUB);
    for (socket *const each : {&xsub, &sub}) {
        each->set (ZMQ_RCVTIMEO, 1);
        each->connect (where);
    }
    std::atomic<bool> stop{false};
    std::vector<worker> readers;
    for (socket *const each : {&publisher, &xsub, &sub})
        readers.emplace_back ([&stop, each] {
            while (!stop)
                (void)each->receive (ZMQ_DONTWAIT);
        });
    std::vector<worker> all;
    for (unsigned i = 0; i < 2; ++i) {
        all.emplace_back ([&, i] {
            for (unsigned k = 0; k < 1500; ++k)
                ASSERT_TRUE (publisher.send (text_of (i, k)));
        });
        all.emplace_back ([&, i] {
            for (unsigned k = 0; k < 500; ++k) {
                const std::string topic = std::to_string (k % 3) + ":" + std::to_string (i);
                ask (sub, topic);
                ASSERT_TRUE (xsub.send ('\1' + topic));
                take_back (sub, topic);
                ASSERT_TRUE (xsub.send (std::string (1, '\0') + topic));
            }
        });
    }
    all.clear ();
    stop = true;
}

// A context ends under all the patterns that have names and topics.
TEST_P (publishing, ends_with_its_context)
{
    for (int round = 0; round < 10; ++round) {
        context mine;
        void *const handle = mine;
        socket publisher (mine, ZMQ_PUB);
        socket router (mine, ZMQ_ROUTER);
        socket rep (mine, ZMQ_REP);
        const std::string news = publisher.bind (place ());
        const std::string names = router.bind (place ());
        const std::string answers = rep.bind (place ());
        std::atomic<unsigned> moves{0};
        std::atomic<unsigned> opened{0};
        std::atomic<unsigned> done{0};
        std::vector<worker> all;
        const auto until_the_end = [&] (int type, const std::string &where, const auto &step) {
            all.emplace_back ([&, type, where, step] {
                socket own_one (handle, type);
                if (type == ZMQ_SUB)
                    ask (own_one, "");
                own_one.connect (where);
                ++opened;
                while (step (own_one))
                    ++moves;
                EXPECT_EQ (errno, ETERM);
                ++done;
            });
        };
        const auto serve = [&] (socket &which, const auto &step) {
            all.emplace_back ([&, step] {
                while (step (which))
                    ++moves;
                EXPECT_EQ (errno, ETERM);
                which.close ();
                ++done;
            });
        };
        const auto receives = [] (socket &on) { return on.receive ().has_value (); };
        serve (publisher, [] (socket &on) { return on.send ("news"); });
        serve (router, [] (socket &on) {
            const auto name = on.receive ();
            const auto text = name ? on.receive () : name;
            return text && on.send (*name, ZMQ_SNDMORE) && on.send (*text);
        });
        serve (rep, [] (socket &on) {
            const auto text = on.receive ();
            return text && on.send (*text);
        });
        until_the_end (ZMQ_SUB, news, receives);
        until_the_end (ZMQ_SUB, news, receives);
        until_the_end (ZMQ_DEALER, names, [] (socket &on) { return on.send ("x") && on.receive (); });
        until_the_end (ZMQ_REQ, answers, [] (socket &on) { return on.send ("x") && on.receive (); });
        until_the_end (ZMQ_REQ, answers, [] (socket &on) { return on.send ("x") && on.receive (); });
        ASSERT_TRUE (eventually ([&] { return moves > 500 && opened == 5; }));
        ASSERT_EQ (mine.term (), 0);
        all.clear ();
        EXPECT_EQ (done, 8u);
    }
}

// A ROUTER closes under those who send on it and receive from it.
TEST_P (publishing, and_routing_on_a_socket_that_another_thread_closes)
{
    for (int round = 0; round < 15; ++round) {
        socket router = open (ZMQ_ROUTER);
        router.set (ZMQ_LINGER, 0);
        const std::string where = router.bind (place ());
        void *const handle = router;
        socket dealer = open (ZMQ_DEALER);
        dealer.set (ZMQ_LINGER, 0);
        dealer.set (ZMQ_SNDTIMEO, 1);
        dealer.set (ZMQ_RCVTIMEO, 1);
        dealer.connect (where);
        std::atomic<bool> stop{false};
        std::atomic<unsigned> answered{0};
        worker asks ([&] {
            while (!stop) {
                (void)dealer.send ("question");
                answered += dealer.receive ().has_value ();
            }
        });
        std::vector<worker> all;
        for (int i = 0; i < 2; ++i)
            all.emplace_back ([&] {
                for (;;) {
                    parts_of<2> message;
                    std::size_t parts = 2;
                    if (zlink_recvv (handle, message.data (), &parts, 0) < 0
                        || zlink_sendv (handle, message.data (), 2, 0) < 0) {
                        ASSERT_EQ (errno, ENOTSOCK);
                        return;
                    }
                }
            });
        ASSERT_TRUE (eventually ([&] { return answered > 20; }));
        ASSERT_EQ (router.close (), 0);
        all.clear ();
        stop = true;
    }
}

}  // namespace
}  // namespace zlink::test

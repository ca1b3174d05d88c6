// Contexts that end in the middle of everything.
#include <atomic>
#include <cerrno>

#include "threads/crowd.hpp"

namespace zlink::test {
namespace {

class ending : public crowd
{
};

INSTANTIATE_TEST_SUITE_P (over, ending, every_transport (), transport_name);

// Threads that stream, block and poll; each closes its socket at ETERM.
TEST_P (ending, a_context_ends_in_the_middle_of_traffic)
{
    for (int round = 0; round < 25; ++round) {
        context mine;
        void *const handle = mine;
        const std::string where = place ();
        socket pull (mine, ZMQ_PULL);
        pull.bind (where);
        std::atomic<int> received{0};
        std::atomic<int> opened{0};
        std::vector<worker> all;
        for (int i = 0; i < 3; ++i)
            all.emplace_back ([&] {
                socket push (handle, ZMQ_PUSH);
                push.connect (where);
                ++opened;
                while (push.send ("text")) {}
                EXPECT_EQ (errno, ETERM);
            });
        all.emplace_back ([&] {
            while (pull.receive ())
                ++received;
            EXPECT_EQ (errno, ETERM);
            pull.close ();
        });
        all.emplace_back ([&] {
            socket idle (handle, ZMQ_PAIR);
            ++opened;
            zmq_pollitem_t item{idle, 0, ZMQ_POLLIN, 0};
            EXPECT_EQ (zmq_poll (&item, 1, -1), -1);
            EXPECT_EQ (errno, ETERM);
        });
        ASSERT_TRUE (eventually ([&] { return received > 200 && opened == 4; }));
        ASSERT_EQ (mine.term (), 0);
    }
}

// Its last part waits: who was there for the first has left.
TEST_P (ending, a_socket_is_closed_in_the_middle_of_a_message)
{
    for (int round = 0; round < 40; ++round) {
        socket push = open (ZMQ_PUSH);
        const std::string where = push.bind (place ());
        socket pull = open (ZMQ_PULL);
        pull.connect (where);
        ASSERT_TRUE (push.has_peers ());
        ASSERT_TRUE (push.send ("beginning", ZMQ_SNDMORE));
        pull.close ();
        ASSERT_TRUE (eventually ([&] { return zlink_wait_peers (push, 1, 0) != 0; }));
        std::atomic<bool> started{false};
        worker sender ([&started, to = static_cast<void *> (push)] {
            zmq_msg_t end;
            zmq_msg_init_size (&end, 300);
            started = true;
            EXPECT_EQ (zmq_msg_send (&end, to, 0), -1);
            EXPECT_EQ (errno, ENOTSOCK);
            EXPECT_EQ (zmq_msg_size (&end), 300u) << "a refused message stays with the caller";
            EXPECT_EQ (zmq_msg_close (&end), 0);
        });
        ASSERT_TRUE (eventually ([&] { return started.load (); }));
        push.close ();
    }
}

TEST_P (ending, several_threads_end_one_context)
{
    for (int round = 0; round < 40; ++round) {
        void *const mine = zmq_ctx_new ();
        std::atomic<bool> opened{false};
        worker user ([&] {
            socket one (mine, ZMQ_PAIR);
            one.bind (place ());
            opened = true;
            EXPECT_FALSE (one.receive ());
            EXPECT_EQ (errno, ETERM);
        });
        ASSERT_TRUE (eventually ([&] { return opened.load (); }));
        std::atomic<int> ended{0};
        {
            std::vector<worker> all;
            for (int i = 0; i < 3; ++i)
                all.emplace_back ([&] {
                    const bool done = zmq_ctx_term (mine) == 0;
                    EXPECT_TRUE (done || errno == EFAULT) << zmq_strerror (errno);
                    ended += done;
                });
        }
        EXPECT_GE (ended, 1);
    }
}

TEST_P (ending, contexts_come_and_go_in_many_threads)
{
    std::vector<worker> all;
    for (int i = 0; i < 4; ++i)
        all.emplace_back ([] {
            for (int k = 0; k < 20; ++k) {
                context mine;
                socket pull (mine, ZMQ_PULL);
                socket push (mine, ZMQ_PUSH);
                push.connect (pull.bind (place ()));
                EXPECT_TRUE (push.send ("x"));
                EXPECT_EQ (pull.receive (), "x");
            }
        });
}

// Sockets are opened while the context shuts down: each works or says ETERM.
TEST_P (ending, sockets_are_opened_while_the_context_ends)
{
    for (int round = 0; round < 40; ++round) {
        context mine;
        void *const handle = mine;
        std::atomic<int> opened{0};
        std::vector<worker> all;
        for (int i = 0; i < 3; ++i)
            all.emplace_back ([&] {
                for (;;) {
                    void *const made = zmq_socket (handle, ZMQ_PUSH);
                    if (made == nullptr && errno == EMFILE) {
                        ::sched_yield ();  // the closed ones are not gone yet
                        continue;
                    }
                    ++opened;
                    if (made == nullptr) {
                        EXPECT_TRUE (errno == ETERM || errno == EFAULT) << zmq_strerror (errno);
                        return;
                    }
                    const int zero = 0;
                    zmq_setsockopt (made, ZMQ_LINGER, &zero, sizeof zero);
                    (void)zmq_connect (made, place ().c_str ());
                    EXPECT_EQ (zmq_close (made), 0);
                }
            });
        ASSERT_TRUE (eventually ([&] { return opened > 20; }));
        ASSERT_EQ (mine.term (), 0);
    }
}

}  // namespace
}  // namespace zlink::test

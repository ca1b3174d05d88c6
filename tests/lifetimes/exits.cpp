// Processes that end with everything open, and handlers of theirs that still
// use the library.
#include <string>
#include <thread>

#include "lifetimes/child.hpp"
#include "support/places.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

// Ends a process that has threads in every blocking call, sockets with
// unsent messages, connections and a reactor at work.
void open_everything ()
{
    void *context = zmq_ctx_new ();
    const auto open = [context] (int type) { return zmq_socket (context, type); };
    for (const char *place : {"tcp://127.0.0.1:*", "inproc://exits"}) {
        void *pull = open (ZMQ_PULL);
        void *push = open (ZMQ_PUSH);
        zmq_bind (pull, place);
        char where[100] = {};
        std::size_t size = sizeof where;
        zmq_getsockopt (pull, ZMQ_LAST_ENDPOINT, where, &size);
        zmq_connect (push, where);
        for (int i = 0; i < 100; ++i)
            zmq_send (push, "unread", 6, 0);
    }
    const auto block = [] (auto call) { std::thread (call).detach (); };
    block ([quiet = open (ZMQ_PULL)] {
        char byte = 0;
        zmq_bind (quiet, "tcp://127.0.0.1:*");
        zmq_recv (quiet, &byte, 1, 0);
    });
    block ([full = open (ZMQ_PUSH)] { zmq_send (full, "nobody", 6, 0); });
    block ([quiet = open (ZMQ_PAIR)] {
        zmq_pollitem_t item{quiet, 0, ZMQ_POLLIN, 0};
        zmq_poll (&item, 1, -1);
    });
    block ([alone = open (ZMQ_PAIR)] { zlink_wait_peers (alone, 1, -1); });
    block ([] {
        void *other = zmq_ctx_new ();
        zmq_socket (other, ZMQ_PAIR);
        zmq_ctx_term (other);
    });
    block ([push = open (ZMQ_PUSH), pull = open (ZMQ_PULL)] {
        zmq_bind (pull, "tcp://127.0.0.1:*");
        char where[100] = {};
        std::size_t size = sizeof where;
        zmq_getsockopt (pull, ZMQ_LAST_ENDPOINT, where, &size);
        zmq_connect (push, where);
        for (char byte = 0;;) {
            zmq_send (push, "busy", 4, 0);
            zmq_recv (pull, &byte, 1, 0);
        }
    });
}

TEST (exits, with_threads_in_every_call)
{
    for (int i = 0; i < 20; ++i) {
        child ends ([] (verdict &) { open_everything (); }, child::way::with_exit_handlers);
        EXPECT_TRUE (ends.ended_well ());
    }
}

// What stands in a static object is destroyed behind everything that was made
// after it: the library must still work then.
struct kept
{
    void *context = nullptr;
    void *pull = nullptr;
    void *push = nullptr;
    static void close (kept &all)
    {
        char text[8] = {};
        const bool works = zmq_send (all.push, "late", 4, 0) == 4 && zmq_recv (all.pull, text, 8, 0) == 4
                           && zmq_close (all.push) == 0 && zmq_close (all.pull) == 0
                           && zmq_ctx_term (all.context) == 0;
        if (!works)
            ::_exit (2);
    }
};

kept &only ()
{
    static kept all;
    return all;
}

TEST (exits, and_closes_in_the_very_last_handler)
{
    for (const char *place : {"tcp://127.0.0.1:*", "inproc://late"}) {
        child ends (
          [place] (verdict &found) {
              (void)only ();
              CHILD_EXPECT (std::atexit ([] { kept::close (only ()); }) == 0);
              kept &all = only ();
              all.context = zmq_ctx_new ();
              all.pull = zmq_socket (all.context, ZMQ_PULL);
              all.push = zmq_socket (all.context, ZMQ_PUSH);
              CHILD_EXPECT (zmq_bind (all.pull, place) == 0);
              char where[100] = {};
              std::size_t size = sizeof where;
              CHILD_EXPECT (zmq_getsockopt (all.pull, ZMQ_LAST_ENDPOINT, where, &size) == 0);
              CHILD_EXPECT (zmq_connect (all.push, where) == 0);
              CHILD_EXPECT (zmq_send (all.push, "soon", 4, 0) == 4);
              char text[8] = {};
              CHILD_EXPECT (zmq_recv (all.pull, text, sizeof text, 0) == 4);
          },
          child::way::with_exit_handlers);
        EXPECT_TRUE (ends.ended_well ());
    }
}

// A thread that dies in the middle of a process' life leaves its sockets to
// others.
TEST (exits, of_a_thread_leave_its_sockets_to_others)
{
    context own;
    socket pull (own, ZMQ_PULL);
    const std::string where = pull.bind (tcp_place ());
    void *push = nullptr;
    worker maker ([&] {
        push = zmq_socket (own, ZMQ_PUSH);
        EXPECT_EQ (zmq_connect (push, where.c_str ()), 0);
        for (int i = 0; i < 50; ++i)
            EXPECT_EQ (zmq_send (push, "left behind", 11, 0), 11);
    });
    maker.join ();
    for (int i = 0; i < 50; ++i)
        ASSERT_EQ (pull.receive (), "left behind");
    EXPECT_EQ (zmq_send (push, "by another", 10, 0), 10);
    EXPECT_EQ (pull.receive (), "by another");
    EXPECT_EQ (zmq_close (push), 0);
}

}  // namespace
}  // namespace zlink::test

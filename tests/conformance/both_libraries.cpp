// libzlink.so and libzmq.so.5 in one process: two cores that do not know
// each other, and that talk over tcp.
#include <array>

#include <gtest/gtest.h>

#include "zlink/zlink.h"
#include "zmq.h"

namespace {

TEST (both_libraries, talk_to_each_other)
{
    void *const own = zlink_ctx_new ();
    void *const other = zmq_ctx_new ();
    void *const pull = zlink_socket (own, ZLINK_PULL);
    void *const push = zmq_socket (other, ZMQ_PUSH);
    ASSERT_NE (pull, nullptr);
    ASSERT_NE (push, nullptr);
    ASSERT_EQ (zlink_bind (pull, "tcp://127.0.0.1:*"), 0);
    std::array<char, 100> where{};
    std::size_t size = where.size ();
    ASSERT_EQ (zlink_getsockopt (pull, ZLINK_LAST_ENDPOINT, where.data (), &size), 0);
    ASSERT_EQ (zmq_connect (push, where.data ()), 0);
    ASSERT_EQ (zmq_send (push, "across", 6, 0), 6);
    std::array<char, 10> text{};
    ASSERT_EQ (zlink_recv (pull, text.data (), text.size (), 0), 6);
    EXPECT_STREQ (text.data (), "across");
    EXPECT_EQ (zmq_close (push), 0);
    EXPECT_EQ (zlink_close (pull), 0);
    EXPECT_EQ (zmq_ctx_term (other), 0);
    EXPECT_EQ (zlink_ctx_term (own), 0);
}

TEST (both_libraries, do_not_take_each_others_handles)
{
    void *const own = zlink_ctx_new ();
    void *const other = zmq_ctx_new ();
    void *const socket = zlink_socket (own, ZLINK_PAIR);
    EXPECT_EQ (zmq_close (socket), -1);
    EXPECT_EQ (zmq_errno (), ENOTSOCK);
    EXPECT_EQ (zmq_socket (own, ZMQ_PAIR), nullptr);
    EXPECT_EQ (zmq_errno (), EFAULT);
    EXPECT_EQ (zlink_close (socket), 0);
    EXPECT_EQ (zmq_ctx_term (other), 0);
    EXPECT_EQ (zlink_ctx_term (own), 0);
}

TEST (both_libraries, defaults_differ)
{
    void *const own = zlink_ctx_new ();
    void *const other = zmq_ctx_new ();
    EXPECT_EQ (zlink_ctx_get (own, ZLINK_IO_THREADS), 2);
    EXPECT_EQ (zmq_ctx_get (other, ZMQ_IO_THREADS), 1);
    void *const one = zlink_socket (own, ZLINK_PAIR);
    void *const two = zmq_socket (other, ZMQ_PAIR);
    int value = 0;
    std::size_t size = sizeof value;
    EXPECT_EQ (zlink_getsockopt (one, ZLINK_SNDHWM, &value, &size), 0);
    EXPECT_EQ (value, 300'000);
    EXPECT_EQ (zmq_getsockopt (two, ZMQ_SNDHWM, &value, &size), 0);
    EXPECT_EQ (value, 1000);
    EXPECT_EQ (zlink_close (one), 0);
    EXPECT_EQ (zmq_close (two), 0);
    EXPECT_EQ (zmq_ctx_term (other), 0);
    EXPECT_EQ (zlink_ctx_term (own), 0);
}

}  // namespace

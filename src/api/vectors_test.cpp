#include "api/vectors.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "api/test_sockets.hpp"

namespace zlink::api {
namespace {

struct vectors_case : testing::Test, test_sockets
{
};

TEST_F (vectors_case, more_slices_than_fit_in_place)
{
    void *pull = open_bound (pull_type, "inproc://slices");
    void *push = open_connected (push_type, "inproc://slices");
    std::array<char, 40> bytes{};
    std::vector<io_slice> out;
    for (char &each : bytes)
        out.push_back ({&each, 1});
    ASSERT_EQ (send_slices (push, out.data (), out.size (), socket::io_send_more), 1);
    std::vector<io_slice> in (out.size ());
    std::size_t count = 30;
    ASSERT_EQ (receive_slices (pull, in.data (), &count, 0), 30);
    for (io_slice &each : in)
        std::free (each.base);
    count = 30;
    ASSERT_EQ (receive_slices (pull, in.data (), &count, 0), 10);  // the rest had stayed
    EXPECT_EQ (count, 10U);
    for (std::size_t i = 0; i < count; ++i)
        std::free (in[i].base);
}

TEST_F (vectors_case, slices_that_cannot_be_sent)
{
    void *push = open (push_type);
    io_slice slice = {nullptr, 3};
    EXPECT_EQ (send_slices (push, &slice, 1, socket::io_send_more), -1);
    EXPECT_EQ (errno, EFAULT);
    EXPECT_EQ (send_slices (push, &slice, 1, 0), -1);
    EXPECT_EQ (errno, EFAULT);
    char byte = 'x';
    slice = {&byte, 1};
    EXPECT_EQ (send_slices (push, &slice, 1, socket::io_dont_wait | socket::io_send_more), -1);
    EXPECT_EQ (errno, EAGAIN);
}

}  // namespace
}  // namespace zlink::api

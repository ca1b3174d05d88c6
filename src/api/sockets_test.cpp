#include "api/sockets.hpp"

#include <array>
#include <cerrno>

#include <gtest/gtest.h>

#include "api/test_sockets.hpp"

namespace zlink::api {
namespace {

struct sockets_case : testing::Test, test_sockets
{
};

// Messages that close themselves.
template <std::size_t N> struct parts_of
{
    parts_of ()
    {
        for (base::message &each : all)
            each.init ();
    }
    ~parts_of ()
    {
        for (base::message &each : all)
            each.close ();
    }
    std::string text (std::size_t at) { return std::string (base::as_text (all[at].view ())); }

    std::array<base::message, N> all;
};

TEST_F (sockets_case, what_is_a_socket)
{
    EXPECT_TRUE (is_socket (open (pair_type)));
    EXPECT_FALSE (is_socket (open_closed ()));
    EXPECT_FALSE (is_socket (context));
    EXPECT_FALSE (is_socket (nullptr));
    EXPECT_EQ (with_group (socket::join, open (pair_type), "group"), -1);
    EXPECT_EQ (errno, ENOTSUP);
    EXPECT_EQ (with_group (socket::join, nullptr, "group"), -1);
    EXPECT_EQ (errno, ENOTSOCK);
}

TEST_F (sockets_case, parts_travel_together)
{
    void *pull = open_bound (pull_type, "inproc://together");
    void *push = open_connected (push_type, "inproc://together");
    parts_of<3> out;
    for (base::message &each : out.all)
        ASSERT_TRUE (each.init_copy (base::as_bytes ("part")).ok ());
    ASSERT_EQ (send_parts (push, out.all.data (), 3, 0), 3);
    EXPECT_EQ (out.all[0].size (), 0U);
    parts_of<3> in;
    std::size_t count = 2;
    EXPECT_EQ (receive_parts (pull, in.all.data (), &count, 0), -1);
    EXPECT_EQ (errno, EMSGSIZE);
    EXPECT_EQ (count, 3U);
    ASSERT_EQ (receive_parts (pull, in.all.data (), &count, 0), 3);
    EXPECT_EQ (in.text (2), "part");
    EXPECT_TRUE (in.all[0].more ());
    EXPECT_FALSE (in.all[2].more ());
}

TEST_F (sockets_case, many_messages_in_one_call)
{
    void *pull = open_bound (pull_type, "inproc://many");
    void *push = open_connected (push_type, "inproc://many");
    parts_of<5> out;
    ASSERT_TRUE (out.all[4].init_copy (base::as_bytes ("last")).ok ());
    ASSERT_EQ (send_many (push, out.all.data (), 5, 0), 5);
    parts_of<8> in;
    ASSERT_EQ (receive_many (pull, in.all.data (), 8, 0), 5);
    EXPECT_EQ (in.text (4), "last");
}

TEST_F (sockets_case, many_messages_in_one_buffer)
{
    void *pull = open_bound (pull_type, "inproc://packed");
    void *push = open_connected (push_type, "inproc://packed");
    const std::array<std::uint32_t, 3> sizes = {1, 0, 3};
    ASSERT_EQ (send_packed (push, "abcd", 4, sizes.data (), 3, 0), 3);
    std::array<char, 16> buffer{};
    std::array<std::uint32_t, 8> got{};
    ASSERT_EQ (receive_packed (pull, buffer.data (), buffer.size (), got.data (), got.size (), 0), 3);
    EXPECT_EQ (got[0], 1U);
    EXPECT_EQ (got[1], 0U);
    EXPECT_EQ (got[2], 3U);
    EXPECT_EQ (std::string (buffer.data (), 4), "abcd");
    ASSERT_TRUE (send_text (push, "too long"));
    EXPECT_EQ (receive_packed (pull, buffer.data (), 3, got.data (), got.size (), 0), -1);
    EXPECT_EQ (errno, EMSGSIZE);
    EXPECT_EQ (receive_text (pull), "too long");
}

TEST_F (sockets_case, bad_arguments_of_whole_messages)
{
    void *push = open (push_type);
    parts_of<2> good;
    base::message closed{};
    std::uint32_t size = 5;
    std::size_t count = 1;
    EXPECT_EQ (send_parts (push, good.all.data (), 0, 0), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (send_many (push, good.all.data (), 0, 0), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (receive_many (push, good.all.data (), 0, 0), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (send_packed (push, "abcd", 4, &size, 1, 0), -1);  // 5 bytes of 4
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (send_packed (push, "abcd", 4, &size, 0, 0), -1);
    EXPECT_EQ (errno, EINVAL);
    EXPECT_EQ (receive_packed (push, &size, 4, &size, 0, 0), -1);
    EXPECT_EQ (errno, EINVAL);
    for (const int outcome :
         {send_parts (push, nullptr, 1, 0), send_parts (push, &closed, 1, 0), send_many (push, nullptr, 1, 0),
          send_many (push, &closed, 1, 0), receive_many (push, nullptr, 1, 0),
          receive_parts (push, good.all.data (), nullptr, 0), receive_parts (push, &closed, &count, 0),
          send_packed (push, nullptr, 4, &size, 1, 0), send_packed (push, "abcd", 4, nullptr, 1, 0),
          receive_packed (push, nullptr, 4, &size, 1, 0), receive_packed (push, &size, 4, nullptr, 1, 0)}) {
        EXPECT_EQ (outcome, -1);
        EXPECT_EQ (errno, EFAULT);
    }
}

TEST_F (sockets_case, terminating_can_be_bounded_and_tells_who_holds_it)
{
    void *other = context_new (socket::header::zmq);
    void *holder = socket::open (other, pair_type).value ();
    EXPECT_EQ (context_terminate (other, 0), -1);
    EXPECT_EQ (errno, ETIMEDOUT);
    std::array<char, 400> text{};
    std::size_t size = text.size ();
    EXPECT_EQ (text_into (socket::context_holders, other, text.data (), &size), 0);
    EXPECT_GT (size, 1U);
    std::size_t none = 0;
    EXPECT_EQ (text_into (socket::context_holders, other, nullptr, &none), 0);
    EXPECT_EQ (none, size);
    char tiny = 'x';
    std::size_t one = 1;
    EXPECT_EQ (text_into (socket::context_holders, other, &tiny, &one), 0);
    EXPECT_EQ (tiny, '\0');
    EXPECT_EQ (text_into (socket::context_holders, other, nullptr, nullptr), -1);
    EXPECT_EQ (errno, EFAULT);
    ASSERT_TRUE (socket::close (holder).ok ());
    EXPECT_EQ (context_terminate (other, -1), 0);
    EXPECT_EQ (text_into (socket::context_holders, other, text.data (), &size), -1);
    EXPECT_EQ (errno, EFAULT);
}

TEST (scratch, has_room_in_place_and_beyond)
{
    scratch<int, 4> few (4);
    EXPECT_TRUE (few.ok ());
    EXPECT_EQ (few.all ().size (), 4U);
    scratch<int, 4> many (5);
    EXPECT_TRUE (many.ok ());
    many.all ()[4] = 7;
    EXPECT_EQ (many.all ()[4], 7);
}

}  // namespace
}  // namespace zlink::api

// For tests only: a context with sockets that close themselves.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/sockets.hpp"

namespace zlink::api {

struct sockets_case : testing::Test
{
    static constexpr int pair_type = 0;
    static constexpr int pull_type = 7;
    static constexpr int push_type = 8;
    static constexpr int linger_option = 17;

    void SetUp () override
    {
        context = context_new (socket::header::zlink);
        ASSERT_NE (context, nullptr);
    }
    void TearDown () override
    {
        for (void *each : opened)
            static_cast<void> (socket::close (each));
        EXPECT_EQ (context_terminate (context), 0);
    }

    void *open (int type)
    {
        void *made = socket::open (context, type).value ();
        const int no_linger = 0;
        EXPECT_TRUE (socket::set_option (made, linger_option, &no_linger, sizeof (no_linger)).ok ());
        opened.push_back (made);
        return made;
    }

    // A socket connected inside the process to one that is bound.
    void *open_connected (int type, const std::string &endpoint)
    {
        void *made = open (type);
        EXPECT_TRUE (socket::connect (made, endpoint).ok ());
        return made;
    }

    void *open_bound (int type, const std::string &endpoint)
    {
        void *made = open (type);
        EXPECT_TRUE (socket::bind (made, endpoint).ok ());
        return made;
    }

    void *open_closed ()
    {
        void *made = socket::open (context, pair_type).value ();
        EXPECT_TRUE (socket::close (made).ok ());
        return made;
    }

    static std::string receive_text (void *from)
    {
        std::string text (100, '\0');
        const int size = receive_bytes (from, text.data (), text.size (), 0);
        EXPECT_GE (size, 0);
        text.resize (size < 0 ? 0 : static_cast<std::size_t> (size));
        return text;
    }

    static void send_text (void *to, std::string_view text, int flags = 0)
    {
        EXPECT_EQ (send_bytes (to, text.data (), text.size (), flags), static_cast<int> (text.size ()));
    }

    void *context = nullptr;
    std::vector<void *> opened;
};

}  // namespace zlink::api

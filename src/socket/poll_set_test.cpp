#include "socket/poll_set.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/test_world.hpp"
#include "socket/facade.hpp"

namespace zlink::socket {
namespace {

using base::as_bytes;
using base::errc;

constexpr int pair = 0;

// Pairs of sockets; what is sent to one of a pair makes the other ready.
struct poll_set_case : testing::Test
{
    engine::test::quiet_world around;
    void *context = context_open (around.world (), header::zlink, nullptr).value ();
    std::vector<void *> opened;
    poll_set set{around.world ()};

    ~poll_set_case () override
    {
        set.clear ();
        for (void *const each : opened)
            (void)close (each);
        EXPECT_TRUE (context_terminate (context, 0).ok ());
    }

    // Two that are connected; the second one is answered.
    void *reader (void *&writer)
    {
        const std::string place = "inproc://" + std::to_string (opened.size ());
        for (int i = 0; i < 2; ++i)
            opened.push_back (open (context, pair).value ());
        writer = opened[opened.size () - 2];
        EXPECT_TRUE (socket::bind (writer, place).ok ());
        EXPECT_TRUE (socket::connect (opened.back (), place).ok ());
        return opened.back ();
    }
    static void write (void *to) { EXPECT_TRUE (send (to, as_bytes (std::string_view ("x")), 0).ok ()); }
    static void read (void *from)
    {
        std::array<std::byte, 8> room;
        EXPECT_TRUE (receive (from, room, 0).ok ());
    }
    // How many are ready now; 1000 + the code of a failure.
    std::size_t found ()
    {
        const base::result<std::size_t> got = set.wait (0);
        return got.ok () ? got.value () : 1000 + static_cast<std::size_t> (got.code ());
    }
    static std::size_t failure (errc code) { return 1000 + static_cast<std::size_t> (code); }
    [[nodiscard]] unsigned ready (std::size_t at) const { return set.items ()[at].ready; }

    static poll_item in (void *of) { return {of, base::no_handle, event_in, 0}; }
    static poll_item out (void *of) { return {of, base::no_handle, event_out, 0}; }
};

TEST_F (poll_set_case, an_empty_set_has_nothing_ready)
{
    EXPECT_EQ (found (), 0U);
    EXPECT_TRUE (set.items ().empty ());
    EXPECT_EQ (set.wait (-1).code (), errc::interrupted);  // the world's lists wait for nothing
}

TEST_F (poll_set_case, what_is_ready_is_reported_until_it_is_taken)
{
    void *a = nullptr;
    void *b = nullptr;
    const std::array items{in (reader (a)), in (reader (b))};
    ASSERT_TRUE (set.assign (items).ok ());
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ (found (), 0U);
        write (b);
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ (found (), 1U);
        EXPECT_EQ (ready (0), 0U);
        EXPECT_EQ (ready (1), event_in);
        write (a);
        EXPECT_EQ (found (), 2U);
        read (items[1].socket);
        EXPECT_EQ (found (), 1U);
        EXPECT_EQ (ready (1), 0U);
        read (items[0].socket);
    }
    EXPECT_EQ (found (), 0U);
}

TEST_F (poll_set_case, a_socket_may_come_twice)
{
    void *writer = nullptr;
    void *const one = reader (writer);
    const std::array items{in (one), out (one), in (one)};
    ASSERT_TRUE (set.assign (items).ok ());
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ (found (), 1U);
    EXPECT_EQ (ready (1), event_out);
    write (writer);
    EXPECT_EQ (found (), 3U);
    EXPECT_EQ (ready (0), event_in);
    EXPECT_EQ (ready (2), event_in);
}

TEST_F (poll_set_case, members_come_and_go_and_want_other_things)
{
    std::array<void *, 3> writers{};
    std::array<void *, 3> readers{};
    for (std::size_t i = 0; i < 3; ++i)
        readers[i] = reader (writers[i]);
    ASSERT_TRUE (set.assign (std::array{in (readers[0]), in (readers[1])}).ok ());
    EXPECT_EQ (found (), 0U);
    EXPECT_EQ (found (), 0U);
    ASSERT_TRUE (set.assign (std::array{in (readers[1]), in (readers[2])}).ok ());
    write (writers[0]);
    EXPECT_EQ (found (), 0U);
    write (writers[2]);
    EXPECT_EQ (found (), 1U);
    EXPECT_EQ (ready (1), event_in);
    ASSERT_TRUE (set.assign (std::array{out (readers[2]), in (readers[0])}).ok ());
    EXPECT_EQ (found (), 2U);
    EXPECT_EQ (ready (0), event_out);
    ASSERT_TRUE (set.assign (std::array{in (readers[2])}).ok ());
    EXPECT_EQ (found (), 1U);
    ASSERT_TRUE (set.assign ({}).ok ());
    EXPECT_EQ (found (), 0U);
}

TEST_F (poll_set_case, a_closed_socket_empties_the_set)
{
    void *a = nullptr;
    void *b = nullptr;
    const std::array items{in (reader (a)), in (reader (b))};
    ASSERT_TRUE (set.assign (items).ok ());
    EXPECT_EQ (found (), 0U);
    EXPECT_EQ (found (), 0U);
    ASSERT_TRUE (close (items[0].socket).ok ());
    EXPECT_EQ (found (), failure (errc::not_a_socket));
    EXPECT_TRUE (set.items ().empty ());
    ASSERT_TRUE (set.assign (items).ok ());
    EXPECT_EQ (found (), failure (errc::not_a_socket));
    ASSERT_TRUE (set.assign (std::array{items[1]}).ok ());
    write (b);
    EXPECT_EQ (found (), 1U);
}

TEST_F (poll_set_case, without_a_poller_it_polls_the_plain_way)
{
    void *writer = nullptr;
    ASSERT_TRUE (set.assign (std::array{in (reader (writer))}).ok ());
    around.pollers.failure = errc::too_many_files;
    EXPECT_EQ (set.wait (5).code (), errc::too_many_files);
    EXPECT_EQ (found (), 0U);
    write (writer);
    EXPECT_EQ (found (), 1U);
    EXPECT_EQ (ready (0), event_in);
    around.pollers.failure = errc::ok;
    EXPECT_EQ (found (), 1U);
}

TEST_F (poll_set_case, what_was_left_alone_is_not_touched_again)
{
    void *writer = nullptr;
    void *const one = reader (writer);
    ASSERT_TRUE (set.assign (std::array{in (one)}).ok ());
    EXPECT_EQ (found (), 0U);
    EXPECT_EQ (found (), 0U);
    set.clear ();
    write (writer);
    EXPECT_EQ (found (), 0U);
    ASSERT_TRUE (set.assign (std::array{in (one)}).ok ());
    EXPECT_EQ (found (), 1U);
}

}  // namespace
}  // namespace zlink::socket

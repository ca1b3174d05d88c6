#include "api/poller_set.hpp"

#include <array>
#include <map>

#include <gtest/gtest.h>

#include "api/real_world_access.hpp"
#include "api/test_sockets.hpp"

namespace zlink::api {
namespace {

struct poller_set_case : testing::Test, test_sockets
{
};

using base::errc;

TEST_F (poller_set_case, a_set_knows_its_members)
{
    poller_set set (*process_world ());
    void *socket = open (pull_type);
    EXPECT_EQ (set.size (), 0U);
    EXPECT_TRUE (set.add ({socket, base::no_handle}, this, 1).ok ());
    EXPECT_EQ (set.add ({socket, base::no_handle}, this, 1).code (), errc::invalid_argument);
    EXPECT_EQ (set.add ({open (pull_type), base::no_handle}, this, 16).code (), errc::invalid_argument);
    EXPECT_TRUE (set.add ({nullptr, 0}, nullptr, 0).ok ());
    EXPECT_EQ (set.add ({nullptr, 0}, nullptr, 0).code (), errc::invalid_argument);
    EXPECT_EQ (set.size (), 2U);
    EXPECT_TRUE (set.modify ({socket, base::no_handle}, 2).ok ());
    EXPECT_EQ (set.modify ({socket, base::no_handle}, 32).code (), errc::invalid_argument);
    EXPECT_TRUE (set.remove ({socket, base::no_handle}).ok ());
    EXPECT_EQ (set.remove ({socket, base::no_handle}).code (), errc::invalid_argument);
    EXPECT_EQ (set.modify ({socket, base::no_handle}, 1).code (), errc::invalid_argument);
    EXPECT_TRUE (set.remove ({nullptr, 0}).ok ());
    EXPECT_EQ (set.size (), 0U);
}

TEST_F (poller_set_case, an_empty_set_waits_for_nothing)
{
    poller_set set (*process_world ());
    std::array<ready_event, 1> events;
    EXPECT_EQ (set.wait (events, -1).code (), errc::bad_address);
    EXPECT_EQ (set.wait (events, 0).value (), 0U);
}

TEST_F (poller_set_case, the_descriptor_needs_a_socket)
{
    poller_set set (*process_world ());
    EXPECT_EQ (set.descriptor ().code (), errc::invalid_argument);
    ASSERT_TRUE (set.add ({nullptr, 0}, nullptr, 0).ok ());
    EXPECT_EQ (set.descriptor ().code (), errc::invalid_argument);
    void *socket = open (pull_type);
    ASSERT_TRUE (set.add ({socket, base::no_handle}, this, 1).ok ());
    const base::result<base::io_handle> made = set.descriptor ();
    ASSERT_TRUE (made.ok ());
    EXPECT_GE (made.value (), 0);
    EXPECT_EQ (set.descriptor ().value (), made.value ());
    ASSERT_TRUE (set.remove ({socket, base::no_handle}).ok ());
    EXPECT_EQ (set.descriptor ().value (), made.value ());
}

TEST_F (poller_set_case, every_ready_member_has_its_turn)
{
    poller_set set (*process_world ());
    std::array<void *, 3> pulls{};
    for (std::size_t i = 0; i < pulls.size (); ++i) {
        const std::string endpoint = "inproc://turn" + std::to_string (i);
        pulls[i] = open_bound (pull_type, endpoint);
        ASSERT_TRUE (send_text (open_connected (push_type, endpoint), "x"));
        ASSERT_TRUE (set.add ({pulls[i], base::no_handle}, &pulls[i], socket::event_in).ok ());
    }
    std::map<void *, int> turns;
    std::array<ready_event, 1> one;
    for (int round = 0; round < 6; ++round) {
        ASSERT_EQ (set.wait (one, -1).value (), 1U);
        EXPECT_EQ (one[0].events, socket::event_in);
        EXPECT_EQ (*static_cast<void **> (one[0].user_data), one[0].target.socket);
        ++turns[one[0].target.socket];
    }
    for (void *pull : pulls)
        EXPECT_EQ (turns[pull], 2);
    std::array<ready_event, 5> all;
    EXPECT_EQ (set.wait (all, -1).value (), 3U);
}

TEST_F (poller_set_case, a_closed_member_is_an_error)
{
    poller_set set (*process_world ());
    void *socket = socket::open (context, pull_type).value ();
    ASSERT_TRUE (set.add ({socket, base::no_handle}, nullptr, 1).ok ());
    ASSERT_TRUE (socket::close (socket).ok ());
    std::array<ready_event, 1> events;
    EXPECT_EQ (set.wait (events, 0).code (), errc::not_a_socket);
    EXPECT_TRUE (set.remove ({socket, base::no_handle}).ok ());
}

}  // namespace
}  // namespace zlink::api

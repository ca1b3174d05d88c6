#include "platform/peer_admission.hpp"

#include <array>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "platform/descriptor.hpp"
#include "platform/host_lookup.hpp"
#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

base::accept_filter from (std::initializer_list<const char *> ranges)
{
    base::accept_filter made;
    for (const char *each : ranges)
        made.addresses.push_back (base::parse_ip_range (each).value ());
    return made;
}

bool admitted (const char *number, const base::accept_filter &filter)
{
    return is_admitted (-1, numeric_address (number, true).value (), filter);
}

// Both ends are this process, as the system says of the other one.
struct local_pair : testing::Test
{
    void SetUp () override
    {
        std::array<int, 2> ends{-1, -1};
        ASSERT_EQ (::socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data ()), 0);
        here = descriptor (ends[0]);
        there = descriptor (ends[1]);
    }
    [[nodiscard]] bool admitted (const base::accept_filter &filter) const
    {
        return is_admitted (here.get (), socket_address::local ("@any").value (), filter);
    }

    descriptor here;
    descriptor there;
    const std::uint32_t me = ::getuid ();
    const std::uint32_t mine = ::getgid ();
    const std::uint32_t this_process = static_cast<std::uint32_t> (::getpid ());
};

TEST (peer_admission, without_filters_everybody_is_welcome)
{
    EXPECT_TRUE (admitted ("192.0.2.1", {}));
    EXPECT_TRUE (is_admitted (-1, socket_address::local ("@x").value (), {}));
    EXPECT_TRUE (is_admitted (-1, {}, {}));
}

TEST (peer_admission, one_range_that_matches_is_enough)
{
    const base::accept_filter filter = from ({"10.0.0.0/8", "2001:db8::/32"});
    EXPECT_TRUE (admitted ("10.1.2.3", filter));
    EXPECT_TRUE (admitted ("::ffff:10.1.2.3", filter));
    EXPECT_TRUE (admitted ("2001:db8::1", filter));
    EXPECT_FALSE (admitted ("11.1.2.3", filter));
    EXPECT_FALSE (admitted ("::1", filter));
    EXPECT_FALSE (is_admitted (-1, {}, filter));
}

TEST_F (local_pair, addresses_do_not_count_and_neither_do_users_on_the_network)
{
    EXPECT_TRUE (admitted (from ({"10.0.0.0/8"})));
    base::accept_filter nobody;
    nobody.users = {me + 1};
    EXPECT_TRUE (is_admitted (here.get (), numeric_address ("10.0.0.1", false).value (), nobody));
}

TEST_F (local_pair, any_filter_that_matches_is_enough)
{
    base::accept_filter filter;
    filter.users = {me + 1};
    EXPECT_FALSE (admitted (filter));
    filter.processes = {this_process + 1};
    filter.groups = {0xFFFF'FFF0};
    EXPECT_FALSE (admitted (filter));
    for (auto [list, id] : {std::pair (&filter.users, me), std::pair (&filter.groups, mine),
                            std::pair (&filter.processes, this_process)}) {
        list->push_back (id);
        EXPECT_TRUE (admitted (filter));
        list->pop_back ();
        EXPECT_FALSE (admitted (filter));
    }
}

TEST_F (local_pair, further_groups_count)
{
    std::vector<gid_t> all (static_cast<std::size_t> (std::max (::getgroups (0, nullptr), 0)));
    ASSERT_EQ (::getgroups (static_cast<int> (all.size ()), all.data ()), static_cast<int> (all.size ()));
    for (const gid_t each : all) {
        base::accept_filter filter;
        filter.groups = {each};
        EXPECT_TRUE (admitted (filter)) << each;
    }
}

// Only the superuser may join so many.
TEST_F (local_pair, more_groups_than_are_usual)
{
    const int answer = test_tools::in_child ([] {
        std::vector<gid_t> many (300);
        for (std::size_t i = 0; i < many.size (); ++i)
            many[i] = static_cast<gid_t> (100'000 + i);
        if (::setgroups (many.size (), many.data ()) != 0)
            return 2;
        std::array<int, 2> ends{-1, -1};
        if (::socketpair (AF_UNIX, SOCK_STREAM, 0, ends.data ()) != 0)
            return 3;
        base::accept_filter filter;
        filter.groups = {100'299};
        const socket_address local = socket_address::local ("@any").value ();
        const bool in = is_admitted (ends[0], local, filter);
        filter.groups = {100'300};
        return in && !is_admitted (ends[0], local, filter) ? 0 : 1;
    });
    if (answer == 2)
        GTEST_SKIP () << "we may not change our groups";
    EXPECT_EQ (answer, 0);
}

TEST_F (local_pair, who_cannot_be_told_stays_outside)
{
    base::accept_filter filter;
    filter.users = {me};
    EXPECT_FALSE (is_admitted (-1, socket_address::local ("@x").value (), filter));
}

}  // namespace
}  // namespace zlink::platform

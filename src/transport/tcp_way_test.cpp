#include "transport/tcp_way.hpp"

#include <gtest/gtest.h>
#include <string>

namespace zlink::transport {
namespace {

using base::errc;

base::stream_options through (std::string proxy)
{
    base::stream_options options;
    options.proxy = std::move (proxy);
    return options;
}

TEST (tcp_way, is_straight_without_a_proxy)
{
    const auto found = find_way ("there:5555", through (""));
    ASSERT_TRUE (found);
    EXPECT_EQ (found.value ().to.target.host, "there");
    EXPECT_EQ (found.value ().to.target.port, 5555);
    EXPECT_TRUE (found.value ().beyond.host.empty ());
}

TEST (tcp_way, leads_to_the_proxy_and_beyond_it_to_the_host)
{
    const auto found = find_way ("there:5555", through ("gate:1080"));
    ASSERT_TRUE (found);
    EXPECT_EQ (found.value ().to.target.host, "gate");
    EXPECT_EQ (found.value ().to.target.port, 1080);
    EXPECT_EQ (found.value ().beyond.host, "there");
    EXPECT_EQ (found.value ().beyond.port, 5555);
}

TEST (tcp_way, refuses_what_no_proxy_can_be_asked_for)
{
    EXPECT_EQ (find_way ("there", through ("gate:1080")).code (), errc::invalid_argument);
    EXPECT_EQ (find_way ("there:5555", through ("gate")).code (), errc::invalid_argument);
    EXPECT_EQ (find_way ("there:5555", through ("here:1;gate:1080")).code (), errc::invalid_argument);
    EXPECT_EQ (find_way ("[fe80::1%lo]:5555", through ("gate:1080")).code (), errc::invalid_argument);
    EXPECT_EQ (find_way (std::string (256, 'h') + ":5555", through ("gate:1080")).code (),
               errc::invalid_argument);
}

}  // namespace
}  // namespace zlink::transport

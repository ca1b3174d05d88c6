#include "transport/address_order.hpp"

#include <string>

#include <gtest/gtest.h>

#include "platform/host_lookup.hpp"

namespace zlink::transport {
namespace {

// The hosts of the list, in the order in which they are tried.
std::string order_of (const std::vector<std::string> &hosts)
{
    std::vector<platform::socket_address> sorted;
    for (const std::string &each : hosts)
        sorted.push_back (platform::numeric_address (each, true).value ());
    std::string text;
    for (const platform::socket_address &each : in_turns (sorted))
        text += each.host_text () + ' ';
    return text;
}

TEST (address_order, families_take_turns_beginning_with_the_resolvers_first)
{
    EXPECT_EQ (order_of ({"::1", "::2", "::3", "10.0.0.1", "10.0.0.2"}), "::1 10.0.0.1 ::2 10.0.0.2 ::3 ");
    EXPECT_EQ (order_of ({"10.0.0.1", "10.0.0.2", "10.0.0.3", "::1"}), "10.0.0.1 ::1 10.0.0.2 10.0.0.3 ");
    EXPECT_EQ (order_of ({"::1", "10.0.0.1", "10.0.0.2", "::2"}), "::1 10.0.0.1 ::2 10.0.0.2 ");
}

TEST (address_order, of_one_family_is_the_resolvers)
{
    EXPECT_EQ (order_of ({}), "");
    EXPECT_EQ (order_of ({"::3", "::1", "::2"}), "::3 ::1 ::2 ");
    EXPECT_EQ (order_of ({"10.0.0.3", "10.0.0.1"}), "10.0.0.3 10.0.0.1 ");
}

TEST (address_order, is_bounded_and_leaves_both_families_in)
{
    std::vector<platform::socket_address> many (200, platform::numeric_address ("10.0.0.1", false).value ());
    EXPECT_EQ (in_turns (many).size (), addresses_max);
    many.push_back (platform::numeric_address ("::1", true).value ());
    const auto order = in_turns (many);
    EXPECT_EQ (order.size (), addresses_max);
    EXPECT_EQ (order[1].host_text (), "::1");
}

}  // namespace
}  // namespace zlink::transport

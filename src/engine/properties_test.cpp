#include "engine/properties.hpp"

#include <gtest/gtest.h>

#include "wire/session.hpp"

namespace zlink::engine {
namespace {

using base::errc;

// Whether a peer takes a READY with them.
bool is_taken (const property_list &all, wire::socket_type type, const std::string &identity)
{
    wire::session ours ({.type = type, .identity = identity, .send_identity = true, .properties = all});
    wire::session theirs ({.type = type});
    ours.start ();
    theirs.start ();
    for (wire::session *from : {&theirs, &ours, &theirs, &ours}) {
        wire::session &to = from == &ours ? theirs : ours;
        std::size_t consumed = 0;
        const std::size_t said = from->output ().size ();
        (void)to.feed (from->output (), consumed);
        from->output_drained (said);
    }
    return theirs.status () == wire::session_status::ready;
}

TEST (properties, have_names_of_the_grammar)
{
    property_list all;
    EXPECT_TRUE (add_property (all, "X-az.AZ_09+", "").ok ());
    const std::string longest (255, 'n');
    EXPECT_TRUE (add_property (all, longest, "v").ok ());
    const std::string control ("X-\x01", 3);
    const std::string zero ("X-\0", 3);
    for (const std::string &bad :
         {std::string (), longest + 'n', std::string ("X-a b"), std::string ("X-\xC3\xA9"), control, zero,
          std::string ("X-a:b"), std::string ("X-a/b"), std::string ("X-\x7F"), std::string ("X-a@")})
        EXPECT_EQ (add_property (all, bad, "v").code (), errc::invalid_argument) << bad;
    EXPECT_EQ (all.size (), 2u);
}

TEST (properties, are_the_same_in_whatever_case)
{
    property_list all;
    EXPECT_TRUE (add_property (all, "X-one", "1").ok ());
    EXPECT_TRUE (add_property (all, "X-two", "2").ok ());
    EXPECT_TRUE (add_property (all, "X-ONE", "3").ok ());
    EXPECT_EQ (all, (property_list{{"X-ONE", "3"}, {"X-two", "2"}}));
    EXPECT_TRUE (is_taken (all, wire::socket_type::pair, ""));
}

// As many as will go, and a peer takes them whoever says so.
TEST (properties, are_as_many_as_a_peer_takes)
{
    property_list all;
    while (add_property (all, "X-" + std::to_string (all.size ()), "v").ok ())
        ASSERT_LT (all.size (), 1000u);
    EXPECT_GT (all.size (), 100u);
    EXPECT_TRUE (is_taken (all, wire::socket_type::pair, std::string (255, 'i')));
    all.emplace_back ("X-past", "v");
    EXPECT_FALSE (is_taken (all, wire::socket_type::pair, std::string (255, 'i')));
    all.pop_back ();
    EXPECT_TRUE (add_property (all, "X-0", "another").ok ());
}

TEST (properties, are_as_large_as_a_peer_takes)
{
    property_list all;
    std::size_t size = 60'000;
    while (add_property (all, "X-large", std::string (size, 'v')).ok ())
        ASSERT_LT (++size, 70'000u);
    ASSERT_EQ (all.size (), 1u);
    EXPECT_EQ (all[0].second.size (), size - 1);
    EXPECT_TRUE (is_taken (all, wire::socket_type::pair, std::string (255, 'i')));
    EXPECT_EQ (add_property (all, "X-b", "").code (), errc::invalid_argument);
    all[0].second += "a few more";
    EXPECT_FALSE (is_taken (all, wire::socket_type::pair, std::string (255, 'i')));
}

}  // namespace
}  // namespace zlink::engine

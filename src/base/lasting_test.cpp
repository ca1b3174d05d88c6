#include "base/lasting.hpp"

#include <array>
#include <thread>

#include <gtest/gtest.h>

namespace zlink::base {
namespace {

struct noted
{
    int value = 7;
};

TEST (lasting, is_made_once_for_all_who_ask)
{
    static constinit lasting<noted> object;
    std::array<noted *, 8> seen{};
    {
        std::array<std::jthread, 8> all;
        for (std::size_t i = 0; i < all.size (); ++i)
            all[i] = std::jthread ([&, i] { seen[i] = object.get (); });
    }
    for (noted *each : seen) {
        ASSERT_NE (each, nullptr);
        EXPECT_EQ (each, object.get ());
        EXPECT_EQ (each->value, 7);
    }
}

TEST (lasting, what_is_forsaken_stays_as_it_was_and_another_takes_its_place)
{
    static constinit lasting<noted> object;
    noted *const first = object.get ();
    ASSERT_NE (first, nullptr);
    first->value = 1;
    object.forsake ();
    object.forsake ();  // a grandchild that never asked
    noted *const second = object.get ();
    ASSERT_NE (second, nullptr);
    EXPECT_NE (second, first);
    EXPECT_EQ (second->value, 7);
    EXPECT_EQ (first->value, 1);
}

}  // namespace
}  // namespace zlink::base

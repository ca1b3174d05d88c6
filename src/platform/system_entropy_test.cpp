#include "platform/system_entropy.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace zlink::platform {
namespace {

TEST (system_entropy, fills_all_that_is_asked_for)
{
    system_entropy source;
    EXPECT_TRUE (source.fill ({}));
    std::array<std::byte, 100'000> bytes{};  // more than the kernel gives at once
    ASSERT_TRUE (source.fill (bytes));
    std::array<unsigned, 256> seen{};
    for (const std::byte each : bytes)
        ++seen[static_cast<unsigned> (each)];
    EXPECT_GT (*std::min_element (seen.begin (), seen.end ()), 0U);
    EXPECT_TRUE (
      std::any_of (bytes.end () - 64, bytes.end (), [] (std::byte b) { return b != std::byte{0}; }));
}

TEST (system_entropy, does_not_repeat_itself)
{
    system_entropy source;
    std::array<std::byte, 32> one{};
    std::array<std::byte, 32> other{};
    ASSERT_TRUE (source.fill (one) && source.fill (other));
    EXPECT_NE (one, other);
}

}  // namespace
}  // namespace zlink::platform

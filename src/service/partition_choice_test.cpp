#include "service/partition_choice.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::service {
namespace {

TEST (PartitionChoice, KeysSpreadOverPartitionsAndEveryLanguageAgrees)
{
    std::array<unsigned, 8> hits{};
    for (unsigned i = 0; i < 8000; ++i)
        ++hits[partition_of ("key" + std::to_string (i), 8)];
    for (const unsigned each : hits)
        EXPECT_NEAR (each, 1000, 150);
    EXPECT_EQ (partition_of ("anything", 1), 0U);
    EXPECT_EQ (partition_digest ("a", 0), 0x5f29c2aadd9b8527U);
}

TEST (PartitionChoice, ANodeThatGoesMovesOnlyWhatItHad)
{
    const std::vector<std::uint64_t> four{11, 22, 33, 44}, three{11, 22, 33};
    std::array<unsigned, 45> had{};
    for (std::uint32_t part = 0; part < 4000; ++part) {
        const std::uint64_t before = choose_owner ("prices", part, four);
        const std::uint64_t after = choose_owner ("prices", part, three);
        ++had[before];
        EXPECT_TRUE (before == 44 || after == before);
    }
    for (const std::uint64_t node : four)
        EXPECT_NEAR (had[node], 1000, 150);
    EXPECT_EQ (choose_owner ("prices", 0, std::vector<std::uint64_t>{}), 0U);
    std::vector<std::uint64_t> turned (four.rbegin (), four.rend ());
    EXPECT_EQ (choose_owner ("prices", 7, turned), choose_owner ("prices", 7, four));
}

}  // namespace
}  // namespace zlink::service

#include "platform/processor_quota.hpp"

#include <gtest/gtest.h>

namespace zlink::platform {
namespace {

TEST (processor_quota, quota_over_period)
{
    EXPECT_EQ (parse_cpu_max ("200000 100000\n"), 2.0);
    EXPECT_EQ (parse_cpu_max ("50000 100000"), 0.5);
    EXPECT_EQ (parse_cpu_max ("max 100000\n"), std::nullopt);
    EXPECT_EQ (parse_cpu_max ("-1 100000"), std::nullopt);
    EXPECT_EQ (parse_cpu_max ("200000"), std::nullopt);
    EXPECT_EQ (parse_cpu_max ("200000 0"), std::nullopt);
    EXPECT_EQ (parse_cpu_max ("200000 "), std::nullopt);
    EXPECT_EQ (parse_cpu_max (""), std::nullopt);
}

TEST (processor_quota, finds_the_group_of_a_controller)
{
    constexpr std::string_view text =
      "9:name=systemd:/x\n3:cpu,cpuacct:/box/one\n2:cpuset:/set\n0::/unified/two\n";
    EXPECT_EQ (find_group (text, ""), "/unified/two");
    EXPECT_EQ (find_group (text, "cpu"), "/box/one");
    EXPECT_EQ (find_group (text, "cpuacct"), "/box/one");
    EXPECT_EQ (find_group (text, "memory"), std::nullopt);
    EXPECT_EQ (find_group ("", "cpu"), std::nullopt);
    EXPECT_EQ (find_group ("nonsense\n::\n", "cpu"), std::nullopt);
}

}  // namespace
}  // namespace zlink::platform

#include "platform/core_count.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

namespace zlink::platform {
namespace {

TEST (core_count, quota_over_period)
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

TEST (core_count, finds_the_group_of_a_controller)
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

TEST (core_count, a_narrow_mask_is_one_core)
{
    EXPECT_GE (core_count (), 1U);
    unsigned narrow = 0;
    std::thread ([&] {
        cpu_set_t mask;
        CPU_ZERO (&mask);
        CPU_SET (static_cast<std::size_t> (::sched_getcpu ()), &mask);
        if (::sched_setaffinity (0, sizeof mask, &mask) == 0)
            narrow = core_count ();
    }).join ();
    EXPECT_EQ (narrow, 1U);
}

}  // namespace
}  // namespace zlink::platform

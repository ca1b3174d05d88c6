#include "platform/core_count.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

namespace zlink::platform {
namespace {

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

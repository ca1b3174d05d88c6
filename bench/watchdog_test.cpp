#include "bench/watchdog.hpp"

#include <gtest/gtest.h>

#include "bench/outcome.hpp"

namespace {

using namespace zlink::bench;

TEST (watchdog, says_where_a_run_hung)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT (
      {
          // The line goes to standard output; the exit code is what is seen here.
          watchdog::stage ("testing");
          const watchdog guard (1'000'000);
          for (;;)
              std::this_thread::yield ();
      },
      testing::ExitedWithCode (1), "");
}

TEST (watchdog, lets_a_run_that_ends_go) { const watchdog guard (INT64_MAX / 4); }

}  // namespace

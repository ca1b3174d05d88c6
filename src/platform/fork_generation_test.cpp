#include "platform/fork_generation.hpp"

#include <gtest/gtest.h>

#include "platform/test_tools.hpp"

namespace zlink::platform {
namespace {

TEST (fork_generation, counts_children_of_children)
{
    const std::uint32_t ours = fork_generation ();
    const int answer = test_tools::in_child ([&] {
        if (fork_generation () != ours + 1)
            return 1;
        return test_tools::in_child ([&] { return fork_generation () == ours + 2 ? 0 : 2; });
    });
    EXPECT_EQ (answer, 0);
    EXPECT_EQ (fork_generation (), ours);
    EXPECT_TRUE (has_forked ());
}

int calls;

TEST (fork_generation, a_child_runs_its_handler_before_anything_else)
{
    set_child_handler ([] () noexcept { ++calls; });
    EXPECT_EQ (test_tools::in_child ([] { return calls; }), 1);
    EXPECT_EQ (test_tools::in_child ([] { return test_tools::in_child ([] { return calls; }); }), 2);
    EXPECT_EQ (calls, 0);
    set_child_handler (nullptr);
}

}  // namespace
}  // namespace zlink::platform

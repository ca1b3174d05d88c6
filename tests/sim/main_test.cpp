// sim_test --seed N runs one scenario again; anything else is GoogleTest's.
#include <cstring>
#include <gtest/gtest.h>

#include "sim/command.hpp"

int main (int count, char **words)
{
    if (count > 1 && std::strncmp (words[1], "--seed", 6) == 0)
        return zlink::sim::run_command (count, words);
    testing::InitGoogleTest (&count, words);
    return RUN_ALL_TESTS ();
}

// Before a fork under the address sanitizer: its allocator has locks that a
// fork does not take, so no other thread may be in it at that moment. Without
// that sanitizer forks come when they like.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "support/waiting.hpp"

namespace zlink::test {

// True when each other thread of this process sleeps in the kernel.
inline bool others_sleep ()
{
    std::error_code gone;
    for (const auto &each : std::filesystem::directory_iterator ("/proc/self/task", gone)) {
        if (each.path ().filename () == std::to_string (::gettid ()))
            continue;
        std::string line;
        std::getline (std::ifstream (each.path () / "stat"), line);
        // The state is the first word behind the name, which ends with the last ')'.
        const std::size_t name_end = line.rfind (')');
        if (name_end != std::string::npos && line.compare (name_end, 3, ") S") != 0)
            return false;
    }
    return true;
}

inline void wait_for_a_calm_moment ()
{
#if defined(__SANITIZE_ADDRESS__)
    if (!eventually (others_sleep))
        std::fprintf (stderr, "a fork under the address sanitizer while other threads are busy\n");
#endif
}

}  // namespace zlink::test

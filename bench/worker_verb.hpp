// The hidden verb by which a program that measures starts itself for one run.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace zlink::bench {

inline constexpr const char *worker_verb = "bench-worker";

// Adds the verb's options to its command. What is answered is to be called once they are
// parsed: it prints one line, the outcome, and returns the exit code.
[[nodiscard]] std::function<int ()> prepare_worker_verb (CLI::App &command);

}  // namespace zlink::bench

// What a measurement ran on, in words, for whoever reads its figures elsewhere.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace zlink::bench {

using fact = std::pair<std::string, std::string>;  // a name, and what is said of it

// Date, processor, memory, kernel, system, and how busy it is now. What the system does
// not say is left out.
[[nodiscard]] std::vector<fact> machine_facts ();

// A file's path with its size in bytes.
[[nodiscard]] std::string file_facts (const std::string &path);

}  // namespace zlink::bench

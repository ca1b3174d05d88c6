// What zlink top shows of one process: a line about it, and one for each of its sockets.
// Pure. Nothing that a server says reaches a terminal as a control character.
#pragma once

#include <string>
#include <vector>

#include "tools/zlink/statistics_reader.hpp"

namespace zlink::tool {

// With an earlier reading of the same process: what was done per second since; without
// one: what was done in all. What is not as it should be is said in a line.
[[nodiscard]] std::vector<std::string> table_of (const told_statistics &now, const told_statistics *before);

}  // namespace zlink::tool

// Forwarding between two sockets, until SIGINT or SIGTERM ends it.
#pragma once

#include <string>
#include <vector>

#include "tools/zlink/option_value.hpp"

namespace zlink::tool {

struct proxy_side
{
    int type = -1;  // of zlink.h
    std::string endpoint;
    bool connects = false;  // else binds
    std::vector<option_value> options;
};

// statistics: where the counters are served, or empty.
// Blocks. Takes both signals for itself until the process ends. Answers 0 when one of
// them came, 1 when it could not be, which is on standard error in the verb's name.
[[nodiscard]] int
run_proxy (const char *verb, const proxy_side &front, const proxy_side &back, const std::string &statistics);

}  // namespace zlink::tool

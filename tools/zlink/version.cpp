#include <cstdio>

#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

std::string version_line () { return "zlink " ZLINK_TOOL_VERSION; }

action prepare_version (CLI::App &)
{
    return [] {
        std::puts (version_line ().c_str ());
        return 0;
    };
}

}  // namespace zlink::tool

#include <cstdio>

#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

action prepare_version (CLI::App &)
{
    return [] {
        std::puts ("zlink " ZLINK_TOOL_VERSION);
        return 0;
    };
}

}  // namespace zlink::tool

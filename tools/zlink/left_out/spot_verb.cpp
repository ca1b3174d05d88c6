// Where the library has no services.
#include "tools/zlink/talker.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

action prepare_spot (CLI::App &)
{
    return [] { return say_why ("spot", {exit_failed, "this program was built without services"}); };
}

}  // namespace zlink::tool

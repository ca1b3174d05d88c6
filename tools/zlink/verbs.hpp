// The verbs of the `zlink` command, a row each.
//
// A verb adds its options to a CLI11 subcommand and answers what to run when
// it was chosen.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace zlink::tool {

// Returns the exit code: 0 well, 1 the verb's own "no", 2 wrong call.
using action = std::function<int ()>;

struct verb
{
    std::string_view name;
    std::string_view summary;
    action (*prepare) (CLI::App &command);
    bool hidden = false;
};

[[nodiscard]] const std::vector<verb> &verbs ();

action prepare_version (CLI::App &command);
action prepare_explain (CLI::App &command);
action prepare_bench (CLI::App &command);
action prepare_bench_worker (CLI::App &command);

}  // namespace zlink::tool

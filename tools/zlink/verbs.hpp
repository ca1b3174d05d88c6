// The verbs of the `zlink` command, a row each.
//
// A verb adds its options to a CLI11 subcommand and answers what to run when
// it was chosen.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace zlink::tool {

// Returns the exit code: 0 well, 1 the verb's own "no", 2 wrong call, 3 time ran out.
using action = std::function<int ()>;
inline constexpr int exit_wrong_call = 2;

struct verb
{
    std::string_view name;
    std::string_view summary;
    std::function<action (CLI::App &command)> prepare;
    bool hidden = false;
};

[[nodiscard]] const std::vector<verb> &verbs ();

// One for each socket type that has a use on a command line.
void add_socket_verbs (std::vector<verb> &to);

[[nodiscard]] std::string version_line ();

action prepare_version (CLI::App &command);
action prepare_explain (CLI::App &command);
action prepare_doctor (CLI::App &command);
action prepare_keygen (CLI::App &command);
action prepare_passwd (CLI::App &command);
action prepare_proxy (CLI::App &command);
action prepare_bridge (CLI::App &command);
action prepare_registry (CLI::App &command);
action prepare_gateway (CLI::App &command);
action prepare_spot (CLI::App &command);
action prepare_rtt (CLI::App &command);
action prepare_top (CLI::App &command);
action prepare_record (CLI::App &command);
action prepare_replay (CLI::App &command);
action prepare_cert (CLI::App &command);
action prepare_decode (CLI::App &command);
action prepare_completion (CLI::App &command);
action prepare_man (CLI::App &command);
action prepare_perf (CLI::App &command);
action prepare_bench (CLI::App &command);

}  // namespace zlink::tool

// zlink: the command beside the library.
#include <CLI/CLI.hpp>

#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

const std::vector<verb> &verbs ()
{
    static const std::vector<verb> table = {
      {"version", "Print the version of this program", prepare_version},
      {"explain", "Say what an error or an option means", prepare_explain},
      {"bench", "Measure against libzmq and the raw floor", prepare_bench},
      {"bench-worker", "One run of one cell; used by bench", prepare_bench_worker, true},
    };
    return table;
}

}  // namespace zlink::tool

int main (int argc, char **argv)
{
    CLI::App app ("zlink: messaging by ZMTP 3.1", "zlink");
    app.require_subcommand (1);
    zlink::tool::action chosen;
    for (const zlink::tool::verb &row : zlink::tool::verbs ()) {
        CLI::App *command = app.add_subcommand (std::string (row.name), std::string (row.summary));
        if (row.hidden)
            command->group ("");
        const zlink::tool::action run = row.prepare (*command);
        command->callback ([&chosen, run] { chosen = run; });
    }
    try {
        app.parse (argc, argv);
    } catch (const CLI::ParseError &wrong) {
        constexpr int exit_wrong_call = 2;
        return app.exit (wrong) == 0 ? 0 : exit_wrong_call;
    }
    return chosen ();
}

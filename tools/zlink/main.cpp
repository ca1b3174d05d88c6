// zlink: the command beside the library.
#include <CLI/CLI.hpp>

#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

const std::vector<verb> &verbs ()
{
    static const std::vector<verb> table = [] {
        std::vector<verb> made = {
          {"version", "Print the version of this program", prepare_version},
          {"explain", "Say what an error or an option means", prepare_explain},
          {"bench", "Measure against libzmq and the raw floor", prepare_bench},
          {"doctor", "Say what is wrong with an endpoint", prepare_doctor},
          {"keygen", "Make a pair of keys for CURVE", prepare_keygen},
          {"passwd", "Make a line of PLAIN_PASSWORDS", prepare_passwd},
          {"proxy", "Forward between two sockets", prepare_proxy},
          {"bench-worker", "One run of one cell; used by bench", prepare_bench_worker, true},
        };
        add_socket_verbs (made);
        return made;
    }();
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
        return app.exit (wrong) == 0 ? 0 : zlink::tool::exit_wrong_call;
    }
    return chosen ();
}

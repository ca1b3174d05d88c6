// zlink: the command beside the library.
#include <CLI/CLI.hpp>

#include "tools/zlink/command_line.hpp"

int main (int argc, char **argv)
{
    CLI::App app ("zlink: messaging by ZMTP 3.1", "zlink");
    zlink::tool::action chosen;
    zlink::tool::build_command_line (app, chosen);
    try {
        app.parse (argc, argv);
    } catch (const CLI::ParseError &wrong) {
        return app.exit (wrong) == 0 ? 0 : zlink::tool::exit_wrong_call;
    }
    return chosen ();
}

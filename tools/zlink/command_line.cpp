#include "tools/zlink/command_line.hpp"

#include <utility>

#include <CLI/CLI.hpp>

#include "bench/worker_verb.hpp"

namespace zlink::tool {

namespace {

// "TEXT:{zmq,zlink,both}" has three, "FLOAT:POSITIVE" none.
std::vector<std::string> choices_in (const std::string &type_name)
{
    const std::size_t open = type_name.find ('{');
    const std::size_t close = type_name.find ('}');
    if (open == std::string::npos || close == std::string::npos || close < open)
        return {};
    return CLI::detail::split (type_name.substr (open + 1, close - open - 1), ',');
}

described_option describe (const CLI::Option &option)
{
    described_option found;
    for (const std::string &each : option.get_snames ())
        found.names.push_back ("-" + each);
    for (const std::string &each : option.get_lnames ())
        found.names.push_back ("--" + each);
    if (option.get_positional ())
        found.word = option.get_name (true);
    found.takes_value = option.get_items_expected_max () > 0;
    found.is_required = option.get_required ();
    found.may_be_repeated = option.get_items_expected_max () > 1;
    found.summary = option.get_description ();
    found.choices = choices_in (option.get_type_name ());
    return found;
}

}  // namespace

const std::vector<verb> &verbs ()
{
    static const std::vector<verb> table = [] {
        std::vector<verb> made = {
          {"version", "Print the version of this program", prepare_version},
          {"explain", "Say what an error, an option, an event or a reason means", prepare_explain},
          {"bench", "Measure against libzmq and the raw floor", prepare_bench},
          {"perf", "Measure as libzmq's perf programs do", prepare_perf},
          {"doctor", "Say what is wrong with an endpoint", prepare_doctor},
          {"rtt", "Measure round trips to an echo, or be one", prepare_rtt},
          {"top", "Show live what sockets of other processes do", prepare_top},
          {"record", "Write what comes to a file, with its times", prepare_record},
          {"replay", "Send a recording again, at its pace", prepare_replay},
          {"keygen", "Make a pair of keys for CURVE", prepare_keygen},
          {"passwd", "Make a line of PLAIN_PASSWORDS", prepare_passwd},
          {"cert", "Make an authority and certificates to try TLS with", prepare_cert},
          {"proxy", "Forward between two sockets", prepare_proxy},
          {"bridge", "Carry a pattern from one transport to another", prepare_bridge},
          {"registry", "Run a registry: who provides which service, told as it changes", prepare_registry},
          {"gateway", "Relay requests to services by name, and topics", prepare_gateway},
          {"spot", "Publish to topics of a mesh of nodes, print them, or show live what goes on",
           prepare_spot},
          {"decode", "Show a capture or a hexadecimal dump as ZMTP", prepare_decode},
          {"completion", "Print what a shell needs to complete this command", prepare_completion},
          {"man", "Print a manual page, or write all of them", prepare_man},
          {bench::worker_verb, "One run of one cell; used by bench", bench::prepare_worker_verb, true},
        };
        add_socket_verbs (made);
        return made;
    }();
    return table;
}

void build_command_line (CLI::App &app, action &chosen)
{
    app.require_subcommand (1);
    app.set_version_flag ("--version", version_line ());
    for (const verb &row : verbs ()) {
        CLI::App *command = app.add_subcommand (std::string (row.name), std::string (row.summary));
        if (row.hidden)
            command->group ("");
        const action run = row.prepare (*command);
        command->callback ([&chosen, run] { chosen = run; });
    }
}

std::vector<described_verb> describe_command_line ()
{
    CLI::App app ("", "zlink");
    action nothing;
    build_command_line (app, nothing);
    std::vector<described_verb> found;
    for (const CLI::App *command : app.get_subcommands ([] (CLI::App *) { return true; })) {
        if (command->get_group ().empty ())
            continue;
        described_verb &made = found.emplace_back ();
        made.name = command->get_name ();
        made.summary = command->get_description ();
        made.more = command->get_footer ();
        for (const CLI::Option *option : std::as_const (*command).get_options ())
            if (!option->get_group ().empty ())
                made.options.push_back (describe (*option));
    }
    return found;
}

}  // namespace zlink::tool

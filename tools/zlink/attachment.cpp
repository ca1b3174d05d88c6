#include "tools/zlink/attachment.hpp"

#include <CLI/CLI.hpp>

#include "tools/zlink/checks.hpp"
#include "tools/zlink/served_counters.hpp"

namespace zlink::tool {

void add_options (CLI::App &command, std::vector<std::string> &to)
{
    command
      .add_option ("-o,--option", to,
                   "A socket option, NAME=VALUE (see zlink explain --all); may be repeated")
      ->allow_extra_args (false);
}

void add_attachment (CLI::App &command, attachment &to)
{
    command.add_option ("-b,--bind", to.binds, "Where to bind, such as tcp://*:5555; may be repeated")
      ->allow_extra_args (false);
    command.add_option ("-c,--connect,endpoint", to.connects, "Where to connect; may be repeated");
    command
      .add_option ("-t,--timeout", to.time_limit_s,
                   "Seconds that one message may take, in or out; then the exit code is 3")
      ->check (not_below_0 ());
    add_options (command, to.option_texts);
    add_statistics (command, to.statistics);
    command.add_flag ("-v,--verbose", to.says_where, "Say on standard error what was bound");
}

bool read_options (const std::vector<std::string> &texts, std::vector<option_value> &to, std::string &why)
{
    for (const std::string &each : texts)
        if (!read_option (each, to.emplace_back (), why))
            return false;
    return true;
}

bool settle (attachment &what, std::string &why)
{
    if (what.binds.empty () && what.connects.empty ()) {
        why = "say where to --bind or to --connect, such as tcp://localhost:5555";
        return false;
    }
    return read_options (what.option_texts, what.options, why);
}

}  // namespace zlink::tool

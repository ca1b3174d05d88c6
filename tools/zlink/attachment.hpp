// Where a verb's socket is bound and connected, with which options, and how long it
// waits: the options that the verbs which talk have in common.
#pragma once

#include <string>
#include <vector>

#include "tools/zlink/option_value.hpp"

namespace CLI {
class App;
}

namespace zlink::tool {

struct attachment
{
    std::vector<std::string> binds;
    std::vector<std::string> connects;
    std::vector<std::string> option_texts;  // NAME=VALUE, as they were written
    std::vector<option_value> options;      // the same, read by settle()
    double time_limit_s = -1;               // of each wait; negative: for ever
    std::string statistics;                 // where its counters are served; empty: nowhere
    bool says_where = false;                // tells on standard error what was bound
};

// Endpoints with --bind, --connect and as words behind the verb; --option, --timeout,
// --statistics and --verbose. `to` lives until the verb has run.
void add_attachment (CLI::App &command, attachment &to);
// --option alone, for verbs that have endpoints of their own.
void add_options (CLI::App &command, std::vector<std::string> &to);

// Reads the options, and asks for an endpoint. False: `why` names the argument and the rule.
[[nodiscard]] bool settle (attachment &what, std::string &why);
[[nodiscard]] bool
read_options (const std::vector<std::string> &texts, std::vector<option_value> &to, std::string &why);

}  // namespace zlink::tool

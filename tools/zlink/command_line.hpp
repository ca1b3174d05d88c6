// The command line of zlink: every verb with its options, and what there is to say of
// them, from which --help, the manual pages and the shells' completion are made.
#pragma once

#include <string>
#include <vector>

#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

// Adds the verbs to an app of their own; parsing it sets `chosen`, which lives as long.
void build_command_line (CLI::App &app, action &chosen);

struct described_option
{
    std::vector<std::string> names;  // with their dashes; empty: a word behind the verb only
    std::string word;                // what it is called behind the verb; empty: it may not stand there
    bool takes_value = false;
    bool is_required = false;
    bool may_be_repeated = false;
    std::string summary;
    std::vector<std::string> choices;  // empty: anything
};

struct described_verb
{
    std::string name;
    std::string summary;
    std::string more;  // behind the options; may be empty
    std::vector<described_option> options;
};

// What is hidden is left out. In the order of --help.
[[nodiscard]] std::vector<described_verb> describe_command_line ();

}  // namespace zlink::tool

// What the command says of itself for others to show: manual pages and completion.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/zlink/completion.hpp"
#include "tools/zlink/manual.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

void write_file (const std::string &path, const std::string &text)
{
    std::ofstream out (path, std::ios::binary | std::ios::trunc);
    if (!(out << text) || !out.flush ())
        throw stop{exit_failed, "cannot write " + path};
}

int write_manuals (const std::string &directory)
{
    const std::vector<described_verb> verbs = describe_command_line ();
    write_file (directory + "/zlink.1", manual_of_all (verbs));
    for (const described_verb &each : verbs)
        write_file (directory + "/zlink-" + each.name + ".1", manual_of (each));
    return exit_done;
}

int print_manual (const std::string &name)
{
    const std::vector<described_verb> verbs = describe_command_line ();
    if (name.empty ()) {
        std::fputs (manual_of_all (verbs).c_str (), stdout);
        return exit_done;
    }
    const auto found = std::find_if (verbs.begin (), verbs.end (),
                                     [&name] (const described_verb &each) { return each.name == name; });
    if (found == verbs.end ())
        throw stop{exit_wrong_call, "no verb is called '" + name + "'"};
    std::fputs (manual_of (*found).c_str (), stdout);
    return exit_done;
}

int print_completion (const std::string &shell)
{
    const std::vector<described_verb> verbs = describe_command_line ();
    const auto made = shell == "bash"  ? completion_for_bash
                      : shell == "zsh" ? completion_for_zsh
                                       : completion_for_fish;
    std::fputs (made (verbs).c_str (), stdout);
    return exit_done;
}

}  // namespace

action prepare_man (CLI::App &command)
{
    auto name = std::make_shared<std::string> ();
    auto directory = std::make_shared<std::string> ();
    command.add_option ("verb", *name, "Of which verb; none: of the command");
    command.add_option ("--directory", *directory, "Write the pages of all verbs there instead");
    command.footer ("To read a page: zlink man pub | man -l -");
    return [name, directory] {
        try {
            return directory->empty () ? print_manual (*name) : write_manuals (*directory);
        } catch (const stop &why) {
            return say_why ("man", why);
        }
    };
}

action prepare_completion (CLI::App &command)
{
    auto shell = std::make_shared<std::string> ();
    command.add_option ("shell", *shell, "Which one")
      ->required ()
      ->check (CLI::IsMember ({"bash", "zsh", "fish"}));
    command.footer ("bash: source <(zlink completion bash)\n"
                    "zsh:  source <(zlink completion zsh), behind compinit\n"
                    "fish: zlink completion fish | source");
    return [shell] { return print_completion (*shell); };
}

}  // namespace zlink::tool

#include "tools/zlink/completion.hpp"

#include <fmt/format.h>

namespace zlink::tool {

namespace {

// Within single quotation marks of every shell.
std::string in_quotes (std::string_view text)
{
    std::string made = "'";
    for (const char each : text)
        made += each == '\'' ? std::string ("'\\''") : std::string (1, each);
    return made + "'";
}

// The same in fish, whose quotation marks know the backslash.
std::string quoted_for_fish (std::string_view text)
{
    std::string made = "'";
    for (const char each : text) {
        if (each == '\'' || each == '\\')
            made += '\\';
        made += each;
    }
    return made + "'";
}

// Brackets and colons end a description of zsh's.
std::string described_for_zsh (std::string_view text)
{
    std::string made;
    for (const char each : text) {
        if (each == '[' || each == ']' || each == ':' || each == '\\')
            made += '\\';
        made += each == '\n' ? ' ' : each;
    }
    return made;
}

std::string names_of (std::span<const described_verb> verbs)
{
    std::string names;
    for (const described_verb &each : verbs)
        names += (names.empty () ? "" : " ") + each.name;
    return names;
}

std::string bash_case (const described_verb &verb)
{
    std::string names;
    std::string values;
    std::string words;
    for (const described_option &each : verb.options) {
        for (const std::string &name : each.names)
            names += (names.empty () ? "" : " ") + name;
        if (each.names.empty ())
            for (const std::string &choice : each.choices)
                words += choice + " ";
        else if (!each.choices.empty ())
            values += fmt::format ("                {}) words={} ;;\n", fmt::join (each.names, "|"),
                                   in_quotes (fmt::format ("{}", fmt::join (each.choices, " "))));
        else if (each.takes_value)
            values += fmt::format ("                {}) words= ;;\n", fmt::join (each.names, "|"));
    }
    std::string made =
      fmt::format ("        {})\n            words={}\n", verb.name, in_quotes (words + names));
    if (!values.empty ())
        made += "            case $before in\n" + values + "            esac\n";
    return made + "            ;;\n";
}

}  // namespace

std::string completion_for_bash (std::span<const described_verb> verbs)
{
    std::string made = "# bash completion of zlink; made by: zlink completion bash\n"
                       "_zlink ()\n{\n"
                       "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words\n"
                       "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                       "        words="
                       + in_quotes (names_of (verbs)) + "\n    else\n        case ${COMP_WORDS[1]} in\n";
    for (const described_verb &each : verbs)
        made += bash_case (each);
    return made
           + "        esac\n    fi\n"
             "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
             "complete -o default -F _zlink zlink\n";
}

std::string completion_for_zsh (std::span<const described_verb> verbs)
{
    std::string made = "#compdef zlink\n# made by: zlink completion zsh\n"
                       "_zlink ()\n{\n    local -a verbs\n    verbs=(\n";
    for (const described_verb &each : verbs)
        made += "        " + in_quotes (each.name + ":" + described_for_zsh (each.summary)) + "\n";
    made += "    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n        return\n    fi\n"
            "    local verb=$words[2]\n    (( CURRENT-- ))\n    shift words\n    case $verb in\n";
    for (const described_verb &verb : verbs) {
        made += fmt::format ("        {})\n            _arguments -s", verb.name);
        for (const described_option &each : verb.options) {
            const std::string from =
              each.choices.empty () ? "_default" : fmt::format ("({})", fmt::join (each.choices, " "));
            const std::string summary = described_for_zsh (each.summary);
            if (each.names.empty ())
                made +=
                  " \\\n                "
                  + in_quotes (fmt::format ("{}:{}:{}", each.may_be_repeated ? "*" : "", each.word, from));
            for (const std::string &name : each.names)
                made += " \\\n                "
                        + in_quotes (fmt::format ("{}{}[{}]{}", each.may_be_repeated ? "*" : "", name,
                                                  summary, each.takes_value ? ":value:" + from : ""));
        }
        made += "\n            ;;\n";
    }
    return made + "    esac\n}\ncompdef _zlink zlink\n";
}

std::string completion_for_fish (std::span<const described_verb> verbs)
{
    std::string made = "# made by: zlink completion fish\n";
    for (const described_verb &each : verbs)
        made += fmt::format ("complete -c zlink -n __fish_use_subcommand -f -a {} -d {}\n", each.name,
                             quoted_for_fish (each.summary));
    for (const described_verb &verb : verbs)
        for (const described_option &each : verb.options) {
            std::string line =
              fmt::format ("complete -c zlink -n '__fish_seen_subcommand_from {}'", verb.name);
            for (const std::string &name : each.names)
                line += name.starts_with ("--") ? " -l " + name.substr (2) : " -s " + name.substr (1);
            const bool is_word = each.names.empty ();
            if (is_word && each.choices.empty ())
                continue;
            if (each.takes_value && !is_word)
                line += " -r";
            if (!each.choices.empty ())
                line += " -f -a " + quoted_for_fish (fmt::format ("{}", fmt::join (each.choices, " ")));
            made += line + " -d " + quoted_for_fish (each.summary) + "\n";
        }
    return made;
}

}  // namespace zlink::tool

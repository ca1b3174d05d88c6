#include "tools/zlink/manual.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace zlink::tool {

namespace {

// Text in which roff finds nothing to act upon. A line of the text is a line of the page.
std::string plain (std::string_view text)
{
    std::string made;
    bool at_start = true;
    for (const char each : text) {
        if (at_start && (each == '.' || each == '\''))
            made += "\\&";
        if (each == '\\')
            made += "\\e";
        else if (each == '-')
            made += "\\-";
        else
            made += each;
        at_start = each == '\n';
    }
    return made;
}

std::string head (std::string_view name, std::string_view summary)
{
    std::string title (name);
    std::transform (title.begin (), title.end (), title.begin (),
                    [] (unsigned char each) { return static_cast<char> (std::toupper (each)); });
    return fmt::format (".TH {} 1 \"\" \"zlink {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", plain (title),
                        ZLINK_TOOL_VERSION, plain (name), plain (summary));
}

std::string value_of (const described_option &option)
{
    if (!option.takes_value)
        return "";
    if (option.choices.empty ())
        return " \\fIVALUE\\fR";
    return fmt::format (" \\fI{}\\fR", plain (fmt::format ("{}", fmt::join (option.choices, "|"))));
}

std::string synopsis (const described_verb &verb)
{
    std::string made = fmt::format (".SH SYNOPSIS\n.B zlink {}\n[\\fIOPTION\\fR ...]", plain (verb.name));
    for (const described_option &each : verb.options) {
        if (each.word.empty ())
            continue;
        const char *const dots = each.may_be_repeated ? " ..." : "";
        made += each.is_required ? fmt::format (" \\fI{}\\fR{}", plain (each.word), dots)
                                 : fmt::format (" [\\fI{}\\fR{}]", plain (each.word), dots);
    }
    return made + "\n";
}

std::string options (const described_verb &verb)
{
    std::string made;
    for (const described_option &each : verb.options) {
        std::string names;
        for (const std::string &name : each.names)
            names += fmt::format ("{}\\fB{}\\fR", names.empty () ? "" : ", ", plain (name));
        if (each.names.empty ())
            names = fmt::format ("\\fI{}\\fR", plain (each.word));
        else
            names += value_of (each);
        made += fmt::format (".TP\n{}\n{}.\n", names, plain (each.summary));
    }
    return made.empty () ? made : ".SH OPTIONS\n" + made;
}

constexpr const char *exit_codes = ".SH EXIT STATUS\n"
                                   ".TP\n0\nAll is well.\n"
                                   ".TP\n1\nIt could not be, or the answer is no.\n"
                                   ".TP\n2\nThe command was called in a wrong way.\n"
                                   ".TP\n3\nTime ran out.\n";

}  // namespace

std::string manual_of_all (std::span<const described_verb> verbs)
{
    std::string made = head ("zlink", "messaging by ZMTP 3.1, from the command line");
    made += ".SH SYNOPSIS\n.B zlink\n\\fIVERB\\fR [\\fIARGUMENT\\fR ...]\n.SH VERBS\n";
    for (const described_verb &each : verbs)
        made += fmt::format (".TP\n\\fB{}\\fR\n{}. See\n.BR zlink\\-{} (1).\n", plain (each.name),
                             plain (each.summary), plain (each.name));
    return made + exit_codes;
}

std::string manual_of (const described_verb &verb)
{
    std::string made = head ("zlink-" + verb.name, verb.summary) + synopsis (verb) + options (verb);
    if (!verb.more.empty ())
        made += ".SH NOTES\n.nf\n" + plain (verb.more) + "\n.fi\n";
    return made + exit_codes + ".SH SEE ALSO\n.BR zlink (1)\n";
}

}  // namespace zlink::tool

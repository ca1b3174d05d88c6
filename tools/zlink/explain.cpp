#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/zlink/explanations.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

action prepare_explain (CLI::App &command)
{
    auto word = std::make_shared<std::string> ();
    auto all = std::make_shared<bool> (false);
    command.add_option ("what", *word,
                        "An error (EAGAIN or its number), an option (SNDHWM or its number), an event "
                        "(DISCONNECTED or 0x0200) or a reason (connect-refused)");
    command.add_flag ("--all", *all, "Every error, option and event");
    command.require_option (1);
    return [word, all] {
        if (*all) {
            std::fputs (explain_all ().c_str (), stdout);
            return 0;
        }
        const std::string text = explain (*word);
        if (text.empty ()) {
            std::fprintf (stderr, "zlink explain: nothing is called '%s'\n", word->c_str ());
            return 1;
        }
        std::fputs (text.c_str (), stdout);
        return 0;
    };
}

}  // namespace zlink::tool

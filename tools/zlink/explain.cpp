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
    command.add_option ("what", *word, "An error (EAGAIN or its number) or an option (SNDHWM or its number)")
      ->required ();
    return [word] {
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

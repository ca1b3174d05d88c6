// A verb's options from a file, a line each:
//
//   # what a line that begins so says is nobody's business
//   name = value
//
// Names are those of the verb's long options without their dashes, and a name that may be
// repeated on the command line may be repeated in the file. Blanks around names and values
// are dropped; a value goes to the end of its line and needs no quotes. A flag is on with
// "true". What is on the command line counts, and the file's lines of that name do not.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace zlink::tool {

// Gives the command what the file has, behind what its own words gave it. False: `why`
// names the file, the line, the name and the rule.
[[nodiscard]] bool read_settings_file (CLI::App &command, const std::string &path, std::string &why);

}  // namespace zlink::tool

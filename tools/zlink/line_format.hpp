// How messages stand in text, a line each: for terminals, files and pipes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool {

using parts = std::vector<std::string>;

enum class view
{
    text,  // the parts as they are, a separator between them
    hex,   // the same in pairs of hexadecimal digits
    json,  // an array: a string for a part of UTF-8, {"hex": "00ff"} for another
};

struct line_format
{
    view as = view::text;
    std::string separator = "\t";  // empty: a line is one part, whatever is in it
};

// The message of a line, which has at least one part. False: `why` says what is
// wrong with the line. Text is always right.
[[nodiscard]] bool read_line (const line_format &by, std::string_view line, parts &message, std::string &why);

// Without a line's end. What is shown as JSON or hex is read as the same again.
[[nodiscard]] std::string show (const line_format &by, const parts &message);

}  // namespace zlink::tool

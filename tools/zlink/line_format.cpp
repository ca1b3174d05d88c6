#include "tools/zlink/line_format.hpp"

#include <nlohmann/json.hpp>

#include "tools/zlink/hex.hpp"

namespace zlink::tool {

namespace {

using json = nlohmann::json;

parts split (std::string_view line, std::string_view separator)
{
    parts found;
    for (std::size_t at = 0; !separator.empty ();) {
        const std::size_t end = line.find (separator, at);
        if (end == std::string_view::npos) {
            found.emplace_back (line.substr (at));
            return found;
        }
        found.emplace_back (line.substr (at, end - at));
        at = end + separator.size ();
    }
    found.emplace_back (line);
    return found;
}

// JSON has no strings of anything but UTF-8.
bool is_text (const std::string &part)
try {
    return !json (part).dump ().empty ();
} catch (const json::exception &) {
    return false;
}

bool read_hex (parts &message, std::string &why)
{
    for (std::string &part : message) {
        const std::string digits = part;
        if (!from_hex (digits, part)) {
            why = "'" + digits + "' is not made of pairs of hexadecimal digits";
            return false;
        }
    }
    return true;
}

bool read_json_part (const json &from, std::string &part)
{
    if (from.is_string ()) {
        part = from.get<std::string> ();
        return true;
    }
    const bool is_hex = from.is_object () && from.size () == 1 && from.contains ("hex");
    return is_hex && from["hex"].is_string () && from_hex (from["hex"].get<std::string> (), part);
}

bool read_json (std::string_view line, parts &message, std::string &why)
{
    const json all = json::parse (line, nullptr, false);
    message.clear ();
    bool good = all.is_array () && !all.empty ();
    for (std::size_t i = 0; good && i < all.size (); ++i)
        good = read_json_part (all[i], message.emplace_back ());
    if (!good)
        why = R"(a message is an array of strings or {"hex": "00ff"}, such as ["topic", "text"])";
    return good;
}

}  // namespace

bool read_line (const line_format &by, std::string_view line, parts &message, std::string &why)
{
    if (by.as == view::json)
        return read_json (line, message, why);
    message = split (line, by.separator);
    return by.as == view::text || read_hex (message, why);
}

std::string show (const line_format &by, const parts &message)
{
    if (by.as == view::json) {
        json all = json::array ();
        for (const std::string &part : message)
            all.push_back (is_text (part) ? json (part) : json{{"hex", to_hex (part)}});
        return all.dump ();
    }
    std::string line;
    for (std::size_t i = 0; i < message.size (); ++i) {
        if (i > 0)
            line += by.separator.empty () ? "\t" : by.separator;
        line += by.as == view::hex ? to_hex (message[i]) : message[i];
    }
    return line;
}

}  // namespace zlink::tool

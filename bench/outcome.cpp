#include "bench/outcome.hpp"

#include <charconv>

#include <fmt/format.h>

namespace zlink::bench {

namespace {

struct text_field
{
    std::string_view name;
    std::string outcome::*member;
};
constexpr text_field text_fields[] = {
  {"error", &outcome::error},
  {"library", &outcome::library},
  {"note", &outcome::note},
};

constexpr std::string_view line_head = "outcome";

std::string one_line (std::string text)
{
    for (char &c : text)
        if (c == '\t' || c == '\n' || c == '\r')
            c = ' ';
    return text;
}

bool take_field (std::string_view name, std::string_view value, outcome *into)
{
    for (const text_field &field : text_fields)
        if (field.name == name) {
            into->*field.member = std::string (value);
            return true;
        }
    for (const number_field &field : number_fields)
        if (field.name == name) {
            const char *end = value.data () + value.size ();
            return std::from_chars (value.data (), end, into->*field.member).ptr == end;
        }
    return false;
}

}  // namespace

std::string format_outcome (const outcome &found)
{
    std::string line (line_head);
    for (const number_field &field : number_fields)
        line += fmt::format ("\t{}={}", field.name, found.*field.member);
    for (const text_field &field : text_fields)
        line += fmt::format ("\t{}={}", field.name, one_line (found.*field.member));
    return line;
}

std::optional<outcome> parse_outcome (std::string_view line)
{
    if (!line.starts_with (line_head))
        return std::nullopt;
    line.remove_prefix (line_head.size ());
    outcome found;
    while (!line.empty ()) {
        if (line.front () != '\t')
            return std::nullopt;
        line.remove_prefix (1);
        const std::string_view field = line.substr (0, line.find ('\t'));
        line.remove_prefix (field.size ());
        const std::size_t equals = field.find ('=');
        if (equals == std::string_view::npos
            || !take_field (field.substr (0, equals), field.substr (equals + 1), &found))
            return std::nullopt;
    }
    return found;
}

}  // namespace zlink::bench

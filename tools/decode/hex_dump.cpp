#include "tools/decode/hex_dump.hpp"

#include <algorithm>

namespace zlink::tool {

namespace {

int digit_of (char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    const int lower = letter | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_blank (char each) { return each == ' ' || each == '\t' || each == '\r'; }

// The digits of a line, without its offset in front and its text behind. counted: a
// line before had an offset as hexdump -C prints it, which ends with one alone.
std::string_view digits_in (std::string_view line, bool &counted)
{
    constexpr std::size_t offset_digits = 8;  // of hexdump -C
    line = line.substr (0, line.find ('|'));
    const std::size_t colon = line.find (':');
    if (colon != std::string_view::npos
        && std::all_of (line.begin (), line.begin () + static_cast<std::ptrdiff_t> (colon),
                        [] (char each) { return digit_of (each) >= 0; })) {
        line.remove_prefix (colon + 1);
        const std::size_t start = line.find_first_not_of (" \t");
        line.remove_prefix (std::min (start, line.size ()));
        return line.substr (0, line.find ("  "));  // xxd's text is behind two blanks
    }
    const std::size_t word = std::min (line.find (' '), line.size ());
    const bool has_offset =
      word == offset_digits && (line.substr (word).starts_with ("  ") || (counted && line.size () == word));
    counted = counted || has_offset;
    return has_offset ? line.substr (word) : line;
}

}  // namespace

bool read_hex_dump (std::string_view text, std::vector<std::byte> &octets, std::size_t &bad_line)
{
    octets.clear ();
    bool counted = false;
    for (bad_line = 1; !text.empty (); ++bad_line) {
        const std::size_t end = std::min (text.find ('\n'), text.size ());
        const std::string_view line = digits_in (text.substr (0, end), counted);
        text.remove_prefix (std::min (end + 1, text.size ()));
        for (std::size_t i = 0; i < line.size (); ++i) {
            if (is_blank (line[i]))
                continue;
            if (i + 1 == line.size () || digit_of (line[i]) < 0 || digit_of (line[i + 1]) < 0)
                return false;
            octets.push_back (static_cast<std::byte> (digit_of (line[i]) * 16 + digit_of (line[i + 1])));
            ++i;
        }
    }
    return true;
}

}  // namespace zlink::tool

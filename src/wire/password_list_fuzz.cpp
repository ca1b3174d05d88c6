// A list of names and hashes of passwords.
//
// Promised: the lines before the one that is named as wrong are a list, and a list
// is none any more with a line behind it that is wrong.
#include <algorithm>
#include <string>

#include "base/fuzz_target.hpp"
#include "wire/password_list.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using fuzz::require;
    std::string text (base::as_text (fuzz::input_of (data, size)));
    const auto lines = static_cast<std::size_t> (std::ranges::count (text, '\n')) + 1;
    std::size_t bad_line = 0;
    if (wire::password_list::read (text, bad_line) != nullptr) {
        require (wire::password_list::read (text + "\nwrong", bad_line) == nullptr);
        require (bad_line == lines + 1);
        return 0;
    }
    require (bad_line >= 1 && bad_line <= lines);
    std::size_t end = 0;
    for (std::size_t line = 1; line < bad_line; ++line)
        end = text.find ('\n', end) + 1;
    text.resize (end);
    std::size_t none = 0;
    require (wire::password_list::read (text, none) != nullptr);
    return 0;
}

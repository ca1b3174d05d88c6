// A pattern and a text, parted by the first octet, beside the plainest matcher.
//
// Promised: the same answer, and that what matches begins with the literal front.
#include <string>

#include "base/fuzz_target.hpp"
#include "base/glob.hpp"
#include "base/test_glob.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using fuzz::require;
    fuzz::decisions from (fuzz::input_of (data, size));
    const base::bytes_view pattern = from.take (from.octet ());
    const base::bytes_view text = from.rest ();
    if (!base::glob_valid (pattern))
        return 0;
    const bool found = base::glob_matches (pattern, text);
    const std::size_t front = base::glob_literal_bytes (pattern);
    require (front <= pattern.size ());
    require (!found || base::as_text (text).starts_with (base::as_text (pattern.first (front))));
    constexpr std::size_t plain_bytes_max = 12;  // that one takes its time
    if (pattern.size () <= plain_bytes_max && text.size () <= plain_bytes_max)
        require (found == base::plain_glob::matches (base::as_text (pattern), base::as_text (text)));
    return 0;
}

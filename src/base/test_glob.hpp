// The plainest matcher of patterns, to compare the real one with: it splits both
// into segments and tries everything. For short inputs, of valid patterns.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::base {

class plain_glob
{
  public:
    static bool matches (std::string_view pattern, std::string_view text)
    {
        return list (split (pattern, true), 0, split (text, false), 0);
    }

  private:
    // A segment, and the byte in front of it, which is 0 of the first.
    struct piece
    {
        char parting = 0;
        std::string text{};
    };
    using pieces = std::vector<piece>;

    // Bytes that part stand neither behind a '\\' nor in a class.
    static pieces split (std::string_view all, bool is_pattern)
    {
        pieces found (1);
        for (std::size_t at = 0; at < all.size (); ++at) {
            std::size_t size = 1;
            if (is_pattern && all[at] == '\\')
                size = 2;
            else if (is_pattern && all[at] == '[')
                size = class_bytes (all.substr (at));
            if (size == 1 && (all[at] == '.' || all[at] == '/'))
                found.push_back ({all[at]});
            else
                found.back ().text += all.substr (at, size);
            at += size - 1;
        }
        return found;
    }

    // "[...]" at the front.
    static std::size_t class_bytes (std::string_view of)
    {
        const std::size_t skipped = of.size () > 1 && (of[1] == '!' || of[1] == '^') ? 3 : 2;
        // A range may end with a ']' nowhere, so the first behind the first byte is it.
        std::size_t at = skipped - 1;
        for (bool first = true; at < of.size (); first = false) {
            if (of[at] == ']' && !first)
                return at + 1;
            at += at + 2 < of.size () && of[at + 1] == '-' && of[at + 2] != ']' ? 3 : 1;
        }
        return at;
    }

    // Every byte that the class stands for.
    static std::bitset<256> class_of (std::string_view text)
    {
        std::bitset<256> all;
        const bool inverted = text[1] == '!' || text[1] == '^';
        text = text.substr (inverted ? 2 : 1);
        text.remove_suffix (1);
        while (!text.empty ()) {
            const bool range = text.size () > 2 && text[1] == '-';
            for (unsigned each = static_cast<unsigned char> (text[0]),
                          last = static_cast<unsigned char> (text[range ? 2 : 0]);
                 each <= last; ++each)
                all.set (each);
            text = text.substr (range ? 3 : 1);
        }
        return inverted ? ~all : all;
    }

    // Of a segment: each byte, or what stands for one, against the next.
    static bool one (std::string_view pattern, std::string_view text)
    {
        if (pattern.empty ())
            return text.empty ();
        if (pattern[0] == '*')
            return one (pattern.substr (1), text) || (!text.empty () && one (pattern, text.substr (1)));
        if (text.empty ())
            return false;
        std::size_t size = 1;
        bool fits = pattern[0] == '?' || pattern[0] == text[0];
        if (pattern[0] == '\\') {
            size = 2;
            fits = pattern[1] == text[0];
        } else if (pattern[0] == '[') {
            size = class_bytes (pattern);
            fits = class_of (pattern.substr (0, size))[static_cast<unsigned char> (text[0])];
        }
        return fits && one (pattern.substr (size), text.substr (1));
    }

    // Of all segments: a '#' takes none, or one and stays.
    static bool list (const pieces &pattern, std::size_t at, const pieces &text, std::size_t in)
    {
        if (at == pattern.size ())
            return in == text.size ();
        if (pattern[at].text == "#")
            return list (pattern, at + 1, text, in)
                   || (in < text.size () && list (pattern, at, text, in + 1));
        return in < text.size () && (in == 0 || pattern[at].parting == text[in].parting)
               && one (pattern[at].text, text[in].text) && list (pattern, at + 1, text, in + 1);
    }
};

}  // namespace zlink::base

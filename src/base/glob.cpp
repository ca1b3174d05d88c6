#include "base/glob.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace zlink::base {

namespace {

constexpr std::size_t none = SIZE_MAX;

char letter (bytes_view of, std::size_t at) noexcept { return static_cast<char> (of[at]); }

bool parts (char letter) noexcept { return letter == '.' || letter == '/'; }

// Where a class that begins at `at` ends: behind its ']'. none: it does not, or
// one of its ranges is empty.
std::size_t end_of_class (bytes_view pattern, std::size_t at) noexcept
{
    ++at;
    if (at < pattern.size () && (letter (pattern, at) == '!' || letter (pattern, at) == '^'))
        ++at;
    for (const std::size_t first = at; at < pattern.size (); ++at) {
        if (letter (pattern, at) == ']' && at > first)
            return at + 1;
        const bool range =
          at + 2 < pattern.size () && letter (pattern, at + 1) == '-' && letter (pattern, at + 2) != ']';
        if (!range)
            continue;
        if (pattern[at] > pattern[at + 2])
            return none;
        at += 2;
    }
    return none;
}

// Is the byte one of a class that begins at `at` and ends before `end`?
bool in_class (bytes_view pattern, std::size_t at, std::size_t end, std::byte what) noexcept
{
    ++at;
    const bool inverted = letter (pattern, at) == '!' || letter (pattern, at) == '^';
    at += inverted;
    bool found = false;
    for (--end; at < end; ++at) {
        const bool range = at + 2 < end && letter (pattern, at + 1) == '-';
        const std::byte last = pattern[range ? at + 2 : at];
        found = found || (pattern[at] <= what && what <= last);
        at += range ? 2 : 0;
    }
    return found != inverted;
}

// Where what stands for one byte ends: the byte itself, an escape or a class.
// none: the pattern is not valid.
std::size_t end_of_one (bytes_view pattern, std::size_t at) noexcept
{
    if (letter (pattern, at) == '[')
        return end_of_class (pattern, at);
    if (letter (pattern, at) != '\\')
        return at + 1;
    return at + 1 < pattern.size () && !parts (letter (pattern, at + 1)) ? at + 2 : none;
}

// Does that stand for this byte, which parts no segments?
bool is_one (bytes_view pattern, std::size_t at, std::size_t end, std::byte what) noexcept
{
    const char kind = letter (pattern, at);
    if (kind == '?')
        return true;
    return kind == '[' ? in_class (pattern, at, end, what) : pattern[end - 1] == what;
}

// Where the segment that begins at `at` ends, of a pattern: parting bytes in a
// class are none.
std::size_t end_of_segment (bytes_view pattern, std::size_t at) noexcept
{
    while (at < pattern.size () && !parts (letter (pattern, at)))
        at = std::min (end_of_one (pattern, at), pattern.size ());
    return at;
}

std::size_t end_of_text_segment (bytes_view text, std::size_t at) noexcept
{
    while (at < text.size () && !parts (letter (text, at)))
        ++at;
    return at;
}

bool segment_matches (bytes_view pattern, bytes_view text) noexcept
{
    std::size_t at = 0;
    std::size_t in = 0;
    std::size_t star = none;  // behind the last one
    std::size_t star_in = 0;  // what it has taken ends here
    while (in < text.size () || at < pattern.size ()) {
        if (at < pattern.size () && letter (pattern, at) == '*') {
            star = ++at;
            star_in = in;
            continue;
        }
        const std::size_t end = at < pattern.size () ? end_of_one (pattern, at) : none;
        if (end != none && in < text.size () && is_one (pattern, at, end, text[in])) {
            at = end;
            ++in;
            continue;
        }
        if (star == none || star_in >= text.size ())
            return false;
        at = star;
        in = ++star_in;
    }
    return true;
}

// One segment with the byte in front of it, walked from front to back.
class walk
{
  public:
    walk (bytes_view all, bool pattern) noexcept : all_ (all), pattern_ (pattern) { find_end (); }
    [[nodiscard]] bool ended () const noexcept { return begin_ > all_.size (); }
    [[nodiscard]] bytes_view segment () const noexcept { return all_.subspan (begin_, end_ - begin_); }
    [[nodiscard]] bool first () const noexcept { return begin_ == 0; }
    // What stands before it; not of the first.
    [[nodiscard]] std::byte parting () const noexcept { return all_[begin_ - 1]; }
    void next () noexcept
    {
        begin_ = end_ + 1;
        find_end ();
    }

  private:
    void find_end () noexcept
    {
        if (!ended ())
            end_ = pattern_ ? end_of_segment (all_, begin_) : end_of_text_segment (all_, begin_);
    }

    bytes_view all_;
    bool pattern_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

bool is_hash (bytes_view segment) noexcept { return segment.size () == 1 && letter (segment, 0) == '#'; }

// The byte before a text's first segment is none: only what follows segments that
// were left out may stand there.
bool same_parting (const walk &pattern, const walk &text) noexcept
{
    if (text.first () || pattern.first ())
        return text.first ();
    return pattern.parting () == text.parting ();
}

}  // namespace

bool glob_valid (bytes_view pattern) noexcept
{
    std::size_t at = pattern.size () > glob_bytes_max ? none : 0;
    while (at < pattern.size ())
        at = end_of_one (pattern, at);
    return at != none;
}

bool glob_matches (bytes_view pattern, bytes_view text) noexcept
{
    if (text.size () > glob_text_bytes_max)
        return false;
    walk at (pattern, true);
    walk in (text, false);
    bool hashed = false;  // one has come
    walk behind_hash = at;
    walk hash_in = in;
    while (!in.ended () || !at.ended ()) {
        if (!at.ended () && is_hash (at.segment ())) {
            at.next ();
            hashed = true;
            behind_hash = at;
            hash_in = in;
            continue;
        }
        if (!at.ended () && !in.ended () && same_parting (at, in)
            && segment_matches (at.segment (), in.segment ())) {
            at.next ();
            in.next ();
            continue;
        }
        if (!hashed || hash_in.ended ())
            return false;
        hash_in.next ();
        at = behind_hash;
        in = hash_in;
    }
    return true;
}

std::size_t glob_literal_bytes (bytes_view pattern) noexcept
{
    constexpr std::string_view special = "*?[\\";
    std::size_t segment = 0;
    for (std::size_t at = 0; at < pattern.size (); ++at) {
        if (at == segment && is_hash (pattern.subspan (at, end_of_segment (pattern, at) - at)))
            return at - (at > 0);
        if (special.find (letter (pattern, at)) != std::string_view::npos)
            return at;
        if (parts (letter (pattern, at)))
            segment = at + 1;
    }
    return pattern.size ();
}

}  // namespace zlink::base

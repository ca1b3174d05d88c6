#include "wire/http_head.hpp"

#include <algorithm>

namespace zlink::wire {

namespace {

constexpr std::string_view http_version_1 = "HTTP/1.";
constexpr char carriage_return = '\r';
constexpr char line_feed = '\n';

constexpr bool is_blank (char c) noexcept { return c == ' ' || c == '\t'; }
constexpr bool is_digit (char c) noexcept { return c >= '0' && c <= '9'; }
constexpr char lower_case (char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char> (c | 0x20) : c;
}

// Of a name or a value, wherever it stands: blanks and all that can be seen, and
// octets above ASCII (RFC 9110, 5.5).
constexpr bool may_stand (char c) noexcept
{
    return c == '\t' || (static_cast<unsigned char> (c) >= ' ' && c != '\x7F');
}

std::string_view without_blanks (std::string_view text) noexcept
{
    while (!text.empty () && is_blank (text.front ()))
        text.remove_prefix (1);
    while (!text.empty () && is_blank (text.back ()))
        text.remove_suffix (1);
    return text;
}

}  // namespace

bool same_word (std::string_view a, std::string_view b) noexcept
{
    return std::equal (a.begin (), a.end (), b.begin (), b.end (),
                       [] (char x, char y) { return lower_case (x) == lower_case (y); });
}

bool is_http_token (std::string_view text) noexcept
{
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty () && std::all_of (text.begin (), text.end (), [&] (char c) {
        const char small = lower_case (c);
        return is_digit (c) || (small >= 'a' && small <= 'z') || marks.find (c) != marks.npos;
    });
}

bool is_http_value (std::string_view text) noexcept
{
    return std::all_of (text.begin (), text.end (), may_stand);
}

bool next_word (std::string_view &list, std::string_view &word) noexcept
{
    if (list.data () == nullptr)
        return false;
    const std::size_t comma = list.find (',');
    word = without_blanks (list.substr (0, comma));
    list = comma == list.npos ? std::string_view () : list.substr (comma + 1);
    return true;
}

http_head_status http_head::feed (base::bytes_view in, std::size_t &consumed)
{
    consumed = 0;
    while (state_ == http_head_status::need_more && consumed < in.size ()) {
        const auto octet = static_cast<char> (in[consumed]);
        ++consumed;
        if (take (octet) && state_ == http_head_status::complete)
            point_into_text ();
    }
    return state_;
}

std::size_t http_head::line_bytes_max () const noexcept
{
    constexpr std::size_t around_target = 64;
    return line_at_ == 0 ? http_target_bytes_max + around_target
                         : http_name_bytes_max + http_value_bytes_max + 4;
}

// False: it has failed.
bool http_head::take (char octet)
{
    const bool behind_return = text_.size () > line_at_ && text_.back () == carriage_return;
    if (behind_return != (octet == line_feed))
        return fail (http_flaw::malformed);
    if (!behind_return && octet != carriage_return && !may_stand (octet))
        return fail (http_flaw::malformed);
    if (text_.size () == http_head_bytes_max)
        return fail (http_flaw::too_large);
    text_.push_back (octet);
    if (octet == line_feed)
        return line_complete ();
    if (text_.size () - line_at_ > line_bytes_max ())
        return fail (line_at_ == 0 && kind_ == http_kind::request ? http_flaw::target_too_long
                                                                  : http_flaw::too_large);
    return begins_like_http () || fail (http_flaw::malformed);
}

// What does not is not waited for: neither a line nor an end of it may ever come.
bool http_head::begins_like_http () const noexcept
{
    const std::string_view so_far (text_);
    if (kind_ == http_kind::response)
        return so_far.substr (0, http_version_1.size ()) == http_version_1.substr (0, so_far.size ());
    return so_far[0] >= 'A' && so_far[0] <= 'Z';
}

bool http_head::line_complete ()
{
    const std::string_view line = std::string_view (text_).substr (line_at_, text_.size () - line_at_ - 2);
    const bool first = line_at_ == 0;
    line_at_ = text_.size ();
    if (first)
        return first_line (line);
    if (!line.empty ())
        return header_line (line);
    state_ = http_head_status::complete;
    return true;
}

bool http_head::first_line (std::string_view line)
{
    return kind_ == http_kind::request ? request_line (line) : status_line (line);
}

// METHOD target HTTP/1.x
bool http_head::request_line (std::string_view line)
{
    const std::size_t first = line.find (' ');
    const std::size_t second = first == line.npos ? line.npos : line.find (' ', first + 1);
    if (second == line.npos)
        return fail (http_flaw::malformed);
    const std::string_view method = line.substr (0, first);
    const std::string_view target = line.substr (first + 1, second - first - 1);
    const bool seen =
      std::all_of (target.begin (), target.end (), [] (char c) { return c > ' ' && c <= '~'; });
    if (!is_http_token (method) || target.empty () || !seen)
        return fail (http_flaw::malformed);
    if (target.size () > http_target_bytes_max)
        return fail (http_flaw::target_too_long);
    method_place_ = place_of (method);
    target_place_ = place_of (target);
    return version (line.substr (second + 1)) || fail (http_flaw::malformed);
}

// HTTP/1.x NNN words
bool http_head::status_line (std::string_view line)
{
    constexpr std::size_t version_chars = 8;
    constexpr std::size_t status_chars = 3;
    if (line.size () < version_chars + 1 + status_chars || !version (line.substr (0, version_chars))
        || line[version_chars] != ' ')
        return fail (http_flaw::malformed);
    const std::string_view digits = line.substr (version_chars + 1, status_chars);
    const std::string_view rest = line.substr (version_chars + 1 + status_chars);
    if (!std::all_of (digits.begin (), digits.end (), is_digit) || (!rest.empty () && rest[0] != ' '))
        return fail (http_flaw::malformed);
    for (const char digit : digits)
        status_ = status_ * 10 + static_cast<unsigned> (digit - '0');
    return (status_ >= 100 && status_ <= 599) || fail (http_flaw::malformed);
}

bool http_head::version (std::string_view text)
{
    if (text.size () != http_version_1.size () + 1 || !text.starts_with (http_version_1)
        || !is_digit (text.back ()))
        return false;
    minor_ = static_cast<unsigned> (text.back () - '0');
    return true;
}

bool http_head::header_line (std::string_view line)
{
    const std::size_t colon = line.find (':');
    // A blank in front is the rest of a folded line, one in front of the colon
    // hides the name from others: neither is a token.
    if (colon == line.npos || !is_http_token (line.substr (0, colon)))
        return fail (http_flaw::malformed);
    const std::string_view name = line.substr (0, colon);
    const std::string_view value = without_blanks (line.substr (colon + 1));
    if (name.size () > http_name_bytes_max || value.size () > http_value_bytes_max
        || places_.size () == http_headers_max)
        return fail (http_flaw::too_large);
    places_.push_back ({place_of (name), value.empty () ? place{} : place_of (value)});
    return true;
}

void http_head::point_into_text ()
{
    method_ = at (method_place_);
    target_ = at (target_place_);
    headers_.reserve (places_.size ());
    for (const header_place &one : places_)
        headers_.push_back ({at (one.name), at (one.value)});
}

bool http_head::fail (http_flaw flaw) noexcept
{
    flaw_ = flaw;
    state_ = http_head_status::failed;
    text_ = {};
    places_ = {};
    return false;
}

std::size_t http_head::count (std::string_view name) const noexcept
{
    return static_cast<std::size_t> (
      std::count_if (headers_.begin (), headers_.end (),
                     [&] (const http_header &one) { return same_word (one.name, name); }));
}

std::string_view http_head::value (std::string_view name) const noexcept
{
    const auto found = std::find_if (headers_.begin (), headers_.end (),
                                     [&] (const http_header &one) { return same_word (one.name, name); });
    return found == headers_.end () ? std::string_view () : found->value;
}

bool http_head::lists (std::string_view name, std::string_view word) const noexcept
{
    return any_word (name, [&] (std::string_view one) { return same_word (one, word); });
}

}  // namespace zlink::wire

// The head of an HTTP/1.1 message (RFC 9112): the first line and the headers, up
// to the empty line. Pure: octets in, fields out. Strict: lines end in CR LF, no
// header is folded over two lines, nothing stands between a name and its colon.
//
// Use: feed() until it answers complete or failed; it stops exactly behind the
// empty line. What is refused early, by one octet, is refused at the same octet
// however the octets are cut.
//
// One thread at a time. feed may throw bad_alloc, nothing else does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "wire/limits.hpp"

namespace zlink::wire {

enum class http_kind : std::uint8_t
{
    request,
    response,
};

enum class http_head_status : std::uint8_t
{
    need_more,
    complete,
    failed,
};

// What is wrong with a head.
enum class http_flaw : std::uint8_t
{
    none,
    malformed,
    target_too_long,
    too_large,  // a line, a header, their number or the whole
};

struct http_header
{
    std::string_view name;
    std::string_view value;  // without the blanks around it
};

class http_head
{
  public:
    explicit http_head (http_kind kind) noexcept : kind_ (kind) {}
    http_head (const http_head &) = delete;
    http_head &operator= (const http_head &) = delete;

    http_head_status feed (base::bytes_view in, std::size_t &consumed);
    [[nodiscard]] http_flaw flaw () const noexcept { return flaw_; }

    // --- after complete; views into the head -----------------------------------

    // Of a request. The method and the target are of printable ASCII, as sent.
    [[nodiscard]] std::string_view method () const noexcept { return method_; }
    [[nodiscard]] std::string_view target () const noexcept { return target_; }
    // Of a response, 100 to 599.
    [[nodiscard]] unsigned status () const noexcept { return status_; }
    // HTTP/1.1 or a later 1.x.
    [[nodiscard]] bool speaks_1_1 () const noexcept { return minor_ >= 1; }

    [[nodiscard]] const std::vector<http_header> &headers () const noexcept { return headers_; }
    // How many there are of a name, whatever its case.
    [[nodiscard]] std::size_t count (std::string_view name) const noexcept;
    // The first one; empty where there is none.
    [[nodiscard]] std::string_view value (std::string_view name) const noexcept;
    // Whether one of the words that all headers of this name list, between
    // commas, is this one, whatever its case.
    [[nodiscard]] bool lists (std::string_view name, std::string_view word) const noexcept;
    // Each of those words that is not empty, as sent, in order; until `take` answers
    // true, which is answered too.
    template <class Take> bool any_word (std::string_view name, Take take) const;

  private:
    bool take (char octet);
    [[nodiscard]] bool begins_like_http () const noexcept;
    bool line_complete ();
    bool first_line (std::string_view line);
    bool request_line (std::string_view line);
    bool status_line (std::string_view line);
    bool version (std::string_view text);
    bool header_line (std::string_view line);
    void point_into_text ();
    bool fail (http_flaw flaw) noexcept;
    [[nodiscard]] std::size_t line_bytes_max () const noexcept;

    // Lines are views of text_, which grows; so places until it is complete.
    struct place
    {
        std::size_t at = 0;
        std::size_t size = 0;
    };
    struct header_place
    {
        place name;
        place value;
    };
    [[nodiscard]] place place_of (std::string_view part) const noexcept
    {
        return {static_cast<std::size_t> (part.data () - text_.data ()), part.size ()};
    }
    [[nodiscard]] std::string_view at (place where) const noexcept
    {
        return std::string_view (text_).substr (where.at, where.size);
    }

    http_kind kind_;
    http_head_status state_ = http_head_status::need_more;
    http_flaw flaw_ = http_flaw::none;
    std::string text_;
    std::size_t line_at_ = 0;  // where the line begins that is being read
    unsigned minor_ = 0;
    unsigned status_ = 0;
    place method_place_{};
    place target_place_{};
    std::vector<header_place> places_;
    std::string_view method_;
    std::string_view target_;
    std::vector<http_header> headers_;
};

// Letters of ASCII are the same in either case.
[[nodiscard]] bool same_word (std::string_view a, std::string_view b) noexcept;
// The characters that a name may have (RFC 9110, 5.6.2), at least one.
[[nodiscard]] bool is_http_token (std::string_view text) noexcept;
// No control characters: nothing that could end a line.
[[nodiscard]] bool is_http_value (std::string_view text) noexcept;

// Cuts the next word off the front of a list; false at the end. Blanks around it
// are gone, it may be empty.
[[nodiscard]] bool next_word (std::string_view &list, std::string_view &word) noexcept;

template <class Take> bool http_head::any_word (std::string_view name, Take take) const
{
    for (const http_header &header : headers_) {
        if (!same_word (header.name, name))
            continue;
        std::string_view list = header.value;
        for (std::string_view word; next_word (list, word);)
            if (!word.empty () && take (word))
                return true;
    }
    return false;
}

}  // namespace zlink::wire

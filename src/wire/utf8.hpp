// Whether octets that come in pieces are UTF-8 (RFC 3629): no overlong forms, no
// halves of surrogates, nothing above U+10FFFF. A plain value; nothing is
// allocated or thrown.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace zlink::wire {

class utf8_check
{
  public:
    // False from the first octet on that no text can have there.
    bool feed (base::bytes_view octets) noexcept;
    // No character is cut off.
    [[nodiscard]] bool complete () const noexcept { return to_come_ == 0; }

  private:
    bool lead (unsigned octet) noexcept;

    // What the next octet of the character begun may be, and how many it has still.
    std::uint8_t to_come_ = 0;
    std::uint8_t lowest_ = 0;
    std::uint8_t highest_ = 0;
};

[[nodiscard]] inline bool is_utf8 (base::bytes_view text) noexcept
{
    utf8_check check;
    return check.feed (text) && check.complete ();
}

}  // namespace zlink::wire

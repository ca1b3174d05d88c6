// The errors that the C calls answer: number, meaning, and what the caller
// can do next. Constant; any thread.
#pragma once

#include <span>
#include <string_view>

namespace zlink::tool {

struct error_row
{
    std::string_view name;
    int number;
    std::string_view meaning;
    std::string_view advice;
};

// Two names may share a number (EAGAIN and EWOULDBLOCK).
[[nodiscard]] std::span<const error_row> error_rows () noexcept;

}  // namespace zlink::tool

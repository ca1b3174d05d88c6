// Lines on standard error, for those who have said nothing about where
// warnings go.
//
// Thread rule: any thread, never under a lock. Does not block: what cannot be
// written now is dropped, and so are lines beyond a pipe's atomic write. No
// signal comes of a reader that has gone, and errno stays as it was.
#pragma once

#include <string_view>

namespace zlink::platform {

// line has its end.
void write_error_line (std::string_view line) noexcept;

}  // namespace zlink::platform

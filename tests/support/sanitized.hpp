// Whether a sanitizer watches this program. What it finds, it finds in fewer rounds of
// the same thing, each of which takes many times as long.
#pragma once

namespace zlink::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace zlink::test

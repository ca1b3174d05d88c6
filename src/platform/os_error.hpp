// The system's error numbers as base::error.
//
// A number the table does not know becomes errc::os_failure; the number itself
// always travels along. Thread rule: any thread.
#pragma once

#include "base/error.hpp"

namespace zlink::platform {

[[nodiscard]] base::errc code_of (int os_code) noexcept;

[[nodiscard]] inline base::error os_error (int os_code) noexcept { return {code_of (os_code), os_code}; }

// What the last failed system call of this thread answered.
[[nodiscard]] base::error last_os_error () noexcept;

}  // namespace zlink::platform

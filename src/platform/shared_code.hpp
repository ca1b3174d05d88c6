// Functions of libraries that are loaded when they are first asked for, and stay.
//
// Thread rule: any thread. Blocking: for as long as loading takes.
#pragma once

#include <array>

#include "base/error.hpp"

namespace zlink::platform {

// Why one could not be had, for people; ends with NUL.
using load_complaint = std::array<char, 256>;

// The function of that name in a library of that file name, from the folder that this
// library, or program, lies in, else from where the system looks. no_such_file: there is
// none, or it has no such function.
[[nodiscard]] base::result<void *>
function_of_library (const char *file, const char *name, load_complaint &why) noexcept;

}  // namespace zlink::platform

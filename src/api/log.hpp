// Where the warnings of this process' contexts go: a C callback, or standard
// error.
//
// Thread rule: any thread. Works in forked children, which go on with what
// their parent had said.
#pragma once

#include "base/log.hpp"

namespace zlink::api {

using log_function = void (int severity, const char *text, const char *about, void *hint);

// null: standard error again. ENOMEM: nothing has changed. As zlink.h says.
int set_log (log_function *callback, void *hint) noexcept;

// The sink of every world that is made; never destroyed. Null when memory is
// out.
[[nodiscard]] base::log_sink *process_log () noexcept;

}  // namespace zlink::api

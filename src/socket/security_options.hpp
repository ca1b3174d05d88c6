// The options that secure connections, as libzmq has them: setting one chooses
// the mechanism and the role, too, and the last one set counts. Pure.
#pragma once

#include <cstddef>

#include "base/error.hpp"
#include "socket/options.hpp"

namespace zlink::socket {

// Null: there is none of that number. Small libraries have none at all.
[[nodiscard]] const option_rule *find_security_option (header by, int number) noexcept;

// invalid_argument: a wrong size, or no key; nothing has changed then.
base::result<void>
set_security (engine::security &of, security_value what, const void *value, std::size_t size);

// Keys as 32 bytes or, into 41, as letters with their NUL. *size becomes the
// value's. invalid_argument: there is no room, or a key's size is another.
base::result<void>
get_security (const engine::security &of, security_value what, void *value, std::size_t *size);

}  // namespace zlink::socket

// Seam: one file that has to survive whatever happens to the machine, replaced whole.
// It belongs to whoever holds this, and to no other process.
//
// Thread rule: one thread at a time. May block, as long as the disk does: never called
// under a lock, nor by who carries messages.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace zlink::base {

class durable_file
{
  public:
    virtual ~durable_file () = default;
    // All of it, up to bytes_max. no_such_file: there is none yet; message_too_long;
    // permission_denied, no_memory, or else the system's own number.
    virtual result<std::string> read (std::size_t bytes_max) noexcept = 0;
    // When this has succeeded, it is read as that after any end of the process or the
    // machine. On an error it is read as it was, or as that; it may be tried again.
    // permission_denied, no_memory, or else the system's own number.
    virtual result<void> replace (std::string_view text) noexcept = 0;
};

}  // namespace zlink::base

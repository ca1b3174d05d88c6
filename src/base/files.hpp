// Seam: whole files, read at once: certificates and keys. Thread rule: any
// thread. May block, as long as the disk does: never called under a lock, nor by
// who carries messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace zlink::base {

class files
{
  public:
    // A store of a few hundred authorities is a quarter of it.
    static constexpr std::size_t file_bytes_max = 1024 * 1024;

    virtual ~files () = default;
    // All of an ordinary file. What it held may be a secret: whoever asked wipes
    // the text. Errors: no_such_file, permission_denied, no_memory,
    // invalid_argument (no ordinary file, or a path with a NUL), in_progress (it
    // grew while it was read), message_too_long (more than file_bytes_max), or else
    // the system's own number.
    virtual result<std::string> read (std::string_view path) noexcept = 0;
    // Whom this system trusts, certificates in PEM one behind the other. Errors:
    // as read; no_such_file: it trusts nobody.
    virtual result<std::string> read_system_trust () noexcept = 0;
};

}  // namespace zlink::base

// A file of this machine that is replaced whole: the new text is written beside it,
// synced, put in its place, and the folder synced. A lock on PATH.lock, which stays there,
// keeps other processes away; it ends with the process.
//
// Thread rule and blocking: as the seam says.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/durable_file.hpp"
#include "platform/descriptor.hpp"

namespace zlink::platform {

class system_durable_file final : public base::durable_file
{
  public:
    // The folder has to be there, the file does not. address_in_use: another process, or
    // another one of these, has it; invalid_argument: an empty path, one that ends with
    // '/', or one with a NUL; no_memory; else as the system says.
    static base::result<std::unique_ptr<base::durable_file>> open (std::string_view path) noexcept;
    system_durable_file (std::string path, descriptor lock)
      : path_ (std::move (path)), fresh_ (path_ + ".new"), lock_ (std::move (lock))
    {
    }

    base::result<std::string> read (std::size_t bytes_max) noexcept override;
    base::result<void> replace (std::string_view text) noexcept override;

  private:
    [[nodiscard]] base::result<void> sync_folder () const;

    const std::string path_, fresh_;
    const descriptor lock_;
};

}  // namespace zlink::platform

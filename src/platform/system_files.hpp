// The files of this machine. Thread rule: any thread.
#pragma once

#include <span>

#include "base/files.hpp"

namespace zlink::platform {

class system_files final : public base::files
{
  public:
    // Where the system's authorities may lie: the first file that is there counts.
    // Borrowed. By default the places of the usual distributions.
    explicit system_files (std::span<const char *const> trust = usual_trust ()) noexcept : trust_ (trust) {}

    base::result<std::string> read (std::string_view path) noexcept override;
    base::result<std::string> read_system_trust () noexcept override;

    [[nodiscard]] static std::span<const char *const> usual_trust () noexcept;

  private:
    std::span<const char *const> trust_;
};

}  // namespace zlink::platform

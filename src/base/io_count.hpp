// A count, or an error, in one register: what the per-message calls return.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.hpp"

namespace zlink::base {

class [[nodiscard]] io_count
{
  public:
    static io_count of (std::size_t size) noexcept { return io_count (static_cast<std::int64_t> (size)); }
    io_count (errc code) noexcept : raw_ (-1 - static_cast<std::int64_t> (code)) {}
    [[nodiscard]] bool ok () const noexcept { return raw_ >= 0; }
    [[nodiscard]] std::size_t size () const noexcept { return static_cast<std::size_t> (raw_); }
    [[nodiscard]] errc code () const noexcept { return raw_ >= 0 ? errc::ok : static_cast<errc> (-1 - raw_); }

  private:
    explicit io_count (std::int64_t raw) noexcept : raw_ (raw) {}
    std::int64_t raw_;
};

}  // namespace zlink::base

#include "base/copying.hpp"

#include <cstdint>
#include <cstring>

namespace zlink::base {

namespace {

// So many octets are copied otherwise everywhere.
constexpr std::size_t piece_bytes = 2'048;
constexpr std::uintptr_t period_bytes = 4'096;
constexpr std::uintptr_t bad_distance_max = 15;

bool lie_badly (const void *to, const void *from) noexcept
{
    const std::uintptr_t behind =
      reinterpret_cast<std::uintptr_t> (to) - reinterpret_cast<std::uintptr_t> (from);
    return (behind - 1) % period_bytes < bad_distance_max;
}

// Apart, so that a short copy costs no more than a comparison.
[[gnu::noinline]] void copy_long (void *to, const void *from, std::size_t bytes) noexcept
{
    if (lie_badly (to, from)) {
        auto *at = static_cast<std::byte *> (to);
        const auto *rest = static_cast<const std::byte *> (from);
        for (; bytes > piece_bytes; bytes -= piece_bytes, at += piece_bytes, rest += piece_bytes)
            std::memcpy (at, rest, piece_bytes);
        to = at;
        from = rest;
    }
    std::memcpy (to, from, bytes);
}

}  // namespace

void copy_octets (void *to, const void *from, std::size_t bytes) noexcept
{
    if (bytes > piece_bytes) [[unlikely]]
        copy_long (to, from, bytes);
    else
        std::memcpy (to, from, bytes);
}

}  // namespace zlink::base

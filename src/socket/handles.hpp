// The handles that C callers hold: addresses of small records in a region
// that is never unmapped, so that any pointer may be asked about.
//
// A handle's first 32 bits are 0xFFFFFFFF: programs read through raw handles
// to tell them from their own objects and from descriptors. A record comes
// back into use only after handle_reuse_min further creations, so a stale
// handle is recognised for that long.
// Thread rule: any thread; resolving is wait-free.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/error.hpp"

namespace zlink::socket {

// At least this many creations pass before a record is used again.
inline constexpr std::size_t handle_reuse_min = 65'536;
inline constexpr std::size_t handles_max = 2 * handle_reuse_min;

inline constexpr std::uint32_t handle_mark = 0xFFFFFFFF;

enum class handle_kind : std::uint8_t
{
    none,  // never used, or closed
    socket,
    context,
    events,
    parents_socket,  // alive in the process that forked us
    parents_context,
};

struct alignas (32) handle_record
{
    std::uint32_t mark =
      0;  // handle_mark from the first use on: the region starts as zeroes, which cost no file space
    base::atomic<std::uint32_t> generation{0};
    base::atomic<void *> target{nullptr};
    base::atomic<handle_kind> kind{handle_kind::none};
};

extern std::array<handle_record, handles_max> handle_region;

// The live record behind a handle of that kind, or null.
[[nodiscard]] inline handle_record *find_handle (void *handle, handle_kind kind) noexcept
{
    const auto offset =
      reinterpret_cast<std::uintptr_t> (handle) - reinterpret_cast<std::uintptr_t> (handle_region.data ());
    if (offset >= sizeof (handle_region) || offset % sizeof (handle_record) != 0) [[unlikely]]
        return nullptr;
    handle_record *const record = &handle_region[offset / sizeof (handle_record)];
    return record->kind.load (std::memory_order_acquire) == kind ? record : nullptr;
}

// errc::too_many_sockets when all records are in use or too young.
[[nodiscard]] base::result<handle_record *>
make_handle (handle_kind kind, void *target, std::uint32_t generation) noexcept;
// False when somebody else retired it first.
bool retire_handle (handle_record &record, handle_kind kind) noexcept;

// --- in a forked child -------------------------------------------------------

// What is alive becomes the parent's. Only while there is no other thread;
// those of the parent may have been anywhere in the functions above.
void disown_handles () noexcept;
// Why a handle was not found: terminated when it is the parent's, else otherwise.
[[nodiscard]] base::errc why_not_found (void *handle, base::errc otherwise) noexcept;

[[nodiscard]] inline std::size_t handle_index (const handle_record &record) noexcept
{
    return static_cast<std::size_t> (&record - handle_region.data ());
}

}  // namespace zlink::socket

// Instructions that C++ has no word for.
#pragma once

#include <cstdint>

namespace zlink::base {

// The bytes of a number in the opposite order, which C++23 has a word for. By shifts it
// would weigh more where the compiler decides what to inline.
template <class U> [[nodiscard]] inline U cpu_swapped (U value) noexcept
{
    if constexpr (sizeof (U) == sizeof (std::uint64_t)) {
        return __builtin_bswap64 (value);
    } else if constexpr (sizeof (U) == sizeof (std::uint32_t)) {
        return __builtin_bswap32 (value);
    } else if constexpr (sizeof (U) == sizeof (std::uint16_t)) {
        return __builtin_bswap16 (value);
    } else {
        static_assert (sizeof (U) == 1);
        return value;
    }
}

// Tells the core that this thread spins; some tens of nanoseconds.
inline void cpu_pause () noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause ();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
}

// Asks for the line at that address, to be written soon; any address may be named.
// The compiler's own word for it means reading on the oldest of these processors.
inline void cpu_fetch_to_write (const void *at) noexcept
{
#if defined(__x86_64__)
    asm volatile("prefetchw %0" ::"m"(*static_cast<const char *> (at)));
#else
    __builtin_prefetch (at, 1);
#endif
}

}  // namespace zlink::base

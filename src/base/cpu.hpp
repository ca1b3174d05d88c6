// Instructions that C++ has no word for.
#pragma once

namespace zlink::base {

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

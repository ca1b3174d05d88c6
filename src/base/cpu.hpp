// The one instruction that C++ has no word for: a spin-wait hint.
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

}  // namespace zlink::base

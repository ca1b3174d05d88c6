#include "platform/system_random.hpp"

#include <ctime>
#include <sys/random.h>
#include <unistd.h>

#include "platform/fork_generation.hpp"

namespace zlink::platform {

namespace {

constexpr std::uint64_t golden_step = 0x9e3779b97f4a7c15U;

std::uint64_t mix (std::uint64_t value) noexcept
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

std::uint64_t fresh_seed () noexcept
{
    std::uint64_t value = 0;
    if (::getrandom (&value, sizeof value, GRND_NONBLOCK) == sizeof value)
        return value;
    // Early in a boot the kernel may have nothing yet: good enough for jitter.
    timespec now{};
    ::clock_gettime (CLOCK_REALTIME, &now);
    return mix (static_cast<std::uint64_t> (now.tv_nsec) ^ (static_cast<std::uint64_t> (now.tv_sec) << 30))
           ^ mix (static_cast<std::uint64_t> (::getpid ()));
}

}  // namespace

system_random::system_random () noexcept { seed (); }

void system_random::seed () noexcept
{
    counter_.store (fresh_seed (), std::memory_order_relaxed);
    generation_.store (fork_generation (), std::memory_order_relaxed);
}

std::uint64_t system_random::next () noexcept
{
    if (generation_.load (std::memory_order_relaxed) != fork_generation ())
        seed ();
    return mix (counter_.fetch_add (golden_step, std::memory_order_relaxed) + golden_step);
}

}  // namespace zlink::platform

#include "platform/system_threads.hpp"

#include <algorithm>
#include <csignal>
#include <memory>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include "platform/fork_generation.hpp"
#include "platform/os_error.hpp"

namespace zlink::platform {

namespace {

constexpr unsigned long timer_slack_ns = 1000;
constexpr std::size_t name_chars_max = 15;

struct start_block
{
    base::thread_options options;
    std::function<void ()> body;
};

void apply_affinity (const std::vector<int> &cpus) noexcept
{
    if (cpus.empty ())
        return;
    cpu_set_t mask;
    CPU_ZERO (&mask);
    for (const int cpu : cpus)
        if (cpu >= 0 && cpu < CPU_SETSIZE)
            CPU_SET (static_cast<std::size_t> (cpu), &mask);
    ::sched_setaffinity (0, sizeof mask, &mask);
}

void apply_schedule (int policy, int priority) noexcept
{
    if (policy < 0 && priority < 0)
        return;
    int current = SCHED_OTHER;
    sched_param parameters{};
    ::pthread_getschedparam (::pthread_self (), &current, &parameters);
    if (policy >= 0)
        current = policy;
    const int lowest = ::sched_get_priority_min (current);
    const int highest = ::sched_get_priority_max (current);
    parameters.sched_priority = std::clamp (std::max (priority, 0), lowest, std::max (lowest, highest));
    ::pthread_setschedparam (::pthread_self (), current, &parameters);
}

void *run (void *argument)
{
    const std::unique_ptr<start_block> block (static_cast<start_block *> (argument));
    ::prctl (PR_SET_TIMERSLACK, timer_slack_ns, 0, 0, 0);
    if (!block->options.name.empty ())
        ::pthread_setname_np (::pthread_self (), block->options.name.substr (0, name_chars_max).c_str ());
    apply_affinity (block->options.cpus);
    apply_schedule (block->options.policy, block->options.priority);
    block->body ();
    return nullptr;
}

class system_thread final : public base::joinable
{
  public:
    ~system_thread () override
    {
        // A forked child has no such thread to wait for.
        if (!runs_ || born_in_ != fork_generation ())
            return;
        // A thread that drops its own handle cannot wait for itself.
        if (::pthread_equal (thread_, ::pthread_self ()) != 0)
            ::pthread_detach (thread_);
        else
            ::pthread_join (thread_, nullptr);
    }

    // 0, or why there is no thread.
    int start (std::unique_ptr<start_block> block) noexcept
    {
        const int problem = ::pthread_create (&thread_, nullptr, run, block.get ());
        runs_ = problem == 0;
        if (runs_)
            static_cast<void> (block.release ());
        return problem;
    }

  private:
    pthread_t thread_{};
    bool runs_ = false;
    const std::uint32_t born_in_ = fork_generation ();
};

}  // namespace

base::result<std::unique_ptr<base::joinable>> system_threads::start (const base::thread_options &options,
                                                                     std::function<void ()> body) noexcept
try {
    std::unique_ptr<start_block> block (new start_block{options, std::move (body)});
    auto handle = std::make_unique<system_thread> ();  // first, for a thread must have one
    sigset_t all, before;
    ::sigfillset (&all);
    ::pthread_sigmask (SIG_SETMASK, &all, &before);
    const int problem = handle->start (std::move (block));
    ::pthread_sigmask (SIG_SETMASK, &before, nullptr);
    if (problem != 0)
        return base::error{base::errc::no_memory, problem};
    return std::unique_ptr<base::joinable> (std::move (handle));
} catch (const std::bad_alloc &) {
    return base::errc::no_memory;
}

}  // namespace zlink::platform

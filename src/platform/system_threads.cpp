#include "platform/system_threads.hpp"

#include <algorithm>
#include <csignal>
#include <memory>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

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
    explicit system_thread (pthread_t thread) noexcept : thread_ (thread) {}

    ~system_thread () override
    {
        // A thread that drops its own handle cannot wait for itself.
        if (::pthread_equal (thread_, ::pthread_self ()) != 0)
            ::pthread_detach (thread_);
        else
            ::pthread_join (thread_, nullptr);
    }

  private:
    pthread_t thread_;
};

}  // namespace

base::result<std::unique_ptr<base::joinable>> system_threads::start (const base::thread_options &options,
                                                                     std::function<void ()> body) noexcept
try {
    auto block = std::make_unique<start_block> (options, std::move (body));
    sigset_t all, before;
    ::sigfillset (&all);
    ::pthread_sigmask (SIG_SETMASK, &all, &before);
    pthread_t thread{};
    const int problem = ::pthread_create (&thread, nullptr, run, block.get ());
    ::pthread_sigmask (SIG_SETMASK, &before, nullptr);
    if (problem != 0)
        return base::error{base::errc::no_memory, problem};
    static_cast<void> (block.release ());
    auto *handle = new (std::nothrow) system_thread (thread);
    if (handle == nullptr) {
        ::pthread_detach (thread);
        return base::errc::no_memory;
    }
    return std::unique_ptr<base::joinable> (handle);
} catch (const std::bad_alloc &) {
    return base::errc::no_memory;
}

}  // namespace zlink::platform

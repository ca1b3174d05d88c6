// Threads of the system.
//
// Each has all signals blocked (they are the application's) and a timer slack
// of 1 us. Priority, policy and processors are best effort: a system that
// refuses them still gives the thread. Thread rule: any thread.
#pragma once

#include "base/threads.hpp"

namespace zlink::platform {

class system_threads final : public base::thread_factory
{
  public:
    // body must not throw. Names are cut to 15 characters. no_memory when the
    // system has no thread to give.
    base::result<std::unique_ptr<base::joinable>> start (const base::thread_options &options,
                                                         std::function<void ()> body) noexcept override;
};

}  // namespace zlink::platform

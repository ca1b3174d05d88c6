// Does pieces of work on a thread of its own, made on first use.
//
// Thread rule: any thread; not usable in a forked child (make a new one there).
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>

#include "base/threads.hpp"
#include "base/worker.hpp"

namespace zlink::platform {

class thread_worker final : public base::worker
{
  public:
    // name: the thread's.
    thread_worker (base::thread_factory &threads, const char *name) noexcept
      : threads_ (threads), name_ (name)
    {
    }
    ~thread_worker () override;

    base::result<void> submit (std::function<void ()> piece) override;

  private:
    void serve ();

    base::thread_factory &threads_;
    const char *name_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::list<std::function<void ()>> waiting_;  // an empty one has no memory
    bool stopping_ = false;
    std::unique_ptr<base::joinable> thread_;
};

}  // namespace zlink::platform

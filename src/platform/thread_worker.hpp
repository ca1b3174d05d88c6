// Does pieces of work on a thread of its own, made on first use.
//
// Thread rule: any thread; not usable in a forked child (make a new one there).
#pragma once

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
    // Inside a piece, too: it waits for none then.
    ~thread_worker () override;

    base::result<void> submit (std::function<void ()> piece) override;

  private:
    struct desk;
    base::result<void> begin ();

    base::thread_factory &threads_;
    const char *name_;
    std::mutex begins_;
    std::shared_ptr<desk> desk_;  // the thread's, too, which may outlive us by a little; null: none yet
    std::unique_ptr<base::joinable> thread_;
};

}  // namespace zlink::platform

// Looks up names on a thread of its own, made on first use.
//
// Requests are served one after the other in the order they came. Where no
// thread can be had, done runs inside submit() with that failure. Thread rule:
// any thread; not usable in a forked child (make a new one there).
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>

#include "base/resolver.hpp"
#include "base/threads.hpp"

namespace zlink::platform {

class thread_resolver final : public base::resolver
{
  public:
    explicit thread_resolver (base::thread_factory &threads) noexcept : threads_ (threads) {}
    ~thread_resolver () override;

    // by must live until done has run or this object is gone.
    void submit (base::transport &by,
                 std::string address,
                 base::stream_options options,
                 std::function<void (base::resolve_result)> done) override;

  private:
    struct request
    {
        base::transport *by;
        std::string address;
        base::stream_options options;
        std::function<void (base::resolve_result)> done;
    };

    void serve ();

    base::thread_factory &threads_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::list<request> waiting_;  // an empty one has no memory
    bool stopping_ = false;
    std::unique_ptr<base::joinable> thread_;
};

}  // namespace zlink::platform

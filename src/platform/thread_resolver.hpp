// Looks up names on a thread of its own, made on first use.
//
// Requests are served one after the other in the order they came. Where no
// thread can be had, done runs inside submit() with that failure. Thread rule:
// any thread; not usable in a forked child (make a new one there).
#pragma once

#include "base/resolver.hpp"
#include "platform/thread_worker.hpp"

namespace zlink::platform {

class thread_resolver final : public base::resolver
{
  public:
    explicit thread_resolver (base::thread_factory &threads) noexcept : worker_ (threads, "zlink-resolver") {}

    // by must live until done has run or this object is gone.
    void submit (base::transport &by,
                 std::string address,
                 base::stream_options options,
                 std::function<void (base::resolve_result)> done) override;

  private:
    thread_worker worker_;
};

}  // namespace zlink::platform

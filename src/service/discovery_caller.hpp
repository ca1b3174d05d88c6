// Tells a handler of a discovery's changes on a thread of its own: a slow one keeps
// nobody else waiting, and what it has not heard yet waits for it.
//
// Thread rule: any thread; stop() not from the handler. Blocking: stop(), until the
// handler has returned. Lifetime: the world outlives it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "base/world.hpp"
#include "service/discovery.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::service {

class discovery_caller final : public discovery_listener
{
  public:
    using handler = std::function<void (const service_change &)>;

    // Why there is no thread; no_memory.
    static base::result<std::shared_ptr<discovery_caller>> start (base::world &world, handler call) noexcept;
    discovery_caller (base::world &world, handler call);
    ~discovery_caller () override { stop (); }

    void changed (std::span<const service_change> changes) noexcept override;
    // Nothing is told any more. Take it off the discovery first.
    void stop () noexcept;

  private:
    void run () noexcept;

    const handler call_;
    waiting_lock lock_;  // of the next two
    std::vector<service_change> untold_;
    bool stopping_ = false;
    bell news_;
    std::unique_ptr<base::joinable> thread_;
};

}  // namespace zlink::service

// A discovery behind its handle, for those in this layer that are built on one.
//
// Thread rule: any thread. Lifetime: as service_handles.hpp says.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "api/service_handles.hpp"
#include "base/lock.hpp"
#include "service/discovery.hpp"
#include "service/discovery_caller.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::api {

class discovery_object final : public service_object
{
  public:
    discovery_object (std::shared_ptr<context_services> all,
                      std::shared_ptr<service::discovery> one,
                      std::uint16_t of_family) noexcept
      : family (of_family), in (std::move (all)), is (std::move (one)), lock_ (in->world.sleep)
    {
    }
    void close () noexcept override;
    base::result<void>
    set_option (side which, int number, const void *value, std::size_t size) noexcept override
    {
        return which == side::dialling ? is->set_option (number, value, size) : base::result<void> ();
    }
    // Null: nobody is told any more.
    base::result<void> call (service::discovery_caller::handler handler);

    const std::uint16_t family;
    const std::shared_ptr<context_services> in;
    const std::shared_ptr<service::discovery> is;

  private:
    service::waiting_lock lock_;  // of the next one
    std::shared_ptr<service::discovery_caller> caller_;
};

// Null: it is none.
[[nodiscard]] inline std::shared_ptr<discovery_object> discovery_of (void *handle) noexcept
{
    return held<discovery_object> (handle, handle_kind::discovery);
}

}  // namespace zlink::api

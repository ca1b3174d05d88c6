// What a discovery knows, as the lists of a gateway: each service that the gateway is
// asked for is watched from then on, and each change is the gateway's at once.
//
// Thread rule: any thread. Blocking: no.
// Lifetime: the discovery holds it until stop(). It holds the discovery, and the gateway
// only while it speaks to it.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/world.hpp"
#include "service/discovery.hpp"
#include "service/gateway.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::service {

class gateway_feed final : public discovery_listener, public std::enable_shared_from_this<gateway_feed>
{
  public:
    gateway_feed (base::world &world, std::shared_ptr<discovery> from) noexcept
      : from_ (std::move (from)), lock_ (world.sleep)
    {
    }

    // A gateway that lives on what the discovery knows. As gateway::open; what settings
    // say of wanted is the feed's.
    struct fed
    {
        std::shared_ptr<gateway> made;
        std::shared_ptr<gateway_feed> by;
    };
    static base::result<fed> open (base::world &world,
                                   void *context,
                                   gateway_settings settings,
                                   const std::shared_ptr<discovery> &from) noexcept;

    void changed (std::span<const service_change> changes) noexcept override;
    // The gateway hears of nothing any more.
    void stop () noexcept;

  private:
    void want (std::string_view service) noexcept;
    void refresh_locked (const std::string &service);

    const std::shared_ptr<discovery> from_;
    waiting_lock lock_;  // of all below; held while a list is taken over, so that none is old
    std::weak_ptr<gateway> to_;
    std::set<std::string, std::less<>> wanted_;
};

}  // namespace zlink::service

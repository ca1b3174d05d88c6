// Tells a node of SPOT that its registry knows of something new.
//
// Thread rule: the loop's.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "service/spot_node.hpp"

namespace zlink::service {

class spot_node::listener final : public discovery_listener
{
  public:
    explicit listener (std::weak_ptr<spot_node> of) noexcept : of_ (std::move (of)) {}
    void changed (std::span<const service_change>) noexcept override
    {
        if (const std::shared_ptr<spot_node> node = of_.lock (); node != nullptr)
            node->registry_changed ();
    }

  private:
    const std::weak_ptr<spot_node> of_;
};

}  // namespace zlink::service

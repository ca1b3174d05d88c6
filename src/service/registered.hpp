// A registration with registries, as a receiver wants it (registrar.hpp): everything is
// of the family of gateways, and leaving is the registration's farewell.
//
// Thread rule: as the registration's. Blocking: leave(), for as long as a farewell takes.
// Lifetime: the registration is held; it is to be closed by leave() or its owner.
#pragma once

#include <memory>
#include <utility>

#include "base/atomic.hpp"
#include "service/registrar.hpp"
#include "service/registration.hpp"

namespace zlink::service {

class registered final : public registrar
{
  public:
    explicit registered (std::shared_ptr<registration> by) noexcept : by_ (std::move (by)) {}

    base::result<void>
    offer (std::string_view service, std::string_view endpoint, std::uint32_t weight) override
    {
        return by_->put (
          {.family = wire::family_gateway, .weight = weight, .service = service, .endpoint = endpoint});
    }
    void withdraw (std::string_view service, std::string_view endpoint) override
    {
        (void)by_->drop (wire::family_gateway, service, endpoint);
    }
    void leave (base::time_ns) override
    {
        if (!left_.exchange (true))
            by_->close ();
    }
    [[nodiscard]] std::uint64_t instance () const noexcept override { return by_->instance (); }

    [[nodiscard]] registration &by () const noexcept { return *by_; }

  private:
    const std::shared_ptr<registration> by_;
    base::atomic<bool> left_{false};
};

}  // namespace zlink::service

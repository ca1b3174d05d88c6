// Who tells the world what a receiver provides: a registration with registries, or
// nobody.
//
// Thread rule: any thread, with no lock held. Nothing here blocks, but leave() as it
// says. May throw std::bad_alloc, and nothing has changed then.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace zlink::service {

class registrar
{
  public:
    virtual ~registrar () = default;

    // This service is at this endpoint, with that weight; said again with another one it
    // is changed. Weight 0: no new requests.
    virtual base::result<void>
    offer (std::string_view service, std::string_view endpoint, std::uint32_t weight) = 0;
    virtual void withdraw (std::string_view service, std::string_view endpoint) = 0;
    // All is withdrawn. Blocks until that is said, or the deadline.
    virtual void leave (base::time_ns deadline) = 0;
    // As which instance all is offered.
    [[nodiscard]] virtual std::uint64_t instance () const noexcept = 0;
};

}  // namespace zlink::service

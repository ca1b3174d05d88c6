// Peers of PLAIN are judged by a list of passwords' hashes. Immutable: another
// list is another policy.
#pragma once

#include <memory>

#include "engine/policy.hpp"
#include "wire/password_list.hpp"

namespace zlink::engine {

class password_policy final : public policy
{
  public:
    explicit password_policy (std::unique_ptr<const wire::password_list> list) noexcept
      : list_ (std::move (list))
    {
    }

    void judge (const peer_claim &about, wire::zap_reply &to) const override;

  private:
    std::unique_ptr<const wire::password_list> list_;
};

}  // namespace zlink::engine

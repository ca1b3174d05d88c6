// A descriptor for those who wait elsewhere: readable while there may be news for them.
//
// Thread rule: whoever guards it; nothing here blocks. Lifetime: what makes pollers outlives
// it; the descriptor is closed with it.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/poller.hpp"

namespace zlink::service {

class news_descriptor
{
  public:
    // Readable at first; always the same. not_supported: others cannot wait for a poller here;
    // too_many_files, no_memory.
    base::result<base::io_handle> open (base::poller_factory &pollers) noexcept
    {
        if (signal_ != nullptr)
            return signal_->handle ();
        if (!pollers.nests ())
            return base::errc::not_supported;
        base::result<std::unique_ptr<base::poller>> made = pollers.make ();
        if (!made)
            return made.failure ();
        signal_ = std::move (made).value ();
        signal_->wake ();
        return signal_->handle ();
    }
    // There is nothing.
    void take_back () noexcept
    {
        if (signal_ == nullptr || !up_)
            return;
        std::array<base::poll_event, 2> drained;
        (void)signal_->wait (drained, 0);
        up_ = false;
    }
    // There is something. Costs a look, but for the first behind take_back().
    void raise () noexcept
    {
        if (up_) [[likely]]
            return;
        up_ = true;
        signal_->wake ();
    }

  private:
    std::unique_ptr<base::poller> signal_;
    bool up_ = true;
};

}  // namespace zlink::service

// The real world with the clock stopped and the reactor held: what a caller's
// thread executes then is the same in every run. Kernel and transports are
// the real ones. Thread rule: made and used by one thread, the caller's.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "base/world.hpp"
#include "platform/recommended.hpp"
#include "transport/ipc.hpp"

namespace zlink::test {

class still_clock final : public base::clock
{
  public:
    [[nodiscard]] base::time_ns now_ns () noexcept override { return base::ns_per_s; }
    [[nodiscard]] std::uint64_t ticks () noexcept override { return 1'000'000; }
    [[nodiscard]] std::uint64_t ticks_per_us () const noexcept override { return 1'000; }
};

// While it is shut, no thread but its maker's comes back from a wait.
class gate
{
  public:
    void shut () noexcept { shut_.store (true); }
    void open () noexcept
    {
        shut_.store (false);
        shut_.notify_all ();
    }
    void pass () noexcept
    {
        if (std::this_thread::get_id () != maker_)
            shut_.wait (true);
    }

  private:
    const std::thread::id maker_ = std::this_thread::get_id ();
    std::atomic<bool> shut_{false};
};

class gated_poller final : public base::poller
{
  public:
    gated_poller (std::unique_ptr<base::poller> real, gate &before) noexcept
      : real_ (std::move (real)), before_ (before)
    {
    }
    base::result<void>
    add (base::io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept override
    {
        return real_->add (handle, interest, tag);
    }
    base::result<void>
    modify (base::io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept override
    {
        return real_->modify (handle, interest, tag);
    }
    void remove (base::io_handle handle) noexcept override { real_->remove (handle); }
    base::result<std::size_t> wait (std::span<base::poll_event> events,
                                    base::time_ns timeout_ns) noexcept override
    {
        // Time-outs never come to an end: the clock stands still.
        const auto seen = real_->wait (events, timeout_ns == 0 ? 0 : -1);
        before_.pass ();
        return seen;
    }
    void wake () noexcept override { real_->wake (); }
    [[nodiscard]] base::io_handle handle () const noexcept override { return real_->handle (); }

  private:
    std::unique_ptr<base::poller> real_;
    gate &before_;
};

class gated_pollers final : public base::poller_factory
{
  public:
    explicit gated_pollers (gate &before) noexcept : before_ (before) {}
    base::result<std::unique_ptr<base::poller>> make () noexcept override
    {
        auto real = real_.make ();
        if (!real.ok ())
            return real.failure ();
        return std::unique_ptr<base::poller> (new gated_poller (std::move (real).value (), before_));
    }
    [[nodiscard]] bool nests () const noexcept override { return real_.nests (); }
    base::result<std::size_t> wait_list (std::span<base::poll_entry> entries,
                                         base::time_ns timeout_ns,
                                         base::signal_mask mask) noexcept override
    {
        return real_.wait_list (entries, timeout_ns, mask);
    }

  private:
    platform::recommended_poller_factory real_;
    gate &before_;
};

class still_world
{
  public:
    [[nodiscard]] base::world &world () noexcept { return world_; }
    gate reactor;

  private:
    still_clock clock_;
    platform::recommended_waiter waiter_;
    gated_pollers pollers_{reactor};
    platform::recommended_random random_;
    platform::recommended_threads threads_;
    transport::ipc ipc_;
    platform::recommended_resolver resolver_{threads_};
    std::array<base::transport *const, 1> transports_{&ipc_};
    base::world world_{clock_, waiter_, pollers_, random_, resolver_, threads_, transports_};
};

}  // namespace zlink::test

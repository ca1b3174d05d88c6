// The real world, whose clock stops and whose reactor is held from a call on: what a
// caller's thread executes then is the same in every run. Kernel and transports are
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

class stopping_clock final : public base::clock
{
  public:
    void stop () noexcept
    {
        now_ns_ = real_.now_ns ();
        ticks_ = real_.ticks ();
        stopped_.store (true);
    }
    [[nodiscard]] bool stopped () const noexcept { return stopped_.load (); }
    [[nodiscard]] base::time_ns now_ns () noexcept override { return stopped () ? now_ns_ : real_.now_ns (); }
    [[nodiscard]] std::uint64_t ticks () noexcept override { return stopped () ? ticks_ : real_.ticks (); }
    [[nodiscard]] std::uint64_t ticks_per_us () const noexcept override { return real_.ticks_per_us (); }

  private:
    platform::recommended_clock real_;
    base::time_ns now_ns_ = 0;
    std::uint64_t ticks_ = 0;
    std::atomic<bool> stopped_{false};
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
    gated_poller (std::unique_ptr<base::poller> real, const stopping_clock &time, gate &before) noexcept
      : real_ (std::move (real)), time_ (time), before_ (before)
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
        // Once the clock stands still no time-out comes to its end.
        const auto seen = real_->wait (events, timeout_ns == 0 || !time_.stopped () ? timeout_ns : -1);
        before_.pass ();
        return seen;
    }
    void wake () noexcept override { real_->wake (); }
    [[nodiscard]] base::io_handle handle () const noexcept override { return real_->handle (); }

  private:
    std::unique_ptr<base::poller> real_;
    const stopping_clock &time_;
    gate &before_;
};

class gated_pollers final : public base::poller_factory
{
  public:
    gated_pollers (const stopping_clock &time, gate &before) noexcept : time_ (time), before_ (before) {}
    base::result<std::unique_ptr<base::poller>> make () noexcept override
    {
        auto real = real_.make ();
        if (!real.ok ())
            return real.failure ();
        return std::unique_ptr<base::poller> (new gated_poller (std::move (real).value (), time_, before_));
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
    const stopping_clock &time_;
    gate &before_;
};

class still_world
{
  public:
    [[nodiscard]] base::world &world () noexcept { return world_; }
    void stop () noexcept
    {
        clock_.stop ();
        reactor.shut ();
    }
    gate reactor;

  private:
    stopping_clock clock_;
    platform::recommended_waiter waiter_;
    gated_pollers pollers_{clock_, reactor};
    platform::recommended_random random_;
    platform::recommended_threads threads_;
    transport::ipc ipc_;
    platform::recommended_resolver resolver_{threads_};
    std::array<base::transport *const, 1> transports_{&ipc_};
    base::world world_{clock_, waiter_, pollers_, random_, resolver_, threads_, transports_};
};

}  // namespace zlink::test

// Readiness by epoll.
//
// Sets nest. interest_edge also asks for half-closes (ready_hangup comes with
// the peer's end of stream); level-triggered sets report that as readable.
// wake() costs one write to an eventfd which is registered edge-triggered and
// never read. Thread rule: any thread; wait() allocates nothing.
#pragma once

#include "base/poller.hpp"
#include "platform/descriptor.hpp"

namespace zlink::platform {

class epoll_poller final : public base::poller
{
  public:
    // nanoseconds: whether the kernel takes time-outs finer than 1 ms.
    epoll_poller (descriptor set, descriptor signal, bool nanoseconds) noexcept;

    base::result<void>
    add (base::io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept override;
    base::result<void>
    modify (base::io_handle handle, std::uint32_t interest, std::uint64_t tag) noexcept override;
    void remove (base::io_handle handle) noexcept override;
    // At most 256 events a call.
    base::result<std::size_t> wait (std::span<base::poll_event> events,
                                    base::time_ns timeout_ns) noexcept override;
    base::result<std::size_t> wait_keenly (std::span<base::poll_event> events,
                                           base::time_ns timeout_ns) noexcept override;
    void wake () noexcept override;
    [[nodiscard]] base::io_handle handle () const noexcept override { return set_.get (); }

  private:
    base::result<void>
    control (int operation, int handle, std::uint32_t interest, std::uint64_t tag) noexcept;

    descriptor set_;
    descriptor signal_;
    bool nanoseconds_;
};

class epoll_poller_factory final : public base::poller_factory
{
  public:
    epoll_poller_factory () noexcept;

    // For tests: behave as on a kernel without epoll_pwait2.
    explicit epoll_poller_factory (bool nanoseconds) noexcept : nanoseconds_ (nanoseconds) {}

    base::result<std::unique_ptr<base::poller>> make () noexcept override;
    [[nodiscard]] bool nests () const noexcept override { return true; }

    // By ppoll; allocates only above 64 entries.
    base::result<std::size_t> wait_list (std::span<base::poll_entry> entries,
                                         base::time_ns timeout_ns,
                                         base::signal_mask mask) noexcept override;

  private:
    bool nanoseconds_;
};

}  // namespace zlink::platform

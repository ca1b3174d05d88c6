// A socket over which programs of zlink 1.x read and write what belongs to a receiver or
// a gateway: the routing id of the other side, and the application's parts. What stands
// between them in the protocol is taken off, and put there, on two threads of its own.
//
// Thread rule: any thread. Blocking: stop(), until both threads have ended.
// Lifetime: world and context outlive it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/world.hpp"
#include "service/gateway.hpp"
#include "service/receiver.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::service {

// Two PAIRs that are connected: one for the program, one for the threads.
class raw_pair
{
  public:
    raw_pair () = default;
    ~raw_pair () { stop (); }
    raw_pair (const raw_pair &) = delete;
    raw_pair &operator= (const raw_pair &) = delete;

    // Two threads, which end with what they read from: read with the receiver or the
    // gateway, write with the pair. May throw bad_alloc; else as sockets and threads fail.
    base::result<void>
    begin (base::world &world, void *context, std::function<void ()> read, std::function<void ()> write);
    // Closes the sockets, of which whoever waits there hears, and waits for the threads.
    void stop () noexcept;
    // For the program.
    [[nodiscard]] void *outer () const noexcept { return outer_; }
    // The next message that the program has sent. Errors as the facade's.
    base::result<held_parts> receive ();
    // Parts behind a name; blocks while the program does not read.
    base::io_count send (std::string_view name, std::span<base::message> parts);

  private:
    base::result<void> open (base::world &world, void *context);

    void *outer_ = nullptr;
    void *inner_ = nullptr;
    std::unique_ptr<base::joinable> reader_, writer_;
};

class receiver_router
{
  public:
    static base::result<std::unique_ptr<receiver_router>>
    open (base::world &world, void *context, const std::shared_ptr<receiver> &of) noexcept;
    receiver_router (base::world &world, std::shared_ptr<receiver> of) noexcept
      : of_ (std::move (of)), lock_ (world.sleep)
    {
    }
    ~receiver_router () { stop (); }
    [[nodiscard]] void *socket () const noexcept { return pair_.outer (); }
    // The receiver is closed before.
    void stop () noexcept { pair_.stop (); }

  private:
    void read () noexcept;
    void write () noexcept;
    void answer (std::string_view gateway, std::span<base::message> parts);

    const std::shared_ptr<receiver> of_;
    raw_pair pair_;
    waiting_lock lock_;                                              // of the next two
    std::map<std::string, std::deque<inquiry>, std::less<>> asked_;  // by gateway, the oldest first
    std::map<std::string, std::string, std::less<>> spoken_;         // of which service, last
};

class gateway_router
{
  public:
    static base::result<std::unique_ptr<gateway_router>>
    open (base::world &world, void *context, const std::shared_ptr<gateway> &of) noexcept;
    gateway_router (base::world &world, std::shared_ptr<gateway> of) noexcept
      : of_ (std::move (of)), lock_ (world.sleep)
    {
    }
    ~gateway_router () { stop (); }
    [[nodiscard]] void *socket () const noexcept { return pair_.outer (); }
    // The gateway is closed before.
    void stop () noexcept { pair_.stop (); }

  private:
    void read () noexcept;
    void write () noexcept;

    const std::shared_ptr<gateway> of_;
    raw_pair pair_;
    waiting_lock lock_;                                       // of the next one
    std::map<std::string, std::string, std::less<>> spoken_;  // of which service, by provider
};

// The routing id of a provider: the octets of its instance.
[[nodiscard]] std::string routing_id_of (std::uint64_t instance);
// 0: it is none.
[[nodiscard]] std::uint64_t instance_of (std::string_view routing_id) noexcept;

}  // namespace zlink::service

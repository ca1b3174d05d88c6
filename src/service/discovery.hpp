// Who provides what, as the registries tell it: services are watched by name, what
// is known is there at once, and what changes is told.
//
// Losing a registry takes nobody away: what is known stays, marked stale and with its
// age, until a registry knows better (known_services.hpp).
//
// Thread rule: every call from any thread; the work is the loop's, and listeners are
// called on its thread with no lock held. Blocking: wait(), and close() until the loop
// has let go.
// Lifetime: the world outlives it. Held by a shared_ptr; close() before it is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/world.hpp"
#include "service/known_services.hpp"
#include "service/registry_line.hpp"
#include "service/service_loop.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::service {

// Somebody who is told of changes. It returns soon, may call the discovery, and may be
// called once more while it is being taken off.
class discovery_listener
{
  public:
    virtual ~discovery_listener () = default;
    // In order; empty when only the age or the freshness of something has changed.
    virtual void changed (std::span<const service_change> changes) noexcept = 0;
};

// A provider as it is known.
struct found_provider
{
    std::string service;
    std::string endpoint;
    known_provider details;
};

class discovery final : public served
{
  public:
    // too_many_sockets, terminated, no_memory.
    static base::result<std::shared_ptr<discovery>>
    open (base::world &world, void *context, const std::shared_ptr<service_loop> &loop) noexcept;
    explicit discovery (base::world &world)
      : world_ (world), lock_ (world.sleep), news_ (world.sleep), line_ (world)
    {
    }

    // An option of the socket to the registries: keys, certificates, and the like. Counts
    // for registries that are added later.
    base::result<void> set_option (int number, const void *value, std::size_t size) noexcept;
    // Another registry; the same one twice is one. As the facade's connect.
    base::result<void> connect_registry (std::string_view endpoint) noexcept;

    // An empty service is all of the family. invalid_argument: the name is too long;
    // unwatch: it is not watched; no_memory.
    base::result<void> watch (std::uint16_t family, std::string_view service) noexcept;
    base::result<void> unwatch (std::uint16_t family, std::string_view service) noexcept;

    // What is known of a service, or of all that is watched of a family (empty), by name.
    // Those that drain have weight 0. no_memory.
    base::result<std::vector<found_provider>> providers (std::uint16_t family,
                                                         std::string_view service) noexcept;
    // The same without a copy, under the lock: call nothing of the discovery.
    using told_provider =
      std::function<void (std::string_view service, std::string_view endpoint, const known_provider &)>;
    void for_each (std::uint16_t family, std::string_view service, const told_provider &told);
    [[nodiscard]] std::size_t count (std::uint16_t family, std::string_view service) noexcept;
    // How good these answers are.
    [[nodiscard]] watch_facts facts (std::uint16_t family, std::string_view service) noexcept;
    // Until at least so many are known, and the time has not come. timed_out, interrupted,
    // terminated.
    base::result<void> wait (std::uint16_t family,
                             std::string_view service,
                             std::size_t providers_min,
                             base::time_ns deadline) noexcept;

    // no_memory. Of what is known already nothing is told.
    base::result<void> add_listener (std::shared_ptr<discovery_listener> listener) noexcept;
    void remove_listener (const discovery_listener &listener) noexcept;

    // It is of no use any more, but that it answers what was known last.
    void close () noexcept;

    // --- the loop's ---
    void sockets (std::vector<socket::poll_item> &wanted) override;
    loop_wish advance (base::time_ns now) override;
    void ended () noexcept override;

  private:
    using subject = std::pair<std::uint16_t, std::string>;
    // One registry. What is due is done before anything else of it is read.
    struct at_registry
    {
        bool lose_due = false;
        bool connect_due = false;
        bool watch_due = false;                   // everything is asked for anew
        base::time_ns again_ns = base::never_ns;  // it has refused us: when to begin anew
        std::size_t unanswered = 0;               // watches
        base::time_ns patient_until_ns = 0;       // then they are asked for anew
        std::deque<std::vector<std::byte>> unsent;
    };

    base::result<void> add_registry (std::string_view endpoint);
    void do_due (base::time_ns now, registry_line::source_number which);
    void take (base::time_ns now, const line_news &news);
    static void take_answer (base::time_ns now, at_registry &from, std::uint16_t fault) noexcept;
    void take_page (base::time_ns now, registry_line::source_number from, const wire::registry_message &page);
    void ask (base::time_ns now, registry_line::source_number whom, const subject &what);
    void ask_or_later (base::time_ns now, registry_line::source_number whom, const subject &what) noexcept;
    void tell (registry_line::source_number whom, const wire::registry_message &what);
    [[nodiscard]] base::time_ns write (base::time_ns now, registry_line::source_number to);
    [[nodiscard]] bool tell_listeners () noexcept;

    base::world &world_;
    std::unique_ptr<service_loop::seat> seat_;

    waiting_lock lock_;  // of all below
    bell news_;
    registry_line line_;
    std::deque<at_registry> registries_;  // by their number on the line
    std::set<subject> subjects_;
    known_services known_;
    std::uint64_t requests_ = 0;
    std::vector<std::shared_ptr<discovery_listener>> listeners_;
    bool turned_ = false;  // something has happened in this turn
    bool over_ = false;    // the context is shut down, or it was closed
};

}  // namespace zlink::service

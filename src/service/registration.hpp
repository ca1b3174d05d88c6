// What a provider has registered, at every registry that it was told of: registered
// anew when a connection comes back or a registry was restarted, renewed as long as
// the object lives, and dropped at once when it leaves.
//
// An endpoint with a wildcard for its host (tcp://*:5555) is registered with the host
// of the route to the first registry that is reached; a route that stays on this host
// gives 127.0.0.1, which is warned of. It waits until that is known.
//
// Thread rule: every call from any thread; the work is the loop's. Blocking: wait(),
// and close() for as long as a farewell takes (limits.hpp).
// Lifetime: the world outlives it. Held by a shared_ptr; close() before it is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/world.hpp"
#include "service/provider_link.hpp"
#include "service/registry_line.hpp"
#include "service/service_loop.hpp"
#include "service/waiting_lock.hpp"

namespace zlink::service {

// What has become of something that was put.
struct offer_outcome
{
    offer_state state = offer_state::unknown;  // registered as soon as one registry has it
    std::uint16_t fault = wire::fault_none;    // of refused
    std::string endpoint{};                    // as it is registered; empty: not known yet
    std::size_t registries = 0;                // that have it
};

class registration final : public served
{
  public:
    // too_many_sockets, terminated, no_memory.
    static base::result<std::shared_ptr<registration>>
    open (base::world &world, void *context, const std::shared_ptr<service_loop> &loop) noexcept;
    registration (base::world &world, std::uint64_t instance, std::string_view token)
      : world_ (world), instance_ (instance), token_ (token), lock_ (world.sleep), news_ (world.sleep),
        line_ (world)
    {
    }

    // An option of the socket to the registries: keys, certificates, and the like. Counts
    // for registries that are added later.
    base::result<void> set_option (int number, const void *value, std::size_t size) noexcept;
    // Another registry; the same one twice is one. As the facade's connect.
    base::result<void> connect_registry (std::string_view endpoint) noexcept;
    // Who knows the host of the route to where the registry keeps its providers, for one in
    // this process that has a store. Nothing: it is not known yet.
    using route_source = std::function<std::optional<std::string> ()>;
    void set_route_source (route_source source) noexcept;

    // Is registered from now on, or changed: the instance and the version are the object's.
    // Changing the weight or the labels is a put of the same service and endpoint.
    // invalid_argument: the endpoint is none, or a text is too long; no_memory.
    base::result<void> put (const wire::provider_view &provider) noexcept;
    // Is not any more; the endpoint is as in put. invalid_argument: it is not there.
    base::result<void>
    drop (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept;

    // no_memory.
    base::result<offer_outcome>
    outcome (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept;
    // Until a registry has answered to the last put of it. timed_out, interrupted,
    // terminated; invalid_argument: it is not there.
    base::result<offer_outcome> wait (std::uint16_t family,
                                      std::string_view service,
                                      std::string_view endpoint,
                                      base::time_ns deadline) noexcept;
    // Which instance all is registered as.
    [[nodiscard]] std::uint64_t instance () const noexcept { return instance_; }

    // Says farewell to every registry, and is of no use any more.
    void close () noexcept;

    // --- the loop's ---
    void sockets (std::vector<socket::poll_item> &wanted) override;
    loop_wish advance (base::time_ns now) override;
    void ended () noexcept override;

  private:
    // Something that was put, as it was put.
    struct offered
    {
        std::uint16_t family = 0;
        std::uint32_t weight = 1;
        std::uint64_t version = 0;
        std::string service, endpoint, host, zone, labels;
        std::string real;   // the endpoint without its wildcard; empty: not known yet
        bool told = false;  // to every registry's link, as it is
    };
    // One registry.
    struct at_registry
    {
        at_registry (std::uint64_t instance, std::string_view token) : link (instance, token) {}
        provider_link link;
        std::vector<std::byte> unsent;            // there was no room for it
        base::time_ns again_ns = base::never_ns;  // it has refused us: when to begin anew
    };

    [[nodiscard]] offered *
    find (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept;
    base::result<void> put_locked (const wire::provider_view &provider);
    [[nodiscard]] offer_outcome outcome_of (const offered &which) const;
    base::result<void> add_registry (std::string_view endpoint);
    void add_others (base::bytes_view others);
    [[nodiscard]] bool resolve (offered &which);
    void tell_links ();
    [[nodiscard]] bool find_route ();
    void take (base::time_ns now, const line_news &news);
    [[nodiscard]] base::time_ns write (base::time_ns now, registry_line::source_number to);
    void warn_of_loopback (const offered &which) noexcept;

    base::world &world_;
    const std::uint64_t instance_;
    const std::string token_;
    std::unique_ptr<service_loop::seat> seat_;

    waiting_lock lock_;  // of all below
    bell news_;
    registry_line line_;
    std::deque<at_registry> registries_;  // by their number on the line
    std::vector<offered> wishes_;
    std::uint64_t versions_ = 0;
    std::optional<std::string> route_host_;  // the first that was found
    route_source route_source_;              // null: the connections know
    bool over_ = false;                      // the context is shut down
};

}  // namespace zlink::service

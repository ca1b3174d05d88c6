// SPDX-License-Identifier: MPL-2.0
//
// Registries in this process, where providers register and are found. Not with a minimal
// library.
//
// Thread rule: a registry may be used by any number of threads.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <zlink/context.hpp>
#include <zlink/discovery.hpp>
#include <zlink/error.hpp>
#include <zlink/options.hpp>
#include <zlink/zlink.h>

namespace zlink {

// A provider as its registry knows it.
struct registered_provider : provider_info
{
    service_type type = service_type::gateway;
    bool confirmed = true;  // false: it is remembered, and has not registered here
    std::string host;
    std::string zone;
    std::string labels;  // octets, as docs/protocol/registry.md has them
};

enum class registry_event_kind : std::uint32_t
{
    provider = ZLINK_REGISTRY_PROVIDER,  // it has come, or something of it has changed
    gone = ZLINK_REGISTRY_GONE,
    refused = ZLINK_REGISTRY_REFUSED,
};

struct registry_event
{
    registry_event_kind kind = registry_event_kind::provider;
    std::uint32_t reason = 0;     // of gone: ZLINK_GONE_*; of refused: a fault of the protocol
    std::string reason_text;      // a word for it
    registered_provider about{};  // of gone: service, endpoint, instance; of refused: endpoint
};

enum class registry_limit : int
{
    providers = ZLINK_REGISTRY_MAX_PROVIDERS,
    providers_of_instance = ZLINK_REGISTRY_MAX_PROVIDERS_OF_INSTANCE,
    instances = ZLINK_REGISTRY_MAX_INSTANCES,
    bytes = ZLINK_REGISTRY_MAX_BYTES,
};

class registry
{
  public:
    // failure: too_many, no_memory, terminated.
    explicit registry (context &of) : handle_ (zlink_registry_new (of.handle ()))
    {
        if (handle_ == nullptr)
            detail::fail (last_error (), "zlink::registry");
    }
    registry (registry &&other) noexcept
      : handle_ (std::exchange (other.handle_, nullptr)), told_ (std::move (other.told_))
    {
    }
    registry &operator= (registry &&other) noexcept
    {
        std::swap (handle_, other.handle_);
        std::swap (told_, other.told_);
        return *this;
    }
    registry (const registry &) = delete;
    registry &operator= (const registry &) = delete;
    // Providers and watchers keep what they know, and come back to the next one that is
    // bound there. Not in a handler.
    ~registry ()
    {
        if (handle_ != nullptr)
            zlink_registry_destroy (&handle_);
    }
    // For calls of the C interface.
    [[nodiscard]] void *handle () const noexcept { return handle_; }

    // --- before it is bound; failure: wrong_state: it is ---

    // Keys, certificates and the like, for what is bound later.
    template <class T> void set (const option<T> &which, const std::type_identity_t<T> &value)
    {
        detail::value_of (set (std::nothrow, which, value), which.name);
    }
    template <class T>
    result<void> set (std::nothrow_t, const option<T> &which, const std::type_identity_t<T> &value) noexcept
    {
        return detail::set_service_option (
          which, value, [this] (int number, const void *octets, std::size_t size) {
              return zlink_registry_setsockopt (handle_, ZLINK_REGISTRY_SOCKET_ROUTER, number, octets, size);
          });
    }
    // After what silence a provider is dropped, and how often it is to say that it lives.
    // failure: invalid_argument: not 0 < renew < lease.
    void set_lease (std::chrono::milliseconds lease, std::chrono::milliseconds renew)
    {
        detail::value_of (set_lease (std::nothrow, lease, renew), "zlink::registry::set_lease");
    }
    result<void>
    set_lease (std::nothrow_t, std::chrono::milliseconds lease, std::chrono::milliseconds renew) noexcept
    {
        return detail::outcome (zlink_registry_set_heartbeat (
          handle_, static_cast<std::uint32_t> (renew.count ()), static_cast<std::uint32_t> (lease.count ())));
    }
    void set_limit (registry_limit which, std::uint64_t most)
    {
        detail::value_of (
          detail::outcome (zlink_registry_set_limit (handle_, static_cast<int> (which), most)),
          "zlink::registry::set_limit");
    }
    // Is told of every change, on the thread that serves the context's registries: it
    // returns soon, throws nothing, and may call everything but the end.
    void on_event (std::function<void (const registry_event &)> handler)
    {
        using kept = std::function<void (const registry_event &)>;
        auto fresh = std::make_unique<kept> (std::move (handler));
        detail::value_of (detail::outcome (zlink_registry_set_handler (
                            handle_,
                            [] (const zlink_registry_event_t *what, void *hint) {
                                (*static_cast<kept *> (hint)) (event_of (*what));
                            },
                            fresh.get ())),
                          "zlink::registry::on_event");
        told_.push_back (std::move (fresh));
    }
    // Who was there before this registry began, from providers () of an earlier one: told of
    // until everybody alive has had the time to register. failure: invalid_argument,
    // address_in_use: it is known; too_many: a limit.
    void remember (const registered_provider &whom)
    {
        zlink_registry_event_t raw{};
        raw.service_type = static_cast<std::uint16_t> (whom.type);
        raw.weight = whom.weight;
        raw.instance = whom.instance;
        raw.registered_at = static_cast<std::uint64_t> (
          std::chrono::duration_cast<std::chrono::milliseconds> (whom.registered_at.time_since_epoch ())
            .count ());
        raw.service_name = whom.service.c_str ();
        raw.endpoint = whom.endpoint.c_str ();
        raw.host = whom.host.c_str ();
        raw.zone = whom.zone.c_str ();
        raw.labels = whom.labels.data ();
        raw.labels_size = whom.labels.size ();
        detail::value_of (detail::outcome (zlink_registry_remember (handle_, &raw)),
                          "zlink::registry::remember");
    }

    // --- at any time ---

    // Another registry that holds the same: whoever comes is told of it.
    void add_peer (const char *endpoint)
    {
        detail::value_of (detail::outcome (zlink_registry_add_peer (handle_, endpoint)),
                          "zlink::registry::add_peer");
    }
    // Answers where. As the sockets' bind.
    std::string bind (const char *endpoint)
    {
        detail::value_of (detail::outcome (zlink_registry_bind (handle_, endpoint)), "zlink::registry::bind");
        std::array<char, 1024> where{};
        std::size_t size = where.size ();
        detail::value_of (detail::outcome (zlink_registry_endpoint (handle_, where.data (), &size)),
                          "zlink::registry::bind");
        return where.data ();
    }
    // False: nobody provides it there.
    bool remove (const char *service, const char *endpoint, service_type of = service_type::gateway) noexcept
    {
        return zlink_registry_remove (handle_, static_cast<std::uint16_t> (of), service, endpoint) == 0;
    }
    // In the order of their last change. failure: no_memory.
    [[nodiscard]] std::vector<registered_provider> providers () const
    {
        struct collected
        {
            std::vector<registered_provider> all;
            bool full = false;
        } found;
        const auto note = [] (const zlink_registry_event_t *each, void *hint) {
            auto *const to = static_cast<collected *> (hint);
            try {
                to->all.push_back (event_of (*each).about);
            } catch (const std::bad_alloc &) {
                to->full = true;
            }
        };
        detail::value_of (detail::outcome (zlink_registry_visit (handle_, note, &found)),
                          "zlink::registry::providers");
        if (found.full)
            throw std::bad_alloc ();
        return std::move (found.all);
    }
    [[nodiscard]] zlink_registry_info_t info () const
    {
        zlink_registry_info_t got{};
        detail::value_of (detail::outcome (zlink_registry_info (handle_, &got)), "zlink::registry::info");
        return got;
    }

  private:
    static registry_event event_of (const zlink_registry_event_t &from)
    {
        registry_event made;
        made.kind = static_cast<registry_event_kind> (from.kind);
        made.reason = from.reason;
        made.reason_text = from.reason_text;
        made.about.service = from.service_name;
        made.about.endpoint = from.endpoint;
        made.about.instance = from.instance;
        made.about.weight = from.weight;
        made.about.registered_at = std::chrono::system_clock::time_point (
          std::chrono::milliseconds (static_cast<std::int64_t> (from.registered_at)));
        made.about.type = static_cast<service_type> (from.service_type);
        made.about.confirmed = from.confirmed != 0;
        made.about.host = from.host;
        made.about.zone = from.zone;
        if (from.labels_size != 0)
            made.about.labels.assign (static_cast<const char *> (from.labels), from.labels_size);
        return made;
    }

    void *handle_;
    std::vector<std::unique_ptr<std::function<void (const registry_event &)>>> told_;  // the last one hears
};

}  // namespace zlink

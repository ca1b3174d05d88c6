// What tests of registries share: a registry, providers and watchers in one process,
// and a peer that says what it likes.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "service/discovery.hpp"
#include "service/registration.hpp"
#include "service/registry.hpp"
#include "services/bound_socket.hpp"
#include "services/worlds.hpp"

namespace zlink::service::test {

inline constexpr std::uint16_t family = wire::family_gateway;

// Where a registry of that name may be bound.
inline std::string place (base::world &world, std::string_view name)
{
    const bool simulated = !world.transports.empty () && world.transports.front ()->scheme () == "sim";
    return simulated ? "sim://" + std::string (name) : "tcp://127.0.0.1:*";
}

inline wire::provider_view
provider (std::string_view service, std::string_view endpoint, std::uint32_t weight = 1)
{
    return {.family = family, .weight = weight, .service = service, .endpoint = endpoint};
}

// Closes what it holds, as its owner has to.
template <class Object> class closing
{
  public:
    closing () = default;
    explicit closing (base::result<std::shared_ptr<Object>> made) : object_ (std::move (made).value ()) {}
    ~closing () { close (); }
    closing (closing &&) = default;
    closing &operator= (closing &&) = delete;
    Object *operator->() const { return object_.get (); }
    [[nodiscard]] const std::shared_ptr<Object> &share () const { return object_; }
    void close ()
    {
        if (object_ != nullptr)
            std::exchange (object_, nullptr)->close ();
    }

  private:
    std::shared_ptr<Object> object_;
};

// Keeps what is told, as lines.
class noting_observer final : public registry_observer
{
  public:
    explicit noting_observer (base::world &world) : change (world.sleep) {}
    void changed (const wire::registry_entry &what) noexcept override
    {
        note (what.gone
                ? std::string (what.removed.service) + " - " + wire::removal_name (what.removed.why)
                : std::string (what.provider.service) + " + " + std::to_string (what.provider.weight));
    }
    void refused (std::string_view, std::uint16_t fault, std::string_view) noexcept override
    {
        note (std::string ("refused ") + wire::fault_name (fault));
    }
    void wait_for (std::string_view line, std::ptrdiff_t times = 1)
    {
        for (std::uint32_t heard = change.heard (); count (line) < times; heard = change.heard ())
            (void)change.wait (heard, base::never_ns);
    }
    [[nodiscard]] bool has (std::string_view line) { return count (line) > 0; }
    [[nodiscard]] std::ptrdiff_t count (std::string_view line)
    {
        const base::locked guard (lock);
        return std::count (lines.begin (), lines.end (), line);
    }

    bell change;
    base::exchange_lock lock;
    std::vector<std::string> lines;

  private:
    void note (std::string line)
    {
        {
            const base::locked guard (lock);
            lines.push_back (std::move (line));
        }
        change.ring ();
    }
};

// Rings whenever a discovery has changed.
class ringing_listener final : public discovery_listener
{
  public:
    explicit ringing_listener (base::world &world) : change (world.sleep) {}
    void changed (std::span<const service_change> changes) noexcept override
    {
        told += static_cast<int> (changes.size ());
        change.ring ();
    }
    template <class Condition> void wait_until (Condition &&holds)
    {
        for (std::uint32_t heard = change.heard (); !holds (); heard = change.heard ())
            (void)change.wait (heard, base::never_ns);
    }
    bell change;
    base::atomic<int> told{0};
};

// A town with one loop, where registries, providers and watchers are opened.
struct town
{
    explicit town (base::world &in)
      : world (in), context (in), loop (service_loop::start (in, context.handle ()).value ()), observer (in),
        listener (std::make_shared<ringing_listener> (in))
    {
    }

    closing<registry> open_registry (std::string_view where, registry_options options = {})
    {
        options.observer = &observer;
        closing<registry> made (registry::open (world, context.handle (), loop, options));
        address = made->bind (where).value ();
        return made;
    }
    closing<registration> open_provider (std::string_view at)
    {
        closing<registration> made (registration::open (world, context.handle (), loop));
        EXPECT_TRUE (made->connect_registry (at).ok ());
        return made;
    }
    closing<discovery> open_watcher (std::string_view at, std::string_view service)
    {
        closing<discovery> made (discovery::open (world, context.handle (), loop));
        EXPECT_TRUE (made->add_listener (listener).ok ());
        EXPECT_TRUE (made->watch (family, service).ok ());
        EXPECT_TRUE (made->connect_registry (at).ok ());
        return made;
    }

    base::world &world;
    own_context context;
    std::shared_ptr<service_loop> loop;
    noting_observer observer;
    std::shared_ptr<ringing_listener> listener;
    std::string address;  // of the registry opened last
};

// A registry that refuses.
class raw_registry
{
  public:
    raw_registry (void *context, std::string_view where) : at_ (context, where) {}
    [[nodiscard]] const std::string &address () const { return at_.endpoint (); }

    wire::registry_kind hear (std::string &from)
    {
        std::array<std::byte, 1024> room;
        const base::io_count named = socket::receive (at_.handle (), room, 0);
        from.assign (base::as_text (base::bytes_view (room.data (), named.size ())));
        const base::io_count got = socket::receive (at_.handle (), room, 0);
        wire::registry_message what;
        EXPECT_EQ (wire::decode_registry_message (base::bytes_view (room.data (), got.size ()), what),
                   wire::service_status::complete);
        return what.kind;
    }
    void refuse (std::string_view whom, std::uint16_t fault)
    {
        wire::registry_message what;
        what.kind = wire::registry_kind::refused;
        what.fault = fault;
        std::vector<std::byte> octets;
        wire::encode_registry_message (what, octets);
        (void)socket::send (at_.handle (), base::as_bytes (whom), socket::io_send_more);
        (void)socket::send (at_.handle (), octets, 0);
    }

  private:
    bound_socket at_;
};

// A peer of a registry that says what it likes.
class raw_peer
{
  public:
    raw_peer (void *context, std::string_view at) : socket_ (socket::open (context, 5).value ())
    {
        EXPECT_TRUE (socket::connect (socket_, at).ok ());
    }
    ~raw_peer () { (void)socket::close (socket_); }
    raw_peer (const raw_peer &) = delete;
    raw_peer &operator= (const raw_peer &) = delete;

    void say (const wire::registry_message &what)
    {
        std::vector<std::byte> octets;
        wire::encode_registry_message (what, octets);
        say (octets);
    }
    void say (base::bytes_view octets) { EXPECT_TRUE (socket::send (socket_, octets, 0).ok ()); }
    // Valid until the next call.
    wire::registry_message hear ()
    {
        room_.resize (wire::registry_message_bytes_max);
        const base::io_count got = socket::receive (socket_, room_, 0);
        EXPECT_TRUE (got.ok ());
        wire::registry_message what;
        EXPECT_EQ (wire::decode_registry_message (base::bytes_view (room_.data (), got.size ()), what),
                   wire::service_status::complete);
        return what;
    }
    // Of that kind, with others before it.
    wire::registry_message hear (wire::registry_kind kind)
    {
        wire::registry_message what = hear ();
        while (what.kind != kind)
            what = hear ();
        return what;
    }
    void open (std::uint64_t instance, std::string_view token = "0123456789abcdef")
    {
        wire::registry_message what;
        what.kind = wire::registry_kind::open;
        what.instance = instance;
        what.token = token;
        say (what);
        EXPECT_EQ (hear ().kind, wire::registry_kind::opened);
    }
    std::uint16_t put (std::uint64_t instance, std::string_view service, std::string_view endpoint)
    {
        say_put (instance, service, endpoint);
        return hear (wire::registry_kind::answer).fault;
    }
    // Without hearing what becomes of it.
    void say_put (std::uint64_t instance, std::string_view service, std::string_view endpoint)
    {
        wire::registry_message what;
        what.kind = wire::registry_kind::put;
        what.provider = provider (service, endpoint);
        what.provider.instance = instance;
        what.provider.version = 1;
        say (what);
    }

  private:
    void *socket_;
    std::vector<std::byte> room_;
};

}  // namespace zlink::service::test

// SPDX-License-Identifier: MPL-2.0
//
// Who provides a service, as registries tell it. Not with a minimal library.
//
// Thread rule: a discovery may be used by any number of threads; a provider_changes has
// one that awaits.
#pragma once

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <zlink/context.hpp>
#include <zlink/error.hpp>
#include <zlink/loop.hpp>
#include <zlink/options.hpp>
#include <zlink/zlink.h>

namespace zlink {

// Equal names of different types are different services.
enum class service_type : std::uint16_t
{
    gateway = ZLINK_SERVICE_GATEWAY,  // what receivers offer and gateways look for
    spot = ZLINK_SERVICE_SPOT,
};

struct provider_info
{
    std::string service;
    std::string endpoint;
    std::uint64_t instance = 0;  // of the process that provides
    std::uint32_t weight = 1;    // 0: it drains
    std::chrono::system_clock::time_point registered_at{};
};

enum class provider_event : int
{
    came = ZLINK_RECEIVER_CAME,
    changed = ZLINK_RECEIVER_CHANGED,
    gone = ZLINK_RECEIVER_GONE,
};

struct provider_change
{
    provider_event what = provider_event::came;
    std::string service;
    std::string endpoint;
};

// How good what is known is.
struct discovery_status
{
    std::size_t registries = 0;  // that are connected, and whose list is read to its end
    bool settled = false;        // one of them has run long enough to know everybody
    // Since the list was known to be whole; 0: it is. Nothing: it never was.
    std::optional<std::chrono::milliseconds> age{};
};

namespace detail {

// An option by the role of a service's socket.
template <class T, class Set>
result<void> set_service_option (const option<T> &which, const T &value, Set set)
{
    const auto given = [&] (const auto &raw) {
        return outcome (set (which.number, static_cast<const void *> (&raw), sizeof raw));
    };
    if constexpr (std::is_same_v<T, std::string>)
        return outcome (set (which.number, static_cast<const void *> (value.data ()), value.size ()));
    else if constexpr (std::is_same_v<T, bool>)
        return given (static_cast<int> (value));
    else if constexpr (std::is_same_v<T, std::chrono::milliseconds>)
        return given (static_cast<int> (value.count ()));
    else
        return given (value);
}

}  // namespace detail

class discovery
{
  public:
    // failure: too_many, no_memory, terminated.
    explicit discovery (context &of, service_type of_type = service_type::gateway)
      : handle_ (zlink_discovery_new_typed (of.handle (), static_cast<std::uint16_t> (of_type)))
    {
        if (handle_ == nullptr)
            detail::fail (last_error (), "zlink::discovery");
    }
    discovery (discovery &&other) noexcept
      : handle_ (std::exchange (other.handle_, nullptr)), told_ (std::move (other.told_))
    {
    }
    discovery &operator= (discovery &&other) noexcept
    {
        std::swap (handle_, other.handle_);
        std::swap (told_, other.told_);
        return *this;
    }
    discovery (const discovery &) = delete;
    discovery &operator= (const discovery &) = delete;
    // Who waits gets terminated. Not in a handler.
    ~discovery ()
    {
        if (handle_ != nullptr)
            zlink_discovery_destroy (&handle_);
    }
    // For calls of the C interface, and for gateways.
    [[nodiscard]] void *handle () const noexcept { return handle_; }

    // Counts for registries that are connected later.
    template <class T> void set (const option<T> &which, const std::type_identity_t<T> &value)
    {
        detail::value_of (set (std::nothrow, which, value), which.name);
    }
    template <class T>
    result<void> set (std::nothrow_t, const option<T> &which, const std::type_identity_t<T> &value) noexcept
    {
        return detail::set_service_option (
          which, value, [this] (int number, const void *octets, std::size_t size) {
              return zlink_discovery_setsockopt (handle_, ZLINK_DISCOVERY_SOCKET_SUB, number, octets, size);
          });
    }
    // One after the other: their lists are united.
    void connect_registry (const char *endpoint)
    {
        detail::value_of (connect_registry (std::nothrow, endpoint), "zlink::discovery::connect_registry");
    }
    result<void> connect_registry (std::nothrow_t, const char *endpoint) noexcept
    {
        return detail::outcome (zlink_discovery_connect_registry (handle_, endpoint));
    }
    // Of what is not watched nothing is known. "": all of them.
    void watch (const char *service)
    {
        detail::value_of (watch (std::nothrow, service), "zlink::discovery::watch");
    }
    result<void> watch (std::nothrow_t, const char *service) noexcept
    {
        return detail::outcome (zlink_discovery_subscribe (handle_, service));
    }
    // False: it was not watched.
    bool unwatch (const char *service) noexcept
    {
        return zlink_discovery_unsubscribe (handle_, service) == 0;
    }

    // Those that drain, too. What was known last is told when all registries are lost.
    [[nodiscard]] std::vector<provider_info> providers (const char *service) const
    {
        return detail::value_of (providers (std::nothrow, service), "zlink::discovery::providers");
    }
    [[nodiscard]] result<std::vector<provider_info>> providers (std::nothrow_t,
                                                                const char *service) const noexcept
    {
        return detail::no_throw ([&] () -> result<std::vector<provider_info>> {
            std::vector<zlink_receiver_info_t> raw;
            // Some may come while it is asked for.
            for (std::size_t count = 0;; raw.resize (count)) {
                count = raw.size ();
                if (zlink_discovery_get_receivers (handle_, service, raw.data (), &count) != 0)
                    return last_error ();
                if (count > raw.size ())
                    continue;
                raw.resize (count);
                std::vector<provider_info> made;
                for (const zlink_receiver_info_t &each : raw)
                    made.push_back (info_of (each));
                return made;
            }
        });
    }
    [[nodiscard]] std::size_t count (const char *service) const noexcept
    {
        const int found = zlink_discovery_receiver_count (handle_, service);
        return found < 0 ? 0 : static_cast<std::size_t> (found);
    }
    // Blocks until so many are known; false: they were not in time. failure: interrupted,
    // terminated.
    bool wait (const char *service, std::size_t providers_min, std::chrono::milliseconds limit = for_ever)
    {
        if (zlink_discovery_wait (handle_, service, providers_min, static_cast<int> (limit.count ())) == 0)
            return true;
        if (zlink_errno () != ETIMEDOUT)
            detail::fail (last_error (), "zlink::discovery::wait");
        return false;
    }
    [[nodiscard]] discovery_status status (const char *service) const
    {
        zlink_discovery_status_t raw{};
        detail::value_of (detail::outcome (zlink_discovery_status (handle_, service, &raw)),
                          "zlink::discovery::status");
        discovery_status made{raw.registries, raw.settled != 0, {}};
        if (raw.age_ms >= 0)
            made.age = std::chrono::milliseconds (raw.age_ms);
        return made;
    }

    // From now on each change is told, in order, on a thread of the discovery's own, instead
    // of to an earlier handler, which has ended. It throws nothing, and may call everything
    // but this and the end. Empty: nobody is told. failure: no_memory.
    void on_change (std::function<void (provider_change &&)> handler)
    {
        using kept = std::function<void (provider_change &&)>;
        std::unique_ptr<kept> fresh = handler ? std::make_unique<kept> (std::move (handler)) : nullptr;
        const auto call = [] (int what, const char *service, const char *endpoint, void *hint) {
            (*static_cast<kept *> (hint)) ({static_cast<provider_event> (what), service, endpoint});
        };
        detail::value_of (
          detail::outcome (zlink_discovery_set_handler (
            handle_, fresh ? static_cast<zlink_discovery_fn *> (call) : nullptr, fresh.get ())),
          "zlink::discovery::on_change");
        told_ = std::move (fresh);
    }

  private:
    static provider_info info_of (const zlink_receiver_info_t &from)
    {
        provider_info made;
        made.service = from.service_name;
        made.endpoint = from.endpoint;
        for (std::size_t at = 0; at < from.routing_id.size; ++at)
            made.instance = made.instance << 8 | from.routing_id.data[at];
        made.weight = from.weight;
        made.registered_at = std::chrono::system_clock::time_point (
          std::chrono::milliseconds (static_cast<std::int64_t> (from.registered_at)));
        return made;
    }

    void *handle_;
    std::unique_ptr<std::function<void (provider_change &&)>> told_;
};

// The changes of a discovery for a coroutine: co_await changes.next () gives the next one,
// or nothing behind stop (). It takes the discovery's handler for as long as it lives.
//
// Of a provider whose changes nobody awaits only what they come to is kept: who came and
// went is told as gone. Where it goes on is the executor's to say; inline_executor: on the
// discovery's thread.
// Lifetime: within the discovery's and the executor's; nobody awaits when it ends.
template <executor Executor> class provider_changes
{
  public:
    provider_changes (discovery &of, Executor &where) : of_ (of), where_ (where)
    {
        of_.on_change ([this] (provider_change &&what) { take (std::move (what)); });
    }
    provider_changes (const provider_changes &) = delete;
    provider_changes &operator= (const provider_changes &) = delete;
    ~provider_changes () { of_.on_change ({}); }

    class waiting
    {
      public:
        explicit waiting (provider_changes &from) noexcept : from_ (from) {}
        [[nodiscard]] bool await_ready () const noexcept { return false; }
        bool await_suspend (std::coroutine_handle<> who) noexcept
        {
            const std::lock_guard guard (from_.lock_);
            if (from_.stopped_ || !from_.order_.empty ())
                return false;
            from_.who_ = who;
            return true;
        }
        [[nodiscard]] std::optional<provider_change> await_resume () { return from_.pop (); }

      private:
        provider_changes &from_;
    };
    [[nodiscard]] waiting next () noexcept { return waiting (*this); }

    // From any thread: whoever awaits, now or later, gets nothing.
    void stop ()
    {
        std::coroutine_handle<> who;
        {
            const std::lock_guard guard (lock_);
            stopped_ = true;
            who = std::exchange (who_, {});
        }
        if (who)
            where_.post (who);
    }

  private:
    using key = std::pair<std::string, std::string>;

    void take (provider_change &&what)
    {
        std::coroutine_handle<> who;
        {
            const std::lock_guard guard (lock_);
            const auto [at, is_new] = kept_.try_emplace (key (what.service, what.endpoint), what.what);
            if (is_new)
                order_.push_back (at->first);
            else if (what.what != provider_event::changed)
                at->second = what.what;
            who = std::exchange (who_, {});
        }
        if (who)
            where_.post (who);
    }
    std::optional<provider_change> pop ()
    {
        const std::lock_guard guard (lock_);
        if (stopped_ || order_.empty ())
            return std::nullopt;
        const auto at = kept_.find (order_.front ());
        provider_change told{at->second, at->first.first, at->first.second};
        kept_.erase (at);
        order_.pop_front ();
        return told;
    }

    discovery &of_;
    Executor &where_;
    std::mutex lock_;  // of all below
    std::map<key, provider_event> kept_;
    std::deque<key> order_;
    std::coroutine_handle<> who_;
    bool stopped_ = false;
};

}  // namespace zlink

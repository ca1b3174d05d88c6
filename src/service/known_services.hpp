// What a watcher knows of services, from one registry or from several that hold the
// same: the union of what they list, how fresh it is, and what has changed of it.
//
// Pages of the protocol (docs/protocol/registry.md) go in; each source has a list of
// its own for each watch. A provider counts as there
//   - while a fresh source lists it, or
//   - while nobody could know better: no fresh and settled source has a say, and no
//     fresh source says that this very instance is gone. It is *stale* then.
// Fresh: connected, and read to the end since. So a registry that dies, restarts or is
// cut off takes no provider away; one that lives, and has settled, does.
//
// A state machine: no socket, no clock, no lock. Thread rule: one thread at a time.
// What may throw std::bad_alloc says so; the position is as before then, and reading
// the same page again is well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "service/limits.hpp"
#include "service/registry_table.hpp"
#include "wire/registry_message.hpp"

namespace zlink::service {

struct known_provider
{
    std::uint64_t instance = 0;
    std::uint64_t version = 0;
    std::uint64_t registered_at_ms = 0;
    std::uint32_t weight = 0;
    std::uint32_t source = 0;  // who says so
    bool stale = false;
    std::string host{};
    std::string zone{};
    std::string labels{};
    bool operator== (const known_provider &) const = default;
};

enum class change_kind : std::uint8_t
{
    came,
    changed,  // also in who says so, or in being stale
    gone,
};

struct service_change
{
    change_kind kind = change_kind::came;
    std::uint16_t family = 0;
    std::string service;
    std::string endpoint;
    std::uint64_t instance = 0;
    bool operator== (const service_change &) const = default;
};

enum class page_status : std::uint8_t
{
    applied,
    ignored,    // not watched, or known already
    gap,        // something is missing: watch again, from the position
    malformed,  // names what was not asked for
    too_many,   // more than known_providers_max
};

// How good the answers of a watch are.
struct watch_facts
{
    std::size_t fresh = 0;                  // sources
    bool settled = false;                   // one of those
    base::time_ns age_ns = base::never_ns;  // since a source was fresh: 0 = one is; never
};

class known_services
{
  public:
    using source_number = std::uint32_t;

    explicit known_services (std::size_t providers_max = known_providers_max) noexcept
      : providers_max_ (providers_max)
    {
    }

    // An empty service watches all of the family. A watch of its own for one service
    // goes before that. May throw bad_alloc.
    void watch (std::uint16_t family, std::string_view service);
    void unwatch (std::uint16_t family, std::string_view service) noexcept;

    // The source is connected: it may be asked, behind its position. May throw.
    void connected (source_number source);
    // It is not: what it lists becomes stale. May throw; call it again then.
    void lost (base::time_ns now, source_number source);
    // It is not one of ours any more, and has no say. May throw; call it again then.
    void forget (source_number source);

    // Where the source is to go on, for a watch message.
    [[nodiscard]] registry_position
    position (source_number source, std::uint16_t family, std::string_view service) const noexcept;
    // A page has come from a source that is connected. May throw.
    page_status apply (source_number source, const wire::registry_message &page);

    // Calls told (service, endpoint, provider) for all of a service, or all that is
    // watched of a family (empty), by name.
    template <class Told> void for_each (std::uint16_t family, std::string_view service, Told &&told) const
    {
        const watched *const of = best_watch (family, service);
        if (of == nullptr)
            return;
        for (auto at = of->merged.lower_bound (provider_ref (service, {})); at != of->merged.end (); ++at) {
            if (!service.empty () && at->first.first != service)
                return;
            told (std::string_view (at->first.first), std::string_view (at->first.second), at->second);
        }
    }
    [[nodiscard]] std::size_t count (std::uint16_t family, std::string_view service) const;
    [[nodiscard]] watch_facts
    facts (base::time_ns now, std::uint16_t family, std::string_view service) const noexcept;

    // What has changed since the last call, in order.
    [[nodiscard]] std::vector<service_change> take_changes () noexcept
    {
        return std::exchange (changes_, {});
    }

  private:
    using provider_key = std::pair<std::string, std::string>;  // service, endpoint
    using provider_ref = std::pair<std::string_view, std::string_view>;
    struct ref_less
    {
        using is_transparent = void;
        bool operator() (const auto &a, const auto &b) const noexcept
        {
            return provider_ref (a.first, a.second) < provider_ref (b.first, b.second);
        }
    };
    using watch_ref = std::pair<std::uint16_t, std::string_view>;
    struct watch_less
    {
        using is_transparent = void;
        bool operator() (const auto &a, const auto &b) const noexcept
        {
            return watch_ref (a.first, a.second) < watch_ref (b.first, b.second);
        }
    };
    template <class Value> using by_provider = std::map<provider_key, Value, ref_less>;

    // What one source says of one provider.
    struct word
    {
        bool gone = false;
        bool doubted = false;    // not said again since it began anew
        bool overruled = false;  // it was stale, and somebody knew better
        std::uint64_t arrived = 0;
        known_provider provider{};
    };
    struct listing
    {
        registry_position at{};
        bool connected = false;
        bool fresh = false;
        bool settled = false;
        bool has_doubts = false;
        base::time_ns fresh_until_ns = base::never_ns;  // once it was
        by_provider<word> words;
    };
    struct watched
    {
        std::map<source_number, listing> listings;
        by_provider<known_provider> merged;
    };
    using watch_key = std::pair<std::uint16_t, std::string>;

    struct verdict
    {
        const word *best = nullptr;
        bool stale = false;
        bool any = false;  // somebody still lists it
    };

    [[nodiscard]] const watched *find_watch (std::uint16_t family, std::string_view service) const noexcept;
    [[nodiscard]] const watched *best_watch (std::uint16_t family, std::string_view service) const noexcept;
    [[nodiscard]] static page_status follows (const listing &by, const wire::registry_message &page) noexcept;
    [[nodiscard]] static bool fits (const wire::registry_message &page) noexcept;
    static void begin_anew (listing &of) noexcept;
    void say (listing &of, source_number source, const wire::registry_entry &entry);
    void sweep (listing &of) noexcept;
    std::vector<provider_key>
    take_entries (listing &by, source_number source, const wire::registry_message &page);
    // True: all are to be judged again.
    [[nodiscard]] bool end_page (listing &by, const wire::registry_message &page) noexcept;
    [[nodiscard]] static bool is_firm (const listing &by, const word &said) noexcept;
    [[nodiscard]] static bool
    is_denied (const watched &of, const provider_ref &which, const word &said) noexcept;
    [[nodiscard]] static verdict judge (const watched &of, const provider_ref &which) noexcept;
    void settle (watched &of, const provider_key &which, const verdict &now) noexcept;
    void merge (std::uint16_t family, watched &of, const provider_key &which);
    void merge_all (std::uint16_t family, watched &of);
    void tell (change_kind kind, std::uint16_t family, const provider_key &which, std::uint64_t instance);

    std::size_t providers_max_;
    std::size_t words_ = 0;
    std::uint64_t arrivals_ = 0;
    std::map<source_number, bool> sources_;  // connected
    std::map<watch_key, watched, watch_less> watches_;
    std::vector<service_change> changes_;
};

}  // namespace zlink::service

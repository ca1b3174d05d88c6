// What a registry knows: who provides what, until when, and in which order it has
// changed. A state machine over (now, what happened): no socket, no clock, no lock.
//
// Every change has the next revision, one number for all services. Records stand in
// the order of their last change, of each service and of all, so what is new since a
// revision is the end of a list; read() writes it as a page of the protocol
// (docs/protocol/registry.md). Of what is gone a bounded number is remembered; who
// asks for what is older gets the whole anew.
//
// What was known before the start may be remembered: it belongs to nobody, whoever
// registers the same takes it over, and what nobody has taken when the registry settles
// is gone. Its version is 0, which is older than whatever an instance says itself.
//
// A peer is a connection, by a number that its caller chooses; it opens one instance
// and registers providers of that instance only. An instance outlives its peer by
// the grace, in which another connection with the same token takes it over.
//
// Thread rule: one thread at a time. now never goes back. open(), put() and remember() may
// throw std::bad_alloc, and nothing has changed then; read() too, with a part of the page
// written; nothing else takes memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "service/due_heap.hpp"
#include "service/limits.hpp"
#include "wire/registry_message.hpp"

namespace zlink::service {

enum class registry_limit : std::uint8_t
{
    providers,
    providers_of_instance,
    instances,
    bytes,
};

struct registry_settings
{
    std::uint64_t incarnation = 0;  // drawn at random
    base::time_ns started_ns = 0;
    base::time_ns lease_ns = service::lease_ns;
    base::time_ns grace_ns = lost_grace_ns;
    std::size_t instances_max = registry_instances_max;
    std::size_t providers_max = registry_providers_max;
    std::size_t bytes_max = registry_bytes_max;
    std::size_t per_instance_max = providers_per_instance_max;
    std::size_t gone_max = gone_providers_max;
};

// How far a watcher has read. While it reads the whole anew, base is the revision at
// which that began: of what was gone before it never hears, and doubts it anyhow.
struct registry_position
{
    std::uint64_t incarnation = 0;
    std::uint64_t since = 0;
    std::uint64_t base = 0;

    // What it is behind a page of a registry that has this revision.
    void pass (const wire::registry_message &page, std::uint64_t revision) noexcept
    {
        incarnation = page.incarnation;
        since = page.revision;
        if ((page.flags & wire::registry_flag_reset) != 0)
            base = revision;
        if ((page.flags & wire::registry_flag_complete) != 0)
            base = 0;
    }
};

class registry_table
{
  public:
    using peer_number = std::uint64_t;
    using token = std::array<std::byte, wire::registry_token_bytes>;
    using fault = wire::registry_fault;

    explicit registry_table (const registry_settings &settings);
    ~registry_table ();
    registry_table (const registry_table &) = delete;
    registry_table &operator= (const registry_table &) = delete;

    // --- who is there -----------------------------------------------------------

    // Begins a session, or takes over that of an earlier connection with the same
    // token. taken: the instance has another token, or the peer another instance;
    // malformed: that is no token; too_many.
    fault open (base::time_ns now, peer_number peer, std::uint64_t instance, std::string_view token_octets);
    // no_session: open comes first; of those below too.
    fault renew (base::time_ns now, peer_number peer) noexcept;
    // Registers or changes. What is older than what is known, or the same, changes
    // nothing and is well. Its endpoint has been judged, and registered_at_ms is of the caller's clock;
    // a change keeps that of the first. taken, not_yours, too_many.
    fault put (base::time_ns now, peer_number peer, const wire::provider_view &provider);
    // not_found, not_yours.
    fault drop (peer_number peer,
                std::uint16_t family,
                std::string_view service,
                std::string_view endpoint) noexcept;
    // The instance leaves with all that it has.
    fault close (peer_number peer, wire::removal why = wire::removal_unregistered) noexcept;
    // Its connection broke. Nothing happens when it had opened nothing.
    void peer_gone (base::time_ns now, peer_number peer) noexcept;
    // By who runs the registry, whoever registered it. not_found.
    fault force_out (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept;

    // Somebody was there before the registry began. Its endpoint has been judged; its
    // version does not count. taken: that is known already; too_many.
    fault remember (const wire::provider_view &provider);

    // --- what a store has (registry_store.hpp), from whoever registered it there --

    // Is there from now on, until it is disowned. A record that a provider here has with
    // the same instance stays that provider's; what another has is taken from it. What is
    // known changes nothing. too_many.
    fault adopt (const wire::provider_view &provider);
    // Is not any more; what a provider here has stays. Nothing happens when it is not there.
    void disown (std::uint16_t family,
                 std::string_view service,
                 std::string_view endpoint,
                 wire::removal why) noexcept;

    // 0: it has no session.
    [[nodiscard]] std::uint64_t instance_of (peer_number peer) const noexcept
    {
        const instance *const mine = session_of (peer);
        return mine == nullptr ? 0 : mine->number;
    }
    // Of those that renew from now on.
    void set_lease (base::time_ns length) noexcept;
    // How much may be held; what is above it already stays.
    void set_limit (registry_limit which, std::size_t most) noexcept;
    // When the next lease runs out; never_ns: none.
    [[nodiscard]] base::time_ns next_due () const noexcept { return due_.soonest (); }
    // Removes those whose lease has run out; answers how many instances that were.
    std::size_t expire (base::time_ns now) noexcept;

    // --- what is told -----------------------------------------------------------

    [[nodiscard]] std::uint64_t incarnation () const noexcept { return settings_.incarnation; }
    [[nodiscard]] std::uint64_t revision () const noexcept { return revision_; }
    // Whoever was alive when the registry started has registered.
    [[nodiscard]] bool settled (base::time_ns now) const noexcept { return now >= settles_at (); }
    [[nodiscard]] base::time_ns settles_at () const noexcept
    {
        return settled_early_ ? 0 : settings_.started_ns + settings_.lease_ns + settings_.grace_ns;
    }
    // It is known otherwise that everybody has.
    void settle () noexcept { settled_early_ = true; }

    // Appends entries of a service (empty: all of the family) that have changed behind a
    // position, up to about bytes_max, which one entry may pass. The page that they are
    // is answered without them: its texts are the caller's. Settled is left to the caller.
    [[nodiscard]] wire::registry_message read (std::uint16_t family,
                                               std::string_view service,
                                               const registry_position &behind,
                                               std::size_t bytes_max,
                                               std::vector<std::byte> &entries) const;

    // Calls told (family, service) for each change since a revision, the newest first.
    template <class Told> void for_each_since (std::uint64_t since, Told &&told) const
    {
        for (auto at = all_.rbegin (); at != all_.rend () && (*at)->revision > since; ++at)
            told ((*at)->of->first.first, std::string_view ((*at)->of->first.second));
    }

    [[nodiscard]] std::size_t instances () const noexcept { return instances_.size (); }
    [[nodiscard]] std::size_t providers () const noexcept { return living_; }
    [[nodiscard]] std::size_t services () const noexcept { return services_.size (); }
    // Of records, about: what was asked for, with what each costs beside it.
    [[nodiscard]] std::size_t bytes () const noexcept { return bytes_; }
    // Lines for logs and counters: providers of a service that are there now.
    [[nodiscard]] std::size_t providers_of (std::uint16_t family, std::string_view service) const noexcept;

  private:
    struct record;
    struct instance;
    struct service_entry;
    using record_list = std::list<record *>;
    using place = record_list::iterator;
    using service_key = std::pair<std::uint16_t, std::string>;
    using service_ref = std::pair<std::uint16_t, std::string_view>;
    struct key_less
    {
        using is_transparent = void;
        bool operator() (const auto &a, const auto &b) const noexcept
        {
            return service_ref (a.first, a.second) < service_ref (b.first, b.second);
        }
    };
    using service_map = std::map<service_key, service_entry, key_less>;

    // One provider, there or gone.
    struct record
    {
        service_map::value_type *of = nullptr;
        instance *owner = nullptr;  // null: it is gone
        std::uint64_t instance_number = 0;
        std::uint64_t version = 0;
        std::uint64_t registered_at_ms = 0;
        std::uint64_t revision = 0;
        wire::removal why = wire::removal_unregistered;
        std::string endpoint;
        std::vector<std::byte> octets;       // the entry of a page, while it is there
        place in_all, in_service, in_owner;  // or in gone_
    };
    // Its keys are the records' endpoints.
    struct service_entry
    {
        std::unordered_map<std::string_view, std::unique_ptr<record>> by_endpoint;
        record_list in_order;
        std::uint64_t floor = 0;  // what was gone up to it may be forgotten
        std::size_t living = 0;
    };
    struct instance
    {
        std::uint64_t number = 0;
        token secret{};
        peer_number peer = 0;
        bool connected = false;
        due_heap::slot slot = due_heap::none;
        record_list records;
    };

    [[nodiscard]] instance *session_of (peer_number peer) const noexcept;
    instance &add_instance (std::uint64_t number, const token &secret);
    void reserve_slot ();
    void take_slot (instance &which) noexcept;
    [[nodiscard]] const service_entry *find_service (std::uint16_t family,
                                                     std::string_view service) const noexcept;
    [[nodiscard]] record *
    find (std::uint16_t family, std::string_view service, std::string_view endpoint) const noexcept;
    [[nodiscard]] bool has_room (const instance &owner, bool one_more, std::size_t more_bytes) const noexcept;
    [[nodiscard]] bool may_have (const record &known, const instance &newcomer) const noexcept;
    fault add (instance &owner, const wire::provider_view &provider);
    fault change (record &known, instance &owner, const wire::provider_view &provider);
    void give (record &which, instance &owner) noexcept;
    void fill (record &which, const wire::provider_view &provider, std::vector<std::byte> &octets) noexcept;
    void touch (record &which) noexcept;
    void remove (record &which, wire::removal why) noexcept;
    void remove_instance (instance &which, wire::removal why) noexcept;
    void forget_oldest () noexcept;
    [[nodiscard]] const record_list &
    list_of (std::uint16_t family, std::string_view service, std::uint64_t &floor) const noexcept;
    [[nodiscard]] bool begins_anew (const registry_position &behind, std::uint64_t floor) const noexcept;
    static void append_entry (const record &which, std::vector<std::byte> &entries);

    registry_settings settings_;
    bool settled_early_ = false;
    std::uint64_t revision_ = 0;
    std::uint64_t floor_ = 0;  // of all services
    std::size_t living_ = 0;
    std::size_t bytes_ = 0;
    service_map services_;
    record_list all_;
    record_list nothing_;
    record_list gone_;  // the longest ago first
    std::unordered_map<std::uint64_t, std::unique_ptr<instance>> instances_;
    std::unique_ptr<instance> before_;  // has what is remembered; in no other table than by_slot_
    instance store_;                    // owns what is adopted; nobody's session
    std::unordered_map<peer_number, instance *> sessions_;
    std::vector<instance *> by_slot_;
    std::vector<due_heap::slot> free_slots_;
    due_heap due_;
};

}  // namespace zlink::service

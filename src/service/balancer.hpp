// Which provider of one service gets the next request.
//
// Members are providers by numbers that the caller chooses. One may be picked while
// it is connected, its weight is not 0 and it is not ejected. Who fails several
// times in a row is ejected for a while that doubles each time; then take_probe
// names it, and what the caller hears of the probe brings it back or ejects it anew.
// Ejection never takes the last: where only ejected members are left, they are picked
// as if they were not.
//
// A state machine: no clock, no dice, no lock. pick() looks at every member. Thread
// rule: one thread at a time. Only add() takes memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "service/limits.hpp"

namespace zlink::service {

enum class balancing : std::uint8_t
{
    round_robin,        // each in turn, weights aside
    weighted,           // in turn by weight, the turns of a heavy one spread out
    least_outstanding,  // of two at random, who has less under way for its weight
    by_key,             // equal keys to the same, as long as it is there; without one: as above
    nearest,            // of those on the same host, else in the same zone, as least_outstanding
};

// How far a provider is.
enum class distance : std::uint8_t
{
    same_host,
    same_zone,
    elsewhere,
};
// Empty names are nobody's.
[[nodiscard]] distance distance_between (std::string_view our_host,
                                         std::string_view our_zone,
                                         std::string_view host,
                                         std::string_view zone) noexcept;

struct balancer_settings
{
    balancing policy = balancing::round_robin;
    unsigned failures_to_eject = service::failures_to_eject;
    unsigned outruns_to_doubt = service::outruns_to_doubt;
    base::time_ns eject_first_ns = service::eject_first_ns;
    base::time_ns eject_last_ns = service::eject_last_ns;
};

class balancer
{
  public:
    using member_number = std::uint32_t;

    explicit balancer (const balancer_settings &settings) noexcept : settings_ (settings) {}

    // Adds a member, not connected yet, or changes one. identity: what it is known by to
    // all gateways, so that by_key agrees among them. Throws bad_alloc, and nothing
    // changed.
    void add (member_number number, std::string_view identity, std::uint32_t weight, distance far);
    void remove (member_number number) noexcept;
    void set_connected (member_number number, bool connected) noexcept;
    void set_policy (balancing policy) noexcept { settings_.policy = policy; }

    // Whom to send to; nothing: nobody may be picked. dice is a random number; key
    // counts for by_key; the excluded are not picked. Tell began() of it.
    [[nodiscard]] std::optional<member_number>
    pick (std::uint64_t dice, std::string_view key, std::span<const member_number> excluded = {}) noexcept;
    [[nodiscard]] std::optional<member_number> pick (std::uint64_t dice) noexcept { return pick (dice, {}); }
    // The only member that there is, whom any policy picks; nothing: ask pick ().
    [[nodiscard]] std::optional<member_number> only () const noexcept
    {
        if (members_.size () != 1)
            return std::nullopt;
        const member &one = members_.front ();
        return one.connected && one.weight != 0 && !one.ejected ? std::optional (one.number) : std::nullopt;
    }
    // False: the dice do not count.
    [[nodiscard]] bool draws () const noexcept
    {
        return settings_.policy != balancing::round_robin && settings_.policy != balancing::weighted;
    }

    // A request is under way there, or over; how it ended is told beside it where it
    // says something of the member.
    void began (member_number number) noexcept;
    void ended (member_number number) noexcept;
    void succeeded (member_number number) noexcept;
    void failed (base::time_ns now, member_number number, std::uint64_t dice) noexcept;
    // Another has answered what it has not, and it was told that nobody waits any more: of
    // one that is silent nothing else would ever be heard. After several in a row it is
    // left out as if it were ejected, and probed at once. True: now.
    bool outrun (base::time_ns now, member_number number) noexcept;
    // Something came from it, be it too late.
    void heard (member_number number) noexcept;

    // When somebody ejected is to be probed next; never_ns: nobody. take_probe names
    // one whose time has come; then what came of it is told.
    [[nodiscard]] base::time_ns next_probe () const noexcept;
    [[nodiscard]] std::optional<member_number> take_probe (base::time_ns now) noexcept;
    void probed (base::time_ns now, member_number number, bool well, std::uint64_t dice) noexcept;

    [[nodiscard]] std::size_t size () const noexcept { return members_.size (); }
    [[nodiscard]] std::size_t connected () const noexcept;
    [[nodiscard]] bool ejected (member_number number) const noexcept;
    [[nodiscard]] std::uint32_t outstanding (member_number number) const noexcept;

  private:
    struct member
    {
        member_number number = 0;
        std::uint32_t weight = 1;
        std::uint64_t identity = 0;  // mixed
        distance far = distance::elsewhere;
        bool connected = false;
        bool ejected = false;
        bool probing = false;
        bool doubted = false;    // ejected only until it answers the probe
        unsigned outruns = 0;    // in a row
        unsigned failures = 0;   // in a row
        unsigned ejections = 0;  // since it has last done well
        std::uint32_t outstanding = 0;
        std::int64_t credit = 0;                     // of weighted
        base::time_ns probe_at_ns = base::never_ns;  // while ejected
    };
    // Who may be picked, this once.
    struct field
    {
        bool ejected_too = false;
        distance nearest = distance::elsewhere;
        std::size_t count = 0;
        std::span<const member_number> excluded{};
    };

    [[nodiscard]] const member *find (member_number number) const noexcept;
    [[nodiscard]] member *find (member_number number) noexcept;
    [[nodiscard]] static bool may_be_picked (const member &which, const field &of) noexcept;
    [[nodiscard]] field survey (std::span<const member_number> excluded, bool by_distance) const noexcept;
    [[nodiscard]] member *nth (const field &of, std::size_t at) noexcept;
    [[nodiscard]] member *next_in_turn (const field &of) noexcept;
    [[nodiscard]] member *heaviest_credit (const field &of) noexcept;
    [[nodiscard]] member *less_loaded (const field &of, std::uint64_t dice) noexcept;
    [[nodiscard]] member *of_key (const field &of, std::string_view key) noexcept;
    void eject (base::time_ns now, member &which, std::uint64_t dice) noexcept;

    balancer_settings settings_;
    std::vector<member> members_;
    std::size_t turn_ = 0;           // whose it is
    mutable std::size_t found_ = 0;  // who was looked for last, perhaps
};

}  // namespace zlink::service

#include "service/balancer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace zlink::service {

namespace {

// All bits of the number depend on all bits of what it was (splitmix64).
std::uint64_t mixed (std::uint64_t number) noexcept
{
    number += 0x9E3779B97F4A7C15;
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
    return number ^ (number >> 31);
}

// The same on every machine (FNV-1a).
std::uint64_t digest_of (std::string_view text) noexcept
{
    std::uint64_t digest = 0xCBF29CE484222325;
    for (const char each : text)
        digest = (digest ^ static_cast<unsigned char> (each)) * 0x100000001B3;
    return mixed (digest);
}

// The member with the highest has the key: that weight of all keys, and if it goes,
// only its own move.
double score_of (std::uint64_t identity, std::uint64_t key, std::uint32_t weight) noexcept
{
    constexpr double steps = 9007199254740992.0;  // 2^53
    const double drawn = (static_cast<double> (mixed (identity ^ key) >> 11) + 0.5) / steps;
    return -static_cast<double> (weight) / std::log (drawn);
}

// Below end, from half of a random number.
std::size_t below (std::uint64_t half, std::size_t end) noexcept
{
    return static_cast<std::size_t> (((half & 0xFFFFFFFF) * end) >> 32);
}

}  // namespace

distance distance_between (std::string_view our_host,
                           std::string_view our_zone,
                           std::string_view host,
                           std::string_view zone) noexcept
{
    if (!host.empty () && host == our_host)
        return distance::same_host;
    return !zone.empty () && zone == our_zone ? distance::same_zone : distance::elsewhere;
}

// --- members -----------------------------------------------------------------------

const balancer::member *balancer::find (member_number number) const noexcept
{
    if (found_ < members_.size () && members_[found_].number == number) [[likely]]
        return &members_[found_];
    const auto found = std::find_if (members_.begin (), members_.end (),
                                     [number] (const member &each) { return each.number == number; });
    if (found == members_.end ())
        return nullptr;
    found_ = static_cast<std::size_t> (found - members_.begin ());
    return &*found;
}

balancer::member *balancer::find (member_number number) noexcept
{
    return const_cast<member *> (std::as_const (*this).find (number));
}

void balancer::add (member_number number, std::string_view identity, std::uint32_t weight, distance far)
{
    member *which = find (number);
    if (which == nullptr) {
        which = &members_.emplace_back ();
        which->number = number;
    }
    which->identity = digest_of (identity);
    which->weight = weight;
    which->far = far;
}

void balancer::remove (member_number number) noexcept
{
    const member *const which = find (number);
    if (which == nullptr)
        return;
    const auto at = static_cast<std::size_t> (which - members_.data ());
    members_.erase (members_.begin () + static_cast<std::ptrdiff_t> (at));
    if (turn_ > at)
        --turn_;
}

void balancer::set_connected (member_number number, bool connected) noexcept
{
    member *const which = find (number);
    if (which == nullptr || which->connected == connected)
        return;
    which->connected = connected;
    which->credit = 0;
    if (!connected)
        which->probing = false;
}

std::size_t balancer::connected () const noexcept
{
    return static_cast<std::size_t> (
      std::count_if (members_.begin (), members_.end (), [] (const member &each) { return each.connected; }));
}

bool balancer::ejected (member_number number) const noexcept
{
    const member *const which = find (number);
    return which != nullptr && which->ejected;
}

std::uint32_t balancer::outstanding (member_number number) const noexcept
{
    const member *const which = find (number);
    return which == nullptr ? 0 : which->outstanding;
}

// --- picking -----------------------------------------------------------------------

bool balancer::may_be_picked (const member &which, const field &of) noexcept
{
    return which.connected && which.weight != 0 && which.far <= of.nearest
           && (of.ejected_too || !which.ejected)
           && std::find (of.excluded.begin (), of.excluded.end (), which.number) == of.excluded.end ();
}

balancer::field balancer::survey (std::span<const member_number> excluded, bool by_distance) const noexcept
{
    field of;
    of.excluded = excluded;
    const auto good = [&of] (const member &each) { return may_be_picked (each, of); };
    of.ejected_too = std::none_of (members_.begin (), members_.end (), good);
    if (by_distance)
        for (const distance each : {distance::same_zone, distance::same_host}) {
            field nearer = of;
            nearer.nearest = each;
            if (std::any_of (members_.begin (), members_.end (),
                             [&nearer] (const member &one) { return may_be_picked (one, nearer); }))
                of = nearer;
        }
    of.count = static_cast<std::size_t> (std::count_if (members_.begin (), members_.end (), good));
    return of;
}

std::optional<balancer::member_number>
balancer::pick (std::uint64_t dice, std::string_view key, std::span<const member_number> excluded) noexcept
{
    if (settings_.policy == balancing::round_robin && excluded.empty ())
        if (const member *const next = next_in_turn ({}); next != nullptr) [[likely]]
            return next->number;
    const field of = survey (excluded, settings_.policy == balancing::nearest);
    if (of.count == 0)
        return std::nullopt;
    member *picked = nullptr;
    if (settings_.policy == balancing::round_robin)
        picked = next_in_turn (of);
    else if (settings_.policy == balancing::weighted)
        picked = heaviest_credit (of);
    else if (settings_.policy == balancing::by_key && !key.empty ())
        picked = of_key (of, key);
    else
        picked = less_loaded (of, dice);
    return picked == nullptr ? std::nullopt : std::optional (picked->number);
}

balancer::member *balancer::nth (const field &of, std::size_t at) noexcept
{
    for (member &each : members_)
        if (may_be_picked (each, of) && at-- == 0)
            return &each;
    return nullptr;
}

balancer::member *balancer::next_in_turn (const field &of) noexcept
{
    std::size_t at = turn_;
    for (std::size_t step = 0; step < members_.size (); ++step, ++at) {
        at = at < members_.size () ? at : 0;
        if (may_be_picked (members_[at], of)) {
            turn_ = at + 1;
            return &members_[at];
        }
    }
    return nullptr;
}

// Each gets its weight, the one that has the most pays for all: turns are as even as
// they can be, and add up to the weights.
balancer::member *balancer::heaviest_credit (const field &of) noexcept
{
    member *heaviest = nullptr;
    std::int64_t all = 0;
    for (member &each : members_) {
        if (!may_be_picked (each, of))
            continue;
        all += each.weight;
        each.credit += each.weight;
        if (heaviest == nullptr || each.credit > heaviest->credit)
            heaviest = &each;
    }
    if (heaviest != nullptr)
        heaviest->credit -= all;
    return heaviest;
}

balancer::member *balancer::less_loaded (const field &of, std::uint64_t dice) noexcept
{
    const std::size_t first = below (dice, of.count);
    member *const one = nth (of, first);
    if (of.count == 1)
        return one;
    std::size_t second = below (dice >> 32, of.count - 1);
    second += second >= first ? 1 : 0;
    member *const other = nth (of, second);
    const std::uint64_t load_of_one = (std::uint64_t{one->outstanding} + 1) * other->weight;
    const std::uint64_t load_of_other = (std::uint64_t{other->outstanding} + 1) * one->weight;
    return load_of_other < load_of_one ? other : one;
}

balancer::member *balancer::of_key (const field &of, std::string_view key) noexcept
{
    const std::uint64_t digest = digest_of (key);
    member *best = nullptr;
    double best_score = 0;
    for (member &each : members_) {
        if (!may_be_picked (each, of))
            continue;
        const double score = score_of (each.identity, digest, each.weight);
        if (best == nullptr || score > best_score) {
            best = &each;
            best_score = score;
        }
    }
    return best;
}

// --- how it goes -------------------------------------------------------------------

void balancer::began (member_number number) noexcept
{
    if (member *const which = find (number); which != nullptr)
        ++which->outstanding;
}

void balancer::ended (member_number number) noexcept
{
    if (member *const which = find (number); which != nullptr && which->outstanding > 0)
        --which->outstanding;
}

void balancer::succeeded (member_number number) noexcept
{
    member *const which = find (number);
    if (which == nullptr)
        return;
    which->failures = which->outruns = 0;
    which->ejections = 0;
    which->ejected = which->probing = which->doubted = false;
    which->probe_at_ns = base::never_ns;
}

void balancer::failed (base::time_ns now, member_number number, std::uint64_t dice) noexcept
{
    member *const which = find (number);
    if (which != nullptr && ++which->failures >= settings_.failures_to_eject && !which->ejected)
        eject (now, *which, dice);
}

bool balancer::outrun (base::time_ns now, member_number number) noexcept
{
    member *const which = find (number);
    if (which == nullptr || ++which->outruns < settings_.outruns_to_doubt || which->ejected)
        return false;
    which->ejected = which->doubted = true;
    which->probing = false;
    which->probe_at_ns = now;
    return true;
}

void balancer::heard (member_number number) noexcept
{
    if (member *const which = find (number); which != nullptr)
        which->outruns = 0;
}

void balancer::eject (base::time_ns now, member &which, std::uint64_t dice) noexcept
{
    constexpr unsigned doublings_max = 30;
    base::time_ns pause = settings_.eject_first_ns;
    for (unsigned i = 0; i < std::min (which.ejections, doublings_max) && pause < settings_.eject_last_ns;
         ++i)
        pause *= 2;
    pause = std::min (pause, settings_.eject_last_ns);
    pause += static_cast<base::time_ns> (below (dice, static_cast<std::size_t> (pause / 4 + 1)));
    which.ejected = true;
    which.probing = which.doubted = false;
    which.probe_at_ns = now + pause;
    which.credit = 0;
    ++which.ejections;
}

base::time_ns balancer::next_probe () const noexcept
{
    base::time_ns soonest = base::never_ns;
    for (const member &each : members_)
        if (each.ejected && !each.probing && each.connected)
            soonest = std::min (soonest, each.probe_at_ns);
    return soonest;
}

std::optional<balancer::member_number> balancer::take_probe (base::time_ns now) noexcept
{
    for (member &each : members_)
        if (each.ejected && !each.probing && each.connected && each.probe_at_ns <= now) {
            each.probing = true;
            return each.number;
        }
    return std::nullopt;
}

void balancer::probed (base::time_ns now, member_number number, bool well, std::uint64_t dice) noexcept
{
    member *const which = find (number);
    if (which == nullptr || !which->ejected)
        return;
    if (!well) {
        eject (now, *which, dice);
        return;
    }
    which->ejected = which->probing = false;
    which->probe_at_ns = base::never_ns;
    which->outruns = 0;
    // On trial: the next failure ejects it for longer than the last one did.
    if (!std::exchange (which->doubted, false))
        which->failures = settings_.failures_to_eject - 1;
}

}  // namespace zlink::service

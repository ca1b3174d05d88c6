#include "service/spot_mesh.hpp"

#include <algorithm>
#include <utility>

#include "service/limits.hpp"

namespace zlink::service {

using base::time_ns;

namespace {

constexpr unsigned bit_of (spot_source from) noexcept { return static_cast<unsigned> (from); }

}  // namespace

void spot_mesh::act (action::kind what, std::string_view endpoint, std::uint64_t node)
{
    actions_.push_back ({what, std::string (endpoint), node});
}

bool spot_mesh::is_own (std::string_view endpoint) const noexcept
{
    return std::ranges::find (own_, endpoint) != own_.end ();
}

void spot_mesh::be_member ()
{
    if (member_)
        return;
    for (auto &[node, known] : nodes_)
        if (known.presences != 0)
            welcome (known.since_ns, node, known);
    member_ = true;
}

bool spot_mesh::leave ()
{
    if (!member_)
        return false;
    member_ = false;
    for (auto &[node, known] : nodes_)
        known.endpoint.clear ();
    std::vector<std::string> all;
    for (const auto &[endpoint, sources] : wanted_)
        all.push_back (endpoint);
    for (const std::string &each : all)
        for (const spot_source from : {spot_source::seed, spot_source::member})
            (void)remove (each, from);
    return true;
}

bool spot_mesh::add (std::string_view endpoint, spot_source from)
{
    if (from == spot_source::seed)
        be_member ();
    if (is_own (endpoint))
        return false;
    const auto [at, fresh] = wanted_.try_emplace (std::string (endpoint), 0u);
    const unsigned before = std::exchange (at->second, at->second | bit_of (from));
    const auto parting = parting_.find (endpoint);
    if (parting != parting_.end ())
        parting_.erase (parting);
    else if (fresh)
        act (action::kind::dial, endpoint, 0);
    return before != at->second;
}

bool spot_mesh::remove (std::string_view endpoint, spot_source from)
{
    const auto at = wanted_.find (endpoint);
    if (at == wanted_.end () || (at->second & bit_of (from)) == 0)
        return false;
    if (unwant (endpoint, from))
        act (action::kind::hang_up, endpoint, 0);
    return true;
}

void spot_mesh::let_go (time_ns now, std::string_view endpoint, spot_source from)
{
    if (!unwant (endpoint, from))
        return;
    if (parting_.size () < spot_nodes_max)
        parting_.insert_or_assign (std::string (endpoint), now + spot_parting_ns);
    else
        act (action::kind::hang_up, endpoint, 0);
}

bool spot_mesh::unwant (std::string_view endpoint, spot_source from)
{
    const auto at = wanted_.find (endpoint);
    if (at == wanted_.end ())
        return false;
    at->second &= ~bit_of (from);
    if (at->second != 0)
        return false;
    wanted_.erase (at);
    return true;
}

void spot_mesh::own (std::string_view endpoint)
{
    own_.emplace_back (endpoint);
    const auto same = [endpoint] (const auto &each) { return each.first == endpoint; };
    if (std::erase_if (wanted_, same) + std::erase_if (parting_, same) != 0)
        act (action::kind::hang_up, endpoint, 0);
}

// The last endpoint that we hear of is the one.
void spot_mesh::reach (time_ns now, known_node &which, std::string_view endpoint)
{
    if (endpoint == which.endpoint)
        return;
    give_up (now, which);
    which.endpoint = endpoint;
    (void)add (endpoint, spot_source::member);
}

// Unless another node is there now.
void spot_mesh::give_up (time_ns now, const known_node &which)
{
    const auto shares = [&which] (const auto &each) {
        return &each.second != &which && each.second.endpoint == which.endpoint;
    };
    if (!which.endpoint.empty () && std::ranges::none_of (nodes_, shares))
        let_go (now, which.endpoint, spot_source::member);
}

void spot_mesh::present (time_ns now, std::uint64_t node, std::string_view endpoint)
{
    if (node == self_ || (nodes_.size () >= spot_nodes_max && !nodes_.contains (node)))
        return;
    known_node &known = nodes_[node];
    known.since_ns = now;
    if (known.presences++ == 0)
        act (action::kind::came, endpoint, node);
    if (endpoint.empty () && !known.said.empty ()) {
        give_up (now, known);
        known.endpoint.clear ();
    }
    known.said = endpoint;
    if (member_)
        welcome (now, node, known);
}

// Of a node that is there: who can be reached is.
void spot_mesh::welcome (time_ns now, std::uint64_t node, known_node &which)
{
    if (which.said.empty ())
        return;
    reach (now, which, which.said);
    act (action::kind::introduce, which.said, node);
}

void spot_mesh::absent (time_ns now, std::uint64_t node, std::string_view endpoint)
{
    const auto at = nodes_.find (node);
    if (at == nodes_.end () || at->second.presences == 0 || --at->second.presences != 0)
        return;
    at->second.since_ns = now;
    act (action::kind::gone, endpoint, node);
}

void spot_mesh::told_of (time_ns now, std::uint64_t node, std::string_view endpoint)
{
    if (node == self_ || !member_ || nodes_.size () >= spot_nodes_max || actions_.size () >= spot_actions_max)
        return;
    known_node &known = nodes_[node];
    if (known.presences != 0)
        return;  // it says itself where it is, if it is to be known
    known.since_ns = now;
    reach (now, known, endpoint);
}

time_ns spot_mesh::advance (time_ns now)
{
    time_ns soonest = base::never_ns;
    for (auto at = nodes_.begin (); at != nodes_.end ();) {
        const known_node &each = at->second;
        if (each.presences == 0 && each.since_ns + spot_forget_ns <= now) {
            give_up (now, each);
            at = nodes_.erase (at);
            continue;
        }
        if (each.presences == 0)
            soonest = std::min (soonest, each.since_ns + spot_forget_ns);
        ++at;
    }
    return std::min (soonest, hang_up_parted (now));
}

time_ns spot_mesh::hang_up_parted (time_ns now)
{
    time_ns soonest = base::never_ns;
    std::erase_if (parting_, [&] (const auto &each) {
        const auto &[endpoint, until] = each;
        if (until > now) {
            soonest = std::min (soonest, until);
            return false;
        }
        act (action::kind::hang_up, endpoint, 0);
        return true;
    });
    return soonest;
}

std::vector<spot_mesh::action> spot_mesh::take_actions () { return std::exchange (actions_, {}); }

std::vector<spot_mesh::member> spot_mesh::members () const
{
    std::vector<member> all;
    for (const auto &[node, known] : nodes_)
        if (known.presences != 0 && !known.endpoint.empty ())
            all.push_back ({node, known.endpoint});
    return all;
}

std::vector<std::uint64_t> spot_mesh::present () const
{
    std::vector<std::uint64_t> all;
    for (const auto &[node, known] : nodes_)
        if (known.presences != 0)
            all.push_back (node);
    return all;
}

std::size_t spot_mesh::present_count () const noexcept
{
    return static_cast<std::size_t> (
      std::ranges::count_if (nodes_, [] (const auto &each) { return each.second.presences != 0; }));
}

}  // namespace zlink::service

#include "service/spot_mesh.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "service/limits.hpp"

namespace zlink::service {

using base::time_ns;

namespace {

constexpr unsigned bit_of (spot_source from) noexcept { return static_cast<unsigned> (from); }

bool has (const std::vector<std::string> &all, std::string_view endpoint) noexcept
{
    return std::ranges::find (all, endpoint) != all.end ();
}

}  // namespace

void spot_mesh::act (action::kind what, std::string_view endpoint, std::uint64_t node)
{
    actions_.push_back ({what, std::string (endpoint), node});
}

bool spot_mesh::is_own (std::string_view endpoint) const noexcept { return has (own_, endpoint); }

void spot_mesh::be_member ()
{
    if (member_)
        return;
    for (auto &[node, known] : nodes_) {
        if (!known.is_there ())
            continue;
        follow (known.since_ns, known);
        if (!known.endpoints.empty ())
            act (action::kind::introduce, known.endpoints.back (), node);
    }
    member_ = true;
}

bool spot_mesh::leave ()
{
    if (!member_)
        return false;
    member_ = false;
    for (auto &[node, known] : nodes_)
        known.endpoints.clear ();
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
    if (const auto at = wanted_.find (endpoint); at != wanted_.end ()) {
        const unsigned before = std::exchange (at->second, at->second | bit_of (from));
        return before != at->second;
    }
    const auto parting = parting_.find (endpoint);
    if (parting == parting_.end ())
        act (action::kind::dial, endpoint, 0);
    try {
        wanted_.emplace (std::string (endpoint), bit_of (from));
    } catch (const std::bad_alloc &) {
        if (parting == parting_.end ())
            actions_.pop_back ();
        throw;
    }
    if (parting != parting_.end ())
        parting_.erase (parting);
    return true;
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

// Who is there is read everywhere that it says, so that nobody takes it away who says something
// else in its name.
void spot_mesh::follow (time_ns now, known_node &which)
{
    std::vector<std::string> all;
    for (const std::string &each : which.said) {
        if (each.empty () || has (all, each))
            continue;
        all.push_back (each);
        (void)add (each, spot_source::member);
    }
    all.swap (which.endpoints);
    give_up (now, all);
}

// Unless a node is there.
void spot_mesh::give_up (time_ns now, const std::vector<std::string> &endpoints)
{
    for (const std::string &each : endpoints)
        if (std::ranges::none_of (nodes_, [&] (const auto &any) { return has (any.second.endpoints, each); }))
            let_go (now, each, spot_source::member);
}

void spot_mesh::present (time_ns now, std::uint64_t node, std::string_view endpoint)
{
    if (node == self_ || (nodes_.size () >= spot_nodes_max && !nodes_.contains (node)))
        return;
    known_node &known = nodes_[node];
    if (known.said.size () >= spot_presences_max)
        return;
    known.since_ns = now;
    known.said.emplace_back (endpoint);
    try {
        if (known.said.size () == 1)
            act (action::kind::came, endpoint, node);
        if (!member_)
            return;
        follow (now, known);
        if (!endpoint.empty ())
            act (action::kind::introduce, endpoint, node);
    } catch (const std::bad_alloc &) {
        known.said.pop_back ();  // it is told again
        throw;
    }
}

// Where the last that it said was is known until it is forgotten.
void spot_mesh::absent (time_ns now, std::uint64_t node, std::string_view endpoint)
{
    const auto at = nodes_.find (node);
    if (at == nodes_.end ())
        return;
    known_node &known = at->second;
    const auto said = std::ranges::find (known.said, endpoint);
    if (said == known.said.end ())
        return;
    std::string last = std::move (*said);
    known.said.erase (said);
    try {
        if (!known.is_there ())
            act (action::kind::gone, endpoint, node);
        else if (member_)
            follow (now, known);
    } catch (const std::bad_alloc &) {
        known.said.push_back (std::move (last));  // it is told again, and there is room
        throw;
    }
    if (!known.is_there ())
        known.since_ns = now;
}

// The last endpoint that we hear of is the one.
void spot_mesh::told_of (time_ns now, std::uint64_t node, std::string_view endpoint)
{
    if (node == self_ || !member_ || nodes_.size () >= spot_nodes_max || actions_.size () >= spot_actions_max)
        return;
    known_node &known = nodes_[node];
    if (known.is_there ())
        return;  // it says itself where it is, if it is to be known
    known.since_ns = now;
    if (has (known.endpoints, endpoint))
        return;
    std::vector<std::string> all{std::string (endpoint)};
    (void)add (endpoint, spot_source::member);
    all.swap (known.endpoints);
    give_up (now, all);
}

time_ns spot_mesh::advance (time_ns now)
{
    time_ns soonest = base::never_ns;
    for (auto at = nodes_.begin (); at != nodes_.end ();) {
        known_node &each = at->second;
        if (!each.is_there () && each.since_ns + spot_forget_ns <= now) {
            const std::vector<std::string> endpoints = std::move (each.endpoints);
            at = nodes_.erase (at);
            give_up (now, endpoints);
            continue;
        }
        if (!each.is_there ())
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

void spot_mesh::give_back (std::vector<action> undone) noexcept { actions_ = std::move (undone); }

std::vector<spot_mesh::action> spot_mesh::take_actions () noexcept { return std::exchange (actions_, {}); }

std::vector<spot_mesh::member> spot_mesh::members () const
{
    std::vector<member> all;
    for (const auto &[node, known] : nodes_)
        if (known.is_there () && !known.endpoints.empty ())
            all.push_back ({node, known.endpoints.front ()});
    return all;
}

std::vector<std::uint64_t> spot_mesh::present () const
{
    std::vector<std::uint64_t> all;
    for (const auto &[node, known] : nodes_)
        if (known.is_there ())
            all.push_back (node);
    return all;
}

std::size_t spot_mesh::present_count () const noexcept
{
    return static_cast<std::size_t> (
      std::ranges::count_if (nodes_, [] (const auto &each) { return each.second.is_there (); }));
}

}  // namespace zlink::service

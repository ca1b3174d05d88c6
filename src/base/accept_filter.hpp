// Whom a listener accepts: filters that add up. Without any, everybody; else
// whoever one of them matches. Those of addresses are for peers that have
// one, those of processes, users and groups for peers of the same host.
//
// A plain value. Each list is bounded; nothing here asks the system.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ip_number.hpp"

namespace zlink::base {

// Of one kind; more are refused.
inline constexpr std::size_t accept_filters_max = 4096;

// Numbers of processes, of users or of groups.
using id_list = std::vector<std::uint32_t>;
using ip_range_list = std::vector<ip_range>;

struct accept_filter
{
    ip_range_list addresses;
    id_list processes;
    id_list users;
    id_list groups;

    [[nodiscard]] bool asks_who () const noexcept
    {
        return !processes.empty () || !users.empty () || !groups.empty ();
    }
    [[nodiscard]] bool admits (const ip_number &peer) const noexcept
    {
        return addresses.empty ()
               || std::ranges::any_of (addresses, [&] (const ip_range &each) { return each.holds (peer); });
    }
};

// Once each. False: the list is full. Throws bad_alloc, and nothing changed.
template <class T> [[nodiscard]] bool add_filter (std::vector<T> &to, const T &one)
{
    if (std::ranges::find (to, one) != to.end ())
        return true;
    if (to.size () >= accept_filters_max)
        return false;
    to.push_back (one);
    return true;
}

}  // namespace zlink::base

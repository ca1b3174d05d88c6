#include "platform/peer_admission.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <new>
#include <span>
#include <sys/socket.h>
#include <sys/types.h>

namespace zlink::platform {

namespace {

// A process is rarely in more groups; with more, memory is taken for them.
constexpr std::size_t groups_at_first = 64;

bool holds (const base::id_list &list, std::uint32_t id) noexcept
{
    return std::ranges::find (list, id) != list.end ();
}

// How many of the peer's further groups there are in the room; nothing and
// size_bytes grown when there are more.
std::size_t read_groups (int socket, std::span<gid_t> room, socklen_t &size_bytes) noexcept
{
    size_bytes = static_cast<socklen_t> (room.size_bytes ());
    if (::getsockopt (socket, SOL_SOCKET, SO_PEERGROUPS, room.data (), &size_bytes) != 0)
        return 0;
    return size_bytes / sizeof (gid_t);
}

bool is_in_further_group (int socket, const base::id_list &groups) noexcept
{
    const auto wanted = [&] (gid_t each) { return holds (groups, each); };
    std::array<gid_t, groups_at_first> some{};
    socklen_t size = 0;
    std::size_t count = read_groups (socket, some, size);
    if (size <= sizeof some)
        return std::any_of (some.begin (), some.begin () + static_cast<long> (count), wanted);
    const std::size_t all = size / sizeof (gid_t);
    const std::unique_ptr<gid_t[]> more (new (std::nothrow) gid_t[all]);
    if (more == nullptr)
        return false;
    count = read_groups (socket, {more.get (), all}, size);
    return std::any_of (more.get (), more.get () + count, wanted);
}

bool is_admitted_process (int socket, const base::accept_filter &admits) noexcept
{
    ucred who{};
    socklen_t size = sizeof who;
    if (::getsockopt (socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || size != sizeof who)
        return false;
    return holds (admits.users, who.uid) || holds (admits.groups, who.gid)
           || holds (admits.processes, static_cast<std::uint32_t> (who.pid))
           || (!admits.groups.empty () && is_in_further_group (socket, admits.groups));
}

}  // namespace

bool is_admitted (int socket, const socket_address &far, const base::accept_filter &admits) noexcept
{
    if (const auto number = far.number ())
        return admits.admits (*number);
    if (far.family () == address_family::local)
        return !admits.asks_who () || is_admitted_process (socket, admits);
    return admits.addresses.empty () && !admits.asks_who ();
}

}  // namespace zlink::platform

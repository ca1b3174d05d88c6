#include "socket/patterns.hpp"

namespace zlink::socket {

const engine::pattern_traits *find_pattern (int type) noexcept
{
    for (const engine::pattern_traits *each : built_patterns ())
        if (each->type == type)
            return each;
    return nullptr;
}

bool numbers_peers (int type) noexcept
{
    return type == static_cast<int> (socket_type::server) || type == static_cast<int> (socket_type::peer);
}

bool sends_routing_id (int type) noexcept
{
    return type == static_cast<int> (socket_type::req) || type == static_cast<int> (socket_type::dealer)
           || type == static_cast<int> (socket_type::router);
}

bool connects_once (header by, int type) noexcept
{
    switch (static_cast<socket_type> (type)) {
    case socket_type::dealer:
        return true;
    case socket_type::router:
        return by == header::zlink;
    case socket_type::req:
    case socket_type::pub:
    case socket_type::sub:
        return by == header::zmq;
    default:
        return false;
    }
}

}  // namespace zlink::socket

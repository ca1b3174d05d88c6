// Instead of socket_proxy, in a minimal library: no transport leads through a
// proxy (transport/left_out/tcp_way.cpp), so none is met.
// Chosen by src/engine/CMakeLists.txt; contracts and thread rules are those of
// engine/socket_core.hpp.
#include "engine/socket_core.hpp"

namespace zlink::engine {

void socket_core::meet_proxy_locked (connection &which, const base::address &)
{
    attempt_failed_locked (which, base::close_reason::proxy_refused, {errc::not_supported, 0});
}

void socket_core::talk_to_proxy_locked (connection &) noexcept {}

}  // namespace zlink::engine

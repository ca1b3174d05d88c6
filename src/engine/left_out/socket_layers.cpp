// Instead of socket_layers, in a minimal library: nothing is put around a stream
// of the system's, and what else shapes one are datagrams.
// Chosen by src/engine/CMakeLists.txt; contracts and thread rules are those of
// engine/socket_core.hpp.
#include "engine/socket_core.hpp"

namespace zlink::engine {

result<void> socket_core::prepare_layers_locked (
  const base::transport &, bool, std::string_view, std::string_view, crypto::tls_ref<stream_layering> &)
{
    return {};
}

void socket_core::refresh_layers (const crypto::tls_ref<stream_layering> &,
                                  base::world &,
                                  const std::string &) noexcept
{
}

bool socket_core::begin_opening_locked (connection &) { return true; }

bool socket_core::is_opening_locked (const connection &) const noexcept { return false; }

bool socket_core::open_stream_locked (connection &) noexcept { return true; }

void socket_core::settle_stream_locked (connection &) noexcept {}

std::uint32_t socket_core::opening_interest_locked (const connection &) const noexcept { return 0; }

base::close_reason socket_core::why_unreadable (const base::stream &, errc failure) noexcept
{
    return failure == errc::connection_reset ? base::close_reason::connection_reset
                                             : base::close_reason::read_failed;
}

void socket_core::commit_shaped_read_locked (connection &which, bool) noexcept
{
    count_unread_locked (which);
}

void socket_core::commit_shaped_write_locked (connection &which) noexcept { count_unsent_locked (which); }

}  // namespace zlink::engine

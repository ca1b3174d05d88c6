// Instead of socket_secured, in a minimal library: it has NULL alone, and asks
// nobody.
// Chosen by src/engine/CMakeLists.txt; contracts and thread rules are those of
// engine/socket_core.hpp.
#include "engine/socket_core.hpp"

namespace zlink::engine {

errc socket_core::may_serve_locked (std::uint32_t, const base::transport &, std::string_view) noexcept
{
    return errc::ok;
}

result<void> socket_core::allow_keys (std::uint32_t, base::bytes_view) noexcept
{
    return errc::not_supported;
}

result<void> socket_core::allow_passwords (std::uint32_t, base::bytes_view) noexcept
{
    return errc::not_supported;
}

result<void> socket_core::judge_by (std::uint32_t, std::shared_ptr<const policy>) noexcept
{
    return errc::not_supported;
}

void socket_core::forget_list_locked () noexcept {}

bool socket_core::judge_locked (connection &) { return true; }

void socket_core::forget_verdict_locked (connection &) noexcept {}

void socket_core::look_at_answers (std::uint32_t) noexcept {}

bool socket_core::seal_stream_locked (connection &) { return true; }

}  // namespace zlink::engine

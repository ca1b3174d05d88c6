// Instead of security_options, in a minimal library: no such option is found
// (is_built).
// Chosen by src/socket/CMakeLists.txt; contracts are those of
// socket/security_options.hpp.
#include "socket/security_options.hpp"

namespace zlink::socket {

const option_rule *find_security_option (header, int) noexcept { return nullptr; }

base::result<void> set_security (engine::security &, security_value, const void *, std::size_t)
{
    return base::errc::invalid_argument;
}

base::result<void> get_security (const engine::security &, security_value, void *, std::size_t *)
{
    return base::errc::invalid_argument;
}

}  // namespace zlink::socket

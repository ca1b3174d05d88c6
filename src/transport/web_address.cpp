#include "transport/web_address.hpp"

#include <algorithm>

namespace zlink::transport {

using base::errc;
using base::result;

namespace {

bool may_be_in_target (char c) noexcept { return c > ' ' && c <= '~' && c != '#'; }

}  // namespace

result<web_address> parse_web_remote_address (std::string_view text) noexcept
{
    const auto slash = std::min (text.find ('/'), text.size ());
    const web_address found{text.substr (0, slash), text.substr (slash)};
    if (found.target.size () > web_target_bytes_max || !std::ranges::all_of (found.target, may_be_in_target))
        return errc::invalid_argument;
    return found;
}

// What is asked for is compared up to its '?', so none can stand here.
result<web_address> parse_web_listen_address (std::string_view text) noexcept
{
    const auto found = parse_web_remote_address (text);
    if (found && found.value ().target.find ('?') != std::string_view::npos)
        return errc::invalid_argument;
    return found;
}

}  // namespace zlink::transport

#include "transport/udp_address.hpp"

#include <string>
#include <utility>

namespace zlink::transport {

base::result<udp_address> parse_udp_address (std::string_view text, bool binds)
{
    udp_address found;
    if (const auto semicolon = text.rfind (';'); semicolon != text.npos) {
        // A place to be bound without its port.
        auto through = parse_listen_address (std::string (text.substr (0, semicolon)) + ":*");
        if (!through)
            return through.failure ();
        if (!through.value ().any_host && through.value ().host.empty ())
            return base::errc::invalid_argument;
        found.through = std::move (through.value ());
        text.remove_prefix (semicolon + 1);
    }
    auto at = parse_listen_address (text);
    if (!at)
        return at.failure ();
    found.at = std::move (at.value ());
    const bool nowhere = found.at.any_host || found.at.port == 0;
    if ((!found.at.any_host && found.at.host.empty ()) || (nowhere && !binds))
        return base::errc::invalid_argument;
    return found;
}

}  // namespace zlink::transport

#include "transport/tcp_way.hpp"

#include <string>
#include <utility>

namespace zlink::transport {

using base::errc;
using base::result;

namespace {

constexpr std::size_t beyond_host_bytes_max = 255;

}  // namespace

result<way> find_way (std::string_view address, const base::stream_options &options)
{
    auto remote = parse_remote_address (address);
    if (!remote)
        return remote.failure ();
    way found{std::move (remote).value (), {}};
    if (options.proxy.empty ())
        return found;
    auto proxy = parse_remote_address (options.proxy);
    if (!proxy || proxy.value ().source)
        return errc::invalid_argument;
    found.beyond = std::exchange (found.to.target, std::move (proxy.value ().target));
    if (found.beyond.host.size () > beyond_host_bytes_max
        || found.beyond.host.find ('%') != std::string::npos)
        return errc::invalid_argument;
    return found;
}

}  // namespace zlink::transport

// Instead of tcp_way, in a minimal library: there is no way through a proxy.
// Chosen by src/transport/CMakeLists.txt; contracts and thread rules are those of
// transport/tcp_way.hpp.
#include "transport/tcp_way.hpp"

#include <utility>

namespace zlink::transport {

base::result<way> find_way (std::string_view address, const base::stream_options &options)
{
    if (!options.proxy.empty ())
        return base::errc::not_supported;
    auto remote = parse_remote_address (address);
    if (!remote)
        return remote.failure ();
    return way{std::move (remote).value (), {}};
}

}  // namespace zlink::transport

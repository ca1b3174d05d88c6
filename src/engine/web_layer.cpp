#include "engine/web_layer.hpp"

#include <string>
#include <utility>

#include "engine/ws_stream.hpp"
#include "wire/sealing.hpp"
#include "wire/zws.hpp"

namespace zlink::engine {

namespace {

// As a URL has it: numbers of IPv6 in brackets, without a zone, and no port that is
// the scheme's own.
std::string host_of (const base::stream_layers &around)
{
    std::string host = around.host.substr (0, around.host.find ('%'));
    if (host.find (':') != std::string::npos) {
        host.insert (host.begin (), '[');
        host.push_back (']');
    }
    if (around.port != (around.tls ? "443" : "80"))
        host.append (":").append (around.port);
    return host;
}

}  // namespace

std::unique_ptr<base::stream>
put_into_web (std::unique_ptr<base::stream> inside, const web_layer &how, bool &is_web)
{
    ws_wish wish;
    wish.role = how.dialled ? wire::ws_role::client : wire::ws_role::server;
    wish.bare = how.bare;
    if (!how.bare)
        wish.protocols = wire::zws_protocols (how.secured);
    // What is sealed is somewhat larger; who opens it looks at the rest.
    const bool sealed = how.secured.mechanism == wire::mechanism_kind::curve;
    if (how.message_bytes_max >= 0)
        wish.message_bytes_max =
          how.message_bytes_max + (sealed ? static_cast<std::int64_t> (wire::sealing_body_bytes) : 0);
    wish.target = how.around.target;
    if (how.dialled) {
        wish.host = host_of (how.around);
        if (wish.target.empty ())
            wish.target.assign (1, '/');
    }
    auto made =
      std::make_unique<ws_stream> (std::move (inside), std::move (wish), how.secrets, how.out, how.in);
    is_web = true;
    return made;
}

wire::session_start start_of_web (const base::stream &opened) noexcept
{
    const std::string_view protocol = static_cast<const ws_stream &> (opened).protocol ();
    if (protocol.empty ())
        return wire::session_start::greeting;
    return wire::zws_protocol_of (protocol) == wire::zws_protocol::bare ? wire::session_start::identities
                                                                        : wire::session_start::commands;
}

void tell_web_of_older_peer (base::stream &opened) noexcept
{
    static_cast<ws_stream &> (opened).peer_is_older ();
}

}  // namespace zlink::engine

// Endpoints as users and files of settings spell them: what stands behind
// tcp:// and ipc://.
//
// Promised: no text ends the process; what is accepted keeps the grammar and is
// read again to the same when it is written again.
#include <algorithm>
#include <string>

#include "base/fuzz_target.hpp"
#include "transport/ipc.hpp"
#include "transport/tcp_address.hpp"

namespace zlink::fuzz {
namespace {

using transport::host_and_port;

std::string written (const host_and_port &address)
{
    std::string host = address.any_host ? "*" : address.host;
    if (host.find (':') != host.npos)
        host = '[' + host + ']';
    return host + ':' + std::to_string (address.port);
}

bool same (const host_and_port &a, const host_and_port &b)
{
    return a.host == b.host && a.any_host == b.any_host && a.port == b.port;
}

void check_host (const host_and_port &address)
{
    require (!address.any_host || address.host.empty ());
    require (std::all_of (address.host.begin (), address.host.end (),
                          [] (char c) { return c > ' ' && c <= '~' && c != '[' && c != ']' && c != ';'; }));
    const auto again = transport::parse_listen_address (written (address));
    require (again.ok () && same (again.value (), address));
}

void check_tcp (std::string_view text)
{
    if (const auto listen = transport::parse_listen_address (text); listen.ok ())
        check_host (listen.value ());
    const auto remote = transport::parse_remote_address (text);
    if (!remote.ok ())
        return;
    const host_and_port &target = remote.value ().target;
    require (!target.any_host && !target.host.empty () && target.port != 0);
    check_host (target);
    if (remote.value ().source)
        check_host (*remote.value ().source);
    require (transport::parse_listen_address (text).ok () != remote.value ().source.has_value ());
}

// Asks nobody and makes nothing.
void check_ipc (std::string_view text)
{
    transport::ipc local;
    const base::resolve_result found = local.resolve (text, {});
    require (found.addresses.empty () == !local.check_remote (text, {}).ok ());
    require (found.addresses.size () <= 1);
    for (const base::address &each : found.addresses) {
        require (each.text.starts_with ("ipc://") && !text.empty () && text != "*" && text != "@");
        const base::resolve_result again = local.resolve (each.text.substr (6), {});
        require (again.addresses.size () == 1 && again.addresses[0].raw == each.raw);
    }
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    const std::string_view text = zlink::base::as_text (input_of (data, size));
    check_tcp (text);
    check_ipc (text);
    return 0;
}

// A handshake with PLAIN or CURVE against any peer. The first octet chooses our
// end and what the handler says, the rest is what the peer sends behind a good
// greeting; where an octet of the second half of its choice is set, it is made
// of whole commands: a length, then so many octets.
//
// Promised: a session that failed has a reason and keeps nothing; one that asks
// has something to show; nobody gets in whom nobody has let in.
#include <string>

#include "base/fuzz_target.hpp"
#include "wire/test_mechanism.hpp"

namespace zlink::fuzz {
namespace {

using namespace wire;
using namespace wire::test;

security security_of (unsigned choice)
{
    static const key_pair server (1000);
    static const key_pair client (2000);
    switch (choice & 3) {
    case 0:
        return plain_client ();
    case 1:
        return plain_server ();
    case 2:
        return curve_client (client, server.open);
    default:
        return curve_server (server);
    }
}

std::string spoken (unsigned choice, base::bytes_view rest)
{
    if ((choice & 0x80) == 0)
        return std::string (base::as_text (rest));
    decisions from (rest);
    std::string octets;
    while (from.any ())
        octets += frame (4, base::as_text (from.take (from.octet ())));
    return octets;
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    if (size < 1)
        return 0;
    const unsigned choice = data[0];
    const security how = security_of (choice);
    counting_entropy dice;
    session ours (end_of (socket_type::dealer, how, &dice));
    const std::string peer = greeting_of (3, 1, std::string (mechanism_name (how.mechanism)))
                             + spoken (choice, input_of (data + 1, size - 1));
    ours.start ();
    bool let_in = false;
    std::size_t at = 0;
    while (ours.status () == session_status::need_more && at < peer.size ()) {
        std::size_t used = 0;
        (void)ours.feed (as_bytes (std::string_view (peer).substr (at, 1 + (choice >> 2 & 7) * 40)), used);
        at += used;
        if (!ours.wants_verdict ())
            continue;
        require (!ours.credentials_shown ().parts.empty ());
        let_in = (choice & 0x40) != 0;
        if (let_in)
            (void)ours.admit ();
        else
            ours.refuse (400);
    }
    const bool failed = ours.status () == session_status::failed;
    require (failed == (ours.reason () != zlink::base::close_reason::none));
    require (!failed || (ours.peer_metadata ().empty () && ours.peer_identity ().empty ()));
    require (ours.status () != session_status::ready || !how.as_server || let_in);
    return 0;
}

// A whole handshake against any peer. The first octet of the input chooses our
// end, the second how the rest is cut; the rest is what the peer sends.
//
// Promised: however the bytes are cut, the session ends the same way, says the
// same, and stops at the same octet; one that waits has taken everything; one
// that is ready knows a peer that goes with us.
#include <algorithm>
#include <string>

#include "base/fuzz_target.hpp"
#include "wire/session.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_view;
using wire::session;
using wire::session_config;
using wire::session_status;

session_config end_of (unsigned choice)
{
    session_config config;
    config.type = *wire::socket_type_from_number (static_cast<int> (choice % wire::socket_type_count));
    config.secured.domain = (choice & 0x80) == 0 ? "" : "asks";
    config.order = (choice & 0x40) != 0 ? wire::ready_order::after_peer : wire::ready_order::at_once;
    config.identity = (choice & 0x20) != 0 ? "me" : "";
    config.send_identity = wire::socket_type_sends_identity (config.type);
    return config;
}

struct course
{
    session_status status = session_status::need_more;
    std::size_t consumed = 0;
    std::string sent;
};

course drive (session &ours, bytes_view in, std::size_t piece)
{
    course done;
    const auto drain = [&] {
        done.sent += base::as_text (ours.output ());
        ours.output_drained (ours.output ().size ());
    };
    ours.start ();
    drain ();
    while (done.status == session_status::need_more && done.consumed < in.size ()) {
        const bytes_view offered = in.subspan (done.consumed, std::min (piece, in.size () - done.consumed));
        std::size_t consumed = 0;
        done.status = ours.feed (offered, consumed);
        require (consumed <= offered.size ());
        require (done.status != session_status::need_more || consumed == offered.size ());
        done.consumed += consumed;
        drain ();
    }
    return done;
}

void check_facts (const session &ours, session_status status, unsigned choice)
{
    const bool failed = status == session_status::failed;
    require (failed == (ours.reason () != base::close_reason::none));
    require (!failed || (ours.peer_metadata ().empty () && ours.peer_identity ().empty ()));
    require (ours.peer_identity ().size () <= wire::identity_bytes_max);
    require (ours.reason_text ().size () <= wire::error_reason_bytes_max);
    if (status != session_status::ready)
        return;
    require ((choice & 0x80) == 0 || ours.major () == 3);
    require (ours.peer_socket_type ().has_value () || ours.major () == 1);
    if (ours.peer_socket_type ())
        require (wire::socket_types_compatible (end_of (choice).type, *ours.peer_socket_type ()));
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    if (size < 2)
        return 0;
    const unsigned choice = data[0];
    const std::size_t piece = data[1] + 1u;
    const bytes_view peer = input_of (data + 2, size - 2);

    session whole (end_of (choice));
    const course expected = drive (whole, peer, peer.size ());
    check_facts (whole, expected.status, choice);
    for (const std::size_t cut : {std::size_t{1}, piece}) {
        session ours (end_of (choice));
        const course done = drive (ours, peer, cut);
        require (done.status == expected.status && done.consumed == expected.consumed
                 && done.sent == expected.sent);
        require (ours.reason () == whole.reason () && ours.reason_text () == whole.reason_text ());
        require (ours.peer_identity () == whole.peer_identity ());
        require (ours.peer_metadata ().all () == whole.peer_metadata ().all ());
    }
    return 0;
}

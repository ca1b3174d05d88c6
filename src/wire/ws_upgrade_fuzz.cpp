// An upgrade with an end that says anything. The first octet of the input chooses
// our role and what we ask for, the second how the rest is cut; the rest is what
// the other end says.
//
// Promised: however the octets are cut, it ends the same way, says the same and
// stops at the same octet, within the limits of a head; only a failed one has a
// reason; a server says one whole head, of the status it names; a sub-protocol
// is one of those offered.
#include <algorithm>
#include <optional>
#include <string>

#include "base/fuzz_target.hpp"
#include "wire/ws_upgrade.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_view;
using wire::ws_upgrade_status;

constexpr std::string_view protocols[] = {"chat", "superchat"};
constexpr unsigned as_client = 1;

wire::ws_nonce sample_nonce ()
{
    wire::ws_nonce nonce;
    const bytes_view sample = base::as_bytes ("the sample nonce");
    std::copy_n (sample.begin (), nonce.size (), nonce.begin ());
    return nonce;
}

wire::ws_server_rules rules_of (unsigned choice)
{
    wire::ws_server_rules rules;
    if ((choice & 2) != 0)
        rules.target = "/chat";
    if ((choice & 4) != 0)
        rules.protocols.assign (std::begin (protocols), std::end (protocols));
    if ((choice & 8) != 0)
        rules.origins = {"http://example.com"};
    rules.protocol_optional = (choice & 16) != 0;
    return rules;
}

struct course
{
    ws_upgrade_status status = ws_upgrade_status::need_more;
    std::size_t taken = 0;
    std::string said;
    std::string protocol;
    base::close_reason reason = base::close_reason::none;
    unsigned http_status = 0;
    bool operator== (const course &) const = default;
};

template <class Upgrade> course drive (Upgrade &with, bytes_view in, std::size_t piece)
{
    course done;
    while (done.status == ws_upgrade_status::need_more && done.taken < in.size ()) {
        std::size_t consumed = 0;
        const std::size_t size = std::min (piece, in.size () - done.taken);
        done.status = with.feed (in.subspan (done.taken, size), consumed);
        require (consumed == size || done.status != ws_upgrade_status::need_more);
        done.taken += consumed;
    }
    done.said = base::as_text (with.output ());
    done.protocol = with.protocol ();
    done.reason = with.reason ();
    done.http_status = with.http_status ();
    require (done.taken <= wire::http_head_bytes_max + 1);
    require ((done.status == ws_upgrade_status::failed) == (done.reason != base::close_reason::none));
    return done;
}

course drive_either (unsigned choice, bytes_view in, std::size_t piece)
{
    if ((choice & as_client) == 0) {
        const wire::ws_server_rules rules = rules_of (choice);
        wire::ws_server_upgrade server (rules);
        return drive (server, in, piece);
    }
    const std::size_t offered = (choice & 4) != 0 ? std::size (protocols) : 0;
    wire::ws_client_upgrade client ({.host = "h", .protocols = std::span (protocols).first (offered)},
                                    sample_nonce ());
    return drive (client, in, piece);
}

void check_said (const course &server)
{
    if (server.status == ws_upgrade_status::need_more) {
        require (server.said.empty ());
        return;
    }
    wire::http_head head (wire::http_kind::response);
    std::size_t consumed = 0;
    require (head.feed (base::as_bytes (server.said), consumed) == wire::http_head_status::complete);
    require (head.status () == server.http_status);
    require ((server.http_status == 101) == (server.status == ws_upgrade_status::done));
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    if (size < 2)
        return 0;
    const unsigned choice = data[0];
    const bytes_view peer = input_of (data + 2, size - 2);
    const course whole = drive_either (choice, peer, std::max<std::size_t> (peer.size (), 1));
    if ((choice & as_client) == 0)
        check_said (whole);
    require (whole.protocol.empty ()
             || std::find (std::begin (protocols), std::end (protocols), whole.protocol)
                  != std::end (protocols));
    for (const std::size_t cut : {std::size_t{1}, data[1] + std::size_t{1}})
        require (drive_either (choice, peer, cut) == whole);
    return 0;
}

// A client of a proxy that says anything. The first octet of the input chooses
// what we ask for, the second how the rest is cut; the rest is what the proxy
// says.
//
// Promised: however the octets are cut, it ends the same way, says the same and
// stops at the same octet; it waits for at least one octet until it has ended;
// only a failed one has a reason, and only a refusal a code.
#include <algorithm>
#include <string>

#include "base/fuzz_target.hpp"
#include "wire/socks.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_view;
using wire::socks_client;
using wire::socks_status;

wire::socks_request request_of (unsigned choice)
{
    wire::socks_request what{.host = "server", .port = 1, .user = {}, .password = {}};
    if ((choice & 1) != 0)
        what.user = "me";
    if ((choice & 2) != 0)
        what.password = "secret";
    if ((choice & 4) != 0)
        what.host = "10.1.2.3";
    if ((choice & 8) != 0)
        what.host = "2001:db8::1";
    return what;
}

struct course
{
    socks_status status = socks_status::need_more;
    std::size_t consumed = 0;
    std::string said;
    base::close_reason reason = base::close_reason::none;
    unsigned reply = 0;
    bool operator== (const course &) const = default;
};

course drive (unsigned choice, bytes_view in, std::size_t piece)
{
    socks_client client (request_of (choice));
    course done;
    const auto drain = [&] {
        done.said += base::as_text (client.output ());
        client.output_drained (client.output ().size ());
    };
    drain ();
    while (client.wanted () > 0 && done.consumed < in.size ()) {
        const std::size_t size = std::min ({piece, client.wanted (), in.size () - done.consumed});
        (void)client.feed (in.subspan (done.consumed, size));
        done.consumed += size;
        drain ();
    }
    done.status = client.status ();
    done.reason = client.reason ();
    done.reply = client.reply ();
    require ((client.wanted () > 0) == (done.status == socks_status::need_more));
    return done;
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    if (size < 2)
        return 0;
    const unsigned choice = data[0];
    const bytes_view proxy = input_of (data + 2, size - 2);
    const course whole = drive (choice, proxy, std::max<std::size_t> (proxy.size (), 1));
    const bool failed = whole.status == zlink::wire::socks_status::failed;
    require (failed == (whole.reason != zlink::base::close_reason::none));
    require (failed || whole.reply == 0);
    for (const std::size_t cut : {std::size_t{1}, data[1] + std::size_t{1}})
        require (drive (choice, proxy, cut) == whole);
    return 0;
}

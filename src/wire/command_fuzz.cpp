// The body of one command frame.
//
// Promised: a view never leaves the body; what is well formed is written again
// octet for octet; the limits of contexts, reasons and groups hold.
#include <algorithm>
#include <vector>

#include "base/fuzz_target.hpp"
#include "base/glob.hpp"
#include "wire/command.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_view;
using wire::command;
using wire::command_kind;

bool within (bytes_view body, bytes_view part) noexcept
{
    return part.empty ()
           || (part.data () >= body.data () && part.data () + part.size () <= body.data () + body.size ());
}

void check_limits (const command &found)
{
    const std::size_t size = found.data.size ();
    switch (found.kind) {
    case command_kind::ping:
    case command_kind::pong:
        require (size <= wire::ping_context_bytes_max);
        break;
    case command_kind::error:
        require (size <= wire::error_reason_bytes_max);
        break;
    case command_kind::join:
    case command_kind::leave:
        require (size <= wire::group_bytes_max);
        require (std::find (found.data.begin (), found.data.end (), std::byte{0}) == found.data.end ());
        break;
    case command_kind::subscribe_pattern:
    case command_kind::cancel_pattern:
        require (base::glob_valid (found.data));
        break;
    default:
        break;
    }
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    const bytes_view body = input_of (data, size);
    const command found = zlink::wire::parse_command (body);
    if (found.kind == command_kind::malformed) {
        require (found.name.empty () && found.data.empty ());
        return 0;
    }
    require (!found.name.empty () && within (body, found.data)
             && within (body, zlink::base::as_bytes (found.name)));
    check_limits (found);

    require (zlink::wire::command_body_bytes (found) == size);
    std::vector<std::byte> written (size);
    require (zlink::wire::encode_command_body (written.data (), found) == size);
    require (std::equal (written.begin (), written.end (), body.begin (), body.end ()));
    return 0;
}

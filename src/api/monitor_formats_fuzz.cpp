// Messages that a program takes for a monitor's. The first octet of the input
// chooses how many parts there are, the others their sizes and bytes.
//
// Promised: what has not the form is refused; what has it is read as it stands.
#include <vector>

#include "api/monitor_formats.hpp"
#include "base/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    using zlink::base::message;
    decisions from (input_of (data, size));
    std::vector<message> parts (from.octet () % 12);
    for (message &each : parts)
        require (each.init_copy (from.take (from.octet () % 32)).ok ());

    zlink::api::monitor_message read;
    if (zlink::api::read_monitor_message (parts, read)) {
        require (parts.size () >= 5);
        const std::size_t at = parts.size () - 3;
        require (parts[0].size () == sizeof read.event && parts[1].size () == sizeof (std::uint64_t));
        require (read.routing_id == zlink::base::as_text (parts[at].view ()));
        require (read.local == zlink::base::as_text (parts[at + 1].view ()));
        require (read.remote == zlink::base::as_text (parts[at + 2].view ()));
        require (parts.size () > 5 || read.value == 0);
    }
    for (message &each : parts)
        each.close ();
    return 0;
}

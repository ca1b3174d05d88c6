// The properties of a READY.
//
// Promised: what is well formed is written again octet for octet and every
// name is found; what is not leaves nothing behind; no limit is passed.
#include <algorithm>
#include <vector>

#include "base/fuzz_target.hpp"
#include "wire/metadata.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_view;
using wire::metadata;

void check_written_again (const metadata &read, bytes_view octets)
{
    std::vector<std::byte> written;
    for (const auto &[name, value] : read.all ()) {
        require (wire::append_property (written, name, base::as_bytes (value)));
        require (read.find (name) == &value);
    }
    require (std::equal (written.begin (), written.end (), octets.begin (), octets.end ()));
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    const bytes_view octets = input_of (data, size);
    metadata read;
    if (!read.parse (octets)) {
        require (read.empty () && read.find (zlink::wire::property_socket_type) == nullptr);
        return 0;
    }
    require (read.all ().size () <= zlink::wire::metadata_properties_max);
    check_written_again (read, octets);

    metadata narrow;
    require (narrow.parse (octets, read.all ().size ()));
    require (read.empty () || !narrow.parse (octets, read.all ().size () - 1));
    return 0;
}

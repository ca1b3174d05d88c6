// A question to a grantor or its answer, from any peer.
//
// Promised: one that is read has a topic within its limits; written again it is read
// again, and says the same.
#include <vector>

#include "base/fuzz_target.hpp"
#include "wire/grant_message.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using namespace zlink::wire;
    using fuzz::require;
    grant_message read;
    if (decode_grant_message (fuzz::input_of (data, size), read) != service_status::complete)
        return 0;
    require (!read.topic.empty () && read.topic.size () <= service_name_bytes_max);
    std::vector<std::byte> first, second;
    encode_grant_message (read, first);
    grant_message again;
    require (decode_grant_message (first, again) == service_status::complete);
    encode_grant_message (again, second);
    require (first == second);
    return 0;
}

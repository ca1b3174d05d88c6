// The head of a request or of what comes back, from any peer.
//
// Promised: one that is read has texts within their limits and names a service
// where it must; written again it is read again, and says the same.
#include <vector>

#include "base/fuzz_target.hpp"
#include "wire/gateway_message.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using namespace zlink::wire;
    using fuzz::require;
    gateway_head read;
    if (decode_gateway_head (fuzz::input_of (data, size), read) != service_status::complete)
        return 0;
    const bool asks = read.kind == gateway_kind::request || read.kind == gateway_kind::one_way;
    require (read.service.empty () != asks);
    require (read.service.size () <= service_name_bytes_max && read.key.size () <= request_key_bytes_max);
    require (read.traceparent.empty () || is_traceparent (read.traceparent));
    require (!read.traceparent.empty () || read.tracestate.empty ());
    std::vector<std::byte> first, second;
    encode_gateway_head (read, first);
    gateway_head again;
    require (decode_gateway_head (first, again) == service_status::complete);
    encode_gateway_head (again, second);
    require (first == second);
    return 0;
}

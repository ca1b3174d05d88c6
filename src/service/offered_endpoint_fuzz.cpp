// An endpoint that somebody registers, and a host to be put into it.
//
// Promised: what a stranger may offer, a neighbour and the own process may; what got
// a host in the place of a wildcard is an endpoint still, and is not changed again.
#include "base/fuzz_target.hpp"
#include "service/offered_endpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using namespace zlink::service;
    using fuzz::require;
    const std::string_view endpoint = base::as_text (fuzz::input_of (data, size));
    const offer_fault far = judge_offer (endpoint, nearness::elsewhere);
    const offer_fault near = judge_offer (endpoint, nearness::same_host);
    const offer_fault own = judge_offer (endpoint, nearness::same_process);
    require (far != offer_fault::none || near == offer_fault::none);
    require (near != offer_fault::none || own == offer_fault::none);
    require (offer_fault_name (far) != nullptr);
    const base::result<std::string> made = with_host (endpoint, "10.0.0.7");
    if (!made)
        return 0;
    const base::result<std::string> again = with_host (made.value (), "10.0.0.8");
    require (again.ok () && again.value () == made.value ());
    require (judge_offer (made.value (), nearness::same_process) != offer_fault::wildcard);
    return 0;
}

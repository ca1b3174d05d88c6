// What an etcd answers, from whoever sits at its port.
//
// Promised: whatever it is, it is read or refused; a record that is read has a key, and
// base64 that is read is written again as it was, but for the bits that its end has over.
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/fuzz_target.hpp"
#include "etcd/gateway_json.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    const std::string_view text = base::as_text (fuzz::input_of (data, size));
    if (const auto range = etcd::read_range (text))
        for (const etcd::record &each : range->records)
            fuzz::require (!each.key.empty ());
    if (const auto watch = etcd::read_watch (text))
        for (const etcd::watch_event &each : watch->events)
            fuzz::require (!each.what.key.empty ());
    if (const auto change = etcd::read_change (text))
        fuzz::require (!change->done || !change->found);
    (void)etcd::read_lease (text);
    (void)etcd::read_complaint (text);
    if (const auto octets = etcd::from_base64 (text))
        fuzz::require (etcd::from_base64 (etcd::to_base64 (*octets)) == octets);
    return 0;
}

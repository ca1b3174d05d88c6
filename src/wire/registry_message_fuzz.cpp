// A message to or from a registry, from any peer.
//
// Promised: one that is read has texts and lists within their limits, which can be
// walked to the end; written again it is read again, and says the same.
#include <string_view>
#include <vector>

#include "base/fuzz_target.hpp"
#include "wire/registry_message.hpp"

namespace zlink::fuzz {
namespace {

using namespace wire;

void look_at (const provider_view &provider)
{
    require (!provider.service.empty () && provider.service.size () <= service_name_bytes_max);
    require (is_endpoint_text (provider.endpoint));
    require (provider.host.size () <= service_place_bytes_max);
    label_reader labels (provider.labels);
    std::size_t bytes = 0;
    for (std::string_view name, value; labels.next (name, value);)
        bytes += name.size () + value.size () + 3;
    require (!labels.malformed () && bytes == provider.labels.size ());
}

// Answers the entries written anew.
std::vector<std::byte> walk_entries (const registry_message &page)
{
    std::vector<std::byte> again;
    registry_entries entries (page.entries);
    for (registry_entry entry; entries.next (entry);) {
        if (entry.gone) {
            require (is_endpoint_text (entry.removed.endpoint));
            append_removed (entry.removed, again);
        } else {
            look_at (entry.provider);
            append_provider (entry.provider, again);
        }
    }
    require (!entries.malformed ());
    return again;
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using namespace zlink::wire;
    using fuzz::require;
    registry_message read;
    if (decode_registry_message (fuzz::input_of (data, size), read) != service_status::complete)
        return 0;
    require (read.service.size () <= service_name_bytes_max && read.text.size () <= service_text_bytes_max);
    std::vector<std::byte> entries;
    if (read.kind == registry_kind::page)
        read.entries = entries = fuzz::walk_entries (read);
    if (read.kind == registry_kind::put)
        fuzz::look_at (read.provider);
    std::vector<std::byte> others;
    if (read.kind == registry_kind::opened) {
        registry_others told (read.others);
        for (std::string_view other; told.next (other);)
            append_other (other, others);
        require (!told.malformed ());
        read.others = others;
    }
    std::vector<std::byte> first, second;
    encode_registry_message (read, first);
    registry_message again;
    require (first.size () > registry_message_bytes_max
             || decode_registry_message (first, again) == service_status::complete);
    if (first.size () <= registry_message_bytes_max) {
        again.entries = entries;
        again.others = others;
        encode_registry_message (again, second);
        require (first == second);
    }
    return 0;
}

// A record of a store, from whoever may write to it: a key, a newline and a value.
//
// Promised: one that is read is a provider whose key it is, which others can be told of as
// it stands; written again it is read again, and says the same.
#include <algorithm>
#include <string>
#include <vector>

#include "base/fuzz_target.hpp"
#include "service/store_record.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using fuzz::require;
    const base::bytes_view input = fuzz::input_of (data, size);
    const auto end = std::ranges::find (input, std::byte{'\n'});
    const auto key_bytes = static_cast<std::size_t> (end - input.begin ());
    const base::bytes_view value = end == input.end () ? base::bytes_view () : input.subspan (key_bytes + 1);
    const std::string_view key = base::as_text (input.first (key_bytes));

    wire::provider_view read;
    if (!service::read_store_record (key, value, read))
        return 0;
    require (read.instance != 0 && wire::is_endpoint_text (read.endpoint));
    require (key == service::store_key (read.family, read.service, read.endpoint));
    const std::vector<std::byte> again = service::store_value (read);
    wire::provider_view same;
    require (service::read_store_record (key, again, same) && same == read);

    wire::registry_message page;
    page.kind = wire::registry_kind::page;
    page.family = read.family;
    page.entries = again;
    std::vector<std::byte> told;
    wire::encode_registry_message (page, told);
    wire::registry_message heard;
    require (wire::decode_registry_message (told, heard) == wire::service_status::complete);
    return 0;
}

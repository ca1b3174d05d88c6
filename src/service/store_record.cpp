#include "service/store_record.hpp"

#include "service/offered_endpoint.hpp"

namespace zlink::service {

std::string store_name (std::string_view name)
{
    std::string made;
    for (const char each : name) {
        if (each == '/')
            made += "%2F";
        else if (each == '%')
            made += "%25";
        else
            made += each;
    }
    return made;
}

std::string store_key (std::uint16_t family, std::string_view service, std::string_view endpoint)
{
    return std::to_string (family) + '/' + store_name (service) + '/' + std::string (endpoint);
}

std::vector<std::byte> store_value (const wire::provider_view &provider)
{
    std::vector<std::byte> value;
    wire::append_provider (provider, value);
    return value;
}

bool read_store_record (std::string_view key, base::bytes_view value, wire::provider_view &provider)
{
    wire::registry_entries entries (value);
    wire::registry_entry only, more;
    if (!entries.next (only) || only.gone || entries.next (more) || entries.malformed ())
        return false;
    provider = only.provider;
    return provider.instance != 0 && judge_offer (provider.endpoint, nearness::same_host) == offer_fault::none
           && key == store_key (provider.family, provider.service, provider.endpoint);
}

}  // namespace zlink::service

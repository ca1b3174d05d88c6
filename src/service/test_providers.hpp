// What the tests of this layer share: providers as text, pages as lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "service/registry_table.hpp"

namespace zlink::service::test {

inline constexpr std::uint16_t family = wire::family_gateway;
inline constexpr std::uint64_t incarnation = 77;

// Another one for each instance.
inline std::string token_of (std::uint64_t instance)
{
    std::string token (wire::registry_token_bytes, 't');
    token += std::to_string (instance);
    return token.substr (token.size () - wire::registry_token_bytes);
}

inline wire::provider_view provider (std::string_view service,
                                     std::string_view endpoint,
                                     std::uint64_t instance,
                                     std::uint64_t version = 1)
{
    return {
      .family = family, .service = service, .endpoint = endpoint, .instance = instance, .version = version};
}

// "+calc@tcp://a*7.1" for instance 7 in version 1, "-calc@tcp://a*7 lost".
inline std::string line_of (const wire::registry_entry &entry)
{
    if (entry.gone)
        return '-' + std::string (entry.removed.service) + '@' + std::string (entry.removed.endpoint) + '*'
               + std::to_string (entry.removed.instance) + ' ' + wire::removal_name (entry.removed.why);
    return '+' + std::string (entry.provider.service) + '@' + std::string (entry.provider.endpoint) + '*'
           + std::to_string (entry.provider.instance) + '.' + std::to_string (entry.provider.version);
}

// A line for each entry.
inline std::vector<std::string> lines_of (base::bytes_view octets)
{
    std::vector<std::string> lines;
    wire::registry_entries entries (octets);
    for (wire::registry_entry entry; entries.next (entry);)
        lines.push_back (line_of (entry));
    return lines;
}

// A page that owns its octets.
struct held_page
{
    wire::registry_message head{};
    std::vector<std::byte> octets{};
    [[nodiscard]] std::vector<std::string> lines () const { return lines_of (octets); }
    [[nodiscard]] bool reset () const { return (head.flags & wire::registry_flag_reset) != 0; }
    [[nodiscard]] bool complete () const { return (head.flags & wire::registry_flag_complete) != 0; }
    [[nodiscard]] wire::registry_message whole () const
    {
        wire::registry_message message = head;
        message.entries = octets;
        return message;
    }
};

// What is behind a position, or a revision.
inline held_page read (const registry_table &table,
                       std::string_view service,
                       const registry_position &behind,
                       std::size_t bytes_max = wire::registry_page_bytes_max)
{
    held_page page;
    page.head = table.read (family, service, behind, bytes_max, page.octets);
    return page;
}
inline held_page read (const registry_table &table, std::string_view service, std::uint64_t since)
{
    return read (table, service, registry_position{.incarnation = incarnation, .since = since});
}

}  // namespace zlink::service::test

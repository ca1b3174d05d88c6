// Names of gateways: of services, and those by which a gateway's socket knows the
// connections to its providers.
// Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "service/request_table.hpp"
#include "wire/registry_message.hpp"

namespace zlink::service {

inline constexpr std::byte provider_mark{'P'};
inline constexpr std::size_t provider_name_bytes = 5;

using provider_name = std::array<std::byte, provider_name_bytes>;

[[nodiscard]] inline provider_name name_of (provider_number number) noexcept
{
    provider_name name{provider_mark};
    base::store_u32_be (name.data () + 1, number);
    return name;
}

// Nothing: it is no provider's.
[[nodiscard]] inline std::optional<provider_number> provider_of (base::bytes_view name) noexcept
{
    if (name.size () != provider_name_bytes || name[0] != provider_mark)
        return std::nullopt;
    return base::load_u32_be (name.data () + 1);
}

[[nodiscard]] inline bool is_service_name (std::string_view name) noexcept
{
    return !name.empty () && wire::is_service_text (name, wire::service_name_bytes_max);
}

}  // namespace zlink::service

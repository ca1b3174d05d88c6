// For transports whose endpoints say where they are: nobody is asked.
// Thread rule: any thread; stateless.
#pragma once

#include <memory>
#include <new>
#include <string_view>

#include "base/stream.hpp"
#include "platform/socket_address.hpp"
#include "platform/socket_stream.hpp"

namespace zlink::transport {

// Of check_remote(): at is what the endpoint was read as.
[[nodiscard]] inline base::result<void> outcome_of (const base::result<platform::socket_address> &at) noexcept
{
    return at ? base::result<void> () : base::result<void> (at.failure ());
}

// Of resolve(), likewise.
[[nodiscard]] inline base::resolve_result
only_address (std::string_view scheme, const base::result<platform::socket_address> &at) noexcept
{
    try {
        if (!at)
            return {{}, at.failure ()};
        const base::bytes_view raw = at.value ().bytes ();
        base::resolve_result out;
        out.addresses.push_back ({platform::endpoint_text (scheme, at.value ()), {raw.begin (), raw.end ()}});
        return out;
    } catch (const std::bad_alloc &) {
        return {{}, {base::errc::no_memory, 0}};
    }
}

// Dials what only_address() gave; invalid_argument: it is of another family.
[[nodiscard]] inline base::result<std::unique_ptr<base::stream>>
dial_known (std::string_view scheme,
            platform::address_family family,
            const base::address &to,
            const base::stream_options &options) noexcept
{
    const platform::socket_address target (to.raw.data (), to.raw.size ());
    if (target.family () != family)
        return base::errc::invalid_argument;
    return platform::socket_stream::dial (scheme, target, {}, options);
}

}  // namespace zlink::transport

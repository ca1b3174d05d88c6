#include "transport/tcp.hpp"

#include <new>
#include <utility>

#include "base/appending.hpp"
#include "platform/host_lookup.hpp"
#include "platform/socket_listener.hpp"
#include "platform/socket_stream.hpp"
#include "transport/address_order.hpp"
#include "transport/no_memory.hpp"
#include "transport/tcp_address.hpp"
#include "transport/tcp_way.hpp"

namespace zlink::transport {

namespace {

using base::errc;
using base::result;
using platform::address_family;
using platform::socket_address;

// The address of one of our own interfaces. v6: in that family.
result<socket_address> own_address (const host_and_port &at, bool v6)
{
    if (at.any_host)
        return v6 ? socket_address::any_v6 (0) : socket_address::any_v4 (0);
    auto found = platform::numeric_address (at.host, v6);
    if (found.code () == errc::name_not_found)
        found = platform::interface_address (at.host, v6 ? address_family::v6 : address_family::v4);
    return found.code () == errc::no_device ? platform::local_host_address (at.host, v6) : found;
}

result<socket_address> listen_address (const host_and_port &at, bool v6)
{
    auto own = own_address (at, v6);
    if (!own)
        return own;
    socket_address address = v6 ? own.value ().mapped_to_v6 () : own.value ();
    address.set_port (at.port);
    return address;
}

// Where a connection starts from, in the family of where it goes.
result<socket_address> source_address (const host_and_port &from, address_family family)
{
    auto own = own_address (from, family == address_family::v6);
    if (!own)
        return own;
    if (own.value ().family () != family)
        return errc::address_not_available;
    own.value ().set_port (from.port);
    return own;
}

// The dialled form: length of the source address, then both addresses.
std::vector<std::byte> pack (const socket_address &source, const socket_address &target)
{
    std::vector<std::byte> raw;
    raw.reserve (1 + source.size_bytes () + target.size_bytes ());
    raw.push_back (static_cast<std::byte> (source.size_bytes ()));
    base::append (raw, source.bytes ());
    base::append (raw, target.bytes ());
    return raw;
}

result<std::vector<socket_address>> target_addresses (const host_and_port &target, bool ipv6)
{
    const auto number = platform::numeric_address (target.host, ipv6);
    if (number)
        return std::vector<socket_address>{number.value ()};
    if (number.code () != errc::name_not_found)
        return number.failure ();
    if (platform::is_numeric (target.host))
        return errc::address_not_available;
    return platform::look_up_host (target.host, ipv6);
}

base::resolve_result resolve_remote (std::string_view scheme, const way &along, bool ipv6)
{
    base::resolve_result out;
    const tcp_remote &remote = along.to;
    auto targets = target_addresses (remote.target, ipv6);
    if (!targets) {
        out.failure = targets.failure ();
        return out;
    }
    for (socket_address &target : in_turns (targets.value ())) {
        target.set_port (remote.target.port);
        socket_address source;
        if (remote.source) {
            const auto found = source_address (*remote.source, target.family ());
            if (!found) {
                out.failure = found.failure ();
                continue;
            }
            source = found.value ();
        }
        out.addresses.push_back ({platform::endpoint_text (scheme, target), pack (source, target),
                                  along.beyond.host, along.beyond.port});
    }
    if (!out.addresses.empty ())
        out.failure = {};
    return out;
}

}  // namespace

result<void> tcp::check_remote (std::string_view address, const base::stream_options &options) noexcept
{
    return or_no_memory ([&] () -> result<void> {
        const auto along = find_way (address, options);
        return along ? result<void> () : result<void> (along.failure ());
    });
}

bool tcp::must_ask (std::string_view address, const base::stream_options &options) const noexcept
{
    try {
        const auto along = find_way (address, options);
        if (!along)
            return false;
        const std::string &host = along.value ().to.target.host;
        return !platform::is_numeric (host) && host != "localhost";
    } catch (const std::bad_alloc &) {
        return true;
    }
}

base::resolve_result tcp::resolve (std::string_view address, const base::stream_options &options) noexcept
{
    try {
        const auto along = find_way (address, options);
        if (!along)
            return {{}, along.failure ()};
        return resolve_remote (scheme_, along.value (), options.ipv6 || options.dial_both_families);
    } catch (const std::bad_alloc &) {
        return {{}, {errc::no_memory, 0}};
    }
}

result<std::unique_ptr<base::stream>> tcp::dial (const base::address &to,
                                                 const base::stream_options &options) noexcept
{
    if (to.raw.empty ())
        return errc::invalid_argument;
    const auto source_size = std::to_integer<std::size_t> (to.raw[0]);
    if (to.raw.size () < 1 + source_size)
        return errc::invalid_argument;
    const std::byte *first = to.raw.data () + 1;
    const socket_address source (first, source_size);
    const socket_address target (first + source_size, to.raw.size () - 1 - source_size);
    if (target.family () == address_family::none)
        return errc::invalid_argument;
    return platform::socket_stream::dial (scheme_, target, source, options);
}

result<std::unique_ptr<base::listener>> tcp::listen (std::string_view address,
                                                     const base::stream_options &options) noexcept
{
    using answer = result<std::unique_ptr<base::listener>>;
    return or_no_memory ([&] () -> answer {
        const auto at = parse_listen_address (address);
        if (!at)
            return at.failure ();
        if (options.use_handle >= 0)
            return platform::adopt_listener (scheme_, address_family::v4, options);
        const auto to = listen_address (at.value (), options.ipv6);
        if (!to)
            return to.failure ();
        auto made = platform::listen_at (to.value (), scheme_, options);
        // A kernel without IPv6 still has the other half of the wildcard.
        if (!made && options.ipv6 && at.value ().any_host && made.code () == errc::protocol_not_supported)
            return platform::listen_at (socket_address::any_v4 (at.value ().port), scheme_, options);
        return made;
    });
}

}  // namespace zlink::transport

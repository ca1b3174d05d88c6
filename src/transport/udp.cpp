#include "transport/udp.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "base/appending.hpp"
#include "platform/datagram_socket.hpp"
#include "platform/host_lookup.hpp"
#include "platform/socket_stream.hpp"
#include "transport/no_memory.hpp"
#include "transport/udp_address.hpp"

namespace zlink::transport {

namespace {

using base::errc;
using base::result;
using platform::address_family;
using platform::datagram_way;
using platform::socket_address;

constexpr std::string_view udp_scheme = "udp";

// A place on this host. A name is an interface's.
result<socket_address> place_here (const host_and_port &at, bool v6)
{
    if (at.any_host)
        return v6 ? socket_address::any_v6 (at.port) : socket_address::any_v4 (at.port);
    auto found = platform::numeric_address (at.host, v6);
    if (found.code () == errc::name_not_found && platform::is_numeric (at.host))
        return errc::no_device;
    if (found.code () == errc::name_not_found)
        found = platform::interface_address (at.host, v6 ? address_family::v6 : address_family::v4);
    if (found)
        found.value ().set_port (at.port);
    return found;
}

// The interface before ";", into the way to a multicast address.
result<void> add_interface (const host_and_port &through, const socket_address &target, datagram_way &to)
{
    if (!platform::is_multicast (target))
        return errc::invalid_argument;
    const bool v6 = target.family () == address_family::v6;
    const auto found = place_here (through, v6);
    if (!found)
        return found.failure ();
    if (platform::is_multicast (found.value ()) || found.value ().family () != target.family ())
        return errc::invalid_argument;
    to.shown_through = through.any_host ? "*;" : through.host + ";";
    if (through.any_host)
        return {};
    if (v6) {
        to.interface_number = platform::interface_number (through.host);
        return to.interface_number != 0 ? result<void> () : result<void> (errc::no_device);
    }
    to.through = found.value ();
    return {};
}

result<socket_address> target_of (const host_and_port &at, bool ipv6)
{
    const auto number = platform::numeric_address (at.host, ipv6);
    if (number)
        return number;
    if (number.code () != errc::name_not_found)
        return number.failure ();
    if (platform::is_numeric (at.host))
        return errc::address_not_available;
    const auto found = platform::look_up_host (at.host, ipv6);
    return found ? result<socket_address> (found.value ().front ()) : found.failure ();
}

result<datagram_way> way_there (std::string_view text, const base::stream_options &options)
{
    const auto parts = parse_udp_address (text, false);
    if (!parts)
        return parts.failure ();
    auto target = target_of (parts.value ().at, options.ipv6);
    if (!target)
        return target.failure ();
    target.value ().set_port (parts.value ().at.port);
    datagram_way way;
    way.there = target.value ();
    if (parts.value ().through)
        if (const auto done = add_interface (*parts.value ().through, way.there, way); !done)
            return done.failure ();
    return way;
}

result<datagram_way> way_here (std::string_view text, const base::stream_options &options)
{
    const auto parts = parse_udp_address (text, true);
    if (!parts)
        return parts.failure ();
    const host_and_port &at = parts.value ().at;
    const auto place = place_here (at, options.ipv6);
    if (!place)
        return place.failure ();
    datagram_way way;
    way.here = place.value ();
    if (parts.value ().through)
        if (const auto done = add_interface (*parts.value ().through, way.here, way); !done)
            return done.failure ();
    if (platform::is_multicast (way.here)) {
        way.group = way.here;
        way.here = way.group.family () == address_family::v6 ? socket_address::any_v6 (at.port)
                                                             : socket_address::any_v4 (at.port);
    }
    return way;
}

// The resolved form: the interface's number, the length of its address, that and
// the target.
std::vector<std::byte> pack (const datagram_way &way)
{
    std::vector<std::byte> raw (sizeof way.interface_number);
    std::memcpy (raw.data (), &way.interface_number, raw.size ());
    raw.push_back (static_cast<std::byte> (way.through.size_bytes ()));
    base::append (raw, way.through.bytes ());
    base::append (raw, way.there.bytes ());
    return raw;
}

datagram_way unpack (const std::vector<std::byte> &raw) noexcept
{
    datagram_way way;
    constexpr std::size_t head = sizeof way.interface_number + 1;
    if (raw.size () < head)
        return way;
    std::memcpy (&way.interface_number, raw.data (), sizeof way.interface_number);
    const auto through_bytes = std::to_integer<std::size_t> (raw[head - 1]);
    if (raw.size () < head + through_bytes)
        return way;
    const std::byte *const first = raw.data () + head;
    way.through = socket_address (first, through_bytes);
    way.there = socket_address (first + through_bytes, raw.size () - head - through_bytes);
    return way;
}

}  // namespace

result<void> udp::check_remote (std::string_view address, const base::stream_options &options) noexcept
{
    return or_no_memory ([&] () -> result<void> {
        const auto parts = parse_udp_address (address, false);
        if (!parts)
            return parts.failure ();
        if (must_ask (address, options))
            return {};
        const auto way = way_there (address, options);
        return way ? result<void> () : result<void> (way.failure ());
    });
}

bool udp::must_ask (std::string_view address, const base::stream_options &) const noexcept
{
    try {
        const auto parts = parse_udp_address (address, false);
        if (!parts)
            return false;
        const std::string &host = parts.value ().at.host;
        return !platform::is_numeric (host) && host != "localhost";
    } catch (const std::bad_alloc &) {
        return true;
    }
}

base::resolve_result udp::resolve (std::string_view address, const base::stream_options &options) noexcept
{
    try {
        const auto way = way_there (address, options);
        if (!way)
            return {{}, way.failure ()};
        base::resolve_result out;
        out.addresses.push_back (
          {platform::endpoint_text (udp_scheme, way.value ().there), pack (way.value ())});
        return out;
    } catch (const std::bad_alloc &) {
        return {{}, {errc::no_memory, 0}};
    }
}

result<std::unique_ptr<base::datagram_port>> udp::open_remote (const base::address &to,
                                                               const base::stream_options &options) noexcept
{
    const datagram_way way = unpack (to.raw);
    if (way.there.family () == address_family::none)
        return errc::invalid_argument;
    return platform::open_datagram_socket (udp_scheme, way, options);
}

result<std::unique_ptr<base::datagram_port>> udp::open_local (std::string_view address,
                                                              const base::stream_options &options) noexcept
{
    using answer = result<std::unique_ptr<base::datagram_port>>;
    return or_no_memory ([&] () -> answer {
        const auto way = way_here (address, options);
        if (!way)
            return way.failure ();
        return platform::open_datagram_socket (udp_scheme, way.value (), options);
    });
}

}  // namespace zlink::transport

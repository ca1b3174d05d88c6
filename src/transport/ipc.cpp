#include "transport/ipc.hpp"

#include <new>

#include "platform/socket_address.hpp"
#include "platform/socket_listener.hpp"
#include "platform/socket_stream.hpp"
#include "transport/no_memory.hpp"

namespace zlink::transport {

namespace {

using base::errc;
using base::result;
using platform::address_family;
using platform::socket_address;

constexpr std::string_view ipc_scheme = "ipc";

result<socket_address> remote_address (std::string_view path) noexcept
{
    if (path == "*")
        return errc::invalid_argument;
    return socket_address::local (path);
}

}  // namespace

result<void> ipc::check_remote (std::string_view address, const base::stream_options &) noexcept
{
    const auto at = remote_address (address);
    return at ? result<void> () : result<void> (at.failure ());
}

base::resolve_result ipc::resolve (std::string_view address, const base::stream_options &) noexcept
{
    try {
        const auto at = remote_address (address);
        if (!at)
            return {{}, at.failure ()};
        const base::bytes_view raw = at.value ().bytes ();
        base::resolve_result out;
        out.addresses.push_back (
          {platform::endpoint_text (ipc_scheme, at.value ()), {raw.begin (), raw.end ()}});
        return out;
    } catch (const std::bad_alloc &) {
        return {{}, {errc::no_memory, 0}};
    }
}

result<std::unique_ptr<base::stream>> ipc::dial (const base::address &to,
                                                 const base::stream_options &options) noexcept
{
    const socket_address target (to.raw.data (), to.raw.size ());
    if (target.family () != address_family::local)
        return errc::invalid_argument;
    return platform::socket_stream::dial (ipc_scheme, target, {}, options);
}

result<std::unique_ptr<base::listener>> ipc::listen (std::string_view address,
                                                     const base::stream_options &options) noexcept
{
    return or_no_memory ([&] {
        if (options.use_handle >= 0)
            return platform::adopt_listener (ipc_scheme, address_family::local, options);
        return platform::listen_local (address, ipc_scheme, options);
    });
}

}  // namespace zlink::transport

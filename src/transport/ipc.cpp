#include "transport/ipc.hpp"

#include "platform/socket_address.hpp"
#include "platform/socket_listener.hpp"
#include "transport/known_address.hpp"
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
    return outcome_of (remote_address (address));
}

base::resolve_result ipc::resolve (std::string_view address, const base::stream_options &) noexcept
{
    return only_address (ipc_scheme, remote_address (address));
}

result<std::unique_ptr<base::stream>> ipc::dial (const base::address &to,
                                                 const base::stream_options &options) noexcept
{
    return dial_known (ipc_scheme, address_family::local, to, options);
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

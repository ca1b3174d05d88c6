#include "transport/vsock.hpp"

#include <charconv>
#include <optional>

#include "platform/socket_listener.hpp"
#include "transport/known_address.hpp"
#include "transport/no_memory.hpp"

namespace zlink::transport {

namespace {

using base::errc;
using base::result;
using platform::address_family;
using platform::socket_address;

constexpr std::string_view vsock_scheme = "vsock";

// The kernel's numbers for those that are the same everywhere.
constexpr std::uint32_t local_machine = 1;
constexpr std::uint32_t host_machine = 2;

std::optional<std::uint32_t> number_in (std::string_view text) noexcept
{
    std::uint32_t found = 0;
    const auto [end, problem] = std::from_chars (text.data (), text.data () + text.size (), found);
    if (problem != std::errc () || end != text.data () + text.size () || found == socket_address::any_port)
        return std::nullopt;
    return found;
}

std::optional<std::uint32_t> machine_in (std::string_view text, bool listens) noexcept
{
    if (text == "*")
        return listens ? std::optional (socket_address::any_machine) : std::nullopt;
    if (text == "local")
        return local_machine;
    return text == "host" ? host_machine : number_in (text);
}

std::optional<std::uint32_t> port_in (std::string_view text, bool listens) noexcept
{
    const auto number = text == "*" ? 0 : number_in (text);
    if (number != 0)
        return number;
    return listens ? std::optional (socket_address::any_port) : std::nullopt;
}

result<socket_address> parse (std::string_view text, bool listens) noexcept
{
    const std::size_t colon = text.find (':');
    if (colon == text.npos)
        return errc::invalid_argument;
    const auto machine = machine_in (text.substr (0, colon), listens);
    const auto port = port_in (text.substr (colon + 1), listens);
    if (!machine || !port)
        return errc::invalid_argument;
    return socket_address::of_machine (*machine, *port);
}

class vsock final : public base::transport
{
  public:
    [[nodiscard]] std::string_view scheme () const noexcept override { return vsock_scheme; }
    result<void> check_remote (std::string_view address, const base::stream_options &) noexcept override
    {
        return outcome_of (parse (address, false));
    }
    [[nodiscard]] bool must_ask (std::string_view, const base::stream_options &) const noexcept override
    {
        return false;
    }
    base::resolve_result resolve (std::string_view address, const base::stream_options &) noexcept override;
    result<std::unique_ptr<base::stream>> dial (const base::address &to,
                                                const base::stream_options &options) noexcept override;
    result<std::unique_ptr<base::listener>> listen (std::string_view address,
                                                    const base::stream_options &options) noexcept override;
};

base::resolve_result vsock::resolve (std::string_view address, const base::stream_options &) noexcept
{
    return only_address (vsock_scheme, parse (address, false));
}

result<std::unique_ptr<base::stream>> vsock::dial (const base::address &to,
                                                   const base::stream_options &options) noexcept
{
    return dial_known (vsock_scheme, address_family::machine, to, options);
}

result<std::unique_ptr<base::listener>> vsock::listen (std::string_view address,
                                                       const base::stream_options &options) noexcept
{
    using answer = result<std::unique_ptr<base::listener>>;
    return or_no_memory ([&] () -> answer {
        const auto at = parse (address, true);
        if (!at)
            return at.failure ();
        if (options.use_handle >= 0)
            return platform::adopt_listener (vsock_scheme, address_family::machine, options);
        return platform::listen_at (at.value (), vsock_scheme, options);
    });
}

}  // namespace

base::transport *vsock_transport () noexcept
{
    static vsock only;
    return &only;
}

}  // namespace zlink::transport

// UDP over IPv4 and IPv6, to one host or to a multicast group. The grammar is in
// udp_address.hpp.
//
// Without the ipv6 option only IPv4 is used. A multicast address is joined by
// those who bind it, through the interface that the endpoint says. Errors:
// invalid_argument (grammar; an interface before what is no multicast address,
// or one that is itself; of another family), no_device (neither a number nor an
// interface; of IPv6 an interface that is not said by its name), and those of
// platform/datagram_socket.hpp.
// Thread rule: any thread; stateless.
#pragma once

#include "base/stream.hpp"

namespace zlink::transport {

class udp final : public base::transport
{
  public:
    [[nodiscard]] std::string_view scheme () const noexcept override { return "udp"; }
    // Where nobody need be asked, all that resolve() would answer.
    base::result<void> check_remote (std::string_view address,
                                     const base::stream_options &options) noexcept override;
    [[nodiscard]] bool must_ask (std::string_view address,
                                 const base::stream_options &options) const noexcept override;
    // At most one address.
    base::resolve_result resolve (std::string_view address,
                                  const base::stream_options &options) noexcept override;
    base::result<std::unique_ptr<base::stream>> dial (const base::address &,
                                                      const base::stream_options &) noexcept override
    {
        return base::errc::not_supported;
    }
    base::result<std::unique_ptr<base::listener>> listen (std::string_view,
                                                          const base::stream_options &) noexcept override
    {
        return base::errc::not_supported;
    }
    [[nodiscard]] bool carries_datagrams () const noexcept override { return true; }
    base::result<std::unique_ptr<base::datagram_port>>
    open_remote (const base::address &to, const base::stream_options &options) noexcept override;
    base::result<std::unique_ptr<base::datagram_port>>
    open_local (std::string_view address, const base::stream_options &options) noexcept override;
};

}  // namespace zlink::transport

// TCP over IPv4 and IPv6. The grammar is in tcp_address.hpp.
//
// Without the ipv6 option only IPv4 is used; with it a wildcard listens on both
// families, an IPv4 number is listened on as its mapped IPv6 form, and a name
// gives the addresses of both. Errors: invalid_argument (grammar), no_device
// (neither a number nor an interface nor a name of this host),
// address_not_available, address_in_use, permission_denied, name_not_found,
// too_many_files, no_memory.
//
// With a proxy in the options the proxy is dialled, by its own name, and the
// target is left to it: a number, or a name of at most 255 octets that nobody
// here looks up. invalid_argument: the proxy is no "host:port", or the target
// has a zone, which says nothing elsewhere.
// Thread rule: any thread; it never changes.
#pragma once

#include "base/stream.hpp"

namespace zlink::transport {

class tcp final : public base::transport
{
  public:
    // scheme: lasts as long as the process. One that wraps has the same grammar.
    explicit constexpr tcp (std::string_view scheme = "tcp", bool tls = false) noexcept
      : scheme_ (scheme), tls_ (tls)
    {
    }

    [[nodiscard]] std::string_view scheme () const noexcept override { return scheme_; }
    base::result<void> check_remote (std::string_view address,
                                     const base::stream_options &options) noexcept override;
    // Numbers and "localhost" need nobody.
    [[nodiscard]] bool must_ask (std::string_view address,
                                 const base::stream_options &options) const noexcept override;
    // An IPv6 number without ipv6 or dial_both_families is address_not_available.
    base::resolve_result resolve (std::string_view address,
                                  const base::stream_options &options) noexcept override;
    // to must come from resolve().
    base::result<std::unique_ptr<base::stream>> dial (const base::address &to,
                                                      const base::stream_options &options) noexcept override;
    base::result<std::unique_ptr<base::listener>>
    listen (std::string_view address, const base::stream_options &options) noexcept override;
    bool wraps (std::string_view address, base::stream_layers &to) const override;

  private:
    std::string_view scheme_;
    bool tls_;
};

}  // namespace zlink::transport

// WebSocket over TCP (RFC 6455, ZWS 2.0: RFC 45): addresses and streams are
// transport/tcp.hpp's, with its rules and errors; what is put around the streams
// is the engine's. The grammar is in web_address.hpp; where a listener names a
// path, LAST_ENDPOINT shows it, too.
// Thread rule: any thread; stateless.
#pragma once

#include "base/stream.hpp"
#include "transport/tcp.hpp"

namespace zlink::transport {

class web final : public base::transport
{
  public:
    // scheme: a literal.
    explicit web (std::string_view scheme, bool tls = false) noexcept : scheme_ (scheme), tls_ (tls) {}
    [[nodiscard]] std::string_view scheme () const noexcept override { return scheme_; }
    base::result<void> check_remote (std::string_view address,
                                     const base::stream_options &options) noexcept override;
    [[nodiscard]] bool must_ask (std::string_view address,
                                 const base::stream_options &options) const noexcept override;
    base::resolve_result resolve (std::string_view address,
                                  const base::stream_options &options) noexcept override;
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

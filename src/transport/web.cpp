#include "transport/web.hpp"

#include <new>
#include <string>
#include <utility>

#include "transport/no_memory.hpp"
#include "transport/tcp_address.hpp"
#include "transport/web_address.hpp"

namespace zlink::transport {

using base::errc;
using base::result;

namespace {

// Shows the path, too.
class web_listener final : public base::listener
{
  public:
    web_listener (std::unique_ptr<base::listener> under, std::string_view target)
      : under_ (std::move (under)), target_ (target)
    {
    }
    result<std::unique_ptr<base::stream>> accept () noexcept override { return under_->accept (); }
    [[nodiscard]] base::io_handle handle () const noexcept override { return under_->handle (); }
    [[nodiscard]] std::string local_endpoint () const override { return under_->local_endpoint () + target_; }
    void hand_back () noexcept override { under_->hand_back (); }

  private:
    std::unique_ptr<base::listener> under_;
    std::string target_;
};

}  // namespace

result<void> web::check_remote (std::string_view address, const base::stream_options &options) noexcept
{
    const auto parts = parse_web_remote_address (address);
    return parts ? tcp ().check_remote (parts.value ().authority, options) : parts.failure ();
}

bool web::must_ask (std::string_view address, const base::stream_options &options) const noexcept
{
    const auto parts = parse_web_remote_address (address);
    return parts && tcp ().must_ask (parts.value ().authority, options);
}

base::resolve_result web::resolve (std::string_view address, const base::stream_options &options) noexcept
{
    const auto parts = parse_web_remote_address (address);
    if (!parts)
        return {{}, parts.failure ()};
    return tcp (scheme_).resolve (parts.value ().authority, options);
}

result<std::unique_ptr<base::stream>> web::dial (const base::address &to,
                                                 const base::stream_options &options) noexcept
{
    return tcp (scheme_).dial (to, options);
}

result<std::unique_ptr<base::listener>> web::listen (std::string_view address,
                                                     const base::stream_options &options) noexcept
{
    using answer = result<std::unique_ptr<base::listener>>;
    return or_no_memory ([&] () -> answer {
        const auto parts = parse_web_listen_address (address);
        if (!parts)
            return parts.failure ();
        auto made = tcp (scheme_).listen (parts.value ().authority, options);
        if (!made || parts.value ().target.empty ())
            return made;
        return std::unique_ptr<base::listener> (
          std::make_unique<web_listener> (std::move (made).value (), parts.value ().target));
    });
}

bool web::wraps (std::string_view address, base::stream_layers &to) const
{
    to = {};
    const auto parts = parse_web_remote_address (address);
    if (parts) {
        tell_remote (parts.value ().authority, to.host, to.port);
        to.target = parts.value ().target;
    }
    to.tls = tls_;
    to.web = true;
    return true;
}

}  // namespace zlink::transport

#include "transport/tls.hpp"

#include "base/lasting.hpp"
#include "platform/recommended.hpp"
#include "platform/system_files.hpp"
#include "transport/tcp.hpp"
#include "transport/tcp_address.hpp"

namespace zlink::transport {

namespace {

struct tls_parts
{
    tcp wrapped{"tls", true};
    platform::system_files files;
    platform::recommended_entropy entropy;
    base::kept place{.secrets = &entropy};
};

constinit base::lasting<tls_parts> of_tls;

}  // namespace

base::transport *tls_transport () noexcept
{
    tls_parts *const made = of_tls.get ();
    return made == nullptr ? nullptr : &made->wrapped;
}

base::files *certificate_files () noexcept
{
    tls_parts *const made = of_tls.get ();
    return made == nullptr ? nullptr : &made->files;
}

base::kept *place_of_tls () noexcept
{
    tls_parts *const made = of_tls.get ();
    return made == nullptr ? nullptr : &made->place;
}

void forsake_tls () noexcept { of_tls.forsake (); }

// Here, as a library without TLS needs nothing of it.
bool tcp::wraps (std::string_view address, base::stream_layers &to) const
{
    if (!tls_)
        return false;
    to = {};
    to.tls = true;
    tell_remote (address, to.host, to.port);
    return true;
}

}  // namespace zlink::transport

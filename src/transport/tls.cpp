#include "transport/tls.hpp"

#include "base/lasting.hpp"
#include "platform/recommended.hpp"
#include "platform/system_files.hpp"
#include "transport/tcp.hpp"

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

}  // namespace zlink::transport

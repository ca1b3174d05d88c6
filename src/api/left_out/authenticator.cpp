// Instead of authenticator, in a minimal library: nobody is asked about peers.
// Chosen by src/api/CMakeLists.txt; contracts and thread rules are those of
// api/authenticator.hpp.
#include "api/authenticator.hpp"

#include "api/errors.hpp"

namespace zlink::api {

int set_authenticator (void *, zlink_authenticator_fn *, void *, zlink_free_fn *) noexcept
{
    return failed (base::errc::not_supported);
}

}  // namespace zlink::api

// Instead of tls_ref, in a library without TLS: nothing is ever referred to.
// Chosen by src/crypto/CMakeLists.txt; contracts and thread rules are those of
// crypto/tls_ref.hpp.
#include "crypto/tls_ref.hpp"

namespace zlink::crypto {

tls_ref_base::tls_ref_base (const std::shared_ptr<const void> &) {}

tls_ref_base::tls_ref_base (const tls_ref_base &) noexcept {}

tls_ref_base &tls_ref_base::operator= (const tls_ref_base &) noexcept { return *this; }

tls_ref_base::~tls_ref_base () {}

const std::shared_ptr<const void> &tls_ref_base::get () const noexcept
{
    static const std::shared_ptr<const void> nothing;
    return nothing;
}

}  // namespace zlink::crypto

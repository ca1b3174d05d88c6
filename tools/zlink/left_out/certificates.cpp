// Where the library has no TLS.
#include "tools/zlink/certificates.hpp"

namespace zlink::tool {

namespace {

constexpr const char *not_here = "this program was built without TLS";

}  // namespace

bool may_be_host (const std::string &) noexcept { return true; }

std::optional<credential> make_authority (const certificate_wish &, std::string &why)
{
    why = not_here;
    return std::nullopt;
}

std::optional<credential> make_certificate (const credential &, const certificate_wish &, std::string &why)
{
    why = not_here;
    return std::nullopt;
}

}  // namespace zlink::tool

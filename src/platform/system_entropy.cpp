#include "platform/system_entropy.hpp"

#include <cerrno>
#include <sys/random.h>

namespace zlink::platform {

bool system_entropy::fill (base::bytes_span to) noexcept
{
    while (!to.empty ()) {
        const ssize_t got = ::getrandom (to.data (), to.size (), 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to = to.subspan (static_cast<std::size_t> (got));
    }
    return true;
}

}  // namespace zlink::platform

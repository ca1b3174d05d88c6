#include "platform/descriptor.hpp"

#include <unistd.h>

namespace zlink::platform {

void descriptor::close () noexcept
{
    // Not repeated on EINTR: Linux has freed the number by then.
    if (number_ >= 0)
        ::close (std::exchange (number_, -1));
}

}  // namespace zlink::platform

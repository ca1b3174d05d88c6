// The next part that has come to a socket, into a message that is used again and again.
//
// Thread rule: that of the socket; the message is the caller's. Never blocks.
#pragma once

#include "base/message.hpp"
#include "socket/facade.hpp"

namespace zlink::service {

// What was in it is let go of. False: nothing has come, and it is empty.
[[nodiscard]] inline bool take_next_part (void *socket, base::message &to) noexcept
{
    to.close ();
    to.init ();
    return socket::receive (socket, to, socket::io_dont_wait).ok ();
}

}  // namespace zlink::service

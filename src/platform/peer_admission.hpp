// Whether a listener's filters let in who has just connected.
#pragma once

#include "base/accept_filter.hpp"
#include "platform/socket_address.hpp"

namespace zlink::platform {

// Of a peer on the network its address counts; of one on this host the
// process, the user and the groups (the further ones of its process, too) that
// it had when it connected, as the system says. Who cannot be told is not let
// in. Does not block.
[[nodiscard]] bool
is_admitted (int socket, const socket_address &far, const base::accept_filter &admits) noexcept;

}  // namespace zlink::platform

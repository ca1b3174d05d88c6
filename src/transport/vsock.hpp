// Stream sockets between a host and its virtual machines, and inside one of them
// where the kernel carries that.
//
//   machine ":" port
//
// machine: a number, "host" or "local", and "*" to listen: all that this one is
// called. A port is a number of 32 bits; "*" and 0 are any, to listen only. Errors
// beside invalid_argument are the kernel's: protocol_not_supported where it knows
// no vsock, address_not_available where it is not called so.
// Thread rule: any thread; stateless.
#pragma once

#include "base/stream.hpp"

namespace zlink::transport {

// It lasts as long as the process; null in a minimal library.
[[nodiscard]] base::transport *vsock_transport () noexcept;

}  // namespace zlink::transport

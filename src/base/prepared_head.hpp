// What is sent again and again to the same peer behind the same head, known to the socket
// so that one call of it, and one lock, does it all.
//
// Owned by who prepares it, and unchanged from then until it is taken back, behind which
// nobody touches it.
// Thread rule: any thread.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "base/bytes.hpp"

namespace zlink::base {

struct prepared_head
{
    const char *key = nullptr;  // what it is sent by: ends with a NUL
    bytes_view name{};          // the peer's
    bytes_view head{};
    const atomic<bool> *unless = nullptr;  // nothing is sent so while that is true; never null
    atomic<std::uint64_t> sent{0};         // messages; one that is refused is taken off again
};

}  // namespace zlink::base

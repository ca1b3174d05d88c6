// Octets behind those that are there already.
//
// Thread rule: as of the vector. Throws std::bad_alloc, and nothing has changed then.
#pragma once

#include <vector>

#include "base/bytes.hpp"

namespace zlink::base {

inline void append (std::vector<std::byte> &to, bytes_view octets)
{
    to.insert (to.end (), octets.begin (), octets.end ());
}

}  // namespace zlink::base

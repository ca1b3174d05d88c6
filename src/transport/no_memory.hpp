// Turns the standard library's one exception into the value that the seams
// speak. call returns a base::result.
#pragma once

#include <new>

#include "base/error.hpp"

namespace zlink::transport {

template <class Call> auto or_no_memory (Call call) noexcept -> decltype (call ())
{
    try {
        return call ();
    } catch (const std::bad_alloc &) {
        return base::errc::no_memory;
    }
}

}  // namespace zlink::transport

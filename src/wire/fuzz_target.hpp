// What a fuzz target is: one entry function, called with any bytes, that ends
// the process when a promise of the code under test is broken. libFuzzer calls
// it in a search, fuzz/replay.cpp with the committed corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size);

namespace zlink::wire::fuzz {

// The input as the library sees bytes.
inline base::bytes_view input_of (const std::uint8_t *data, std::size_t size) noexcept
{
    return std::as_bytes (std::span (data, size));
}

// A promise; never compiled out.
inline void require (bool promise) noexcept
{
    if (!promise)
        std::abort ();
}

}  // namespace zlink::wire::fuzz

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

namespace zlink::fuzz {

// The input as the library sees bytes.
inline base::bytes_view input_of (const std::uint8_t *data, std::size_t size) noexcept
{
    return std::as_bytes (std::span (data, size));
}

// Reads decisions off the front of an input, and zeroes when it has come to the
// end.
class decisions
{
  public:
    explicit decisions (base::bytes_view from) noexcept : rest_ (from) {}
    [[nodiscard]] bool any () const noexcept { return !rest_.empty (); }
    [[nodiscard]] base::bytes_view rest () const noexcept { return rest_; }
    unsigned octet () noexcept
    {
        const base::bytes_view one = take (1);
        return one.empty () ? 0 : static_cast<unsigned> (one[0]);
    }
    base::bytes_view take (std::size_t size) noexcept
    {
        const base::bytes_view front = rest_.first (size < rest_.size () ? size : rest_.size ());
        rest_ = rest_.subspan (front.size ());
        return front;
    }

  private:
    base::bytes_view rest_;
};

// A promise; never compiled out.
inline void require (bool promise) noexcept
{
    if (!promise)
        std::abort ();
}

}  // namespace zlink::fuzz

// What lanes are made of turns over (base/turnover.hpp): until there is enough of it each
// piece is a new one, which is no cost of a message.
#pragma once

#include <array>
#include <cstddef>

#include "base/turnover.hpp"
#include "budgets/measuring.hpp"
#include "socket/facade.hpp"

namespace zlink::test {

// Before anything is measured, in a context whose clock runs.
inline void turn_lanes_over (void *context)
{
    constexpr int pair = 0;  // as both headers have it
    constexpr const char *endpoint = "inproc://turned";
    std::array<void *, 2> ends{};
    for (void *&each : ends) {
        const auto made = socket::open (context, pair);
        must (made.ok (), "open");
        each = made.value ();
    }
    must (socket::bind (ends[0], endpoint).ok () && socket::connect (ends[1], endpoint).ok (), "connect");
    std::array<std::byte, 1024> body{};
    for (std::size_t bytes = 0; bytes < 2 * base::turnover_bytes; bytes += body.size ())
        must (socket::send (ends[0], body, 0).ok () && socket::receive (ends[1], body, 0).ok (), "turn over");
    for (void *const each : ends)
        must (socket::close (each).ok (), "close");
}

}  // namespace zlink::test

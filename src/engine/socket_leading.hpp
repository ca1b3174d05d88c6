// One turn of the thread that leads: what socket_wait.cpp and
// socket_patience.cpp share. The leader's own; no lock.
#pragma once

#include <array>

#include "engine/socket_core.hpp"

namespace zlink::engine {

struct socket_core::leading
{
    std::uint32_t sequence = 0;
    time_ns deadline = base::never_ns;
    time_ns patience = 0;           // it looks for so long before it sleeps
    time_ns looked = 0;             // and did until then, about
    std::size_t patient_bytes = 0;  // it waits for so many, and looks seldom; 0: often
    time_ns due = 0;                // it gets up for what is due then; 0: it does not
    time_ns early = 0;              // so long before
    std::array<base::poll_event, events_per_harvest_max> events;
    std::size_t count = 0;
    bool moved = false;      // the word, while spinning
    bool late_look = false;  // the spin took longer than it should
    bool slept = false;
    bool interrupted = false;
    time_ns took_to_rise = -1;  // when it slept before it got up

    [[nodiscard]] bool has_news () const noexcept { return count > 0 || moved; }
};

}  // namespace zlink::engine

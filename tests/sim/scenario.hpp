// A random scenario per seed: sockets, links between them over sim:// and
// inproc://, callers in fibres, a network on a bad day. It fails the
// simulation (and so ends the process) when a promise is broken.
//
// calm:  nothing is lost, so everything accepted has to arrive, soon.
// storm: connections break, endpoints come and go; nothing arrives twice,
//        torn or though refused; what goes where nothing broke is in order and
//        arrives, all of it; once the sky clears, all arrives again.
// rude:  sockets close and the context ends under the callers.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/coverage.hpp"
#include "sim/simulation.hpp"

namespace zlink::sim {

enum class mood : std::uint8_t
{
    calm,
    storm,
    rude,
};

struct scenario_choice
{
    std::uint64_t seed = 0;
    std::optional<mood> as;  // else the seed says
    bool nests = true;       // false: the reactor does all the reading
    bool mixed = false;      // every pattern, not PAIR and PUSH/PULL only
    bool secured = false;    // mechanisms, and strangers: mixed ones only
    bool trace = false;
};

struct scenario_outcome
{
    std::uint64_t fingerprint = 0;
    std::uint64_t calls = 0;
    std::uint64_t messages = 0;  // received
    coverage seen;
};

// Runs it to its end. Does not return when it fails.
scenario_outcome run_scenario (const scenario_choice &choice);

[[nodiscard]] const char *name_of (mood which) noexcept;
[[nodiscard]] mood mood_of (std::uint64_t seed) noexcept;

}  // namespace zlink::sim

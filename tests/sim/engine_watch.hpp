// Looks into the engine at every system call, when nobody holds a socket's
// lock, and fails the simulation when something is not as it has to be:
//
// - a connection goes only from state to state as the table in
//   sim/coverage.hpp says, which counts the changes;
// - credit is conserved: of a connection's mark every message and every byte
//   is either free, owed, unwritten or pending;
// - output that nobody was told to write stands in the list of tails, and the
//   socket with it in its reactor's dirty list;
// - only the holder of the tx claim arms the event of a kernel with room;
// - a claim, a busy endpoint and a leader have a thread that will be back;
// - the lists and counters of a socket are those of its connections.
//
// Thread rule: that of the simulation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulation.hpp"

namespace zlink::engine {
class socket_core;
struct connection;
}  // namespace zlink::engine

namespace zlink::sim {

class engine_watch
{
  public:
    // The simulation calls it from now on; it outlives the simulation's run.
    explicit engine_watch (simulation &sim);
    engine_watch (const engine_watch &) = delete;
    engine_watch &operator= (const engine_watch &) = delete;

    // From now on, and for whatever the slot serves next.
    void add (void *socket);

  private:
    struct known
    {
        const void *object = nullptr;
        std::string_view state = "none";
        bool dialled = false;
        bool armed = false;
    };
    struct slot
    {
        engine::socket_core *of = nullptr;
        std::vector<known> connections;  // by index
    };

    void look ();
    void look_at (slot &which);
    void follow (slot &which, std::size_t index, const engine::connection *now);
    void changed (bool dialled, std::string_view from, std::string_view to);
    void check (const slot &which, bool good, const char *what) const;
    void check_connection (const slot &which, const engine::connection &each) const;
    void check_credit (const slot &which, const engine::connection &each) const;
    void check_socket (const slot &which) const;

    simulation &sim_;
    std::vector<slot> slots_;
};

}  // namespace zlink::sim

// Somebody who asks a scenario's sockets how they are, all the time and in
// every way: counters, peers, endpoints, events, monitors, watchers, options.
//
// It disturbs nobody, and what it hears must make sense.
// Thread rule: runs in a fibre of its own.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/callers.hpp"

namespace zlink::sim {

// A socket and an endpoint that it has bound or connected, most of the time.
struct known_endpoint
{
    const socket_seat *at = nullptr;
    std::string text;
    bool bound = false;
};

class onlooker
{
  public:
    onlooker (stage &on, void *context, std::span<const known_endpoint> endpoints)
      : on_ (on), sim_ (on.world.sim), context_ (context), endpoints_ (endpoints.begin (), endpoints.end ())
    {
    }

    // So many looks.
    void look (unsigned count);

  private:
    // Of one endpoint's socket, for the length of one look.
    struct view
    {
        const known_endpoint &of;
        void *handle;
    };

    void look_once ();
    void at_counters (const view &of);
    void at_rows (const view &of);
    void at_endpoint (const view &of);
    void at_peers (const view &of);
    void at_context ();
    void with_watcher (const view &of);
    void with_events (const view &of);
    void with_monitor (const view &of);
    void with_fresh_monitor (const view &of);
    void read_monitor (void *reader);
    // True when the call was answered; fails for an answer that is neither one
    // of these nor due to the end of the socket.
    bool
    judge (const view &of, base::errc code, std::initializer_list<base::errc> expected, const char *what);

    stage &on_;
    simulation &sim_;
    void *const context_;
    const std::vector<known_endpoint> endpoints_;
    unsigned monitors_ = 0;
};

}  // namespace zlink::sim

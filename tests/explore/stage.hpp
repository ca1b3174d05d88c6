// What a small scenario plays on: a virtual world, a context, sockets, callers
// in fibres, and a book of who sent and received which number.
//
// Every failure ends the simulation. Made and used inside the director's fibre.
// Thread rule: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/world.hpp"

namespace zlink::explore {

using base::time_ns;

enum class kind : int  // zmq.h's numbers
{
    pair = 0,
    pull = 7,
    push = 8,
};

struct marks
{
    int send = 1;
    int receive = 1;
};

class stage
{
  public:
    stage (sim::simulation &sim, const sim::world_choice &choice);
    stage (const stage &) = delete;
    stage &operator= (const stage &) = delete;

    [[nodiscard]] void *open (kind type, const marks &hwm = {});
    // binder binds, dialer connects; returns when both know their peer.
    void link (void *binder, void *dialer, const std::string &endpoint);
    void set (void *socket, int option, int value);

    // A caller: it has to come home before the end. Answers its fibre's number.
    std::size_t caller (const std::string &name, std::function<void ()> body);

    // Blocking sends of the next so many numbers; ends early when the socket
    // is gone. flags as for socket::send.
    void send (void *socket, unsigned count, unsigned flags = 0);
    // Blocking receives until the socket is gone.
    void receive_all (void *socket);
    // One receive. Nothing when there is none or the socket is gone.
    enum class taken : std::uint8_t
    {
        message,
        nothing,
        gone,
    };
    taken receive (void *socket, unsigned flags);

    // From now on news must come soon.
    void begin ();
    // Until so many numbers have arrived, each once.
    void expect_received (unsigned count);
    // Until the last of so many numbers has arrived.
    void expect_last_of (unsigned count);
    void expect_home ();
    // All of them but those that started first.
    void expect_home_but_receivers (std::size_t first);
    void shut_down ();
    // Closes what is open, wants everybody home and nothing left behind.
    void end ();

    sim::simulation &sim;
    std::optional<sim::virtual_world> world;
    // Of every message.
    std::size_t body_bytes = 8;
    // Messages may be lost: a link is taken down on purpose.
    bool may_lose = false;

  private:
    void wait_until (const char *what, const std::function<bool ()> &done);
    void count (base::bytes_view body);

    void *context_ = nullptr;
    bool context_gone_ = false;
    std::vector<void *> sockets_;
    std::vector<std::size_t> callers_;
    unsigned next_ = 0;
    unsigned received_ = 0;
    std::vector<bool> seen_;
    std::vector<bool> sent_;
};

}  // namespace zlink::explore

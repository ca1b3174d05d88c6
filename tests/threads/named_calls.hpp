// The calls that other threads end, each by its name and with what it is made
// on.
#pragma once

#include <ostream>
#include <span>
#include <string>

#include "threads/crowd.hpp"

namespace zlink::test {

// What a call is made on. All sockets are closed by whoever ends the round.
struct scene
{
    void *context = nullptr;
    void *pull = nullptr;   // bound; nobody sends to it unless busy
    void *push = nullptr;   // connected to it if busy, else to nobody
    void *pair = nullptr;   // without any peer
    void *one = nullptr;    // of the call's own type, bound
    void *peer = nullptr;   // connected to it, if the call names a type for it
    std::string where;      // of pull
    std::string elsewhere;  // of one; else free
};

using call_body = long (*) (const scene &);

// A call by its name. It is repeated until it fails; one that waits does not
// come back before.
struct named_call
{
    const char *name;
    void *scene::*on;  // whose closing ends it
    bool busy;         // messages flow meanwhile
    call_body make;
    // Of calls on one: its type, and its peer's; -1 is none.
    int type = -1;
    int peer_type = -1;
    // What the other side repeats until it fails. Nothing: of a busy call it
    // is the other end of pull and push.
    call_body meanwhile = nullptr;
    bool tcp_only = false;
};

// A case of a suite: a call, and over what its sockets talk.
struct call_over
{
    crowd_transport over;
    named_call call;
    friend void PrintTo (const call_over &of, std::ostream *to)
    {
        *to << of.call.name << " over " << of.over.name;
    }
};
[[nodiscard]] inline std::string name_of_case (const testing::TestParamInfo<call_over> &of)
{
    return std::string (of.param.call.name) + "_over_" + of.param.over.name;
}

// How another thread ends it.
enum class end_by
{
    close,
    shutdown,
    term,
};

// All of them; they last.
[[nodiscard]] std::span<const named_call> named_calls ();

// Those that send one whole message to push and may wait for room.
[[nodiscard]] std::span<const named_call> sending_calls ();

}  // namespace zlink::test

// What the verbs of the socket types do: messages from lines, lines from messages.
//
// Blocks until the count is reached, the input is at its end (of those that only
// send), or time runs out. Input is read on a thread of its own where the socket
// receives, too; that thread ends with the process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/zlink/attachment.hpp"
#include "tools/zlink/line_format.hpp"

namespace zlink::tool {

// How a type is used.
enum class socket_use
{
    sends,
    receives,
    both,      // each when it likes
    requests,  // sends and receives in turn
    replies,
};

struct socket_kind
{
    const char *verb = "";
    const char *summary = "";
    int type = 0;  // of zlink.h
    socket_use use = socket_use::both;
    bool subscribes = false;
};

[[nodiscard]] const std::vector<socket_kind> &socket_kinds ();
// Null: no verb is called so.
[[nodiscard]] const socket_kind *find_kind (std::string_view verb);

class talker;

struct subscriptions
{
    std::vector<std::string> topics;  // neither these nor patterns: everything
    std::vector<std::string> patterns;
};

void add_subscriptions (CLI::App &command, subscriptions &to);
// Of a SUB, before it is attached. Throws a stop.
void subscribe (talker &to, const subscriptions &what);

struct socket_wish
{
    attachment at;
    subscriptions topics;
    std::vector<std::string> data;  // messages as lines; none: standard input
    std::string file;               // one message of one part; empty: none
    line_format format;
    std::string reply;  // of a REP
    bool has_reply = false;
    double rate = 0;          // messages a second; 0: as fast as may be
    std::uint64_t count = 0;  // 0: without end
    unsigned peers = 0;       // to wait for before the first message
};

// 0: done. 1: it could not be. 3: time ran out. What went wrong is on standard error.
[[nodiscard]] int run_socket (const socket_kind &kind, const socket_wish &wish);

}  // namespace zlink::tool

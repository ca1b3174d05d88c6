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

#include "tools/zlink/line_format.hpp"
#include "tools/zlink/option_value.hpp"

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

struct socket_wish
{
    std::vector<std::string> binds;
    std::vector<std::string> connects;
    std::vector<option_value> options;
    std::vector<std::string> subscriptions;  // none: everything
    std::vector<std::string> patterns;
    std::vector<std::string> data;  // messages as lines; none: standard input
    std::string file;               // one message of one part; empty: none
    line_format format;
    std::string reply;  // of a REP
    bool has_reply = false;
    double rate = 0;           // messages a second; 0: as fast as may be
    std::uint64_t count = 0;   // 0: without end
    double time_limit_s = -1;  // of each wait; negative: for ever
    unsigned peers = 0;        // to wait for before the first message
    bool says_where = false;   // tells on standard error what was bound
};

// 0: done. 1: it could not be. 3: time ran out. What went wrong is on standard error.
[[nodiscard]] int run_socket (const socket_kind &kind, const socket_wish &wish);

}  // namespace zlink::tool

// Proxies: between two sockets of any types, and between two places of one pattern.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <zlink/zlink.h>

#include "tools/zlink/attachment.hpp"
#include "tools/zlink/proxy_run.hpp"
#include "tools/zlink/served_counters.hpp"
#include "tools/zlink/socket_run.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

// --- proxy ---

struct spoken_side
{
    std::string text;
    proxy_side side;
};

struct proxy_wish
{
    spoken_side front;
    spoken_side back;
    std::string statistics;
};

// False: `why` says what is wrong with the text.
bool read_side (spoken_side &which, std::string &why)
{
    const std::size_t at = which.text.find ('@');
    const std::string name = which.text.substr (0, at);
    const socket_kind *const kind = find_kind (name);
    if (at == std::string::npos)
        why = "'" + which.text + "' is not of the form TYPE@ENDPOINT, such as xsub@tcp://*:5555";
    else if (kind == nullptr)
        why = "no socket type is called '" + name + "'";
    else {
        which.side.type = kind->type;
        which.side.endpoint = which.text.substr (at + 1);
        return true;
    }
    return false;
}

// --- bridge ---

// The ends of a proxy for one pattern: what faces those that were there first (the
// publishers, those who push, the servers), and what faces everybody else.
struct pattern_row
{
    const char *name;
    int from;
    int to;
};

constexpr std::array patterns = std::to_array<pattern_row> ({
  {"pubsub", ZLINK_XSUB, ZLINK_XPUB},
  {"pipeline", ZLINK_PULL, ZLINK_PUSH},
  {"reqrep", ZLINK_DEALER, ZLINK_ROUTER},
  {"pair", ZLINK_PAIR, ZLINK_PAIR},
});

struct bridge_wish
{
    std::string pattern;
    proxy_side from;
    proxy_side to;
    bool binds_from = false;
    std::vector<std::string> from_options;
    std::vector<std::string> to_options;
    std::string statistics;
};

int run_bridge (bridge_wish &wish)
{
    std::string why;
    if (!read_options (wish.from_options, wish.from.options, why)
        || !read_options (wish.to_options, wish.to.options, why))
        return say_why ("bridge", {exit_wrong_call, why});
    const auto row = std::find_if (patterns.begin (), patterns.end (),
                                   [&wish] (const pattern_row &each) { return wish.pattern == each.name; });
    wish.from.type = row->from;
    wish.to.type = row->to;
    wish.from.connects = !wish.binds_from;
    return row->from == ZLINK_DEALER ? run_proxy ("bridge", wish.to, wish.from, wish.statistics)
                                     : run_proxy ("bridge", wish.from, wish.to, wish.statistics);
}

std::vector<std::string> pattern_names ()
{
    std::vector<std::string> names;
    for (const pattern_row &each : patterns)
        names.emplace_back (each.name);
    return names;
}

}  // namespace

action prepare_proxy (CLI::App &command)
{
    auto wish = std::make_shared<proxy_wish> ();
    command.add_option ("frontend", wish->front.text, "TYPE@ENDPOINT, such as xsub@tcp://*:5555")
      ->required ();
    command.add_option ("backend", wish->back.text, "The same, such as xpub@tcp://*:5556")->required ();
    command.add_flag ("--connect-frontend", wish->front.side.connects, "Connect it, do not bind it");
    command.add_flag ("--connect-backend", wish->back.side.connects, "Connect it, do not bind it");
    add_statistics (command, wish->statistics);
    return [wish] {
        std::string why;
        if (!read_side (wish->front, why) || !read_side (wish->back, why))
            return say_why ("proxy", {exit_wrong_call, why});
        return run_proxy ("proxy", wish->front.side, wish->back.side, wish->statistics);
    };
}

action prepare_bridge (CLI::App &command)
{
    auto wish = std::make_shared<bridge_wish> ();
    command
      .add_option ("from", wish->from.endpoint, "Where the publishers, pushers or servers are; connected")
      ->required ();
    command.add_option ("to", wish->to.endpoint, "Where they shall be, too; bound")->required ();
    command.add_option ("--pattern", wish->pattern, "What is spoken there")
      ->required ()
      ->check (CLI::IsMember (pattern_names ()));
    command.add_flag ("--bind-from", wish->binds_from, "Bind the first, do not connect it");
    command.add_flag ("--connect-to", wish->to.connects, "Connect the second, do not bind it");
    command
      .add_option ("--from-option", wish->from_options,
                   "A socket option of the first, NAME=VALUE; may be repeated")
      ->allow_extra_args (false);
    command.add_option ("--to-option", wish->to_options, "The same of the second; may be repeated")
      ->allow_extra_args (false);
    add_statistics (command, wish->statistics);
    command.footer ("For example from tcp to WebSocket:\n"
                    "zlink bridge tcp://server:5555 ws://*:8080/news --pattern pubsub");
    return [wish] { return run_bridge (*wish); };
}

}  // namespace zlink::tool

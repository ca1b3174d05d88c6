// The verbs of the socket types: one set of options for all of them.
#include <memory>

#include <CLI/CLI.hpp>

#include "tools/zlink/checks.hpp"
#include "tools/zlink/socket_run.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

struct spoken
{
    socket_wish wish;
    bool hex = false;
    bool json = false;
};

void add_input (CLI::App &command, spoken &what)
{
    command.add_option ("-d,--data", what.wish.data, "A message, written as a line; may be repeated")
      ->allow_extra_args (false);
    command.add_option ("-f,--file", what.wish.file, "A file, sent as one message");
    command.add_option ("--rate", what.wish.rate, "Messages a second at most")->check (above_0 ());
    command.add_option ("--wait", what.wish.peers,
                        "Peers to wait for before the first message (subscribers, of who publishes)");
}

void add_common (CLI::App &command, spoken &what)
{
    add_attachment (command, what.wish.at);
    command.add_option ("-n,--count", what.wish.count, "End behind so many messages");
    command.add_flag ("--hex", what.hex, "Parts are written in hexadecimal digits");
    command.add_flag ("--json", what.json, R"(Messages are written as ["part", {"hex": "00ff"}])");
    command.add_option ("--separator", what.wish.format.separator,
                        "What stands between parts in a line (a tab); empty: a line is one part");
}

action prepare_kind (CLI::App &command, const socket_kind &kind)
{
    auto what = std::make_shared<spoken> ();
    add_common (command, *what);
    if (kind.use != socket_use::receives && kind.use != socket_use::replies)
        add_input (command, *what);
    if (kind.subscribes)
        add_subscriptions (command, what->wish.topics);
    CLI::Option *const reply =
      kind.use == socket_use::replies
        ? command.add_option ("-r,--reply", what->wish.reply, "The answer, as a line (the request itself)")
        : nullptr;
    return [what, reply, &kind] {
        const auto refuse = [&kind] (const std::string &why) {
            std::fprintf (stderr, "zlink %s: %s\n", kind.verb, why.c_str ());
            return exit_wrong_call;
        };
        socket_wish &wish = what->wish;
        wish.has_reply = reply != nullptr && reply->count () > 0;
        wish.format.as = what->json ? view::json : what->hex ? view::hex : view::text;
        if (what->json && what->hex)
            return refuse ("--hex and --json exclude each other");
        std::string why;
        if (!settle (wish.at, why))
            return refuse (why);
        return run_socket (kind, wish);
    };
}

}  // namespace

void add_subscriptions (CLI::App &command, subscriptions &to)
{
    command.add_option ("-s,--subscribe", to.topics, "What topics begin with; may be repeated")
      ->allow_extra_args (false);
    command.add_option ("-p,--pattern", to.patterns, "A pattern of topics; may be repeated")
      ->allow_extra_args (false);
}

void add_socket_verbs (std::vector<verb> &to)
{
    for (const socket_kind &kind : socket_kinds ())
        to.push_back (
          {kind.verb, kind.summary, [&kind] (CLI::App &command) { return prepare_kind (command, kind); }});
}

}  // namespace zlink::tool

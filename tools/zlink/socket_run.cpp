#include "tools/zlink/socket_run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <thread>

#include <zlink/zlink.h>

#include "tools/zlink/talker.hpp"

namespace zlink::tool {

namespace {

// The verb's messages, over its socket.
class run
{
  public:
    run (const socket_kind &kind, const socket_wish &wish)
      : kind_ (kind), wish_ (wish), talker_ (kind.type, wish.at)
    {
    }

    void close () { talker_.close (); }

    void open ()
    {
        if (kind_.type == ZLINK_STREAM && !is_set (ZLINK_STREAM_RAW)) {
            const int raw = 1;
            talker_.set (ZLINK_STREAM_RAW, &raw, sizeof raw, "STREAM_RAW");
        }
        if (kind_.subscribes)
            subscribe (talker_, wish_.topics);
        talker_.attach ();
        if (wish_.peers > 0)
            talker_.await_peers (wish_.peers);
    }

    void send_all ()
    {

        if (!wish_.file.empty ())
            send (file_content ());
        for (const std::string &each : wish_.data)
            send (message_of (each));
        if (!wish_.file.empty () || !wish_.data.empty ())
            return;
        for (std::string line; may_send () && std::getline (std::cin, line);)
            send (message_of (line));
    }

    void receive_all ()
    {
        for (std::uint64_t i = 0; wish_.count == 0 || i < wish_.count; ++i)
            print (talker_.receive ());
    }

    void request_all ()
    {
        const auto ask = [this] (const parts &what) {
            send (what);
            print (talker_.receive ());
        };
        if (!wish_.file.empty ())
            ask (file_content ());
        for (const std::string &each : wish_.data)
            ask (message_of (each));
        if (!wish_.file.empty () || !wish_.data.empty ())
            return;
        for (std::string line; may_send () && std::getline (std::cin, line);)
            ask (message_of (line));
    }

    void reply_all ()
    {
        for (std::uint64_t i = 0; wish_.count == 0 || i < wish_.count; ++i) {
            const parts request = talker_.receive ();
            print (request);
            send (wish_.has_reply ? message_of (wish_.reply) : request);
        }
    }

  private:
    [[nodiscard]] bool is_set (int number) const
    {
        return std::any_of (wish_.at.options.begin (), wish_.at.options.end (),
                            [number] (const option_value &each) { return each.number == number; });
    }
    // Of who receives the count is of what comes.
    [[nodiscard]] bool may_send () const
    {
        const bool counts = kind_.use == socket_use::sends || kind_.use == socket_use::requests;
        return !counts || wish_.count == 0 || sent_ < wish_.count;
    }

    [[nodiscard]] parts file_content () const
    {
        std::ifstream from (wish_.file, std::ios::binary);
        if (!from)
            throw stop{exit_failed, "cannot read " + wish_.file};
        return {std::string (std::istreambuf_iterator<char> (from), {})};
    }
    [[nodiscard]] parts message_of (const std::string &line) const
    {
        parts message;
        std::string why;
        if (!read_line (wish_.format, line, message, why))
            throw stop{exit_failed, why};
        return message;
    }

    void keep_pace ()
    {
        if (wish_.rate <= 0)
            return;
        const auto now = std::chrono::steady_clock::now ();
        if (!next_)
            next_ = now;
        std::this_thread::sleep_until (*next_);
        *next_ += std::chrono::duration_cast<std::chrono::steady_clock::duration> (
          std::chrono::duration<double> (1 / wish_.rate));
    }
    // Who deals out waits for somebody to take it, within the time limit.
    void send (const parts &message)
    {
        if (!may_send ())
            return;
        if (kind_.type == ZLINK_PUSH && sent_ == 0)
            talker_.in_time (zlink_wait_peers (talker_.handle (), 1, talker_.limit_ms ()) == 0,
                             "nobody came to take anything");
        keep_pace ();
        talker_.send (message);
        ++sent_;
    }
    void print (const parts &message) const
    {
        const std::string line = show (wish_.format, message) + '\n';
        if (std::fwrite (line.data (), 1, line.size (), stdout) != line.size () || std::fflush (stdout) != 0)
            throw stop{exit_failed, "cannot write what came"};
    }

    const socket_kind &kind_;
    const socket_wish &wish_;
    talker talker_;
    std::uint64_t sent_ = 0;
    std::optional<std::chrono::steady_clock::time_point> next_;
};

// Lines go out while messages come in. A thread that reads the terminal cannot be
// told to stop: it ends with the process, in the middle of what it does.
[[noreturn]] void talk (const socket_kind &kind, const socket_wish &wish)
{
    std::atomic<bool> over{false};
    int code = exit_done;
    run *both = nullptr;
    try {
        both = new run (kind, wish);
        both->open ();
        std::thread sender ([&kind, &over, both] {
            try {
                both->send_all ();
            } catch (const stop &why) {
                if (!over)
                    std::_Exit (say_why (kind.verb, why));
            }
        });
        const bool has_all = !wish.file.empty () || !wish.data.empty ();
        if (!has_all)
            sender.detach ();
        try {
            both->receive_all ();
        } catch (const stop &why) {
            code = say_why (kind.verb, why);
        }
        if (has_all)
            sender.join ();
        over = true;
    } catch (const stop &why) {
        code = say_why (kind.verb, why);
    }
    if (both != nullptr)
        both->close ();
    std::fflush (stdout);
    std::_Exit (code);
}

}  // namespace

void subscribe (talker &to, const subscriptions &what)
{
    for (const std::string &each : what.topics)
        to.set (ZLINK_SUBSCRIBE, each.data (), each.size (), "the subscription " + each);
    for (const std::string &each : what.patterns)
        to.set (ZLINK_SUBSCRIBE_PATTERN, each.data (), each.size (), "the pattern " + each);
    if (what.topics.empty () && what.patterns.empty ())
        to.set (ZLINK_SUBSCRIBE, "", 0, "the subscription to everything");
}

const std::vector<socket_kind> &socket_kinds ()
{
    static const std::vector<socket_kind> kinds = {
      {"pub", "Publish lines", ZLINK_PUB, socket_use::sends, false},
      {"sub", "Print what is published", ZLINK_SUB, socket_use::receives, true},
      {"xpub", "Publish lines, print subscriptions", ZLINK_XPUB, socket_use::both, false},
      {"xsub", "Print what is published, send subscriptions", ZLINK_XSUB, socket_use::both, false},
      {"push", "Deal lines out to workers", ZLINK_PUSH, socket_use::sends, false},
      {"pull", "Print what is dealt out", ZLINK_PULL, socket_use::receives, false},
      {"req", "Ask, a line each, and print the answers", ZLINK_REQ, socket_use::requests, false},
      {"rep", "Print requests and answer them", ZLINK_REP, socket_use::replies, false},
      {"dealer", "Send lines, print what comes", ZLINK_DEALER, socket_use::both, false},
      {"router", "Send lines to peers, print what they send; a peer's name comes first", ZLINK_ROUTER,
       socket_use::both, false},
      {"pair", "Talk with one peer", ZLINK_PAIR, socket_use::both, false},
      {"stream", "The same with peers that do not speak ZMTP", ZLINK_STREAM, socket_use::both, false},
    };
    return kinds;
}

const socket_kind *find_kind (std::string_view verb)
{
    const auto &kinds = socket_kinds ();
    const auto found = std::find_if (kinds.begin (), kinds.end (),
                                     [verb] (const socket_kind &each) { return each.verb == verb; });
    return found == kinds.end () ? nullptr : &*found;
}

int run_socket (const socket_kind &kind, const socket_wish &wish)
{
    if (kind.use == socket_use::both)
        talk (kind, wish);
    try {
        run one (kind, wish);
        one.open ();
        switch (kind.use) {
        case socket_use::sends:
            one.send_all ();
            break;
        case socket_use::receives:
            one.receive_all ();
            break;
        case socket_use::requests:
            one.request_all ();
            break;
        case socket_use::replies:
        case socket_use::both:
            one.reply_all ();
            break;
        }
    } catch (const stop &why) {
        return say_why (kind.verb, why);
    }
    return exit_done;
}

}  // namespace zlink::tool

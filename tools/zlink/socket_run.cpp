#include "tools/zlink/socket_run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <zlink/zlink.h>

namespace zlink::tool {

namespace {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_late = 3;

// Why a run ends before its time.
struct stop
{
    int code;
    std::string why;
};

// The socket and its context, for the length of a run.
class run
{
  public:
    run (const socket_kind &kind, const socket_wish &wish) : kind_ (kind), wish_ (wish) {}
    ~run () { close (); }
    run (const run &) = delete;
    run &operator= (const run &) = delete;

    // What was sent goes out first, within the time limit.
    void close ()
    {
        if (socket_ != nullptr)
            zlink_close (std::exchange (socket_, nullptr));
        if (context_ != nullptr)
            zlink_ctx_term (std::exchange (context_, nullptr));
    }

    void open ()
    {
        context_ = zlink_ctx_new ();
        socket_ = context_ == nullptr ? nullptr : zlink_socket (context_, kind_.type);
        demand (socket_ != nullptr, "cannot make the socket");
        const int limit = limit_ms ();
        for (const int number : {ZLINK_SNDTIMEO, ZLINK_RCVTIMEO, ZLINK_LINGER})
            set (number, &limit, sizeof limit, "the time limit");
        for (const option_value &each : wish_.options)
            set (each.number, each.bytes.data (), each.bytes.size (), each.name);
        if (kind_.type == ZLINK_STREAM && !is_set (ZLINK_STREAM_RAW)) {
            const int raw = 1;
            set (ZLINK_STREAM_RAW, &raw, sizeof raw, "STREAM_RAW");
        }
        subscribe ();
        for (const std::string &each : wish_.binds)
            bind (each);
        for (const std::string &each : wish_.connects)
            demand (zlink_connect (socket_, each.c_str ()) == 0, "cannot connect to " + each);
        if (wish_.peers > 0)
            await_peers ();
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
            print (receive ());
    }

    void request_all ()
    {
        const auto ask = [this] (const parts &what) {
            send (what);
            print (receive ());
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
            const parts request = receive ();
            print (request);
            send (wish_.has_reply ? message_of (wish_.reply) : request);
        }
    }

  private:
    [[nodiscard]] int limit_ms () const
    {
        return wish_.time_limit_s < 0 ? -1 : static_cast<int> (std::lround (wish_.time_limit_s * 1e3));
    }
    [[nodiscard]] bool is_set (int number) const
    {
        return std::any_of (wish_.options.begin (), wish_.options.end (),
                            [number] (const option_value &each) { return each.number == number; });
    }
    // Of who receives the count is of what comes.
    [[nodiscard]] bool may_send () const
    {
        const bool counts = kind_.use == socket_use::sends || kind_.use == socket_use::requests;
        return !counts || wish_.count == 0 || sent_ < wish_.count;
    }

    // of: what was to be done, for the message.
    static void demand (bool good, const std::string &what)
    {
        if (!good)
            throw stop{exit_failed, what + ": " + zlink_strerror (zlink_errno ())};
    }
    void in_time (bool good, const char *what) const
    {
        if (!good && (zlink_errno () == EAGAIN || zlink_errno () == ETIMEDOUT))
            throw stop{exit_late, fmt::format ("{} within {} s", what, wish_.time_limit_s)};
        demand (good, what);
    }
    void set (int number, const void *value, std::size_t size, const std::string &what)
    {
        demand (zlink_setsockopt (socket_, number, value, size) == 0, "cannot set " + what);
    }
    void subscribe ()
    {
        if (!kind_.subscribes)
            return;
        for (const std::string &each : wish_.subscriptions)
            set (ZLINK_SUBSCRIBE, each.data (), each.size (), "the subscription " + each);
        for (const std::string &each : wish_.patterns)
            set (ZLINK_SUBSCRIBE_PATTERN, each.data (), each.size (), "the pattern " + each);
        if (wish_.subscriptions.empty () && wish_.patterns.empty ())
            set (ZLINK_SUBSCRIBE, "", 0, "the subscription to everything");
    }
    void bind (const std::string &endpoint)
    {
        demand (zlink_bind (socket_, endpoint.c_str ()) == 0, "cannot bind to " + endpoint);
        char where[512] = "";
        std::size_t size = sizeof where;
        if (wish_.says_where && zlink_getsockopt (socket_, ZLINK_LAST_ENDPOINT, where, &size) == 0)
            std::fprintf (stderr, "bound to %s\n", where);
    }
    void await_peers ()
    {
        const bool publishes = kind_.type == ZLINK_PUB || kind_.type == ZLINK_XPUB;
        const auto wait = publishes ? zlink_wait_subscribers : zlink_wait_peers;
        in_time (wait (socket_, wish_.peers, limit_ms ()) == 0, "not so many peers came");
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
            in_time (zlink_wait_peers (socket_, 1, limit_ms ()) == 0, "nobody came to take anything");
        keep_pace ();
        for (std::size_t i = 0; i < message.size (); ++i) {
            const int flags = i + 1 < message.size () ? ZLINK_SNDMORE : 0;
            in_time (zlink_send (socket_, message[i].data (), message[i].size (), flags) >= 0,
                     "could not send");
        }
        ++sent_;
    }
    [[nodiscard]] parts receive ()
    {
        parts message;
        for (bool more = true; more;) {
            zlink_msg_t part;
            zlink_msg_init (&part);
            in_time (zlink_msg_recv (&part, socket_, 0) >= 0, "nothing came");
            message.emplace_back (static_cast<const char *> (zlink_msg_data (&part)), zlink_msg_size (&part));
            more = zlink_msg_more (&part) != 0;
            zlink_msg_close (&part);
        }
        return message;
    }
    void print (const parts &message) const
    {
        const std::string line = show (wish_.format, message) + '\n';
        if (std::fwrite (line.data (), 1, line.size (), stdout) != line.size () || std::fflush (stdout) != 0)
            throw stop{exit_failed, "cannot write what came"};
    }

    const socket_kind &kind_;
    const socket_wish &wish_;
    void *context_ = nullptr;
    void *socket_ = nullptr;
    std::uint64_t sent_ = 0;
    std::optional<std::chrono::steady_clock::time_point> next_;
};

int fail (const socket_kind &kind, const stop &why)
{
    std::fprintf (stderr, "zlink %s: %s\n", kind.verb, why.why.c_str ());
    return why.code;
}

// Lines go out while messages come in. A thread that reads the terminal cannot be
// told to stop: it ends with the process, in the middle of what it does.
[[noreturn]] void talk (const socket_kind &kind, const socket_wish &wish)
{
    auto *const both = new run (kind, wish);
    std::atomic<bool> over{false};
    int code = exit_done;
    try {
        both->open ();
        std::thread sender ([&kind, &over, both] {
            try {
                both->send_all ();
            } catch (const stop &why) {
                if (!over)
                    std::_Exit (fail (kind, why));
            }
        });
        const bool has_all = !wish.file.empty () || !wish.data.empty ();
        if (!has_all)
            sender.detach ();
        try {
            both->receive_all ();
        } catch (const stop &why) {
            code = fail (kind, why);
        }
        if (has_all)
            sender.join ();
        over = true;
    } catch (const stop &why) {
        code = fail (kind, why);
    }
    both->close ();
    std::fflush (stdout);
    std::_Exit (code);
}

}  // namespace

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
        return fail (kind, why);
    }
    return exit_done;
}

}  // namespace zlink::tool

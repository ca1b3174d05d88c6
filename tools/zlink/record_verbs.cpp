// What comes goes into a file with its times, and out again as it came.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <zlink/zlink.h>

#include "tools/zlink/checks.hpp"
#include "tools/zlink/recording.hpp"
#include "tools/zlink/socket_run.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/termination.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

using steady = std::chrono::steady_clock;

constexpr const char *standard = "-";  // the name of standard input and output

// --- recording ---

struct recording_wish
{
    std::string file;
    std::string type = "sub";
    attachment at;
    subscriptions topics;
    std::uint64_t count = 0;  // 0: without end
    double seconds = 0;       // 0: without end
};

class recorder
{
  public:
    explicit recorder (const recording_wish &wish, const socket_kind &kind)
      : wish_ (wish), kind_ (kind), talker_ (kind.type, wish.at)
    {
    }

    void run ()
    {
        open_file ();
        if (kind_.subscribes)
            subscribe (talker_, wish_.topics);
        const auto now = std::chrono::system_clock::to_time_t (std::chrono::system_clock::now ());
        write (line_of (recording_head{kind_.verb, fmt::format ("{:%FT%TZ}", fmt::gmtime (now))}));
        talker_.attach ();
        began_ = steady::now ();
        parts message;
        for (std::uint64_t i = 0; wish_.count == 0 || i < wish_.count; ++i) {
            while (!talker_.receive_now (message))
                if (!wait ())
                    return flush ();
            const auto at = std::chrono::nanoseconds (steady::now () - began_);
            write (line_of (recorded_message{at.count (), message}));
        }
        flush ();
    }

  private:
    void open_file ()
    {
        if (wish_.file == standard)
            return;
        file_.open (wish_.file, std::ios::binary | std::ios::trunc);
        if (!file_)
            throw stop{exit_failed, "cannot write " + wish_.file + ": " + std::strerror (errno)};
        out_ = &file_;
    }
    void write (const std::string &line)
    {
        if (!(*out_ << line << '\n'))
            throw stop{exit_failed, "cannot write all of " + wish_.file};
    }
    void flush ()
    {
        if (!out_->flush ())
            throw stop{exit_failed, "cannot write all of " + wish_.file};
    }

    // How long the next message may take: the shorter of both limits, in ms; -1: for ever.
    [[nodiscard]] long patience_ms () const
    {
        long patience = talker_.limit_ms ();
        if (wish_.seconds > 0) {
            const auto end = began_ + std::chrono::duration<double> (wish_.seconds);
            const auto left = std::chrono::ceil<std::chrono::milliseconds> (end - steady::now ()).count ();
            patience = patience < 0 ? std::max (left, 0L) : std::clamp (left, 0L, patience);
        }
        return patience;
    }
    // False: the recording is over.
    bool wait ()
    {
        flush ();
        zlink_pollitem_t item{talker_.handle (), -1, ZLINK_POLLIN, 0};
        const int ready = zlink_ppoll (&item, 1, patience_ms (), &ending_.open_mask ());
        if (ending_.is_asked_for ())
            return false;
        talker::demand (ready >= 0 || zlink_errno () == EINTR, "cannot wait");
        if (ready != 0)
            return true;
        if (wish_.seconds > 0 && steady::now () >= began_ + std::chrono::duration<double> (wish_.seconds))
            return false;
        throw stop{exit_late, fmt::format ("nothing came within {} s", wish_.at.time_limit_s)};
    }

    const recording_wish &wish_;
    const socket_kind &kind_;
    termination ending_;
    talker talker_;
    std::ofstream file_;
    std::ostream *out_ = &std::cout;
    steady::time_point began_;
};

int record (recording_wish &wish)
{
    const socket_kind *const kind = find_kind (wish.type);
    std::string why;
    if (kind == nullptr)
        why = "no socket type is called '" + wish.type + "'";
    else if (kind->use != socket_use::receives && kind->use != socket_use::both)
        why = "a socket of --type " + wish.type + " does not receive by itself: take sub, pull or their like";
    else if (settle (wish.at, why)) {
        recorder (wish, *kind).run ();
        return exit_done;
    }
    throw stop{exit_wrong_call, why};
}

// --- replaying ---

struct replay_wish
{
    std::string file;
    std::string type;  // empty: what fits the recording
    attachment at;
    double speed = 1;  // 0: as fast as may be
    unsigned peers = 0;
    std::uint64_t times = 1;
};

// The type that speaks to who would have recorded it.
std::string counterpart_of (const std::string &recorded)
{
    if (recorded == "sub" || recorded == "xsub")
        return "pub";
    return recorded == "pull" ? "push" : recorded;
}

class player
{
  public:
    explicit player (const replay_wish &wish) : wish_ (wish) {}

    void run ()
    {
        open_file ();
        const recording_head head = read_head ();
        const std::string type = wish_.type.empty () ? counterpart_of (head.type) : wish_.type;
        const socket_kind *const kind = find_kind (type);
        if (kind == nullptr)
            throw stop{exit_wrong_call, "no socket type is called '" + type + "': see --type"};
        if (kind->use != socket_use::sends && kind->use != socket_use::both)
            throw stop{exit_wrong_call, "a socket of --type " + type
                                          + " does not send by itself: take pub, push or their like"};
        talker talks (kind->type, wish_.at);
        talks.attach ();
        if (wish_.peers > 0)
            talks.await_peers (wish_.peers);
        play (talks);
        for (std::uint64_t i = 1; i < wish_.times; ++i) {
            rewind ();
            play (talks);
        }
        talks.close ();
    }

  private:
    void open_file ()
    {
        if (wish_.file == standard)
            return;
        file_.open (wish_.file, std::ios::binary);
        if (!file_)
            throw stop{exit_failed, "cannot read " + wish_.file + ": " + std::strerror (errno)};
        in_ = &file_;
    }
    void rewind ()
    {
        in_->clear ();
        if (!in_->seekg (0))
            throw stop{exit_failed, "cannot read " + wish_.file + " again: --times takes a file"};
        line_ = 0;
        read_head ();
    }
    // False: there is none.
    bool next_line (std::string &text)
    {
        ++line_;
        return static_cast<bool> (std::getline (*in_, text));
    }
    [[noreturn]] void complain (const std::string &why) const
    {
        throw stop{exit_failed, fmt::format ("{}, line {}: {}", wish_.file, line_, why)};
    }
    recording_head read_head ()
    {
        recording_head head;
        std::string text;
        std::string why = "it is empty";
        if (!next_line (text) || !read_recorded (text, head, why))
            complain (why);
        return head;
    }
    void play (talker &talks)
    {
        std::optional<steady::time_point> zero;
        recorded_message next;
        for (std::string text, why; next_line (text);) {
            if (!read_recorded (text, next, why))
                complain (why);
            const auto now = steady::now ();
            if (wish_.speed > 0) {
                const std::chrono::duration<double, std::nano> at (double (next.at_ns) / wish_.speed);
                const auto offset = std::chrono::duration_cast<steady::duration> (at);
                if (!zero)  // the first goes at once
                    zero = now - offset;
                std::this_thread::sleep_until (*zero + offset);
            }
            talks.send (next.message);
        }
    }

    const replay_wish &wish_;
    std::ifstream file_;
    std::istream *in_ = &std::cin;
    std::uint64_t line_ = 0;
};

// What a verb does, with what went wrong as its exit code.
template <class Run> int guarded (const char *verb, Run run)
{
    try {
        return run ();
    } catch (const stop &why) {
        return say_why (verb, why);
    }
}

}  // namespace

action prepare_record (CLI::App &command)
{
    auto wish = std::make_shared<recording_wish> ();
    command.add_option ("file", wish->file, "Where to; - is standard output")->required ();
    add_attachment (command, wish->at);
    command.add_option ("--type", wish->type, "As which type of socket (sub)");
    add_subscriptions (command, wish->topics);
    command.add_option ("-n,--count", wish->count, "End behind so many messages");
    command.add_option ("--seconds", wish->seconds, "End after so long")->check (above_0 ());
    command.footer ("Ends well at SIGINT and SIGTERM, too. The format is JSON, a line for each message.");
    return [wish] { return guarded ("record", [&] { return record (*wish); }); };
}

action prepare_replay (CLI::App &command)
{
    auto wish = std::make_shared<replay_wish> ();
    command.add_option ("file", wish->file, "What was recorded; - is standard input")->required ();
    add_attachment (command, wish->at);
    command.add_option ("--type", wish->type, "As which type of socket (what speaks to the recording's)");
    command.add_option ("--speed", wish->speed, "How many times as fast (1); 0: as fast as may be")
      ->check (not_below_0 ());
    command.add_option ("--wait", wish->peers,
                        "Peers to wait for before the first message (subscribers, of who publishes)");
    command.add_option ("--times", wish->times, "How often, one after the other (1)")->check (above_0 ());
    return [wish] {
        return guarded ("replay", [&] {
            std::string why;
            if (!settle (wish->at, why))
                throw stop{exit_wrong_call, why};
            player (*wish).run ();
            return exit_done;
        });
    };
}

}  // namespace zlink::tool

// Topics of a mesh of nodes: published to, printed, and watched as a table.
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlink/zlink.h>

#include "tools/zlink/checks.hpp"
#include "tools/zlink/line_format.hpp"
#include "tools/zlink/live_view.hpp"
#include "tools/zlink/ordered_reading.hpp"
#include "tools/zlink/spot_member.hpp"
#include "tools/zlink/spot_topics.hpp"
#include "tools/zlink/talker.hpp"
#include "tools/zlink/termination.hpp"
#include "tools/zlink/verbs.hpp"

namespace zlink::tool {

namespace {

constexpr std::size_t topic_bytes_max = 255;
constexpr int look_ms = 100;  // between looks at whether it is to end

struct spot_wish
{
    std::string action;
    membership in;
    std::vector<std::string> topics;
    std::vector<std::string> prefixes;
    std::vector<std::string> patterns;
    std::vector<std::string> ordered_texts;  // TOPIC=PARTITIONS, as they were written
    std::vector<ordered_wish> ordered;
    std::vector<std::string> data;
    line_format format;
    bool hex = false;
    double time_limit_s = -1;
    double rate = 0;
    std::optional<unsigned> nodes;  // that are waited for
    bool is_whole = false;
    live_wish shown;  // its count is of messages, too

    [[nodiscard]] bool names_topics () const
    {
        return !topics.empty () || !prefixes.empty () || !patterns.empty ();
    }
    [[nodiscard]] int limit_ms () const
    {
        return time_limit_s < 0 ? -1 : static_cast<int> (std::lround (time_limit_s * 1e3));
    }
};

// A wait that ran into its time limit is told from a failure.
void in_time (bool good, const spot_wish &wish, const char *what)
{
    if (!good && (zlink_errno () == EAGAIN || zlink_errno () == ETIMEDOUT))
        throw stop{exit_late, fmt::format ("{} within {} s", what, wish.time_limit_s)};
    talker::demand (good, what);
}

// Signals may interrupt what is called while it lives.
class open_to_signals
{
  public:
    explicit open_to_signals (const termination &by)
    {
        pthread_sigmask (SIG_SETMASK, &by.open_mask (), &before_);
    }
    ~open_to_signals () { pthread_sigmask (SIG_SETMASK, &before_, nullptr); }
    open_to_signals (const open_to_signals &) = delete;
    open_to_signals &operator= (const open_to_signals &) = delete;

  private:
    sigset_t before_{};
};

void wait_nodes (const spot_wish &wish, const spot_member &by, const termination &ending, unsigned count)
{
    using steady = std::chrono::steady_clock;
    const int limit_ms = wish.limit_ms ();
    const auto end = steady::now () + std::chrono::milliseconds (limit_ms);
    const open_to_signals open (ending);
    while (zlink_spot_node_wait (by.node (), count, look_ms) != 0) {
        const int why = zlink_errno ();
        talker::demand (why == ETIMEDOUT || why == EINTR, "cannot wait for nodes");
        if (ending.is_asked_for ())
            throw stop{exit_done, ""};
        if (limit_ms >= 0 && steady::now () >= end)
            throw stop{exit_late, fmt::format ("{} node{} did not come to read this one within {} s", count,
                                               count == 1 ? "" : "s", wish.time_limit_s)};
    }
}

// --- publishing ---

class spot_publishing
{
  public:
    explicit spot_publishing (const spot_wish &wish) : wish_ (wish), member_ (wish.in, wish.limit_ms ())
    {
        publisher_ = zlink_spot_pub_new (member_.node ());
        talker::demand (publisher_ != nullptr, "cannot publish");
        try {
            member_.enter ();
        } catch (const stop &) {
            zlink_spot_pub_destroy (&publisher_);
            throw;
        }
    }
    ~spot_publishing () { zlink_spot_pub_destroy (&publisher_); }
    spot_publishing (const spot_publishing &) = delete;
    spot_publishing &operator= (const spot_publishing &) = delete;

    void run ()
    {
        if (const unsigned wanted = wish_.nodes.value_or (1); wanted > 0)
            wait_nodes (wish_, member_, ending_, wanted);
        const open_to_signals open (ending_);
        for (const std::string &each : wish_.data)
            if (may_go_on ())
                publish (each);
        if (!wish_.data.empty ())
            return;
        for (std::string line; may_go_on () && std::getline (std::cin, line);)
            publish (line);
    }

  private:
    [[nodiscard]] bool may_go_on () const
    {
        return !ending_.is_asked_for () && (wish_.shown.count == 0 || sent_ < wish_.shown.count);
    }
    void publish (const std::string &line)
    {
        parts message;
        std::string why;
        if (!read_line (wish_.format, line, message, why))
            throw stop{exit_failed, why};
        std::string topic;
        if (wish_.topics.empty ()) {
            topic = message.front ();
            message.erase (message.begin ());
            if (message.empty ())
                message.emplace_back ();
        } else {
            topic = wish_.topics.front ();
        }
        if (topic.empty () || topic.size () > topic_bytes_max || topic.find ('\0') != std::string::npos)
            throw stop{exit_failed, fmt::format ("'{}' is no topic: it has 1 to {} bytes, none of them 0",
                                                 topic, topic_bytes_max)};
        keep_pace ();
        send (topic, message);
        ++sent_;
    }
    void send (const std::string &topic, const parts &message)
    {
        std::vector<zlink_msg_t> all (message.size ());
        bool good = true;
        for (std::size_t i = 0; i < all.size (); ++i)
            good &= zlink_msg_init_buffer (&all[i], message[i].data (), message[i].size ()) == 0;
        talker::demand (good, "cannot make a message");
        good = zlink_spot_pub_publish (publisher_, topic.c_str (), all.data (), all.size (), 0) == 0;
        if (!good)
            for (zlink_msg_t &each : all)
                zlink_msg_close (&each);
        in_time (good, wish_, "could not publish");
    }
    void keep_pace ()
    {
        if (wish_.rate <= 0)
            return;
        next_ = std::max (next_, std::chrono::steady_clock::now ());
        std::this_thread::sleep_until (next_);
        next_ += std::chrono::duration_cast<std::chrono::steady_clock::duration> (
          std::chrono::duration<double> (1 / wish_.rate));
    }

    const spot_wish &wish_;
    termination ending_;
    spot_member member_;
    void *publisher_ = nullptr;
    std::uint64_t sent_ = 0;
    std::chrono::steady_clock::time_point next_;
};

// --- reading ---

class spot_reader
{
  public:
    explicit spot_reader (const spot_wish &wish) : member_ (wish.in, 0)
    {
        subscriber_ = zlink_spot_sub_new (member_.node ());
        talker::demand (subscriber_ != nullptr, "cannot subscribe");
        try {
            subscribe (wish);
            member_.enter ();
        } catch (const stop &) {
            zlink_spot_sub_destroy (&subscriber_);
            throw;
        }
    }
    ~spot_reader () { zlink_spot_sub_destroy (&subscriber_); }
    spot_reader (const spot_reader &) = delete;
    spot_reader &operator= (const spot_reader &) = delete;

    // False: not within the time.
    bool next (zlink_spot_message_t &to, int timeout_ms)
    {
        to.size = sizeof to;
        const bool came = zlink_spot_sub_next (subscriber_, &to, timeout_ms) == 0;
        talker::demand (came || zlink_errno () == EAGAIN || zlink_errno () == EINTR, "cannot receive");
        return came;
    }
    [[nodiscard]] spot_topics::lag lag () const
    {
        zlink_spot_counters_t now{};
        now.size = sizeof now;
        talker::demand (zlink_spot_sub_counters (subscriber_, &now) == 0, "cannot count");
        return {now.waiting, now.dropped};
    }
    [[nodiscard]] const spot_member &member () const noexcept { return member_; }

  private:
    void subscribe (const spot_wish &wish)
    {
        for (const std::string &each : wish.topics)
            talker::demand (zlink_spot_sub_subscribe (subscriber_, each.c_str ()) == 0,
                            "cannot subscribe to the topic '" + each + "'");
        for (const std::string &each : wish.prefixes)
            talker::demand (zlink_spot_sub_subscribe_pattern (subscriber_, (each + "*").c_str ()) == 0,
                            "cannot subscribe to what begins with '" + each + "'");
        for (const std::string &each : wish.patterns)
            talker::demand (zlink_spot_sub_subscribe_glob (subscriber_, each.c_str ()) == 0,
                            "cannot subscribe to the pattern '" + each + "'");
        if (!wish.names_topics () && wish.ordered.empty ())
            talker::demand (zlink_spot_sub_subscribe_pattern (subscriber_, "*") == 0,
                            "cannot subscribe to everything");
    }

    spot_member member_;
    void *subscriber_ = nullptr;
};

std::string_view view_of (const zlink_msg_t &part)
{
    auto &mutable_part = const_cast<zlink_msg_t &> (part);  // the C interface has no const
    return {static_cast<const char *> (zlink_msg_data (&mutable_part)), zlink_msg_size (&part)};
}

std::string why_missing (int gap)
{
    static constexpr std::array reasons{"",
                                        "this subscriber's queue was full",
                                        "there was no memory",
                                        "a node had no room for this one",
                                        "a connection broke",
                                        "a partition lacks them"};
    const auto which = static_cast<std::size_t> (gap);
    return which < reasons.size () ? reasons[which] : fmt::format ("reason {}", gap);
}

class spot_printing
{
  public:
    explicit spot_printing (const spot_wish &wish) : wish_ (wish), reader_ (wish) {}

    void run ()
    {
        if (wish_.nodes.value_or (0) > 0)
            wait_nodes (wish_, reader_.member (), ending_, *wish_.nodes);
        zlink_spot_message_t got{};
        for (std::uint64_t i = 0; wish_.shown.count == 0 || i < wish_.shown.count;) {
            if (!receive (got))
                return;
            if (got.gap == ZLINK_SPOT_GAP_NONE) {
                print (got);
                ++i;
            } else {
                tell_gap (got);
            }
        }
        flush ();
    }

  private:
    // False: it is to end.
    bool receive (zlink_spot_message_t &got)
    {
        using steady = std::chrono::steady_clock;
        if (reader_.next (got, 0))
            return true;
        flush ();
        const int limit_ms = wish_.limit_ms ();
        const auto end = steady::now () + std::chrono::milliseconds (limit_ms);
        const open_to_signals open (ending_);
        while (!ending_.is_asked_for ()) {
            if (reader_.next (got, look_ms))
                return true;
            if (limit_ms >= 0 && steady::now () >= end)
                throw stop{exit_late, fmt::format ("nothing came within {} s", wish_.time_limit_s)};
        }
        return false;
    }
    void print (const zlink_spot_message_t &what)
    {
        parts message{{what.topic, what.topic_size}};
        for (std::uint32_t i = 0; what.parts != nullptr && i < what.count; ++i)
            message.emplace_back (view_of (what.parts[i]));
        if (what.parts == nullptr)
            message.emplace_back (static_cast<const char *> (what.body), what.body_size);
        const std::string line = show (wish_.format, message) + '\n';
        if (std::fwrite (line.data (), 1, line.size (), stdout) != line.size ())
            throw stop{exit_failed, "cannot write what came"};
    }
    static void flush ()
    {
        if (std::fflush (stdout) != 0)
            throw stop{exit_failed, "cannot write what came"};
    }
    void tell_gap (const zlink_spot_message_t &what)
    {
        flush ();
        const std::string count =
          what.missing == 0 ? "messages may be" : fmt::format ("{} messages are", what.missing);
        const std::string line = fmt::format ("{} missing: {}", count, why_missing (what.gap));
        if (wish_.is_whole)
            throw stop{exit_failed, line};
        fmt::print (stderr, "zlink spot: {}\n", line);
    }

    const spot_wish &wish_;
    termination ending_;
    spot_reader reader_;
};

// --- a table ---

// Reads on a thread of its own, so that nothing waits for a terminal.
class spot_watching
{
  public:
    explicit spot_watching (const spot_wish &wish)
      : wish_ (wish), view_ (wish.shown, "zlink spot top"), reader_ (wish),
        ordered_ (wish.ordered.empty ()
                    ? nullptr
                    : std::make_unique<ordered_reading> (reader_.member ().node (), wish.ordered)),
        thread_ ([this] { read (); })
    {
    }
    ~spot_watching ()
    {
        over_ = true;
        thread_.join ();
    }
    spot_watching (const spot_watching &) = delete;
    spot_watching &operator= (const spot_watching &) = delete;

    int run ()
    {
        auto before = std::chrono::steady_clock::now ();
        for (unsigned done = 1; view_.pause (); ++done) {
            const auto now = std::chrono::steady_clock::now ();
            const double seconds = std::chrono::duration<double> (now - before).count ();
            before = now;
            if (!view_.show (page (seconds)))
                return exit_done;
            if (done == wish_.shown.count)
                return code ();
        }
        return wish_.shown.count == 0 ? exit_done : code ();
    }

  private:
    void read ()
    try {
        zlink_spot_message_t got{};
        while (!over_) {
            if (!reader_.next (got, look_ms))
                continue;
            const std::lock_guard here (lock_);
            if (got.gap == ZLINK_SPOT_GAP_NONE)
                topics_.take ({got.topic, got.topic_size}, got.publisher, bytes_of (got));
            else
                topics_.miss (got.missing);
        }
    } catch (const stop &why) {
        const std::lock_guard here (lock_);
        trouble_ = why.why;
    }
    static std::size_t bytes_of (const zlink_spot_message_t &what)
    {
        std::size_t bytes = what.parts == nullptr ? what.body_size : 0;
        for (std::uint32_t i = 0; what.parts != nullptr && i < what.count; ++i)
            bytes += zlink_msg_size (&what.parts[i]);
        return bytes;
    }
    std::vector<std::string> page (double seconds)
    {
        const spot_topics::lag behind = reader_.lag ();
        const std::lock_guard here (lock_);
        if (!trouble_.empty ())
            throw stop{exit_failed, trouble_};
        return wish_.shown.json ? std::vector{json (seconds, behind)} : table (seconds, behind);
    }
    std::string json (double seconds, const spot_topics::lag &behind)
    {
        nlohmann::ordered_json all = topics_.json (seconds, behind);
        all["partitions"] = ordered_ ? ordered_->json () : nlohmann::ordered_json::array ();
        return all.dump (-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    }
    std::vector<std::string> table (double seconds, const spot_topics::lag &behind)
    {
        std::vector<std::string> lines;
        if (ordered_)
            lines = ordered_->table (seconds);
        if (!ordered_ || wish_.names_topics ()) {
            const std::vector<std::string> more = topics_.table (seconds, behind);
            lines.insert (lines.end (), more.begin (), more.end ());
        }
        return lines;
    }
    // Who looks for a while wants to know whether there was something to see.
    int code ()
    {
        const std::lock_guard here (lock_);
        return topics_.messages () == 0 && (!ordered_ || ordered_->messages () == 0) ? exit_failed
                                                                                     : exit_done;
    }

    const spot_wish &wish_;
    live_view view_;
    spot_reader reader_;
    const std::unique_ptr<ordered_reading> ordered_;  // null: none is asked for
    std::mutex lock_;                                 // of the next ones
    spot_topics topics_;
    std::string trouble_;
    std::atomic<bool> over_{false};
    std::thread thread_;
};

// --- the verb ---

// Empty: what has partitions may be read.
std::string why_not_ordered (const spot_wish &wish)
{
    if (wish.ordered_texts.empty ())
        return {};
    if (wish.action != "top")
        return "--ordered is for zlink spot top";
    if (wish.in.binds.empty ())
        return "--ordered asks owners, which have to reach this node: say where with --bind";
    return {};
}

// Empty: the options go together.
std::string why_not_together (const spot_wish &wish)
{
    const bool publishes = wish.action == "pub";
    if (wish.hex && wish.shown.json)
        return "--hex and --json exclude each other";
    if (!publishes && !wish.data.empty ())
        return "--data is for zlink spot pub";
    if (!publishes && wish.rate > 0)
        return "--rate is for zlink spot pub";
    if (publishes && (!wish.prefixes.empty () || !wish.patterns.empty ()))
        return "one publishes to topics: --prefix and --pattern are for zlink spot sub and top";
    if (publishes && wish.topics.size () > 1)
        return "'" + wish.topics[1]
               + "' is a second topic: what is published comes by --data or standard input";
    return {};
}

std::string why_no_topics (const std::vector<std::string> &topics)
{
    for (const std::string &each : topics)
        if (each.empty () || each.size () > topic_bytes_max)
            return fmt::format ("'{}' is no topic: it has 1 to {} bytes", each, topic_bytes_max);
    return {};
}

bool settle_spot (spot_wish &wish, std::string &why)
{
    why = why_not_together (wish);
    if (why.empty ())
        why = why_not_ordered (wish);
    if (why.empty ())
        why = why_no_topics (wish.topics);
    if (!why.empty () || !read_ordered (wish.ordered_texts, wish.ordered, why))
        return false;
    wish.format.as = wish.shown.json ? view::json : wish.hex ? view::hex : view::text;
    wish.shown.count = wish.shown.once ? 1 : wish.shown.count;
    return settle (wish.in, wish.action == "pub" ? spot_reading::is_read : spot_reading::reads, why);
}

int run_spot (spot_wish &wish)
{
    std::string why;
    if (!settle_spot (wish, why))
        return say_why ("spot", {exit_wrong_call, why});
    try {
        if (wish.action == "top")
            return spot_watching (wish).run ();
        if (wish.action == "pub")
            spot_publishing (wish).run ();
        else
            spot_printing (wish).run ();
        return exit_done;
    } catch (const stop &ended) {
        return ended.code == exit_done ? exit_done : say_why ("spot", ended);
    }
}

}  // namespace

action prepare_spot (CLI::App &command)
{
    auto wish = std::make_shared<spot_wish> ();
    command
      .add_option ("action", wish->action,
                   "pub: publish lines; sub: print what is published; top: show live what goes on")
      ->required ()
      ->check (CLI::IsMember ({"pub", "sub", "top"}));
    command.add_option ("topic", wish->topics,
                        "Topics; of pub one, without which the first part of each line is its topic");
    command.add_option ("--prefix", wish->prefixes, "What topics begin with; may be repeated")
      ->allow_extra_args (false);
    command
      .add_option ("-p,--pattern", wish->patterns,
                   "A pattern of topics, such as room.*.open; may be repeated")
      ->allow_extra_args (false);
    command
      .add_option (
        "--ordered", wish->ordered_texts,
        "TOPIC=PARTITIONS: a partitioned topic, of which top shows owners, numbers and lag; may be "
        "repeated")
      ->allow_extra_args (false);
    add_membership (command, wish->in);
    command.add_option ("-d,--data", wish->data, "A message, written as a line; may be repeated")
      ->allow_extra_args (false);
    command.add_option ("--rate", wish->rate, "Messages a second at most")->check (above_0 ());
    command.add_option ("--wait", wish->nodes, "Nodes that read this one, to wait for first (pub: 1)");
    command
      .add_option ("-t,--timeout", wish->time_limit_s,
                   "Seconds that a message, or --wait, may take; then the exit code is 3")
      ->check (not_below_0 ());
    add_live_options (command, wish->shown);
    command.add_flag ("--hex", wish->hex, "Parts are written in hexadecimal digits");
    command.add_option ("--separator", wish->format.separator,
                        "What stands between parts in a line (a tab); empty: a line is one part");
    command.add_flag ("--whole", wish->is_whole, "sub ends with 1 when messages are missing");
    command.footer (
      "Without topics, --prefix, --pattern and --ordered: all that have no partitions. sub prints topic\n"
      "and parts; --count is of messages, of top of readings, whose exit code is 1 then when there was\n"
      "no message. LAG: how far behind the owner's last number top has read.\n"
      "zlink spot sub --bind tcp://127.0.0.1:5570 --seed\n"
      "zlink spot pub room.1 --bind tcp://127.0.0.1:* --join tcp://127.0.0.1:5570 --data hello\n"
      "zlink spot top --peer tcp://127.0.0.1:5570\n"
      "zlink spot top --ordered prices=4 --bind tcp://127.0.0.1:* --join tcp://127.0.0.1:5570");
    return [wish] { return run_spot (*wish); };
}

}  // namespace zlink::tool

#include "tools/zlink/ordered_reading.hpp"

#include <cerrno>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/zlink/talker.hpp"

namespace zlink::tool {

namespace {

constexpr int look_ms = 100;  // between looks at whether it is over

// False: it is none.
bool read_one (const std::string &text, ordered_wish &to)
{
    const std::size_t sign = text.rfind ('=');
    if (sign == std::string::npos || sign == 0)
        return false;
    to.topic = text.substr (0, sign);
    const char *const end = text.data () + text.size ();
    const auto [stopped, fault] = std::from_chars (text.data () + sign + 1, end, to.partitions);
    return fault == std::errc () && stopped == end && to.partitions > 0;
}

}  // namespace

bool read_ordered (const std::vector<std::string> &texts, std::vector<ordered_wish> &to, std::string &why)
{
    for (const std::string &each : texts) {
        ordered_wish one;
        if (!read_one (each, one)) {
            why = "'" + each + "' is no TOPIC=PARTITIONS, such as prices=4";
            return false;
        }
        to.push_back (std::move (one));
    }
    if (to.size () > ordered_wish::topics_max)
        why = fmt::format ("of partitioned topics {} are read at most", ordered_wish::topics_max);
    return why.empty ();
}

ordered_reading::ordered_reading (void *node, const std::vector<ordered_wish> &what)
  : node_ (node), what_ (what)
{
    const int owns = 0;
    talker::demand (zlink_spot_node_setsockopt (node_, ZLINK_SPOT_NODE_SOCKET_NODE, ZLINK_SPOT_NODE_OPT_OWNS,
                                                &owns, sizeof owns)
                      == 0,
                    "cannot own nothing");
    try {
        for (std::size_t i = 0; i < what_.size (); ++i)
            open (i);
        for (std::size_t i = 0; i < what_.size (); ++i)
            threads_.emplace_back ([this, i] { read (i); });
    } catch (...) {
        close ();
        throw;
    }
}

void ordered_reading::open (std::size_t which)
{
    const ordered_wish &wish = what_[which];
    if (!seen_.add (wish.topic, wish.partitions))
        throw stop{exit_failed,
                   fmt::format ("of partitions {} are read at most", ordered_topics::partitions_max)};
    talker::demand (
      zlink_spot_node_declare (node_, wish.topic.c_str (), wish.partitions) == 0,
      fmt::format ("cannot declare the topic '{}' with {} partitions", wish.topic, wish.partitions));
    readers_.push_back (zlink_spot_reader_new (node_, wish.topic.c_str (), ZLINK_SPOT_FROM_NOW, 0));
    talker::demand (readers_.back () != nullptr, "cannot read the topic '" + wish.topic + "'");
}

void ordered_reading::close () noexcept
{
    over_ = true;
    for (std::thread &each : threads_)
        each.join ();
    for (void *each : readers_)
        zlink_spot_reader_destroy (&each);
}

void ordered_reading::read (std::size_t which)
try {
    zlink_spot_event_t got{};
    got.size = sizeof got;
    while (!over_) {
        const bool came = zlink_spot_reader_next (readers_[which], &got, look_ms) == 0;
        talker::demand (came || zlink_errno () == EAGAIN || zlink_errno () == EINTR,
                        "cannot read the topic '" + what_[which].topic + "'");
        const std::lock_guard here (lock_);
        if (came)
            take (which, got);
    }
} catch (const stop &why) {
    const std::lock_guard here (lock_);
    trouble_ = why.why;
}

void ordered_reading::take (std::size_t which, const zlink_spot_event_t &what)
{
    const ordered_topics::place at{which, what.partition};
    if (what.kind == ZLINK_SPOT_EVENT_MESSAGE)
        seen_.take (at, what.sequence, what.body_size);
    else if (what.kind == ZLINK_SPOT_EVENT_GAP)
        seen_.miss (at, what.sequence, what.last);
    else if (what.kind == ZLINK_SPOT_EVENT_EPOCH)
        seen_.begin (at, what.sequence);
}

// Where the partitions stand.
void ordered_reading::look ()
{
    if (!trouble_.empty ())
        throw stop{exit_failed, trouble_};
    for (std::size_t i = 0; i < what_.size (); ++i)
        for (std::uint32_t part = 0; part < what_[i].partitions; ++part) {
            zlink_spot_partition_t now{};
            now.size = sizeof now;
            talker::demand (zlink_spot_node_partition (node_, what_[i].topic.c_str (), part, &now) == 0,
                            "cannot ask for the owner");
            seen_.stand ({i, part}, {.owner = now.owner, .epoch = now.epoch, .last = now.last});
        }
}

std::vector<std::string> ordered_reading::table (double seconds)
{
    const std::lock_guard here (lock_);
    look ();
    return seen_.table (seconds);
}

nlohmann::ordered_json ordered_reading::json ()
{
    const std::lock_guard here (lock_);
    look ();
    return seen_.json ();
}

std::uint64_t ordered_reading::messages ()
{
    const std::lock_guard here (lock_);
    return seen_.messages ();
}

}  // namespace zlink::tool

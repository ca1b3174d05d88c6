#include "tools/zlink/ordered_topics.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/zlink/figures.hpp"

namespace zlink::tool {

namespace {

constexpr const char *row_form = "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>16}  {}";

std::string node_name (std::uint64_t node)
{
    return node == 0 ? std::string ("-") : fmt::format ("{:016x}", node);
}

}  // namespace

bool ordered_topics::add (std::string_view topic, std::uint32_t partitions)
{
    if (partitions > partitions_max - partitions_)
        return false;
    topics_.push_back ({std::string (topic), std::vector<partition> (partitions)});
    partitions_ += partitions;
    return true;
}

void ordered_topics::take (const place &at, std::uint64_t sequence, std::size_t bytes)
{
    partition &to = find (at);
    to.count.take (bytes);
    to.position = sequence;
    ++messages_;
}

void ordered_topics::miss (const place &at, std::uint64_t from, std::uint64_t to)
{
    partition &of = find (at);
    of.missing += to - from + 1;
    of.position = to;
}

void ordered_topics::begin (const place &at, std::uint64_t sequence) { find (at).position = sequence - 1; }

void ordered_topics::stand (const place &at, const standing &now) { find (at).now = now; }

std::optional<std::uint64_t> ordered_topics::partition::lag () const noexcept
{
    if (!position)
        return std::nullopt;
    return now.last - std::min (now.last, *position);
}

std::vector<ordered_topics::row> ordered_topics::rows () const
{
    std::vector<row> found;
    for (const parted_topic &each : topics_)
        for (std::size_t i = 0; i < each.partitions.size (); ++i)
            found.push_back ({&each, i});
    return found;
}

std::string ordered_topics::headline () const
{
    std::size_t unowned = 0;
    std::uint64_t missing = 0;
    for (const row &each : rows ()) {
        unowned += each.what ().now.owner == 0;
        missing += each.what ().missing;
    }
    return fmt::format ("{} partition{}; {} without an owner, {} missing", partitions_,
                        partitions_ == 1 ? "" : "s", unowned, amount (static_cast<double> (missing)));
}

std::vector<std::string> ordered_topics::table (double seconds)
{
    std::vector<std::string> lines{headline ()};
    lines.push_back (
      fmt::format (row_form, "MSG/s", "B/s", "MESSAGES", "B", "LAST", "LAG", "EPOCH", "OWNER", "PARTITION"));
    std::vector<row> shown = rows ();
    std::stable_partition (shown.begin (), shown.end (),
                           [] (const row &each) { return each.what ().now.owner == 0; });
    for (const row &each : shown) {
        const partition &what = each.what ();
        const std::optional<std::uint64_t> lag = what.lag ();
        lines.push_back (fmt::format (
          row_form, rate (what.count.messages_lately (), seconds), rate (what.count.bytes_lately (), seconds),
          amount (static_cast<double> (what.count.messages)), amount (static_cast<double> (what.count.bytes)),
          what.now.last, lag ? amount (static_cast<double> (*lag)) : "-", what.now.epoch,
          node_name (what.now.owner), harmless (fmt::format ("{}/{}", each.of->name, each.number))));
    }
    begin_next ();
    return lines;
}

nlohmann::ordered_json ordered_topics::as_json (const row &which)
{
    const partition &what = which.what ();
    nlohmann::ordered_json made{{"topic", which.of->name},
                                {"partition", which.number},
                                {"owner", nullptr},
                                {"epoch", what.now.epoch},
                                {"last", what.now.last},
                                {"lag", nullptr},
                                {"missing", what.missing},
                                {"messages", what.count.messages},
                                {"bytes", what.count.bytes},
                                {"messages_lately", what.count.messages_lately ()},
                                {"bytes_lately", what.count.bytes_lately ()}};
    if (what.now.owner != 0)
        made["owner"] = node_name (what.now.owner);
    if (const auto lag = what.lag (); lag)
        made["lag"] = *lag;
    return made;
}

nlohmann::ordered_json ordered_topics::json ()
{
    auto all = nlohmann::ordered_json::array ();
    for (const row &each : rows ())
        all.push_back (as_json (each));
    begin_next ();
    return all;
}

void ordered_topics::begin_next () noexcept
{
    for (parted_topic &each : topics_)
        for (partition &one : each.partitions)
            one.count.begin_next ();
}

}  // namespace zlink::tool

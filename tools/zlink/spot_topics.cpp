#include "tools/zlink/spot_topics.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/zlink/figures.hpp"

namespace zlink::tool {

namespace {

constexpr const char *row_form = "{:>9} {:>9} {:>9} {:>9} {:>6}  {}";

}  // namespace

void spot_topics::take (std::string_view topic, std::uint64_t publisher, std::size_t bytes)
{
    auto at = topics_.find (topic);
    if (at == topics_.end () && topics_.size () < topics_max)
        at = topics_.emplace (std::string (topic), counted ()).first;
    counted &of = at == topics_.end () ? others_ : at->second;
    of.count.take (bytes);
    ++messages_;
    if (of.publishers.size () < publishers_max
        && std::find (of.publishers.begin (), of.publishers.end (), publisher) == of.publishers.end ())
        of.publishers.push_back (publisher);
}

void spot_topics::miss (std::uint64_t missing) noexcept
{
    missing_ += missing;
    unknown_ += missing == 0;
}

std::vector<spot_topics::row> spot_topics::rows () const
{
    static const std::string others = "(others)";
    std::vector<row> found;
    for (const auto &[topic, what] : topics_)
        found.push_back ({&topic, &what});
    const auto recent = [] (const row &of) { return of.what->count.messages_lately (); };
    std::stable_sort (found.begin (), found.end (),
                      [&] (const row &one, const row &other) { return recent (one) > recent (other); });
    if (others_.count.messages != 0)
        found.push_back ({&others, &others_});
    return found;
}

void spot_topics::begin_next () noexcept
{
    for (auto &[topic, what] : topics_)
        what.count.begin_next ();
    others_.count.begin_next ();
}

std::vector<std::string> spot_topics::table (double seconds, const lag &behind)
{
    std::vector<std::string> lines;
    std::string trouble;
    if (unknown_ != 0)
        trouble = fmt::format (", and {} time{} nobody knows how many", unknown_, unknown_ == 1 ? "" : "s");
    lines.push_back (fmt::format (
      "{} topic{}; {} waiting here, {} dropped here, {} missing{}", topics_.size (),
      topics_.size () == 1 ? "" : "s", amount (static_cast<double> (behind.waiting)),
      amount (static_cast<double> (behind.dropped)), amount (static_cast<double> (missing_)), trouble));
    lines.push_back (fmt::format (row_form, "MSG/s", "B/s", "MESSAGES", "B", "NODES", "TOPIC"));
    for (const auto &[topic, what] : rows ()) {
        const tally &of = what->count;
        lines.push_back (
          fmt::format (row_form, rate (of.messages_lately (), seconds), rate (of.bytes_lately (), seconds),
                       amount (static_cast<double> (of.messages)), amount (static_cast<double> (of.bytes)),
                       what->publishers.size (), harmless (*topic)));
    }
    begin_next ();
    return lines;
}

nlohmann::ordered_json spot_topics::json (double seconds, const lag &behind)
{
    nlohmann::ordered_json all{{"seconds", seconds},
                               {"waiting", behind.waiting},
                               {"dropped", behind.dropped},
                               {"missing", missing_},
                               {"losses_of_unknown_size", unknown_},
                               {"topics", nlohmann::ordered_json::array ()}};
    for (const auto &[topic, what] : rows ())
        all["topics"].push_back ({{"topic", *topic},
                                  {"messages", what->count.messages},
                                  {"bytes", what->count.bytes},
                                  {"messages_lately", what->count.messages_lately ()},
                                  {"bytes_lately", what->count.bytes_lately ()},
                                  {"nodes", what->publishers.size ()}});
    begin_next ();
    return all;
}

}  // namespace zlink::tool

#include "tools/zlink/spot_topics.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/zlink/figures.hpp"

namespace zlink::tool {

namespace {

constexpr const char *row_form = "{:>9} {:>9} {:>9} {:>9} {:>6}  {}";

// What is shown of a number that only grows.
std::string flow (std::uint64_t now, std::uint64_t before, double seconds)
{
    return amount (seconds > 0 ? static_cast<double> (now - before) / seconds : static_cast<double> (now));
}

}  // namespace

void spot_topics::take (std::string_view topic, std::uint64_t publisher, std::size_t bytes)
{
    auto at = topics_.find (topic);
    if (at == topics_.end () && topics_.size () < topics_max)
        at = topics_.emplace (std::string (topic), tally ()).first;
    tally &of = at == topics_.end () ? others_ : at->second;
    ++of.messages;
    of.bytes += bytes;
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
    const auto recent = [] (const row &of) { return of.what->messages - of.what->messages_before; };
    std::stable_sort (found.begin (), found.end (),
                      [&] (const row &one, const row &other) { return recent (one) > recent (other); });
    if (others_.messages != 0)
        found.push_back ({&others, &others_});
    return found;
}

void spot_topics::begin_next () noexcept
{
    const auto roll = [] (tally &of) {
        of.messages_before = of.messages;
        of.bytes_before = of.bytes;
    };
    for (auto &[topic, what] : topics_)
        roll (what);
    roll (others_);
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
        const tally &of = *what;
        lines.push_back (fmt::format (
          row_form, seconds > 0 ? flow (of.messages, of.messages_before, seconds) : "-",
          seconds > 0 ? flow (of.bytes, of.bytes_before, seconds) : "-", flow (of.messages, 0, 0),
          flow (of.bytes, 0, 0), of.publishers.size (), harmless (*topic)));
    }
    begin_next ();
    return lines;
}

std::string spot_topics::json (double seconds, const lag &behind)
{
    nlohmann::ordered_json all{{"seconds", seconds},
                               {"waiting", behind.waiting},
                               {"dropped", behind.dropped},
                               {"missing", missing_},
                               {"losses_of_unknown_size", unknown_},
                               {"topics", nlohmann::ordered_json::array ()}};
    for (const auto &[topic, what] : rows ())
        all["topics"].push_back ({{"topic", *topic},
                                  {"messages", what->messages},
                                  {"bytes", what->bytes},
                                  {"messages_lately", what->messages - what->messages_before},
                                  {"bytes_lately", what->bytes - what->bytes_before},
                                  {"nodes", what->publishers.size ()}});
    begin_next ();
    return all.dump (-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace zlink::tool

#include "bench/run_record.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace zlink::bench {

namespace {

using json = nlohmann::ordered_json;

constexpr const char *format_name = "zlink bench";
constexpr int format_version = 1;

struct series_row
{
    const char *name;
    series cell_result::*member;
};

constexpr series_row all_series[] = {
  {"ours", &cell_result::ours},
  {"theirs", &cell_result::theirs},
  {"zlink", &cell_result::second},
  {"floor", &cell_result::floor},
  {"ours_counted", &cell_result::ours_counted},
  {"theirs_counted", &cell_result::theirs_counted},
};

json json_of (const series &of)
{
    json runs = json::array ();
    for (const outcome &run : of.runs) {
        json one;
        for (const number_field &row : number_fields)
            one[row.name] = run.*row.member;
        one["library"] = run.library;
        one["note"] = run.note;
        runs.push_back (std::move (one));
    }
    return runs;
}

json json_of (const cell_result &result)
{
    const cell &measured = result.measured;
    const metric_facts &facts = facts_of (measured.measured);
    json one{{"cell", measured.name ()},
             {"pattern", measured.wiring ().name},
             {"transport", measured.transport},
             {"size", measured.size_bytes},
             {"metric", measured.metric_name ()},
             {"unit", facts.unit},
             {"better", facts.better == direction::higher_is_better ? "higher" : "lower"},
             {"verdict", verdict_name (result.decision)},
             {"ratio", result.ratio ()},
             {"floor_share", result.floor_share ()},
             {"error", result.error}};
    for (const series_row &row : all_series)
        one[row.name] = json_of (result.*row.member);
    return one;
}

series series_from (const json &runs)
{
    series made;
    for (const json &one : runs) {
        outcome &run = made.runs.emplace_back ();
        for (const number_field &row : number_fields)
            run.*row.member = one.value (row.name, run.*row.member);
        run.library = one.value ("library", "");
        run.note = one.value ("note", "");
    }
    return made;
}

verdict verdict_from (const std::string &name)
{
    for (const verdict each : {verdict::won, verdict::lost})
        if (verdict_name (each) == name)
            return each;
    return verdict::even;
}

double spread_of (const series &of)
{
    const double middle = of.value ();
    return middle > 0 ? (of.high (&outcome::value) - of.low (&outcome::value)) / middle : 0;
}

double middle_spread (const std::vector<cell_result> &cells, series cell_result::*member)
{
    std::vector<double> spreads;
    for (const cell_result &each : cells)
        if (!each.failed () && !(each.*member).empty ())
            spreads.push_back (spread_of (each.*member));
    return median (std::move (spreads));
}

// The words of the older reports where they differ from ours.
std::string reported_pattern (const cell &measured)
{
    std::string name (measured.wiring ().name);
    if (name == "PUB_SUB")
        name = "PUBSUB";
    return measured.with.poll ? name + "_POLL" : name;
}

std::string reported_metric (cell measured)
{
    measured.with.poll = false;
    return measured.metric_name ();
}

}  // namespace

const cell_result *run_record::find (const cell &measured) const
{
    const auto found = std::find_if (cells.begin (), cells.end (),
                                     [&] (const cell_result &each) { return each.measured == measured; });
    return found == cells.end () ? nullptr : &*found;
}

noise noise_of (const std::vector<cell_result> &cells)
{
    return {middle_spread (cells, &cell_result::ours), middle_spread (cells, &cell_result::theirs),
            middle_spread (cells, &cell_result::floor)};
}

std::string to_json (const run_record &record)
{
    json facts = json::object ();
    for (const fact &each : record.facts)
        facts[each.first] = each.second;
    json cells = json::array ();
    for (const cell_result &each : record.cells)
        cells.push_back (json_of (each));
    const noise found = noise_of (record.cells);
    const json all{{"format", format_name},
                   {"version", format_version},
                   {"facts", facts},
                   {"noise", {{"ours", found.ours}, {"theirs", found.theirs}, {"floor", found.floor}}},
                   {"cells", cells}};
    return all.dump (1, ' ', false, json::error_handler_t::replace) + "\n";
}

bool from_json (std::string_view text, run_record &record, std::string &why)
try {
    const json all = json::parse (text);
    if (all.value ("format", "") != format_name || all.value ("version", 0) != format_version) {
        why =
          fmt::format ("it is no run of the benchmark, or one of another version than {}", format_version);
        return false;
    }
    for (const auto &[name, said] : all.at ("facts").items ())
        record.facts.emplace_back (name, said.get<std::string> ());
    for (const json &one : all.at ("cells")) {
        const std::optional<cell> measured = parse_cell (one.at ("cell").get<std::string> ());
        if (!measured)
            continue;
        cell_result &result = record.cells.emplace_back ();
        result.measured = *measured;
        result.error = one.value ("error", "");
        result.decision = verdict_from (one.value ("verdict", ""));
        for (const series_row &row : all_series)
            if (one.contains (row.name))
                result.*row.member = series_from (one[row.name]);
    }
    return true;
} catch (const json::exception &wrong) {
    why = wrong.what ();
    return false;
}

std::string result_lines (const cell_result &result)
{
    if (result.failed ())
        return {};
    const cell &measured = result.measured;
    const std::pair<const char *, const series *> all[] = {{"zlink", &result.ours},
                                                           {"libzmq", &result.theirs},
                                                           {"zlink.h", &result.second},
                                                           {"floor", &result.floor}};
    std::string lines;
    for (const auto &[name, of] : all) {
        if (of->empty ())
            continue;
        const auto line = [&, library = name] (const std::string &metric, double value) {
            lines += fmt::format ("RESULT,{},{},{},{},{},{:.3f}\n", library, reported_pattern (measured),
                                  measured.transport, measured.size_bytes, metric, value);
        };
        const std::string metric = reported_metric (measured);
        line (metric, of->value ());
        if (of->middle (&outcome::p50_us) <= 0)
            continue;
        line (metric + "_mean", of->middle (&outcome::mean_us));
        line (metric + "_p50", of->middle (&outcome::p50_us));
        line (metric + "_p99", of->middle (&outcome::p99_us));
        line (metric + "_p99.9", of->middle (&outcome::p999_us));
    }
    return lines;
}

std::string load_record (const std::string &path, run_record &record)
{
    std::ifstream from (path, std::ios::binary);
    if (!from)
        return "cannot read " + path;
    const std::string text{std::istreambuf_iterator<char> (from), {}};
    std::string why;
    return from_json (text, record, why) ? "" : path + ": " + why;
}

std::string store_text (const std::string &path, const std::string &text)
{
    const std::string beside = path + ".part";
    {
        std::ofstream to (beside, std::ios::binary | std::ios::trunc);
        if (!(to << text) || !to.flush ())
            return "cannot write " + beside;
    }
    return std::rename (beside.c_str (), path.c_str ()) == 0 ? "" : "cannot write " + path;
}

}  // namespace zlink::bench

#include "tools/zlink/recording.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace zlink::tool {

namespace {

using json = nlohmann::json;

constexpr const char *format_name = "recording";
constexpr line_format as_json{view::json, ""};

bool is_text (const json &from, const char *name) { return from.contains (name) && from[name].is_string (); }

}  // namespace

std::string line_of (const recording_head &head)
{
    const nlohmann::ordered_json all{
      {"zlink", format_name}, {"version", recording_version}, {"type", head.type}, {"begun", head.begun}};
    return all.dump ();
}

std::string line_of (const recorded_message &message)
{
    return fmt::format (R"({{"ns":{},"parts":{}}})", message.at_ns, show (as_json, message.message));
}

bool read_recorded (std::string_view line, recording_head &head, std::string &why)
{
    const json all = json::parse (line, nullptr, false);
    if (!all.is_object () || !is_text (all, "zlink") || all["zlink"] != format_name) {
        why = "it is no recording: its first line does not say so";
        return false;
    }
    if (!all.contains ("version") || all["version"] != recording_version || !is_text (all, "type")) {
        why = fmt::format ("it is a recording of another version than {}", recording_version);
        return false;
    }
    head.type = all["type"].get<std::string> ();
    head.begun = is_text (all, "begun") ? all["begun"].get<std::string> () : "";
    return true;
}

bool read_recorded (std::string_view line, recorded_message &message, std::string &why)
{
    const json all = json::parse (line, nullptr, false);
    const bool has_time = all.is_object () && all.contains ("ns") && all["ns"].is_number_integer ()
                          && all["ns"].get<std::int64_t> () >= 0;
    if (!has_time || !all.contains ("parts")) {
        why = R"(a line is {"ns": nanoseconds since the beginning, "parts": [...]})";
        return false;
    }
    message.at_ns = all["ns"].get<std::int64_t> ();
    return read_line (as_json, all["parts"].dump (), message.message, why);
}

}  // namespace zlink::tool

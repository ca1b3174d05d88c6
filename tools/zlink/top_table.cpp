#include "tools/zlink/top_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/zlink/figures.hpp"

namespace zlink::tool {

namespace {

using json = nlohmann::ordered_json;

double number (const json &of, const char *name) { return of.value (name, 0.0); }

const json *find_socket (const told_statistics *in, double which)
{
    if (in == nullptr)
        return nullptr;
    for (const json &each : in->all["sockets"])
        if (number (each, "socket") == which)
            return &each;
    return nullptr;
}

std::string endpoints_of (const json &socket)
{
    std::string text;
    const json endpoints = socket.value ("endpoints", json::array ());
    for (const json &each : endpoints) {
        text += text.empty () ? "" : " ";
        text += each.value ("bound", false) ? "@" : ">";
        text += harmless (each.value ("endpoint", std::string ()));
    }
    return text;
}

double drops_of (const json &socket, std::string *reasons)
{
    double all = 0;
    const json dropped = socket.value ("dropped", json::object ());
    for (const auto &each : dropped.items ()) {
        const double count = each.value ().get<double> ();
        all += count;
        *reasons +=
          fmt::format ("{}{} {}", reasons->empty () ? "" : ", ", harmless (each.key ()), amount (count));
    }
    return all;
}

// What is shown of a number that only grows.
std::string flow (const json &socket, const json *before, const char *name, double seconds)
{
    const double now = number (socket, name);
    if (seconds <= 0)
        return amount (now);
    return before == nullptr ? "-" : amount (std::max (0.0, now - number (*before, name)) / seconds);
}

constexpr const char *row_form = "{:>4} {:<8} {:>6} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>6}  {}";

std::string heading (bool rates)
{
    return fmt::format (row_form, "#", "TYPE", "PEERS", rates ? "IN/s" : "IN", rates ? "OUT/s" : "OUT",
                        rates ? "IN B/s" : "IN B", rates ? "OUT B/s" : "OUT B", "QUEUED", "DROPPED", "RECONN",
                        "ENDPOINTS");
}

void add_socket (const json &socket, const json *before, double seconds, std::vector<std::string> &to)
{
    std::string reasons;
    const double drops = drops_of (socket, &reasons);
    to.push_back (fmt::format (
      row_form, amount (number (socket, "socket")), harmless (socket.value ("type", std::string ("?"))),
      amount (number (socket, "connections_ready")), flow (socket, before, "messages_received", seconds),
      flow (socket, before, "messages_sent", seconds), flow (socket, before, "bytes_received", seconds),
      flow (socket, before, "bytes_sent", seconds), amount (number (socket, "queued_messages")),
      amount (drops), amount (number (socket, "reconnects")), endpoints_of (socket)));
    if (!reasons.empty ())
        to.push_back (fmt::format ("     dropped: {}", reasons));
}

std::vector<std::string> told_table (const told_statistics &now, const told_statistics *before)
{
    const json &sockets = now.all["sockets"];
    double seconds = 0;
    if (before != nullptr)
        seconds = (number (now.all, "monotonic_ns") - number (before->all, "monotonic_ns")) / 1e9;
    std::vector<std::string> lines;
    lines.push_back (fmt::format ("{}: {} socket{}", harmless (now.endpoint), sockets.size (),
                                  sockets.size () == 1 ? "" : "s"));
    lines.push_back (heading (seconds > 0));
    for (const json &each : sockets)
        add_socket (each, find_socket (before, number (each, "socket")), seconds, lines);
    return lines;
}

}  // namespace

std::vector<std::string> table_of (const told_statistics &now, const told_statistics *before)
{
    if (!now.trouble.empty ())
        return {fmt::format ("{}: {}", harmless (now.endpoint), harmless (now.trouble))};
    try {
        return told_table (now, before != nullptr && before->trouble.empty () ? before : nullptr);
    } catch (const json::exception &) {
        return {fmt::format ("{}: what it tells is not what is to be told", harmless (now.endpoint))};
    }
}

}  // namespace zlink::tool

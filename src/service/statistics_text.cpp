#include "service/statistics_text.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/bytes.hpp"
#include "wire/utf8.hpp"

namespace zlink::service {

using socket::count_of;
using socket::count_row;
using socket::gauges;
using socket::tally;

namespace {

constexpr std::uint64_t ns_each_s = base::ns_per_s;
constexpr std::string_view ns_ending = "_ns";

// A number that rows have.
struct family
{
    std::string_view name;
    std::string_view help;
    bool of_sockets = true;
    bool of_endpoints = false;
    std::uint64_t tally::*total = nullptr;
    std::uint64_t gauges::*now = nullptr;
    std::uint64_t count_row::*own = nullptr;

    [[nodiscard]] bool grows () const noexcept { return now == nullptr; }
    [[nodiscard]] bool is_time () const noexcept { return name.ends_with (ns_ending); }
    [[nodiscard]] std::uint64_t of (const count_row &row) const noexcept
    {
        return total != nullptr ? row.total.*total : now != nullptr ? row.now.*now : row.*own;
    }
};

constexpr family
sum (std::string_view name, std::string_view help, std::uint64_t tally::*member, bool of_endpoints = true)
{
    return {name, help, true, of_endpoints, member, nullptr, nullptr};
}

constexpr family at_present (std::string_view name, std::string_view help, std::uint64_t gauges::*member)
{
    return {name, help, true, true, nullptr, member, nullptr};
}

constexpr family of_socket (std::string_view name, std::string_view help, std::uint64_t count_row::*member)
{
    return {name, help, true, false, nullptr, nullptr, member};
}

constexpr family of_endpoint (std::string_view name, std::string_view help, std::uint64_t count_row::*member)
{
    return {name, help, false, true, nullptr, nullptr, member};
}

constexpr std::array families = {
  sum ("messages_sent", "Whole messages accepted from the caller.", &tally::messages_sent),
  sum ("messages_received", "Whole messages handed to the caller.", &tally::messages_received),
  sum ("bytes_sent", "Bytes of the bodies of messages sent.", &tally::bytes_sent),
  sum ("bytes_received", "Bytes of the bodies of messages received.", &tally::bytes_received),
  sum ("wire_bytes_sent", "Bytes that the system took, framing included.", &tally::wire_bytes_sent),
  sum ("wire_bytes_received", "Bytes that the system gave, framing included.", &tally::wire_bytes_received),
  sum ("read_calls", "System calls that read.", &tally::read_calls, false),
  sum ("write_calls", "System calls that write.", &tally::write_calls, false),
  sum ("handshakes_done", "Connections that became ready.", &tally::handshakes_done),
  sum ("handshakes_failed", "Connections that did not become ready.", &tally::handshakes_failed),
  sum ("connections_lost", "Connections that had been ready and are no more.", &tally::connections_lost),
  sum ("reconnects", "Handshakes of a connected endpoint after its first.", &tally::reconnects),
  sum ("heartbeats_sent", "PINGs sent.", &tally::heartbeats_sent, false),
  sum ("heartbeats_answered", "PONGs received.", &tally::heartbeats_answered, false),
  sum ("messages_missed", "Messages that publishers dropped for us.", &tally::messages_missed, false),
  of_endpoint ("attempts", "Attempts at connecting, or connections accepted.", &count_row::attempts),
  of_socket ("poll_calls", "System calls that wait or look.", &count_row::poll_calls),
  of_socket ("wakes", "Sleeps of callers that ended.", &count_row::wakes),
  of_socket ("budget_holds", "Times that the byte budget held it back.", &count_row::budget_holds),
  of_socket ("values_not_kept", "Messages above a limit of LAST_VALUES.", &count_row::values_not_kept),
  at_present ("connections_ready", "Connections that are ready.", &gauges::connections_ready),
  at_present ("queued_messages", "Messages accepted and not yet with the system.", &gauges::queued_messages),
  at_present ("queued_bytes", "Bytes of them.", &gauges::queued_bytes),
  at_present ("queue_age_ns", "The oldest of them has waited at most so long.", &gauges::queue_age_ns),
  at_present ("unread_bytes", "Bytes read and not yet handed to the caller.", &gauges::unread_bytes),
  at_present ("round_trip_ns", "How long the last heartbeat took; 0: none yet.", &gauges::round_trip_ns),
};

constexpr std::size_t drop_reasons = std::tuple_size_v<decltype (tally::dropped)>;

void append_time (std::uint64_t time_ns, std::string &to)
{
    const std::string fraction = std::to_string (ns_each_s + time_ns % ns_each_s);  // a 1, and nine digits
    to.append (std::to_string (time_ns / ns_each_s)).append (".").append (fraction, 1);
}

// --- Prometheus -------------------------------------------------------------------

std::string series_name (const family &of, bool of_endpoint)
{
    std::string name (of_endpoint ? "zlink_endpoint_" : "zlink_");
    if (of.is_time ())
        name.append (of.name.substr (0, of.name.size () - ns_ending.size ())).append ("_seconds");
    else
        name.append (of.name);
    return of.grows () ? name + "_total" : name;
}

void append_head (std::string_view name, std::string_view help, bool grows, std::string &to)
{
    to.append ("# HELP ").append (name).append (" ").append (help);
    to.append ("\n# TYPE ").append (name).append (grows ? " counter\n" : " gauge\n");
}

void append_label (std::string_view name, std::string_view value, std::string &to)
{
    to.append (name).append ("=\"");
    append_quoted (value, to);
    to += '"';
}

// Of the socket with this row of its own.
std::string socket_labels (const numbered_rows &each)
{
    std::string text = "socket=\"" + std::to_string (each.number) + "\",";
    append_label ("type", each.rows.front ().address, text);
    return text;
}

std::string endpoint_labels (const count_row &row)
{
    std::string text = ",id=\"" + std::to_string (row.id) + "\",";
    append_label ("endpoint", row.address, text);
    text += ',';
    append_label ("direction", row.is_listener ? "bound" : "connected", text);
    return text;
}

void append_samples (const family &of,
                     bool of_endpoints,
                     std::span<const numbered_rows> sockets,
                     std::string &to)
{
    const std::string name = series_name (of, of_endpoints);
    const count_of wanted = of_endpoints ? count_of::endpoint : count_of::socket;
    append_head (name, of.help, of.grows (), to);
    for (const numbered_rows &each : sockets) {
        const std::string labels = socket_labels (each);
        for (const count_row &row : each.rows) {
            if (row.what != wanted)
                continue;
            to.append (name).append ("{").append (labels);
            to.append (of_endpoints ? endpoint_labels (row) : std::string ()).append ("} ");
            if (of.is_time ())
                append_time (of.of (row), to);
            else
                to += std::to_string (of.of (row));
            to += '\n';
        }
    }
}

void append_drops (std::span<const numbered_rows> sockets, std::string &to)
{
    constexpr std::string_view name = "zlink_dropped_total";
    append_head (name, "Messages given up, by reason.", true, to);
    for (const numbered_rows &each : sockets) {
        const std::string labels = socket_labels (each);
        for (std::size_t why = 0; why < drop_reasons; ++why) {
            to.append (name).append ("{").append (labels).append (",reason=\"");
            to.append (socket::drop_name (static_cast<socket::drop_reason> (why))).append ("\"} ");
            to.append (std::to_string (each.rows.front ().total.dropped[why])).append ("\n");
        }
    }
}

// The numbers of this name of all objects of the kind.
void append_counted (const counted_number &which,
                     std::string_view kind,
                     std::span<const counted_rows> services,
                     std::string &to)
{
    std::string name ("zlink_");
    name.append (kind).append ("_").append (which.name).append (which.grows ? "_total" : "");
    append_head (name, which.help, which.grows, to);
    for (const counted_rows &each : services) {
        if (each.kind != kind)
            continue;
        for (const counted_number &one : each.numbers) {
            if (one.name != which.name)
                continue;
            to.append (name).append ("{").append (kind).append ("=\"").append (std::to_string (each.number));
            if (!one.error_type.empty ())
                to.append ("\",error_type=\"").append (one.error_type);
            to.append ("\"} ").append (std::to_string (one.value)).append ("\n");
        }
    }
}

// --- JSON -------------------------------------------------------------------------

void append_member (std::string_view name, std::uint64_t value, std::string &to)
{
    to.append (",\"").append (name).append ("\":").append (std::to_string (value));
}

void append_dropped (const count_row &row, std::string &to)
{
    to += ",\"dropped\":{";
    const char *comma = "";
    for (std::size_t why = 0; why < drop_reasons; ++why) {
        if (row.total.dropped[why] == 0)
            continue;
        to.append (comma).append ("\"").append (socket::drop_name (static_cast<socket::drop_reason> (why)));
        to.append ("\":").append (std::to_string (row.total.dropped[why]));
        comma = ",";
    }
    to += '}';
}

void append_endpoint (const count_row &row, std::string &to)
{
    to += "{\"endpoint\":\"";
    append_quoted (row.address, to);
    to.append (row.is_listener ? "\",\"bound\":true" : "\",\"bound\":false");
    append_member ("id", row.id, to);
    for (const family &of : families)
        if (of.of_endpoints)
            append_member (of.name, of.of (row), to);
    append_dropped (row, to);
    to.append (",\"last_reason\":\"").append (base::reason_name (row.last_reason)).append ("\"}");
}

void append_socket (const numbered_rows &each, std::string &to)
{
    to += "{\"type\":\"";
    append_quoted (each.rows.front ().address, to);
    to += '"';
    append_member ("socket", each.number, to);
    for (const family &of : families)
        if (of.of_sockets)
            append_member (of.name, of.of (each.rows.front ()), to);
    append_dropped (each.rows.front (), to);
    to += ",\"endpoints\":[";
    const char *comma = "";
    for (const count_row &row : each.rows) {
        if (row.what != count_of::endpoint)
            continue;
        to += comma;
        append_endpoint (row, to);
        comma = ",\n";
    }
    to += "]}";
}

void append_service (const counted_rows &each, std::string &to)
{
    to.append ("{\"kind\":\"").append (each.kind).append ("\"");
    append_member ("number", each.number, to);
    for (const counted_number &one : each.numbers)
        if (one.error_type.empty ())
            append_member (one.name, one.value, to);
        else
            append_member (std::string (one.name).append ("_").append (one.error_type), one.value, to);
    to += '}';
}

// Calls append for each, with commas between them.
template <class Rows, class Append> void append_list (const Rows &rows, Append append, std::string &to)
{
    const char *comma = "";
    for (const auto &each : rows) {
        to += comma;
        append (each, to);
        comma = ",\n";
    }
}

}  // namespace

void append_quoted (std::string_view text, std::string &to)
{
    const bool is_text = wire::is_utf8 (base::as_bytes (text));
    for (const char octet : text) {
        if (octet == '"' || octet == '\\')
            to += '\\';
        const auto value = static_cast<unsigned char> (octet);
        const bool shown = value >= ' ' && value != 0x7F && (is_text || value < 0x80);
        to += shown ? octet : '?';
    }
}

void append_prometheus (std::span<const numbered_rows> sockets, std::string &to)
{
    append_head ("zlink_sockets", "Sockets that are open.", false, to);
    to.append ("zlink_sockets ").append (std::to_string (sockets.size ())).append ("\n");
    for (const family &of : families)
        if (of.of_sockets)
            append_samples (of, false, sockets, to);
    append_drops (sockets, to);
    for (const family &of : families)
        if (of.of_endpoints)
            append_samples (of, true, sockets, to);
}

void append_prometheus (std::span<const counted_rows> services, std::string &to)
{
    for (std::size_t i = 0; i < services.size (); ++i) {
        const auto is_alike = [&] (const counted_rows &each) { return each.kind == services[i].kind; };
        if (std::any_of (services.begin (), services.begin () + static_cast<std::ptrdiff_t> (i), is_alike))
            continue;
        std::string_view before;
        for (const counted_number &one : services[i].numbers)
            if (one.name != std::exchange (before, one.name))
                append_counted (one, services[i].kind, services, to);
    }
}

void append_json (std::span<const numbered_rows> sockets,
                  std::span<const counted_rows> services,
                  base::time_ns now,
                  std::string &to)
{
    to.append ("{\"monotonic_ns\":").append (std::to_string (now)).append (",\"sockets\":[");
    append_list (sockets, append_socket, to);
    to += "],\"services\":[";
    append_list (services, append_service, to);
    to += "]}\n";
}

}  // namespace zlink::service

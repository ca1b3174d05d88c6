#include "engine/counters.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace zlink::engine {

namespace {

constexpr std::array drop_names = {
  "cut",  "peer-lost", "immediate", "closed",   "conflated", "unwanted",  "no-memory", "unroutable",
  "full", "malformed", "unasked",   "filtered", "oldest",    "multipart", "too-large",
};
static_assert (drop_names.size () == drop_reasons);

void add (std::string &to, std::string_view name, std::uint64_t value)
{
    if (value == 0)
        return;
    to += ' ';
    to += name;
    to += '=';
    to += std::to_string (value);
}

void add_total (std::string &to, const tally &of)
{
    add (to, "messages_sent", of.messages_sent);
    add (to, "bytes_sent", of.bytes_sent);
    add (to, "messages_received", of.messages_received);
    add (to, "bytes_received", of.bytes_received);
    add (to, "wire_bytes_sent", of.wire_bytes_sent);
    add (to, "wire_bytes_received", of.wire_bytes_received);
    add (to, "handshakes_done", of.handshakes_done);
    add (to, "handshakes_failed", of.handshakes_failed);
    add (to, "connections_lost", of.connections_lost);
    add (to, "reconnects", of.reconnects);
    add (to, "heartbeats_sent", of.heartbeats_sent);
    add (to, "heartbeats_answered", of.heartbeats_answered);
    add (to, "messages_missed", of.messages_missed);
    for (std::size_t i = 0; i < drop_reasons; ++i)
        add (to, std::string ("dropped_") + drop_names[i], of.dropped[i]);
    add (to, "read_calls", of.read_calls);
    add (to, "write_calls", of.write_calls);
}

void add_now (std::string &to, const gauges &of)
{
    add (to, "queued_messages", of.queued_messages);
    add (to, "queued_bytes", of.queued_bytes);
    add (to, "queue_age_ns", of.queue_age_ns);
    add (to, "unread_bytes", of.unread_bytes);
    add (to, "round_trip_ns", of.round_trip_ns);
}

std::string_view kind_of (const count_row &row) noexcept
{
    switch (row.what) {
    case count_of::socket:
        return "socket";
    case count_of::endpoint:
        return row.is_listener ? "  bound" : "  connected";
    case count_of::connection:
        break;
    }
    return "    connection";
}

}  // namespace

const char *drop_name (drop_reason reason) noexcept
{
    const auto index = static_cast<std::size_t> (reason);
    return index < drop_names.size () ? drop_names[index] : "unknown";
}

std::uint64_t tally::dropped_total () const noexcept
{
    return std::accumulate (dropped.begin (), dropped.end (), std::uint64_t{0});
}

tally &tally::operator+= (const tally &more) noexcept
{
    messages_sent += more.messages_sent;
    bytes_sent += more.bytes_sent;
    messages_received += more.messages_received;
    bytes_received += more.bytes_received;
    wire_bytes_sent += more.wire_bytes_sent;
    wire_bytes_received += more.wire_bytes_received;
    read_calls += more.read_calls;
    write_calls += more.write_calls;
    handshakes_done += more.handshakes_done;
    handshakes_failed += more.handshakes_failed;
    connections_lost += more.connections_lost;
    reconnects += more.reconnects;
    heartbeats_sent += more.heartbeats_sent;
    heartbeats_answered += more.heartbeats_answered;
    messages_missed += more.messages_missed;
    for (std::size_t i = 0; i < drop_reasons; ++i)
        dropped[i] += more.dropped[i];
    return *this;
}

gauges &gauges::operator+= (const gauges &more) noexcept
{
    connections_ready += more.connections_ready;
    queued_messages += more.queued_messages;
    queued_bytes += more.queued_bytes;
    unread_bytes += more.unread_bytes;
    queue_age_ns = std::max (queue_age_ns, more.queue_age_ns);
    round_trip_ns = std::max (round_trip_ns, more.round_trip_ns);
    return *this;
}

std::string text_of (const count_row &row)
{
    std::string line (kind_of (row));
    line += ' ';
    line += row.address.empty () ? "-" : row.address;
    add (line, "id", row.id);
    if (row.what != count_of::connection)
        line += " ready=" + std::to_string (row.now.connections_ready);
    add (line, "attempts", row.attempts);
    add_total (line, row.total);
    add_now (line, row.now);
    add (line, "poll_calls", row.poll_calls);
    add (line, "wakes", row.wakes);
    add (line, "budget_holds", row.budget_holds);
    add (line, "values_not_kept", row.values_not_kept);
    if (row.last_reason != base::close_reason::none) {
        line += " last_reason=";
        line += base::reason_name (row.last_reason);
    }
    add (line, "last_os_error", static_cast<std::uint64_t> (std::max (row.os_error, 0)));
    return line;
}

}  // namespace zlink::engine

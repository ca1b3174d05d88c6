#include "api/counters.hpp"

#include <algorithm>
#include <cstring>

#define ZLINK_BUILD
#include "zlink/zlink.h"

#include "api/errors.hpp"

namespace zlink::api {

using base::errc;
using socket::drop_reason;

static_assert (sizeof (zlink_counters_t) % sizeof (std::uint64_t) == 0);

namespace {

void fill_totals (zlink_counters_t &to, socket::tally from) noexcept
{
    to.messages_sent = from.messages_sent;
    to.bytes_sent = from.bytes_sent;
    to.messages_received = from.messages_received;
    to.bytes_received = from.bytes_received;
    to.wire_bytes_sent = from.wire_bytes_sent;
    to.wire_bytes_received = from.wire_bytes_received;
    to.read_calls = from.read_calls;
    to.write_calls = from.write_calls;
    to.handshakes_done = from.handshakes_done;
    to.handshakes_failed = from.handshakes_failed;
    to.connections_lost = from.connections_lost;
    to.reconnects = from.reconnects;
    to.heartbeats_sent = from.heartbeats_sent;
    to.heartbeats_answered = from.heartbeats_answered;
    to.dropped_cut = from.of (drop_reason::cut);
    to.dropped_peer_lost = from.of (drop_reason::peer_lost);
    to.dropped_immediate = from.of (drop_reason::immediate);
    to.dropped_closed = from.of (drop_reason::closed);
    to.dropped_conflated = from.of (drop_reason::conflated);
    to.dropped_unwanted = from.of (drop_reason::unwanted);
    to.dropped_no_memory = from.of (drop_reason::no_memory);
    to.dropped_unroutable = from.of (drop_reason::unroutable);
    to.dropped_full = from.of (drop_reason::full);
    to.dropped_malformed = from.of (drop_reason::malformed);
    to.dropped_unasked = from.of (drop_reason::unasked);
    to.dropped_filtered = from.of (drop_reason::filtered);
    to.dropped_oldest = from.of (drop_reason::oldest);
    to.dropped_multipart = from.of (drop_reason::multipart);
    to.dropped_too_large = from.of (drop_reason::too_large);
    to.messages_missed = from.messages_missed;
}

void fill_now (zlink_counters_t &to, const socket::gauges &from) noexcept
{
    to.connections_ready = from.connections_ready;
    to.queued_messages = from.queued_messages;
    to.queued_bytes = from.queued_bytes;
    to.queue_age_ns = from.queue_age_ns;
    to.unread_bytes = from.unread_bytes;
    to.round_trip_ns = from.round_trip_ns;
}

}  // namespace

void fill_row (void *to, std::size_t row_size, const socket::count_row &from) noexcept
{
    zlink_counters_t row{};
    row.what = static_cast<std::uint32_t> (from.what);
    row.is_listener = from.is_listener;
    row.id = from.id;
    row.endpoint_id = from.endpoint_id;
    from.address.copy (row.address, sizeof (row.address) - 1);
    row.last_reason = static_cast<std::int32_t> (from.last_reason);
    row.last_os_error = from.os_error;
    row.attempts = from.attempts;
    row.poll_calls = from.poll_calls;
    row.wakes = from.wakes;
    row.budget_holds = from.budget_holds;
    row.values_not_kept = from.values_not_kept;
    fill_totals (row, from.total);
    fill_now (row, from.now);
    const std::size_t known = std::min (row_size, sizeof (row));
    std::memcpy (to, &row, known);
    std::memset (static_cast<std::byte *> (to) + known, 0, row_size - known);
}

int count_rows_into (void *socket, void *rows, std::size_t row_size, std::size_t *count) noexcept
{
    if (count == nullptr || (rows == nullptr && *count != 0))
        return failed (errc::bad_address);
    if (row_size == 0 || row_size % sizeof (std::uint64_t) != 0)
        return failed (errc::invalid_argument);
    const auto found = socket::count_rows (socket);
    if (!found)
        return failed (found.failure ());
    const auto &all = found.value ();
    const std::size_t filled = std::min (all.size (), *count);
    for (std::size_t i = 0; i < filled; ++i)
        fill_row (static_cast<std::byte *> (rows) + i * row_size, row_size, all[i]);
    *count = all.size ();
    return 0;
}

}  // namespace zlink::api

// Counters: dropping with a reason, and the sums that are made when somebody
// asks. Connections that are no more leave their tally with their endpoint and
// with the socket.
#include <algorithm>
#include <new>

#include "engine/socket_core.hpp"

namespace zlink::engine {

void socket_core::drop_locked (connection &which, drop_reason why, std::uint64_t messages) noexcept
{
    which.passed.of (why) += messages;
    which.settled_messages += messages;
    if (messages > 0 && why != drop_reason::conflated) [[unlikely]]
        warn_drop_locked (which, why, messages);
}

void socket_core::drop_locked (inproc_end &which, drop_reason why, std::uint64_t messages) noexcept
{
    which.passed.of (why) += messages;
    // Ends that close together with their context leave nobody who would miss it.
    if (messages > 0 && !owner_->terminating () && (why != drop_reason::closed || wish_.linger_ms != 0))
        warn_locked (warning::dropped (why, messages), which.id != 0 ? which.text : last_endpoint_);
}

void socket_core::fold_locked (const connection &gone) noexcept
{
    gone_ += gone.passed;
    if (endpoint *const by = endpoint_of_locked (gone.accepted_by); by != nullptr)
        by->gone += gone.passed;
}

void socket_core::fold_locked (const inproc_end &gone) noexcept
{
    gone_ += gone.passed;
    if (gone.id != 0)
        return;
    for (bound_name &each : bound_names_)
        if (each.place == gone.place)
            each.gone += gone.passed;
}

// A lane's reader has taken all that was there at its last look at the clock.
void socket_core::note_turn_locked (inproc_end &from) noexcept
{
    from.in->turn_waiting (owner_->world.time.ticks ());
}

// Of so many ticks.
std::uint64_t socket_core::age_ns (std::uint64_t ticks) const noexcept
{
    return ticks * 1000 / std::max<std::uint64_t> (owner_->world.time.ticks_per_us (), 1);
}

gauges socket_core::gauges_of (const connection &which) const noexcept
{
    gauges now;
    now.connections_ready = which.state == connection_state::ready;
    now.queued_messages = static_cast<std::uint64_t> (which.queued_messages ());
    now.queued_bytes = which.queued_bytes ();
    now.queue_age_ns = which.has_output () ? age_ns (which.waiting.ticks (owner_->world.time.ticks ())) : 0;
    now.unread_bytes = which.in.unread_bytes ();
    now.round_trip_ns = which.round_trip_ns;
    return now;
}

gauges socket_core::gauges_of (const inproc_end &which) const noexcept
{
    gauges now;
    now.connections_ready = which.joined;
    now.queued_messages = which.out->untaken_messages ();
    now.queued_bytes = which.out->queued_bytes ();
    const std::uint64_t ticks = owner_->world.time.ticks ();
    const std::uint64_t since = which.out->waiting_since ();
    now.queue_age_ns = now.queued_messages > 0 && since > 0 && ticks > since ? age_ns (ticks - since) : 0;
    if (which.behind != nullptr) {
        now.queued_messages += static_cast<std::uint64_t> (which.behind->messages ());
        now.queued_bytes += which.behind->bytes ();
    }
    return now;
}

tally socket_core::total_locked () const noexcept
{
    tally all = gone_;
    for (const auto *list : {&connections_, &graveyard_})
        for (const auto &each : *list)
            if (each != nullptr)
                all += each->passed;
    for (const inproc_end &each : ends_)
        all += each.passed;
    if (rest_ != nullptr)
        all += rest_->passed;
    return all;
}

result<socket_counters> socket_core::counters (std::uint32_t generation) noexcept
{
    lock ();
    const errc bad = check_locked (generation);
    socket_counters answer;
    answer.total = total_locked ();
    answer.poll_calls = poll_calls_;
    answer.wakes = wakes_;
    answer.events_lost = events_lost_;
    answer.round_trip_ns = round_trip_ns_;
    unlock ();
    if (bad != errc::ok && bad != errc::terminated)
        return bad;
    return answer;
}

namespace {

count_row row_of (const endpoint &from)
{
    count_row row;
    row.what = count_of::endpoint;
    row.is_listener = from.made_by_bind ();
    row.id = from.id;
    row.address = from.resolved.empty () ? from.text : from.resolved;
    row.total = from.gone;
    row.attempts = from.attempts;
    row.last_reason = from.last_reason;
    row.os_error = from.last_os_error;
    return row;
}

}  // namespace

// The endpoints' rows, then the connections', which are added to their
// endpoints' on the way.
void socket_core::add_rows_locked (std::vector<count_row> &rows) const
{
    const std::size_t first = rows.size ();
    for (const endpoint &each : endpoints_)
        if (!each.removed)
            rows.push_back (row_of (each));
    const std::size_t end = rows.size ();
    for (const auto *list : {&connections_, &graveyard_})
        for (const auto &each : *list) {
            if (each == nullptr)
                continue;
            count_row row;
            row.what = count_of::connection;
            row.id = each->id;
            row.endpoint_id = each->dialled_by != nullptr ? each->dialled_by->id : each->accepted_by;
            row.address = each->peer_address;
            row.total = each->passed;
            row.now = gauges_of (*each);
            row.last_reason = each->reason;
            row.os_error = each->os_error;
            bool found = false;
            for (std::size_t i = first; i < end && !found; ++i)
                if (rows[i].id == row.endpoint_id) {
                    rows[i].total += row.total;
                    rows[i].now += row.now;
                    found = true;
                }
            row.endpoint_id = found ? row.endpoint_id : 0;
            if (list == &connections_)
                rows.push_back (std::move (row));
        }
}

void socket_core::add_inproc_rows_locked (std::vector<count_row> &rows) const
{
    for (const bound_name &each : bound_names_) {
        count_row row;
        row.what = count_of::endpoint;
        row.is_listener = true;
        row.id = each.id;
        row.address = "inproc://" + each.name;
        row.total = each.gone;
        row.attempts = each.attempts;
        for (const inproc_end &end : ends_)
            if (end.id == 0 && end.place == each.place) {
                row.total += end.passed;
                row.now += gauges_of (end);
            }
        rows.push_back (std::move (row));
    }
    for (const inproc_end &end : ends_) {
        count_row row;
        row.total = end.passed;
        row.now = gauges_of (end);
        row.address = end.text;
        if (end.id != 0) {
            row.what = count_of::endpoint;
            row.id = end.id;
            row.attempts = 1;
            rows.push_back (row);
            row.attempts = 0;
        }
        row.what = count_of::connection;
        row.id = end.connection_id;
        row.endpoint_id = end.id;
        for (const bound_name &each : bound_names_)
            if (end.id == 0 && each.place == end.place) {
                row.endpoint_id = each.id;
                row.address = "inproc://" + each.name;
            }
        rows.push_back (std::move (row));
    }
}

result<std::vector<count_row>> socket_core::count_rows (std::uint32_t generation) noexcept
try {
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok && bad != errc::terminated)
        return bad;
    std::vector<count_row> rows (1);
    add_rows_locked (rows);
    add_inproc_rows_locked (rows);
    count_row &own = rows.front ();
    own.what = count_of::socket;
    own.address = traits_.name;
    own.total = total_locked ();
    for (const count_row &each : rows)
        if (each.what == count_of::connection)
            own.now += each.now;
    own.now.round_trip_ns = round_trip_ns_;
    own.poll_calls = poll_calls_;
    own.wakes = wakes_;
    own.budget_holds = budget_holds_;
    own.values_not_kept = topics_ != nullptr ? topics_->values_not_kept : 0;
    return rows;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

}  // namespace zlink::engine

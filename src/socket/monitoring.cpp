// The facade's calls about events: monitors, streams of events.
#include <new>
#include <utility>

#include "socket/entries.hpp"
#include "socket/event_stream.hpp"
#include "socket/facade.hpp"

namespace zlink::socket {

using base::errc;
using base::result;
using engine::socket_core;

namespace {

// zmq.h's and zlink.h's numbers.

constexpr std::string_view inproc_mark = "inproc://";

// Where monitor_open's two ends meet.
std::string fresh_name ()
{
    static base::atomic<std::uint64_t> last{0};
    return "inproc://zlink-monitor-" + std::to_string (last.fetch_add (1, std::memory_order_relaxed) + 1);
}

result<void> set_number (void *socket, int option, int value)
{
    return set_option (socket, option, &value, sizeof value);
}

result<void> check_endpoint (std::string_view endpoint) noexcept
{
    const std::size_t at = endpoint.find ("://");
    if (at == std::string_view::npos || at == 0 || endpoint.size () <= at + 3)
        return errc::invalid_argument;
    return endpoint.starts_with (inproc_mark) ? result<void> () : result<void> (errc::protocol_not_supported);
}

// The socket that a monitor speaks through. It never holds up the end of its
// context, and what it holds back is bounded whatever the header's default is.
result<void *> open_end (const std::shared_ptr<context_entry> &context, int type, int hwm_option)
{
    const result<void *> made = open_in (context, type);
    if (!made.ok ())
        return made;
    result<void> set = set_number (made.value (), number_of_linger, 0);
    if (set.ok ())
        set = set_number (made.value (), hwm_option, static_cast<int> (engine::events_queued_default));
    if (set.ok ())
        return made;
    (void)close (made.value ());
    return set.failure ();
}

std::shared_ptr<monitor> exchange (socket_entry &of, std::shared_ptr<monitor> by)
{
    const base::locked hold (of.lock);
    return std::exchange (of.monitored_by, std::move (by));
}

// Null where memory is out.
std::shared_ptr<monitor>
make_monitor (void *speaker, const monitor_format &format, std::uint64_t mask) noexcept
try {
    return std::make_shared<monitor> (speaker, format, mask);
} catch (const std::bad_alloc &) {
    return nullptr;
}

void stop (target of, const std::shared_ptr<monitor> &which) noexcept
{
    if (which == nullptr)
        return;
    of.slot->remove_sink (of.generation, which);
    which->deliver ();
}

}  // namespace

// --- monitors ----------------------------------------------------------------------

result<void> monitor_stop (void *socket)
{
    const auto entry = entry_of<socket_entry> (socket, handle_kind::socket);
    const target to = resolve (socket);
    if (entry == nullptr || to.slot == nullptr)
        return why_not_found (socket, errc::not_a_socket);
    stop (to, exchange (*entry, nullptr));
    return {};
}

result<void> monitor_start (
  void *socket, std::string_view endpoint, std::uint64_t mask, int type, const monitor_format &format)
try {
    const auto entry = entry_of<socket_entry> (socket, handle_kind::socket);
    const target to = resolve (socket);
    if (entry == nullptr || to.slot == nullptr)
        return why_not_found (socket, errc::not_a_socket);
    if (entry->context->core->terminating ())
        return errc::terminated;
    if (const result<void> good = check_endpoint (endpoint); !good.ok ())
        return good;
    stop (to, exchange (*entry, nullptr));
    const result<void *> speaker = open_end (entry->context, type, number_of_send_hwm);
    if (!speaker.ok ())
        return speaker.failure ();
    std::shared_ptr<monitor> fresh = make_monitor (speaker.value (), format, mask);
    result<void> outcome =
      fresh == nullptr ? result<void> (errc::no_memory) : bind (speaker.value (), endpoint);
    // A reader that waits for us hears the last event whatever else is out.
    if (outcome.ok ())
        outcome = with_target (
          speaker.value (), [] (socket_core &self, std::uint32_t life) { return self.prepare_links (life); });
    if (outcome.ok ())
        outcome = to.slot->add_sink (to.generation, fresh);
    if (!outcome.ok ()) {
        (void)close (speaker.value ());
        return outcome;
    }
    stop (to, exchange (*entry, std::move (fresh)));
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void *> monitor_open (void *socket, std::uint64_t mask, const monitor_format &format)
try {
    const auto entry = entry_of<socket_entry> (socket, handle_kind::socket);
    if (entry == nullptr)
        return why_not_found (socket, errc::not_a_socket);
    const std::string name = fresh_name ();
    constexpr int pair_type = 0;
    const result<void *> reader = open_end (entry->context, pair_type, number_of_receive_hwm);
    if (!reader.ok ())
        return reader;
    // The reader first: should the socket be closed in the middle, the last
    // event finds it there.
    result<void> outcome = connect (reader.value (), name);
    if (outcome.ok ())
        outcome = monitor_start (socket, name, mask, pair_type, format);
    if (outcome.ok ())
        return reader;
    (void)close (reader.value ());
    return outcome.failure ();
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> monitor_pipes (void *socket, std::uint64_t mask)
{
    const auto entry = entry_of<socket_entry> (socket, handle_kind::socket);
    const target to = resolve (socket);
    if (entry == nullptr || to.slot == nullptr)
        return why_not_found (socket, errc::not_a_socket);
    {
        const base::locked hold (entry->lock);
        if (entry->monitored_by == nullptr || (entry->monitored_by->mask () & mask) == 0)
            return errc::invalid_argument;
    }
    return to.slot->tell_pipe_counts (to.generation);
}

// --- streams -----------------------------------------------------------------------

namespace {

// A stream and whose events it has.
struct stream_entry
{
    std::shared_ptr<event_stream> events;
    target of;
};

}  // namespace

result<void *> events_open (
  base::world &process, void *socket, std::size_t events_max, event_numbering number, std::uint64_t mask)
try {
    const target to = resolve (socket);
    if (to.slot == nullptr)
        return why_not_found (socket, errc::not_a_socket);
    if (events_max > engine::events_queued_max)
        return errc::invalid_argument;
    auto entry = std::make_shared<stream_entry> ();
    entry->of = to;
    entry->events = std::make_shared<event_stream> (
      process.sleep, events_max == 0 ? engine::events_queued_default : events_max, number, mask);
    const result<handle_record *> record = make_handle (handle_kind::events, entry.get (), 0);
    if (!record.ok ())
        return record.failure ();
    const std::shared_ptr<event_stream> events = entry->events;
    (void)set_entry (*record.value (), std::move (entry));  // its socket's is there already
    if (const result<void> added = to.slot->add_sink (to.generation, events); !added.ok ()) {
        (void)events_close (record.value ());
        return added.failure ();
    }
    return static_cast<void *> (record.value ());
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void>
events_receive (base::world &process, void *events, event &oldest, std::int64_t timeout_ms) noexcept
{
    const auto entry = entry_of<stream_entry> (events, handle_kind::events);
    if (entry == nullptr)
        return errc::bad_address;
    base::time_ns deadline = timeout_ms < 0 ? base::never_ns : 0;
    if (timeout_ms > 0)
        deadline = process.time.now_ns () + timeout_ms * base::ns_per_ms;
    return entry->events->receive (oldest, deadline);
}

result<void> events_close (void *events)
{
    const auto entry = entry_of<stream_entry> (events, handle_kind::events);
    handle_record *const record = find_handle (events, handle_kind::events);
    if (entry == nullptr || record == nullptr || !retire_handle (*record, handle_kind::events))
        return errc::bad_address;
    (void)set_entry (*record, nullptr);
    entry->events->close ();
    entry->of.slot->remove_sink (entry->of.generation, entry->events);
    return {};
}

}  // namespace zlink::socket

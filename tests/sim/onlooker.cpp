#include "sim/onlooker.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "socket/facade.hpp"

namespace zlink::sim {

using base::errc;

namespace {

constexpr int type_pair = 0;
constexpr int type_router = 6;
constexpr int type_push = 8;
constexpr int type_stream = 11;
constexpr int type_pull = 7;
constexpr int option_linger = 17;
constexpr int option_type = 16;
constexpr int option_io_threads = 1;   // of contexts
constexpr int option_name_prefix = 9;  // of contexts
constexpr std::uint64_t every_event = UINT64_MAX;

std::uint64_t by_kind (const socket::event &what) noexcept
{
    return std::uint64_t{1} << static_cast<unsigned> (what.kind);
}

// One part: the event's number among those of its socket.
std::size_t as_number (const socket::event &what, std::span<base::message> parts) noexcept
{
    std::array<std::byte, sizeof what.number> bytes;
    std::memcpy (bytes.data (), &what.number, sizeof what.number);
    return parts[0].init_copy (bytes).ok () ? 1 : 0;
}

constexpr socket::monitor_format numbers{by_kind, as_number};

class counting_watcher final : public base::watcher
{
  public:
    explicit counting_watcher (simulation &sim) noexcept : sim_ (sim) {}
    void wake () noexcept override { sim_.note ("watcher woken", ++wakes_); }

  private:
    simulation &sim_;
    std::uint64_t wakes_ = 0;
};

}  // namespace

void onlooker::look (unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        sim_.pass_time (sim_.roll_time (10 * base::ns_per_ms));
        look_once ();
    }
}

void onlooker::look_once ()
{
    const known_endpoint &which = endpoints_[sim_.roll_below (endpoints_.size ())];
    const view of{which, which.at->handle};
    switch (sim_.roll_below (9)) {
    case 0:
        return at_counters (of);
    case 1:
        return at_rows (of);
    case 2:
        return at_endpoint (of);
    case 3:
        return at_peers (of);
    case 4:
        return at_context ();
    case 5:
        return with_watcher (of);
    case 6:
        return with_events (of);
    case 7:
        return with_monitor (of);
    default:
        return with_fresh_monitor (of);
    }
}

bool onlooker::judge (const view &of, errc code, std::initializer_list<errc> expected, const char *what)
{
    if (code == errc::ok)
        return true;
    const bool closed = on_.may_be_refused || of.handle == nullptr || of.of.at->handle != of.handle;
    const bool gone = code == errc::not_a_socket || code == errc::terminated;
    if (!(closed && gone) && std::find (expected.begin (), expected.end (), code) == expected.end ())
        sim_.fail (std::string (what) + " answers " + std::to_string (static_cast<int> (code)) + " on "
                   + of.of.at->name);
    return false;
}

// --- counters, peers, endpoints ------------------------------------------------------

void onlooker::at_counters (const view &of)
{
    const auto before = sim_.called ("statistics", socket::statistics (of.handle));
    if (!judge (of, before.code (), {}, "statistics"))
        return;
    sim_.pass_time (sim_.roll_time (base::ns_per_ms));
    const auto after = sim_.called ("statistics", socket::statistics (of.handle));
    if (!judge (of, after.code (), {}, "statistics"))
        return;
    const socket::counters &was = before.value ();
    const socket::counters &is = after.value ();
    if (is.total.messages_sent < was.total.messages_sent || is.total.bytes_received < was.total.bytes_received
        || is.total.dropped_total () < was.total.dropped_total ()
        || is.total.connections_lost < was.total.connections_lost || is.wakes < was.wakes)
        sim_.fail ("a counter went down");
}

void onlooker::at_rows (const view &of)
{
    const auto rows = sim_.called ("count_rows", socket::count_rows (of.handle));
    if (judge (of, rows.code (), {}, "count_rows")
        && (rows.value ().empty () || rows.value ().front ().what != socket::count_of::socket))
        sim_.fail ("the first row of the counters is not the socket's");
    const auto text = sim_.called ("counters_text", socket::counters_text (of.handle));
    if (judge (of, text.code (), {}, "counters_text") && text.value ().empty ())
        sim_.fail ("counters without a line");
    const auto all = sim_.called ("context_counters_text", socket::context_counters_text (context_));
    judge (of, all.code (), {}, "context_counters_text");
}

void onlooker::at_endpoint (const view &of)
{
    const auto is = sim_.called ("status", socket::status (of.handle, of.of.text));
    if (judge (of, is.code (), {errc::no_such_endpoint}, "status") && is.value ().is_listener != of.of.bound)
        sim_.fail ("an endpoint of the other kind");
    const auto met =
      sim_.called ("wait_peers", socket::wait_peers (of.handle, 1, sim_.roll_time (20 * base::ns_per_ms)));
    judge (of, met.code (), {errc::timed_out, errc::interrupted}, "wait_peers");
    const auto asked = sim_.called (
      "wait_subscribers", socket::wait_subscribers (of.handle, 1, sim_.roll_time (base::ns_per_ms)));
    judge (of, asked.code (), {errc::timed_out, errc::interrupted, errc::not_supported}, "wait_subscribers");
    const auto heard = sim_.called (
      "wait_subscribed", socket::wait_subscribed (of.handle, 1, sim_.roll_time (20 * base::ns_per_ms)));
    judge (of, heard.code (), {errc::timed_out, errc::interrupted, errc::not_supported}, "wait_subscribed");
    int type = -1;
    std::size_t size = sizeof type;
    const auto told = sim_.called ("get_option", socket::get_option (of.handle, option_type, &type, &size));
    if (judge (of, told.code (), {}, "get_option") && type != of.of.at->type)
        sim_.fail ("a socket of another type");
}

void onlooker::at_peers (const view &of)
{
    const auto all = sim_.called ("peers", socket::peers (of.handle));
    if (!judge (of, all.code (), {}, "peers"))
        return;
    base::time_ns last = 0;  // the longest first
    for (const socket::peer &each : all.value ())
        if (each.ready_since_ns < std::exchange (last, each.ready_since_ns))
            sim_.fail ("peers out of order");
    // A ROUTER knows some by name, perhaps not now, a STREAM by names that it has
    // made up; the others know nobody.
    const bool names = of.of.at->type == type_router || of.of.at->type == type_stream;
    const std::string name =
      of.of.at->type == type_router ? of.of.at->labelled[sim_.roll_below (of.of.at->labelled.size ())] : "x";
    const auto room = sim_.called ("peer_has_room", socket::peer_has_room (of.handle, base::as_bytes (name)));
    judge (of, room.code (), {names ? errc::host_unreachable : errc::not_supported}, "peer_has_room");
}

void onlooker::at_context ()
{
    if (!sim_.called ("is_context", socket::is_context (context_)))
        sim_.fail ("a context that is none");
    const auto threads = sim_.called ("context_get", socket::context_get (context_, option_io_threads));
    if (!threads.ok () || threads.value () < 1)
        sim_.fail ("a context without threads");
    const auto holders = sim_.called ("context_holders", socket::context_holders (context_));
    if (!holders.ok ())
        sim_.fail ("a context that cannot say who holds it");
    const std::string prefix = "simulated" + std::to_string (sim_.roll_below (10));
    const auto set =
      sim_.called ("context_set_bytes",
                   socket::context_set_bytes (context_, option_name_prefix, prefix.data (), prefix.size ()));
    std::array<char, 32> buffer{};
    std::size_t size = buffer.size ();
    const auto got = sim_.called (
      "context_get_bytes", socket::context_get_bytes (context_, option_name_prefix, buffer.data (), &size));
    if (!set.ok () || !got.ok () || std::string_view (buffer.data ()) != prefix)
        sim_.fail ("a context forgets its threads' names");
}

// --- who waits elsewhere -------------------------------------------------------------

void onlooker::with_watcher (const view &of)
{
    const auto watcher = std::make_shared<counting_watcher> (sim_);
    const auto rounds = 1 + sim_.roll_below (4);
    for (std::uint64_t i = 0; i < rounds; ++i) {
        base::io_handle kernel = base::no_handle;
        const auto ready = sim_.called ("watch", socket::watch (of.handle, watcher, kernel));
        if (!judge (of, ready.code (), {}, "watch"))
            break;
        if ((ready.value () & ~unsigned{socket::event_in | socket::event_out}) != 0)
            sim_.fail ("watch reports what there is not");
        sim_.pass_time (sim_.roll_time (2 * base::ns_per_ms));
    }
    sim_.seen.saw ("unwatch");
    socket::unwatch (of.handle, watcher);
}

void onlooker::with_events (const view &of)
{
    base::world &seams = on_.world.seams;
    const auto made = sim_.called (
      "events_open", socket::events_open (seams, of.handle, 1 + sim_.roll_below (20), by_kind, every_event));
    if (!judge (of, made.code (), {}, "events_open"))
        return;
    std::uint64_t last = 0;
    const auto wanted = sim_.roll_below (8);
    for (std::uint64_t i = 0; i < wanted; ++i) {
        socket::event what;
        const auto got = sim_.called (
          "events_receive", socket::events_receive (seams, made.value (), what,
                                                    static_cast<std::int64_t> (sim_.roll_below (6))));
        if (got.code () == errc::terminated)
            break;
        if (judge (of, got.code (), {errc::would_block, errc::interrupted}, "events_receive")
            && what.number <= std::exchange (last, what.number))
            sim_.fail ("events out of order");
    }
    if (!sim_.called ("events_close", socket::events_close (made.value ())).ok ())
        sim_.fail ("a stream of events does not close");
}

// Its numbers grow; what did not fit is missing.
void onlooker::read_monitor (void *reader)
{
    std::uint64_t last = 0;
    const auto looks = sim_.roll_below (12);
    for (std::uint64_t i = 0; i < looks; ++i) {
        std::uint64_t number = 0;
        std::array<std::byte, sizeof number> bytes;
        const auto got = sim_.called (
          "receive (buffer)", socket::receive (reader, base::bytes_span (bytes), socket::io_dont_wait));
        if (!got.ok ()) {
            sim_.pass_time (sim_.roll_time (base::ns_per_ms));
            continue;
        }
        std::memcpy (&number, bytes.data (), sizeof number);
        if (got.size () != sizeof number || number <= std::exchange (last, number))
            sim_.fail ("a monitor's events are out of order");
    }
}

void onlooker::with_monitor (const view &of)
{
    const std::string name = "inproc://monitor" + std::to_string (++monitors_);
    const int type = sim_.chance (500) ? type_pair : type_push;
    const auto started =
      sim_.called ("monitor_start", socket::monitor_start (of.handle, name, every_event, type, numbers));
    if (!judge (of, started.code (), {}, "monitor_start"))
        return;
    const auto reader =
      sim_.called ("open", socket::open (context_, type == type_push ? type_pull : type_pair));
    if (reader.ok ()) {
        (void)sim_.called ("connect", socket::connect (reader.value (), name));
        const auto told = sim_.called ("monitor_pipes", socket::monitor_pipes (of.handle, every_event));
        judge (of, told.code (), {errc::would_block}, "monitor_pipes");
        read_monitor (reader.value ());
        (void)sim_.called ("close", socket::close (reader.value ()));
    }
    const auto stopped = sim_.called ("monitor_stop", socket::monitor_stop (of.handle));
    judge (of, stopped.code (), {}, "monitor_stop");
}

// Sometimes left to the socket's end.
void onlooker::with_fresh_monitor (const view &of)
{
    const auto reader = sim_.called ("monitor_open", socket::monitor_open (of.handle, every_event, numbers));
    if (!judge (of, reader.code (), {}, "monitor_open"))
        return;
    const int none = 0;
    (void)sim_.called ("set_option", socket::set_option (reader.value (), option_linger, &none, sizeof none));
    read_monitor (reader.value ());
    if (sim_.chance (500)) {
        const auto stopped = sim_.called ("monitor_stop", socket::monitor_stop (of.handle));
        judge (of, stopped.code (), {}, "monitor_stop");
        read_monitor (reader.value ());
    }
    (void)sim_.called ("close", socket::close (reader.value ()));
}

}  // namespace zlink::sim

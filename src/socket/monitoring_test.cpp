// The facade's calls about events, over inproc links and without a kernel.
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/limits.hpp"
#include "engine/test_world.hpp"
#include "socket/facade.hpp"

namespace zlink::socket {
namespace {

using base::errc;

constexpr int pair = static_cast<int> (socket_type::pair);
constexpr int push = static_cast<int> (socket_type::push);
constexpr int pull = static_cast<int> (socket_type::pull);
constexpr int option_last_endpoint = 32;

std::uint64_t by_kind (const event &what) noexcept
{
    return std::uint64_t{1} << static_cast<unsigned> (what.kind);
}

// One part: a letter, and where.
std::size_t as_letter (const event &what, std::span<base::message> parts) noexcept
{
    const std::string text (1, static_cast<char> ('a' + static_cast<int> (what.kind)));
    return parts[0].init_copy (base::as_bytes (text + " " + what.endpoint)).ok () ? 1 : 0;
}

constexpr monitor_format letters{by_kind, as_letter};
constexpr std::uint64_t everything = UINT64_MAX;

std::string letter (event_kind kind, const std::string &endpoint = "")
{
    return std::string (1, static_cast<char> ('a' + static_cast<int> (kind))) + " " + endpoint;
}

struct monitoring : testing::Test
{
    engine::test::quiet_world around;
    void *context = nullptr;
    std::vector<void *> opened;

    monitoring () { context = context_open (around.world (), header::zlink, nullptr).value (); }
    ~monitoring () override
    {
        for (void *const each : opened)
            (void)close (each);
        EXPECT_TRUE (context_terminate (context, 0).ok ());
    }
    void *fresh (int type = pair)
    {
        const auto made = open (context, type);
        EXPECT_TRUE (made.ok ());
        opened.push_back (made.value ());
        return made.value ();
    }
    void *reader (const char *endpoint)
    {
        void *const made = fresh ();
        EXPECT_TRUE (connect (made, endpoint).ok ());
        return made;
    }
    // A link of the socket's, which makes an event at both ends.
    void *link (void *with, const std::string &name)
    {
        EXPECT_TRUE (socket::bind (with, "inproc://" + name).ok ());
        void *const other = fresh (push);
        EXPECT_TRUE (socket::connect (other, "inproc://" + name).ok ());
        return other;
    }
};

std::string heard (void *from)
{
    std::array<std::byte, 100> memory;
    const io_count got = receive (from, memory, io_dont_wait);
    return got.ok () ? std::string (base::as_text (base::bytes_view (memory).first (got.size ()))) : "-";
}

TEST_F (monitoring, a_monitor_tells_what_happens_in_order)
{
    void *const watched = fresh (pull);
    ASSERT_TRUE (monitor_start (watched, "inproc://m", everything, pair, letters).ok ());
    void *const ear = reader ("inproc://m");
    void *const other = link (watched, "one");
    EXPECT_EQ (heard (ear), letter (event_kind::ready, "inproc://one"));
    EXPECT_EQ (heard (ear), "-");
    ASSERT_TRUE (close (other).ok ());
    EXPECT_EQ (heard (ear), letter (event_kind::lost, "inproc://one"));
    ASSERT_TRUE (monitor_stop (watched).ok ());
    EXPECT_EQ (heard (ear), letter (event_kind::stopped));
    (void)link (watched, "two");
    EXPECT_EQ (heard (ear), "-");
}

TEST_F (monitoring, what_happens_before_a_reader_comes_waits_for_it)
{
    void *const watched = fresh (pull);
    ASSERT_TRUE (monitor_start (watched, "inproc://m", everything, pair, letters).ok ());
    (void)link (watched, "one");
    void *const ear = reader ("inproc://m");
    EXPECT_EQ (heard (ear), letter (event_kind::ready, "inproc://one"));
}

TEST_F (monitoring, what_nobody_asked_for_is_not_told)
{
    void *const watched = fresh (pull);
    event lost;
    lost.kind = event_kind::lost;
    ASSERT_TRUE (monitor_start (watched, "inproc://m", by_kind (lost), pair, letters).ok ());
    void *const ear = reader ("inproc://m");
    (void)close (link (watched, "one"));
    EXPECT_EQ (heard (ear), letter (event_kind::lost, "inproc://one"));
    ASSERT_TRUE (monitor_stop (watched).ok ());
    EXPECT_EQ (heard (ear), "-");
}

TEST_F (monitoring, a_reader_that_does_not_read_costs_events_and_nothing_else)
{
    void *const watched = fresh (pull);
    ASSERT_TRUE (monitor_start (watched, "inproc://m", everything, pair, letters).ok ());
    void *const ear = fresh ();
    const int one = 1;
    ASSERT_TRUE (set_option (ear, number_of_receive_hwm, &one, sizeof one).ok ());
    ASSERT_TRUE (connect (ear, "inproc://m").ok ());
    constexpr std::size_t told = 3 * engine::events_queued_default;
    ASSERT_TRUE (bind (watched, "inproc://one").ok ());
    void *const other = fresh (push);
    for (std::size_t i = 0; i < told / 2; ++i) {
        ASSERT_TRUE (connect (other, "inproc://one").ok ());
        ASSERT_TRUE (disconnect (other, "inproc://one").ok ());
    }
    const auto counted = statistics (watched);
    ASSERT_TRUE (counted.ok ());
    // Two bounded queues: the monitor's own, and that of the link.
    constexpr std::size_t held_max = 2 * engine::events_queued_default + 2;
    EXPECT_GE (counted.value ().events_lost, told - held_max);
    std::size_t read = 0;
    while (heard (ear) != "-")
        ++read;
    EXPECT_EQ (read + counted.value ().events_lost, told);  // the waiting ones came as room was made
    EXPECT_LE (read, held_max);
    ASSERT_TRUE (connect (other, "inproc://one").ok ());
    EXPECT_EQ (heard (ear), letter (event_kind::ready, "inproc://one"));
}

TEST_F (monitoring, a_new_monitor_takes_the_place_of_the_old_one)
{
    void *const watched = fresh (pull);
    ASSERT_TRUE (monitor_start (watched, "inproc://m", everything, pair, letters).ok ());
    void *const first = reader ("inproc://m");
    // The same name is free again at once.
    ASSERT_TRUE (monitor_start (watched, "inproc://m", everything, push, letters).ok ());
    EXPECT_EQ (heard (first), letter (event_kind::stopped));
    void *const second = fresh (pull);
    ASSERT_TRUE (connect (second, "inproc://m").ok ());
    (void)link (watched, "one");
    EXPECT_EQ (heard (first), "-");
    EXPECT_EQ (heard (second), letter (event_kind::ready, "inproc://one"));
}

TEST_F (monitoring, the_end_of_the_socket_is_the_last_event)
{
    void *const watched = fresh (pull);
    ASSERT_TRUE (monitor_start (watched, "inproc://m", everything, pair, letters).ok ());
    void *const ear = reader ("inproc://m");
    (void)link (watched, "one");
    ASSERT_TRUE (close (watched).ok ());
    EXPECT_EQ (heard (ear), letter (event_kind::ready, "inproc://one"));
    EXPECT_EQ (heard (ear), letter (event_kind::lost, "inproc://one"));
    EXPECT_EQ (heard (ear), letter (event_kind::stopped));
    EXPECT_EQ (heard (ear), "-");
}

TEST_F (monitoring, one_with_a_reader_of_its_own)
{
    void *const watched = fresh (pull);
    const auto ear = monitor_open (watched, everything, letters);
    ASSERT_TRUE (ear.ok ());
    opened.push_back (ear.value ());
    (void)link (watched, "one");
    EXPECT_EQ (heard (ear.value ()), letter (event_kind::ready, "inproc://one"));
    const auto next = monitor_open (watched, everything, letters);
    ASSERT_TRUE (next.ok ());
    opened.push_back (next.value ());
    EXPECT_EQ (heard (ear.value ()), letter (event_kind::stopped));
    EXPECT_EQ (heard (next.value ()), "-");
}

// Calls somebody at the n-th look at its ticks: a socket that is made takes one.
class calling_clock final : public base::clock
{
  public:
    [[nodiscard]] base::time_ns now_ns () noexcept override { return 1; }
    [[nodiscard]] std::uint64_t ticks () noexcept override
    {
        if (++looks == call_at)
            call ();
        return looks;
    }
    [[nodiscard]] std::uint64_t ticks_per_us () const noexcept override { return 1'000; }

    std::uint64_t looks = 0;
    std::uint64_t call_at = 0;
    std::function<void ()> call;
};

// Whether monitor_open had an n-th look, at which its socket was closed.
bool closes_while_it_is_opened (std::uint64_t n)
{
    engine::test::quiet_world around;
    calling_clock time;
    engine::test::counted_dice dice;
    engine::test::no_resolver names;
    base::world world{time, around.sleep, around.pollers, dice, names, around.threads, {}};
    void *const context = context_open (world, header::zlink, nullptr).value ();
    void *const watched = open (context, pull).value ();
    time.call_at = time.looks + n;
    time.call = [watched] { EXPECT_TRUE (close (watched).ok ()); };
    const auto ear = monitor_open (watched, everything, letters);
    const bool closed = time.looks >= std::exchange (time.call_at, 0);
    if (!closed) {
        EXPECT_TRUE (close (watched).ok ());
    }
    if (ear.ok ()) {
        EXPECT_EQ (heard (ear.value ()), letter (event_kind::stopped)) << n;
        EXPECT_TRUE (close (ear.value ()).ok ());
    } else {
        EXPECT_EQ (ear.code (), errc::not_a_socket) << n;
    }
    EXPECT_TRUE (context_terminate (context, 0).ok ());
    return closed;
}

TEST (monitors, a_socket_that_is_closed_while_its_monitor_is_opened_ends_it)
{
    std::uint64_t n = 1;
    while (closes_while_it_is_opened (n))
        ++n;
    EXPECT_GT (n, 2u);
}

TEST_F (monitoring, a_monitor_is_refused_with_the_reason)
{
    void *const watched = fresh (pull);
    const auto start = [&] (const char *endpoint, int type = pair) {
        return monitor_start (watched, endpoint, everything, type, letters).code ();
    };
    EXPECT_EQ (start ("tcp://127.0.0.1:1"), errc::protocol_not_supported);
    EXPECT_EQ (start ("nonsense"), errc::invalid_argument);
    EXPECT_EQ (start ("inproc://"), errc::invalid_argument);
    EXPECT_EQ (start ("inproc://m", 4711), errc::invalid_argument);
    (void)link (fresh (pull), "taken");
    EXPECT_EQ (start ("inproc://taken"), errc::address_in_use);
    EXPECT_TRUE (monitor_stop (watched).ok ());  // there is none
    EXPECT_EQ (monitor_start (context, "inproc://m", everything, pair, letters).code (), errc::not_a_socket);
    EXPECT_EQ (monitor_stop (context).code (), errc::not_a_socket);
    EXPECT_EQ (monitor_open (nullptr, everything, letters).code (), errc::not_a_socket);
    ASSERT_TRUE (context_shutdown (context).ok ());
    EXPECT_EQ (start ("inproc://m"), errc::terminated);
}

TEST_F (monitoring, what_waits_in_a_pipe_is_told_when_asked_for)
{
    event counts;
    counts.kind = event_kind::pipe_counts;
    void *const watched = fresh ();
    EXPECT_EQ (monitor_pipes (watched, by_kind (counts)).code (), errc::invalid_argument);
    ASSERT_TRUE (monitor_start (watched, "inproc://m", by_kind (counts), pair, letters).ok ());
    EXPECT_EQ (monitor_pipes (watched, by_kind (counts)).code (), errc::would_block);
    EXPECT_EQ (monitor_pipes (watched, 1).code (), errc::invalid_argument);
    EXPECT_EQ (monitor_pipes (context, 1).code (), errc::not_a_socket);

    const auto stream = events_open (around.world (), watched, 0, by_kind, everything);
    ASSERT_TRUE (stream.ok ());
    ASSERT_TRUE (bind (watched, "inproc://one").ok ());
    void *const other = fresh ();
    ASSERT_TRUE (connect (other, "inproc://one").ok ());
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE (send (watched, base::as_bytes ("x"), 0).ok ());
    ASSERT_TRUE (send (other, base::as_bytes ("x"), 0).ok ());
    ASSERT_TRUE (monitor_pipes (watched, by_kind (counts)).ok ());
    event next;
    ASSERT_TRUE (events_receive (around.world (), stream.value (), next, 0).ok ());
    EXPECT_EQ (next.kind, event_kind::ready);
    ASSERT_TRUE (events_receive (around.world (), stream.value (), next, 0).ok ());
    EXPECT_EQ (next.kind, event_kind::pipe_counts);
    EXPECT_EQ (next.outbound, 3u);
    EXPECT_EQ (next.inbound, 1u);
    EXPECT_EQ (next.local, "inproc://one");
    EXPECT_TRUE (events_close (stream.value ()).ok ());
}

// --- streams -----------------------------------------------------------------------

TEST_F (monitoring, a_stream_tells_both_ends_of_an_inproc_link)
{
    void *const binder = fresh (pull);
    ASSERT_TRUE (bind (binder, "inproc://one").ok ());
    void *const dialler = fresh (push);
    const auto at_binder = events_open (around.world (), binder, 0, by_kind, everything);
    const auto at_dialler = events_open (around.world (), dialler, 0, by_kind, everything);
    ASSERT_TRUE (connect (dialler, "inproc://one").ok ());
    ASSERT_TRUE (disconnect (dialler, "inproc://one").ok ());
    ASSERT_TRUE (connect (dialler, "inproc://one").ok ());
    const auto next = [this] (void *of) {
        event got;
        EXPECT_TRUE (events_receive (around.world (), of, got, 0).ok ());
        return got;
    };
    for (const bool listens : {true, false}) {
        void *const of = listens ? at_binder.value () : at_dialler.value ();
        const event first = next (of);
        EXPECT_EQ (first.kind, event_kind::ready);
        EXPECT_EQ (first.number, 1u);
        EXPECT_EQ (first.connection_id, 1u);
        EXPECT_EQ (first.endpoint, "inproc://one");
        EXPECT_EQ (first.at_listener, listens);
        EXPECT_TRUE (first.in_process);
        const event second = next (of);
        EXPECT_EQ (second.kind, event_kind::lost);
        EXPECT_EQ (second.number, 2u);
        EXPECT_EQ (second.connection_id, 1u);
        EXPECT_EQ (second.reason,
                   listens ? base::close_reason::peer_closed : base::close_reason::disconnected);
        EXPECT_GE (second.at_ns, first.at_ns);
        EXPECT_EQ (next (of).connection_id, 2u);
        ASSERT_TRUE (events_close (of).ok ());
    }
}

TEST_F (monitoring, a_stream_outlives_its_socket)
{
    void *const watched = fresh (pull);
    const auto stream = events_open (around.world (), watched, 1, by_kind, everything);
    ASSERT_TRUE (stream.ok ());
    ASSERT_TRUE (close (watched).ok ());
    event last;
    ASSERT_TRUE (events_receive (around.world (), stream.value (), last, -1).ok ());
    EXPECT_EQ (last.kind, event_kind::stopped);
    EXPECT_EQ (events_receive (around.world (), stream.value (), last, -1).code (), errc::terminated);
    EXPECT_TRUE (events_close (stream.value ()).ok ());
    EXPECT_EQ (events_close (stream.value ()).code (), errc::bad_address);
    EXPECT_EQ (events_receive (around.world (), stream.value (), last, 0).code (), errc::bad_address);
}

TEST_F (monitoring, any_number_of_streams_hear_the_same)
{
    void *const watched = fresh (pull);
    std::vector<void *> streams;
    for (int i = 0; i < 5; ++i)
        streams.push_back (events_open (around.world (), watched, 0, by_kind, everything).value ());
    EXPECT_TRUE (events_close (streams[2]).ok ());
    streams.erase (streams.begin () + 2);
    (void)link (watched, "one");
    for (void *each : streams) {
        event next;
        EXPECT_TRUE (events_receive (around.world (), each, next, 0).ok ());
        EXPECT_EQ (next.kind, event_kind::ready);
        EXPECT_EQ (events_receive (around.world (), each, next, 0).code (), errc::would_block);
        EXPECT_TRUE (events_close (each).ok ());
    }
}

TEST_F (monitoring, a_stream_is_refused_with_the_reason)
{
    void *const watched = fresh (pull);
    EXPECT_EQ (events_open (around.world (), context, 0, by_kind, everything).code (), errc::not_a_socket);
    EXPECT_EQ (
      events_open (around.world (), watched, engine::events_queued_max + 1, by_kind, everything).code (),
      errc::invalid_argument);
    ASSERT_TRUE (context_shutdown (context).ok ());
    EXPECT_EQ (events_open (around.world (), watched, 0, by_kind, everything).code (), errc::terminated);
    event none;
    EXPECT_EQ (events_receive (around.world (), watched, none, 0).code (), errc::bad_address);
    EXPECT_EQ (events_close (watched).code (), errc::bad_address);
}

// --- peers -------------------------------------------------------------------------

TEST_F (monitoring, peers_are_listed_the_oldest_first)
{
    void *const watched = fresh (pull);
    EXPECT_TRUE (peers (watched).value ().empty ());
    void *const first = link (watched, "one");
    around.time.now += base::ns_per_s;
    (void)link (watched, "two");
    const auto both = peers (watched);
    ASSERT_TRUE (both.ok ());
    ASSERT_EQ (both.value ().size (), 2u);
    EXPECT_EQ (both.value ()[0].remote, "inproc://one");
    EXPECT_EQ (both.value ()[1].remote, "inproc://two");
    EXPECT_EQ (both.value ()[1].ready_since_ns - both.value ()[0].ready_since_ns, base::ns_per_s);
    ASSERT_TRUE (close (first).ok ());
    ASSERT_EQ (peers (watched).value ().size (), 1u);
    EXPECT_EQ (peers (watched).value ()[0].connection_id, 2u);
    EXPECT_EQ (peers (context).code (), errc::not_a_socket);
}

}  // namespace
}  // namespace zlink::socket

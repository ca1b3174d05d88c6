#include "socket/facade.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/watcher.hpp"
#include "engine/test_world.hpp"

namespace zlink::socket {
namespace {

using base::as_bytes;
using base::errc;

// Numbers of zlink.h.
constexpr int io_threads = 1;
constexpr int max_sockets = 2;
constexpr int option_routing_id = 5;
constexpr int option_subscribe = 6;
constexpr int option_more = 13;
constexpr int option_receive_timeout = 27;
constexpr int option_last_endpoint = 32;
constexpr int option_last_values = 3024;
constexpr int option_no_drop = 69;

constexpr int pair = static_cast<int> (socket_type::pair);
constexpr int push = static_cast<int> (socket_type::push);
constexpr int pull = static_cast<int> (socket_type::pull);
constexpr int dealer = static_cast<int> (socket_type::dealer);
constexpr int router = static_cast<int> (socket_type::router);
constexpr int sub = static_cast<int> (socket_type::sub);
constexpr int xpub = static_cast<int> (socket_type::xpub);

// A context and the sockets a test opens in it.
struct facade : testing::Test
{
    engine::test::quiet_world around;
    void *context = nullptr;
    std::vector<void *> opened;

    facade ()
    {
        const auto made = context_open (around.world (), header::zlink, nullptr);
        EXPECT_TRUE (made.ok ());
        context = made.value ();
    }
    ~facade () override
    {
        for (void *const each : opened)
            (void)close (each);
        if (is_context (context)) {
            EXPECT_TRUE (context_terminate (context, 0).ok ());
        }
    }

    void *fresh (int type = pair)
    {
        const auto made = open (context, type);
        EXPECT_TRUE (made.ok ());
        if (!made.ok ())
            return nullptr;
        opened.push_back (made.value ());
        return made.value ();
    }
    static std::array<void *, 2> met (const std::array<void *, 2> &both)
    {
        EXPECT_TRUE (bind (both[0], "inproc://link").ok ());
        EXPECT_TRUE (connect (both[1], "inproc://link").ok ());
        return both;
    }
    std::array<void *, 2> linked (int one = pair, int other = pair)
    {
        return met ({fresh (one), fresh (other)});
    }
    // "a" and "b", who know each other.
    std::array<void *, 2> routers ()
    {
        const std::array<void *, 2> both{fresh (router), fresh (router)};
        EXPECT_TRUE (set_option (both[0], option_routing_id, "a", 1).ok ());
        EXPECT_TRUE (set_option (both[1], option_routing_id, "b", 1).ok ());
        return met (both);
    }
};

std::string received (void *from)
{
    std::array<std::byte, 100> memory;
    const io_count got = receive (from, memory, io_dont_wait);
    return got.ok () ? std::string (base::as_text (base::bytes_view (memory).first (got.size ()))) : "-";
}

base::message message_of (std::string_view text)
{
    base::message part;
    EXPECT_TRUE (part.init_copy (as_bytes (text)).ok ());
    return part;
}

// --- contexts --------------------------------------------------------------------

TEST_F (facade, a_context_is_one_until_it_is_terminated)
{
    EXPECT_TRUE (is_context (context));
    ASSERT_TRUE (context_terminate (context).ok ());
    EXPECT_FALSE (is_context (context));
    EXPECT_EQ (context_terminate (context).code (), errc::bad_address);
    EXPECT_EQ (context_shutdown (context).code (), errc::bad_address);
    EXPECT_EQ (context_get (context, io_threads).code (), errc::bad_address);
    EXPECT_EQ (context_set (context, io_threads, 1).code (), errc::bad_address);
    EXPECT_EQ (context_holders (context).code (), errc::bad_address);
    EXPECT_EQ (open (context, pair).code (), errc::bad_address);
}

TEST_F (facade, what_is_no_context_is_a_bad_address)
{
    int foreign = 0;
    for (void *const each : {static_cast<void *> (nullptr), static_cast<void *> (&foreign), fresh ()}) {
        EXPECT_FALSE (is_context (each));
        EXPECT_EQ (context_get (each, io_threads).code (), errc::bad_address);
        EXPECT_EQ (context_terminate (each).code (), errc::bad_address);
        EXPECT_EQ (open (each, pair).code (), errc::bad_address);
    }
}

TEST_F (facade, context_options_keep_what_is_set)
{
    ASSERT_TRUE (context_set (context, io_threads, 3).ok ());
    EXPECT_EQ (context_get (context, io_threads).value (), 3);
    EXPECT_EQ (context_set (context, io_threads, -1).code (), errc::invalid_argument);
    EXPECT_EQ (context_get (context, io_threads).value (), 3);
    EXPECT_EQ (context_get (context, 12'345).code (), errc::invalid_argument);
    EXPECT_EQ (context_set (context, 12'345, 0).code (), errc::invalid_argument);
}

TEST_F (facade, terminating_waits_for_open_sockets)
{
    void *const holder = fresh ();
    ASSERT_TRUE (bind (holder, "inproc://held").ok ());
    EXPECT_EQ (context_terminate (context, around.time.now_ns () + base::ns_per_s).code (), errc::timed_out);
    EXPECT_TRUE (is_context (context)) << "it lives on";
    const auto holders = context_holders (context);
    ASSERT_TRUE (holders.ok ());
    EXPECT_NE (holders.value ().find ("PAIR open"), std::string::npos) << holders.value ();
    EXPECT_NE (holders.value ().find ("inproc://held"), std::string::npos) << holders.value ();
    EXPECT_EQ (context_terminate (context).code (), errc::interrupted) << "the waiter's word";
    ASSERT_TRUE (close (holder).ok ());
    EXPECT_EQ (context_holders (context).value (), "");
    EXPECT_TRUE (context_terminate (context).ok ());
}

TEST_F (facade, every_call_on_a_socket_of_a_context_that_goes_says_so)
{
    const auto [one, other] = linked ();
    ASSERT_TRUE (send (one, as_bytes ("x"), 0).ok ());
    ASSERT_TRUE (context_shutdown (context).ok ());
    std::array<std::byte, 8> memory;
    base::message part = message_of ("kept");
    EXPECT_EQ (send (one, as_bytes ("x"), 0).code (), errc::terminated);
    EXPECT_EQ (send (one, part, io_dont_wait).code (), errc::terminated);
    EXPECT_EQ (part.size (), 4U) << "still the caller's";
    EXPECT_EQ (receive (other, memory, 0).code (), errc::terminated);
    EXPECT_EQ (receive (other, part, io_dont_wait).code (), errc::terminated);
    EXPECT_EQ (bind (one, "inproc://more").code (), errc::terminated);
    EXPECT_EQ (connect (one, "inproc://more").code (), errc::terminated);
    EXPECT_EQ (open (context, pair).code (), errc::terminated);
    part.close ();
}

TEST (facade_context, drops_what_it_was_given_with_the_last_of_it)
{
    engine::test::quiet_world around;
    const auto held = std::make_shared<int> (1);
    const auto context = context_open (around.world (), header::zmq, held);
    ASSERT_TRUE (context.ok ());
    const auto socket = open (context.value (), pair);
    ASSERT_TRUE (socket.ok ());
    EXPECT_GT (held.use_count (), 1);
    ASSERT_TRUE (close (socket.value ()).ok ());
    ASSERT_TRUE (context_terminate (context.value ()).ok ());
    EXPECT_EQ (held.use_count (), 1);
}

// --- sockets ---------------------------------------------------------------------

TEST_F (facade, an_unknown_type_is_refused)
{
    EXPECT_EQ (open (context, 99).code (), errc::invalid_argument);
    EXPECT_EQ (open (context, -1).code (), errc::invalid_argument);
}

TEST_F (facade, opens_so_many_sockets)
{
    ASSERT_TRUE (context_set (context, max_sockets, 2).ok ());
    void *const first = fresh ();
    (void)fresh ();
    EXPECT_EQ (open (context, pair).code (), errc::too_many_sockets);
    ASSERT_TRUE (close (first).ok ());
    (void)fresh ();
}

// Not a socket: null, foreign, a context, closed.
TEST_F (facade, what_is_no_socket_is_told_by_every_call)
{
    int foreign = 0;
    void *const closed = fresh ();
    ASSERT_TRUE (close (closed).ok ());
    std::array<std::byte, 8> memory{};
    std::array<std::uint32_t, 1> sizes{1};
    std::array<base::bytes_view, 1> places;
    base::placed_parts placed{memory, places};
    std::array<base::message, 1> parts;
    parts[0].init ();
    int value = 0;
    std::size_t size = sizeof value;
    for (void *const each :
         {static_cast<void *> (nullptr), static_cast<void *> (&foreign), context, closed}) {
        const std::vector<errc> answers{
          close (each).code (),
          bind (each, "inproc://a").code (),
          connect (each, "inproc://a").code (),
          unbind (each, "inproc://a").code (),
          disconnect (each, "inproc://a").code (),
          set_option (each, number_of_send_hwm, &value, sizeof value).code (),
          get_option (each, number_of_send_hwm, &value, &size).code (),
          send (each, as_bytes ("x"), 0).code (),
          send_constant (each, as_bytes ("x"), 0).code (),
          send (each, parts[0], 0).code (),
          receive (each, memory, 0).code (),
          receive (each, parts[0], 0).code (),
          send_parts (each, parts, 0).code (),
          receive_parts (each, parts, 0, nullptr).code (),
          send_many (each, parts, 0).code (),
          receive_many (each, parts, 0).code (),
          send_packed (each, base::bytes_view (memory).first (1), sizes, 0).code (),
          receive_packed (each, memory, sizes, 0).code (),
          receive_placed (each, placed, 0).code (),
          prepare_headed (each, nullptr).code (),
          send_prepared (each, "key", as_bytes ("x")).code (),
          status (each, "inproc://a").code (),
          wait_peers (each, 1, 0).code (),
          wait_subscribers (each, 1, 0).code (),
          wait_subscribed (each, 1, 0).code (),
          statistics (each).code (),
          count_rows (each).code (),
          counters_text (each).code (),
        };
        for (std::size_t i = 0; i < answers.size (); ++i)
            EXPECT_EQ (answers[i], errc::not_a_socket) << "call " << i;
    }
}

TEST_F (facade, options_are_set_and_read_through_the_handle)
{
    void *const socket = fresh ();
    const int wanted = 7;
    ASSERT_TRUE (set_option (socket, number_of_send_hwm, &wanted, sizeof wanted).ok ());
    int value = 0;
    std::size_t size = sizeof value;
    ASSERT_TRUE (get_option (socket, number_of_send_hwm, &value, &size).ok ());
    EXPECT_EQ (value, wanted);
    EXPECT_EQ (size, sizeof value);
    EXPECT_EQ (set_option (socket, 99'999, &wanted, sizeof wanted).code (), errc::invalid_argument);
    ASSERT_TRUE (bind (socket, "inproc://named").ok ());
    std::array<char, 64> text{};
    size = text.size ();
    ASSERT_TRUE (get_option (socket, option_last_endpoint, text.data (), &size).ok ());
    EXPECT_STREQ (text.data (), "inproc://named");
    EXPECT_EQ (size, std::string_view ("inproc://named").size () + 1);
}

TEST_F (facade, an_unknown_endpoint_is_refused)
{
    void *const socket = fresh ();
    EXPECT_EQ (bind (socket, "nothing").code (), errc::invalid_argument);
    EXPECT_EQ (bind (socket, "pigeon://x").code (), errc::protocol_not_supported);
    EXPECT_EQ (connect (socket, "pigeon://x").code (), errc::protocol_not_supported);
    EXPECT_EQ (unbind (socket, "inproc://never").code (), errc::no_such_endpoint);
    EXPECT_EQ (disconnect (socket, "inproc://never").code (), errc::no_such_endpoint);
}

// --- traffic ---------------------------------------------------------------------

TEST_F (facade, passes_bytes_messages_and_constants)
{
    const auto [one, other] = linked ();
    base::message part = message_of ("message");
    EXPECT_EQ (send (one, as_bytes ("bytes"), 0).size (), 5U);
    EXPECT_EQ (send_constant (one, as_bytes ("constant"), 0).size (), 8U);
    EXPECT_TRUE (send (one, part, 0).ok ());
    EXPECT_EQ (part.size (), 0U);
    EXPECT_EQ (received (other), "bytes");
    EXPECT_EQ (received (other), "constant");
    ASSERT_EQ (receive (other, part, io_dont_wait).size (), 7U);
    EXPECT_EQ (base::as_text (part.view ()), "message");
    part.close ();
    EXPECT_EQ (receive (other, part, io_dont_wait).code (), errc::would_block);
}

TEST_F (facade, a_short_buffer_gets_the_beginning_and_the_full_size)
{
    const auto [one, other] = linked ();
    ASSERT_TRUE (send (one, as_bytes ("abcdef"), 0).ok ());
    std::array<std::byte, 3> memory;
    EXPECT_EQ (receive (other, memory, 0).size (), 6U);
    EXPECT_EQ (base::as_text (memory), "abc");
    EXPECT_EQ (received (other), "-") << "the rest is gone";
}

TEST_F (facade, parts_show_with_the_last_of_them)
{
    const auto [one, other] = linked ();
    ASSERT_TRUE (send (one, as_bytes ("a"), io_send_more).ok ());
    EXPECT_EQ (received (other), "-");
    ASSERT_TRUE (send (one, as_bytes ("b"), 0).ok ());
    EXPECT_EQ (received (other), "a");
    int more = 0;
    std::size_t size = sizeof more;
    ASSERT_TRUE (get_option (other, option_more, &more, &size).ok ());
    EXPECT_EQ (more, 1);
    EXPECT_EQ (received (other), "b");
    ASSERT_TRUE (get_option (other, option_more, &more, &size).ok ());
    EXPECT_EQ (more, 0);
}

TEST_F (facade, whole_messages_are_taken_whole_or_not_at_all)
{
    const auto [one, other] = linked ();
    std::array<base::message, 3> parts{message_of ("a"), message_of ("b"), message_of ("c")};
    EXPECT_EQ (send_parts (one, parts, 0).size (), 3U);
    std::size_t needed = 0;
    EXPECT_EQ (receive_parts (other, std::span (parts).first (2), 0, &needed).code (),
               errc::message_too_long);
    EXPECT_EQ (needed, 3U);
    ASSERT_EQ (receive_parts (other, parts, 0, &needed).size (), 3U);
    std::string text;
    for (base::message &each : parts) {
        text += base::as_text (each.view ());
        text += each.more () ? "+" : "";
        each.close ();
    }
    EXPECT_EQ (text, "a+b+c");
}

class counting_watcher final : public base::watcher
{
  public:
    void wake () noexcept override { ++wakes; }
    unsigned wakes = 0;
};

TEST_F (facade, who_watches_for_reading_alone_is_not_woken_by_who_reads_what_he_sent)
{
    const auto [from, to] = linked ();
    const auto watcher = std::make_shared<counting_watcher> ();
    base::io_handle kernel = base::no_handle;
    ASSERT_TRUE (send (from, as_bytes ("first"), 0).ok ());  // who reads is there
    EXPECT_EQ (watch (from, watcher, kernel, false).value (), event_out);
    for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE (send (from, as_bytes ("x"), 0).ok ());
        EXPECT_NE (received (to), "-");
    }
    EXPECT_EQ (watcher->wakes, 0U);
    ASSERT_TRUE (send (to, as_bytes ("answer"), 0).ok ());
    EXPECT_EQ (watcher->wakes, 1U);
    unwatch (from, watcher);
}

TEST_F (facade, who_watches_what_is_full_is_woken_by_who_reads_it)
{
    const std::array<void *, 2> both{fresh (pair), fresh (pair)};
    const int one = 1;
    for (void *const each : both)
        for (const int mark : {number_of_send_hwm, number_of_receive_hwm})
            ASSERT_TRUE (set_option (each, mark, &one, sizeof one).ok ());
    const auto [from, to] = met (both);
    const auto watcher = std::make_shared<counting_watcher> ();
    base::io_handle kernel = base::no_handle;
    while (send (from, as_bytes ("x"), io_dont_wait).ok ()) {}
    EXPECT_EQ (watch (from, watcher, kernel).value (), 0U);
    EXPECT_EQ (watcher->wakes, 0U);
    while (received (to) != "-") {}
    EXPECT_GE (watcher->wakes, 1U);
    EXPECT_EQ (watch (from, watcher, kernel).value (), event_out);
    unwatch (from, watcher);
}

TEST_F (facade, who_watches_gives_back_their_turn_to_those_who_have_room_again)
{
    const std::array<void *, 3> all{fresh (dealer), fresh (dealer), fresh (dealer)};
    const int one = 1;
    for (void *const each : all)
        for (const int mark : {number_of_send_hwm, number_of_receive_hwm})
            ASSERT_TRUE (set_option (each, mark, &one, sizeof one).ok ());
    const auto [from, first, second] = all;
    ASSERT_TRUE (bind (from, "inproc://link").ok ());
    const auto drain = [] (void *which) {
        while (received (which) != "-") {}
    };
    for (void *const each : {first, second})
        ASSERT_TRUE (connect (each, "inproc://link").ok ());
    while (send (from, as_bytes ("x"), io_dont_wait).ok ()) {}
    drain (second);
    ASSERT_TRUE (send (from, as_bytes ("x"), io_dont_wait).ok ()) << "one has room";
    drain (second);
    drain (first);
    const auto watcher = std::make_shared<counting_watcher> ();
    base::io_handle kernel = base::no_handle;
    EXPECT_EQ (watch (from, watcher, kernel, false).value (), event_out);
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE (send (from, as_bytes ("y"), io_dont_wait).ok ());
    for (void *const each : {first, second})
        EXPECT_EQ (received (each), "y");
    unwatch (from, watcher);
}

TEST_F (facade, a_publishers_part_in_two_places_comes_as_one)
{
    const auto [from, first] = linked (xpub, sub);
    void *const second = fresh (sub);
    ASSERT_TRUE (connect (second, "inproc://link").ok ());
    ASSERT_TRUE (set_option (first, option_subscribe, "to", 2).ok ());
    EXPECT_EQ (received (from), std::string ("\1to"));
    EXPECT_EQ (send_joined (where_stands (from), {as_bytes ("topic:"), as_bytes ("body")}).size (), 10U);
    EXPECT_EQ (send_joined (where_stands (from), {as_bytes ("other:"), as_bytes ("body")}).size (), 10U);
    EXPECT_EQ (received (first), "topic:body");
    EXPECT_EQ (received (first), "-") << "nobody has asked for it";
    ASSERT_TRUE (set_option (second, option_subscribe, "topic", 5).ok ());
    EXPECT_EQ (received (from), std::string ("\1topic"));
    EXPECT_TRUE (send_joined (where_stands (from), {as_bytes ("topic:"), {}}).ok ());
    for (void *const each : {first, second}) {
        EXPECT_EQ (received (each), "topic:");
        EXPECT_EQ (received (each), "-");
    }
}

TEST_F (facade, a_publisher_that_loses_nothing_knows_what_its_only_reader_has_to_read)
{
    const auto [from, to] = linked (xpub, sub);
    ASSERT_TRUE (set_option (to, option_subscribe, "", 0).ok ());
    EXPECT_EQ (received (from), std::string ("\1"));
    const std::vector<std::byte> body (1000);
    ASSERT_TRUE (send (from, body, 0).ok ());
    EXPECT_EQ (unread_bytes (from), 0U) << "it would drop";
    const int no_drop = 1;
    ASSERT_TRUE (set_option (from, option_no_drop, &no_drop, sizeof no_drop).ok ());
    ASSERT_TRUE (send (from, body, 0).ok ());
    EXPECT_GE (unread_bytes (from), 2 * body.size ());
    EXPECT_LT (unread_bytes (from), 3 * body.size ());
    std::vector<std::byte> memory (body.size ());
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE (receive (to, memory, 0).ok ());
    EXPECT_EQ (received (to), "-");
    EXPECT_EQ (unread_bytes (from), 0U);
    ASSERT_TRUE (send (from, body, 0).ok ());
    ASSERT_TRUE (connect (fresh (sub), "inproc://link").ok ());
    EXPECT_EQ (unread_bytes (from), 0U) << "there are two";
    EXPECT_EQ (unread_bytes (nullptr), 0U);
}

TEST_F (facade, where_a_socket_stood_nothing_is_joined_behind_its_end)
{
    int foreign = 0;
    EXPECT_EQ (where_stands (&foreign).at, nullptr);
    const auto [from, to] = linked (xpub, sub);
    const standing here = where_stands (from);
    ASSERT_TRUE (send_joined (here, {as_bytes ("a"), as_bytes ("b")}).ok ());
    ASSERT_TRUE (close (from).ok ());
    EXPECT_EQ (send_joined (here, {as_bytes ("a"), as_bytes ("b")}).code (), errc::in_progress);
    EXPECT_EQ (send_joined (where_stands (fresh (xpub)), {as_bytes ("a"), as_bytes ("b")}).size (), 2U)
      << "another one";
    EXPECT_EQ (send_joined (here, {as_bytes ("a"), as_bytes ("b")}).code (), errc::in_progress);
}

TEST_F (facade, what_is_not_joined_quickly_is_left_alone)
{
    const auto [from, to] = linked (xpub, sub);
    EXPECT_EQ (send_joined (where_stands (to), {as_bytes ("a"), as_bytes ("b")}).code (), errc::in_progress);
    const std::vector<std::byte> large (64 * 1024);
    EXPECT_EQ (send_joined (where_stands (from), {as_bytes ("a"), large}).code (), errc::in_progress);
    ASSERT_TRUE (send_joined (where_stands (from), {as_bytes ("a"), as_bytes ("b")}).ok ());
    const int topics = 10;
    ASSERT_TRUE (set_option (from, option_last_values, &topics, sizeof topics).ok ());
    EXPECT_EQ (send_joined (where_stands (from), {as_bytes ("a"), as_bytes ("b")}).code (), errc::in_progress)
      << "it is kept for late subscribers";
}

TEST_F (facade, batches_move_many_under_one_call)
{
    const auto [one, other] = linked (push, pull);
    void *const from = one;
    void *const to = other;
    const std::array<std::uint32_t, 3> sizes{1, 0, 2};
    EXPECT_EQ (send_packed (from, as_bytes ("abb"), sizes, 0).size (), 3U);
    std::array<base::message, 2> two{message_of ("m1"), message_of ("m2")};
    EXPECT_EQ (send_many (from, two, 0).size (), 2U);
    std::array<std::byte, 64> memory;
    std::array<std::uint32_t, 4> got{};
    ASSERT_EQ (receive_packed (to, memory, got, 0).size (), 4U);
    EXPECT_EQ (got, (std::array<std::uint32_t, 4>{1, 0, 2, 2}));
    EXPECT_EQ (base::as_text (base::bytes_view (memory).first (5)), "abbm1");
    ASSERT_EQ (receive_many (to, two, 0).size (), 1U);
    EXPECT_EQ (base::as_text (two[0].view ()), "m2");
    for (base::message &each : two)
        each.close ();
}

// As a reader that looks at what it has read.
struct placed_reader
{
    std::array<std::byte, 20'000> room{};
    std::array<base::bytes_view, 64> parts{};
    std::array<base::memory_hold, 2> holds{};
    std::array<bool, 64> goes_on{};
    bool knows_rows = false;
    std::size_t held = 0;

    io_count read (void *from, unsigned flags = 0)
    {
        holds = {};
        base::placed_parts to{room, parts, holds};
        if (knows_rows)
            to.goes_on = goes_on;
        const io_count got = receive_placed (from, to, flags);
        held = to.held;
        return got;
    }
    [[nodiscard]] bool in_room (std::size_t i) const
    {
        return parts[i].data () >= room.data () && parts[i].data () < room.data () + room.size ();
    }
};

TEST_F (facade, a_reader_finds_messages_where_they_stand)
{
    const auto [from, to] = linked (push, pull);
    const std::vector<std::byte> large (5000, std::byte{'l'});
    const std::vector<std::byte> by_reference (17'000, std::byte{'r'});
    for (const base::bytes_view each : {as_bytes ("small"), base::bytes_view (large), as_bytes (""),
                                        base::bytes_view (by_reference), base::bytes_view (large)})
        ASSERT_TRUE (send (from, each, 0).ok ());
    placed_reader reader;
    EXPECT_EQ (reader.read (to).size (), 5U);
    EXPECT_EQ (base::as_text (reader.parts[0]), "small");
    EXPECT_TRUE (std::ranges::equal (reader.parts[1], large));
    EXPECT_TRUE (reader.parts[2].empty ());
    EXPECT_TRUE (std::ranges::equal (reader.parts[3], by_reference));
    EXPECT_TRUE (std::ranges::equal (reader.parts[4], large));
    EXPECT_TRUE (reader.in_room (0) && reader.in_room (3)) << "the one is small, the other one a message's";
    EXPECT_FALSE (reader.in_room (1) || reader.in_room (4)) << "copied";
    EXPECT_EQ (reader.held, 1U);
    ASSERT_TRUE (close (from).ok ());
    ASSERT_TRUE (close (to).ok ());
    EXPECT_TRUE (std::ranges::equal (reader.parts[4], large)) << "it is not held";
}

TEST_F (facade, many_small_messages_stay_where_they_are)
{
    const auto [from, to] = linked (push, pull);
    for (int i = 0; i < 20; ++i)
        ASSERT_TRUE (send (from, as_bytes ("small"), 0).ok ());
    placed_reader reader;
    ASSERT_EQ (reader.read (to).size (), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ (base::as_text (reader.parts[i]), "small");
        EXPECT_FALSE (reader.in_room (i));
    }
    EXPECT_EQ (reader.held, 1U);
}

// Publishes count messages of a row to topic, and answers what they are.
std::vector<std::string>
publish_row (void *from, std::string_view topic, std::uint64_t number, std::size_t count)
{
    std::vector<std::string> sent;
    const std::string front = std::string (topic) + std::string (sizeof number, '?');
    for (; count > 0; --count) {
        const std::string body = "body " + std::to_string (number);
        base::joined_part what{as_bytes (front), as_bytes (body), 7, number++, topic.size ()};
        EXPECT_TRUE (send_joined (where_stands (from), what).ok ());
        std::string whole = front + std::string (2, '\0') + body;
        base::store_u64_be (reinterpret_cast<std::byte *> (whole.data ()) + topic.size (), what.number);
        whole[front.size () + 1] = static_cast<char> (body.size ());
        sent.push_back (whole);
    }
    return sent;
}

TEST_F (facade, a_row_comes_as_messages_or_as_what_they_do_not_share)
{
    const auto [from, to] = linked (xpub, sub);
    ASSERT_TRUE (set_option (to, option_subscribe, "to", 2).ok ());
    EXPECT_EQ (received (from), std::string ("\1to"));
    const std::vector<std::string> sent = publish_row (from, "topic", 254, 60);
    EXPECT_EQ (received (to), sent[0]);
    EXPECT_EQ (received (to), sent[1]);
    placed_reader reader;
    reader.knows_rows = true;
    ASSERT_EQ (reader.read (to).size (), 58U);
    EXPECT_EQ (base::as_text (reader.parts[0]), sent[2]) << "who begins within a row has all of it";
    EXPECT_TRUE (reader.in_room (0));
    for (std::size_t i = 1; i < 58; ++i) {
        EXPECT_TRUE (reader.goes_on[i]);
        EXPECT_EQ (base::as_text (reader.parts[i]), sent[i + 2].substr (13));
    }
    for (const std::string &each : publish_row (from, "other", 1, 2))
        EXPECT_FALSE (each.empty ());
    const std::vector<std::string> more = publish_row (from, "topic", 400, 30);
    reader.knows_rows = false;
    std::vector<std::string> got;
    while (got.size () < more.size ()) {
        const io_count came = reader.read (to);
        ASSERT_TRUE (came.ok ());
        for (std::size_t i = 0; i < came.size (); ++i)
            got.emplace_back (base::as_text (reader.parts[i]));
    }
    EXPECT_EQ (got, more);
}

TEST_F (facade, a_batch_ends_where_holds_do)
{
    const auto [from, to] = linked (push, pull);
    const std::vector<std::byte> body (10'000, std::byte{'b'});
    for (int i = 0; i < 30; ++i)
        ASSERT_TRUE (send (from, body, 0).ok ());
    placed_reader reader;
    std::size_t taken = 0;
    while (taken < 30) {
        const io_count got = reader.read (to);
        ASSERT_TRUE (got.ok ());
        EXPECT_LT (got.size (), 15U) << "more than two pieces of memory hold";
        EXPECT_LE (reader.held, reader.holds.size ());
        for (std::size_t i = 0; i < got.size (); ++i)
            EXPECT_TRUE (std::ranges::equal (reader.parts[i], body));
        taken += got.size ();
    }
    EXPECT_EQ (taken, 30U);
}

TEST_F (facade, what_finds_no_place_stays)
{
    const auto [from, to] = linked (push, pull);
    const std::vector<std::byte> body (30'000, std::byte{'b'});
    const std::array<base::bytes_view, 2> both{as_bytes ("first"), as_bytes ("second")};
    ASSERT_TRUE (send (from, body, 0).ok ());
    ASSERT_TRUE (send (from, both[0], io_send_more).ok ());
    ASSERT_TRUE (send (from, both[1], 0).ok ());
    placed_reader reader;
    EXPECT_EQ (reader.read (to).code (), errc::message_too_long);
    std::vector<std::byte> memory (body.size ());
    EXPECT_EQ (receive (to, memory, 0).size (), body.size ());
    EXPECT_EQ (reader.read (to).code (), errc::wrong_state) << "it has several parts";
    EXPECT_EQ (receive (to, memory, 0).size (), 5U);
    EXPECT_EQ (receive (to, memory, 0).size (), 6U);
    EXPECT_EQ (reader.read (to, io_dont_wait).code (), errc::would_block);
}

// --- behind a head ---------------------------------------------------------------

// Room for messages of two parts.
struct headed_reader
{
    std::array<base::headed_message, 4> got{};
    headed_reader ()
    {
        for (base::headed_message &each : got)
            each.init ();
    }
    ~headed_reader ()
    {
        for (base::headed_message &each : got)
            each.close ();
    }
    // "head|body head|body", of all that are read at once; "-": none; "?": otherwise.
    std::string read (void *from, base::time_ns deadline = 0)
    {
        const io_count count = receive_headed (from, got, deadline);
        std::string all = count.ok () ? "" : count.code () == errc::in_progress ? "?" : "-";
        std::string head;
        for (std::size_t i = 0; count.ok () && i < count.size (); ++i) {
            if (!got[i].head_again)
                head = base::as_text (got[i].parts[0].view ());
            all += (i == 0 ? "" : " ") + head + '|' + std::string (base::as_text (got[i].parts[1].view ()));
        }
        return all;
    }
};

TEST_F (facade, what_stands_behind_a_head_goes_within_the_process)
{
    const auto [from, to] = routers ();
    const base::bytes_view name = as_bytes ("b");
    headed_reader reader;
    EXPECT_EQ (reader.read (to), "-");
    for (const std::string_view body : {"one", "two", ""})
        ASSERT_TRUE (send_headed (from, name, as_bytes ("head"), as_bytes (body)).ok ());
    ASSERT_TRUE (send_headed (from, name, as_bytes ("other"), as_bytes ("three")).ok ());
    EXPECT_EQ (reader.read (to), "head|one head|two head| other|three");
    EXPECT_EQ (base::as_text (reader.got[0].name.view ()), "a");
    EXPECT_TRUE (reader.got[1].name_again && !reader.got[0].name_again);
    EXPECT_EQ (send_headed (from, as_bytes ("c"), as_bytes ("head"), as_bytes ("x")).code (),
               errc::in_progress);
}

TEST_F (facade, what_is_no_pair_goes_the_long_way)
{
    const auto [from, to] = routers ();
    const base::bytes_view name = as_bytes ("b");
    std::array<base::message, 3> parts{message_of ("x"), message_of ("y"), {}};
    ASSERT_TRUE (send_headed (from, name, as_bytes ("head"), as_bytes ("one")).ok ());
    ASSERT_TRUE (send_headed (from, name, as_bytes ("head"), std::span (parts).first (2)).ok ());
    ASSERT_TRUE (send_headed (from, name, as_bytes ("alone"), std::span (parts).first (0)).ok ());
    headed_reader reader;
    EXPECT_EQ (reader.read (to), "head|one");
    EXPECT_EQ (reader.read (to), "-");
    for (const char *each : {"a", "head", "x", "y", "a", "alone"})
        EXPECT_EQ (received (to), each);
    EXPECT_EQ (received (to), "-");
    for (base::message &each : std::span (parts).first (2))
        each.close ();
}

TEST_F (facade, who_waits_for_what_stands_behind_a_head_leaves_what_is_otherwise)
{
    const auto [from, to] = routers ();
    const base::bytes_view name = as_bytes ("b");
    constexpr base::time_ns passed = 1;
    headed_reader reader;
    EXPECT_EQ (reader.read (to, passed), "-");
    ASSERT_TRUE (send_headed (from, name, as_bytes ("head"), as_bytes ("one")).ok ());
    EXPECT_EQ (reader.read (to, base::never_ns), "head|one");
    ASSERT_TRUE (send_headed (from, name, as_bytes ("alone"), std::span<const base::message> ()).ok ());
    ASSERT_TRUE (send_headed (from, name, as_bytes ("head"), as_bytes ("two")).ok ());
    EXPECT_EQ (reader.read (to, passed), "?");
    EXPECT_EQ (reader.read (to, passed), "?") << "it was begun";
    for (const char *each : {"a", "alone", "a"})
        EXPECT_EQ (received (to), each);
    EXPECT_EQ (reader.read (to, passed), "?") << "its name was received";
    for (const char *each : {"head", "two"})
        EXPECT_EQ (received (to), each);
    void *const pulls = fresh (pull);
    EXPECT_EQ (receive_headed (pulls, reader.got, passed).code (), errc::not_supported);
}

TEST_F (facade, what_is_prepared_is_sent_by_its_key)
{
    const auto [from, to] = routers ();
    base::atomic<bool> news{false};
    base::prepared_head what;
    what.key = "key";
    what.name = as_bytes ("b");
    what.head = as_bytes ("head");
    what.unless = &news;
    const auto sends = [from] (const char *key, base::bytes_view body) {
        return send_prepared (from, key, body).ok ();
    };
    EXPECT_FALSE (sends ("key", as_bytes ("x"))) << "nothing is prepared";
    ASSERT_TRUE (prepare_headed (from, &what).ok ());
    EXPECT_TRUE (sends ("key", as_bytes ("one")));
    EXPECT_FALSE (sends ("ke", as_bytes ("x")));
    EXPECT_FALSE (sends ("keys", as_bytes ("x")));
    EXPECT_FALSE (sends ("key", std::vector<std::byte> (64 * 1024)));
    news.store (true);
    EXPECT_FALSE (sends ("key", as_bytes ("x")));
    news.store (false);
    EXPECT_TRUE (sends ("key", as_bytes ("two")));
    EXPECT_EQ (what.sent.load (), 2U);
    headed_reader reader;
    EXPECT_EQ (reader.read (to), "head|one head|two");
    ASSERT_TRUE (close (to).ok ());
    EXPECT_FALSE (sends ("key", as_bytes ("x"))) << "nobody is there";
    EXPECT_EQ (what.sent.load (), 2U);
    ASSERT_TRUE (prepare_headed (from, nullptr).ok ());
    EXPECT_FALSE (sends ("key", as_bytes ("x")));
    const std::vector<std::byte> large (300);
    what.head = large;
    EXPECT_EQ (prepare_headed (from, &what).code (), errc::message_too_long);
    EXPECT_EQ (prepare_headed (fresh (), &what).code (), errc::not_supported);
}

TEST_F (facade, a_wait_ends_with_its_time_out)
{
    const auto [one, other] = linked ();
    const int timeout_ms = 50;
    ASSERT_TRUE (set_option (other, option_receive_timeout, &timeout_ms, sizeof timeout_ms).ok ());
    const base::time_ns before = around.time.now_ns ();
    std::array<std::byte, 8> memory;
    EXPECT_EQ (receive (other, memory, 0).code (), errc::would_block);
    EXPECT_GE (around.time.now_ns () - before, timeout_ms * base::ns_per_ms);
    EXPECT_EQ (receive (one, memory, 0).code (), errc::interrupted) << "without one, a signal ends it";
}

// --- about sockets ---------------------------------------------------------------

TEST_F (facade, counts_what_went_through)
{
    const auto [one, other] = linked ();
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE (send (one, as_bytes ("12345"), 0).ok ());
    (void)received (other);
    const auto sent = statistics (one);
    const auto taken = statistics (other);
    ASSERT_TRUE (sent.ok () && taken.ok ());
    EXPECT_EQ (sent.value ().total.messages_sent, 3U);
    EXPECT_EQ (sent.value ().total.bytes_sent, 15U);
    EXPECT_EQ (taken.value ().total.messages_received, 1U);
    EXPECT_EQ (taken.value ().total.bytes_received, 5U);
}

TEST_F (facade, knows_when_a_peer_is_there)
{
    void *const alone = fresh ();
    EXPECT_EQ (wait_peers (alone, 1, base::ns_per_ms).code (), errc::timed_out);
    EXPECT_TRUE (wait_peers (alone, 0, 0).ok ());
    const auto [one, other] = linked ();
    EXPECT_TRUE (wait_peers (one, 1, 0).ok ());
    EXPECT_TRUE (wait_peers (other, 1, 0).ok ());
}

TEST_F (facade, inproc_endpoints_have_a_status)
{
    const auto [bound, dialler] = linked ();
    const base::result<endpoint_status> at_binder = status (bound, "inproc://link");
    ASSERT_TRUE (at_binder.ok ());
    EXPECT_TRUE (at_binder.value ().is_listener);
    EXPECT_EQ (at_binder.value ().connected, 1U);
    const base::result<endpoint_status> at_dialler = status (dialler, "inproc://link");
    ASSERT_TRUE (at_dialler.ok ());
    EXPECT_FALSE (at_dialler.value ().is_listener);
    EXPECT_EQ (at_dialler.value ().connected, 1U);
    EXPECT_EQ (at_dialler.value ().attempts, 1U);
    ASSERT_TRUE (connect (dialler, "inproc://nobody").ok ());
    EXPECT_EQ (status (dialler, "inproc://nobody").value ().connected, 0U);
    EXPECT_EQ (status (dialler, "inproc://other").code (), errc::no_such_endpoint);
    ASSERT_TRUE (disconnect (dialler, "inproc://link").ok ());
    EXPECT_EQ (status (dialler, "inproc://link").code (), errc::no_such_endpoint);
}

TEST_F (facade, poll_tells_what_is_ready)
{
    const auto [one, other] = linked ();
    std::array<poll_item, 2> items{
      {{one, base::no_handle, event_in | event_out, 0}, {other, base::no_handle, event_in, 0}}};
    ASSERT_EQ (poll (around.world (), items, 0).value (), 1U);
    EXPECT_EQ (items[0].ready, event_out);
    EXPECT_EQ (items[1].ready, 0U);
    ASSERT_TRUE (send (one, as_bytes ("x"), 0).ok ());
    ASSERT_EQ (poll (around.world (), items, -1).value (), 2U);
    EXPECT_EQ (items[1].ready, event_in);
}

TEST_F (facade, poll_ends_with_its_time_out)
{
    std::array<poll_item, 1> items{{{fresh (), base::no_handle, event_in, 0}}};
    EXPECT_EQ (poll (around.world (), items, 0).value (), 0U);
    EXPECT_EQ (poll (around.world (), items, 20).value (), 0U);
    EXPECT_EQ (poll (around.world (), items, -1).code (), errc::interrupted);
    items[0].socket = context;
    EXPECT_EQ (poll (around.world (), items, 0).code (), errc::not_a_socket);
}

TEST_F (facade, without_descriptors_poll_says_why)
{
    std::array<poll_item, 1> items{{{fresh (), base::no_handle, event_in, 0}}};
    around.pollers.failure = errc::too_many_files;
    EXPECT_EQ (poll (around.world (), items, 0).value (), 0U) << "a look needs none";
    EXPECT_EQ (poll (around.world (), items, 10).code (), errc::too_many_files);
}

}  // namespace
}  // namespace zlink::socket

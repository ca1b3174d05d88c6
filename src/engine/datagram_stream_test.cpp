#include "engine/datagram_stream.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::engine {
namespace {

using base::errc;
using content = datagram_stream::content;

// A port of memory.
struct scripted_port final : base::datagram_port
{
    struct record
    {
        std::string datagram;
        std::string to;
        bool operator== (const record &) const = default;
    };
    explicit scripted_port (scripted_port *&self) { self = this; }

    base::result<void> send (base::bytes_view datagram, std::string_view to) noexcept override
    {
        if (failure != errc::ok)
            return failure;
        if (room == 0)
            return errc::would_block;
        --room;
        sent.push_back ({std::string (base::as_text (datagram)), std::string (to)});
        return {};
    }
    base::result<base::arrival> receive (base::bytes_span buffer, base::sender_name *from) noexcept override
    {
        if (arrivals.empty ())
            return at_end;
        const std::string next = arrivals.front ();
        arrivals.pop_front ();
        const std::size_t size = std::min (next.size (), buffer.size ());
        std::copy_n (base::as_bytes (std::string_view (next)).begin (), size, buffer.begin ());
        if (from != nullptr) {
            constexpr std::string_view name = "1.2.3.4:5";
            std::copy (name.begin (), name.end (), from->text.begin ());
            from->size = name.size ();
        }
        return base::arrival{size, next.size () > size};
    }
    [[nodiscard]] std::uint64_t overrun () const noexcept override { return overrun_so_far; }
    bool wait_writable (base::time_ns) noexcept override { return room > 0; }
    [[nodiscard]] base::io_handle handle () const noexcept override { return 7; }
    [[nodiscard]] std::string local_endpoint () const override { return "udp://here"; }
    [[nodiscard]] std::string remote_endpoint () const override { return "udp://there"; }
    [[nodiscard]] std::string peer_address () const override { return "there"; }

    errc failure = errc::ok;
    errc at_end = errc::would_block;
    std::size_t room = SIZE_MAX;
    std::vector<record> sent;
    std::deque<std::string> arrivals;
    std::uint64_t overrun_so_far = 0;
};

std::string frame (const std::string &body, bool more, bool command = false)
{
    std::array<std::byte, wire::frame_header_bytes_max> head{};
    const std::size_t size =
      wire::encode_frame_header (wire::framing::zmtp_3, head.data (), body.size (), more, command);
    return std::string (base::as_text ({head.data (), size})) + body;
}
std::string message (const std::string &name, const std::string &body)
{
    return frame (name, true) + frame (body, false);
}

struct datagram_streams : testing::Test
{
    void make (content what, std::uint64_t limit = UINT64_MAX)
    {
        stream.emplace (std::make_unique<scripted_port> (port), what, limit);
    }
    base::result<std::size_t> write (const std::string &bytes)
    {
        const base::bytes_view all = base::as_bytes (std::string_view (bytes));
        return stream->write (std::span (&all, 1));
    }
    // All of it, in pieces of that size.
    void write_all (const std::string &bytes, std::size_t piece)
    {
        for (std::size_t at = 0; at < bytes.size ();) {
            const auto done = write (bytes.substr (at, piece));
            ASSERT_TRUE (done.ok ());
            at += done.value ();
        }
    }
    std::string read (std::size_t room)
    {
        std::string bytes (room, '\0');
        const base::bytes_span all (reinterpret_cast<std::byte *> (bytes.data ()), bytes.size ());
        const auto done = stream->read (std::span (&all, 1));
        last_read = done.code ();
        bytes.resize (done.ok () ? done.value () : 0);
        return bytes;
    }

    scripted_port *port = nullptr;
    std::optional<datagram_stream> stream;
    errc last_read = errc::ok;
};

TEST_F (datagram_streams, send_a_message_as_one_datagram_whatever_pieces_it_comes_in)
{
    const std::string big (5000, 'b');
    const std::string all = message ("tv", "news") + message ("", "") + message (std::string (255, 'g'), big);
    for (const std::size_t piece : {1u, 2u, 3u, 7u, 256u, 100'000u}) {
        make (content::groups_sent);
        write_all (all, piece);
        ASSERT_EQ (port->sent.size (), 3u) << piece;
        EXPECT_EQ (port->sent[0].datagram, "\2tvnews");
        EXPECT_EQ (port->sent[1].datagram, std::string (1, '\0'));
        EXPECT_EQ (port->sent[2].datagram, "\xff" + std::string (255, 'g') + big);
        EXPECT_FALSE (stream->take_dropped_sent ().any ());
    }
}

TEST_F (datagram_streams, of_raw_datagrams_send_to_the_first_part)
{
    make (content::raw);
    write_all (message ("1.2.3.4:5", "body") + message (std::string ("1.2.3.4:6\0", 10), ""), 4);
    ASSERT_EQ (port->sent.size (), 2u);
    EXPECT_EQ (port->sent[0], (scripted_port::record{"body", "1.2.3.4:5"}));
    EXPECT_EQ (port->sent[1], (scripted_port::record{"", std::string ("1.2.3.4:6\0", 10)}));
}

// Its last octet is not taken, and is offered again.
TEST_F (datagram_streams, a_datagram_without_room_waits_for_it)
{
    const std::string all = message ("g", "one") + message ("g", "two") + message ("g", "three");
    make (content::groups_sent);
    port->room = 1;
    const std::size_t one = message ("g", "one").size ();
    EXPECT_EQ (write (all).value (), 2 * one - 1);
    EXPECT_EQ (write (all.substr (2 * one - 1)).code (), errc::would_block);
    EXPECT_EQ (write (all.substr (2 * one - 1, 1)).code (), errc::would_block);
    port->room = 1;
    EXPECT_EQ (write (all.substr (2 * one - 1)).value (), all.size () - (2 * one - 1) - 1);
    port->room = 1;
    EXPECT_EQ (write (all.substr (all.size () - 1)).value (), 1u);
    ASSERT_EQ (port->sent.size (), 3u);
    EXPECT_EQ (port->sent[1].datagram, "\1gtwo");
    EXPECT_EQ (port->sent[2].datagram, "\1gthree");
    port->room = 0;
    const std::string empty = message ("", "");
    EXPECT_EQ (write (empty).value (), empty.size () - 1);
    EXPECT_EQ (write (empty.substr (empty.size () - 1)).code (), errc::would_block);
}

TEST_F (datagram_streams, what_can_never_leave_is_dropped_and_counted)
{
    make (content::groups_sent);
    const std::string fits (base::datagram_bytes_max - 2, 'x');
    write_all (message ("g", fits) + message ("g", fits + "x") + message ("g", std::string (1 << 20, 'x')),
               999);
    EXPECT_EQ (port->sent.size (), 1u);
    write_all (frame ("alone", false) + frame ("a", true) + frame ("b", true) + frame ("c", false), 999);
    write_all (message (std::string (256, 'g'), ""), 999);
    port->failure = errc::host_unreachable;
    write_all (message ("g", "far"), 999);
    port->failure = errc::no_memory;
    write_all (message ("g", "full"), 999);
    port->failure = errc::message_too_long;
    write_all (message ("g", "for the system"), 999);
    port->failure = errc::ok;
    write_all (message ("g", "fine"), 999);
    ASSERT_EQ (port->sent.size (), 2u);
    EXPECT_EQ (port->sent[1].datagram, "\1gfine");
    const datagrams_dropped lost = stream->take_dropped_sent ();
    EXPECT_EQ (lost.too_large, 3u);
    EXPECT_EQ (lost.malformed, 3u);
    EXPECT_EQ (lost.unroutable, 1u);
    EXPECT_EQ (lost.full, 1u);
    EXPECT_FALSE (stream->take_dropped_sent ().any ());
    make (content::raw);
    write_all (message ("", "x") + message (std::string (5000, '1'), "x"), 999);
    EXPECT_TRUE (port->sent.empty ());
    EXPECT_EQ (stream->take_dropped_sent ().malformed, 2u);
}

TEST_F (datagram_streams, commands_are_for_nobody)
{
    make (content::groups_sent);
    write_all (frame ("\4JOINg", false, true) + message ("g", "x") + frame ("", false, true), 2);
    ASSERT_EQ (port->sent.size (), 1u);
    EXPECT_EQ (port->sent[0].datagram, "\1gx");
    make (content::groups_received);
    write_all (frame ("\4JOINg", false, true) + message ("g", "x"), 2);
    EXPECT_TRUE (port->sent.empty ());
    EXPECT_FALSE (stream->take_dropped_sent ().any ());
}

TEST_F (datagram_streams, show_what_has_come_as_frames)
{
    for (const std::size_t room : {1u, 2u, 5u, 100'000u}) {
        make (content::groups_received);
        port->arrivals = {"\2tvnews", std::string (1, '\0'), "\1g" + std::string (300, 'x')};
        std::string all;
        for (std::string some = read (room); !some.empty (); some = read (room))
            all += some;
        EXPECT_EQ (all, message ("tv", "news") + message ("", "") + message ("g", std::string (300, 'x')))
          << room;
        EXPECT_EQ (last_read, errc::would_block);
        EXPECT_FALSE (stream->left_off ());
    }
    make (content::raw);
    port->arrivals = {"body", ""};
    const std::string from ("1.2.3.4:5\0", 10);
    EXPECT_EQ (read (1000), message (from, "body") + message (from, ""));
}

TEST_F (datagram_streams, what_is_no_datagram_of_theirs_is_dropped_and_counted)
{
    make (content::groups_received, 3);
    port->arrivals = {"",
                      "\1",
                      "\5g",
                      "\xff" + std::string (254, 'g'),
                      "\1g1234",
                      "\1g123",
                      std::string (base::datagram_bytes_max + 1, '\0')};
    EXPECT_EQ (read (1000), message ("g", "123"));
    const datagrams_dropped lost = stream->take_dropped_received ();
    EXPECT_EQ (lost.malformed, 4u);
    EXPECT_EQ (lost.too_large, 2u);
    port->overrun_so_far = 9;
    EXPECT_EQ (read (1000), "");
    EXPECT_EQ (stream->take_dropped_received ().full, 9u);
    EXPECT_EQ (read (1000), "");
    EXPECT_FALSE (stream->take_dropped_received ().any ());
}

TEST_F (datagram_streams, a_flood_does_not_hold_the_reader)
{
    make (content::groups_received);
    for (unsigned i = 0; i < 2 * datagrams_per_read_max; ++i)
        port->arrivals.emplace_back ("");
    EXPECT_EQ (read (1000), "");
    EXPECT_EQ (last_read, errc::would_block);
    EXPECT_TRUE (stream->left_off ());
    EXPECT_EQ (port->arrivals.size (), datagrams_per_read_max);
    port->arrivals.resize (1);
    EXPECT_EQ (read (1000), "");
    EXPECT_FALSE (stream->left_off ());
    make (content::groups_sent);
    port->arrivals.assign (2 * datagrams_per_read_max, "to whom?");
    EXPECT_EQ (read (1000), "");
    EXPECT_EQ (last_read, errc::would_block);
    EXPECT_EQ (port->arrivals.size (), datagrams_per_read_max);
    EXPECT_EQ (stream->take_dropped_received ().malformed, datagrams_per_read_max);
}

TEST_F (datagram_streams, end_when_we_end_them_or_the_port_does)
{
    make (content::groups_received);
    port->at_end = errc::os_failure;
    port->arrivals = {"\1gx"};
    EXPECT_EQ (read (1000), message ("g", "x"));
    EXPECT_EQ (read (1000), "");
    EXPECT_EQ (last_read, errc::os_failure);
    make (content::groups_received);
    stream->shutdown_write ();
    EXPECT_EQ (read (1000), "");
    EXPECT_EQ (last_read, errc::ok);
    EXPECT_FALSE (stream->connecting ());
    EXPECT_FALSE (stream->output_pending ());
    EXPECT_TRUE (stream->admitted ());
    EXPECT_TRUE (stream->finish_connect ().ok ());
    EXPECT_TRUE (stream->wait_writable (0));
    EXPECT_EQ (stream->handle (), 7);
    EXPECT_EQ (stream->local_endpoint () + stream->remote_endpoint () + stream->peer_address (),
               "udp://hereudp://therethere");
}

}  // namespace
}  // namespace zlink::engine

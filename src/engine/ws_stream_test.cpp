// Two streams of WebSocket back to back over pipes that take and give as much as
// a test says; and one whose peer is written by hand.
#include "engine/ws_stream.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "engine/limits.hpp"
#include "engine/tube_stream.hpp"
#include "wire/command.hpp"
#include "wire/test_ws.hpp"

namespace zlink::engine {
namespace {

using base::as_bytes;
using base::as_text;
using base::bytes_span;
using base::bytes_view;
using base::close_reason;
using base::errc;
using base::result;
using test::tube;
using test::tube_stream;
using wire::test::from_client;
using wire::test::from_server;

constexpr std::size_t web_pooled_bytes = 4096;
constexpr unsigned more_flag = 1;
constexpr unsigned command_flag = 4;

// Numbers that anybody can foresee.
class known_numbers final : public base::entropy
{
  public:
    bool fill (bytes_span to) noexcept override
    {
        for (std::byte &each : to)
            each = static_cast<std::byte> (++last_ * 29);
        return there;
    }
    bool there = true;

  private:
    unsigned last_ = 0;
};

std::string plain_frame_of (unsigned flags, const std::string &body)
{
    std::array<std::byte, wire::frame_header_bytes_max> head;
    const std::size_t size =
      wire::encode_frame_header (wire::framing::zmtp_3, head.data (), body.size (), (flags & more_flag) != 0,
                                 (flags & command_flag) != 0);
    return std::string (as_text (bytes_view (head).first (size))) + body;
}

// What one read gives, into two slices of these sizes.
result<std::size_t>
read_web (ws_stream &from, std::string &to, std::size_t first = 100'000, std::size_t second = 0)
{
    std::string room (first + second, '?');
    const bytes_span whole = std::as_writable_bytes (std::span (room));
    const std::array slices{whole.first (first), whole.subspan (first)};
    const auto got = from.read (slices);
    if (got.ok ())
        to += room.substr (0, got.value ());
    return got;
}

result<std::size_t> write_web (ws_stream &to, std::string_view octets)
{
    const bytes_view all = as_bytes (octets);
    return to.write (std::span (&all, octets.empty () ? 0 : 1));
}

constexpr std::array<std::string_view, 2> web_protocols{"ZWS2.0/NULL", "ZWS2.0"};

struct web_pair
{
    explicit web_pair (std::int64_t bytes_max = -1, bool bare = false, std::string served = {})
    {
        ws_wish of_client;
        of_client.role = wire::ws_role::client;
        of_client.host = "example.org:80";
        of_client.target = "/chat?x=1";
        of_client.bare = bare;
        of_client.message_bytes_max = bytes_max;
        ws_wish of_server;
        of_server.target = std::move (served);
        of_server.bare = bare;
        of_server.message_bytes_max = bytes_max;
        if (!bare)
            of_client.protocols = of_server.protocols = web_protocols;
        client.emplace (std::make_unique<tube_stream> (to_server, to_client), of_client, &numbers, pool,
                        pool);
        server.emplace (std::make_unique<tube_stream> (to_client, to_server), of_server, nullptr, pool, pool);
    }
    // Until neither has more to do.
    void open_both ()
    {
        for (int rounds = 0; rounds < 10'000; ++rounds) {
            to_server.room = std::max<std::size_t> (to_server.room, 100);
            to_client.room = std::max<std::size_t> (to_client.room, 100);
            opened_client = client->open ();
            opened_server = server->open ();
            if (opened_client.code () != errc::would_block && opened_server.code () != errc::would_block)
                return;
        }
    }
    known_numbers numbers;
    buffer_pool pool{web_pooled_bytes, 4};
    tube to_server;
    tube to_client;
    result<void> opened_client{errc::would_block};
    result<void> opened_server{errc::would_block};
    std::optional<ws_stream> client;
    std::optional<ws_stream> server;
};

// A server of ours, open, to which a test says what a client might.
struct web_server : web_pair
{
    explicit web_server (std::int64_t bytes_max = -1) : web_pair (bytes_max)
    {
        open_both ();
        EXPECT_TRUE (opened_server.ok ());
        to_client.octets.clear ();
    }
    void hear (const std::string &octets) { to_server.octets += octets; }
};

TEST (ws_stream, opens_and_what_goes_in_comes_out)
{
    web_pair both;
    both.open_both ();
    ASSERT_TRUE (both.opened_client.ok () && both.opened_server.ok ());
    EXPECT_EQ (both.client->protocol (), "ZWS2.0/NULL");
    EXPECT_EQ (both.server->protocol (), "ZWS2.0/NULL");
    const std::string said =
      plain_frame_of (more_flag, "first part") + plain_frame_of (0, "")
      + plain_frame_of (command_flag, "\5READYxy") + plain_frame_of (0, std::string (124, 'v'))
      + plain_frame_of (0, std::string (125, 'w')) + plain_frame_of (0, std::string (255, 'x'))
      + plain_frame_of (more_flag, std::string (300, 'y')) + plain_frame_of (0, std::string (70'000, 'z'));
    for (auto *way : {&both.client, &both.server}) {
        auto &from = *way;
        auto &to = way == &both.client ? both.server : both.client;
        EXPECT_EQ (write_web (*from, said).value (), said.size ());
        const bool seen = (way == &both.client ? both.to_server : both.to_client).octets.find ("first part")
                          != std::string::npos;
        EXPECT_EQ (seen, way == &both.server) << "a client masks, a server does not";
        std::string heard;
        while (read_web (*to, heard, 1000, 7).ok ()) {}
        EXPECT_TRUE (heard == said);
        EXPECT_FALSE (to->pending ());
        EXPECT_FALSE (from->owes () || to->owes ());
    }
}

// What a seed says, and what becomes of it.
class random_talk
{
  public:
    explicit random_talk (unsigned seed) : random_ (seed), upwards_ (seed % 2 == 0)
    {
        both_.to_client.piece = 1 + up_to (300);
        both_.to_server.piece = 1 + up_to (seed % 3 == 0 ? 5 : 3000);
        both_.to_client.room = both_.to_server.room = 0;
        both_.open_both ();
        for (int i = 0; i < 60; ++i)
            said_ +=
              plain_frame_of (up_to (5) == 0 ? command_flag : static_cast<unsigned> (up_to (1)), body ());
    }
    void run ()
    {
        ASSERT_TRUE (both_.opened_client.ok () && both_.opened_server.ok ());
        for (int rounds = 0; rounds < 200'000 && heard_.size () < said_.size (); ++rounds) {
            ASSERT_NO_FATAL_FAILURE (write_some ());
            const bool little = up_to (7) == 0;
            (void)read_web (upwards_ ? *both_.server : *both_.client, heard_,
                            little ? 1 + up_to (50) : 60'000, little ? up_to (30'000) : 0);
        }
        ASSERT_EQ (taken_, said_.size ());
        ASSERT_TRUE (heard_ == said_);
    }

  private:
    [[nodiscard]] std::size_t up_to (std::size_t most) { return random_ () % (most + 1); }
    [[nodiscard]] std::string body ()
    {
        const std::size_t most = up_to (9) == 0 ? 40'000 : up_to (3) == 0 ? 600 : 130;
        std::string made (up_to (most), '\0');
        for (char &each : made)
            each = static_cast<char> (random_ ());
        return made;
    }
    void write_some ()
    {
        tube &way = upwards_ ? both_.to_server : both_.to_client;
        way.room = up_to (4) == 0 ? 0 : up_to (20'000);
        const auto wrote =
          write_web (upwards_ ? *both_.client : *both_.server, std::string_view (said_).substr (taken_));
        if (wrote.ok ())
            taken_ += wrote.value ();
        else
            ASSERT_EQ (wrote.code (), errc::would_block);
        ASSERT_LE (taken_, said_.size ());
    }

    std::mt19937 random_;
    bool upwards_;
    web_pair both_;
    std::string said_;
    std::string heard_;
    std::size_t taken_ = 0;
};

TEST (ws_stream, whatever_cuts_it_the_same_comes_out)
{
    for (unsigned seed = 0; seed < 24; ++seed) {
        SCOPED_TRACE (seed);
        random_talk talk (seed);
        ASSERT_NO_FATAL_FAILURE (talk.run ());
    }
}

TEST (ws_stream, an_unwritten_rest_counts_as_a_byte_that_is_not_taken)
{
    web_pair both;
    both.open_both ();
    const std::string said = plain_frame_of (0, "some body");
    both.to_server.room = 5;
    EXPECT_EQ (write_web (*both.client, said).value (), said.size () - 1);
    EXPECT_TRUE (both.client->owes ());
    both.to_server.room = SIZE_MAX;
    EXPECT_EQ (write_web (*both.client, said.substr (said.size () - 1)).value (), 1);
    EXPECT_FALSE (both.client->owes ());
    std::string heard;
    ASSERT_TRUE (read_web (*both.server, heard).ok ());
    EXPECT_EQ (heard, said);
}

TEST (ws_stream, another_path_is_refused_and_both_know_why)
{
    web_pair both (-1, false, "/elsewhere");
    both.open_both ();
    EXPECT_FALSE (both.opened_client.ok ());
    EXPECT_EQ (both.server->fault (), close_reason::upgrade_refused);
    EXPECT_EQ (both.opened_server.failure ().os_code, 404);
    EXPECT_EQ (both.client->fault (), close_reason::upgrade_refused);
    EXPECT_EQ (both.opened_client.failure ().os_code, 404);
}

TEST (ws_stream, the_path_before_the_question_mark_counts)
{
    web_pair both (-1, false, "/chat");
    both.open_both ();
    EXPECT_TRUE (both.opened_client.ok () && both.opened_server.ok ());
}

TEST (ws_stream, needs_numbers_that_nobody_can_foresee)
{
    web_pair both;
    both.numbers.there = false;
    EXPECT_EQ (both.client->open ().code (), errc::not_supported);
    EXPECT_EQ (both.client->fault (), close_reason::no_keys);
    EXPECT_TRUE (both.to_server.octets.empty ());
}

TEST (ws_stream, a_peer_that_leaves_in_the_upgrade_is_a_peer_that_left)
{
    web_pair both;
    both.to_server.octets = "GET / HT";
    both.to_server.ended = true;
    EXPECT_FALSE (both.server->open ().ok ());
    EXPECT_EQ (both.server->fault (), close_reason::peer_closed);
}

TEST (ws_stream, waits_to_write_its_answer_before_it_is_open)
{
    web_pair both;
    (void)both.client->open ();
    both.to_client.room = 10;
    EXPECT_EQ (both.server->open ().code (), errc::would_block);
    EXPECT_TRUE (both.server->owes ());
    both.to_client.room = SIZE_MAX;
    EXPECT_TRUE (both.server->open ().ok ());
    EXPECT_FALSE (both.server->owes ());
}

TEST (ws_stream, what_comes_with_the_request_is_read)
{
    web_pair both;
    (void)both.client->open ();
    both.to_server.octets += from_client (0x82, std::string ("\0early", 6));
    ASSERT_TRUE (both.server->open ().ok ());
    EXPECT_TRUE (both.server->pending ());
    std::string heard;
    ASSERT_TRUE (read_web (*both.server, heard).ok ());
    EXPECT_EQ (heard, plain_frame_of (0, "early"));
    EXPECT_FALSE (both.server->pending ());
}

TEST (ws_stream, answers_a_ping_by_itself)
{
    web_server one;
    one.hear (from_client (0x89, "are you there"));
    std::string heard;
    EXPECT_EQ (read_web (*one.server, heard).code (), errc::would_block);
    EXPECT_EQ (one.to_client.octets, from_server (0x8a, "are you there"));
    EXPECT_FALSE (one.server->owes ());
}

TEST (ws_stream, an_answer_that_finds_no_room_is_owed_and_only_the_latest)
{
    web_server one;
    one.to_client.room = 0;
    std::string heard;
    for (const char *each : {"one", "two", "three"}) {
        one.hear (from_client (0x89, each));
        EXPECT_EQ (read_web (*one.server, heard).code (), errc::would_block);
        EXPECT_TRUE (one.server->owes ());
    }
    EXPECT_EQ (write_web (*one.server, "").code (), errc::would_block);
    one.to_client.room = SIZE_MAX;
    EXPECT_EQ (write_web (*one.server, "").value (), 0);
    EXPECT_FALSE (one.server->owes ());
    // The first was on its way, of the others the later is enough.
    EXPECT_EQ (one.to_client.octets, from_server (0x8a, "one") + from_server (0x8a, "three"));
}

TEST (ws_stream, an_answer_waits_for_the_end_of_a_frame_of_ours)
{
    web_server one;
    const std::string body (large_body_bytes_min + 100, 'b');
    const std::string said = plain_frame_of (0, body);
    one.to_client.room = 1000;
    const std::size_t taken = write_web (*one.server, said).value ();
    EXPECT_LT (taken, said.size ());
    one.to_client.room = SIZE_MAX;
    one.hear (from_client (0x89, "now"));
    std::string heard;
    EXPECT_EQ (read_web (*one.server, heard).code (), errc::would_block);
    EXPECT_TRUE (one.server->owes ());
    EXPECT_EQ (write_web (*one.server, said.substr (taken)).value (), said.size () - taken);
    EXPECT_FALSE (one.server->owes ());
    EXPECT_EQ (one.to_client.octets,
               from_server (0x82, std::string (1, '\0') + body) + from_server (0x8a, "now"));
}

TEST (ws_stream, pings_to_an_older_peer_are_those_of_the_web_and_come_back_as_pongs)
{
    web_pair both;
    both.open_both ();
    both.server->peer_is_older ();
    const std::string ping = plain_frame_of (command_flag, std::string ("\4PING\0\1context", 14));
    EXPECT_EQ (write_web (*both.server, ping).value (), ping.size ());
    EXPECT_EQ (both.to_client.octets, from_server (0x89, "context"));
    std::string heard;
    EXPECT_EQ (read_web (*both.client, heard).code (), errc::would_block);
    ASSERT_TRUE (read_web (*both.server, heard).ok ());
    EXPECT_EQ (heard, plain_frame_of (command_flag, "\4PONGcontext"));
}

TEST (ws_stream, a_ping_to_another_stays_what_it_is)
{
    web_pair both;
    both.open_both ();
    const std::string ping = plain_frame_of (command_flag, std::string ("\4PING\0\1ctx", 10));
    EXPECT_EQ (write_web (*both.server, ping).value (), ping.size ());
    std::string heard;
    ASSERT_TRUE (read_web (*both.client, heard).ok ());
    EXPECT_EQ (heard, ping);
}

TEST (ws_stream, fragments_become_one_with_a_ping_between_them)
{
    web_server one;
    one.hear (from_client (0x02, std::string (1, '\1')) + from_client (0x00, "in ") + from_client (0x89, "p")
              + from_client (0x00, "pieces, ") + from_client (0x80, "then whole"));
    std::string heard;
    ASSERT_TRUE (read_web (*one.server, heard).ok ());
    EXPECT_EQ (heard, plain_frame_of (more_flag, "in pieces, then whole"));
    EXPECT_EQ (one.to_client.octets, from_server (0x8a, "p"));
}

TEST (ws_stream, who_breaks_a_rule_is_told_and_the_stream_ends)
{
    struct row
    {
        std::string octets;
        close_reason why;
        unsigned code;
    };
    const row rows[] = {
      {from_server (0x82, std::string ("\0naked", 6)), close_reason::frame_malformed, 1002},
      {from_client (0x82, ""), close_reason::frame_malformed, 1002},
      {from_client (0x82, "\3x"), close_reason::frame_malformed, 1002},
      {from_client (0x82, "\xffx"), close_reason::frame_malformed, 1002},
      {from_client (0x81, "text"), close_reason::frame_malformed, 1003},
      {from_client (0xc2, std::string ("\0deflated", 9)), close_reason::frame_malformed, 1002},
      {from_client (0x82, std::string (102, '\0')), close_reason::message_too_large, 1009},
      {from_client (0x02, std::string (60, '\0')) + from_client (0x80, std::string (60, 'x')),
       close_reason::message_too_large, 1009},
      {from_client (0x88, "x"), close_reason::frame_malformed, 1002},
    };
    for (const row &each : rows) {
        web_server one (100);
        one.hear (from_client (0x82, std::string ("\0good", 5)) + each.octets);
        std::string heard;
        ASSERT_TRUE (read_web (*one.server, heard).ok ());
        EXPECT_EQ (heard, plain_frame_of (0, "good"));
        const auto got = read_web (*one.server, heard);
        EXPECT_EQ (got.code (), errc::incompatible_protocol);
        EXPECT_EQ (one.server->fault (), each.why);
        ASSERT_GE (one.to_client.octets.size (), 4u);
        EXPECT_EQ (one.to_client.octets[0], '\x88');
        EXPECT_EQ (base::load_u16_be (as_bytes (one.to_client.octets).data () + 2), each.code);
        EXPECT_TRUE (one.to_client.ended);
        EXPECT_FALSE (write_web (*one.server, plain_frame_of (0, "x")).ok ());
    }
}

TEST (ws_stream, a_message_as_large_as_allowed_passes_and_a_command_may_be_larger)
{
    web_server one (100);
    one.hear (from_client (0x82, std::string (101, '\0'))
              + from_client (0x82, "\2" + std::string (500, 'c')));
    std::string heard;
    ASSERT_TRUE (read_web (*one.server, heard).ok ());
    EXPECT_EQ (heard, plain_frame_of (0, std::string (100, '\0'))
                        + plain_frame_of (command_flag, std::string (500, 'c')));
}

TEST (ws_stream, a_close_is_answered_and_is_the_end)
{
    web_server one;
    one.hear (from_client (0x88, "\x03\xe8"
                                 "bye"));
    std::string heard;
    EXPECT_EQ (read_web (*one.server, heard).value (), 0);
    EXPECT_EQ (one.to_client.octets, from_server (0x88, "\x03\xe8"));
    EXPECT_EQ (one.server->fault (), close_reason::none);
    EXPECT_EQ (write_web (*one.server, plain_frame_of (0, "late")).code (), errc::not_connected);
}

TEST (ws_stream, ends_with_a_close_of_its_own)
{
    web_pair both;
    both.open_both ();
    both.server->shutdown_write ();
    EXPECT_EQ (both.to_client.octets, from_server (0x88, "\x03\xe8"));
    EXPECT_TRUE (both.to_client.ended);
    std::string heard;
    EXPECT_EQ (read_web (*both.client, heard).value (), 0);
    EXPECT_EQ (read_web (*both.server, heard).value (), 0) << "the answer";
}

TEST (ws_stream, a_close_that_finds_no_room_is_said_by_a_later_read)
{
    web_server one;
    one.to_client.room = 0;
    one.server->shutdown_write ();
    EXPECT_FALSE (one.to_client.ended);
    EXPECT_TRUE (one.server->output_pending ());
    one.to_client.room = SIZE_MAX;
    std::string heard;
    EXPECT_EQ (read_web (*one.server, heard).code (), errc::would_block);
    EXPECT_EQ (one.to_client.octets, from_server (0x88, "\x03\xe8"));
    EXPECT_TRUE (one.to_client.ended);
}

TEST (ws_stream, an_end_without_a_close_is_an_end)
{
    web_server one;
    one.to_server.ended = true;
    std::string heard;
    EXPECT_EQ (read_web (*one.server, heard).value (), 0);
    web_server other;
    other.to_server.failure = errc::connection_reset;
    EXPECT_EQ (read_web (*other.server, heard).code (), errc::connection_reset);
    EXPECT_EQ (other.server->fault (), close_reason::none);
}

TEST (ws_stream, bare_octets_travel_in_messages_that_mean_nothing)
{
    web_pair both (-1, true);
    both.open_both ();
    ASSERT_TRUE (both.opened_client.ok () && both.opened_server.ok ());
    EXPECT_EQ (both.client->protocol (), "");
    EXPECT_EQ (write_web (*both.client, "GET it").value (), 6);
    EXPECT_EQ (both.to_server.octets.substr (0, 2), "\x82\x86");
    std::string heard;
    ASSERT_TRUE (read_web (*both.server, heard, 4, 0).ok ());
    EXPECT_TRUE (both.server->pending ());
    ASSERT_TRUE (read_web (*both.server, heard).ok ());
    EXPECT_EQ (heard, "GET it");
    const std::string large (70'000, 'l');
    EXPECT_EQ (write_web (*both.server, large).value (), large.size ());
    heard.clear ();
    while (read_web (*both.client, heard).ok ()) {}
    EXPECT_TRUE (heard == large);
}

TEST (ws_stream, of_a_large_body_no_more_is_held_than_a_buffer)
{
    web_server one;
    const std::string said = plain_frame_of (0, std::string (1'000'000, 's'));
    EXPECT_EQ (write_web (*one.server, said).value (), said.size ());
    EXPECT_EQ (one.to_client.octets,
               from_server (0x82, std::string (1, '\0') + std::string (1'000'000, 's')));
    std::string heard;
    while (read_web (*one.client, heard).ok ()) {}
    EXPECT_TRUE (heard == said);
}

}  // namespace
}  // namespace zlink::engine

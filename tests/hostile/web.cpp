// Peers of WebSocket: requests that are none or that are odd, and frames behind a
// good one, as RFC 6455 judges them. Whatever comes, a good peer goes on.
#include <ostream>
#include <string>
#include <vector>

#include "hostile/corpus.hpp"
#include "support/events.hpp"
#include "support/places.hpp"
#include "support/web_words.hpp"

namespace zlink::test {
namespace {

constexpr std::int64_t message_bytes_max = 1000;

// A PULL that listens, and a good peer of it.
class web_victim
{
  public:
    explicit web_victim (int handshake_ms = watchdog_ms)
      : pull_ (context_, ZMQ_PULL), good_ (context_, ZMQ_PUSH),
        told_ (pull_,
               ZLINK_EVENT_DISCONNECTED | ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL
                 | ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL)
    {
        (void)zlink_set_log (zlink_log_discard, nullptr);
        pull_.set (ZMQ_HANDSHAKE_IVL, handshake_ms);
        pull_.set_wide (ZMQ_MAXMSGSIZE, message_bytes_max);
        where_ = pull_.bind ("ws" + tcp_place ().substr (3));
        good_.connect (where_);
        EXPECT_TRUE (pull_.has_peers ());
    }
    [[nodiscard]] raw_peer peer () const { return raw_peer::connect_to (tcp_below (where_)); }
    [[nodiscard]] zlink_event_t ended () { return told_.next (); }
    [[nodiscard]] socket &pull () { return pull_; }
    void good_goes_on ()
    {
        ASSERT_TRUE (good_.send ("good"));
        ASSERT_EQ (pull_.receive (), "good");
    }

  private:
    context context_;
    socket pull_;
    socket good_;
    events told_;
    std::string where_;
};

// --- requests --------------------------------------------------------------------

struct request_row
{
    const char *name;
    std::string octets;
    int status;  // 101: it is taken
    const char *reason = "";
    friend void PrintTo (const request_row &of, std::ostream *to) { *to << of.name; }
};

std::vector<request_row> request_rows ()
{
    const web_request good;
    const auto with = [&good] (std::string web_request::*line, const std::string &text) {
        web_request other = good;
        other.*line = text;
        return other.text ();
    };
    const std::string long_name (1025, 'n');
    const std::string long_value (2049, 'v');
    std::string many;
    for (int i = 0; i < 100; ++i)
        many += "X-Number: " + std::to_string (i) + "\r\n";
    many.resize (many.size () - 2);
    return {
      {"good", good.text (), 101},
      {"bare_protocol", with (&web_request::protocol, "Sec-WebSocket-Protocol: ZWS2.0"), 101},
      {"both_protocols", with (&web_request::protocol, "Sec-WebSocket-Protocol: chat, ZWS2.0/NULL,ZWS2.0"),
       101},
      {"protocols_on_two_lines", with (&web_request::more, "Sec-WebSocket-Protocol: ZWS2.0"), 101},
      {"other_cases", with (&web_request::upgrade, "uPGRADE: WebSocket"), 101},
      {"connection_lists_more", with (&web_request::connection, "Connection: keep-alive, Upgrade"), 101},
      {"deflate_is_offered", with (&web_request::more, "Sec-WebSocket-Extensions: permessage-deflate"), 101},
      {"any_path", with (&web_request::first, "GET /any/where?x=1 HTTP/1.1"), 101},
      {"no_upgrade", with (&web_request::upgrade, ""), 426, "upgrade-refused"},
      {"upgrade_to_something_else", with (&web_request::upgrade, "Upgrade: h2c"), 426, "upgrade-refused"},
      {"no_connection", with (&web_request::connection, ""), 426, "upgrade-refused"},
      {"connection_says_close", with (&web_request::connection, "Connection: close"), 426, "upgrade-refused"},
      {"old_http", with (&web_request::first, "GET / HTTP/1.0"), 426, "upgrade-refused"},
      {"old_version", with (&web_request::version, "Sec-WebSocket-Version: 8"), 426, "upgrade-refused"},
      {"no_version", with (&web_request::version, ""), 426, "upgrade-refused"},
      {"no_key", with (&web_request::key, ""), 400, "upgrade-malformed"},
      {"short_key", with (&web_request::key, "Sec-WebSocket-Key: abc="), 400, "upgrade-malformed"},
      {"two_keys", with (&web_request::more, good.key), 400, "upgrade-malformed"},
      {"no_protocol", with (&web_request::protocol, ""), 400, "upgrade-refused"},
      {"empty_protocol", with (&web_request::protocol, "Sec-WebSocket-Protocol: "), 400, "upgrade-refused"},
      {"unknown_protocol", with (&web_request::protocol, "Sec-WebSocket-Protocol: mqtt"), 400,
       "upgrade-refused"},
      {"another_mechanism", with (&web_request::protocol, "Sec-WebSocket-Protocol: ZWS2.0/PLAIN"), 400,
       "upgrade-refused"},
      {"no_host", with (&web_request::host, ""), 400, "upgrade-malformed"},
      {"two_hosts", with (&web_request::more, "Host: other"), 400, "upgrade-malformed"},
      {"a_body", with (&web_request::more, "Content-Length: 5"), 400, "upgrade-malformed"},
      {"post", with (&web_request::first, "POST / HTTP/1.1"), 405, "upgrade-refused"},
      {"another_server", with (&web_request::first, "GET http://other/ HTTP/1.1"), 400, "upgrade-malformed"},
      {"long_path", with (&web_request::first, "GET /" + std::string (3000, 'p') + " HTTP/1.1"), 414,
       "limit-reached"},
      {"long_name", with (&web_request::more, long_name + ": x"), 431, "limit-reached"},
      {"long_value", with (&web_request::more, "X: " + long_value), 431, "limit-reached"},
      {"many_headers", with (&web_request::more, many), 431, "limit-reached"},
      {"folded", with (&web_request::more, "X-A: one\r\n two"), 400, "upgrade-malformed"},
      {"lines_end_in_lf", "GET / HTTP/1.1\nHost: x\n\n", 400, "upgrade-malformed"},
      {"cr_without_lf", "GET / HTTP/1.1\rHost: x\r\n\r\n", 400, "upgrade-malformed"},
      {"zmtp", zmtp_greeting () + zmtp_ready ("PUSH"), 400, "upgrade-malformed"},
      {"tls", "\x16\x03\x01" + std::string (200, '\1'), 400, "upgrade-malformed"},
      {"ssh", "SSH-2.0-OpenSSH_9.2\r\n", 400, "upgrade-malformed"},
    };
}

class web_requests : public testing::TestWithParam<request_row>
{
};

INSTANTIATE_TEST_SUITE_P (rows, web_requests, testing::ValuesIn (request_rows ()), [] (const auto &of) {
    return std::string (of.param.name);
});

TEST_P (web_requests, are_answered_as_http_has_it)
{
    for (const bool in_pieces : {false, true}) {
        web_victim of;
        const raw_peer peer = of.peer ();
        in_pieces ? peer.trickle (GetParam ().octets) : peer.send (GetParam ().octets);
        const std::string expected = "HTTP/1.1 " + std::to_string (GetParam ().status) + " ";
        ASSERT_EQ (peer.read_exactly (expected.size ()), expected);
        if (GetParam ().status == 101) {
            EXPECT_TRUE (peer.send (zws_frame (2, "\5READY" + zmtp_property ("Socket-Type", "PUSH"))));
        } else {
            const std::string rest = peer.read_to_end ();
            EXPECT_NE (rest.find ("\r\n\r\n"), std::string::npos);
            const zlink_event_t told = of.ended ();
            EXPECT_STREQ (told.reason_text, GetParam ().reason);
            EXPECT_EQ (told.os_error, GetParam ().status);
        }
        ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
    }
}

// Slowly, or never; also where the upgrade is done and READY does not come.
TEST (web_stalls, are_not_waited_for)
{
    const std::string whole = web_request ().text ();
    for (const std::string &said : {std::string (), whole.substr (0, 1), whole.substr (0, whole.size () - 1),
                                    whole, whole + zws_ready ("PUSH").substr (0, 10)}) {
        web_victim of (50);
        const raw_peer peer = of.peer ();
        ASSERT_TRUE (peer.send (said));
        EXPECT_STREQ (of.ended ().reason_text, "handshake-timeout") << said;
        EXPECT_TRUE (peer.sees_end ());
        ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
    }
}

// --- frames ----------------------------------------------------------------------

struct frame_row
{
    const char *name;
    std::string octets;
    std::vector<std::string> delivered{};
    const char *reason = "";  // none: it goes on
    unsigned code = 0;        // that the peer is told
    friend void PrintTo (const frame_row &of, std::ostream *to) { *to << of.name; }
};

std::vector<frame_row> web_frame_rows ()
{
    const std::string zero (1, '\0');
    std::string tiny = web_frame (0x02, zero);
    for (int i = 0; i < 2000; ++i)
        tiny += web_frame (0x00, "");
    tiny += web_frame (0x80, "slowly");
    std::string pings;
    for (int i = 0; i < 2000; ++i)
        pings += web_frame (0x89, "?");
    return {
      {"whole", zws_frame (0, "hello"), {"hello"}},
      {"empty_body", zws_frame (0, ""), {""}},
      {"as_large_as_allowed", zws_frame (0, std::string (1000, 'm')), {std::string (1000, 'm')}},
      {"fragments",
       web_frame (0x02, zero + "in ") + web_frame (0x00, "three ") + web_frame (0x80, "pieces"),
       {"in three pieces"}},
      {"flags_alone_in_a_fragment", web_frame (0x02, zero) + web_frame (0x80, "body"), {"body"}},
      {"ping_between_fragments",
       web_frame (0x02, zero + "a") + web_frame (0x89, "ping") + web_frame (0x80, "b"),
       {"ab"}},
      {"tiny_fragments", tiny, {"slowly"}},
      {"ping_flood", pings, {}},
      {"pong_nobody_asked_for", web_frame (0x8A, "context"), {}},
      {"control_of_125", web_frame (0x89, std::string (125, 'p')), {}},
      {"above_the_limit", zws_frame (0, std::string (1001, 'm')), {}, "message-too-large", 1009},
      {"above_the_limit_in_fragments",
       web_frame (0x02, zero + std::string (600, 'm')) + web_frame (0x80, std::string (600, 'm')),
       {},
       "message-too-large",
       1009},
      {"announces_all_there_is",
       octet (0x82) + octet (0xFF) + big_endian ((std::uint64_t{1} << 63) - 1, 8) + "key!",
       {},
       "message-too-large",
       1009},
      {"size_with_the_top_bit",
       octet (0x82) + octet (0xFF) + big_endian (std::uint64_t{1} << 63, 8),
       {},
       "frame-malformed",
       1002},
      {"long_form_of_a_small_size",
       octet (0x82) + octet (0xFE) + big_endian (5, 2),
       {},
       "frame-malformed",
       1002},
      {"not_masked", web_frame (0x82, zero + "x", false), {}, "frame-malformed", 1002},
      {"text", web_frame (0x81, "text"), {}, "frame-malformed", 1003},
      {"continues_nothing", web_frame (0x80, "x"), {}, "frame-malformed", 1002},
      {"begins_inside_another", web_frame (0x02, zero) + web_frame (0x82, zero), {}, "frame-malformed", 1002},
      {"compressed", web_frame (0xC2, zero + "x"), {}, "frame-malformed", 1002},
      {"reserved_bit_2", web_frame (0xA2, zero), {}, "frame-malformed", 1002},
      {"reserved_bit_3", web_frame (0x92, zero), {}, "frame-malformed", 1002},
      {"reserved_opcode", web_frame (0x83, zero), {}, "frame-malformed", 1002},
      {"reserved_control", web_frame (0x8B, ""), {}, "frame-malformed", 1002},
      {"no_flags", web_frame (0x82, ""), {}, "frame-malformed", 1002},
      {"flags_3", web_frame (0x82, "\3x"), {}, "frame-malformed", 1002},
      {"flags_4", web_frame (0x82, "\4x"), {}, "frame-malformed", 1002},
      {"flags_255", web_frame (0x82, "\xFFx"), {}, "frame-malformed", 1002},
      {"control_of_126", octet (0x89) + octet (0xFE) + big_endian (126, 2), {}, "frame-malformed", 1002},
      {"control_in_fragments", web_frame (0x09, "x"), {}, "frame-malformed", 1002},
      {"close_of_one_octet", web_frame (0x88, "x"), {}, "frame-malformed", 1002},
      {"close_with_a_code_of_nobodys", web_frame (0x88, big_endian (1005, 2)), {}, "frame-malformed", 1002},
      {"close_with_bad_text", web_frame (0x88, big_endian (1000, 2) + "\xFF"), {}, "frame-malformed", 1007},
      {"close", web_frame (0x88, big_endian (1000, 2) + "bye"), {}, "peer-closed", 1000},
      {"close_of_an_application", web_frame (0x88, big_endian (4321, 2)), {}, "peer-closed", 4321},
      {"close_without_a_code", web_frame (0x88, ""), {}, "peer-closed", 0},
    };
}

class web_frames : public testing::TestWithParam<frame_row>
{
};

INSTANTIATE_TEST_SUITE_P (rows, web_frames, testing::ValuesIn (web_frame_rows ()), [] (const auto &of) {
    return std::string (of.param.name);
});

TEST_P (web_frames, are_judged_as_the_rfc_judges_them)
{
    const frame_row &row = GetParam ();
    for (const bool in_pieces : {false, true}) {
        web_victim of;
        const raw_peer peer = of.peer ();
        ASSERT_TRUE (peer.send (web_request ().text () + zws_ready ("PUSH")));
        const bool ends = *row.reason != '\0';
        worker speaker ([&] {
            const std::string all = row.octets + (ends ? "" : zws_frame (0, "behind it"));
            in_pieces ? peer.trickle (all) : peer.send (all);
        });
        for (const std::string &each : row.delivered)
            ASSERT_EQ (of.pull ().receive (), each);
        if (!ends) {
            ASSERT_EQ (of.pull ().receive (), "behind it");
            speaker.join ();
        } else {
            const zlink_event_t told = of.ended ();
            speaker.join ();
            EXPECT_STREQ (told.reason_text, row.reason);
            const std::string heard = peer.read_to_end ();
            const std::string said = row.code == 0 ? web_frame (0x88, "", false).substr (0, 1) : octet (0x88);
            const std::size_t at = heard.rfind (said);
            ASSERT_NE (at, std::string::npos);
            if (row.code != 0) {
                EXPECT_EQ (heard.substr (at + 2, 2), big_endian (row.code, 2));
            }
        }
        ASSERT_NO_FATAL_FAILURE (of.good_goes_on ());
    }
}

}  // namespace
}  // namespace zlink::test

// Commands after the handshake: octets to views and back.
#include "wire/command.hpp"

#include <array>
#include <deque>

#include <gtest/gtest.h>

#include "wire/test_bytes.hpp"

namespace zlink::wire {
namespace {

using namespace test;

// A parsed command borrows from its body; this keeps the bodies.
class a_command : public testing::Test
{
  protected:
    command parsed (std::string body)
    {
        bodies_.push_back (std::move (body));
        return parse_command (as_bytes (bodies_.back ()));
    }

  private:
    std::deque<std::string> bodies_;
};

std::string written (const command &what)
{
    std::vector<std::byte> body (command_body_bytes (what));
    EXPECT_EQ (encode_command_body (body.data (), what), body.size ());
    return std::string (as_text (body));
}

TEST_F (a_command, ping_carries_tenths_of_a_second_and_a_context)
{
    const std::string body = "\4PING" + hex ("0102") + "ctx";
    const command ping = parsed (body);
    EXPECT_EQ (ping.kind, command_kind::ping);
    EXPECT_EQ (ping.ttl_deciseconds, 0x0102);
    EXPECT_EQ (as_text (ping.data), "ctx");
    EXPECT_EQ (written (make_ping (0x0102, as_bytes ("ctx"))), body);
}

TEST_F (a_command, sizes_of_ping)
{
    EXPECT_EQ (parsed ("\4PING").kind, command_kind::malformed);
    EXPECT_EQ (parsed ("\4PING" + zeros (1)).kind, command_kind::malformed);
    EXPECT_EQ (parsed ("\4PING" + zeros (2)).kind, command_kind::ping);
    EXPECT_EQ (parsed ("\4PING" + zeros (2 + 16)).kind, command_kind::ping);
    EXPECT_EQ (parsed ("\4PING" + zeros (2 + 17)).kind, command_kind::malformed);
    for (const unsigned ttl : {0u, 1u, 655u, 656u, 65535u})
        EXPECT_EQ (parsed ("\4PING" + be (ttl, 2)).ttl_deciseconds, ttl);
}

TEST_F (a_command, pong_returns_the_context)
{
    const std::string context (ping_context_bytes_max, 'c');
    EXPECT_EQ (written (make_pong (as_bytes (context))), "\4PONG" + context);
    EXPECT_EQ (as_text (parsed ("\4PONG" + context).data), context);
    EXPECT_EQ (parsed ("\4PONG").kind, command_kind::pong);
    EXPECT_EQ (parsed ("\4PONG" + context + "c").kind, command_kind::malformed);
}

TEST_F (a_command, subscribe_and_cancel)
{
    EXPECT_EQ (written (make_subscribe (as_bytes ("topic"))), "\x09SUBSCRIBEtopic");
    EXPECT_EQ (written (make_cancel (as_bytes ("topic"))), "\6CANCELtopic");
    for (const std::size_t size : {0u, 1u, 245u, 246u, 255u, 256u, 16384u}) {
        const std::string topic (size, 't');
        const command subscribe = parsed ("\x09SUBSCRIBE" + topic);
        EXPECT_EQ (subscribe.kind, command_kind::subscribe);
        EXPECT_EQ (as_text (subscribe.data), topic);
        EXPECT_EQ (parsed ("\6CANCEL" + topic).kind, command_kind::cancel);
    }
}

TEST_F (a_command, subscribe_and_cancel_by_pattern)
{
    EXPECT_EQ (written (make_subscribe_pattern (as_bytes ("a.*"))), "\x11X-ZLINK-SUBSCRIBEa.*");
    EXPECT_EQ (written (make_cancel_pattern (as_bytes ("a.*"))), "\x0EX-ZLINK-CANCELa.*");
    for (const std::string name : {"\x11X-ZLINK-SUBSCRIBE", "\x0EX-ZLINK-CANCEL"}) {
        for (const std::string &pattern : {std::string (), std::string ("#"), std::string (256, '*')}) {
            const command found = parsed (name + pattern);
            EXPECT_NE (found.kind, command_kind::malformed);
            EXPECT_EQ (as_text (found.data), pattern);
        }
        for (const std::string &none : {std::string ("[a"), std::string ("a\\"), std::string (257, 'a')})
            EXPECT_EQ (parsed (name + none).kind, command_kind::malformed);
    }
    EXPECT_EQ (parsed ("\x11X-ZLINK-SUBSCRIBE").kind, command_kind::subscribe_pattern);
    EXPECT_EQ (parsed ("\x0EX-ZLINK-CANCEL").kind, command_kind::cancel_pattern);
}

TEST_F (a_command, join_and_leave)
{
    const std::string longest (group_bytes_max, 'g');
    EXPECT_EQ (written (make_join (as_bytes ("weather"))), "\4JOINweather");
    EXPECT_EQ (written (make_leave (as_bytes ("weather"))), "\5LEAVEweather");
    EXPECT_EQ (as_text (parsed ("\4JOIN" + longest).data), longest);
    EXPECT_EQ (parsed ("\5LEAVE").kind, command_kind::leave);
    EXPECT_EQ (parsed ("\4JOIN" + longest + "g").kind, command_kind::malformed);
    EXPECT_EQ (parsed ("\5LEAVE" + zeros (1)).kind, command_kind::malformed);
}

TEST_F (a_command, error_has_a_counted_reason)
{
    EXPECT_EQ (written (make_error ("400")), "\5ERROR\3"
                                             "400");
    EXPECT_EQ (as_text (parsed ("\5ERROR\3"
                                "400")
                          .data),
               "400");
    EXPECT_EQ (parsed ("\5ERROR" + octet (0)).kind, command_kind::error);
    EXPECT_EQ (parsed ("\5ERROR").kind, command_kind::malformed);
    EXPECT_EQ (parsed ("\5ERROR\4"
                       "400")
                 .kind,
               command_kind::malformed);
    EXPECT_EQ (parsed ("\5ERROR\2"
                       "400")
                 .kind,
               command_kind::malformed);
}

TEST_F (a_command, other_names_are_left_to_the_reader)
{
    EXPECT_EQ (parsed ("\5READYx").kind, command_kind::ready);
    EXPECT_EQ (parsed ("\5HELLO").kind, command_kind::unknown);
    EXPECT_EQ (parsed ("\4ping").kind, command_kind::unknown);
    EXPECT_EQ (parsed ("\3PIN").kind, command_kind::unknown);
    EXPECT_EQ (parsed (octet (255) + std::string (255, 'A')).kind, command_kind::unknown);
    EXPECT_EQ (parsed ("\5HELLOxyz").name, "HELLO");
    EXPECT_EQ (as_text (parsed ("\5HELLOxyz").data), "xyz");
}

TEST_F (a_command, malformed_names)
{
    EXPECT_EQ (parsed ("").kind, command_kind::malformed);
    EXPECT_EQ (parsed (octet (0)).kind, command_kind::malformed);
    EXPECT_EQ (parsed (octet (0) + "PING").kind, command_kind::malformed);
    EXPECT_EQ (parsed ("\5PING").kind, command_kind::malformed);
    EXPECT_EQ (parsed (octet (255) + std::string (254, 'A')).kind, command_kind::malformed);
}

TEST_F (a_command, makers_cut_what_is_too_long)
{
    const std::string text (300, 'x');
    EXPECT_EQ (make_ping (0, as_bytes (text)).data.size (), ping_context_bytes_max);
    EXPECT_EQ (make_pong (as_bytes (text)).data.size (), ping_context_bytes_max);
    EXPECT_EQ (make_error (text).data.size (), error_reason_bytes_max);
    EXPECT_EQ (make_join (as_bytes (text)).data.size (), group_bytes_max);
    EXPECT_EQ (make_subscribe (as_bytes (text)).data.size (), text.size ());
}

TEST_F (a_command, whole_frames_are_short_or_long)
{
    std::vector<std::byte> out;
    append_command_frame (out, make_ping (1, {}));
    append_command_frame (out, make_subscribe (as_bytes (std::string (245, 't'))));
    append_command_frame (out, make_subscribe (as_bytes (std::string (246, 't'))));
    EXPECT_EQ (as_text (out), hex ("04 07") + "\4PING" + hex ("0001") + hex ("04 FF") + "\x09SUBSCRIBE"
                                + std::string (245, 't') + hex ("06 0000000000000100") + "\x09SUBSCRIBE"
                                + std::string (246, 't'));
}

TEST_F (a_command, whatever_is_well_formed_is_written_as_it_was_read)
{
    const std::array bodies = {
      "\4PING" + hex ("FFFF") + "0123456789abcdef",
      std::string ("\4PONG"),
      std::string ("\x09SUBSCRIBE"),
      "\6CANCEL" + zeros (3),
      std::string ("\4JOINg"),
      std::string ("\5LEAVE"),
      "\5ERROR" + octet (0),
      "\5READY" + property_octets ("a", "b"),
      std::string ("\5OTHERdata"),
    };
    for (const std::string &body : bodies)
        EXPECT_EQ (written (parsed (body)), body);
}

}  // namespace
}  // namespace zlink::wire

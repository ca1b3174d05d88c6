#include "wire/gateway_message.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "wire/test_service.hpp"

namespace zlink::wire {
namespace {

using namespace test;

constexpr std::string_view trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

service_status status_of_head (std::string_view bytes)
{
    gateway_head read;
    return decode_gateway_head (as_bytes (bytes), read);
}

std::string fixed_part (unsigned kind)
{
    return hex ("47 01") + octet (kind) + hex ("00") + (kind == 2 ? std::string () : zeros (20));
}

// As in docs/protocol/gateway.md.
TEST (gateway_message, a_request_is_as_documented)
{
    gateway_head head;
    head.flags = gateway_flag_idempotent;
    head.attempt = 2;
    head.id = 0x0102030405060708;
    head.time_us = 1'000'000;
    head.service = "calc";
    EXPECT_EQ (encoded (head), hex ("47 01 01 01 0002 0000 0102030405060708 00000000000F4240"
                                    "000A 00000004")
                                 + "calc");
}

TEST (gateway_message, a_replys_head_is_as_if_encoded)
{
    gateway_head head;
    head.kind = gateway_kind::reply;
    head.flags = gateway_flag_draining;
    head.attempt = 3;
    head.id = 0x0102030405060708;
    head.time_us = 9;
    head.load = 0x0a0b0c0d;
    EXPECT_EQ (
      base::as_text (gateway_reply_head (
        {.flags = head.flags, .attempt = head.attempt, .id = head.id, .time_us = head.time_us}, head.load)),
      encoded (head));
}

TEST (gateway_message, a_replys_head_is_known_by_all_but_its_numbers)
{
    const auto good =
      gateway_reply_head ({.attempt = 0xffff, .id = UINT64_MAX, .time_us = UINT64_MAX}, 0xffffffff);
    EXPECT_TRUE (is_gateway_reply_head (good));
    EXPECT_FALSE (is_gateway_reply_head (std::span (good).first (good.size () - 1)));
    EXPECT_FALSE (is_gateway_reply_head ({}));
    for (std::size_t at = 0; at < good.size (); ++at) {
        auto changed = good;
        changed[at] ^= std::byte{1};
        const bool number = (at >= 4 && at < gateway_head_bytes) || at >= good.size () - 4;
        EXPECT_EQ (is_gateway_reply_head (changed), number) << at;
    }
}

TEST (gateway_message, heads_are_alike_but_for_their_numbers)
{
    gateway_head head;
    head.service = "calc";
    const std::string good = encoded (head);
    head.attempt = 0x1122;
    head.id = 0x0102030405060708;
    head.time_us = 7;
    std::string other = encoded (head);
    const auto alike = [&good] (std::string_view with) {
        return are_gateway_heads_alike (base::as_bytes (std::string_view (good)), base::as_bytes (with));
    };
    EXPECT_TRUE (alike (other));
    const gateway_numbers numbers = numbers_of_gateway_head (base::as_bytes (std::string_view (other)));
    EXPECT_EQ (numbers.attempt, head.attempt);
    EXPECT_EQ (numbers.id, head.id);
    EXPECT_EQ (numbers.time_us, head.time_us);
    EXPECT_FALSE (alike (other.substr (1)));
    EXPECT_FALSE (alike (other + "x"));
    EXPECT_FALSE (alike (""));
    for (std::size_t at = 0; at < other.size (); ++at) {
        std::string changed = other;
        changed[at] = static_cast<char> (changed[at] ^ 1);
        EXPECT_EQ (alike (changed), at >= gateway_one_way_bytes && at < gateway_head_bytes) << at;
    }
}

TEST (gateway_message, a_one_ways_head_is_alike_itself_alone)
{
    gateway_head head;
    head.kind = gateway_kind::one_way;
    head.service = "calc";
    const std::string good = encoded (head);
    head.service = "cald";
    const std::string other = encoded (head);
    EXPECT_TRUE (are_gateway_heads_alike (base::as_bytes (std::string_view (good)),
                                          base::as_bytes (std::string_view (good))));
    EXPECT_FALSE (are_gateway_heads_alike (base::as_bytes (std::string_view (good)),
                                           base::as_bytes (std::string_view (other))));
}

TEST (gateway_message, a_head_is_numbered_as_if_encoded_anew)
{
    gateway_head head;
    head.service = "calc";
    head.code = 7;
    std::vector<std::byte> octets;
    encode_gateway_head (head, octets);
    head.flags = gateway_flag_idempotent;
    head.attempt = 0x1122;
    head.code = 0;
    head.id = 0x0102030405060708;
    head.time_us = 0xf1f2f3f4f5f6f7f8;
    number_gateway_head (
      octets, {.flags = head.flags, .attempt = head.attempt, .id = head.id, .time_us = head.time_us});
    EXPECT_EQ (base::as_text (octets), encoded (head));
}

TEST (gateway_message, a_one_way_is_as_documented)
{
    gateway_head head;
    head.kind = gateway_kind::one_way;
    head.attempt = 2;
    head.id = 5;
    head.time_us = 7;
    head.service = "log";
    const std::string bytes = encoded (head);
    EXPECT_EQ (bytes, hex ("47 01 02 00 000A 00000003") + "log");
    gateway_head read;
    ASSERT_EQ (decode_gateway_head (as_bytes (bytes), read), service_status::complete);
    EXPECT_EQ (read.service, "log");
    EXPECT_EQ (read.attempt + read.code + read.id + read.time_us, 0u);
    EXPECT_EQ (status_of_head (fixed_part (2)), service_status::malformed) << "no service";
    EXPECT_EQ (status_of_head (fixed_part (2).substr (0, 3)), service_status::malformed);
}

TEST (gateway_message, a_failure_is_read)
{
    const std::string bytes = hex ("47 01 04 02 0001 0005 0000000000000009 0000000000000000")
                              + field_octets (13, "full") + field_octets (37, be (250, 4))
                              + field_octets (36, be (64, 4)) + field_octets (999, "new");
    gateway_head head;
    ASSERT_EQ (decode_gateway_head (as_bytes (bytes), head), service_status::complete);
    EXPECT_EQ (head.kind, gateway_kind::failure);
    EXPECT_EQ (head.flags, gateway_flag_untouched);
    EXPECT_EQ (head.attempt, 1u);
    EXPECT_EQ (head.code, failure_overloaded);
    EXPECT_EQ (head.id, 9u);
    EXPECT_EQ (head.text, "full");
    EXPECT_EQ (head.retry_after_ms, 250u);
    EXPECT_EQ (head.load, 64u);
}

TEST (gateway_message, what_is_none)
{
    EXPECT_EQ (status_of_head (""), service_status::malformed);
    EXPECT_EQ (status_of_head (fixed_part (5).substr (0, 23)), service_status::malformed);
    EXPECT_EQ (status_of_head (fixed_part (5)), service_status::complete);
    EXPECT_EQ (status_of_head (fixed_part (1)), service_status::malformed) << "no service";
    EXPECT_EQ (status_of_head (fixed_part (1) + field_octets (10, "")), service_status::malformed);
    EXPECT_EQ (status_of_head (fixed_part (1) + field_octets (10, "a\n")), service_status::malformed);
    EXPECT_EQ (status_of_head (fixed_part (7)), service_status::malformed) << "alive, and nobody";
    EXPECT_EQ (status_of_head (fixed_part (0)), service_status::kind_unknown);
    EXPECT_EQ (status_of_head (fixed_part (8)), service_status::kind_unknown);
    std::string other = fixed_part (5);
    other[1] = 2;
    EXPECT_EQ (status_of_head (other), service_status::version_unsupported);
    other[0] = 'R';
    EXPECT_EQ (status_of_head (other), service_status::malformed);
    EXPECT_EQ (status_of_head (fixed_part (5) + std::string (request_head_bytes_max, 'x')),
               service_status::too_large);
}

// W3C: who gets one that is none begins a trace of his own.
TEST (gateway_message, a_trace_that_is_none_is_left_out)
{
    const auto traced = [] (std::string_view parent) {
        gateway_head head;
        const std::string bytes = fixed_part (2) + field_octets (10, "calc") + field_octets (33, parent)
                                  + field_octets (34, "vendor=1");
        EXPECT_EQ (decode_gateway_head (as_bytes (bytes), head), service_status::complete);
        EXPECT_EQ (head.traceparent.empty (), head.tracestate.empty ());
        return !head.traceparent.empty ();
    };
    EXPECT_TRUE (traced (trace));
    EXPECT_FALSE (traced ("nonsense"));
    EXPECT_FALSE (traced (""));
}

TEST (gateway_message, traceparents)
{
    const std::string good (trace);
    EXPECT_TRUE (is_traceparent (good));
    for (std::size_t size = 0; size < good.size (); ++size)
        EXPECT_FALSE (is_traceparent (good.substr (0, size))) << size;
    EXPECT_FALSE (is_traceparent (good + "-")) << "version 00 has 55 octets";
    EXPECT_TRUE (is_traceparent ("01" + good.substr (2) + "-more"));
    EXPECT_FALSE (is_traceparent ("01" + good.substr (2) + "more"));
    EXPECT_FALSE (is_traceparent ("ff" + good.substr (2)));
    for (std::size_t at = 0; at < good.size (); ++at) {
        std::string bad = good;
        bad[at] = 'G';
        EXPECT_FALSE (is_traceparent (bad)) << at;
        bad[at] = 'A';
        EXPECT_FALSE (is_traceparent (bad)) << at;
    }
    EXPECT_FALSE (is_traceparent ("00-" + std::string (32, '0') + good.substr (35)));
    EXPECT_FALSE (is_traceparent (good.substr (0, 36) + std::string (16, '0') + good.substr (52)));
}

TEST (gateway_message, names_of_failures)
{
    EXPECT_STREQ (failure_name (failure_malformed), "malformed");
    EXPECT_STREQ (failure_name (failure_overloaded), "overloaded");
    EXPECT_STREQ (failure_name (failure_instance), "instance");
    EXPECT_STREQ (failure_name (failure_hops), "hops");
    EXPECT_STREQ (failure_name (0), "unknown");
    EXPECT_STREQ (failure_name (failure_hops + 1), "unknown");
}

TEST (gateway_message_property, comes_back)
{
    std::mt19937_64 dice (10);
    for (unsigned round = 0; round < 1400; ++round) {
        drawn<std::mt19937_64> draw (dice);
        gateway_head made;
        made.kind = static_cast<gateway_kind> (1 + round % 7);
        made.flags = static_cast<unsigned> (draw.below (8));
        made.attempt = static_cast<std::uint16_t> (draw.number ());
        made.code = static_cast<std::uint16_t> (draw.number ());
        made.id = draw.number ();
        made.time_us = draw.number ();
        made.instance = draw.number ();
        made.detail = static_cast<std::uint32_t> (draw.number ());
        made.load = static_cast<std::uint32_t> (draw.number ());
        made.retry_after_ms = static_cast<std::uint32_t> (draw.number ());
        made.hops = static_cast<std::uint16_t> (draw.number ());
        made.service = draw.text (1, service_name_bytes_max);
        made.key = draw.text (0, request_key_bytes_max);
        if (draw.below (2) == 0) {
            made.traceparent = trace;
            made.tracestate = draw.text (0, request_tracestate_bytes_max);
        }
        made.text = draw.text (0, service_text_bytes_max);
        const std::string bytes = encoded (made);
        gateway_head read;
        ASSERT_EQ (decode_gateway_head (as_bytes (bytes), read), service_status::complete) << round;
        ASSERT_EQ (encoded (read), bytes) << round;
        const bool numbered = made.kind != gateway_kind::one_way;
        ASSERT_EQ (read.id, numbered ? made.id : 0);
        ASSERT_LE (bytes.size (), request_head_bytes_max);
        for (std::size_t size = 0; size < (numbered ? gateway_head_bytes : gateway_one_way_bytes); ++size)
            ASSERT_EQ (status_of_head (bytes.substr (0, size)), service_status::malformed);
    }
}

}  // namespace
}  // namespace zlink::wire

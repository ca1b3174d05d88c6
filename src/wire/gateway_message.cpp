#include "wire/gateway_message.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <iterator>

#include "base/appending.hpp"
#include "wire/field_rows.hpp"

namespace zlink::wire {

namespace {

constexpr std::byte gateway_mark{0x47};

bool fits_key (std::string_view text) noexcept { return text.size () <= request_key_bytes_max; }
bool fits_traceparent (std::string_view text) noexcept
{
    return is_service_text (text, request_traceparent_bytes_max);
}
bool fits_tracestate (std::string_view text) noexcept
{
    return is_service_text (text, request_tracestate_bytes_max);
}

using head_row = field_row<gateway_head>;
constexpr std::array head_rows{
  head_row{.tag = tag_service, .text = &gateway_head::service, .fits = fits_some_name},
  head_row{.tag = tag_instance, .number_64 = &gateway_head::instance},
  head_row{.tag = tag_key, .text = &gateway_head::key, .fits = fits_key},
  head_row{.tag = tag_traceparent, .text = &gateway_head::traceparent, .fits = fits_traceparent},
  head_row{.tag = tag_tracestate, .text = &gateway_head::tracestate, .fits = fits_tracestate},
  head_row{.tag = tag_hops, .number_16 = &gateway_head::hops},
  head_row{.tag = tag_load, .number_32 = &gateway_head::load},
  head_row{.tag = tag_detail, .number_32 = &gateway_head::detail},
  head_row{.tag = tag_retry_after, .number_32 = &gateway_head::retry_after_ms},
  head_row{.tag = tag_text, .text = &gateway_head::text, .fits = fits_text},
};

constexpr row_mask head_rows_of (std::initializer_list<service_tag> tags) noexcept
{
    row_mask mask = 0;
    for (std::size_t row = 0; row < head_rows.size (); ++row)
        for (const service_tag tag : tags)
            if (head_rows[row].tag == tag)
                mask |= row_bit (row);
    return mask;
}

// What a kind must have, and what it may have beside it.
struct head_masks
{
    row_mask must = 0;
    row_mask may = 0;
};

constexpr head_masks asked{head_rows_of ({tag_service}),
                           head_rows_of ({tag_instance, tag_key, tag_traceparent, tag_tracestate, tag_hops})};

constexpr std::array<head_masks, 8> masks_of_kinds{
  head_masks{},
  asked,
  asked,
  head_masks{.may = head_rows_of ({tag_load, tag_traceparent, tag_tracestate})},
  head_masks{.may = head_rows_of ({tag_load, tag_detail, tag_retry_after, tag_text})},
  head_masks{},
  head_masks{},
  head_masks{.must = head_rows_of ({tag_instance}), .may = head_rows_of ({tag_load})},
};

const head_masks *masks_of (gateway_kind kind) noexcept
{
    const auto number = static_cast<std::size_t> (kind);
    return number == 0 || number >= masks_of_kinds.size () ? nullptr : &masks_of_kinds[number];
}

constexpr std::size_t fixed_bytes (gateway_kind kind) noexcept
{
    return kind == gateway_kind::one_way ? gateway_one_way_bytes : gateway_head_bytes;
}

void read_numbers (bytes_view bytes, gateway_head &out) noexcept
{
    out.attempt = base::load_u16_be (bytes.data () + 4);
    out.code = base::load_u16_be (bytes.data () + 6);
    out.id = base::load_u64_be (bytes.data () + 8);
    out.time_us = base::load_u64_be (bytes.data () + 16);
}

// So many digits of lower-case hexadecimal, not all zero where that is asked for.
bool are_digits (std::string_view text, bool zero_allowed) noexcept
{
    const bool digits = std::all_of (text.begin (), text.end (), [] (char each) {
        return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'f');
    });
    return digits && (zero_allowed || text.find_first_not_of ('0') != std::string_view::npos);
}

}  // namespace

service_status decode_gateway_head (bytes_view bytes, gateway_head &out) noexcept
{
    if (bytes.size () > request_head_bytes_max)
        return service_status::too_large;
    if (bytes.size () < gateway_one_way_bytes || bytes[0] != gateway_mark)
        return service_status::malformed;
    if (std::to_integer<unsigned> (bytes[1]) != gateway_protocol_version)
        return service_status::version_unsupported;
    out = {};
    out.kind = static_cast<gateway_kind> (bytes[2]);
    const head_masks *const masks = masks_of (out.kind);
    if (masks == nullptr)
        return service_status::kind_unknown;
    out.flags = std::to_integer<unsigned> (bytes[3]);
    const std::size_t fixed = fixed_bytes (out.kind);
    if (bytes.size () < fixed)
        return service_status::malformed;
    if (fixed == gateway_head_bytes)
        read_numbers (bytes, out);
    if (!read_rows<gateway_head> (head_rows, masks->must | masks->may, masks->must, bytes.subspan (fixed),
                                  out))
        return service_status::malformed;
    if (!is_traceparent (out.traceparent))
        out.traceparent = out.tracestate = {};
    return service_status::complete;
}

void number_gateway_head (base::bytes_span encoded, const gateway_numbers &numbers) noexcept
{
    encoded[3] = static_cast<std::byte> (numbers.flags);
    base::store_u16_be (encoded.data () + 4, numbers.attempt);
    base::store_u16_be (encoded.data () + 6, 0);
    base::store_u64_be (encoded.data () + 8, numbers.id);
    base::store_u64_be (encoded.data () + 16, numbers.time_us);
}

gateway_numbers numbers_of_gateway_head (bytes_view encoded) noexcept
{
    return {.flags = std::to_integer<unsigned> (encoded[3]),
            .attempt = base::load_u16_be (encoded.data () + 4),
            .id = base::load_u64_be (encoded.data () + 8),
            .time_us = base::load_u64_be (encoded.data () + 16)};
}

bool are_gateway_heads_alike (bytes_view good, bytes_view other) noexcept
{
    if (good.size () != other.size ())
        return false;
    const std::size_t fixed = fixed_bytes (static_cast<gateway_kind> (good[2]));
    return std::memcmp (good.data (), other.data (), gateway_one_way_bytes) == 0
           && std::memcmp (good.data () + fixed, other.data () + fixed, good.size () - fixed) == 0;
}

std::array<std::byte, gateway_reply_bytes> gateway_reply_head (const gateway_numbers &numbers,
                                                               std::uint32_t load) noexcept
{
    std::array<std::byte, gateway_reply_bytes> made{gateway_mark, std::byte{gateway_protocol_version},
                                                    static_cast<std::byte> (gateway_kind::reply)};
    number_gateway_head (made, numbers);
    std::byte *const field = made.data () + gateway_head_bytes;
    base::store_u16_be (field, tag_load);
    base::store_u32_be (field + 2, sizeof load);
    base::store_u32_be (field + service_field_head_bytes, load);
    return made;
}

bool is_gateway_reply_head (bytes_view encoded) noexcept
{
    static const auto model = gateway_reply_head ({}, 0);
    constexpr std::size_t load_begins = gateway_head_bytes + service_field_head_bytes;
    return encoded.size () == gateway_reply_bytes
           && std::memcmp (encoded.data (), model.data (), gateway_one_way_bytes) == 0
           && std::memcmp (encoded.data () + gateway_head_bytes, model.data () + gateway_head_bytes,
                           load_begins - gateway_head_bytes)
                == 0;
}

void encode_gateway_head (const gateway_head &head, std::vector<std::byte> &out)
{
    std::byte fixed[gateway_head_bytes] = {gateway_mark, std::byte{gateway_protocol_version},
                                           static_cast<std::byte> (head.kind)};
    number_gateway_head (
      fixed, {.flags = head.flags, .attempt = head.attempt, .id = head.id, .time_us = head.time_us});
    base::store_u16_be (fixed + 6, head.code);
    base::append (out, bytes_view (fixed).first (fixed_bytes (head.kind)));
    if (const head_masks *const masks = masks_of (head.kind); masks != nullptr)
        write_rows<gateway_head> (head_rows, masks->may, masks->must, head, out);
}

bool is_traceparent (std::string_view text) noexcept
{
    constexpr std::size_t bytes_of_version_0 = 55;
    if (text.size () < bytes_of_version_0 || text[2] != '-' || text[35] != '-' || text[52] != '-')
        return false;
    const std::string_view version = text.substr (0, 2);
    const bool whole = version == "00" ? text.size () == bytes_of_version_0
                                       : text.size () == bytes_of_version_0 || text[55] == '-';
    return whole && version != "ff" && are_digits (version, true) && are_digits (text.substr (3, 32), false)
           && are_digits (text.substr (36, 16), false) && are_digits (text.substr (53, 2), true);
}

const char *failure_name (std::uint16_t code) noexcept
{
    static constexpr std::array names{"unknown",     "malformed", "version",     "no-service",    "draining",
                                      "overloaded",  "deadline",  "cancelled",   "rejected",      "handler",
                                      "not-allowed", "instance",  "no-provider", "provider-lost", "hops"};
    return code < names.size () ? names[code] : "unknown";
}

}  // namespace zlink::wire

#include "wire/zws.hpp"

#include <algorithm>

namespace zlink::wire {

namespace {

// The better first; an open end offers two, which stand side by side.
constexpr std::array<std::string_view, 4> zws_names = {"ZWS2.0/NULL", "ZWS2.0", "ZWS2.0/PLAIN",
                                                       "ZWS2.0/CURVE"};
constexpr std::array zws_numbers = {zws_protocol::null, zws_protocol::bare, zws_protocol::plain,
                                    zws_protocol::curve};

std::size_t row_of (zws_protocol protocol) noexcept
{
    const auto *const found = std::find (zws_numbers.begin (), zws_numbers.end (), protocol);
    return static_cast<std::size_t> (found - zws_numbers.begin ());
}

}  // namespace

std::string_view zws_protocol_name (zws_protocol protocol) noexcept { return zws_names[row_of (protocol)]; }

std::optional<zws_protocol> zws_protocol_of (std::string_view name) noexcept
{
    for (std::size_t row = 0; row < zws_names.size (); ++row)
        if (zws_names[row] == name)
            return zws_numbers[row];
    return std::nullopt;
}

mechanism_kind mechanism_of (zws_protocol protocol) noexcept
{
    switch (protocol) {
    case zws_protocol::plain:
        return mechanism_kind::plain;
    case zws_protocol::curve:
        return mechanism_kind::curve;
    default:
        return mechanism_kind::null;
    }
}

std::span<const std::string_view> zws_protocols (const security &wish) noexcept
{
    const std::span<const std::string_view> all (zws_names);
    switch (wish.mechanism) {
    case mechanism_kind::plain:
        return all.subspan (row_of (zws_protocol::plain), 1);
    case mechanism_kind::curve:
        return all.subspan (row_of (zws_protocol::curve), 1);
    default:
        return all.first (wish.open_to_all () ? 2 : 1);
    }
}

std::size_t encode_zws_header (
  std::byte *out, std::uint64_t body_bytes, bool more, bool command, const ws_mask_key *key) noexcept
{
    ws_head head;
    head.payload_bytes = body_bytes + 1;
    head.masked = key != nullptr;
    if (head.masked)
        head.key = *key;
    const std::size_t at = encode_ws_header (out, head);
    const auto flags = static_cast<std::byte> (command ? zws_flag_command : more ? zws_flag_more : 0U);
    out[at] = flags ^ head.key[0];
    return at + 1;
}

zws_reader::zws_reader (ws_role role, std::uint64_t body_bytes_max, ws_mask_keys *keys) noexcept
  : link_ ({.role = role,
            .text_allowed = false,
            .limits = {.message_bytes_max = std::min (body_bytes_max, frame_body_bytes_max - 1) + 1},
            .keys = keys})
{
}

zws_event zws_reader::next (bytes_span &in) noexcept
{
    for (;;) {
        ws_event event = link_.next (in);
        if (event.kind != ws_event_kind::data)
            return {.kind = event.kind, .payload = event.payload};
        if (event.begins)
            flags_known_ = false;
        if (!flags_known_ && !take_flags (event))
            continue;  // to hear that it has failed
        const bool begins = body_begins_;
        body_begins_ = false;
        return {.kind = event.kind,
                .begins = begins,
                .ends = event.ends,
                .more = (flags_ & zws_flag_more) != 0,
                .command = (flags_ & zws_flag_command) != 0,
                .last_frame = event.last_frame,
                .payload = event.payload,
                .to_come = event.to_come};
    }
}

// Takes them off the front of a message. A first piece is empty only when it is
// all there is.
bool zws_reader::take_flags (ws_event &event) noexcept
{
    using base::close_reason;
    if (event.payload.empty ()) {
        link_.refuse (ws_close_code::protocol_error, close_reason::frame_malformed, "a message has no flags");
        return false;
    }
    flags_ = std::to_integer<unsigned> (event.payload[0]);
    if (flags_ > zws_flag_command) {
        link_.refuse (ws_close_code::protocol_error, close_reason::frame_malformed,
                      "a message has flags that are none");
        return false;
    }
    event.payload = event.payload.subspan (1);
    flags_known_ = body_begins_ = true;
    return true;
}

}  // namespace zlink::wire

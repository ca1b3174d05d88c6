#include "wire/command.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/glob.hpp"

namespace zlink::wire {

namespace {

constexpr std::size_t ttl_bytes = 2;
constexpr std::size_t gap_bytes = 8;

struct name_row
{
    std::string_view name;
    command_kind kind;
};

constexpr std::array command_names = {
  name_row{"PING", command_kind::ping},
  name_row{"PONG", command_kind::pong},
  name_row{"SUBSCRIBE", command_kind::subscribe},
  name_row{"CANCEL", command_kind::cancel},
  name_row{"JOIN", command_kind::join},
  name_row{"LEAVE", command_kind::leave},
  name_row{"READY", command_kind::ready},
  name_row{"ERROR", command_kind::error},
  name_row{"X-ZLINK-GAP", command_kind::gap},
  name_row{"X-ZLINK-SUBSCRIBE", command_kind::subscribe_pattern},
  name_row{"X-ZLINK-CANCEL", command_kind::cancel_pattern},
};

command_kind kind_of (std::string_view name) noexcept
{
    for (const name_row &row : command_names)
        if (row.name == name)
            return row.kind;
    return command_kind::unknown;
}

std::string_view name_of (command_kind kind) noexcept
{
    for (const name_row &row : command_names)
        if (row.kind == kind)
            return row.name;
    return {};
}

// What stands between the name and the data: PING's time to live, ERROR's
// length octet.
std::size_t prefix_bytes (command_kind kind) noexcept
{
    if (kind == command_kind::ping)
        return ttl_bytes;
    return kind == command_kind::error ? 1 : 0;
}

bool group_acceptable (bytes_view group) noexcept
{
    return group.size () <= group_bytes_max && std::ranges::find (group, std::byte{0}) == group.end ();
}

// Checks what the kind demands of its data and strips the prefix.
bool take_data (command &what) noexcept
{
    const std::size_t prefix = prefix_bytes (what.kind);
    if (what.data.size () < prefix)
        return false;
    const bytes_view behind = what.data.subspan (prefix);
    switch (what.kind) {
    case command_kind::ping:
        what.ttl_deciseconds = base::load_u16_be (what.data.data ());
        what.data = behind;
        return behind.size () <= ping_context_bytes_max;
    case command_kind::pong:
        return behind.size () <= ping_context_bytes_max;
    case command_kind::error: {
        const bool fits = static_cast<std::size_t> (what.data[0]) == behind.size ();
        what.data = behind;
        return fits;
    }
    case command_kind::gap:
        return behind.size () == gap_bytes;
    case command_kind::subscribe_pattern:
    case command_kind::cancel_pattern:
        return base::glob_valid (behind);
    case command_kind::join:
    case command_kind::leave:
        return group_acceptable (behind);
    default:
        return true;
    }
}

command make (command_kind kind, bytes_view data, std::size_t data_bytes_max) noexcept
{
    return {kind, 0, name_of (kind), data.first (std::min (data.size (), data_bytes_max))};
}

}  // namespace

command parse_command (bytes_view body) noexcept
{
    if (body.empty ())
        return {};
    const auto name_size = static_cast<std::size_t> (body[0]);
    if (name_size == 0 || body.size () < 1 + name_size)
        return {};
    command found;
    found.name = base::as_text (body.subspan (1, name_size));
    found.kind = kind_of (found.name);
    found.data = body.subspan (1 + name_size);
    return take_data (found) ? found : command{};
}

command make_ping (std::uint16_t ttl_deciseconds, bytes_view context) noexcept
{
    command ping = make (command_kind::ping, context, ping_context_bytes_max);
    ping.ttl_deciseconds = ttl_deciseconds;
    return ping;
}

command make_pong (bytes_view context) noexcept
{
    return make (command_kind::pong, context, ping_context_bytes_max);
}

command make_subscribe (bytes_view topic) noexcept
{
    return make (command_kind::subscribe, topic, topic.size ());
}

command make_cancel (bytes_view topic) noexcept { return make (command_kind::cancel, topic, topic.size ()); }

command make_join (bytes_view group) noexcept { return make (command_kind::join, group, group_bytes_max); }

command make_leave (bytes_view group) noexcept { return make (command_kind::leave, group, group_bytes_max); }

command make_gap (std::span<const std::byte, 8> messages) noexcept
{
    return make (command_kind::gap, messages, messages.size ());
}

command make_subscribe_pattern (bytes_view pattern) noexcept
{
    return make (command_kind::subscribe_pattern, pattern, pattern.size ());
}

command make_cancel_pattern (bytes_view pattern) noexcept
{
    return make (command_kind::cancel_pattern, pattern, pattern.size ());
}

command make_error (std::string_view reason) noexcept
{
    return make (command_kind::error, base::as_bytes (reason), error_reason_bytes_max);
}

command make_ready (bytes_view properties) noexcept
{
    return make (command_kind::ready, properties, properties.size ());
}

std::size_t command_body_bytes (const command &what) noexcept
{
    return 1 + what.name.size () + prefix_bytes (what.kind) + what.data.size ();
}

std::size_t encode_command_body (std::byte *out, const command &what) noexcept
{
    std::byte *at = out;
    *at++ = static_cast<std::byte> (what.name.size ());
    std::memcpy (at, what.name.data (), what.name.size ());
    at += what.name.size ();
    if (what.kind == command_kind::ping)
        base::store_u16_be (at, what.ttl_deciseconds);
    else if (what.kind == command_kind::error)
        *at = static_cast<std::byte> (what.data.size ());
    at += prefix_bytes (what.kind);
    if (!what.data.empty ())
        std::memcpy (at, what.data.data (), what.data.size ());
    return command_body_bytes (what);
}

std::size_t encode_command_frame (std::byte *out, const command &what) noexcept
{
    const std::size_t header =
      encode_frame_header (framing::zmtp_3, out, command_body_bytes (what), false, true);
    return header + encode_command_body (out + header, what);
}

void append_command_frame (std::vector<std::byte> &out, const command &what)
{
    const std::size_t before = out.size ();
    out.resize (before + frame_header_bytes_max + command_body_bytes (what));
    out.resize (before + encode_command_frame (out.data () + before, what));
}

}  // namespace zlink::wire

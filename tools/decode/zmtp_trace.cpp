#include "tools/decode/zmtp_trace.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "wire/command.hpp"
#include "wire/greeting.hpp"
#include "wire/metadata.hpp"

namespace zlink::tool {

namespace {

constexpr std::size_t part_bytes_kept = zmtp_trace::shown_bytes_max;
constexpr std::byte signature_first{0xFF};
constexpr std::byte signature_last{0x7F};
constexpr unsigned major_3 = 3;

bool is_printable (char each) { return each >= ' ' && each <= '~'; }

std::string_view text_of (bytes_view octets)
{
    return {reinterpret_cast<const char *> (octets.data ()), octets.size ()};
}

// A peer's words: what is not printable becomes a question mark.
std::string printable (std::string_view words)
{
    std::string made (words);
    std::replace_if (
      made.begin (), made.end (), [] (char each) { return !is_printable (each); }, '?');
    return made;
}

// What else it may be, by its first octets.
std::string stranger (bytes_view octets)
{
    const std::string_view text = text_of (octets);
    if (text.starts_with ("GET ") || text.starts_with ("HTTP/"))
        return "HTTP, perhaps an upgrade to WebSocket: not ZMTP over TCP";
    if (text.starts_with ("\x16\x03"))
        return "TLS: what is inside is sealed";
    return "no greeting of ZMTP; the first octets are " + preview (octets, octets.size (), part_bytes_kept);
}

std::string socket_type_name (unsigned octet)
{
    constexpr std::array names{"PAIR",   "PUB",  "SUB",  "REQ",  "REP", "DEALER",
                               "ROUTER", "PULL", "PUSH", "XPUB", "XSUB"};
    return octet < names.size () ? names[octet] : fmt::format ("type {}", octet);
}

}  // namespace

std::string preview (bytes_view octets, std::uint64_t all_bytes, std::size_t most)
{
    if (octets.empty ())
        return "\"\"";
    const bytes_view shown = octets.first (std::min (octets.size (), most));
    const std::string_view text = text_of (shown);
    std::string made;
    if (std::all_of (text.begin (), text.end (), is_printable))
        made = fmt::format ("\"{}\"", text);
    else
        for (const std::byte each : shown)
            made += fmt::format ("{:02x}", static_cast<unsigned> (each));
    return all_bytes > shown.size () ? made + " ..." : made;
}

void zmtp_trace::end (const std::string &line)
{
    tell_ (line);
    stage_ = stage::over;
    have_.clear ();
    body_.clear ();
}

void zmtp_trace::feed (bytes_view octets)
{
    while (!octets.empty () && goes_on ()) {
        if (in_body_) {
            const auto taken =
              static_cast<std::size_t> (std::min<std::uint64_t> (octets.size (), body_left_));
            const std::size_t limit = head_.command ? wire::handshake_command_bytes_max : part_bytes_kept;
            const std::size_t kept = std::min (taken, limit - std::min (limit, body_.size ()));
            body_.insert (body_.end (), octets.begin (),
                          octets.begin () + static_cast<std::ptrdiff_t> (kept));
            body_left_ -= taken;
            octets = octets.subspan (taken);
            if (body_left_ == 0)
                frame_complete ();
            continue;
        }
        have_.push_back (octets.front ());
        octets = octets.subspan (1);
        if (stage_ == stage::greeting)
            read_greeting ();
        else
            read_frame_head ();
    }
}

void zmtp_trace::finish ()
{
    if (!goes_on ())
        return;
    if (stage_ == stage::greeting && !have_.empty ())
        end (fmt::format ("the greeting ends after {} octets", have_.size ()));
    else if (in_body_)
        end (fmt::format ("the last frame is cut off: {} of {} octets are missing", body_left_,
                          head_.body_size));
    else if (stage_ != stage::greeting && !have_.empty ())
        end ("the last frame is cut off in its head");
}

// Octet by octet, as long as it may be a greeting.
void zmtp_trace::read_greeting ()
{
    const std::size_t size = have_.size ();
    const bool begins_well = have_[0] == signature_first;
    const bool is_signed = size < wire::signature_bytes || have_[wire::signature_bytes - 1] == signature_last;
    constexpr std::size_t enough_of_strangers = 8;
    if ((!begins_well && size >= enough_of_strangers) || (begins_well && !is_signed))
        return end (stranger (have_));
    if (!begins_well || size <= wire::signature_bytes)
        return;
    const bool is_3 = static_cast<unsigned> (have_[wire::signature_bytes]) >= major_3;
    if (size == (is_3 ? wire::greeting_bytes : wire::greeting_bytes_zmtp_2_0))
        take_greeting (size);
}

void zmtp_trace::take_greeting (std::size_t size)
{
    constexpr std::size_t mechanism_at = 12;
    constexpr std::size_t server_at = 32;
    const auto at = [this] (std::size_t where) { return static_cast<unsigned> (have_[where]); };
    const unsigned major = at (wire::signature_bytes);
    const unsigned minor = at (wire::signature_bytes + 1);
    if (size == wire::greeting_bytes) {
        const std::string_view field =
          text_of (bytes_view (have_).subspan (mechanism_at, wire::mechanism_bytes));
        mechanism_ = printable (field.substr (0, field.find ('\0')));
        tell_ (fmt::format ("greeting: ZMTP {}.{}, {}{}", major, minor, mechanism_,
                            at (server_at) != 0 ? ", as server" : ""));
        stage_ = stage::frames;
    } else {
        framing_ = major == 0 ? wire::framing::zmtp_1_0 : wire::framing::zmtp_2_0;
        tell_ (fmt::format ("greeting: ZMTP {}.0, {}", major + 1, socket_type_name (minor)));
        stage_ = stage::identity;
    }
    have_.clear ();
}

void zmtp_trace::read_frame_head ()
{
    switch (wire::decode_frame_header (framing_, have_, head_)) {
    case wire::head_status::need_more:
        return;
    case wire::head_status::malformed:
        return end ("a frame whose head is malformed: " + preview (have_, have_.size (), part_bytes_kept));
    case wire::head_status::complete:
        break;
    }
    have_.clear ();
    body_.clear ();
    body_left_ = head_.body_size;
    in_body_ = body_left_ > 0;
    if (!in_body_)
        frame_complete ();
}

void zmtp_trace::frame_complete ()
{
    in_body_ = false;
    if (head_.command)
        return tell_command ();
    const std::string shown = preview (body_, head_.body_size, shown_bytes_max);
    if (stage_ == stage::identity) {
        stage_ = stage::frames;
        tell_ (fmt::format ("identity, {} bytes: {}", head_.body_size, shown));
        return;
    }
    tell_ (fmt::format ("{}, {} bytes: {}", head_.more ? "part" : "message", head_.body_size, shown));
}

void zmtp_trace::tell_ready (std::string_view name, bytes_view data)
{
    std::string line (name);
    wire::property_reader properties (data);
    for (wire::property each; properties.next (each);)
        line += fmt::format (" {}={}", printable (each.name),
                             preview (each.value, each.value.size (), shown_bytes_max));
    tell_ (properties.malformed () ? line + " and malformed properties" : line);
}

void zmtp_trace::tell_command ()
{
    if (head_.body_size > body_.size ()) {
        tell_ (fmt::format ("a command of {} bytes, more than one may have", head_.body_size));
        return;
    }
    const wire::command what = wire::parse_command (body_);
    const std::string name = printable (what.name);
    const std::string data = preview (what.data, what.data.size (), shown_bytes_max);
    switch (what.kind) {
    case wire::command_kind::malformed:
        return tell_ ("a malformed command: " + preview (body_, body_.size (), shown_bytes_max));
    case wire::command_kind::ready:
        if (mechanism_ != "CURVE")
            return tell_ready (name, what.data);
        break;
    case wire::command_kind::ping:
        return tell_ (
          fmt::format ("PING, {} tenths of a second to live, context {}", what.ttl_deciseconds, data));
    case wire::command_kind::unknown:
        break;
    default:
        return tell_ (fmt::format ("{} {}", name, data));
    }
    // Secrets are not for a terminal, and what is sealed says nothing.
    if (mechanism_ == "PLAIN" && name == "INITIATE")
        return tell_ready (name, what.data);
    tell_ (fmt::format ("{}, {} bytes{}", name, what.data.size (), mechanism_ == "CURVE" ? ", sealed" : ""));
}

}  // namespace zlink::tool

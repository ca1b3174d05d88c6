#include "tools/zlink/relay_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <zlink/zlink.h>

namespace zlink::tool {

namespace {

constexpr std::size_t service_bytes_max = 255;
constexpr std::size_t key_bytes_max = 1024;

std::string_view next_line (std::string_view &text)
{
    const std::size_t end = text.find ('\n');
    const std::string_view line = text.substr (0, end);
    text = end == std::string_view::npos ? std::string_view () : text.substr (end + 1);
    return line;
}

bool read_timeout (std::string_view value, relay_wish &to)
{
    const auto [end, failure] = std::from_chars (value.data (), value.data () + value.size (), to.timeout_ms);
    return failure == std::errc () && end == value.data () + value.size () && to.timeout_ms > 0
           && to.timeout_ms <= relay_timeout_ms_max;
}

bool read_key (std::string_view value, relay_wish &to)
{
    to.key = value;
    return value.size () <= key_bytes_max;
}

bool read_parent (std::string_view value, relay_wish &to)
{
    to.traceparent = value;
    return true;
}

bool read_state (std::string_view value, relay_wish &to)
{
    to.tracestate = value;
    return true;
}

bool read_flag (std::string_view value, bool &to)
{
    to = true;
    return value.empty ();
}
bool read_idempotent (std::string_view value, relay_wish &to) { return read_flag (value, to.idempotent); }
bool read_one_way (std::string_view value, relay_wish &to) { return read_flag (value, to.one_way); }

struct word_row
{
    std::string_view name;
    bool (*read) (std::string_view value, relay_wish &to);
    const char *rule;
};

constexpr std::array words = std::to_array<word_row> ({
  {"timeout", read_timeout, "milliseconds, from 1 to a day's"},
  {"key", read_key, "at most 1024 octets"},
  {"traceparent", read_parent, ""},
  {"tracestate", read_state, ""},
  {"idempotent", read_idempotent, "no value"},
  {"one-way", read_one_way, "no value"},
});

const char *word_of (std::int32_t status)
{
    switch (status) {
    case ZLINK_REQUEST_NO_PROVIDER:
        return "no-provider";
    case ZLINK_REQUEST_DEADLINE:
        return "deadline";
    case ZLINK_REQUEST_CANCELLED:
        return "cancelled";
    case ZLINK_REQUEST_LOST:
        return "lost";
    case ZLINK_REQUEST_REFUSED:
        return "refused";
    case ZLINK_REQUEST_OVERLOADED:
        return "overloaded";
    case ZLINK_REQUEST_NO_MEMORY:
        return "no-memory";
    default:
        return "terminated";
    }
}

}  // namespace

bool read_relay_wish (std::string_view text, relay_wish &to, std::string &why)
{
    to = {};
    if (text.size () > relay_wish_bytes_max) {
        why = fmt::format ("the first part has more than {} octets", relay_wish_bytes_max);
        return false;
    }
    to.service = next_line (text);
    if (to.service.empty () || to.service.size () > service_bytes_max) {
        why = fmt::format ("the first line names no service: 1 to {} octets", service_bytes_max);
        return false;
    }
    while (!text.empty ()) {
        const std::string_view line = next_line (text);
        const std::size_t at = line.find ('=');
        const std::string_view name = line.substr (0, at);
        const std::string_view value =
          at == std::string_view::npos ? std::string_view () : line.substr (at + 1);
        const auto row = std::find_if (words.begin (), words.end (),
                                       [name] (const word_row &each) { return each.name == name; });
        if (row != words.end () && !row->read (value, to)) {
            why = fmt::format ("{} takes {}", name, row->rule);
            return false;
        }
    }
    return true;
}

std::string relay_line (const relay_failure &of)
{
    std::string line = fmt::format ("ERROR {}", word_of (of.status));
    if (of.maybe_done)
        line += " maybe-done";
    if (of.status == ZLINK_REQUEST_REFUSED)
        line += fmt::format (" code={} detail={}", of.code, of.detail);
    if (of.retry_after_ms != 0)
        line += fmt::format (" retry-after={}", of.retry_after_ms);
    return line;
}

std::string relay_malformed_line () { return "ERROR malformed"; }

}  // namespace zlink::tool

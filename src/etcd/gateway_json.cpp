#include "etcd/gateway_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

namespace zlink::etcd {

using nlohmann::json;

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t complaint_bytes_max = 100;

constexpr std::array<signed char, 256> values = [] {
    std::array<signed char, 256> made{};
    made.fill (-1);
    for (std::size_t i = 0; i < alphabet.size (); ++i)
        made[static_cast<unsigned char> (alphabet[i])] = static_cast<signed char> (i);
    return made;
}();

json parsed (std::string_view text) { return json::parse (text.begin (), text.end (), nullptr, false); }

// A discarded value where there is none.
const json &member (const json &of, const char *name)
{
    static const json none (json::value_t::discarded);
    if (!of.is_object ())
        return none;
    const auto found = of.find (name);
    return found == of.end () ? none : *found;
}

// The gateway leaves out what is 0.
std::int64_t number (const json &from)
{
    if (from.is_number_integer ())
        return from.get<std::int64_t> ();
    std::int64_t value = 0;
    if (from.is_string ()) {
        const std::string &text = from.get_ref<const std::string &> ();
        (void)std::from_chars (text.data (), text.data () + text.size (), value);
    }
    return value;
}

bool truth (const json &from) { return from.is_boolean () && from.get<bool> (); }

std::optional<std::string> octets (const json &from)
{
    if (from.is_discarded ())
        return std::string ();
    return from.is_string () ? from_base64 (from.get_ref<const std::string &> ()) : std::nullopt;
}

std::optional<record> record_in (const json &from)
{
    std::optional<std::string> key = octets (member (from, "key"));
    std::optional<std::string> value = octets (member (from, "value"));
    if (!key || !value || key->empty ())
        return std::nullopt;
    return record{.key = std::move (*key),
                  .value = std::move (*value),
                  .changed_at = number (member (from, "mod_revision")),
                  .lease = number (member (from, "lease"))};
}

json put_of (std::string_view key, std::string_view value, std::int64_t lease)
{
    return {{"request_put",
             {{"key", to_base64 (key)}, {"value", to_base64 (value)}, {"lease", std::to_string (lease)}}}};
}

json read_of (std::string_view key) { return {{"request_range", {{"key", to_base64 (key)}}}}; }

json removal_of (std::string_view key) { return {{"request_delete_range", {{"key", to_base64 (key)}}}}; }

json unchanged (std::string_view key, std::int64_t since)
{
    return {{"target", "MOD"},
            {"mod_revision", std::to_string (since)},
            {"key", to_base64 (key)},
            {"result", "EQUAL"}};
}

std::string change (json condition, json then, std::string_view key)
{
    condition["key"] = to_base64 (key);
    condition["result"] = "EQUAL";
    const json made = {{"compare", json::array ({std::move (condition)})},
                       {"success", json::array ({std::move (then)})},
                       {"failure", json::array ({read_of (key)})}};
    return made.dump ();
}

}  // namespace

std::string to_base64 (std::string_view octets)
{
    std::string text;
    text.reserve ((octets.size () + 2) / 3 * 4);
    for (std::size_t at = 0; at < octets.size (); at += 3) {
        std::uint32_t group = 0;
        const std::size_t some = std::min<std::size_t> (3, octets.size () - at);
        for (std::size_t i = 0; i < 3; ++i)
            group = (group << 8) | (i < some ? static_cast<unsigned char> (octets[at + i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= some ? alphabet[(group >> (18 - 6 * i)) & 63] : '=';
    }
    return text;
}

std::optional<std::string> from_base64 (std::string_view text)
{
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with ('=')) {
        text.remove_suffix (1);
        ++padding;
    }
    if ((text.size () + padding) % 4 != 0)
        return std::nullopt;
    std::string made;
    made.reserve (text.size () / 4 * 3 + 2);
    std::uint32_t bits = 0;
    unsigned count = 0;
    for (const char each : text) {
        const signed char value = values[static_cast<unsigned char> (each)];
        if (value < 0)
            return std::nullopt;
        bits = (bits << 6) | static_cast<unsigned> (value);
        count += 6;
        if (count < 8)
            continue;
        count -= 8;
        made += static_cast<char> ((bits >> count) & 0xFF);
    }
    return made;
}

// --- what is said --------------------------------------------------------------------

std::string
range_request (std::string_view from, std::string_view end, std::int64_t revision, std::size_t limit)
{
    const json made = {{"key", to_base64 (from)},
                       {"range_end", to_base64 (end)},
                       {"revision", std::to_string (revision)},
                       {"limit", std::to_string (limit)}};
    return made.dump ();
}

std::string watch_request (std::string_view from, std::string_view end, std::int64_t revision)
{
    const json made = {{"create_request",
                        {{"key", to_base64 (from)},
                         {"range_end", to_base64 (end)},
                         {"start_revision", std::to_string (revision)}}}};
    return made.dump ();
}

std::int64_t lease_seconds (base::time_ns lease) noexcept
{
    return std::max<std::int64_t> ((lease + base::ns_per_s - 1) / base::ns_per_s, lease_s_min);
}

std::string lease_request (std::int64_t seconds)
{
    return json ({{"TTL", std::to_string (seconds)}}).dump ();
}

std::string renew_request (std::int64_t lease) { return json ({{"ID", std::to_string (lease)}}).dump (); }
std::string revoke_request (std::int64_t lease) { return renew_request (lease); }

std::string
put_request (std::string_view key, std::string_view value, std::int64_t lease, std::int64_t if_changed_at)
{
    return change ({{"target", "MOD"}, {"mod_revision", std::to_string (if_changed_at)}},
                   put_of (key, value, lease), key);
}

std::string slot_request (const slot_keys &keys, std::string_view record, std::int64_t lease)
{
    json mark = lease != 0 ? put_of (keys.mark, {}, lease) : removal_of (keys.mark);
    const json made = {{"compare", json::array ({unchanged (keys.record, keys.record_at),
                                                 unchanged (keys.mark, keys.mark_at)})},
                       {"success", json::array ({put_of (keys.record, record, 0), std::move (mark)})}};
    return made.dump ();
}

std::string drop_request (std::string_view key, std::int64_t if_lease)
{
    return change ({{"target", "LEASE"}, {"lease", std::to_string (if_lease)}}, removal_of (key), key);
}

// --- what is answered ----------------------------------------------------------------

std::optional<range_answer> read_range (std::string_view text)
{
    const json all = parsed (text);
    const json &header = member (all, "header");
    if (!header.is_object ())
        return std::nullopt;
    range_answer made{
      .revision = number (member (header, "revision")), .more = truth (member (all, "more")), .records = {}};
    if (const json &kvs = member (all, "kvs"); kvs.is_array ())
        for (const json &each : kvs)
            if (std::optional<record> found = record_in (each))
                made.records.push_back (std::move (*found));
    return made;
}

std::optional<change_answer> read_change (std::string_view text)
{
    const json all = parsed (text);
    if (!member (all, "header").is_object ())
        return std::nullopt;
    change_answer made{.done = truth (member (all, "succeeded")), .found = {}};
    const json &responses = member (all, "responses");
    if (made.done || !responses.is_array () || responses.empty ())
        return made;
    const json &kvs = member (member (responses.front (), "response_range"), "kvs");
    if (kvs.is_array () && !kvs.empty ())
        made.found = record_in (kvs.front ());
    return made;
}

// A renewal is answered as a stream of one.
std::optional<std::int64_t> read_lease (std::string_view text)
{
    const json all = parsed (text);
    const json &inner = member (all, "result");
    const json &of = inner.is_object () ? inner : all;
    if (!member (of, "ID").is_string () || !member (of, "error").is_discarded ())
        return std::nullopt;
    return number (member (of, "TTL")) > 0 ? number (member (of, "ID")) : 0;
}

std::optional<watch_answer> read_watch (std::string_view text)
{
    const json all = parsed (text);
    const json &of = member (all, "result");
    if (!of.is_object ())
        return std::nullopt;
    watch_answer made;
    made.ended = truth (member (of, "canceled")) || number (member (of, "compact_revision")) != 0;
    const json &events = member (of, "events");
    if (!events.is_array ())
        return made;
    for (const json &each : events) {
        const json &type = member (each, "type");
        const bool gone = type.is_string () && type.get_ref<const std::string &> () == "DELETE";
        if (std::optional<record> found = record_in (member (each, "kv")))
            made.events.push_back ({.gone = gone, .what = std::move (*found)});
    }
    return made;
}

std::string read_complaint (std::string_view text)
{
    const json all = parsed (text);
    const json &error = member (all, "error");
    const json &inner = member (error, "message");
    const json &said = inner.is_string () ? inner : error;
    if (!said.is_string ())
        return {};
    return said.get_ref<const std::string &> ().substr (0, complaint_bytes_max);
}

}  // namespace zlink::etcd

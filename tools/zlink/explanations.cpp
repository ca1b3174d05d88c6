#include "tools/zlink/explanations.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "socket/options.hpp"
#include "tools/zlink/advice.hpp"
#include "tools/zlink/error_table.hpp"
#include "tools/zlink/event_table.hpp"

namespace zlink::tool {

namespace {

std::optional<int> number_of (std::string_view word)
{
    int number = 0;
    const char *end = word.data () + word.size ();
    const auto [stop, failure] = std::from_chars (word.data (), end, number);
    if (failure != std::errc () || stop != end)
        return std::nullopt;
    return number;
}

const char *type_text (socket::option_type type)
{
    switch (type) {
    case socket::option_type::integer:
        return "int";
    case socket::option_type::boolean:
        return "int, 0 or 1";
    case socket::option_type::int64:
        return "int64_t";
    case socket::option_type::uint64:
        return "uint64_t";
    case socket::option_type::string:
        return "string";
    case socket::option_type::binary:
        return "bytes";
    case socket::option_type::handle:
        return "int, a descriptor";
    }
    return "";
}

const char *access_text (socket::option_access access)
{
    switch (access) {
    case socket::option_access::read:
        return "read only";
    case socket::option_access::write:
        return "write only";
    case socket::option_access::read_write:
        break;
    }
    return "read and write";
}

const char *effect_text (socket::takes_effect when)
{
    switch (when) {
    case socket::takes_effect::at_once:
        return "takes effect at once";
    case socket::takes_effect::next_attach:
        return "takes effect with the next bind or connect";
    case socket::takes_effect::never:
        break;
    }
    return "";
}

bool is_text (socket::option_type type)
{
    return type == socket::option_type::string || type == socket::option_type::binary;
}

std::string numbers_text (int zmq_number, int zlink_number)
{
    if (zmq_number == zlink_number)
        return fmt::format ("{} in both headers", zmq_number);
    if (zmq_number == socket::no_number)
        return fmt::format ("{} in zlink.h", zlink_number);
    if (zlink_number == socket::no_number)
        return fmt::format ("{} in zmq.h", zmq_number);
    return fmt::format ("{} in zmq.h, {} in zlink.h", zmq_number, zlink_number);
}

std::string default_text (std::int64_t zmq_default, std::int64_t zlink_default, const char *unit)
{
    const std::string tail = *unit == '\0' ? "" : fmt::format (" {}", unit);
    if (zmq_default == zlink_default)
        return fmt::format ("default {}{}", zmq_default, tail);
    return fmt::format ("default {} in zmq.h, {} in zlink.h{}", zmq_default, zlink_default, tail);
}

std::string describe (const socket::option_row &row)
{
    std::string text = fmt::format ("{}: socket option {}\n  {}\n  {}, {}", row.name,
                                    numbers_text (row.zmq_number, row.zlink_number), row.doc,
                                    type_text (row.type), access_text (row.access));
    const bool writable = row.access != socket::option_access::read;
    if (writable && !is_text (row.type))
        text += ", " + default_text (row.zmq_default, row.zlink_default, row.unit);
    if (writable && *effect_text (row.when) != '\0')
        text += fmt::format (", {}", effect_text (row.when));
    if (!socket::is_built (row.part))
        text += fmt::format ("\n  The part it belongs to ({}) is not built: it answers EINVAL.",
                             socket::part_name (row.part));
    return text + "\n";
}

std::string describe (const socket::context_option_row &row)
{
    std::string text = fmt::format ("{}: context option {} in both headers\n  {}\n  {}, {}", row.name,
                                    row.number, row.doc, type_text (row.type), access_text (row.access));
    if (row.access != socket::option_access::read && !is_text (row.type))
        text += ", " + default_text (row.zmq_default, row.zlink_default, "");
    return text + "\n";
}

std::string describe (const error_row &row)
{
    std::string text =
      fmt::format ("{}: error {}\n  {}\n  What to do: {}\n", row.name, row.number, row.meaning, row.advice);
    return text;
}

std::string describe (const event_row &row)
{
    const bool differs = !row.zmq_name.empty () && row.zmq_name != row.name;
    const std::string other = !differs              ? ""
                              : row.zmq_name == "-" ? ", not in zmq.h"
                                                    : fmt::format (", in zmq.h {}", row.zmq_name);
    std::string text = fmt::format ("{}: event {:#06x}{}\n  {}\n", row.name, row.number, other, row.meaning);
    if (!row.value.empty ())
        text += fmt::format ("  Its value: {}.\n", row.value);
    return text;
}

// "0x10" or "16"; empty: neither.
std::optional<std::uint64_t> event_number_of (std::string_view word)
{
    const int base = word.starts_with ("0x") || word.starts_with ("0X") ? 16 : 10;
    if (base == 16)
        word.remove_prefix (2);
    std::uint64_t number = 0;
    const auto [stop, failure] = std::from_chars (word.data (), word.data () + word.size (), number, base);
    if (word.empty () || failure != std::errc () || stop != word.data () + word.size ())
        return std::nullopt;
    return number;
}

}  // namespace

std::string canonical_name (std::string_view word)
{
    std::string name (word);
    std::transform (name.begin (), name.end (), name.begin (),
                    [] (unsigned char c) { return static_cast<char> (std::toupper (c)); });
    for (const std::string_view prefix : {"ZMQ_", "ZLINK_"})
        if (name.starts_with (prefix))
            return name.substr (prefix.size ());
    return name;
}

std::string explain_error (std::string_view word)
{
    const std::string name = canonical_name (word);
    const std::optional<int> number = number_of (word);
    std::string text;
    for (const error_row &row : error_rows ())
        if (row.name == name || (number && row.number == *number))
            text += describe (row);
    return text;
}

std::string explain_option (std::string_view word)
{
    const std::string name = canonical_name (word);
    const std::optional<int> number = number_of (word);
    std::string text;
    for (const socket::option_row &row : socket::option_rows ())
        if (row.name == name || (number && (row.zmq_number == *number || row.zlink_number == *number)))
            text += describe (row);
    for (const socket::context_option_row &row : socket::context_option_rows ())
        if (row.name == name || (number && row.number == *number))
            text += describe (row);
    return text;
}

std::string explain_all ()
{
    const auto section = [] (const char *title, const auto &rows) {
        std::string text = fmt::format ("{}\n{:=<{}}\n", title, "", std::string_view (title).size ());
        for (const auto &row : rows)
            text += "\n" + describe (row);
        return text;
    };
    return section ("Errors", error_rows ()) + "\n"
           + section ("Options of contexts", socket::context_option_rows ()) + "\n"
           + section ("Options of sockets", socket::option_rows ()) + "\n"
           + section ("Events", event_rows ());
}

std::string explain_event (std::string_view word)
{
    std::string name = canonical_name (word);
    constexpr std::string_view prefix = "EVENT_";
    if (name.starts_with (prefix))
        name.erase (0, prefix.size ());
    const std::optional<std::uint64_t> number = event_number_of (word);
    std::string text;
    for (const event_row &row : event_rows ())
        if (row.name == name || (row.zmq_name == name && name.size () > 1)
            || (number && row.number == *number))
            text += describe (row);
    return text;
}

std::string explain_reason (std::string_view word)
{
    const std::string_view advice = advice_for (word);
    return advice.empty () ? ""
                           : fmt::format ("{}: why a connection is gone or never was\n  {}\n", word, advice);
}

std::string explain (std::string_view word)
{
    return explain_error (word) + explain_option (word) + explain_event (word) + explain_reason (word);
}

}  // namespace zlink::tool

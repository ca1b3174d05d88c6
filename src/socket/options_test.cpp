#include "socket/options.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::socket {
namespace {

using base::errc;

constexpr std::array both_headers = {header::zmq, header::zlink};
constexpr int pair_type = 0;
constexpr int client_type = 13;

class fixed_values : public live_values
{
  public:
    bool receive_more () override { return true; }
    base::result<int> descriptor () override { return 42; }
    base::result<unsigned> events () override
    {
        ++events_read;
        return 3U;
    }
    std::string last_endpoint () override { return "tcp://127.0.0.1:5555"; }
    base::result<int> topics () override { return 7; }

    int events_read = 0;
};

// One socket's options and a way to its numbers.
struct fixture
{
    explicit fixture (header made_by, int socket_type = pair_type)
      : by (made_by), type (socket_type), options (initial_options (made_by, socket_type))
    {
    }

    errc set (int number, const void *value, std::size_t size)
    {
        return set_option (options, by, type, number, value, size).code ();
    }
    errc set_int (int number, int value) { return set (number, &value, sizeof (value)); }
    errc get (int number, void *value, std::size_t *size)
    {
        return get_option (options, live, by, type, number, value, size).code ();
    }
    int get_int (int number)
    {
        int value = INT_MIN;
        std::size_t size = sizeof (value);
        EXPECT_EQ (get (number, &value, &size), errc::ok) << number;
        EXPECT_EQ (size, sizeof (value));
        return value;
    }

    header by;
    int type;
    socket_options options;
    fixed_values live;
};

bool is_int (const option_row &row)
{
    return row.type == option_type::integer || row.type == option_type::boolean
           || row.type == option_type::handle;
}

// A type of socket that has the option.
int type_of (const option_row &row)
{
    int type = 0;
    while (!row.applies_to (type))
        ++type;
    return type;
}

bool is_readable (const option_row &row) { return row.access != option_access::write; }

// What an int's row holds, also where it cannot be read.
int held (fixture &of, const option_row &row)
{
    if (is_readable (row))
        return of.get_int (row.number (of.by));
    if (auto *const flag = std::get_if<bool socket_options::*> (&row.field))
        return field_of (of.options, *flag) != row.negated ? 1 : 0;
    if (auto *const of_stream = std::get_if<int base::stream_options::*> (&row.field))
        return field_of (of.options, *of_stream);
    return field_of (of.options, std::get<int socket_options::*> (row.field));
}

// "" where the header has no such number.
std::string_view name_of (header by, int number)
{
    for (const option_row &row : option_rows ())
        if (row.number (by) == number)
            return row.name;
    return "";
}

bool is_text (const option_row &row)
{
    return row.type == option_type::string || row.type == option_type::binary;
}

bool is_list (const option_row &row)
{
    return std::holds_alternative<option_properties socket_options::*> (row.field)
           || std::holds_alternative<base::ip_range_list base::accept_filter::*> (row.field)
           || std::holds_alternative<base::id_list base::accept_filter::*> (row.field)
           || row.field == option_field (security_value::web_header);
}

bool is_live (const option_row &row) { return std::holds_alternative<live_value> (row.field); }

// 32 bytes, or 40 letters: see security_options_test.
bool is_key (const option_row &row)
{
    return row.part == option_part::curve && row.type == option_type::binary;
}

bool is_stored (const option_row &row) { return is_built (row.part) && !is_live (row); }

TEST (option_rows, no_number_and_no_name_stands_twice)
{
    for (const header by : both_headers) {
        std::set<int> numbers;
        for (const option_row &row : option_rows ())
            EXPECT_TRUE (numbers.insert (row.number (by)).second) << row.name;
    }
    std::set<std::string> names;
    for (const option_row &row : option_rows ())
        EXPECT_TRUE (names.insert (row.name).second) << row.name;
}

TEST (option_rows, say_what_they_are)
{
    for (const option_row &row : option_rows ()) {
        EXPECT_GT (row.zmq_number, 0) << row.name;
        EXPECT_GT (row.zlink_number, 0) << row.name;
        EXPECT_NE (row.types, 0U) << row.name;
        EXPECT_GE (row.step, 1) << row.name;
        const std::string_view doc = row.doc;
        EXPECT_TRUE (doc.size () > 10 && doc.back () == '.') << row.name;
        EXPECT_EQ (is_built (row.part), !std::holds_alternative<std::monostate> (row.field)) << row.name;
    }
}

TEST (option_rows, differ_between_the_headers_by_rule)
{
    for (const option_row &row : option_rows ()) {
        const int zmq = row.zmq_number;
        const int own = row.zlink_number;
        EXPECT_TRUE (zmq == own || own == 1000 + zmq || zmq == 2000 + own) << row.name;
    }
    EXPECT_EQ (name_of (header::zmq, 95), "METADATA");
    EXPECT_EQ (name_of (header::zlink, 95), "TLS_CERT");
    EXPECT_EQ (name_of (header::zlink, 1095), "METADATA");
    EXPECT_EQ (name_of (header::zmq, 2095), "TLS_CERT");
}

TEST (option_rows, are_found_by_name)
{
    ASSERT_NE (find_option ("SNDHWM"), nullptr);
    EXPECT_EQ (find_option ("SNDHWM")->zmq_number, 23);
    EXPECT_EQ (find_option ("sndhwm"), nullptr);
    EXPECT_EQ (find_option (header::zmq, no_number), nullptr);
    EXPECT_EQ (find_option (header::zmq, 0), nullptr);
}

TEST (option_rows, are_found_by_number_where_they_are_built)
{
    for (const header by : both_headers)
        for (const option_row &row : option_rows ()) {
            const option_rule *const rule = find_option (by, row.number (by));
            ASSERT_EQ (rule != nullptr, is_built (row.part)) << row.name;
            if (rule == nullptr)
                continue;
            EXPECT_EQ (rule->number (by), row.number (by)) << row.name;
            EXPECT_EQ (rule->initial (by), row.initial (by)) << row.name;
            EXPECT_TRUE (rule->min == row.min && rule->max == row.max && rule->step == row.step) << row.name;
            EXPECT_TRUE (rule->field == row.field && rule->types == row.types) << row.name;
        }
}

TEST (options, every_stored_number_starts_at_its_default)
{
    for (const header by : both_headers)
        for (const option_row &row : option_rows ()) {
            if (!is_stored (row) || is_text (row) || is_list (row))
                continue;
            fixture of (by, type_of (row));
            if (!is_readable (row)) {
                EXPECT_EQ (held (of, row), row.initial (by)) << row.name;
                continue;
            }
            std::int64_t value = 0;
            std::size_t size = sizeof (value);
            ASSERT_EQ (of.get (row.number (by), &value, &size), errc::ok) << row.name;
            if (is_int (row)) {
                int small = 0;
                std::memcpy (&small, &value, sizeof (small));
                value = small;
            }
            EXPECT_EQ (value, row.initial (by)) << row.name;
        }
}

TEST (options, headers_have_their_own_defaults)
{
    const socket_options zmq = initial_options (header::zmq, pair_type);
    const socket_options own = initial_options (header::zlink, pair_type);
    EXPECT_EQ (zmq.send_hwm, 1000);
    EXPECT_EQ (own.receive_hwm, 300'000);
    EXPECT_EQ (zmq.send_hwm_bytes, 0);
    EXPECT_EQ (own.send_hwm_bytes, 64 << 20);
    EXPECT_EQ (zmq.reconnect_max_ms, 0);
    EXPECT_EQ (own.reconnect_max_ms, 5000);
    EXPECT_EQ (initial_options (header::zmq, 11).stream.backlog, 100);
    EXPECT_EQ (initial_options (header::zlink, 11).stream.backlog, 65'536);
}

TEST (options, every_stored_int_takes_its_range_and_no_more)
{
    for (const header by : both_headers)
        for (const option_row &row : option_rows ()) {
            if (!is_stored (row) || !is_int (row) || is_list (row))
                continue;
            fixture of (by, type_of (row));
            const int number = row.number (by);
            EXPECT_EQ (of.set_int (number, static_cast<int> (row.min)), errc::ok) << row.name;
            EXPECT_EQ (of.set_int (number, static_cast<int> (row.max)), errc::ok) << row.name;
            if (row.min > INT_MIN) {
                EXPECT_EQ (of.set_int (number, static_cast<int> (row.min - 1)), errc::invalid_argument)
                  << row.name;
            }
            if (row.max < INT_MAX) {
                EXPECT_EQ (of.set_int (number, static_cast<int> (row.max + 1)), errc::invalid_argument)
                  << row.name;
            }
            const int highest = held (of, row);
            const int expected =
              row.type == option_type::boolean ? 1 : static_cast<int> (row.max - row.max % row.step);
            EXPECT_EQ (highest, expected) << row.name;
        }
}

TEST (options, of_zlink_1_that_nothing_reads_are_kept)
{
    fixture of (header::zlink);
    for (const auto &[number, initial, other] :
         {std::array{90, 5000, 100}, std::array{91, 1, 0}, std::array{117, 0, 1}}) {
        EXPECT_EQ (of.get_int (number), initial) << number;
        EXPECT_EQ (of.set_int (number, other), errc::ok) << number;
        EXPECT_EQ (of.get_int (number), other) << number;
    }
}

TEST (options, every_stored_number_refuses_other_sizes)
{
    for (const option_row &row : option_rows ()) {
        if (!is_stored (row) || is_text (row))
            continue;
        fixture of (header::zmq, type_of (row));
        const std::array<char, 16> value{};
        const std::size_t right = is_int (row) ? 4 : 8;
        for (const std::size_t size : {std::size_t{0}, right - 1, right + 1, value.size ()})
            EXPECT_EQ (of.set (row.zmq_number, value.data (), size), errc::invalid_argument) << row.name;
        EXPECT_EQ (of.set (row.zmq_number, nullptr, right), errc::invalid_argument) << row.name;
    }
}

TEST (options, every_stored_wide_number_takes_its_range_and_no_more)
{
    int seen = 0;
    for (const header by : both_headers)
        for (const option_row &row : option_rows ()) {
            if (!is_stored (row) || (row.type != option_type::int64 && row.type != option_type::uint64))
                continue;
            ++seen;
            fixture of (by, type_of (row));
            const int number = row.number (by);
            const auto takes = [&] (std::int64_t value) {
                if (of.set (number, &value, sizeof value) != errc::ok)
                    return false;
                std::int64_t back = ~value;
                std::size_t size = sizeof back;
                EXPECT_EQ (of.get (number, &back, &size), errc::ok) << row.name;
                EXPECT_EQ (size, sizeof back) << row.name;
                return back == value;
            };
            if (row.type == option_type::uint64) {
                EXPECT_TRUE (takes (0) && takes (-1) && takes (INT64_MIN)) << row.name;  // all bits count
                continue;
            }
            EXPECT_TRUE (takes (row.min)) << row.name;
            EXPECT_TRUE (takes (row.max)) << row.name;
            if (row.min > INT64_MIN) {
                EXPECT_FALSE (takes (row.min - 1)) << row.name;
            }
            if (row.max < INT64_MAX) {
                EXPECT_FALSE (takes (row.max + 1)) << row.name;
            }
        }
    EXPECT_GE (seen, 8);
}

TEST (options, every_stored_text_starts_empty)
{
    for (const header by : both_headers)
        for (const option_row &row : option_rows ()) {
            if (!is_stored (row) || !is_text (row) || is_key (row) || is_list (row) || !is_readable (row))
                continue;
            fixture of (by, type_of (row));
            std::array<char, 300> room{};
            std::size_t size = room.size ();
            EXPECT_EQ (of.get (row.number (by), room.data (), &size), errc::ok) << row.name;
            EXPECT_EQ (size, std::size_t{row.type == option_type::string}) << row.name;  // its end
            EXPECT_EQ (room[0], '\0') << row.name;
        }
}

// Text where there are numbers, a number of the other width, and numbers where
// there are lists: none is taken, and nothing changes.
TEST (options, every_stored_row_refuses_another_type)
{
    for (const header by : both_headers)
        for (const option_row &row : option_rows ()) {
            const bool wide = row.type == option_type::int64 || row.type == option_type::uint64;
            if (!is_stored (row) || (is_text (row) && !is_list (row)))
                continue;
            fixture of (by, type_of (row));
            const int number = row.number (by);
            const std::string text = "a word";
            const std::int64_t eight = 1;
            const int four = 1;
            EXPECT_EQ (of.set (number, text.data (), text.size ()), errc::invalid_argument) << row.name;
            if (!wide) {
                EXPECT_EQ (of.set (number, &eight, sizeof eight), errc::invalid_argument) << row.name;
            }
            if (wide || (is_list (row) && is_text (row))) {
                EXPECT_EQ (of.set (number, &four, sizeof four), errc::invalid_argument) << row.name;
            }
            if (is_int (row) && !is_list (row)) {
                EXPECT_EQ (held (of, row), row.initial (by)) << row.name;
            }
        }
}

// As libzmq's classes do by inheritance: the value has to be one, and that is all.
// Through zlink.h the answer is an error.
TEST (options, that_mean_nothing_to_a_type_are_looked_at_and_forgotten)
{
    int seen = 0;
    for (const option_row &row : option_rows ())
        for (int type = 0; type < socket_type_count; ++type) {
            if (row.applies_to (type) || !row.taken_by (header::zmq, type))
                continue;
            ++seen;
            fixture of (header::zmq, type);
            const std::string name = "peer";
            const int on = 1;
            EXPECT_EQ (is_text (row) ? of.set (row.zmq_number, name.data (), name.size ())
                                     : of.set_int (row.zmq_number, on),
                       errc::ok)
              << row.name << ' ' << type;
            EXPECT_EQ (of.set (row.zmq_number, "xyz", is_text (row) ? 0 : 3), errc::invalid_argument)
              << row.name;
            if (!is_text (row)) {
                EXPECT_EQ (held (of, row), row.initial (header::zmq)) << row.name << ' ' << type;
            } else {
                EXPECT_EQ (of.options.connect_routing_id, "") << type;
            }
            fixture own (header::zlink, type);
            EXPECT_EQ (is_text (row) ? own.set (row.zlink_number, name.data (), name.size ())
                                     : own.set_int (row.zlink_number, on),
                       errc::invalid_argument)
              << row.name << ' ' << type;
            EXPECT_FALSE (row.taken_by (header::zlink, type)) << row.name << ' ' << type;
        }
    EXPECT_EQ (seen, 4 + 5 + 6 + 17);
}

// Bytes at both ends of their length and beyond.
TEST (options, every_stored_text_takes_its_lengths_and_no_more)
{
    for (const header by : both_headers)
        for (const option_row &row : option_rows ()) {
            if (!is_stored (row) || !is_text (row) || is_key (row) || is_list (row))
                continue;
            fixture of (by, type_of (row));
            const int number = row.number (by);
            const auto longest = static_cast<std::size_t> (std::min<std::int64_t> (row.max, 1000));
            const auto shortest = static_cast<std::size_t> (row.min);
            const std::string text (longest + 1, 't');
            EXPECT_EQ (of.set (number, text.data (), shortest), errc::ok) << row.name;
            EXPECT_EQ (of.set (number, text.data (), longest), errc::ok) << row.name;
            EXPECT_EQ (of.set (number, nullptr, longest), errc::invalid_argument) << row.name;
            if (shortest > 0) {
                EXPECT_EQ (of.set (number, text.data (), shortest - 1), errc::invalid_argument) << row.name;
            }
            if (static_cast<std::int64_t> (longest) == row.max) {
                EXPECT_EQ (of.set (number, text.data (), longest + 1), errc::invalid_argument) << row.name;
            }
            if (!is_readable (row) || std::string_view (row.name) == "TLS_PASSWORD")  // told as empty
                continue;
            std::array<char, 1100> room{};
            std::size_t size = longest - 1;
            EXPECT_EQ (of.get (number, room.data (), &size), errc::invalid_argument) << row.name;
            size = room.size ();
            EXPECT_EQ (of.get (number, room.data (), &size), errc::ok) << row.name;
            EXPECT_EQ (size, longest + (row.type == option_type::string)) << row.name;
        }
}

// Neither is there for who may not have it: another type of socket, or one who
// asks for what can only be told.
TEST (options, every_row_keeps_to_its_types_and_its_access)
{
    const std::array<char, 64> value{};
    for (const header by : both_headers)
        for (const option_row &row : option_rows ())
            for (int type = 0; type < socket_type_count; ++type) {
                fixture of (by, type);
                const int number = row.number (by);
                std::array<char, 64> room{};
                std::size_t size = is_key (row) ? base::key_bytes : room.size ();
                const bool there = is_built (row.part) && row.taken_by (by, type);
                const bool read = of.get (number, room.data (), &size) == errc::ok;
                EXPECT_EQ (read, there && is_readable (row)) << row.name << ' ' << type;
                if (there && row.access != option_access::read)
                    continue;
                for (const std::size_t bytes : {0, 1, 4, 8, 64})
                    EXPECT_EQ (of.set (number, value.data (), bytes), errc::invalid_argument) << row.name;
            }
}

TEST (options, a_refused_value_changes_nothing)
{
    fixture of (header::zmq);
    ASSERT_EQ (of.set_int (23, 7), errc::ok);
    EXPECT_EQ (of.set_int (23, -1), errc::invalid_argument);
    EXPECT_EQ (of.get_int (23), 7);
}

TEST (options, eight_byte_numbers_keep_all_bits)
{
    fixture of (header::zmq);
    const std::uint64_t mask = 0x8000'0000'0000'0001;
    ASSERT_EQ (of.set (4, &mask, sizeof (mask)), errc::ok);
    EXPECT_EQ (of.options.affinity, mask);
    const std::int64_t limit = std::int64_t{1} << 40;
    ASSERT_EQ (of.set (22, &limit, sizeof (limit)), errc::ok);
    ASSERT_EQ (of.set (3001, &limit, sizeof (limit)), errc::ok);
    EXPECT_EQ (of.options.max_message_bytes, limit);
    EXPECT_EQ (of.options.send_hwm_bytes, limit);
    const std::int64_t negative = -1;
    EXPECT_EQ (of.set (22, &negative, sizeof (negative)), errc::ok);
    EXPECT_EQ (of.set (3001, &negative, sizeof (negative)), errc::invalid_argument);
}

TEST (options, routing_id_is_one_to_255_bytes)
{
    fixture of (header::zmq);
    const std::string longest (256, 'r');
    EXPECT_EQ (of.set (5, longest.data (), 0), errc::invalid_argument);
    EXPECT_EQ (of.set (5, longest.data (), 256), errc::invalid_argument);
    EXPECT_EQ (of.set (5, nullptr, 3), errc::invalid_argument);
    ASSERT_EQ (of.set (5, longest.data (), 255), errc::ok);
    std::array<char, 300> room{};
    std::size_t size = room.size ();
    ASSERT_EQ (of.get (5, room.data (), &size), errc::ok);
    EXPECT_EQ (size, 255U);
    size = 254;
    EXPECT_EQ (of.get (5, room.data (), &size), errc::invalid_argument);
}

TEST (options, of_a_pattern_belong_to_its_types)
{
    constexpr int mandatory = 33, relaxed = 53, probe = 51, connect_name = 61, raw = 41;
    constexpr int req = 3, dealer = 5, router = 6;
    fixture of_router (header::zmq, router);
    EXPECT_EQ (of_router.set_int (mandatory, 1), errc::ok);
    EXPECT_EQ (of_router.set_int (mandatory, 2), errc::ok);  // as in libzmq
    EXPECT_TRUE (of_router.options.router_mandatory);
    EXPECT_EQ (of_router.set_int (mandatory, -1), errc::invalid_argument);
    EXPECT_EQ (of_router.set (connect_name, "peer", 4), errc::ok);
    EXPECT_EQ (of_router.set (connect_name, "", 0), errc::invalid_argument);
    EXPECT_EQ (of_router.set_int (relaxed, 1), errc::invalid_argument);
    EXPECT_EQ (of_router.set_int (raw, 1), errc::ok);
    int value = 0;
    std::size_t size = sizeof value;
    EXPECT_EQ (of_router.get (mandatory, &value, &size), errc::invalid_argument);  // as in libzmq
    fixture of_dealer (header::zlink, dealer);
    EXPECT_EQ (of_dealer.set_int (probe, 1), errc::ok);
    EXPECT_EQ (of_dealer.set_int (mandatory, 1), errc::invalid_argument);
    fixture of_req (header::zlink, req);
    EXPECT_EQ (of_req.set_int (relaxed, 1), errc::ok);
    EXPECT_EQ (of_req.set (connect_name, "peer", 4), errc::invalid_argument);
}

TEST (options, filters_add_up_until_they_are_taken_back)
{
    constexpr int addresses = 38, process = 58, user = 59, group = 60;
    fixture of (header::zmq);
    const base::accept_filter &now = of.options.stream.admits;
    for (const std::string text : {"127.0.0.1", "10.0.0.0/8", "2001:db8::/32", "10.0.0.0/8"})
        EXPECT_EQ (of.set (addresses, text.data (), text.size ()), errc::ok) << text;
    EXPECT_EQ (of.set (addresses, "::1", 4), errc::ok);  // with its end
    EXPECT_EQ (now.addresses.size (), 4U);
    for (const std::string text :
         {"10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "host", "::1/129", "lo", "1.2.3.4/x", "1.2.3.4/-1"})
        EXPECT_EQ (of.set (addresses, text.data (), text.size ()), errc::invalid_argument) << text;
    EXPECT_EQ (of.set (addresses, nullptr, 3), errc::invalid_argument);
    EXPECT_EQ (of.set (addresses, std::string (256, '1').data (), 256), errc::invalid_argument);
    EXPECT_EQ (now.addresses.size (), 4U);
    for (const int number : {process, user, group}) {
        EXPECT_EQ (of.set_int (number, 7), errc::ok);
        EXPECT_EQ (of.set_int (number, 7), errc::ok);
        EXPECT_EQ (of.set_int (number, 8), errc::ok);
    }
    EXPECT_EQ (of.set_int (process, -1), errc::invalid_argument);
    EXPECT_EQ (of.set_int (user, -2), errc::ok);  // the upper half of the numbers
    EXPECT_EQ (now.processes, (base::id_list{7, 8}));
    EXPECT_EQ (now.users, (base::id_list{7, 8, 0xFFFF'FFFE}));
    EXPECT_EQ (now.groups, (base::id_list{7, 8}));
    for (const int number : {addresses, process, user, group})
        EXPECT_EQ (of.set (number, nullptr, 0), errc::ok);
    EXPECT_TRUE (now.addresses.empty () && !now.asks_who ());
    EXPECT_EQ (of.set (addresses, "::1", 3), errc::ok);
    EXPECT_EQ (of.set (addresses, "", 0), errc::ok);
    EXPECT_TRUE (now.addresses.empty ());
}

TEST (options, filters_are_bounded)
{
    fixture of (header::zmq);
    for (std::size_t i = 0; i < base::accept_filters_max; ++i)
        ASSERT_EQ (of.set_int (58, static_cast<int> (i)), errc::ok);
    EXPECT_EQ (of.set_int (58, static_cast<int> (base::accept_filters_max)), errc::invalid_argument);
    EXPECT_EQ (of.set_int (58, 0), errc::ok);  // is there
}

TEST (options, strings_are_read_with_their_end)
{
    fixture of (header::zmq);
    ASSERT_EQ (of.set (92, "lo", 2), errc::ok);
    std::array<char, 8> room;
    room.fill ('x');
    std::size_t size = room.size ();
    ASSERT_EQ (of.get (92, room.data (), &size), errc::ok);
    EXPECT_EQ (size, 3U);
    EXPECT_EQ (std::string (room.data ()), "lo");
    EXPECT_EQ (room[7], '\0');  // the rest is zeroed
    EXPECT_EQ (of.set (92, nullptr, 0), errc::ok);
    EXPECT_EQ (of.options.stream.bind_to_device, "");
    EXPECT_EQ (of.set (92, "a-name-that-is-too-long", 23), errc::invalid_argument);
}

TEST (options, larger_rooms_are_zeroed_and_smaller_ones_refused)
{
    fixture of (header::zmq);
    std::array<unsigned char, 8> room;
    room.fill (0xFF);
    std::size_t size = room.size ();
    ASSERT_EQ (of.get (17, room.data (), &size), errc::ok);
    EXPECT_EQ (size, sizeof (int));
    EXPECT_EQ (room[3], 0xFF);
    EXPECT_EQ (room[4], 0);
    size = 3;
    EXPECT_EQ (of.get (17, room.data (), &size), errc::invalid_argument);
    EXPECT_EQ (size, 3U);
    EXPECT_EQ (of.get (17, nullptr, &size), errc::invalid_argument);
    EXPECT_EQ (of.get (17, room.data (), nullptr), errc::invalid_argument);
}

TEST (options, heartbeat_ttl_is_kept_in_tenths_of_a_second)
{
    fixture of (header::zmq);
    ASSERT_EQ (of.set_int (76, 1999), errc::ok);
    EXPECT_EQ (of.get_int (76), 1900);
    EXPECT_EQ (of.set_int (76, 6'553'599), errc::ok);
    EXPECT_EQ (of.set_int (76, 6'553'600), errc::invalid_argument);
}

TEST (options, ipv4only_is_the_opposite_of_ipv6)
{
    fixture of (header::zmq);
    EXPECT_EQ (of.get_int (31), 1);
    ASSERT_EQ (of.set_int (42, 1), errc::ok);
    EXPECT_EQ (of.get_int (31), 0);
    ASSERT_EQ (of.set_int (31, 1), errc::ok);
    EXPECT_EQ (of.get_int (42), 0);
}

TEST (options, live_values_are_asked_of_the_socket)
{
    fixture of (header::zmq, 7);
    EXPECT_EQ (of.get_int (16), 7);
    EXPECT_EQ (of.get_int (13), 1);
    EXPECT_EQ (of.get_int (14), 42);
    EXPECT_EQ (of.get_int (15), 3);
    EXPECT_EQ (of.get_int (43), 0);
    EXPECT_EQ (of.get_int (81), 0);
    EXPECT_EQ (fixture (header::zmq, client_type).get_int (81), 1);
    std::array<char, 64> room{};
    std::size_t size = room.size ();
    ASSERT_EQ (of.get (32, room.data (), &size), errc::ok);
    EXPECT_EQ (std::string (room.data ()), "tcp://127.0.0.1:5555");
    EXPECT_EQ (size, 21U);
}

TEST (options, live_values_cannot_be_set)
{
    for (const option_row &row : option_rows ()) {
        if (!is_live (row))
            continue;
        fixture of (header::zmq);
        EXPECT_EQ (of.set_int (row.zmq_number, 1), errc::invalid_argument) << row.name;
    }
}

TEST (options, events_are_not_read_for_a_room_that_is_too_small)
{
    fixture of (header::zmq);
    short value = 0;
    std::size_t size = sizeof (value);
    EXPECT_EQ (of.get (15, &value, &size), errc::invalid_argument);
    EXPECT_EQ (of.live.events_read, 0);
}

TEST (options, unknown_and_unbuilt_ones_are_refused)
{
    for (const header by : both_headers) {
        fixture of (by);
        for (const option_row &row : option_rows ()) {
            if (is_built (row.part))
                continue;
            std::array<char, 64> room{};
            std::size_t size = room.size ();
            EXPECT_EQ (of.set_int (row.number (by), 1), errc::invalid_argument) << row.name;
            EXPECT_EQ (of.get (row.number (by), room.data (), &size), errc::invalid_argument) << row.name;
        }
        for (const int number : {-1, 0, 1, 999, 5000, INT_MAX, INT_MIN})
            EXPECT_EQ (of.set_int (number, 1), errc::invalid_argument) << number;
    }
}

TEST (options, numbers_of_the_other_header_mean_nothing)
{
    fixture zmq (header::zmq);
    fixture own (header::zlink);
    EXPECT_EQ (zmq.set_int (101, 4096), errc::ok);
    EXPECT_EQ (own.set_int (101, 4096), errc::invalid_argument);
    EXPECT_EQ (own.set_int (1101, 4096), errc::ok);
    EXPECT_EQ (own.options.in_batch_bytes, 4096);
}

TEST (options, a_socket_inherits_from_its_context)
{
    context_options of = initial_context_options (header::zmq);
    of.ipv6 = true;
    of.blocky = false;
    const socket_options made = initial_options (of, pair_type);
    EXPECT_TRUE (made.stream.ipv6);
    EXPECT_EQ (made.linger_ms, 0);
    EXPECT_EQ (initial_options (header::zmq, pair_type).linger_ms, -1);
}

// --- contexts -------------------------------------------------------------

errc set_int (context_options &of, int number, int value)
{
    return set_option (of, number, &value, sizeof (value)).code ();
}

int get_int (const context_options &of, int number)
{
    int value = INT_MIN;
    std::size_t size = sizeof (value);
    EXPECT_TRUE (get_option (of, number, &value, &size).ok ()) << number;
    return value;
}

TEST (context_options, start_with_the_headers_defaults)
{
    EXPECT_EQ (get_int (initial_context_options (header::zmq), 1), 1);
    EXPECT_EQ (get_int (initial_context_options (header::zlink), 1), 2);
    const context_options of = initial_context_options (header::zmq);
    EXPECT_EQ (get_int (of, 2), 1023);
    EXPECT_EQ (get_int (of, 3), 65'535);
    EXPECT_EQ (get_int (of, 4), -1);
    EXPECT_EQ (get_int (of, 5), INT_MAX);
    EXPECT_EQ (get_int (of, 6), 64);
    EXPECT_EQ (get_int (of, 10), 1);
    EXPECT_EQ (get_int (of, 42), 0);
    EXPECT_EQ (get_int (of, 70), 1);
}

TEST (context_options, of_every_row_start_at_its_default)
{
    int seen = 0;
    for (const header by : both_headers)
        for (const context_option_row &row : context_option_rows ()) {
            if (row.access == option_access::write || row.type == option_type::string)
                continue;
            ++seen;
            EXPECT_EQ (get_int (initial_context_options (by), row.number),
                       by == header::zmq ? row.zmq_default : row.zlink_default)
              << row.name;
        }
    EXPECT_GE (seen, 20);
}

TEST (context_options, take_their_ranges)
{
    for (const header by : both_headers)
        for (const context_option_row &row : context_option_rows ()) {
            context_options of = initial_context_options (by);
            if (row.access == option_access::read || row.type == option_type::string)
                continue;
            const bool removes = std::string_view (row.name) == "THREAD_AFFINITY_CPU_REMOVE";
            EXPECT_EQ (set_int (of, row.number, static_cast<int> (row.max)),
                       removes ? errc::invalid_argument : errc::ok)
              << row.name;
            EXPECT_EQ (set_int (of, row.number, static_cast<int> (row.min - 1)), errc::invalid_argument)
              << row.name;
            if (row.max < INT_MAX) {
                EXPECT_EQ (set_int (of, row.number, static_cast<int> (row.max + 1)), errc::invalid_argument)
                  << row.name;
            }
        }
}

// Another size, or text where there are numbers; and what is only read is not
// written at all, but for the number that means something else to write.
TEST (context_options, of_every_row_refuse_another_size_and_another_type)
{
    for (const header by : both_headers)
        for (const context_option_row &row : context_option_rows ()) {
            context_options of = initial_context_options (by);
            const bool is_text = row.type == option_type::string;
            const std::array<char, 32> value{1};
            for (const std::size_t size : {0, 1, 3, 5, 8, 32}) {
                if (is_text && size > 0 && size <= thread_name_prefix_max)
                    continue;
                EXPECT_EQ (set_option (of, row.number, value.data (), size).code (), errc::invalid_argument)
                  << row.name << ' ' << size;
            }
            EXPECT_EQ (set_option (of, row.number, nullptr, 4).code (), errc::invalid_argument) << row.name;
            if (!is_text) {
                EXPECT_EQ (set_option (of, row.number, "a word", 6).code (), errc::invalid_argument)
                  << row.name;
            }
            if (row.access == option_access::read && row.number != 3) {
                EXPECT_EQ (set_int (of, row.number, 64), errc::invalid_argument) << row.name;
            }
            if (row.access != option_access::write && !is_text) {
                EXPECT_EQ (get_int (of, row.number), by == header::zmq ? row.zmq_default : row.zlink_default)
                  << row.name;
            }
        }
}

TEST (context_options, of_no_effect_are_kept)
{
    context_options of = initial_context_options (header::zmq);
    for (const auto &[number, initial, other] : {std::array{5, INT_MAX, 10}, std::array{10, 1, 0}}) {
        EXPECT_EQ (get_int (of, number), initial) << number;
        EXPECT_EQ (set_int (of, number, other), errc::ok) << number;
        EXPECT_EQ (get_int (of, number), other) << number;
    }
}

TEST (context_options, number_three_is_written_as_priority_and_read_as_limit)
{
    context_options of = initial_context_options (header::zmq);
    ASSERT_EQ (set_int (of, 3, 12), errc::ok);
    EXPECT_EQ (of.thread_priority, 12);
    EXPECT_EQ (get_int (of, 3), max_sockets_limit);
}

TEST (context_options, cpus_are_a_set)
{
    context_options of = initial_context_options (header::zmq);
    for (const int cpu : {3, 1, 3, 2})
        ASSERT_EQ (set_int (of, 7, cpu), errc::ok);
    EXPECT_EQ (of.thread_cpus, (std::vector<int>{1, 2, 3}));
    EXPECT_EQ (set_int (of, 8, 2), errc::ok);
    EXPECT_EQ (set_int (of, 8, 2), errc::invalid_argument);
    EXPECT_EQ (of.thread_cpus, (std::vector<int>{1, 3}));
}

TEST (context_options, name_prefix_is_a_number_or_a_short_text)
{
    context_options of = initial_context_options (header::zmq);
    ASSERT_EQ (set_int (of, 9, 1234), errc::ok);
    EXPECT_EQ (of.thread_name_prefix, "1234");
    int number = 0;
    std::size_t number_size = sizeof number;
    ASSERT_TRUE (get_option (of, 9, &number, &number_size).ok ());
    EXPECT_EQ (number, 1234);
    ASSERT_TRUE (set_option (of, 9, "sixteen-bytes-ok", 16).ok ());
    EXPECT_EQ (set_option (of, 9, "seventeen-bytes-x", 17).code (), errc::invalid_argument);
    EXPECT_EQ (set_option (of, 9, "", 0).code (), errc::invalid_argument);
    std::array<char, 17> room{};
    std::size_t size = room.size ();
    ASSERT_TRUE (get_option (of, 9, room.data (), &size).ok ());
    EXPECT_STREQ (room.data (), "sixteen-bytes-ok");
    EXPECT_EQ (size, 17U);
    ASSERT_TRUE (get_option (of, 9, &number, &number_size).ok ());
    EXPECT_EQ (number, 0);
}

TEST (context_options, unknown_numbers_are_refused)
{
    context_options of = initial_context_options (header::zmq);
    int value = 1;
    std::size_t size = sizeof (value);
    for (const int number : {0, -1, 6, 11, 43, INT_MAX})
        EXPECT_EQ (set_int (of, number, 1), errc::invalid_argument) << number;
    for (const int number : {0, -1, 7, 8, 11, 43, INT_MAX})
        EXPECT_EQ (get_option (of, number, &value, &size).code (), errc::invalid_argument) << number;
    size = 2;
    EXPECT_EQ (get_option (of, 1, &value, &size).code (), errc::invalid_argument);
}

}  // namespace
}  // namespace zlink::socket

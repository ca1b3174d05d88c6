// Options by number, of sockets and contexts. The first octets of the input
// choose the header, the socket's type and the number; the rest is the value.
//
// Promised: what is refused changes nothing; what is accepted and can be read
// back is in its row's range, and can be set again as it was read; nothing is
// written past the value's end.
#include <array>
#include <cstring>
#include <string>

#include "base/fuzz_target.hpp"
#include "socket/options.hpp"

namespace zlink::fuzz {
namespace {

using namespace socket;

struct still_values final : live_values
{
    bool receive_more () override { return false; }
    base::result<int> descriptor () override { return 7; }
    base::result<unsigned> events () override { return 0U; }
    std::string last_endpoint () override { return "tcp://127.0.0.1:1"; }
    base::result<int> topics () override { return 3; }
};

struct read_value
{
    bool ok = false;
    std::size_t size = 0;
    std::array<char, 4096> bytes{};
    bool operator== (const read_value &) const = default;
};

read_value read (const socket_options &from, header by, int type, int number)
{
    read_value got;
    still_values live;
    got.size = got.bytes.size ();
    got.ok = get_option (from, live, by, type, number, got.bytes.data (), &got.size).ok ();
    require (!got.ok || got.size <= got.bytes.size ());
    return got;
}

void check_socket (decisions from)
{
    const unsigned choice = from.octet ();
    const header by = (choice & 0x80) != 0 ? header::zlink : header::zmq;
    const int type = static_cast<int> (choice & 0x7F) % socket_type_count;
    const std::span<const option_row> rows = option_rows ();
    const unsigned which = from.octet ();
    const int number = (which & 1) != 0 ? static_cast<int> (from.octet () << 8 | from.octet ())
                                        : rows[which / 2 % rows.size ()].number (by);
    const base::bytes_view value = from.rest ();
    socket_options options = initial_options (by, type);
    const read_value before = read (options, by, type, number);
    const bool set = set_option (options, by, type, number, value.data (), value.size ()).ok ();
    const read_value after = read (options, by, type, number);
    if (!set) {
        require (after == before);
        return;
    }
    const option_rule *const row = find_option (by, number);
    require (row != nullptr && row->taken_by (by, type) && row->access != option_access::read);
    // What can be read and written comes to itself again; texts are read with
    // their NUL.
    const std::size_t size = row->type == option_type::string && after.ok ? after.size - 1 : after.size;
    if (!after.ok || !set_option (options, by, type, number, after.bytes.data (), size).ok ())
        return;
    require (read (options, by, type, number) == after);
}

void check_context (decisions from)
{
    const header by = (from.octet () & 0x80) != 0 ? header::zlink : header::zmq;
    const std::span<const context_option_row> rows = context_option_rows ();
    const unsigned which = from.octet ();
    const int number =
      (which & 1) != 0 ? static_cast<int> (from.octet ()) : rows[which / 2 % rows.size ()].number;
    context_options options = initial_context_options (by);
    const base::bytes_view value = from.rest ();
    (void)set_option (options, number, value.data (), value.size ());
    require (options.io_threads >= 0 && options.max_sockets <= max_sockets_limit);
    require (options.thread_name_prefix.size () <= thread_name_prefix_max);
    std::array<char, 256> bytes{};
    std::size_t size = bytes.size ();
    require (!get_option (options, number, bytes.data (), &size).ok () || size <= bytes.size ());
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    check_socket (decisions (input_of (data, size)));
    check_context (decisions (input_of (data, size)));
    return 0;
}

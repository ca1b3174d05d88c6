// A peer of WebSocket that says anything behind its upgrade. The first octet of
// the input chooses our role and limits, the second how the rest is cut; the rest
// is what the peer says.
//
// Promised: however the octets are cut, the same whole bodies come, and it ends
// the same way; nothing is above the limit; what we say back is frames that the
// other role takes, one close at most and nothing behind it.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/fuzz_target.hpp"
#include "wire/zws.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_span;
using base::bytes_view;
using wire::ws_event_kind;
using wire::ws_role;

constexpr unsigned as_client = 1;

struct course
{
    std::vector<std::string> bodies;  // the flags in front
    std::size_t pongs = 0;
    ws_event_kind end = ws_event_kind::nothing;
    wire::ws_close_code code = wire::ws_close_code::abnormal;
    base::close_reason reason = base::close_reason::none;
    bool operator== (const course &) const = default;
};

// Hears what ours says, and must find nothing wrong with it.
struct opposite
{
    explicit opposite (ws_role role) : reader ({.role = role, .keys = &keys}) {}
    void hear (wire::ws_link &from)
    {
        std::array<std::byte, wire::ws_output_bytes_max> out;
        const bool said_close = from.said_close ();
        const std::size_t size = from.take_output (out.data ());
        require (!said_close || size == 0);
        require (!from.has_output ());
        bytes_span in = bytes_span (out).first (size);
        while (!in.empty () && reader.next (in).kind == ws_event_kind::pong) {}
        require (in.empty () && reader.reason () != base::close_reason::frame_malformed);
    }
    base::secret_key seed{};
    wire::ws_mask_keys keys{seed};
    wire::ws_link reader;
};

struct one_run
{
    one_run (unsigned choice, std::uint64_t limit)
      : role ((choice & as_client) != 0 ? ws_role::client : ws_role::server), body_bytes_max (limit),
        reader (role, limit, &keys), other (role == ws_role::client ? ws_role::server : ws_role::client)
    {
    }
    void hear (bytes_view octets)
    {
        std::vector<std::byte> memory (octets.begin (), octets.end ());
        bytes_span in (memory);
        for (;;) {
            const wire::zws_event event = reader.next (in);
            other.hear (reader.link ());
            if (event.kind == ws_event_kind::data)
                take (event);
            else if (event.kind == ws_event_kind::pong)
                ++done.pongs;
            else {
                require (event.kind != ws_event_kind::nothing || in.empty ());
                done.end = event.kind;
                done.code = reader.link ().code ();
                done.reason = reader.link ().reason ();
                return;
            }
        }
    }
    void take (const wire::zws_event &event)
    {
        require (event.begins != open);
        if (event.begins)
            body.assign (1, event.command ? 'c' : event.more ? 'm' : 'l');
        open = !event.ends;
        body += base::as_text (event.payload);
        require (body.size () - 1 <= body_bytes_max && event.to_come <= body_bytes_max - (body.size () - 1));
        if (event.ends)
            done.bodies.push_back (body);
    }

    base::secret_key seed{};
    wire::ws_mask_keys keys{seed};
    ws_role role;
    std::uint64_t body_bytes_max;
    wire::zws_reader reader;
    opposite other;
    course done;
    std::string body;
    bool open = false;
};

course drive (unsigned choice, bytes_view in, std::size_t piece)
{
    constexpr std::uint64_t narrow = 100;
    one_run run (choice, (choice & 2) != 0 ? narrow : wire::frame_body_bytes_max);
    for (; !in.empty (); in = in.subspan (std::min (piece, in.size ())))
        run.hear (in.first (std::min (piece, in.size ())));
    return run.done;
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    if (size < 2)
        return 0;
    const unsigned choice = data[0];
    const bytes_view peer = input_of (data + 2, size - 2);
    const course whole = drive (choice, peer, std::max<std::size_t> (peer.size (), 1));
    for (const std::size_t cut : {std::size_t{1}, data[1] + std::size_t{1}})
        require (drive (choice, peer, cut) == whole);
    return 0;
}

// A client of WebSocket that says anything, as an accepting end of ours reads it.
// The first octet of the input chooses whether it has upgraded already and the
// limit of a body, the second how the rest is cut; the rest is what it says.
//
// Promised: what is read is whole headers of ZMTP with bodies within the limit,
// however the octets are cut and however little room a read has; it ends the same
// way; and what we say back are frames that a client takes.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/fuzz_target.hpp"
#include "engine/tube_stream.hpp"
#include "engine/ws_stream.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_span;
using base::bytes_view;
using base::errc;

constexpr std::string_view request =
  "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ZWS2.0\r\n\r\n";
constexpr std::array<std::string_view, 1> spoken{"ZWS2.0"};
constexpr unsigned says_request = 0x80;
constexpr std::size_t buffer_bytes = 1024;
// Nothing of ours writes without an end.
constexpr unsigned reads_max = 1'000'000;

struct course
{
    bool opened = false;
    bool ended = false;
    base::close_reason why = base::close_reason::none;
    std::string plain;
    std::string said;
};

course heard (bytes_view octets, bool upgraded, std::int64_t limit, std::size_t piece, std::size_t room)
{
    engine::buffer_pool pool (buffer_bytes, 2);
    engine::test::tube to_us;
    engine::test::tube from_us;
    to_us.octets = (upgraded ? std::string (request) : std::string ()) + std::string (base::as_text (octets));
    to_us.piece = piece;
    to_us.ended = true;
    engine::ws_wish wish;
    wish.protocols = spoken;
    wish.message_bytes_max = limit;
    engine::ws_stream under_test (std::make_unique<engine::test::tube_stream> (from_us, to_us), wish, nullptr,
                                  pool, pool);
    course done;
    const base::result<void> open = under_test.open ();
    require (open.code () != errc::would_block);
    done.opened = open.ok ();
    done.why = under_test.fault ();
    if (!open.ok ())
        return done;
    require (upgraded || under_test.protocol () == spoken[0]);
    from_us.octets.clear ();
    std::vector<std::byte> memory (room);
    const bytes_span whole (memory);
    for (unsigned reads = 0; reads < reads_max; ++reads) {
        const base::result<std::size_t> got = under_test.read (std::span (&whole, 1));
        if (!got.ok () || got.value () == 0) {
            require (got.code () != errc::would_block);
            done.ended = true;
            break;
        }
        done.plain += base::as_text (bytes_view (memory).first (got.value ()));
    }
    require (done.ended);
    done.why = under_test.fault ();
    done.said = from_us.octets;
    return done;
}

// Headers and bodies, of which the last may be cut.
void check_plain (const std::string &plain, std::int64_t limit)
{
    bytes_view rest = base::as_bytes (plain);
    while (!rest.empty ()) {
        wire::frame_head head;
        const wire::head_status status = wire::decode_frame_header (wire::framing::zmtp_3, rest, head);
        require (status != wire::head_status::malformed);
        if (status == wire::head_status::need_more)
            return;
        require (head.command || head.body_size <= static_cast<std::uint64_t> (limit));
        const std::uint64_t size = head.header_bytes + head.body_size;
        rest = rest.subspan (static_cast<std::size_t> (std::min<std::uint64_t> (size, rest.size ())));
    }
}

void check_said (const std::string &said)
{
    std::string memory = said;
    bytes_span in = std::as_writable_bytes (std::span (memory));
    base::secret_key seed{};
    wire::ws_mask_keys keys (seed);
    wire::ws_link client ({.role = wire::ws_role::client, .keys = &keys});
    while (!in.empty () && client.next (in).kind == wire::ws_event_kind::pong) {}
    require (in.empty () && client.reason () != base::close_reason::frame_malformed);
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    decisions input (input_of (data, size));
    const unsigned choice = input.octet ();
    const unsigned cut = input.octet ();
    const bool upgraded = (choice & says_request) == 0;
    const auto limit = static_cast<std::int64_t> ((choice & ~says_request) * 16);
    const auto octets = input.rest ();
    const course whole = heard (octets, upgraded, limit, SIZE_MAX, 100'000);
    const course pieces = heard (octets, upgraded, limit, 1 + cut % 16, 1 + cut / 16 * 9);
    require (whole.opened == pieces.opened && whole.why == pieces.why);
    check_plain (whole.plain, limit);
    check_plain (pieces.plain, limit);
    check_said (whole.said);
    check_said (pieces.said);
    // Of a body whose end breaks a rule more or less may have been read before.
    const std::size_t common = std::min (whole.plain.size (), pieces.plain.size ());
    require (whole.plain.compare (0, common, pieces.plain, 0, common) == 0);
    if (whole.why == zlink::base::close_reason::none)
        require (whole.plain == pieces.plain);
    return 0;
}

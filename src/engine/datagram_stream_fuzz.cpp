// Datagrams of anybody's, as a DISH or a DGRAM reads them, and what is written of
// them again. The first octet chooses which, the second the limit of a body, the
// third how much room a read has; then each datagram behind two octets of length.
//
// Promised: what is read is whole frames in pairs, of at most so many octets;
// every datagram is either among them or counted; sent again, they are the
// datagrams that they were.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/fuzz_target.hpp"
#include "engine/datagram_stream.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_view;
using base::errc;
using engine::datagram_stream;

constexpr std::string_view sender = "1.2.3.4:5";

struct fed_port final : base::datagram_port
{
    explicit fed_port (decisions &input) : from (input) {}

    base::result<void> send (bytes_view datagram, std::string_view) noexcept override
    {
        sent.emplace_back (base::as_text (datagram));
        return {};
    }
    base::result<base::arrival> receive (base::bytes_span buffer, base::sender_name *name) noexcept override
    {
        if (!from.any ())
            return errc::would_block;
        const std::size_t wanted = from.octet () << 8;
        const bytes_view next = from.take (wanted | from.octet ());
        const std::size_t size = std::min (next.size (), buffer.size ());
        std::copy_n (next.begin (), size, buffer.begin ());
        if (name != nullptr) {
            std::copy (sender.begin (), sender.end (), name->text.begin ());
            name->size = sender.size ();
        }
        ++came;
        return base::arrival{size, next.size () > size};
    }
    [[nodiscard]] std::uint64_t overrun () const noexcept override { return 0; }
    bool wait_writable (base::time_ns) noexcept override { return true; }
    [[nodiscard]] base::io_handle handle () const noexcept override { return 0; }
    [[nodiscard]] std::string local_endpoint () const override { return {}; }
    [[nodiscard]] std::string remote_endpoint () const override { return {}; }
    [[nodiscard]] std::string peer_address () const override { return {}; }

    decisions &from;
    std::uint64_t came = 0;
    std::vector<std::string> sent;
};

std::string read_all (datagram_stream &stream, std::size_t room)
{
    std::string all;
    std::vector<std::byte> buffer (room);
    for (;;) {
        const base::bytes_span into (buffer);
        const auto got = stream.read (std::span (&into, 1));
        if (got.ok ()) {
            require (got.value () > 0 && got.value () <= room);
            all += base::as_text (bytes_view (buffer).first (got.value ()));
        } else if (!stream.left_off ()) {
            require (got.code () == errc::would_block);
            return all;
        }
    }
}

// How many messages the frames are.
std::uint64_t check_frames (bytes_view all, std::size_t limit)
{
    std::uint64_t frames = 0;
    while (!all.empty ()) {
        wire::frame_head head;
        require (wire::decode_frame_header (wire::framing::zmtp_3, all, head) == wire::head_status::complete);
        require (!head.command && head.more == (frames % 2 == 0));
        require (head.body_size <= (head.more ? base::group_name_max : limit));
        require (head.body_size <= all.size () - head.header_bytes);
        all = all.subspan (head.header_bytes + static_cast<std::size_t> (head.body_size));
        ++frames;
    }
    require (frames % 2 == 0);
    return frames / 2;
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using fuzz::require;
    using content = engine::datagram_stream::content;
    fuzz::decisions from (fuzz::input_of (data, size));
    const content what = (from.octet () & 1) != 0 ? content::raw : content::groups_received;
    const std::size_t limit = from.octet () * std::size_t{64};
    const std::size_t room = from.octet () + std::size_t{1};
    auto made = std::make_unique<fuzz::fed_port> (from);
    fuzz::fed_port &port = *made;
    engine::datagram_stream stream (std::move (made), what, limit);
    const std::string all = fuzz::read_all (stream, room);
    const base::bytes_view frames = base::as_bytes (std::string_view (all));
    const std::uint64_t messages = fuzz::check_frames (frames, limit);
    const auto lost = stream.take_dropped_received ();
    require (messages + lost.malformed + lost.too_large == port.came);

    fuzz::decisions nothing{{}};
    auto again = std::make_unique<fuzz::fed_port> (nothing);
    fuzz::fed_port &there = *again;
    engine::datagram_stream back (std::move (again), what == content::raw ? what : content::groups_sent,
                                  limit);
    for (std::size_t at = 0; at < frames.size ();) {
        const base::bytes_view piece = frames.subspan (at, std::min (room, frames.size () - at));
        const auto done = back.write (std::span (&piece, 1));
        require (done.ok () && done.value () == piece.size ());
        at += piece.size ();
    }
    require (there.sent.size () == messages && !back.take_dropped_sent ().any ());
    return 0;
}

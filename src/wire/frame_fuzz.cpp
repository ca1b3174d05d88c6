// A stream of frames. The first octet of the input chooses the framing, the
// rest is the stream. Raw bytes have none.
//
// Promised: a header is decided by its own octets and never changes when more
// arrive; what is read and written again reads the same; need_more is said for
// less than a longest header only.
#include <algorithm>
#include <array>

#include "base/fuzz_target.hpp"
#include "wire/framing.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_view;
using wire::decode_frame_header;
using wire::frame_head;
using wire::framing;
using wire::head_status;

framing chosen_by (std::uint8_t octet) noexcept
{
    constexpr std::array versions = {framing::zmtp_1_0, framing::zmtp_2_0, framing::zmtp_3};
    return octet == 'P' ? framing::packets : versions[octet % versions.size ()];
}

bool same (const frame_head &a, const frame_head &b) noexcept
{
    return a.body_size == b.body_size && a.more == b.more && a.command == b.command;
}

void check_again (framing kind, const frame_head &head)
{
    std::array<std::byte, wire::frame_header_bytes_max> out;
    const std::size_t bytes =
      wire::encode_frame_header (kind, out.data (), head.body_size, head.more, head.command);
    frame_head again;
    require (bytes <= out.size () && bytes <= head.header_bytes);
    require (decode_frame_header (kind, bytes_view (out).first (bytes), again) == head_status::complete);
    require (same (head, again) && again.header_bytes == bytes);
}

void check_prefixes (framing kind, bytes_view stream, head_status whole)
{
    const std::size_t longest = std::min (stream.size (), wire::frame_header_bytes_max);
    head_status last = head_status::need_more;
    for (std::size_t size = 0; size <= longest; ++size) {
        frame_head head;
        const head_status status = decode_frame_header (kind, stream.first (size), head);
        require (last == head_status::need_more || status == last);
        require (status != head_status::complete || head.header_bytes <= size);
        last = status;
    }
    require (last == whole);
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    if (size == 0)
        return 0;
    const framing kind = chosen_by (data[0]);
    bytes_view stream = input_of (data + 1, size - 1);
    for (;;) {
        frame_head head;
        const head_status status = decode_frame_header (kind, stream, head);
        check_prefixes (kind, stream, status);
        require (status != head_status::need_more || stream.size () < zlink::wire::frame_header_bytes_max);
        if (status != head_status::complete)
            return 0;
        require (head.body_size <= zlink::wire::frame_body_bytes_max && !(head.command && head.more));
        require (!head.command || kind == framing::zmtp_3);
        check_again (kind, head);
        stream = stream.subspan (head.header_bytes);
        if (head.body_size > stream.size ())
            return 0;
        stream = stream.subspan (static_cast<std::size_t> (head.body_size));
    }
}

// The body of a sealed frame. The first octet says what becomes of the rest: it
// is opened as it is, or sealed, changed in one place and opened.
//
// Promised: what was not sealed with the key does not open, what was sealed
// opens as it was; nothing is read or written past the end.
#include <vector>

#include "base/fuzz_target.hpp"
#include "wire/framing.hpp"
#include "wire/sealing.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_view;
using base::close_reason;

close_reason open (std::vector<std::byte> &body, wire::opener &by)
{
    std::vector<std::byte> plain (
      body.size () > wire::sealing_body_bytes ? body.size () - wire::sealing_body_bytes : 0);
    wire::frame_flags flags;
    const close_reason why = by.open (body, flags, plain.data ());
    if (why == close_reason::none)
        body = plain;
    return why;
}

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink;
    using fuzz::require;
    if (size < 2)
        return 0;
    const base::secret_key secret;
    const crypto::numbered_key key (secret, base::as_bytes ("CurveZMQMESSAGEC"));
    wire::opener in (key, 0);
    const base::bytes_view rest = fuzz::input_of (data + 2, size - 2);
    std::vector<std::byte> body (rest.begin (), rest.end ());
    if ((data[0] & 1) == 0) {
        (void)fuzz::open (body, in);  // as good as never genuine
        return 0;
    }
    wire::sealer out (key, 1 + data[0]);
    std::vector<std::byte> frame (wire::frame_header_bytes_max + wire::sealing_body_bytes + body.size ());
    frame.resize (out.seal (frame.data (), {(data[0] & 2) != 0, (data[0] & 4) != 0}, body));
    const std::size_t head = body.size () + wire::sealing_body_bytes > 255 ? 9 : 2;
    std::vector<std::byte> sealed (frame.begin () + static_cast<std::ptrdiff_t> (head), frame.end ());
    std::vector<std::byte> good = sealed;
    require (fuzz::open (good, in) == base::close_reason::none && good == body);
    require (fuzz::open (sealed, in) == base::close_reason::sequence_invalid);
    wire::opener other (key, 0);
    sealed[data[1] % sealed.size ()] ^= std::byte{1};
    require (fuzz::open (sealed, other) != base::close_reason::none);
    return 0;
}

#include "wire/mechanism.hpp"

#include "base/appending.hpp"
#include "crypto/box.hpp"
#include "wire/framing.hpp"

namespace zlink::wire {

bool is_command (bytes_view body, std::string_view name, bytes_view &data) noexcept
{
    const std::size_t front = 1 + name.size ();
    if (body.size () < front || static_cast<std::size_t> (body[0]) != name.size ()
        || base::as_text (body.subspan (1, name.size ())) != name)
        return false;
    data = body.subspan (front);
    return true;
}

void append_command (std::vector<std::byte> &out, std::string_view name, bytes_view data)
{
    std::byte head[frame_header_bytes_max];
    const std::size_t size = 1 + name.size () + data.size ();
    const std::size_t head_bytes = encode_frame_header (framing::zmtp_3, head, size, false, true);
    out.reserve (out.size () + head_bytes + size);
    base::append (out, {head, head_bytes});
    out.push_back (static_cast<std::byte> (name.size ()));
    base::append (out, base::as_bytes (name));
    base::append (out, data);
}

std::unique_ptr<mechanism>
make_mechanism (const security &wish, base::entropy *secrets, std::vector<std::byte> properties)
{
    if (wish.mechanism == mechanism_kind::plain)
        return make_plain (wish, std::move (properties));
    return make_curve (wish, secrets, std::move (properties));
}

bool has_mechanism (mechanism_kind kind) noexcept
{
    return kind != mechanism_kind::curve || crypto::built ();
}

}  // namespace zlink::wire

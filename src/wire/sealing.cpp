#include "wire/sealing.hpp"

#include <cstring>
#include <string_view>

#include "wire/framing.hpp"

namespace zlink::wire {

namespace {

constexpr std::string_view message_name{"\7MESSAGE", 8};
constexpr unsigned flag_more = 1;
constexpr unsigned flag_command = 2;
static_assert (message_name.size () + sizeof (std::uint64_t) == sealing_front_bytes);

}  // namespace

std::size_t sealer::seal (std::byte *to, frame_flags flags, bytes_view body) noexcept
{
    if (next_ == 0)
        return 0;
    const std::uint64_t number = next_++;
    const std::size_t head =
      encode_frame_header (framing::zmtp_3, to, sealing_body_bytes + body.size (), false, false);
    std::byte *const front = to + head;
    std::memcpy (front, message_name.data (), message_name.size ());
    base::store_u64_be (front + message_name.size (), number);
    const unsigned bits = (flags.more ? flag_more : 0U) | (flags.command ? flag_command : 0U);
    key_.seal (front + sealing_front_bytes, static_cast<std::byte> (bits), body, number);
    return head + sealing_body_bytes + body.size ();
}

base::close_reason opener::open (bytes_view body, frame_flags &flags, std::byte *to) noexcept
{
    if (body.size () < message_name.size ()
        || std::memcmp (body.data (), message_name.data (), message_name.size ()) != 0)
        return base::close_reason::command_unexpected;
    if (body.size () < sealing_body_bytes)
        return base::close_reason::message_malformed;
    const std::uint64_t number = base::load_u64_be (body.data () + message_name.size ());
    if (number <= last_)
        return base::close_reason::sequence_invalid;
    std::byte bits{};
    if (!key_.open (bits, to, body.subspan (sealing_front_bytes), number))
        return base::close_reason::box_unopened;
    last_ = number;
    flags.more = (static_cast<unsigned> (bits) & flag_more) != 0;
    flags.command = (static_cast<unsigned> (bits) & flag_command) != 0;
    return base::close_reason::none;
}

}  // namespace zlink::wire

// What one peer of a STREAM ever sends: packets with four octets of length, or bare
// octets. The first octets of the input choose which, the slab, the limit of a
// packet and how the rest is cut.
//
// Promised: of packets the same come out, whole and in order, as who reads them
// all at once and by hand, and one above the limit ends it; of octets the same
// come out in pieces that are not too large; nothing is held when all is over.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/fuzz_target.hpp"
#include "engine/buffer_pool.hpp"
#include "engine/in_buffer.hpp"

namespace zlink::fuzz {
namespace {

using base::bytes_view;
using engine::front_status;
using engine::in_buffer;
using wire::framing;

constexpr std::size_t length_bytes = 4;
constexpr std::size_t body_bytes_max = std::size_t{1} << 16;

struct choices
{
    framing kind = framing::packets;
    std::size_t slab_bytes = 0;
    std::size_t limit = 0;
    std::size_t piece = 0;
};

choices choose (decisions &from)
{
    choices made;
    const unsigned kind = from.octet ();
    made.kind = (kind & 1) != 0 ? framing::raw : framing::packets;
    made.slab_bytes = (kind & 0x80) != 0 ? 64 : engine::slab_bytes_min;
    const unsigned limit = from.octet ();
    // Octets have none: nothing tells where what was sent ends.
    made.limit = limit == 0 || made.kind == framing::raw ? body_bytes_max : limit;
    made.piece = from.octet () + 1u;
    return made;
}

std::string entry (char mark, std::string_view body)
{
    return mark + std::to_string (body.size ()) + ":" + std::string (body);
}

constexpr char packet_mark = '.';
constexpr const char *end_mark = "!";

// By hand, from all that there is.
std::string packets_in (bytes_view stream, std::size_t limit)
{
    std::string all;
    while (stream.size () >= length_bytes) {
        std::size_t size = 0;
        for (std::size_t i = 0; i < length_bytes; ++i)
            size = size << 8 | std::to_integer<std::size_t> (stream[i]);
        if (size > limit)
            return all + end_mark;
        if (stream.size () - length_bytes < size)
            break;
        all += entry (packet_mark, base::as_text (stream.subspan (length_bytes, size)));
        stream = stream.subspan (length_bytes + size);
    }
    return all;
}

class reader
{
  public:
    explicit reader (const choices &how) : how_ (how), pool_ (how.slab_bytes, 1), in_ (charged ())
    {
        in_.set_framing (how.kind);
        in_.set_message_bytes_max (static_cast<std::int64_t> (how.limit));
    }
    ~reader ()
    {
        in_.reset ();
        require (account_.used () == 0);
    }
    void take (bytes_view octets)
    {
        while (!octets.empty () && !over_) {
            octets = octets.subspan (read (octets));
            take_fronts ();
        }
    }
    [[nodiscard]] const std::string &said () const noexcept { return said_; }

  private:
    engine::buffer_pool &charged ()
    {
        pool_.charge_to (&account_);
        return pool_;
    }
    // As much as there is room for.
    std::size_t read (bytes_view octets)
    {
        in_buffer::read_slices slices;
        const std::size_t count = in_.prepare (slices, SIZE_MAX);
        std::size_t taken = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t some = std::min (slices[i].size (), octets.size () - taken);
            std::memcpy (slices[i].data (), octets.data () + taken, some);
            taken += some;
        }
        require (taken > 0);  // else it would stand still for ever
        in_.commit (taken);
        return taken;
    }
    void take_fronts ()
    {
        for (;;) {
            const front_status status = in_.peek ();
            if (status == front_status::need_bytes)
                return;
            if (status == front_status::violation) {
                require (in_.why () == base::close_reason::message_too_large);
                said_ += end_mark;
                over_ = true;
                return;
            }
            const engine::front_part &part = in_.front ();
            require (status == front_status::part && !part.more);
            if (how_.kind == framing::packets) {
                said_ += entry (packet_mark, base::as_text (part.bytes));
            } else {
                require (!part.bytes.empty () && part.bytes.size () <= wire::raw_slice_bytes_max);
                said_ += base::as_text (part.bytes);
            }
            in_.drop_front ();
        }
    }

    choices how_;
    engine::byte_budget account_;
    engine::buffer_pool pool_;
    in_buffer in_;
    std::string said_;
    bool over_ = false;
};

}  // namespace
}  // namespace zlink::fuzz

extern "C" int LLVMFuzzerTestOneInput (const std::uint8_t *data, std::size_t size)
{
    using namespace zlink::fuzz;
    decisions from (input_of (data, size));
    const choices how = choose (from);
    const bytes_view stream = from.rest ();
    if (stream.empty ())
        return 0;
    const std::string expected = how.kind == framing::packets ? packets_in (stream, how.limit)
                                                              : std::string (zlink::base::as_text (stream));
    for (const std::size_t cut : {stream.size (), std::size_t{1}, how.piece}) {
        reader ours (how);
        for (std::size_t at = 0; at < stream.size (); at += cut)
            ours.take (stream.subspan (at, std::min (cut, stream.size () - at)));
        require (ours.said () == expected);
    }
    return 0;
}

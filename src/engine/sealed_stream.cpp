#include "engine/sealed_stream.hpp"
#include "base/copying.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace zlink::engine {

using base::bytes_span;
using base::bytes_view;
using base::close_reason;
using base::errc;
using base::result;

// --- buffers -------------------------------------------------------------------

bool holding_buffer::make_room (std::size_t bytes) noexcept
{
    if (capacity_ - end_ >= bytes)
        return true;
    const std::size_t held = end_ - begin_;
    if (data_ != nullptr && capacity_ >= held + bytes) {
        std::memmove (data_, data_ + begin_, held);
        begin_ = 0;
        end_ = held;
        return true;
    }
    const bool pooled = held + bytes <= pool_.buffer_bytes ();
    const std::size_t wanted = pooled ? pool_.buffer_bytes () : std::max (held + bytes, 2 * held);
    std::unique_ptr<std::byte[]> own (pooled ? nullptr : new (std::nothrow) std::byte[wanted]);
    std::byte *const data = pooled ? pool_.take () : own.get ();
    if (data == nullptr)
        return false;
    if (held > 0)
        std::memcpy (data, data_ + begin_, held);
    release ();
    own_ = std::move (own);
    data_ = data;
    capacity_ = wanted;
    end_ = held;
    return true;
}

void holding_buffer::release () noexcept
{
    if (own_ == nullptr)
        pool_.give (data_);
    own_.reset ();
    data_ = nullptr;
    capacity_ = begin_ = end_ = 0;
}

// --- writing -------------------------------------------------------------------

sealed_stream::sealed_stream (std::unique_ptr<base::stream> inside,
                              const wire::sealing &how,
                              std::int64_t message_bytes_max,
                              buffer_pool &out,
                              buffer_pool &in) noexcept
  : wrapping_stream (std::move (inside)), sealer_ (how.out), sealed_ (out), opener_ (how.in), came_ (in),
    body_bytes_max_ (static_cast<std::uint64_t> (message_bytes_max))
{
}

// Its header stands in one slice, its body in the same or the next.
bool sealed_stream::next_plain (source from, plain_frame &found) noexcept
{
    from.settle ();
    if (from.done ()
        || wire::decode_frame_header (wire::framing::zmtp_3, from.front (), found.head)
             != wire::head_status::complete)
        return false;
    from.skip (found.head.header_bytes);
    found.body = {};
    if (found.head.body_size == 0)
        return true;
    if (from.done () || from.front ().size () < found.head.body_size)
        return false;
    found.body = from.front ().first (static_cast<std::size_t> (found.head.body_size));
    return true;
}

// As many whole frames as fit into the buffer, one at least; how many plain
// bytes these were. 0: there is none, or it cannot be.
std::size_t sealed_stream::seal_some (source &from) noexcept
{
    std::size_t plain = 0;
    for (plain_frame next; next_plain (from, next);) {
        const std::size_t room = wire::frame_header_bytes_max + wire::sealing_body_bytes + next.body.size ();
        if (!sealed_.empty () && sealed_.room ().size () < room)
            break;
        if (!sealed_.make_room (room))
            break;
        const std::size_t bytes =
          sealer_.seal (sealed_.room ().data (), {next.head.more, next.head.command}, next.body);
        if (bytes == 0)
            break;
        sealed_.grow (bytes);
        const std::size_t taken = next.head.header_bytes + next.body.size ();
        from.skip (taken);
        plain += taken;
    }
    return plain;
}

result<void> sealed_stream::drain () noexcept
{
    while (!sealed_.empty ()) {
        const bytes_view all = sealed_.content ();
        const io_result written = inside ().write (std::span (&all, 1));
        if (!written.ok ())
            return written.failure ();
        sealed_.drop (written.value ());
    }
    sealed_.release ();
    return {};
}

sealed_stream::io_result sealed_stream::write (std::span<const bytes_view> slices) noexcept
{
    if (slices.empty ())
        return inside ().write (slices);
    source from{slices};
    std::size_t taken = 0;
    if (!sealed_.empty ())
        if (const result<void> rest = drain (); !rest.ok ())
            return rest.failure ();
    if (std::exchange (withheld_, false)) {
        from.settle ();
        from.skip (1);
        taken = 1;
    }
    while (const std::size_t plain = seal_some (from)) {
        const std::size_t sealed = sealed_.content ().size ();
        const result<void> done = drain ();
        if (done.ok ()) {
            taken += plain;
            continue;
        }
        // What has gone is not said to have failed, or it would be sent once more.
        if (done.code () != errc::would_block && sealed_.content ().size () == sealed)
            return taken > 0 ? io_result (taken) : io_result (done.failure ());
        withheld_ = true;
        return taken + plain - 1;
    }
    from.settle ();
    // What is left cannot be sealed: no memory, or no number.
    return taken > 0 ? io_result (taken) : io_result (from.done () ? errc::would_block : errc::no_memory);
}

// --- reading -------------------------------------------------------------------

bool sealed_stream::preload (bytes_view early) noexcept
{
    if (early.empty ())
        return true;
    if (!came_.make_room (early.size ()))
        return false;
    std::memcpy (came_.room ().data (), early.data (), early.size ());
    came_.grow (early.size ());
    return true;
}

sealed_stream::step sealed_stream::fail (close_reason why) noexcept
{
    fault_ = why;
    failure_ = {errc::incompatible_protocol, 0};
    stuck_ = true;
    return step::broken;
}

std::size_t sealed_stream::hand_out (target &to) noexcept
{
    std::size_t given = 0;
    for (to.settle (); rest_bytes_ > 0 && !to.done (); to.settle ()) {
        const bytes_span room = to.front ();
        const std::size_t size = std::min (rest_bytes_, room.size ());
        base::copy_octets (room.data (), came_.content ().data (), size);
        came_.drop (size);
        to.skip (size);
        rest_bytes_ -= size;
        given += size;
    }
    return given;
}

// The next frame that came, straight to where it is wanted if there is room in
// one piece, else in place, to be handed out.
sealed_stream::step sealed_stream::open_next (target &to, std::size_t &given) noexcept
{
    const bytes_span all = came_.content ();
    wire::frame_head head;
    wanted_bytes_ = 0;
    const wire::head_status known = wire::decode_frame_header (wire::framing::zmtp_3, all, head);
    if (known == wire::head_status::malformed)
        return fail (close_reason::frame_malformed);
    if (known == wire::head_status::need_more)
        return step::need_bytes;
    if (head.body_size > wire::sealing_body_bytes
        && head.body_size - wire::sealing_body_bytes > body_bytes_max_)
        return fail (close_reason::message_too_large);
    wanted_bytes_ = head.header_bytes + static_cast<std::size_t> (head.body_size);
    if (all.size () < wanted_bytes_)
        return step::need_bytes;
    const bytes_span body = all.subspan (head.header_bytes, static_cast<std::size_t> (head.body_size));
    const std::size_t plain_bytes =
      body.size () > wire::sealing_body_bytes ? body.size () - wire::sealing_body_bytes : 0;
    std::byte plain_head[wire::frame_header_bytes_max];
    const std::size_t head_bytes =
      wire::encode_frame_header (wire::framing::zmtp_3, plain_head, plain_bytes, false, false);
    const bytes_span room = to.front ();
    const bool straight = room.size () >= head_bytes + plain_bytes;
    std::byte *const place = straight ? room.data () + head_bytes : wire::opener::plain_place (body.data ());
    wire::frame_flags flags;
    if (const close_reason bad = opener_.open (body, flags, place); bad != close_reason::none)
        return fail (bad);
    (void)wire::encode_frame_header (wire::framing::zmtp_3, place - head_bytes, plain_bytes, flags.more,
                                     flags.command);
    if (straight) {
        came_.drop (wanted_bytes_);
        to.skip (head_bytes + plain_bytes);
        given += head_bytes + plain_bytes;
    } else {
        rest_bytes_ = head_bytes + plain_bytes;
        came_.drop (wanted_bytes_ - rest_bytes_);
    }
    wanted_bytes_ = 0;
    return step::moved;
}

// One read of the stream inside; would_block: it has nothing. dry: it has no more for
// now, but its end may stand behind what it gave.
result<void> sealed_stream::fill (bool &dry) noexcept
{
    // Of a large frame memory is taken as it comes, not as it is announced.
    const std::size_t held = came_.content ().size ();
    const std::size_t least = came_.pooled_bytes () / 4;
    const std::size_t missing = std::max (wanted_bytes_ > held ? wanted_bytes_ - held : 1, least);
    const std::size_t most = std::max (came_.pooled_bytes (), held);
    if (!came_.make_room (held == 0 ? came_.pooled_bytes () : std::min (missing, most))) {
        fault_ = close_reason::out_of_memory;
        return errc::no_memory;
    }
    const bytes_span room = came_.room ();
    const io_result got = inside ().read (std::span (&room, 1));
    if (!got.ok ())
        return got.failure ();
    came_.grow (got.value ());
    ended_ = got.value () == 0;
    dry = got.value () < room.size () && !inside ().pending ();
    return {};
}

sealed_stream::io_result sealed_stream::read (std::span<const bytes_span> slices) noexcept
{
    target to{slices};
    std::size_t given = 0;
    bool dry = false;
    while (!stuck_) {
        given += hand_out (to);
        if (to.done ())
            break;
        if (open_next (to, given) != step::need_bytes)
            continue;
        // Who is given nothing takes it that all is read, the end included.
        if (dry && given > 0)
            break;
        const result<void> more = fill (dry);
        if (more.code () == errc::would_block)
            break;
        if (!more.ok ())
            failure_ = more.failure ();
        stuck_ = ended_ || !more.ok ();
    }
    if (came_.empty ())
        came_.release ();
    if (given > 0)
        return given;
    if (!stuck_)
        return errc::would_block;
    return failure_.code == errc::ok ? io_result (std::size_t{0}) : io_result (failure_);
}

}  // namespace zlink::engine

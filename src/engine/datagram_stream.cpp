#include "engine/datagram_stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace zlink::engine {

using base::bytes_span;
using base::bytes_view;
using base::errc;
using base::result;

// --- writing ---------------------------------------------------------------------

// A frame's header, octet by octet where it comes in pieces.
datagram_stream::step datagram_stream::take_head (bytes_view &piece) noexcept
{
    while (!piece.empty ()) {
        out_.head[out_.head_bytes++] = piece.front ();
        piece = piece.subspan (1);
        const auto status =
          wire::decode_frame_header (wire::framing::zmtp_3, {out_.head.data (), out_.head_bytes}, out_.frame);
        if (status == wire::head_status::need_more)
            continue;
        begin_frame ();  // malformed is nothing that our own queue writes
        return out_.body_left == 0 ? end_of_frame () : step::taken;
    }
    return step::taken;
}

void datagram_stream::begin_frame () noexcept
{
    out_.in_body = true;
    out_.body_left = out_.frame.body_size;
    if (out_.frame.command)
        return;
    ++out_.parts;
    // The name and the body, and nothing else.
    out_.malformed = out_.malformed || out_.parts > 2 || out_.frame.more != (out_.parts == 1);
    if (what_ == content::raw || out_.parts != 1)
        return;
    out_.malformed = out_.malformed || out_.frame.body_size > base::group_name_max;
    out_.datagram[0] = static_cast<std::byte> (out_.frame.body_size);
    out_.datagram_bytes = 1;
}

void datagram_stream::keep (bytes_view part) noexcept
{
    if (out_.frame.command || out_.malformed || part.empty ())
        return;
    if (what_ == content::raw && out_.parts == 1) {
        out_.malformed = out_.name_bytes + part.size () > out_.name.size ();
        if (out_.malformed)
            return;
        std::memcpy (out_.name.data () + out_.name_bytes, part.data (), part.size ());
        out_.name_bytes += part.size ();
        return;
    }
    out_.too_large = out_.too_large || out_.datagram_bytes + part.size () > out_.datagram.size ();
    if (out_.too_large)
        return;
    std::memcpy (out_.datagram.data () + out_.datagram_bytes, part.data (), part.size ());
    out_.datagram_bytes += part.size ();
}

datagram_stream::step datagram_stream::end_of_frame () noexcept
{
    out_.in_body = false;
    out_.head_bytes = 0;
    if (out_.frame.command || out_.frame.more)
        return step::taken;
    return step::complete;
}

datagram_stream::step datagram_stream::take (bytes_view &piece) noexcept
{
    while (!piece.empty ()) {
        if (!out_.in_body) {
            if (take_head (piece) == step::complete)
                return step::complete;
            continue;
        }
        const std::size_t count =
          static_cast<std::size_t> (std::min<std::uint64_t> (out_.body_left, piece.size ()));
        keep (piece.first (count));
        piece = piece.subspan (count);
        out_.body_left -= count;
        if (out_.body_left == 0 && end_of_frame () == step::complete)
            return step::complete;
    }
    return step::taken;
}

// The complete message. would_block, or how it ended.
errc datagram_stream::deliver () noexcept
{
    if (what_ == content::groups_received)
        return errc::ok;  // there is nobody to send to
    if (out_.malformed)
        return errc::invalid_argument;
    if (out_.too_large)
        return errc::message_too_long;
    const std::string_view to (out_.name.data (), out_.name_bytes);
    if (what_ == content::raw && to.empty ())
        return errc::bad_address;
    return port_->send ({out_.datagram.data (), out_.datagram_bytes}, to).code ();
}

// False: there is no room.
bool datagram_stream::send_out () noexcept
{
    switch (deliver ()) {
    case errc::would_block:
        out_.waits = true;
        return false;
    case errc::ok:
        break;
    case errc::message_too_long:
        ++dropped_sent_.too_large;
        break;
    case errc::invalid_argument:
    case errc::bad_address:
        ++dropped_sent_.malformed;
        break;
    case errc::no_memory:
        ++dropped_sent_.full;  // of the system's for this interface
        break;
    default:
        ++dropped_sent_.unroutable;
    }
    out_.waits = out_.malformed = out_.too_large = false;
    out_.parts = 0;
    out_.name_bytes = out_.datagram_bytes = 0;
    return true;
}

result<std::size_t> datagram_stream::write (std::span<const bytes_view> slices) noexcept
{
    std::size_t taken = 0;
    for (bytes_view slice : slices) {
        if (out_.waits && !slice.empty ()) {
            if (!send_out ())
                return taken > 0 ? result<std::size_t> (taken) : result<std::size_t> (errc::would_block);
            slice = slice.subspan (1);
            ++taken;
        }
        while (!slice.empty ()) {
            const std::size_t before = slice.size ();
            const step done = take (slice);
            taken += before - slice.size ();
            if (done != step::complete || send_out ())
                continue;
            --taken;
            return taken > 0 ? result<std::size_t> (taken) : result<std::size_t> (errc::would_block);
        }
    }
    return taken;
}

// --- reading ---------------------------------------------------------------------

void datagram_stream::show_frame (std::size_t &at, bytes_view body, bool more) noexcept
{
    at += wire::encode_frame_header (wire::framing::zmtp_3, frames_.data () + at, body.size (), more, false);
    if (!body.empty ())
        std::memcpy (frames_.data () + at, body.data (), body.size ());
    at += body.size ();
}

// What has arrived, as frames; nothing if it is not what it should be.
void datagram_stream::show (std::size_t size_bytes) noexcept
{
    const bytes_view all (arrived_.data (), size_bytes);
    bytes_view name;
    bytes_view body = all;
    if (what_ == content::raw) {
        sender_.text[sender_.size] = '\0';
        name = base::as_bytes (std::string_view (sender_.text.data (), sender_.size + 1));
    } else {
        const std::size_t group_bytes = all.empty () ? 0 : std::to_integer<std::size_t> (all[0]);
        if (all.empty () || group_bytes > all.size () - 1) {
            ++dropped_received_.malformed;
            return;
        }
        name = all.subspan (1, group_bytes);
        body = all.subspan (1 + group_bytes);
    }
    if (body.size () > body_bytes_max_) {
        ++dropped_received_.too_large;
        return;
    }
    std::size_t at = 0;
    show_frame (at, name, true);
    show_frame (at, body, false);
    frames_bytes_ = at;
    frames_given_ = 0;
}

// The next datagram. False: there is none.
bool datagram_stream::fetch (errc &failure) noexcept
{
    const auto came = port_->receive (arrived_, what_ == content::raw ? &sender_ : nullptr);
    if (const std::uint64_t overrun = port_->overrun (); overrun != overrun_told_)
        dropped_received_.full += overrun - std::exchange (overrun_told_, overrun);
    if (!came.ok ()) {
        failure = came.code ();
        return false;
    }
    const base::arrival &what = came.value ();
    if (what.cut)
        ++dropped_received_.too_large;
    else
        show (what.size_bytes);
    return true;
}

// As much of the frames as there is room for, from this place on.
std::size_t
datagram_stream::give (std::span<const bytes_span> slices, std::size_t &slice, std::size_t &used) noexcept
{
    std::size_t given = 0;
    while (frames_given_ < frames_bytes_ && slice < slices.size ()) {
        const bytes_span to = slices[slice].subspan (used);
        const std::size_t count = std::min (to.size (), frames_bytes_ - frames_given_);
        if (count > 0)
            std::memcpy (to.data (), frames_.data () + frames_given_, count);
        frames_given_ += count;
        given += count;
        used += count;
        if (used == slices[slice].size ()) {
            ++slice;
            used = 0;
        }
    }
    return given;
}

// Who only sends is told nothing that it would want to know.
result<std::size_t> datagram_stream::ignore_arrivals () noexcept
{
    for (unsigned i = 0; i < datagrams_per_read_max; ++i)
        if (const auto came = port_->receive (arrived_, nullptr); !came.ok ())
            return came.failure ();
        else
            ++dropped_received_.malformed;
    return errc::would_block;
}

result<std::size_t> datagram_stream::read (std::span<const bytes_span> slices) noexcept
{
    if (ended_)
        return std::size_t{0};
    if (what_ == content::groups_sent)
        return ignore_arrivals ();
    std::size_t slice = 0;
    std::size_t used = 0;
    std::size_t total = give (slices, slice, used);
    errc failure = errc::ok;
    for (unsigned i = 0; slice < slices.size () && i < datagrams_per_read_max; ++i) {
        if (!fetch (failure))
            break;
        total += give (slices, slice, used);
    }
    left_off_ = failure == errc::ok;
    if (total > 0)
        return total;
    return failure == errc::ok ? errc::would_block : failure;
}

}  // namespace zlink::engine

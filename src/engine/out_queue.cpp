#include "engine/out_queue.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/appending.hpp"
#include "base/copying.hpp"
#include "wire/command.hpp"

namespace zlink::engine {

namespace {

// Takes out every message of which a part is missing: a message is sent
// again whole or not at all.
void drop_incomplete (recovered &all, bool first_is_cut)
{
    std::vector<base::message> kept;
    kept.reserve (all.parts.size ());
    std::size_t at = 0;
    while (at < all.parts.size ()) {
        std::size_t end = at;
        bool whole = !(at == 0 && first_is_cut);
        bool more = true;
        while (more && end < all.parts.size ()) {
            whole = whole && all.parts[end].valid ();
            more = all.parts[end].more ();
            ++end;
        }
        for (; at < end; ++at) {
            if (whole)
                kept.push_back (all.parts[at]);
            else if (all.parts[at].valid ())
                all.parts[at].close ();
        }
        all.cut += !whole;
    }
    all.parts = std::move (kept);
}

}  // namespace

out_queue::out_queue (buffer_pool &arenas) : arenas_ (arenas), arena_bytes_ (arenas.buffer_bytes ()) {}

out_queue::~out_queue ()
{
    for (chunk &each : sealed_)
        drop_chunk (each);
    arenas_.give (open_.data);
}

void out_queue::drop_chunk (chunk &gone) noexcept
{
    if (gone.what == kind::arena)
        arenas_.give (gone.data);
    else if (gone.what == kind::body)
        drop_body (gone.held);
}

void out_queue::count_body (const base::body &held) noexcept
{
    if (byte_budget *const account = arenas_.account (); account != nullptr)
        account->take (held.size);
}

void out_queue::drop_body (base::body *held) noexcept
{
    if (byte_budget *const account = arenas_.account (); account != nullptr)
        account->give (held->size);
    held->drop ();
}

// False when memory is out; the arena is as it was.
bool out_queue::seal () noexcept
try {
    if (open_.data == nullptr || open_.begin == open_.end)
        return true;
    sealed_.push_back (open_);
    open_ = chunk{};
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

bool out_queue::open_arena () noexcept
{
    if (open_.data != nullptr && open_.begin == open_.end)
        return true;
    std::byte *fresh = arenas_.take ();
    if (fresh == nullptr)
        return false;
    if (!seal ()) {
        arenas_.give (fresh);
        return false;
    }
    open_.data = fresh;
    grows_ = false;
    return true;
}

bool out_queue::append_copy (base::bytes_view body, bool more, bool command) noexcept
{
    if (body.size () + wire::frame_header_bytes_max <= arena_bytes_) {
        if (!fits (body.size ()) && !open_arena ())
            return false;
        append (body, more, command);
        return true;
    }
    base::body *copy = base::body::allocate (body.size ());
    if (copy == nullptr)
        return false;
    base::copy_octets (copy->data, body.data (), body.size ());
    if (append_body (copy, more))
        return true;
    copy->drop ();
    return false;
}

bool out_queue::push_large (chunk &large, std::size_t body_bytes, bool more) noexcept
{
    // What follows must stand behind the body, so the open arena is sealed.
    if (!seal ())
        return false;
    large.head_bytes = static_cast<std::uint8_t> (
      wire::encode_frame_header (framing_, large.head.data (), body_bytes, more, false));
    large.end = large.head_bytes + body_bytes;
    large.messages = !more;
    large.ends_more = more;
    try {
        sealed_.push_back (large);
    } catch (const std::bad_alloc &) {
        return false;
    }
    unwritten_messages_ += large.messages;
    unwritten_bytes_ += large.end;
    return true;
}

bool out_queue::append_body (base::body *held, bool more) noexcept
{
    chunk large;
    large.what = kind::body;
    large.data = held->data;
    large.held = held;
    if (!push_large (large, held->size, more))
        return false;
    count_body (*held);
    return true;
}

bool out_queue::append_borrowed (base::bytes_view body, bool more) noexcept
{
    chunk large;
    large.what = kind::borrowed;
    large.data = const_cast<std::byte *> (body.data ());
    if (!push_large (large, body.size (), more))
        return false;
    ++borrowed_;
    return true;
}

bool out_queue::end_borrow () noexcept
{
    for (chunk &each : sealed_) {
        if (each.what != kind::borrowed)
            continue;
        const std::size_t gone = each.begin > each.head_bytes ? each.begin - each.head_bytes : 0;
        const std::size_t rest = each.end - each.head_bytes - gone;
        base::body *copy = base::body::allocate (rest);
        if (copy == nullptr)
            return false;
        base::copy_octets (copy->data, each.data + gone, rest);
        each.what = kind::body;
        each.held = copy;
        count_body (*copy);
        each.data = copy->data - gone;  // begin and end keep their meaning
        each.body_missing = gone;
        --borrowed_;
    }
    return true;
}

void out_queue::forget_borrowed () noexcept
{
    for (chunk &each : sealed_) {
        if (each.what != kind::borrowed)
            continue;
        unwritten_bytes_ -= each.end - each.begin;
        unwritten_messages_ -= each.messages;
        each.begin = each.end;
        each.counted = each.messages;
        --borrowed_;
    }
}

std::size_t out_queue::gather_chunk (const chunk &from, std::span<base::bytes_view> slices) noexcept
{
    if (from.begin == from.end)
        return 0;
    if (from.what == kind::arena) {
        slices[0] = {from.data + from.begin, from.end - from.begin};
        return 1;
    }
    const std::size_t body_bytes = from.end - from.head_bytes;
    if (from.begin >= from.head_bytes) {
        const std::size_t gone = from.begin - from.head_bytes;
        slices[0] = {from.data + gone, body_bytes - gone};
        return 1;
    }
    slices[0] = {from.head.data () + from.begin, from.head_bytes - from.begin};
    if (slices.size () == 1)
        return 1;
    slices[1] = {from.data, body_bytes};
    return 2;
}

std::size_t out_queue::gather (std::span<base::bytes_view> slices) const noexcept
{
    std::size_t count = 0;
    for (const chunk &each : sealed_) {
        if (count == slices.size ())
            return count;
        count += gather_chunk (each, slices.subspan (count));
    }
    grows_ = false;
    if (count < slices.size ())
        count += gather_chunk (open_, slices.subspan (count));
    return count;
}

void out_queue::scan_written (chunk &arena, written &done) const noexcept
{
    if (framing_ == wire::framing::raw)
        return;  // nothing tells where a message ends
    while (arena.scan < arena.begin) {
        wire::frame_head head;
        const base::bytes_view rest{arena.data + arena.scan, arena.end - arena.scan};
        if (wire::decode_frame_header (framing_, rest, head) != wire::head_status::complete)
            return;
        const std::size_t end = arena.scan + head.header_bytes + static_cast<std::size_t> (head.body_size);
        if (end > arena.begin)
            return;
        arena.scan = end;
        if (head.more)
            continue;
        arena.message_start = end;
        if (!head.command) {
            ++arena.counted;
            ++done.messages;
        }
    }
}

std::size_t out_queue::consume (chunk &from, std::size_t bytes, written &done) noexcept
{
    const std::size_t taken = std::min (bytes, from.end - from.begin);
    from.begin += taken;
    if (from.begin == from.end) {
        done.messages += from.messages - from.counted;
        from.counted = from.messages;
        front_continues_ = from.ends_more;
    } else if (from.what == kind::arena) {
        scan_written (from, done);
        front_continues_ = front_continues_ && from.message_start == 0;
    }
    return bytes - taken;
}

written out_queue::advance (std::size_t bytes) noexcept
{
    written done;
    done.bytes = static_cast<std::int64_t> (bytes);
    unwritten_bytes_ -= bytes;
    while (bytes > 0 && !sealed_.empty ()) {
        chunk &front = sealed_.front ();
        bytes = consume (front, bytes, done);
        if (front.begin != front.end)
            break;
        if (front.what == kind::borrowed)
            --borrowed_;
        drop_chunk (front);
        sealed_.pop_front ();
    }
    if (bytes > 0) {
        consume (open_, bytes, done);
        if (open_.begin == open_.end) {
            std::byte *const arena = open_.data;
            open_ = chunk{};
            open_.data = arena;
        }
    }
    unwritten_messages_ -= done.messages;
    return done;
}

void out_queue::release_arena () noexcept
{
    if (open_.data == nullptr || open_.begin != open_.end)
        return;
    arenas_.give (open_.data);
    open_ = chunk{};
}

void out_queue::recover_arena (const chunk &from, recovered &to) const
{
    std::size_t at = from.message_start;
    while (at < from.end) {
        wire::frame_head head;
        if (wire::decode_frame_header (framing_, {from.data + at, from.end - at}, head)
            != wire::head_status::complete)
            return;
        at += head.header_bytes;
        const auto body_bytes = static_cast<std::size_t> (head.body_size);
        if (!head.command) {
            base::message &part = to.parts.emplace_back ();
            if (!part.init_copy ({from.data + at, body_bytes}).ok ())
                part.init_unavailable ();
            part.set_more (head.more);
        }
        at += body_bytes;
    }
}

void out_queue::recover_large (chunk &from, recovered &to)
{
    base::message &part = to.parts.emplace_back ();
    if (from.what == kind::body && from.body_missing == 0) {
        from.held->retain ();
        part.init_body (from.held);
    } else {
        part.init_unavailable ();
    }
    part.set_more (from.ends_more);
}

void out_queue::recover_chunks (recovered &to)
{
    for (chunk &each : sealed_) {
        if (each.what == kind::arena)
            recover_arena (each, to);
        else
            recover_large (each, to);
    }
    if (open_.begin != open_.end)
        recover_arena (open_, to);
    drop_incomplete (to, front_continues_);
}

recovered out_queue::recover () noexcept
{
    recovered all;
    try {
        if (framing_ == wire::framing::raw)
            all.cut = static_cast<std::uint64_t> (unwritten_messages_);
        else
            recover_chunks (all);
    } catch (const std::bad_alloc &) {
        for (base::message &part : all.parts)
            part.close ();
        all.parts.clear ();
        all.cut = static_cast<std::uint64_t> (unwritten_messages_);
    }
    for (chunk &each : sealed_)
        drop_chunk (each);
    sealed_.clear ();
    if (open_.begin != open_.end) {
        arenas_.give (open_.data);
        open_ = chunk{};
    }
    unwritten_bytes_ = 0;
    unwritten_messages_ = 0;
    front_continues_ = false;
    return all;
}

// --- taking back ---------------------------------------------------------------

// Where the queue is cut: what is kept of each chunk, and what is taken out.
struct out_queue::split
{
    bool inside = false;              // a message that the kernel has begun goes on
    taken_back taken;                 // behind it
    std::vector<std::byte> commands;  // likewise, those that stay, as frames
    std::vector<std::size_t> ends;    // how far each chunk is kept
    std::vector<std::int64_t> ended;  // messages that end in what is kept, of those not yet reported
    std::size_t kept = 0;             // chunks of which something is
    std::byte *reused = nullptr;      // an arena of which nothing is: the next open one
};

// What a GAP says belongs to the messages that it stands between.
void out_queue::split_command (base::bytes_view frame, base::bytes_view body, split &at)
{
    const wire::command what = wire::parse_command (body);
    if (what.kind == wire::command_kind::gap)
        at.taken.gaps.push_back ({at.taken.parts.size (), base::load_u64_be (what.data.data ())});
    else
        base::append (at.commands, frame);
}

// False: memory is out. vectors throw.
bool out_queue::split_arena (chunk &from, split &at) const
{
    std::size_t kept = from.begin;
    std::size_t next = from.scan;
    while (next < from.end) {
        wire::frame_head head;
        const base::bytes_view rest{from.data + next, from.end - next};
        if (wire::decode_frame_header (framing_, rest, head) != wire::head_status::complete)
            return true;
        const auto body_bytes = static_cast<std::size_t> (head.body_size);
        const base::bytes_view body = rest.subspan (head.header_bytes, body_bytes);
        const std::size_t frame = head.header_bytes + body_bytes;
        if (at.inside || next < from.begin) {
            kept = next + frame;
            at.inside = head.more || (head.command && at.inside);
            at.ended.back () += !head.more && !head.command;
        } else if (head.command) {
            split_command (rest.first (frame), body, at);
        } else {
            base::message &part = at.taken.parts.emplace_back ();
            part.init ();
            if (!part.init_copy (body).ok ())
                return false;
            part.set_more (head.more);
        }
        next += frame;
    }
    at.ends.back () = kept;
    return true;
}

bool out_queue::split_chunk (chunk &from, split &at) const
{
    at.ends.push_back (from.begin);
    at.ended.push_back (0);
    if (from.what == kind::arena)
        return split_arena (from, at);
    if (at.inside || from.begin > 0) {
        at.ends.back () = from.end;
        at.ended.back () = from.messages - from.counted;
        at.inside = from.ends_more;
    } else {
        base::message &part = at.taken.parts.emplace_back ();
        from.held->retain ();
        part.init_body (from.held);
        part.set_more (from.ends_more);
    }
    return true;
}

out_queue::chunk &out_queue::chunk_at (std::size_t i) noexcept
{
    return i < sealed_.size () ? sealed_[i] : open_;
}

// The commands stood in an arena: one that is dropped takes them, or else the
// last that is kept has room for them. False: it has not; nothing has changed.
bool out_queue::place_commands (split &at) noexcept
{
    for (std::size_t i = 0; i < at.ends.size (); ++i)
        if (at.ends[i] > chunk_at (i).begin)
            at.kept = i + 1;
    for (std::size_t i = at.kept; i < at.ends.size () && at.reused == nullptr; ++i)
        if (chunk_at (i).what == kind::arena)
            at.reused = chunk_at (i).data;
    if (at.commands.empty () || (at.kept == 0 && at.reused == nullptr))
        return at.commands.empty ();
    std::byte *to = at.reused;
    std::size_t room = arena_bytes_;
    if (to == nullptr) {
        const chunk &last = chunk_at (at.kept - 1);
        to = last.data + at.ends[at.kept - 1];
        room = last.what == kind::arena ? arena_bytes_ - at.ends[at.kept - 1] : 0;
    }
    if (at.commands.size () > room)
        return false;
    std::memcpy (to, at.commands.data (), at.commands.size ());
    return true;
}

// Drops what was taken out.
void out_queue::cut_off (const split &at) noexcept
{
    unwritten_bytes_ = at.commands.size ();
    unwritten_messages_ = 0;
    for (std::size_t i = 0; i < at.kept; ++i) {
        chunk &each = chunk_at (i);
        each.end = at.ends[i];
        each.messages = each.counted + at.ended[i];
        unwritten_bytes_ += each.end - each.begin;
        unwritten_messages_ += at.ended[i];
    }
    if (at.kept > 0) {
        chunk &last = chunk_at (at.kept - 1);
        last.ends_more = false;
        last.end += at.reused == nullptr ? at.commands.size () : 0;
    }
    if (at.kept > sealed_.size ())
        return;  // the open arena stays
    if (open_.data != at.reused)
        arenas_.give (open_.data);
    for (; sealed_.size () > at.kept; sealed_.pop_back ())
        if (sealed_.back ().data != at.reused)
            drop_chunk (sealed_.back ());
    open_ = chunk{};
    open_.data = at.reused;
    grows_ = false;
    open_.end = at.reused != nullptr ? at.commands.size () : 0;
}

bool out_queue::take_back (taken_back &to) noexcept
{
    if (framing_ == wire::framing::raw || borrowed_ != 0)
        return false;
    split at;
    bool done = false;
    try {
        const chunk &front = sealed_.empty () ? open_ : sealed_.front ();
        at.inside = front_continues_ || (front.what == kind::arena && front.message_start < front.scan);
        done = std::ranges::all_of (sealed_, [&] (chunk &each) { return split_chunk (each, at); })
               && split_chunk (open_, at) && place_commands (at);
    } catch (const std::bad_alloc &) {
        done = false;
    }
    if (done) {
        cut_off (at);
        std::swap (to, at.taken);
    }
    for (base::message &part : at.taken.parts)
        part.close ();
    return done;
}

}  // namespace zlink::engine

#include "service/spot_queue.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/copying.hpp"

namespace zlink::service {

using base::bytes_view;

namespace {

constexpr std::size_t block_bytes = std::size_t{64} << 10;
constexpr std::size_t step = alignof (base::message);

constexpr std::size_t rounded (std::size_t bytes) noexcept { return (bytes + step - 1) / step * step; }

}  // namespace

// Behind it the parts, the topic and the body.
struct spot_block::record
{
    std::uint64_t publisher;
    std::uint64_t number;  // of a gap: how many are missing
    std::size_t bytes;     // of the record, whole
    std::size_t body_bytes;
    std::uint32_t parts;
    std::uint16_t topic_bytes;
    spot_gap gap;

    [[nodiscard]] base::message *messages () noexcept { return reinterpret_cast<base::message *> (this + 1); }
    [[nodiscard]] char *text () noexcept { return reinterpret_cast<char *> (messages () + parts); }
    [[nodiscard]] std::string_view topic () noexcept { return {text (), topic_bytes}; }
    [[nodiscard]] std::span<base::message> all () noexcept { return {messages (), parts}; }
    void close () noexcept
    {
        for (base::message &each : all ())
            each.close ();
        parts = 0;
    }
    [[nodiscard]] static std::size_t bytes_of (const spot_item &what) noexcept
    {
        const std::size_t body = what.parts.empty () ? what.body.size () : 0;
        return rounded (sizeof (record) + what.parts.size () * sizeof (base::message) + what.topic.size ()
                        + body);
    }
};

// --- a block -----------------------------------------------------------------------

void spot_block::swap (spot_block &other) noexcept
{
    std::swap (memory_, other.memory_);
    std::swap (capacity_, other.capacity_);
    std::swap (read_, other.read_);
    std::swap (written_, other.written_);
    std::swap (messages_, other.messages_);
    std::swap (gap_bytes_, other.gap_bytes_);
    std::swap (shown_, other.shown_);
}

spot_block &spot_block::operator= (spot_block &&other) noexcept
{
    spot_block taken (std::move (other));
    swap (taken);
    return *this;
}

bool spot_block::reserve (std::size_t bytes) noexcept
{
    clear ();
    if (bytes <= capacity_)
        return true;
    memory_.reset (new (std::nothrow) std::byte[bytes]);
    capacity_ = memory_ == nullptr ? 0 : bytes;
    return memory_ != nullptr;
}

spot_block::record *spot_block::front () const noexcept
{
    return reinterpret_cast<record *> (memory_.get () + read_);
}
std::size_t spot_block::front_bytes () const noexcept { return front ()->bytes; }
spot_gap spot_block::front_gap () const noexcept { return front ()->gap; }
std::uint64_t spot_block::front_missing () const noexcept { return front ()->number; }

void spot_block::write (const spot_item &what, std::size_t bytes) noexcept
{
    const bool in_parts = !what.parts.empty ();
    const bool message = what.gap == spot_gap::none;
    auto *const made =
      new (memory_.get () + written_) record{.publisher = what.publisher,
                                             .number = message ? what.number : what.missing,
                                             .bytes = bytes,
                                             .body_bytes = in_parts ? 0 : what.body.size (),
                                             .parts = static_cast<std::uint32_t> (what.parts.size ()),
                                             .topic_bytes = static_cast<std::uint16_t> (what.topic.size ()),
                                             .gap = what.gap};
    base::message *to = made->messages ();
    for (base::message &each : what.parts) {
        to->init ();
        (to++)->copy_from (each);
    }
    if (!what.topic.empty ())
        std::memcpy (made->text (), what.topic.data (), what.topic.size ());
    if (made->body_bytes != 0)
        base::copy_octets (made->text () + made->topic_bytes, what.body.data (), made->body_bytes);
    count (*made, 1);
    written_ += bytes;
}

void spot_block::count (const record &which, std::ptrdiff_t by) noexcept
{
    if (which.gap == spot_gap::none)
        messages_ += static_cast<std::size_t> (by);
    else
        gap_bytes_ += static_cast<std::size_t> (by) * which.bytes;
}

// The record moves; its parts are as they were.
void spot_block::take_front (spot_block &from) noexcept
{
    const std::size_t bytes = from.front_bytes ();
    std::memcpy (memory_.get () + written_, from.memory_.get () + from.read_, bytes);
    from.count (*from.front (), -1);
    from.read_ += bytes;
    count (*reinterpret_cast<record *> (memory_.get () + written_), 1);
    written_ += bytes;
}

void spot_block::drop_front () noexcept
{
    count (*front (), -1);
    front ()->close ();
    read_ += front ()->bytes;
}

void spot_block::forget_shown () noexcept
{
    if (shown_ != nullptr)
        std::exchange (shown_, nullptr)->close ();
}

bool spot_block::next (spot_item &out) noexcept
{
    forget_shown ();
    if (empty ())
        return false;
    record &at = *front ();
    read_ += at.bytes;
    shown_ = at.parts != 0 ? &at : nullptr;
    const bool message = at.gap == spot_gap::none;
    out.topic = at.topic ();
    out.publisher = at.publisher;
    out.number = message ? at.number : 0;
    out.missing = message ? 0 : at.number;
    out.gap = at.gap;
    out.parts = at.all ();
    out.fields = {};
    const auto *const body = reinterpret_cast<const std::byte *> (at.text () + at.topic_bytes);
    out.body = at.parts == 1 ? at.messages ()->view () : bytes_view (body, at.body_bytes);
    return true;
}

void spot_block::clear () noexcept
{
    forget_shown ();
    while (!empty ())
        drop_front ();
    read_ = written_ = messages_ = gap_bytes_ = 0;
}

// --- pushing -----------------------------------------------------------------------

spot_queue::outcome spot_queue::drop (spot_gap why) noexcept
{
    push_gap (why, 1);
    return outcome::dropped;
}

spot_queue::outcome spot_queue::push (const spot_item &what) noexcept
{
    const std::size_t bytes = spot_block::record::bytes_of (what);
    if (conflates () && replace (what, bytes))
        return outcome::queued;
    outcome done = outcome::queued;
    if (!has_room (bytes)) [[unlikely]] {
        if (bounds_.policy == spot_policy::block || bounds_.policy == spot_policy::disconnect)
            return outcome::full;
        if (bounds_.policy == spot_policy::drop_newest)
            return drop (spot_gap::queue_full);
        while (!has_room (bytes) && drop_oldest ()) {}
        done = outcome::dropped;
    }
    if (conflates () ? !enter (what, bytes) : !append_behind_gap (what, bytes))
        return drop (spot_gap::out_of_memory);
    ++messages_;
    bytes_ += bytes;
    ++counters_.queued;
    return done;
}

std::size_t spot_queue::bytes_queued (const spot_item &what) noexcept
{
    return spot_block::record::bytes_of (what);
}

void spot_queue::passed () noexcept
{
    count_off (passing_messages_, passing_bytes_);
    passing_messages_ = passing_bytes_ = 0;
}

void spot_queue::push_gap (spot_gap why, std::uint64_t missing) noexcept
{
    counters_.dropped += why == spot_gap::connection ? std::max<std::uint64_t> (missing, 1) : missing;
    if (owed_.any () && owed_.why != why && write_gap (owed_))
        owed_ = {};
    owed_ = {why, owed_.missing + missing};
}

bool spot_queue::append_behind_gap (const spot_item &what, std::size_t bytes) noexcept
{
    if (owed_.any () && write_gap (owed_)) [[unlikely]]
        owed_ = {};
    return append (what, bytes);
}

bool spot_queue::write_gap (const owed_gap &which) noexcept
{
    spot_item gap;
    gap.gap = which.why;
    gap.missing = which.missing;
    return append (gap, spot_block::record::bytes_of (gap));
}

// False: no memory, and nothing has changed.
bool spot_queue::append (const spot_item &what, std::size_t bytes) noexcept
try {
    if (blocks_.empty () || blocks_.back ().room () < bytes) {
        blocks_.emplace_back (std::move (spare_));
        if (!blocks_.back ().reserve (std::max (bytes, block_bytes))) {
            blocks_.pop_back ();
            return false;
        }
    }
    blocks_.back ().write (what, bytes);
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

// --- one of each topic -------------------------------------------------------------

// False: none waits, or there is no memory and it stays.
bool spot_queue::replace (const spot_item &what, std::size_t bytes) noexcept
{
    const auto at = newest_.find (what.topic);
    if (at == newest_.end ())
        return false;
    spot_block fresh;
    if (!fresh.reserve (bytes))
        return false;
    fresh.write (what, bytes);
    spot_block &old = at->second->block;
    bytes_ += bytes - old.bytes ();
    old = std::move (fresh);
    ++counters_.queued;
    ++counters_.conflated;
    return true;
}

bool spot_queue::enter (const spot_item &what, std::size_t bytes) noexcept
try {
    // One that could not be replaced stays, and is not replaced any more.
    newest_.erase (what.topic);
    line_.emplace_back ();
    line_.back ().topic = what.topic;
    if (line_.back ().block.reserve (bytes)) {
        newest_.emplace (line_.back ().topic, std::prev (line_.end ()));
        line_.back ().block.write (what, bytes);
        return true;
    }
    line_.pop_back ();
    return false;
} catch (const std::bad_alloc &) {
    if (!line_.empty () && line_.back ().block.empty ())
        line_.pop_back ();
    return false;
}

spot_block spot_queue::take_from_line () noexcept
{
    if (const auto at = newest_.find (line_.front ().topic);
        at != newest_.end () && at->second == line_.begin ())
        newest_.erase (at);
    spot_block taken = std::move (line_.front ().block);
    line_.pop_front ();
    count_off (taken.messages (), taken.bytes ());
    return taken;
}

void spot_queue::set_bounds (const spot_bounds &bounds) noexcept
try {
    bounds_ = bounds;
    newest_.clear ();
    for (; !line_.empty (); line_.pop_front ()) {
        blocks_.emplace_back ();
        blocks_.back () = std::move (line_.front ().block);
    }
} catch (const std::bad_alloc &) {
    return;  // what stands in line comes behind the rest
}

// --- taking ------------------------------------------------------------------------

void spot_queue::count_off (std::size_t messages, std::size_t bytes) noexcept
{
    messages_ -= messages;
    bytes_ -= bytes;
}

// What was missing in front of it still is. False: there is none.
bool spot_queue::drop_oldest () noexcept
{
    if (blocks_.empty () && line_.empty ())
        return false;
    std::uint64_t missing = 1;
    if (!blocks_.empty ()) {
        spot_block &from = blocks_.front ();
        const bool message = from.front_gap () == spot_gap::none;
        if (message)
            count_off (1, from.front_bytes ());
        else
            missing = from.front_missing ();
        counters_.dropped += message;
        from.drop_front ();
        if (from.empty ()) {
            spare_ = std::move (from);
            blocks_.pop_front ();
        }
    } else {
        spot_block dropped = take_from_line ();
        ++counters_.dropped;
    }
    first_ = {spot_gap::queue_full, first_.missing + missing};
    return true;
}

bool spot_queue::take_gap (owed_gap &which, spot_block &into) noexcept
{
    spot_item gap;
    gap.gap = which.why;
    gap.missing = which.missing;
    const std::size_t bytes = spot_block::record::bytes_of (gap);
    if (!into.reserve (bytes))
        return false;
    into.write (gap, bytes);
    which = {};
    return true;
}

bool spot_queue::take (spot_block &into) noexcept
{
    if (first_.any ()) [[unlikely]]
        return take_gap (first_, into);
    if (blocks_.empty () && !line_.empty () && !owed_.any ()) {
        into = take_from_line ();
        return true;
    }
    if (blocks_.empty ())
        return owed_.any () && take_gap (owed_, into);
    spot_block &from = blocks_.front ();
    if (bounds_.policy != spot_policy::drop_oldest) {
        count_off (from.messages (), from.message_bytes ());
        std::swap (into, from);
        spare_ = std::move (from);
        blocks_.pop_front ();
        return true;
    }
    if (!into.reserve (from.front_bytes ()))
        return false;
    if (from.front_gap () == spot_gap::none)
        count_off (1, from.front_bytes ());
    into.take_front (from);
    if (from.empty ()) {
        spare_ = std::move (from);
        blocks_.pop_front ();
    }
    return true;
}

}  // namespace zlink::service

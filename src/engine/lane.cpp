#include "engine/lane.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/copying.hpp"
#include "base/cpu.hpp"
#include "base/lasting.hpp"
#include "engine/limits.hpp"
#include "engine/socket_core.hpp"
#include "wire/row.hpp"

namespace zlink::engine {

namespace {

constexpr unsigned pauses_max = 32;  // 1 to 2 us
constexpr unsigned holiday_max = 1024;
constexpr std::uint64_t far_ahead = 16;         // messages
constexpr std::size_t fetch_ahead_bytes = 512;  // see decision 0034
constexpr auto small_bytes_max = static_cast<std::int64_t> (lane_inline_bytes_max);

}  // namespace

static_assert (lane_inline_bytes_max + 64 < lane_segment_bytes);
static_assert (sizeof (std::uint64_t) == 8);

bool lane::has_room () noexcept
{
    const std::int64_t limit = limit_messages_.load (std::memory_order_relaxed);
    const std::uint64_t sent = published_.load (std::memory_order_relaxed);
    if (static_cast<std::int64_t> (sent - seen_consumed_) >= limit) {
        seen_consumed_ = consumed_.load (std::memory_order_acquire);
        if (held_
            || static_cast<std::int64_t> (sent - seen_consumed_) >= mark_.load (std::memory_order_relaxed)
            || !within_budget ())
            return false;
    }
    const std::int64_t limit_bytes = limit_bytes_.load (std::memory_order_relaxed);
    if (limit_bytes >= unlimited) [[likely]]
        return true;
    const std::uint64_t taken = consumed_bytes_.load (std::memory_order_acquire);
    return static_cast<std::int64_t> (published_bytes_ - taken) < limit_bytes;
}

std::uint64_t lane::sure_room () noexcept
{
    const std::int64_t limit = limit_messages_.load (std::memory_order_relaxed);
    if (limit == 0)
        return 0;
    seen_consumed_ = consumed_.load (std::memory_order_acquire);
    const auto queued =
      static_cast<std::int64_t> (published_.load (std::memory_order_relaxed) - seen_consumed_);
    const std::int64_t bytes_left =
      limit_bytes_.load (std::memory_order_relaxed) - static_cast<std::int64_t> (queued_bytes ());
    // Any byte of room is room for a message.
    const std::int64_t left = std::min (limit - queued, (bytes_left + small_bytes_max - 1) / small_bytes_max);
    return static_cast<std::uint64_t> (std::max (left, std::int64_t{0}));
}

void lane::set_limits (std::int64_t messages, std::int64_t bytes) noexcept
{
    mark_.store (messages, std::memory_order_relaxed);
    // With an account every message looks more closely.
    limit_messages_.store (account_ != nullptr ? 0 : messages, std::memory_order_relaxed);
    limit_bytes_.store (bytes, std::memory_order_relaxed);
}

void lane::hold () noexcept
{
    held_ = true;
    limit_messages_.store (0, std::memory_order_relaxed);
}

void lane::let_through () noexcept
{
    held_ = false;
    limit_messages_.store (account_ != nullptr ? 0 : mark_.load (std::memory_order_relaxed),
                           std::memory_order_relaxed);
}

// What nobody takes yet uses one half at most; an empty lane takes one message.
bool lane::within_budget () const noexcept
{
    if (account_ == nullptr || !account_->half_reached ())
        return true;
    const bool joined = reader.load (std::memory_order_acquire) != nullptr;
    return (joined && !account_->reached ()) || untaken_messages () == 0;
}

constinit base::turnover lane::segments_;

lane::segment *lane::fresh_segment () noexcept
{
    void *fresh = segments_.take (sizeof (segment));
    if (fresh == nullptr)
        fresh = ::operator new (sizeof (segment), std::nothrow);
    if (fresh == nullptr)
        fresh = segments_.take_early ();
    return fresh == nullptr ? nullptr : new (fresh) segment;
}

// The last one gives it back.
void lane::release_segment (segment *gone) noexcept
{
    if (gone->kept_by.fetch_sub (1, std::memory_order_acq_rel) == 1
        && !segments_.give (gone, sizeof (segment)))
        ::operator delete (gone);
}

base::memory_hold lane::keep_memory () const
{
    head_->kept_by.fetch_add (1, std::memory_order_relaxed);
    return {head_, [] (segment *held) { release_segment (held); }};
}

bool lane::prepare () noexcept { return tail_ != nullptr || reserve_anew (0) != nullptr; }

inline std::byte *lane::reserve (std::size_t payload_bytes) noexcept
{
    const std::size_t need = sizeof (record) + padded (payload_bytes);
    if (tail_ == nullptr || tail_at_ + need + sizeof (record) > lane_segment_bytes) [[unlikely]]
        return reserve_anew (need);
    std::byte *const at = std::exchange (tail_at_, tail_at_ + need) + tail_->data;
    base::cpu_fetch_to_write (at + fetch_ahead_bytes);
    return at;
}

// In the next segment.
std::byte *lane::reserve_anew (std::size_t need) noexcept
{
    segment *const fresh = fresh_segment ();
    if (fresh == nullptr)
        return nullptr;
    if (tail_ == nullptr) {
        head_ = fresh;  // the consumer looks here only after a publish
    } else {
        new (tail_->data + tail_at_) record{0, record_jump, false};
        tail_->next = fresh;
        if (account_ != nullptr)
            account_->take (lane_segment_bytes);
    }
    tail_ = fresh;
    tail_at_ = need;
    row_.row = 0;
    return fresh->data;
}

bool lane::push (base::bytes_view body, bool more) noexcept
{
    if (body.size () > lane_inline_bytes_max) {
        base::message copy;
        if (!copy.init_copy (body).ok ())
            return false;
        copy.set_more (more);
        if (push (copy))
            return true;
        copy.close ();
        return false;
    }
    std::byte *at = reserve (body.size ());
    if (at == nullptr) [[unlikely]]
        return false;
    new (at) record{static_cast<std::uint16_t> (body.size ()), record_inline, more};
    if (!body.empty ())
        std::memcpy (at + sizeof (record), body.data (), body.size ());
    unpublished_bytes_ += body.size ();
    return true;
}

inline lane::record *lane::add_joined (const base::joined_part &what, std::size_t bytes) noexcept
{
    std::byte *const at = reserve (bytes);
    if (at == nullptr) [[unlikely]]
        return nullptr;
    auto *const made = new (at) record{static_cast<std::uint16_t> (bytes), record_inline, false};
    wire::write_joined (at + sizeof (record), what);
    unpublished_bytes_ += bytes;
    return made;
}

bool lane::publish_small (const base::joined_part &what, std::size_t bytes) noexcept
{
    if (what.row != 0)
        return publish_of_row (what, bytes);
    if (add_joined (what, bytes) == nullptr) [[unlikely]]
        return false;
    publish ();
    return true;
}

bool lane::publish_of_row (const base::joined_part &what, std::size_t bytes) noexcept
{
    if (goes_on (what)) [[likely]] {
        go_on (what);
        unpublished_bytes_ += bytes;
    } else {
        record *const made = add_joined (what, bytes);
        if (made == nullptr)
            return false;
        begin_row (what, *made);
    }
    publish ();
    return true;
}

// Others may go on behind it, if its front ends with its number.
void lane::begin_row (const base::joined_part &what, record &first) noexcept
{
    const std::size_t front = what.front.size ();
    if (what.number_at == 0 || what.number_at + sizeof (std::uint64_t) != front
        || front > lane_row_front_bytes_max)
        return;
    first.row_at = static_cast<std::uint16_t> (front);
    const std::ptrdiff_t stands = reinterpret_cast<std::byte *> (&first) - tail_->data;
    row_ = {what.row, what.number + 1, tail_at_,
            static_cast<std::uint16_t> (static_cast<std::size_t> (stands) / sizeof (record)), 1};
}

// There is room.
inline void lane::go_on (const base::joined_part &what) noexcept
{
    const std::size_t size = row_item_lead_bytes + wire::row_mark_bytes + what.rest.size ();
    std::byte *const at = reserve (size);
    new (at) record{static_cast<std::uint16_t> (size), record_row_item, false, row_.first, row_.items};
    (void)wire::write_row_item (at + sizeof (record) + row_item_lead_bytes, what.rest);
    ++row_.items;
    ++row_.next;
    row_.end = tail_at_;
}

bool lane::push (base::message &part) noexcept
{
    std::byte *at = reserve (sizeof (base::message));
    if (at == nullptr)
        return false;
    new (at) record{sizeof (base::message), record_message, part.more ()};
    unpublished_bytes_ += part.size ();
    if (account_ != nullptr) [[unlikely]]
        count_body (part);
    std::memcpy (at + sizeof (record), static_cast<const void *> (&part), sizeof part);
    part.init ();
    return true;
}

bool lane::push_command (base::bytes_view body) noexcept
{
    std::byte *at = reserve (body.size ());
    if (at == nullptr)
        return false;
    new (at) record{static_cast<std::uint16_t> (body.size ()), record_command, false};
    std::memcpy (at + sizeof (record), body.data (), body.size ());
    unpublished_bytes_ += body.size ();
    return true;
}

bool lane::push_gap (std::uint64_t messages) noexcept
{
    std::byte *at = reserve (sizeof messages);
    if (at == nullptr)
        return false;
    new (at) record{sizeof messages, record_gap, false};
    std::memcpy (at + sizeof (record), &messages, sizeof messages);
    return true;
}

lane::position lane::where () const noexcept
{
    position now;
    now.in_ = tail_;
    now.at_ = tail_at_;
    return now;
}

void lane::take_back (const position &from, std::span<base::message> parts) noexcept
{
    segment *const start = from.in_ == nullptr ? head_ : from.in_;
    segment *in = start;
    std::size_t at = from.at_;
    for (base::message &part : parts) {
        auto *record_at = reinterpret_cast<record *> (in->data + at);
        if (record_at->kind == record_jump) {
            in = in->next;
            at = 0;
            record_at = reinterpret_cast<record *> (in->data);
        }
        std::memcpy (static_cast<void *> (&part), in->data + at + sizeof (record), sizeof part);
        if (account_ != nullptr)
            account_->give (part.size ());
        at += sizeof (record) + padded (record_at->size);
    }
    tail_ = start;
    tail_at_ = from.at_;
    unpublished_bytes_ = 0;
    if (tail_ == nullptr)
        return;
    for (segment *each = std::exchange (tail_->next, nullptr); each != nullptr;) {
        release_segment (std::exchange (each, each->next));
        if (account_ != nullptr)
            account_->give (lane_segment_bytes);
    }
}

bool lane::replace (base::message &part) noexcept
{
    bool waiting = false;
    {
        const base::locked hold (latest_lock_);
        waiting = latest_waiting_;
        if (waiting) {
            latest_.close ();
            latest_ = part;
            part.init ();
        }
    }
    replaced_ += waiting;
    if (waiting)
        return true;
    std::byte *at = reserve (0);
    if (at == nullptr)
        return false;
    new (at) record{0, record_latest, false};
    {
        const base::locked hold (latest_lock_);
        latest_ = part;
        latest_waiting_ = true;
    }
    part.init ();
    publish ();
    return true;
}

bool lane::look_again () noexcept
{
    seen_published_ = published_.load (std::memory_order_acquire);
    return taken_ != seen_published_;
}

bool lane::look_again_soon () noexcept
{
    look_again ();
    const std::uint64_t ahead = seen_published_ - taken_;
    if (ahead >= far_ahead)
        return true;
    if (pause_holiday_ > 0) {
        // Lone messages go on as they are; behind a stream it pays again.
        pause_holiday_ = ahead > 1 ? 0 : pause_holiday_ - 1;
        return ahead > 0;
    }
    return pause_on_heels ();
}

// A consumer on the producer's heels makes both fight for one line: gives the
// producer a moment to get ahead, a longer one while that helps or was not
// enough; and none for a while when it is in vain.
bool lane::pause_on_heels () noexcept
{
    const std::uint64_t before = seen_published_;
    for (unsigned i = 0; i < pause_count_; ++i)
        base::cpu_pause ();
    look_again ();
    if (seen_published_ != before)
        next_holiday_ = holiday_min;
    else if (pause_count_ == pauses_max) {
        pause_holiday_ = next_holiday_;
        next_holiday_ = std::min (next_holiday_ * 4, holiday_max);
        pause_count_ = 1;
        return seen_readable ();
    }
    pause_count_ = std::min (pause_count_ * 2, pauses_max);
    return seen_readable ();
}

void lane::next_segment () noexcept
{
    segment *done = head_;
    head_ = done->next;
    head_at_ = 0;
    item_shown_ = nullptr;
    release_segment (done);
    if (reader_account_ != nullptr)
        give_back (lane_segment_bytes);
}

void lane::skip_mark (const record &at) noexcept
{
    if (at.kind == record_jump) {
        next_segment ();
        note_turn ();
    } else {
        std::uint64_t missed = 0;
        std::memcpy (&missed, head_->data + head_at_ + sizeof (record), sizeof missed);
        head_at_ += sizeof (record) + sizeof missed;
        if (socket_core *const consumer = reader.load (std::memory_order_relaxed); consumer != nullptr)
            consumer->note_gap_locked (*reader_end, missed);
    }
}

// Marks come once in a segment: often enough to look at the clock.
void lane::note_turn () noexcept
{
    socket_core *const consumer = reader.load (std::memory_order_relaxed);
    if (consumer != nullptr && waiting_.turned (taken_))
        consumer->note_turn_locked (*reader_end);
}

void lane::start_waiting (std::uint64_t now) noexcept
{
    if (waiting_since () != 0)
        return;
    waiting_.start (now, published_.load (std::memory_order_acquire));
    waiting_since_.store (now, std::memory_order_relaxed);
}

void lane::turn_waiting (std::uint64_t now) noexcept
{
    waiting_.turn (now, published_.load (std::memory_order_acquire));
    waiting_since_.store (now - waiting_.ticks (now), std::memory_order_relaxed);
}

lane::record *lane::skip_all_marks () noexcept
{
    for (;;) {
        auto *const at = reinterpret_cast<record *> (head_->data + head_at_);
        if (at->kind < record_first_mark)
            return at;
        skip_mark (*at);
    }
}

// The record at the head, behind marks, of which there are few.
inline lane::record *lane::skip_marks () noexcept
{
    auto *const at = reinterpret_cast<record *> (head_->data + head_at_);
    return at->kind < record_first_mark ? at : skip_all_marks ();
}

// A copy, with all that the row begins with and the number of this one.
lane_front lane::show_row_item (const record &at) noexcept
{
    const record *const first = row_of (at);
    const base::bytes_view octets = octets_of (at);
    std::byte *const shown = head_->shown;
    const lane_front whole{{shown, first->row_at + octets.size ()}, nullptr, false};
    if (std::exchange (item_shown_, &at) == &at)
        return whole;
    std::byte *const number = shown + first->row_at - sizeof (std::uint64_t);
    std::memcpy (shown, first + 1, first->row_at);
    base::store_u64_be (number, base::load_u64_be (number) + at.in_row);
    base::copy_octets (shown + first->row_at, octets.data (), octets.size ());
    return whole;
}

lane_front lane::front_beside () noexcept
{
    record *const at = skip_marks ();
    std::byte *payload = reinterpret_cast<std::byte *> (at) + sizeof (record);
    if (at->kind == record_inline)
        return {{payload, at->size}, nullptr, at->more};
    if (at->kind == record_row_item)
        return show_row_item (*at);
    if (at->kind == record_command)
        return {{payload, at->size}, nullptr, false, true};
    if (at->kind == record_latest) {
        if (!latest_shown_) {
            const base::locked hold (latest_lock_);
            latest_taken_ = latest_;
            latest_waiting_ = false;
            latest_shown_ = true;
        }
        return {latest_taken_.view (), &latest_taken_, false};
    }
    auto *whole = reinterpret_cast<base::message *> (payload);
    return {whole->view (), whole, at->more};
}

std::size_t lane::parts_left () noexcept
{
    (void)front ();  // goes over a jump
    const segment *in = head_;
    std::size_t at = head_at_;
    std::size_t count = 1;
    for (;;) {
        const auto *part = reinterpret_cast<const record *> (in->data + at);
        if (part->kind == record_jump) {
            in = in->next;
            at = 0;
            continue;
        }
        if (!part->more)
            return count;
        ++count;
        at += sizeof (record) + padded (part->size);
    }
}

void lane::give_body_back (std::size_t bytes) noexcept
{
    const auto *at = reinterpret_cast<const record *> (head_->data + head_at_);
    if (at->kind == record_message)
        give_back (bytes);
}

// On the consumer's side, under its socket's lock.
void lane::give_back (std::size_t bytes) noexcept
{
    reader_account_->give (bytes);
    if (socket_core *const consumer = reader.load (std::memory_order_relaxed); consumer != nullptr)
        consumer->note_freed_locked ();
}

void lane::count_body (const base::message &part) noexcept { account_->take (part.size ()); }

bool lane::writer_may_go_on () const noexcept
{
    const std::int64_t limit = mark_.load (std::memory_order_relaxed);
    if (limit >= unlimited)
        return true;
    // Asked without the lock: taken_ may be moving under another receiver, or
    // the lane be on its way to its next users. consumed_ first, so that the
    // difference is not negative.
    const std::uint64_t consumed = consumed_.load (std::memory_order_acquire);
    const auto in_flight = static_cast<std::int64_t> (published_.load (std::memory_order_relaxed) - consumed);
    return in_flight == 0 || limit - in_flight >= (limit + 1) / 2;
}

void lane::recycle () noexcept
{
    while (readable ())
        drop (front ());
    for (segment *each = head_; each != nullptr;) {
        segment *next = each->next;
        if (account_ != nullptr && next != nullptr)
            account_->give (lane_segment_bytes);
        release_segment (each);
        each = next;
    }
    account_ = reader_account_ = nullptr;
    tail_ = head_ = nullptr;
    tail_at_ = head_at_ = 0;
    seen_consumed_ = published_bytes_ = unpublished_bytes_ = replaced_ = 0;
    taken_ = seen_published_ = taken_bytes_ = 0;
    pause_count_ = 1;
    pause_holiday_ = 0;
    inside_message_ = held_ = false;
    row_.row = 0;
    item_shown_ = nullptr;
    published_.store (0, std::memory_order_relaxed);
    consumed_.store (0, std::memory_order_relaxed);
    consumed_bytes_.store (0, std::memory_order_relaxed);
    set_limits (unlimited, unlimited);
    for (auto *flag : {&listed, &writer_waits, &writer_closed, &reader_closed})
        flag->store (false, std::memory_order_relaxed);
    reader_end = writer_end = nullptr;
    waiting_.stop ();
    stop_waiting ();
}

namespace {

struct lane_pool
{
    base::exchange_lock lock;
    std::vector<lane *> free;
};

constinit base::lasting<lane_pool> pool;  // outlives every user, on purpose

}  // namespace

lane *take_lane () noexcept
{
    lane_pool *const from = pool.get ();
    if (from == nullptr)
        return nullptr;
    {
        const base::locked hold (from->lock);
        if (!from->free.empty ()) {
            lane *again = from->free.back ();
            from->free.pop_back ();
            return again;
        }
    }
    return new (std::nothrow) lane;
}

void forsake_lanes () noexcept { pool.forsake (); }

void release_lane (lane *gone) noexcept
{
    if (gone->holders.fetch_sub (1, std::memory_order_acq_rel) != 1)
        return;
    gone->recycle ();
    lane_pool &to = *pool.get ();
    const base::locked hold (to.lock);
    try {
        to.free.push_back (gone);
    } catch (const std::bad_alloc &) {
        // It stays allocated: a lane is never freed.
    }
}

}  // namespace zlink::engine

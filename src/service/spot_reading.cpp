// How those who wait for a node share its socket: one reads for all, and puts what it
// reads in the queues of those who want it; the others sleep until something is there
// for them, or they are to read.
#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "service/option_numbers.hpp"
#include "service/spot_node.hpp"

namespace zlink::service {

using base::bytes_view;
using base::errc;
using base::io_count;
using base::message;
using base::result;
using base::time_ns;

namespace {

constexpr std::size_t parts_first = 8;

// Who says so has nothing more to say: what it said to others in front of it nobody lacks.
bool is_farewell (const wire::spot_frame &frame) noexcept
{
    std::uint16_t kind = 0;
    bytes_view fields;
    return frame.subject != wire::spot_subject::topic
           && wire::decode_spot_letter (frame.body, kind, fields) == wire::service_status::complete
           && kind == static_cast<std::uint16_t> (wire::spot_letter::farewell);
}

}  // namespace

// --- whose turn it is ----------------------------------------------------------------

errc spot_node::attend (spot_subscription &self, time_ns deadline) noexcept
{
    if (over_.load (std::memory_order_relaxed))
        return errc::terminated;
    if (!stalled_.load (std::memory_order_seq_cst) && try_lead ()) {
        self.attended ();
        if (loop_reads_.load (std::memory_order_seq_cst))
            seat_->wake ();
        // It may have come before the lead was ours.
        reading_.by = &self;
        const errc done = self.has_news () ? errc::ok : read (deadline);
        reading_.by = nullptr;
        lead_off ();
        if (loop_rests_.load (std::memory_order_relaxed) && loop_rests_.exchange (false))
            seat_->wake ();
        return done;
    }
    if (deadline != 0)
        return follow (self, deadline);
    if (!loop_leads_.load (std::memory_order_seq_cst))
        return errc::would_block;
    world_.sleep.yield ();
    return errc::ok;
}

errc spot_node::follow (spot_subscription &self, time_ns deadline) noexcept
try {
    std::uint32_t expected = 0;
    {
        const holding here (self.lock_);
        if (self.has_news_locked ())
            return errc::ok;
        self.asleep_ = true;
        expected = self.word_.load (std::memory_order_relaxed);
    }
    {
        const holding here (turn_lock_);
        followers_.push_back (&self);
        followers_count_.fetch_add (1, std::memory_order_seq_cst);
    }
    socket::flush_own_tails ();
    base::wait_outcome outcome = base::wait_outcome::woken;
    if (leading_.load (std::memory_order_seq_cst) || stalled_.load (std::memory_order_seq_cst))
        outcome = self.await_ring (expected, deadline);
    bool to_lead = true;
    {
        const holding here (turn_lock_);
        if (std::erase (followers_, &self) != 0) {
            followers_count_.fetch_sub (1, std::memory_order_seq_cst);
            to_lead = false;
        }
    }
    if (to_lead && outcome != base::wait_outcome::woken)
        hand_on ();  // it leaves instead
    const holding here (self.lock_);
    self.asleep_ = false;
    return outcome == base::wait_outcome::interrupted ? errc::interrupted
           : outcome == base::wait_outcome::timed_out ? errc::would_block
                                                      : errc::ok;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void spot_node::lead_off () noexcept
{
    leading_.store (false, std::memory_order_seq_cst);
    hand_on ();
}

// Somebody who sleeps reads on, if nobody does.
void spot_node::hand_on () noexcept
{
    if (followers_count_.load (std::memory_order_seq_cst) == 0 || leading_.load (std::memory_order_seq_cst)
        || stalled_.load (std::memory_order_seq_cst))
        return;
    const holding here (turn_lock_);
    if (followers_.empty ())
        return;
    spot_subscription &next = *followers_.front ();
    followers_.erase (followers_.begin ());
    followers_count_.fetch_sub (1, std::memory_order_seq_cst);
    next.ring ();
}

// Before a follower sleeps: somebody reads already, and there is a core for who looks.
bool spot_node::may_look () noexcept
{
    int spin = 0;
    std::size_t size = sizeof spin;
    return followers_count_.load (std::memory_order_relaxed) < world_.sleep.cores ()
           && socket::get_option (in_, number_of_spin, &spin, &size).ok () && spin != 0;
}

// The message that waits for room may have it now.
void spot_node::room_made () noexcept
{
    if (!stalled_.exchange (false, std::memory_order_seq_cst))
        return;
    hand_on ();
    seat_->wake ();
}

// Whoever reads comes back. False: without memory he is not told.
bool spot_node::poke () noexcept
{
    return !leading_.load (std::memory_order_seq_cst)
           || post (id_, static_cast<std::uint16_t> (wire::spot_letter::poke), {});
}

// --- reading -------------------------------------------------------------------------

errc spot_node::read (time_ns deadline) noexcept
try {
    if (reading_.at == reading_.count && reading_.parts_count == 0) {
        const bool broke = reading_.broke != 0;
        const errc filled = fill (broke ? 0 : deadline);
        if (filled == errc::would_block && broke) {
            const holding table (table_lock_);
            end_doubts_locked ();
            settle_locked ();
            return errc::ok;
        }
        if (filled != errc::ok)
            return filled;
    }
    dispatch ();
    return errc::ok;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void spot_node::set_timeout (time_ns deadline) noexcept
{
    int timeout_ms = -1;
    if (deadline != base::never_ns) {
        const time_ns left = std::max<time_ns> (deadline - world_.time.now_ns (), 0) / base::ns_per_ms + 1;
        timeout_ms = static_cast<int> (std::min<time_ns> (left, std::numeric_limits<int>::max ()));
    }
    if (timeout_ms == reading_.timeout_ms)
        return;
    (void)socket::set_option (in_, number_of_receive_timeout, &timeout_ms, sizeof timeout_ms);
    reading_.timeout_ms = timeout_ms;
}

errc spot_node::fill (time_ns deadline)
{
    reading_.memory.clear ();
    reading_.row_front = {};
    if (deadline != 0)
        set_timeout (deadline);
    const unsigned flags = deadline == 0 ? socket::io_dont_wait : 0u;
    base::placed_parts to{.room = reading_.memory.room,
                          .parts = reading_.frames,
                          .holds = reading_.memory.holds,
                          .goes_on = reading_.goes_on};
    const io_count got = socket::receive_placed (in_, to, flags);
    reading_.memory.held = to.held;
    if (got.ok ()) {
        reading_.count = got.size ();
        reading_.at = 0;
        return errc::ok;
    }
    if (got.code () == errc::wrong_state || got.code () == errc::message_too_long)
        return fill_parts ();
    return got.code ();
}

errc spot_node::fill_parts ()
{
    reading_.parts.resize (std::max (reading_.parts.size (), parts_first));
    for (;;) {
        for (message &each : reading_.parts)
            each.init ();
        std::size_t needed = 0;
        const io_count got = socket::receive_parts (in_, reading_.parts, socket::io_dont_wait, &needed);
        if (got.ok ()) {
            reading_.parts_count = got.size ();
            return errc::ok;
        }
        if (got.code () != errc::message_too_long)
            return got.code ();
        reading_.parts.resize (needed);
    }
}

// --- handing out -----------------------------------------------------------------------

void spot_node::dispatch () noexcept
{
    const holding table (table_lock_);
    reading &from = reading_;
    take_events_locked ();
    take_batch_locked ();
    bool taken = from.at == from.count;
    if (taken && from.parts_count != 0) {
        const std::span<message> parts = std::span (from.parts).first (from.parts_count);
        taken = take_frame_locked (parts.front ().view (), parts);
        if (taken) {
            for (message &each : parts)
                each.close ();
            from.parts_count = 0;
        }
    }
    if (taken)
        leave_doubts_locked ();
    settle_locked ();
}

// Who leads has no room at hand, and reads that first.
bool spot_node::leader_is_full_locked () const noexcept
{
    return reading_.by != nullptr && reading_.by->read_.full ();
}

// Another of those that are alike, from a publisher of which nothing is missing. False: it is not
// as simple as that, or there is no room, and nothing has happened.
template <class Give>
[[gnu::always_inline]] inline bool spot_node::take_alike_locked (const spot_plain &what, Give give) noexcept
{
    if (what.number <= last_heard_->last || !give (what))
        return false;
    last_heard_->last = what.number;
    return true;
}

// The same of a row, with the body of all that are left. False: some are left.
template <class Give> bool spot_node::take_alike_row_locked (spot_plain &what, Give give) noexcept
{
    reading &from = reading_;
    bytes_view left = what.body.subspan (from.row_bytes);
    const std::size_t whole = what.body.size ();
    what.number += from.row_taken;
    do {
        if (!wire::take_row_item (left, what.body) || !take_alike_locked (what, give))
            return false;
        from.row_bytes = whole - left.size ();
        ++from.row_taken;
        ++what.number;
    } while (!left.empty ());
    from.row_bytes = from.row_taken = 0;
    return true;
}

// As many as there are in a row, and as give() takes.
template <class Give> [[gnu::always_inline]] inline void spot_node::take_run_locked (Give give) noexcept
{
    reading &from = reading_;
    spot_plain item;
    if (from.goes_on[from.at] && !alike_.holds (from.row_front, item))
        return;
    item.number = from.row_number;
    const bool rows = alike_.is_row ();
    for (; from.at < from.count; ++from.at) {
        const bytes_view what = from.frames[from.at];
        if (from.goes_on[from.at])
            item.body = what;
        else if (alike_.holds (what, item))
            from.row_front = what.first (alike_.bytes ());
        else
            break;
        if (!(rows ? take_alike_row_locked (item, give) : take_alike_locked (item, give)))
            break;
    }
    from.row_number = item.number - from.row_taken;
}

void spot_node::count_run_locked (std::size_t messages, std::size_t receivers) noexcept
{
    reading_.frame += messages;
    last_heard_->frame = reading_.frame;
    counters_.received += messages;
    counters_.delivered += messages * receivers;
}

void spot_node::take_alikes_alone_locked () noexcept
{
    spot_subscription &by = *reading_.by;
    spot_subscription::handing to = by.begin_handing ();
    take_run_locked ([&] (const spot_plain &what) { return by.put_at_hand (what, to); });
    if (to.given.messages == 0)
        return;
    count_run_locked (to.given.messages, 1);
    by.end_handing (to, reading_.frame);
}

template <class Visit>
[[gnu::always_inline]] inline void spot_node::for_alikes_locked (const spot_subscription *but, Visit visit)
{
    for (spot_subscription *const each : alike_for_)
        if (each != but)
            visit (*each);
}

// Who leads has them at hand, if nothing is in front of them.
void spot_node::take_alikes_for_all_locked () noexcept
{
    const bool reads = std::ranges::find (alike_for_, reading_.by) != alike_for_.end ();
    spot_subscription::handing to = reads ? reading_.by->begin_handing () : spot_subscription::handing{};
    spot_subscription *const at_hand = to.room.messages > 0 ? reading_.by : nullptr;
    spot_queue::passage room{SIZE_MAX, SIZE_MAX};
    for_alikes_locked (at_hand, [&] (spot_subscription &each) {
        const spot_queue::passage its = each.sure_room ();
        room = {std::min (room.messages, its.messages), std::min (room.bytes, its.bytes)};
    });
    std::size_t given = 0;
    spot_item item;
    take_run_locked ([&] (const spot_plain &what) {
        item.show (what);
        const std::size_t bytes = spot_queue::bytes_queued (item);
        if (given == room.messages || bytes > room.bytes
            || (at_hand != nullptr && !at_hand->put_at_hand (what, to)))
            return false;
        for_alikes_locked (at_hand, [&] (spot_subscription &each) { each.put_sure (item); });
        room.bytes -= bytes;
        ++given;
        return true;
    });
    if (given == 0)
        return;
    count_run_locked (given, alike_for_.size ());
    for_alikes_locked (at_hand, [&] (spot_subscription &each) { each.end_putting (reading_.frame); });
    if (at_hand != nullptr)
        at_hand->end_handing (to, reading_.frame);
}

void spot_node::take_alikes_locked () noexcept
{
    const reading &from = reading_;
    if (from.doubtful || from.broke != 0 || from.entered || !alike_.known (interest_.changes ())
        || last_heard_->doubt != doubts_)
        return;
    if (alike_for_.size () == 1 && alike_for_.front () == from.by)
        take_alikes_alone_locked ();
    else
        take_alikes_for_all_locked ();
}

// As far as there is room.
void spot_node::take_batch_locked () noexcept
{
    reading &from = reading_;
    bool taken = true;
    while (taken && from.at < from.count && !leader_is_full_locked ()) {
        take_alikes_locked ();
        if (from.at == from.count || leader_is_full_locked ())
            break;
        taken = take_next_locked ();
        from.at += taken;
    }
    hand_over_locked ();
    if (from.at == from.count)
        from.memory.let_go ();
}

// The memory goes with what stands in it to who leads; what is left to do stays here.
void spot_node::hand_over_locked () noexcept
{
    reading &from = reading_;
    if (from.by == nullptr || from.by->read_.empty ())
        return;
    from.by->read_.trade (from.memory, std::span (from.frames).first (from.count).subspan (from.at),
                          from.row_front);
}

// What was read with the news of trouble is handed out. Of connections that broke something may
// still be unread, a farewell too: they are settled when nothing is, or after so much that it
// has to be.
void spot_node::leave_doubts_locked () noexcept
{
    reading_.doubtful = false;
    if (reading_.broke == 0 || ++reading_.batches_since < spot_broken_batches)
        return;
    const std::uint64_t before = counters_.broken;
    end_doubts_locked ();
    late_farewells_ += counters_.broken - before;
}

// Nothing is left to read of those that broke. What comes over another connection next may lack
// something still.
void spot_node::end_doubts_locked () noexcept
{
    reading_.batches_since = 0;
    late_farewells_ = 0;
    for (; reading_.broke != 0; --reading_.broke) {
        if (farewells_ != 0) {
            --farewells_;
            continue;
        }
        ++counters_.broken;
        ++doubts_;
        report_all_locked (spot_gap::connection, 0);
        if (spot_extension *const by = extension (); by != nullptr)
            by->doubted ();
    }
}

// Who has something is woken; who was disconnected wants nothing any more.
void spot_node::settle_locked () noexcept
{
    for (spot_subscription *const each : held_)
        each->let_go ();
    held_.clear ();
    for (spot_subscription *const each : roused_)
        each->ring ();
    roused_.clear ();
    for (spot_subscription *const each : cut_)
        interest_.remove_all (*each);
    cut_.clear ();
}

// A whole frame, or what goes on in the row of the one before. False: somebody has no room, and
// it is tried again.
bool spot_node::take_next_locked () noexcept
{
    reading &from = reading_;
    const bytes_view what = from.frames[from.at];
    if (!from.goes_on[from.at]) {
        from.row_front = {};
        return take_frame_locked (what, {});
    }
    wire::spot_frame frame;
    if (wire::decode_spot_frame (from.row_front, frame) != wire::service_status::complete) [[unlikely]] {
        ++counters_.malformed;
        return true;
    }
    frame.head.number = from.row_number;
    return take_row_locked (from.row_front, frame, what);
}

// False: somebody has no room, and it is tried again.
bool spot_node::take_frame_locked (bytes_view first, std::span<message> parts) noexcept
{
    wire::spot_frame frame;
    const wire::service_status status = wire::decode_spot_frame (first, frame);
    if (status != wire::service_status::complete) [[unlikely]] {
        counters_.malformed += status != wire::service_status::kind_unknown;
        return true;
    }
    if ((frame.head.flags & wire::spot_flag_row) != 0) [[likely]] {
        const bytes_view items = frame.body;
        reading_.row_front = first.first (first.size () - items.size ());
        return take_row_locked (reading_.row_front, frame, items);
    }
    return take_one_locked (first, frame, parts);
}

// One after the other; what cannot be read ends it.
bool spot_node::take_row_locked (bytes_view first, wire::spot_frame &frame, bytes_view body) noexcept
{
    reading &from = reading_;
    bytes_view left = body.subspan (from.row_bytes);
    frame.head.number += from.row_taken;
    do {
        if (leader_is_full_locked ())
            return false;
        if (!wire::take_row_item (left, frame.body)) [[unlikely]] {
            ++counters_.malformed;
            break;
        }
        if (!take_one_locked (first, frame, {}))
            return false;
        from.row_bytes = body.size () - left.size ();
        ++from.row_taken;
        ++frame.head.number;
    } while (!left.empty ());
    from.row_bytes = from.row_taken = 0;
    from.row_number = frame.head.number;
    return true;
}

bool spot_node::take_one_locked (bytes_view first,
                                 const wire::spot_frame &frame,
                                 std::span<message> parts) noexcept
{
    if (!reading_.entered) {
        ++reading_.frame;
        if (!is_new_locked (frame)) [[unlikely]] {
            ++counters_.repeated;
            return true;
        }
        reading_.entered = true;
    }
    bool done = true;
    if (frame.subject == wire::spot_subject::topic) [[likely]]
        done = take_topic_locked (first, frame, parts);
    else
        take_letter_locked (frame);
    reading_.entered = !done;
    return done;
}

// Those that were heard of longest ago: a part of them at once, so that who makes up publishers
// does not have all looked at for each one.
void spot_node::forget_publishers_locked ()
{
    std::vector<std::uint64_t> frames;
    frames.reserve (publishers_.size ());
    for (const auto &[publisher, heard] : publishers_)
        frames.push_back (heard.frame);
    const auto last = frames.begin () + spot_publishers_forgotten - 1;
    std::ranges::nth_element (frames, last);
    std::erase_if (publishers_, [upto = *last] (const auto &each) { return each.second.frame <= upto; });
}

bool spot_node::is_new_locked (const wire::spot_frame &frame) noexcept
try {
    const wire::spot_head &head = frame.head;
    if (last_heard_ == nullptr || last_publisher_ != head.publisher) [[unlikely]] {
        last_heard_ = nullptr;
        alike_.forget ();
        if (publishers_.size () >= spot_publishers_max && !publishers_.contains (head.publisher))
            forget_publishers_locked ();
        const auto [at, fresh] = publishers_.try_emplace (head.publisher);
        if (fresh)
            at->second = {.last = head.number - 1, .doubt = doubts_};
        last_publisher_ = head.publisher;
        last_heard_ = &at->second;
    }
    heard_publisher &by = *last_heard_;
    if (head.number <= by.last)
        return false;
    if (by.doubt != doubts_ || reading_.doubtful || reading_.broke > farewells_) [[unlikely]] {
        by.doubt = doubts_;
        if (head.number != by.last + 1 && !is_farewell (frame))
            report_all_locked (reading_.doubtful && reading_.broke <= farewells_ ? spot_gap::publisher_full
                                                                                 : spot_gap::connection,
                               0);
    }
    by.last = head.number;
    by.frame = reading_.frame;
    return true;
} catch (const std::bad_alloc &) {
    return true;
}

bool spot_node::take_topic_locked (bytes_view first,
                                   const wire::spot_frame &frame,
                                   std::span<message> parts) noexcept
{
    spot_item item;
    item.topic = frame.topic;
    item.publisher = frame.head.publisher;
    item.number = frame.head.number;
    item.fields = frame.head.fields;
    item.body = frame.body;
    if ((frame.head.flags & wire::spot_flag_parts) != 0) {
        item.parts = parts.empty () ? parts : parts.subspan (1);
        item.body = item.parts.size () == 1 ? item.parts.front ().view () : bytes_view ();
    }
    if ((frame.head.flags & wire::spot_flag_ordered) != 0) {
        spot_extension *const by = extension ();
        counters_.unwanted += by == nullptr;
        if (by != nullptr)
            counters_.malformed += !by->took (item);
        return true;
    }
    std::span<spot_interested *const> chosen;
    if (!interest_.choose (first.first (frame.topic.size () + 1), chosen)) {
        report_all_locked (spot_gap::out_of_memory, 1);
        return true;
    }
    const bool done = give_locked (first, frame, item, parts.empty (), chosen);
    if (done) [[likely]] {
        ++counters_.received;
        counters_.delivered += chosen.size ();
        counters_.unwanted += chosen.empty ();
    }
    return done;
}

// To all who want it. placed: it stands in memory that who leads can have. False: one has no room.
bool spot_node::give_locked (bytes_view first,
                             const wire::spot_frame &frame,
                             const spot_item &item,
                             bool placed,
                             std::span<spot_interested *const> chosen) noexcept
{
    const bool alone = placed && chosen.size () == 1 && chosen.front () == reading_.by;
    bool done = true;
    if (!alone || !reading_.by->put_at_hand (item.plain (), reading_.frame))
        for (spot_interested *const each : chosen)
            done = static_cast<spot_subscription *> (each)->put (item, reading_.frame) && done;
    if (done && placed && !chosen.empty ())
        note_alike_locked (first, frame, item.plain (), chosen);
    return done;
}

// What follows and begins alike is for the same.
void spot_node::note_alike_locked (bytes_view first,
                                   const wire::spot_frame &frame,
                                   const spot_plain &what,
                                   std::span<spot_interested *const> all) noexcept
{
    const bool plainly = (frame.head.flags & ~wire::spot_flag_row) == 0 && frame.head.fields.empty ();
    if (!plainly || last_heard_ == nullptr || all.size () > alike_for_.capacity ()) [[unlikely]]
        return;
    alike_for_.clear ();
    for (spot_interested *const each : all)
        alike_for_.push_back (static_cast<spot_subscription *> (each));
    alike_.keep (first, what, interest_.changes ());
}

void spot_node::take_letter_locked (const wire::spot_frame &frame) noexcept
{
    std::uint16_t kind = 0;
    bytes_view fields;
    // An answer to nobody would go to all.
    if (frame.head.publisher == 0
        || wire::decode_spot_letter (frame.body, kind, fields) != wire::service_status::complete) {
        ++counters_.malformed;
        return;
    }
    if (kind == static_cast<std::uint16_t> (wire::spot_letter::farewell))
        take_farewell_locked (frame.head.publisher);
    else if (kind == static_cast<std::uint16_t> (wire::spot_letter::members))
        hear_members (fields);
    else if (kind >= wire::spot_letters_of_partitions && extension () != nullptr)
        counters_.malformed += !extension ()->heard (frame.head.publisher, kind, fields);
}

// Of a connection whose end is to come, or one that was settled without waiting for it. Who says
// it again excuses the end of no other.
void spot_node::take_farewell_locked (std::uint64_t of) noexcept
{
    if (of == id_ || (last_heard_ != nullptr && std::exchange (last_heard_->has_left, true)))
        return;
    if (late_farewells_ != 0)
        --late_farewells_;
    else
        ++farewells_;
}

void spot_node::take_events_locked () noexcept
{
    socket::event what;
    while (socket::events_receive (world_, events_, what, 0).ok ()) {
        if (what.kind == socket::event_kind::gap) {
            counters_.missed += what.missed;
            reading_.doubtful = true;
            report_all_locked (spot_gap::publisher_full, what.missed);
            if (spot_extension *const by = extension (); by != nullptr)
                by->doubted ();
        } else if (what.kind == socket::event_kind::lost && !what.in_handshake) {
            take_loss_locked (what.reason);
        }
    }
}

// Of a connection. One that we hung up ourselves is missed by nobody; a farewell may have come
// over it, and rather one loss too many is told than one of another connection too few.
void spot_node::take_loss_locked (base::close_reason why) noexcept
{
    if (!socket::is_local (why))
        ++reading_.broke;  // unless it has said farewell
    else if (farewells_ != 0)
        --farewells_;
}

void spot_node::report_all_locked (spot_gap why, std::uint64_t missing) noexcept
{
    for (spot_subscription *const each : subscriptions_)
        if (!each->wishes_.empty ())
            each->put_gap (why, missing);
}

}  // namespace zlink::service

#include <algorithm>
#include <new>
#include <utility>

#include "base/word_look.hpp"
#include "service/option_numbers.hpp"
#include "service/spot_node.hpp"

namespace zlink::service {

using base::errc;
using base::result;
using base::time_ns;

namespace {

constexpr time_ns poke_again_ns = base::ns_per_ms;

// What publishers are asked for, and by which option.
result<void> ask (void *socket, spot_match how, std::string_view what, bool cancel)
{
    const std::string wish = spot_wish (how, what);
    const int number = how == spot_match::glob
                         ? (cancel ? number_of_unsubscribe_pattern : number_of_subscribe_pattern)
                         : (cancel ? number_of_unsubscribe : number_of_subscribe);
    return socket::set_option (socket, number, wish.data (), wish.size ());
}

}  // namespace

spot_subscription::spot_subscription (std::shared_ptr<spot_node> of,
                                      const spot_bounds &bounds,
                                      waiting_lock::word *hand_word)
  : node_ (std::move (of)), hand_lock_ (node_->world_.sleep, hand_word), lock_ (node_->world_.sleep),
    queue_ (bounds), handler_lock_ (node_->world_.sleep)
{
    constexpr std::size_t first = 8;
    const holding table (node_->table_lock_);
    std::vector<spot_subscription *> &all = node_->subscriptions_;
    if (all.size () == all.capacity ())
        all.reserve (std::max (first, 2 * all.size ()));
    for (auto *const each : {&node_->roused_, &node_->cut_, &node_->held_, &node_->alike_for_})
        each->reserve (all.capacity ());
    all.push_back (this);
    closed_ = node_->over_.load ();
}

result<void> spot_subscription::subscribe (spot_match how, std::string_view what) noexcept
try {
    const wish made{how, std::string (what)};
    {
        const holding table (node_->table_lock_);
        if (closed_)
            return errc::terminated;
        const auto fresh = wishes_.insert (made);
        if (const result<void> added = node_->interest_.add (how, what, *this); !added.ok ()) {
            wishes_.erase (fresh);
            return added;
        }
    }
    const result<void> asked = ask (node_->in_, how, what, false);
    if (!asked.ok ()) {
        const holding table (node_->table_lock_);
        (void)node_->interest_.remove (how, what, *this);
        if (const auto known = wishes_.find (made); known != wishes_.end ())
            wishes_.erase (known);
    }
    return asked;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> spot_subscription::unsubscribe (spot_match how, std::string_view what) noexcept
try {
    {
        const holding table (node_->table_lock_);
        const auto at = wishes_.find ({how, std::string (what)});
        if (at == wishes_.end ())
            return errc::invalid_argument;
        wishes_.erase (at);
        (void)node_->interest_.remove (how, what, *this);
    }
    return ask (node_->in_, how, what, true);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void spot_subscription::set_bounds (const spot_bounds &bounds) noexcept
{
    {
        const holding here (lock_);
        queue_.set_bounds (bounds);
    }
    node_->room_made ();
}

spot_bounds spot_subscription::bounds () noexcept
{
    const holding here (lock_);
    return queue_.bounds ();
}

spot_queue_counters spot_subscription::counters () noexcept
{
    const holding here (lock_);
    return queue_.counters ();
}

std::size_t spot_subscription::waiting () noexcept
{
    const holding here (lock_);
    return queue_.size ();
}

// --- receiving ---------------------------------------------------------------------

// False: another does.
bool spot_subscription::begin_locked () noexcept { return !busy_.exchange (true, std::memory_order_acquire); }

result<void> spot_subscription::receive (spot_item &out, time_ns deadline) noexcept
{
    {
        const holding here (hand_lock_);
        if (take_at_hand_locked (out)) [[likely]]
            return {};
        if (!begin_locked ())
            return handled_ ? errc::wrong_state : errc::in_progress;
    }
    const result<void> got = next (out, deadline);
    if (watched_.load (std::memory_order_relaxed)) [[unlikely]]
        note_descriptor (got.code ());
    busy_.store (false, std::memory_order_release);
    return got;
}

// ok: something is at hand; would_block: nothing is there yet.
errc spot_subscription::fetch () noexcept
{
    {
        const holding here (lock_);
        if (!queue_.take (hand_)) {
            if (disconnected_)
                return errc::connection_aborted;
            return closed_ || quits_.load (std::memory_order_relaxed) ? errc::terminated : errc::would_block;
        }
    }
    attended ();
    if (node_->stalled_.load (std::memory_order_seq_cst)) [[unlikely]]
        node_->room_made ();
    node_->hand_on ();
    return errc::ok;
}

// Who takes what others have read reads himself soon, but for one who waits elsewhere.
void spot_subscription::attended () noexcept
{
    if (!watched_.load (std::memory_order_relaxed)) [[likely]]
        node_->attended_.fetch_add (1, std::memory_order_seq_cst);
}

result<base::io_handle> spot_subscription::descriptor () noexcept
{
    const holding here (lock_);
    const result<base::io_handle> opened = descriptor_.open (node_->world_.pollers);
    if (opened.ok ())
        watched_.store (true);
    return opened;
}

// What is at hand came in no queue, and raised nothing.
void spot_subscription::note_descriptor (errc last) noexcept
{
    const bool nothing = last == errc::would_block || last == errc::timed_out;
    const holding here (lock_);
    if (nothing && !has_news_locked ())
        descriptor_.take_back ();
    else
        descriptor_.raise ();
}

result<void> spot_subscription::next (spot_item &out, time_ns deadline) noexcept
{
    errc last = errc::ok;
    for (;;) {
        if (at_hand (out)) [[likely]]
            return {};
        const errc fetched = fetch ();
        if (fetched == errc::ok)
            continue;
        if (fetched != errc::would_block)
            return fetched;
        if (last != errc::ok)
            return last;
        last = node_->attend (*this, deadline);
        if (last == errc::would_block && deadline != 0)
            last = world_time () < deadline ? errc::ok : errc::timed_out;
    }
}

time_ns spot_subscription::world_time () const noexcept { return node_->world_.time.now_ns (); }

void spot_subscription::lose_one () noexcept
{
    const holding here (lock_);
    queue_.push_gap (spot_gap::out_of_memory, 1);
}

// --- a handler ---------------------------------------------------------------------

result<void> spot_subscription::set_handler (spot_handler handler) noexcept
try {
    const holding one (handler_lock_);
    stop_handler ();
    if (!handler)
        return {};
    if (!begin_handling ())
        return errc::in_progress;
    handler_ = std::move (handler);
    quits_.store (false);
    base::thread_options options;
    options.name = "zlink/spot";
    result<std::unique_ptr<base::joinable>> thread =
      node_->world_.threads.start (options, [this] { run_handler (); });
    if (!thread.ok ()) {
        end_handling ();
        return thread.failure ();
    }
    thread_ = std::move (thread).value ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void spot_subscription::run_handler () noexcept
{
    spot_item got;
    while (!quits_.load (std::memory_order_relaxed)) {
        const result<void> came = next (got, base::never_ns);
        if (came.ok ()) {
            if (!handler_ (got))
                lose_one ();
        } else if (came.code () != errc::interrupted) {
            return;
        }
    }
}

void spot_subscription::stop_handler () noexcept
{
    if (thread_ == nullptr)
        return;
    quits_.store (true);
    wake ();
    thread_.reset ();
    quits_.store (false);
    end_handling ();
}

bool spot_subscription::begin_handling () noexcept
{
    const holding here (hand_lock_);
    handled_ = begin_locked ();
    return handled_;
}

void spot_subscription::end_handling () noexcept
{
    handler_ = nullptr;
    const holding here (hand_lock_);
    handled_ = false;
    busy_.store (false, std::memory_order_release);
}

// Whoever is receiving looks again: without memory, as soon as there is some.
void spot_subscription::wake () noexcept
{
    {
        const holding here (lock_);
        asleep_ = false;
    }
    ring ();
    base::atomic<std::uint32_t> nothing{0};
    while (!node_->poke ())
        (void)node_->world_.sleep.wait (nothing, 0, world_time () + poke_again_ns);
}

void spot_subscription::ring () noexcept
{
    word_.fetch_add (1, std::memory_order_seq_cst);
    if (sleeps_.load (std::memory_order_seq_cst))
        node_->world_.sleep.wake (word_, 1);
}

base::wait_outcome spot_subscription::await_ring (std::uint32_t than, time_ns deadline) noexcept
{
    base::world &world = node_->world_;
    if (looks_.should_spin () && node_->may_look ()) {
        time_ns took = 0;
        if (base::look_at_word (world.time, world.sleep, word_, than, follower_look_ns, took)) {
            looks_.succeeded ();
            return base::wait_outcome::woken;
        }
        looks_.failed (static_cast<unsigned> (took));
    }
    sleeps_.store (true, std::memory_order_seq_cst);
    const base::wait_outcome outcome = world.sleep.wait (word_, than, deadline);
    sleeps_.store (false, std::memory_order_relaxed);
    return outcome;
}

void spot_subscription::close () noexcept
{
    wish_set wishes;
    {
        const holding table (node_->table_lock_);
        node_->interest_.remove_all (*this);
        std::erase (node_->subscriptions_, this);
        std::erase (node_->roused_, this);
        std::erase (node_->cut_, this);
        wishes.swap (wishes_);
        const holding here (lock_);
        closed_ = true;
    }
    wake ();
    {
        const holding one (handler_lock_);
        stop_handler ();
    }
    node_->room_made ();
    for (const wish &each : wishes)
        give_back (each);
}

// Without memory it stays asked for, and what comes is unwanted.
void spot_subscription::give_back (const wish &which) noexcept
try {
    (void)ask (node_->in_, which.how, which.what, true);
} catch (const std::bad_alloc &) {
    return;
}

bool spot_subscription::has_news_locked () const noexcept
{
    return !queue_.empty () || closed_ || disconnected_ || quits_.load (std::memory_order_seq_cst);
}

bool spot_subscription::has_news () noexcept
{
    const holding here (lock_);
    return has_news_locked ();
}

// --- by who dispatches ---------------------------------------------------------------

void spot_subscription::rouse_locked () noexcept
{
    descriptor_.raise ();
    if (!std::exchange (asleep_, false))
        return;
    if (node_->roused_.size () < node_->roused_.capacity ())
        node_->roused_.push_back (this);
    else
        ring ();
}

void spot_subscription::begin_holding () noexcept
{
    lock_.lock ();
    dispatching_ = true;
    node_->held_.push_back (this);  // reserved
}

void spot_subscription::let_go () noexcept
{
    queue_.passed ();
    dispatching_ = false;
    lock_.unlock ();
}

bool spot_subscription::put (const spot_item &what, std::uint64_t frame) noexcept
{
    hold_on ();
    if (closed_ || disconnected_ || frame_ == frame)
        return true;
    if (queue_.push (what) == spot_queue::outcome::full) [[unlikely]] {
        if (queue_.bounds ().policy == spot_policy::block) {
            // What it has at hand is out of its queue when this batch ends: nobody will say so.
            if (!queue_.passing ())
                node_->stalled_.store (true, std::memory_order_seq_cst);
            return false;
        }
        disconnected_ = true;
        node_->cut_.push_back (this);  // reserved likewise
    }
    frame_ = frame;
    rouse_locked ();
    return true;
}

void spot_subscription::put_gap (spot_gap why, std::uint64_t missing) noexcept
{
    hold_on ();
    queue_.push_gap (why, missing);
    rouse_locked ();
}

// The node is closed.
void spot_subscription::end () noexcept
{
    {
        const holding here (lock_);
        closed_ = true;
        asleep_ = false;
        descriptor_.raise ();
    }
    ring ();
}

}  // namespace zlink::service

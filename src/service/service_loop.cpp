#include "service/service_loop.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "service/limits.hpp"
#include "service/option_numbers.hpp"

namespace zlink::service {

using base::errc;
using base::result;

namespace {

std::int64_t timeout_until (base::time_ns due, base::time_ns now) noexcept
{
    if (due == base::never_ns)
        return -1;
    return due <= now ? 0 : (due - now + base::ns_per_ms - 1) / base::ns_per_ms;
}

}  // namespace

struct service_loop::place
{
    explicit place (std::shared_ptr<served> what) noexcept : object (std::move (what)) {}

    // Anybody's.
    base::atomic<bool> woken{true};
    base::atomic<bool> leaving{false};
    base::atomic<bool> left{true};  // not in the loop, or not any more
    // The loop's thread's.
    std::shared_ptr<served> object;
    std::vector<socket::poll_item> items;
    bool asks = true;  // is to be asked for its sockets
    bool ready = false;
};

// --- seats ------------------------------------------------------------------------

service_loop::seat::seat (std::shared_ptr<service_loop> in, std::shared_ptr<place> at) noexcept
  : loop_ (std::move (in)), place_ (std::move (at))
{
}

service_loop::seat::~seat () { leave (); }

void service_loop::seat::wake () noexcept
{
    if (!place_->woken.exchange (true, std::memory_order_seq_cst))
        loop_->insist ();
}

void service_loop::seat::leave () noexcept
{
    place_->leaving.store (true, std::memory_order_seq_cst);
    while (true) {
        const std::uint32_t heard = loop_->change_.heard ();
        if (place_->left.load (std::memory_order_seq_cst))
            return;
        loop_->insist ();
        (void)loop_->change_.wait (heard, base::never_ns);
    }
}

// --- the loop as others see it ----------------------------------------------------

result<std::shared_ptr<service_loop>> service_loop::start (base::world &world, void *context) noexcept
try {
    std::shared_ptr<service_loop> made (new service_loop (world));
    if (const result<void> opened = made->open (context); !opened)
        return opened.failure ();
    base::thread_options options;
    options.name = "zlink/services";
    result<std::unique_ptr<base::joinable>> thread =
      world.threads.start (options, [loop = made.get ()] { loop->run (); });
    if (!thread)
        return thread.failure ();
    made->thread_ = std::move (thread).value ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> service_loop::open (void *context)
{
    const std::string meeting = std::string (loop_place) + std::to_string (world_.dice.next ());
    for (void **const each : {&ear_, &knocker_}) {
        const result<void *> opened = socket::open (context, type_pair);
        if (!opened)
            return opened.failure ();
        *each = opened.value ();
        const int nothing = 0;
        (void)socket::set_option (*each, socket::number_of_linger, &nothing, sizeof nothing);
    }
    const result<void> bound = socket::bind (ear_, meeting);
    return bound ? socket::connect (knocker_, meeting) : bound;
}

service_loop::~service_loop ()
{
    stopping_.store (true, std::memory_order_seq_cst);
    if (thread_ != nullptr)
        insist ();
    thread_.reset ();
    set_.clear ();
    while (hear ()) {}  // what nobody heard is no loss
    for (void *const each : {ear_, knocker_})
        if (each != nullptr)
            (void)socket::close (each);
}

result<void> service_loop::join (std::shared_ptr<served> object, std::unique_ptr<seat> &its) noexcept
try {
    auto at = std::make_shared<place> (std::move (object));
    its = std::make_unique<seat> (weak_from_this ().lock (), at);
    bool too_late = false;
    {
        const base::locked guard (lock_);
        too_late = ended_;
        if (!too_late) {
            newcomers_.push_back (at);
            at->left.store (false, std::memory_order_relaxed);
        }
    }
    if (too_late) {
        its.reset ();
        return errc::terminated;
    }
    insist ();
    return {};
} catch (const std::bad_alloc &) {
    its.reset ();
    return errc::no_memory;
}

// Who rings says before what it is about; the loop takes its mark back before it looks.
bool service_loop::ring () noexcept
{
    if (rung_.exchange (true, std::memory_order_seq_cst))
        return true;
    const base::io_count sent =
      socket::send (knocker_, base::as_bytes (std::string_view ("!")), socket::io_dont_wait);
    if (sent.ok () || sent.code () == errc::terminated)
        return true;
    rung_.store (false, std::memory_order_seq_cst);
    return false;
}

// What is said once and never again has to be heard.
void service_loop::insist () noexcept
{
    while (!ring ())
        (void)change_.wait (change_.heard (), world_.time.now_ns () + want_pause_ns);
}

// --- the loop's thread ------------------------------------------------------------

void service_loop::run () noexcept
{
    errc bad = errc::ok;
    while (bad != errc::terminated && !stopping_.load (std::memory_order_seq_cst)) {
        try {
            bad = turn ();
        } catch (const std::bad_alloc &) {
            bad = errc::no_memory;
        }
        if (bad == errc::not_a_socket)
            doubts_ = must_gather_ = true;
        else if (bad != errc::ok && bad != errc::interrupted && bad != errc::terminated)
            (void)change_.wait (change_.heard (), world_.time.now_ns () + want_pause_ns);
    }
    if (bad == errc::terminated)
        end ();
}

errc service_loop::turn ()
{
    seat_newcomers ();
    leave_places ();
    advance_due (world_.time.now_ns ());
    if (const errc bad = must_gather_ ? gather () : errc::ok; bad != errc::ok)
        return bad;
    const base::time_ns due = due_.soonest ();
    const base::time_ns now = due == base::never_ns ? 0 : world_.time.now_ns ();
    const result<std::size_t> found = set_.wait (timeout_until (due, now));
    if (found)
        take_ready ();
    else if (found.code () != errc::interrupted)
        must_gather_ = true;  // the set may be empty now
    return found.code ();
}

void service_loop::seat_newcomers ()
{
    const base::locked guard (lock_);
    while (!newcomers_.empty ()) {
        const auto unused = std::find (places_.begin (), places_.end (), nullptr);
        const auto slot = static_cast<due_heap::slot> (unused - places_.begin ());
        due_.reserve (slot + std::size_t{1});
        if (unused == places_.end ())
            places_.emplace_back ();
        places_[slot] = std::move (newcomers_.back ());
        newcomers_.pop_back ();
    }
}

// Nobody's socket is in the set any more when it is told.
void service_loop::leave_places () noexcept
{
    bool found = false;
    for (const std::shared_ptr<place> &each : places_)
        found = found || (each != nullptr && each->leaving.load (std::memory_order_seq_cst));
    if (!found)
        return;
    set_.clear ();
    must_gather_ = true;
    for (due_heap::slot slot = 0; slot < places_.size (); ++slot) {
        if (places_[slot] == nullptr || !places_[slot]->leaving.load (std::memory_order_seq_cst))
            continue;
        due_.set (slot, base::never_ns);
        dismiss (*std::exchange (places_[slot], nullptr));
    }
    change_.ring ();
}

void service_loop::dismiss (place &which) noexcept
{
    which.object.reset ();
    which.left.store (true, std::memory_order_seq_cst);
}

void service_loop::advance_due (base::time_ns now) noexcept
{
    for (due_heap::slot slot = 0; slot < places_.size (); ++slot) {
        if (places_[slot] == nullptr)
            continue;
        place &which = *places_[slot];
        const bool woken = which.woken.exchange (false, std::memory_order_seq_cst);
        if (!woken && !which.ready && due_.of (slot) > now)
            continue;
        which.ready = false;
        loop_wish wish{.due_ns = now + want_pause_ns, .sockets_changed = true};
        try {
            wish = which.object->advance (now);
        } catch (const std::bad_alloc &) {
            // A little later, and its sockets may have changed meanwhile.
        }
        due_.set (slot, wish.due_ns);
        which.asks = which.asks || wish.sockets_changed;
        must_gather_ = must_gather_ || which.asks;
    }
}

errc service_loop::gather ()
{
    must_gather_ = true;
    items_.assign (1, {ear_, base::no_handle, socket::event_in, 0});
    owners_.assign (1, due_heap::none);
    for (due_heap::slot slot = 0; slot < places_.size (); ++slot) {
        if (places_[slot] == nullptr)
            continue;
        place &which = *places_[slot];
        if (which.asks) {
            which.items.clear ();
            which.object->sockets (which.items);
            which.asks = false;
        }
        if (doubts_)
            std::erase_if (which.items, [this] (const auto &each) { return !is_open (each); });
        items_.insert (items_.end (), which.items.begin (), which.items.end ());
        owners_.resize (items_.size (), slot);
    }
    const result<void> assigned = set_.assign (items_);
    if (assigned)
        must_gather_ = doubts_ = false;
    return assigned.code ();
}

bool service_loop::is_open (socket::poll_item item) noexcept
{
    const result<std::size_t> looked = socket::poll (world_, {&item, 1}, 0);
    return looked.ok () || looked.code () != errc::not_a_socket;
}

void service_loop::take_ready () noexcept
{
    const std::span<const socket::poll_item> found = set_.items ();
    for (std::size_t at = 1; at < found.size (); ++at)
        if (found[at].ready != 0)
            places_[owners_[at]]->ready = true;
    if (found.front ().ready == 0)
        return;
    (void)hear ();
    rung_.store (false, std::memory_order_seq_cst);
}

// False: nothing was said.
bool service_loop::hear () noexcept
{
    std::array<std::byte, 1> room;
    return ear_ != nullptr && socket::receive (ear_, room, socket::io_dont_wait).ok ();
}

// Who joins from now on is told so by join().
void service_loop::end () noexcept
{
    set_.clear ();
    {
        const base::locked guard (lock_);
        ended_ = true;
    }
    for (std::vector<std::shared_ptr<place>> *const list : {&places_, &newcomers_})
        for (std::shared_ptr<place> &each : *list) {
            if (each == nullptr)
                continue;
            each->object->ended ();
            dismiss (*each);
        }
    change_.ring ();
}

}  // namespace zlink::service

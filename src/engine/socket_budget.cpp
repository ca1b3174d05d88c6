// The byte budget: who is held back at it, and who goes on when it is free.
//
// No wake is lost: whoever is held back raises the mark and looks at the budget
// once more; whoever gives memory back takes it from the budget and looks at
// the mark.
#include <algorithm>

#include "engine/socket_core.hpp"

namespace zlink::engine {

bool socket_core::within_budget (const pipe &which) const noexcept
{
    if (!budget_->half_reached ())
        return true;
    if (which.kind == pipe_kind::inproc)
        return static_cast<const inproc_end &> (which).out->within_budget ();
    const auto &wire = static_cast<const connection &> (which);
    return (wire.state == connection_state::ready && !budget_->reached ()) || !wire.has_output ();
}

bool socket_core::budget_holds_locked () const noexcept
{
    if (budget_ == nullptr || !budget_->half_reached ())
        return false;
    return std::ranges::any_of (balance_, [this] (const pipe *each) {
        const bool room =
          each->kind == pipe_kind::inproc || (each->credit.available () && !cannot_send (*each));
        return room && !within_budget (*each);
    });
}

void socket_core::settle_freed_locked () noexcept
{
    if (budget_->take_freed ())
        todo_ |= todo_resume;
}

void socket_core::count_hold_locked () noexcept
{
    ++budget_holds_;
    tell_budget_reached_locked ();
    warn_locked (warning::budget_reached (), traits_.name);
}

void socket_core::hold_back_locked () noexcept
{
    if (!held_back_.exchange (true, std::memory_order_seq_cst))
        count_hold_locked ();
    // It may have been given back before the mark was up.
    if (read_declined_ ? !budget_->reached () : !budget_holds_locked ())
        todo_ |= todo_resume;
}

// Pipes that only the budget kept from taking more. Those it still keeps stay
// marked.
void socket_core::resume_held_locked () noexcept
{
    if (!budget_->half_reached ())
        held_back_.store (false, std::memory_order_seq_cst);
    bool any = false;
    for (std::size_t i = balance_active_; i < balance_.size (); ++i)
        if (pipe &which = *balance_[i]; pipe_available_locked (which)) {
            activate_locked (which);
            any = true;
        }
    if (any)
        notify_senders_locked ();
    if (read_declined_ && !over_budget_locked ()) {
        read_declined_ = false;
        start_lease_locked ();
    }
}

void socket_core::resume_held (std::uint32_t generation) noexcept
{
    if (!held_back_.load (std::memory_order_seq_cst))
        return;
    lock ();
    if (generation == generation_ && phase_ == phase::open)
        resume_held_locked ();
    unlock ();
}

}  // namespace zlink::engine

#include "service/request_table.hpp"

#include <algorithm>

namespace zlink::service {

using base::time_ns;

// --- finding -----------------------------------------------------------------------

request_table::slot request_table::slot_of (const request &which) const noexcept
{
    return static_cast<slot> (&which - requests_.data ());
}

request_id request_table::id_of (const request &which) const noexcept
{
    return (std::uint64_t{which.generation} << 32) | slot_of (which);
}

request_table::request *request_table::find (request_id id) noexcept
{
    const auto at = static_cast<std::size_t> (id & UINT32_MAX);
    if (at >= requests_.size ())
        return nullptr;
    request &which = requests_[at];
    const bool lives = which.is != state::free && which.is != state::ended;
    return lives && which.generation == id >> 32 ? &which : nullptr;
}

request_table::attempt *request_table::find (request &of, std::uint16_t number) noexcept
{
    const auto found = std::find_if (of.at.begin (), of.at.end (), [number] (const attempt &each) {
        return each.out && each.number == number;
    });
    return found == of.at.end () ? nullptr : &*found;
}

bool request_table::any_out (const request &which) noexcept
{
    return std::any_of (which.at.begin (), which.at.end (), [] (const attempt &each) { return each.out; });
}

// --- beginning and ending ----------------------------------------------------------

std::optional<request_id> request_table::start (time_ns now, const request_wish &wish)
{
    if (living_ >= requests_max_)
        return std::nullopt;
    if (free_ == nobody) {
        due_.reserve (requests_.size () + 1);
        requests_.emplace_back ();
        free_ = static_cast<slot> (requests_.size () - 1);
    }
    request &made = requests_[free_];
    free_ = made.next;
    made.begin (wish);
    if (!wish.idempotent || wish.one_way)
        made.wish.hedge_at_ns = base::never_ns;
    ++living_;
    set_due (made);
    if (wish.deadline_ns <= now)
        end (made, request_end::deadline);
    else
        want (made);
    return id_of (made);
}

// Not cleared as a whole: it is large, and most of it is said by what is set here.
void request_table::request::begin (const request_wish &of) noexcept
{
    generation = generation == UINT32_MAX ? 1 : generation + 1;
    is = state::free;
    how = request_end::replied;
    listed = maybe_done = false;
    code = attempts = 0;
    tries = 0;
    next = nobody;
    wish = of;
    for (attempt &each : at)
        each.out = each.revoke = false;
    had_count = 0;
}

void request_table::set_due (request &which) noexcept
{
    due_.set (slot_of (which), std::min (which.wish.deadline_ns, which.wish.hedge_at_ns));
}

void request_table::list (request &which) noexcept
{
    if (which.listed)
        return;
    which.listed = true;
    which.next = nobody;
    const slot at = slot_of (which);
    if (last_ == nobody)
        first_ = at;
    else
        requests_[last_].next = at;
    last_ = at;
}

void request_table::want (request &which) noexcept
{
    which.is = state::to_send;
    list (which);
}

void request_table::end (request &which, request_end how) noexcept
{
    waiting_ -= which.is == state::waiting ? 1 : 0;
    which.maybe_done |= which.is == state::chosen;  // it may be on its way already
    which.is = state::ended;
    which.how = how;
    for (attempt &each : which.at) {
        which.maybe_done |= each.out;
        each.revoke |= each.out;
        each.out = false;
    }
    due_.set (slot_of (which), base::never_ns);
    list (which);
}

void request_table::release (request &which) noexcept
{
    which.is = state::free;
    which.next = free_;
    free_ = slot_of (which);
    --living_;
}

// --- steps -------------------------------------------------------------------------

request_step request_table::take_step () noexcept
{
    while (first_ != nobody) {
        request &which = requests_[first_];
        request_step step;
        if (cancel_step (which, step))
            return step;
        first_ = which.next;
        last_ = first_ == nobody ? nobody : last_;
        which.listed = false;
        if (which.is == state::to_send)
            return send_step (which);
        if (which.is == state::ended) {
            step = {.kind = step_kind::end,
                    .id = id_of (which),
                    .how = which.how,
                    .code = which.code,
                    .maybe_done = which.maybe_done && which.how != request_end::replied
                                  && which.how != request_end::sent};
            release (which);
            return step;
        }
    }
    return {};
}

bool request_table::cancel_step (request &which, request_step &step) noexcept
{
    for (attempt &each : which.at)
        if (each.revoke) {
            each.revoke = false;
            step = {.kind = step_kind::cancel,
                    .id = id_of (which),
                    .attempt = each.number,
                    .provider = each.provider,
                    .outrun = which.is == state::ended && which.how == request_end::replied};
            return true;
        }
    return false;
}

request_step request_table::send_step (request &which) noexcept
{
    which.is = state::chosen;
    ++which.attempts;
    return {.kind = step_kind::send,
            .id = id_of (which),
            .attempt = which.attempts,
            .excluded = std::span (which.had).first (which.had_count)};
}

// --- sending -----------------------------------------------------------------------

bool request_table::sent (request_id id, std::uint16_t number, provider_number provider) noexcept
{
    request *const which = find (id);
    if (which == nullptr || which->is != state::chosen || which->attempts != number)
        return false;
    if (which->wish.one_way) {
        end (*which, request_end::sent);
        return true;
    }
    which->is = state::under_way;
    const auto spare =
      std::find_if (which->at.begin (), which->at.end (), [] (const attempt &each) { return !each.out; });
    *spare = {.number = number, .out = true, .revoke = false, .provider = provider};
    ++which->tries;
    if (which->had_count == which->had.size ()) {
        std::copy (which->had.begin () + 1, which->had.end (), which->had.begin ());
        --which->had_count;
    }
    which->had[which->had_count++] = provider;
    return true;
}

void request_table::no_room (request_id id, std::uint16_t number) noexcept
{
    request *const which = find (id);
    if (which == nullptr || which->is != state::chosen || which->attempts != number)
        return;
    // Who had it may have it again, rather than nobody.
    which->had_count = 0;
    if (any_out (*which)) {
        which->is = state::under_way;
        return;
    }
    which->is = state::waiting;
    ++waiting_;
}

void request_table::room () noexcept
{
    for (request &each : requests_) {
        if (waiting_ == 0)
            return;
        if (each.is == state::waiting) {
            --waiting_;
            want (each);
        }
    }
}

// --- coming back -------------------------------------------------------------------

bool request_table::replied (request_id id, std::uint16_t number) noexcept
{
    request *const which = find (id);
    attempt *const at = which == nullptr ? nullptr : find (*which, number);
    if (at == nullptr) {
        ++late_;
        return false;
    }
    at->out = false;
    end (*which, request_end::replied);
    return true;
}

bool request_table::refused (request_id id, std::uint16_t number, bool untouched, std::uint16_t code) noexcept
{
    request *const which = find (id);
    attempt *const at = which == nullptr ? nullptr : find (*which, number);
    if (at == nullptr) {
        ++late_;
        return false;
    }
    at->out = false;
    which->code = code;
    which->maybe_done |= !untouched;
    if (untouched)
        try_again (*which, request_end::refused);
    else
        end (*which, request_end::refused);
    return true;
}

// An attempt is over. Nothing is to be done while another one is under way or about
// to be.
void request_table::try_again (request &which, request_end otherwise) noexcept
{
    if (any_out (which) || which.is != state::under_way)
        return;
    if (which.tries >= which.wish.attempts_max)
        end (which, otherwise);
    else
        want (which);
}

void request_table::recalled (request_id id, std::uint16_t number) noexcept
{
    request *const which = find (id);
    attempt *const at = which == nullptr ? nullptr : find (*which, number);
    if (at == nullptr)
        return;
    at->out = false;
    --which->tries;
    try_again (*which, request_end::lost);
}

void request_table::lose (request &which, attempt &at) noexcept
{
    at.out = false;
    which.maybe_done = true;
    if (which.wish.idempotent)
        try_again (which, request_end::lost);
    else
        end (which, request_end::lost);
}

void request_table::provider_gone (provider_number provider) noexcept
{
    for (request &each : requests_)
        for (attempt &at : each.at)
            if (at.out && at.provider == provider)
                lose (each, at);
}

bool request_table::cancel (request_id id) noexcept
{
    request *const which = find (id);
    if (which != nullptr)
        end (*which, request_end::cancelled);
    return which != nullptr;
}

void request_table::cancel_all () noexcept
{
    for (request &each : requests_)
        if (each.is != state::free && each.is != state::ended)
            end (each, request_end::cancelled);
}

void request_table::expire (time_ns now) noexcept
{
    while (due_.soonest () <= now) {
        request &which = requests_[due_.first ()];
        if (which.wish.deadline_ns <= now) {
            end (which, request_end::deadline);
            continue;
        }
        which.wish.hedge_at_ns = base::never_ns;
        set_due (which);
        if (which.is == state::under_way && which.tries < which.wish.attempts_max)
            want (which);
    }
}

}  // namespace zlink::service

// What a gateway does for the requests that are under way, as request_table.hpp asks
// for it: choose, send, call off, end.
#include <algorithm>
#include <new>
#include <utility>

#include "service/gateway.hpp"
#include "service/gateway_names.hpp"

namespace zlink::service {

using base::errc;
using base::io_count;
using base::time_ns;

namespace {

// Throws bad_alloc.
base::message part_of (base::bytes_view octets, bool more)
{
    base::message part;
    if (!part.init_copy (octets).ok ())
        throw std::bad_alloc ();
    part.set_more (more);
    return part;
}

call_status status_of (request_end how, bool maybe_done) noexcept
{
    switch (how) {
    case request_end::replied:
        return call_status::replied;
    case request_end::sent:
        return call_status::sent;
    case request_end::refused:
        return call_status::refused;
    case request_end::lost:
        return call_status::lost;
    case request_end::deadline:
        return maybe_done ? call_status::deadline : call_status::no_provider;
    case request_end::cancelled:
        break;
    }
    return call_status::cancelled;
}

}  // namespace

void gateway::settle_locked (work &owed) noexcept
{
    if (providers_.next_probe () <= owed.now_ns) [[unlikely]]
        probe_locked (owed);
    for (;;) {
        const request_step step = table_.take_step ();
        switch (step.kind) {
        case step_kind::none:
            let_go_locked (owed);
            return;
        case step_kind::send:
            send_step_locked (step, owed);
            break;
        case step_kind::cancel:
            cancel_step_locked (step, owed);
            break;
        case step_kind::end:
            end_step_locked (step, owed);
            break;
        }
    }
}

// --- sending -----------------------------------------------------------------------

void gateway::send_step_locked (const request_step &step, work &owed) noexcept
{
    pending &which = at (step.id);
    const std::optional<provider_number> to = choose_locked (which, step.excluded);
    if (!to) {
        table_.no_room (step.id, step.attempt);
        if (which.forced)
            (void)table_.cancel (step.id);
        return;
    }
    try {
        wire::gateway_head head = head_of (owed.now_ns, which);
        head.attempt = step.attempt;
        owed.out.push_back ({.id = step.id,
                             .attempt = step.attempt,
                             .to = *to,
                             .parts = message_locked (*to, head, which.parts)});
    } catch (const std::bad_alloc &) {
        force_locked (which, call_status::no_memory);
        return;
    }
    // Said before it is so, as a reply may be quicker than the call that sends. What is
    // not sent after all was recalled.
    which.refused = false;
    (void)table_.sent (step.id, step.attempt, *to);
    providers_.began (*which.of, *to);
    ++counters_.attempts;
}

// Nothing: somebody has to come; or all who are there were asked, and how it ends is
// said.
std::optional<provider_number> gateway::choose_locked (pending &which,
                                                       std::span<const provider_number> excluded) noexcept
{
    balancer &members = which.of->members;
    const std::uint64_t dice = world_.dice.next ();
    if (which.options.instance != 0) {
        which.forced = !excluded.empty () && (which.refused || which.full > 0);
        if (which.forced)
            which.outcome ().status = which.refused ? call_status::refused : call_status::overloaded;
        return which.forced ? std::nullopt : providers_.of_instance (*which.of, which.options.instance);
    }
    const std::optional<provider_number> to = members.pick (dice, which.options.key, excluded);
    if (to || excluded.empty () || members.connected () == 0)
        return to;
    if (which.refused || which.full > 0) {
        which.forced = true;
        which.outcome ().status = which.refused ? call_status::refused : call_status::overloaded;
        return std::nullopt;
    }
    return members.pick (dice, which.options.key);
}

wire::gateway_head gateway::head_of (time_ns now, const pending &which) noexcept
{
    wire::gateway_head head;
    head.kind = wire::gateway_kind::request;
    head.flags = which.options.idempotent ? wire::gateway_flag_idempotent : 0;
    head.id = which.id;
    if (which.options.deadline_ns != base::never_ns) {
        const time_ns left = std::max<time_ns> (which.options.deadline_ns - now, base::ns_per_us);
        head.time_us = static_cast<std::uint64_t> (left / base::ns_per_us);
    }
    head.instance = which.options.instance;
    head.service = which.of->name;
    head.key = which.options.key;
    head.traceparent = which.options.traceparent;
    head.tracestate = which.options.tracestate;
    return head;
}

// The parts' bodies once more, behind a name and a head. Throws bad_alloc.
held_parts
gateway::message_locked (provider_number to, const wire::gateway_head &head, std::span<base::message> parts)
{
    held_parts made;
    made.reserve (2 + parts.size ());
    base::message part = part_of (name_of (to), true);
    made.take (part);
    scratch_.clear ();
    wire::encode_gateway_head (head, scratch_);
    part = part_of (scratch_, !parts.empty ());
    made.take (part);
    made.share_all (parts);
    return made;
}

// A wish: without memory it is not said.
void gateway::say_locked (provider_number to, const wire::gateway_head &head, work &owed) noexcept
try {
    owed.out.push_back ({.to = to, .parts = message_locked (to, head, {})});
} catch (const std::bad_alloc &) {
    return;
}

void gateway::probe_locked (work &owed) noexcept
{
    while (const std::optional<provider_number> number =
             providers_.take_probe (owed.now_ns, world_.dice.next ()))
        say_locked (*number, {.kind = wire::gateway_kind::probe}, owed);
}

// --- ending ------------------------------------------------------------------------

void gateway::cancel_step_locked (const request_step &step, work &owed) noexcept
{
    const pending &which = at (step.id);
    providers_.ended (*which.of, step.provider);
    if (which.options.deadline_ns <= owed.now_ns)  // it was silent for too long
        providers_.failed (owed.now_ns, *which.of, step.provider, world_.dice.next ());
    else if (step.outrun)
        providers_.outrun (owed.now_ns, *which.of, step.provider);
    say_locked (step.provider, {.kind = wire::gateway_kind::cancel, .attempt = step.attempt, .id = step.id},
                owed);
}

void gateway::end_step_locked (const request_step &step, work &owed) noexcept
{
    pending &which = at (step.id);
    call_outcome &to = which.outcome ();
    to.maybe_done = step.maybe_done;
    if (!which.forced)
        to.status = status_of (step.how, step.maybe_done);
    ++counters_.ended[static_cast<std::size_t> (to.status)];
    which.of = nullptr;
    if (which.who != nullptr) {
        which.who->done = true;
        wake_locked (*which.who, owed);
        return;
    }
    handled *const over = std::exchange (which.by, nullptr);
    over->id = step.id;
    (last_handled_ == nullptr ? first_handled_ : last_handled_->next) = over;
    last_handled_ = over;
    wake_handlers_locked (owed);
}

// It was said that it is sent, and it was not.
void gateway::report_locked (const outgoing &failed, work &owed) noexcept
{
    if (failed.bad == errc::host_unreachable)
        providers_.unreachable (failed.to);
    pending *const which = failed.id == 0 ? nullptr : &at (failed.id);
    if (which != nullptr && which->id == failed.id && which->of != nullptr) {
        providers_.ended (*which->of, failed.to);
        which->full += failed.bad == errc::would_block;
        if (failed.bad == errc::no_memory)
            force_locked (*which, call_status::no_memory);
        else if (which->full > full_max)
            force_locked (*which, call_status::overloaded);
        else
            table_.recalled (failed.id, failed.attempt);
    }
    if (failed.bad == errc::terminated || failed.bad == errc::not_a_socket)
        closed_locked (owed);
}

void gateway::let_go_locked (work &owed) noexcept
try {
    while (const std::optional<provider_number> gone = providers_.take_to_let_go ()) {
        owed.let_go.push_back (*gone);
        providers_.forget (*gone);
    }
} catch (const std::bad_alloc &) {
    return;  // the next time
}

// --- the lock is let go of ---------------------------------------------------------

void gateway::leave (work &owed) noexcept
{
    for (;;) {
        settle_locked (owed);
        owed.due_ns = std::min (table_.next_due (), providers_.next_probe ());
        lock_.unlock ();
        if (perform (owed))
            return;
        owed.now_ns = world_.time.now_ns ();
        lock_.lock ();
        for (const outgoing &each : owed.out)
            if (each.bad != errc::ok)
                report_locked (each, owed);
        owed.out.clear ();
    }
}

// Small ones are copied to where they go; the others go the long way.
io_count gateway::send_out (outgoing &what) noexcept
{
    const std::span<base::message> parts = what.parts.all ();
    const io_count quick =
      socket::send_headed (socket_, parts[0].view (), parts[1].view (), parts.subspan (2));
    return quick.ok () ? quick : socket::send_parts (socket_, parts, socket::io_dont_wait);
}

bool gateway::perform (work &owed) noexcept
{
    bool good = true;
    for (outgoing &each : owed.out) {
        const io_count sent = send_out (each);
        each.bad = sent.ok () ? errc::ok : sent.code ();
        good &= sent.ok () || each.id == 0;
    }
    if (good)
        owed.out.clear ();
    for (waiting *const each : owed.wake)
        world_.sleep.wake (each->word, 1);
    owed.wake.clear ();
    for (const provider_number each : owed.let_go)
        (void)socket::disconnect_peer (socket_, name_of (each));
    owed.let_go.clear ();
    if (std::exchange (owed.kick, false))
        kick ();
    for (const std::string &each : owed.wanted)
        settings_.wanted (each);
    owed.wanted.clear ();
    return good;
}

}  // namespace zlink::service

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
    while (table_.any_steps ()) {
        const request_step step = table_.take_step ();
        switch (step.kind) {
        case step_kind::none:
            break;
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
    if (providers_.any_to_let_go ()) [[unlikely]]
        let_go_locked (owed);
    check_prepared_locked ();
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
        outgoing made;
        made.id = step.id;
        made.attempt = step.attempt;
        made.to = *to;
        write_request_locked (owed.now_ns, which, made);
        owed.out.push_back (std::move (made));
    } catch (const std::bad_alloc &) {
        force_locked (which, call_status::no_memory);
        return;
    }
    note_request_sent_locked (which, step.attempt, *to);
}

// Said before it is so, as a reply may be quicker than the call that sends. What is not
// sent after all was recalled.
void gateway::note_request_sent_locked (pending &which, std::uint16_t attempt, provider_number to) noexcept
{
    which.refused = false;
    (void)table_.sent (which.id, attempt, to);
    providers_.began (*which.of, to);
    ++counters_.attempts;
}

// Nothing: somebody has to come; or all who are there were asked, and how it ends is
// said.
std::optional<provider_number> gateway::choose_locked (pending &which,
                                                       std::span<const provider_number> excluded) noexcept
{
    balancer &members = which.of->members;
    const std::uint64_t dice = members.draws () ? world_.dice.next () : 0;
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

std::uint64_t gateway::time_left_us (time_ns now, const call_options &options) noexcept
{
    if (options.deadline_ns == base::never_ns)
        return 0;
    const time_ns left = std::max<time_ns> (options.deadline_ns - now, base::ns_per_us);
    return static_cast<std::uint64_t> (left / base::ns_per_us);
}

// Throws bad_alloc, as does what follows. Until the next one.
base::bytes_view gateway::encoded_locked (const wire::gateway_head &head)
{
    scratch_.clear ();
    wire::encode_gateway_head (head, scratch_);
    return scratch_;
}

// Those without options differ in their numbers alone.
void gateway::write_request_locked (time_ns now, const pending &which, outgoing &to)
{
    const call_options &options = which.options;
    const bool plain = options.instance == 0 && options.key.empty () && options.traceparent.empty ();
    std::vector<std::byte> &known = which.of->request_head;
    if (!plain || known.empty ()) {
        const wire::gateway_head head{.kind = wire::gateway_kind::request,
                                      .instance = options.instance,
                                      .service = which.of->name,
                                      .key = options.key,
                                      .traceparent = options.traceparent,
                                      .tracestate = options.tracestate};
        to.head.assign (encoded_locked (head));
        if (plain)
            known = scratch_;
    } else {
        to.head.assign (known);
    }
    wire::number_gateway_head (to.head.octets (),
                               {.flags = options.idempotent ? wire::gateway_flag_idempotent : 0,
                                .attempt = to.attempt,
                                .id = which.id,
                                .time_us = time_left_us (now, options)});
    put_body (which.parts, to);
}

// Throws bad_alloc.
void gateway::put_body (std::span<base::message> parts, outgoing &to)
{
    to.copied = parts.size () == 1 && parts[0].size () <= short_octets::inside;
    if (to.copied)
        to.body.assign (parts[0].view ());
    else
        to.parts = held_parts (parts);
}

// One that nobody waits for. Throws bad_alloc.
void gateway::put_locked (work &owed,
                          provider_number whom,
                          const wire::gateway_head &head,
                          std::span<base::message> parts)
{
    outgoing made;
    made.to = whom;
    made.head.assign (encoded_locked (head));
    put_body (parts, made);
    owed.out.push_back (std::move (made));
}

// A wish: without memory it is not said.
void gateway::say_locked (provider_number to, const wire::gateway_head &head, work &owed) noexcept
try {
    put_locked (owed, to, head, {});
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
try {
    const auto name = name_of (what.to);
    const io_count quick =
      what.copied ? socket::send_headed (socket_, name, what.head.view (), what.body.view (), more_follow ())
                  : socket::send_headed (socket_, name, what.head.view (), what.parts.all (), more_follow ());
    if (quick.ok ()) [[likely]]
        return quick;
    held_parts whole;
    whole.reserve (3 + what.parts.size ());
    base::message part = part_of (name, true);
    whole.take (part);
    part = part_of (what.head.view (), what.copied || !what.parts.empty ());
    whole.take (part);
    if (what.copied) {
        part = part_of (what.body.view (), false);
        whole.take (part);
    }
    whole.take_all (what.parts.all ());
    return socket::send_parts (socket_, whole.all (), socket::io_dont_wait);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
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

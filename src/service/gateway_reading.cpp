// What a gateway does with what comes: replies and failures, who comes and goes, what
// comes back unsent, what providers say unasked; and messages that want no reply.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/same_octets.hpp"
#include "service/gateway.hpp"
#include "service/gateway_names.hpp"

namespace zlink::service {

using base::errc;
using base::io_count;
using base::message_event;
using base::result;
using base::time_ns;

namespace {

// The provider has trouble, rather than the request.
bool speaks_of_provider (std::uint16_t code) noexcept
{
    return code == wire::failure_overloaded || code == wire::failure_no_service
           || code == wire::failure_deadline || code == wire::failure_no_provider
           || code == wire::failure_provider_lost;
}

}  // namespace

// --- what comes --------------------------------------------------------------------

void gateway::take_locked (std::span<base::message> got, work &owed) noexcept
{
    const std::optional<provider_number> from = got.size () < 2 ? std::nullopt : provider_of (got[0].view ());
    if (from)
        take_from_locked (*from, got.subspan (1), owed);
    for (base::message &each : got) {
        each.close ();
        each.init ();
    }
}

void gateway::take_from_locked (provider_number from, std::span<base::message> got, work &owed) noexcept
try {
    switch (got[0].event ()) {
    case message_event::connected:
        providers_.connected (from);
        room_locked (owed);
        break;
    case message_event::disconnected:
        take_gone_locked (from, owed);
        break;
    case message_event::recalled:
        take_recalled_locked (from, got, owed);
        break;
    case message_event::data:
        take_message_locked (from, got, owed);
        break;
    }
} catch (const std::bad_alloc &) {
    ++counters_.malformed;  // as if it had not come
}

// What it handed back was told before.
void gateway::take_gone_locked (provider_number from, work &owed) noexcept
{
    const std::uint64_t dice = world_.dice.next ();
    if (const provider_set::provider *const one = providers_.find (from);
        one != nullptr && one->under_way > 0)
        for (service *each : one->has)
            if (each->members.outstanding (from) > 0)
                providers_.failed (owed.now_ns, *each, from, dice);
    table_.provider_gone (from);
    providers_.lost (owed.now_ns, from, dice);
}

void gateway::take_recalled_locked (provider_number from, std::span<base::message> got, work &owed)
{
    wire::gateway_head head;
    if (wire::decode_gateway_head (got[0].view (), head) != wire::service_status::complete)
        return;
    if (head.kind == wire::gateway_kind::request) {
        ++counters_.recalled;
        const pending &which = at (head.id);
        if (which.id == head.id && which.of != nullptr)
            providers_.ended (*which.of, from);
        table_.recalled (head.id, head.attempt);
        return;
    }
    if (head.kind != wire::gateway_kind::one_way)
        return;
    ++counters_.recalled;
    const provider_number had[] = {from};
    service *const of = providers_.find (head.service);
    const std::optional<provider_number> to =
      of == nullptr ? std::nullopt : of->members.pick (world_.dice.next (), head.key, had);
    if (to)
        put_locked (owed, *to, head, got.subspan (1));
    counters_.one_way_lost += !to;
}

void gateway::take_message_locked (provider_number from, std::span<base::message> got, work &owed)
{
    if (wire::is_gateway_reply_head (got[0].view ())) [[likely]] {
        take_reply_locked (from, wire::numbers_of_gateway_head (got[0].view ()), got.subspan (1));
        return;
    }
    wire::gateway_head head;
    if (wire::decode_gateway_head (got[0].view (), head) != wire::service_status::complete) {
        ++counters_.malformed;
        return;
    }
    if ((head.flags & wire::gateway_flag_draining) != 0)
        providers_.drains (from);
    switch (head.kind) {
    case wire::gateway_kind::reply:
        take_reply_locked (from, wire::numbers_of_gateway_head (got[0].view ()), got.subspan (1));
        break;
    case wire::gateway_kind::failure:
        take_failure_locked (from, head, owed);
        break;
    case wire::gateway_kind::alive:
        providers_.alive (owed.now_ns, from);
        break;
    case wire::gateway_kind::one_way:
        take_unasked_locked (from, head, got.subspan (1), owed);
        break;
    default:
        ++counters_.malformed;
        break;
    }
}

void gateway::take_reply_locked (provider_number from,
                                 const wire::gateway_numbers &head,
                                 std::span<base::message> body)
{
    const auto slot = static_cast<std::size_t> (head.id & UINT32_MAX);
    pending *const which = slot < pending_.size () ? &pending_[slot] : nullptr;
    const bool known = which != nullptr && which->id == head.id && which->of != nullptr;
    if (known)
        which->outcome ().parts.reserve (body.size ());
    if (!table_.replied (head.id, head.attempt) || !known) {
        providers_.heard (from);
        return;
    }
    which->outcome ().parts.take_all (body);
    providers_.ended (*which->of, from);
    which->of->members.succeeded (from);
    ++counters_.replies;
}

void gateway::take_failure_locked (provider_number from, const wire::gateway_head &head, work &owed)
{
    const auto slot = static_cast<std::size_t> (head.id & UINT32_MAX);
    const bool untouched = (head.flags & wire::gateway_flag_untouched) != 0;
    std::string text (head.text);
    if (!table_.refused (head.id, head.attempt, untouched, head.code))
        return;
    pending &which = pending_[slot];
    providers_.ended (*which.of, from);
    if (speaks_of_provider (head.code))
        providers_.failed (owed.now_ns, *which.of, from, world_.dice.next ());
    which.refused = true;
    call_outcome &to = which.outcome ();
    to.code = head.code;
    to.detail = head.detail;
    to.retry_after_ms = head.retry_after_ms;
    to.text = std::move (text);
}

void gateway::take_unasked_locked (provider_number from,
                                   const wire::gateway_head &head,
                                   std::span<base::message> body,
                                   work &owed)
{
    if (inbox_.size () >= unasked_max) {
        ++counters_.unasked_dropped;
        return;
    }
    held_parts parts;
    parts.take_all (body);
    const provider_set::provider *const one = providers_.find (from);
    inbox_.push_back ({std::string (head.service), std::move (parts), one == nullptr ? 0 : one->instance});
    for (waiting *each = first_asleep_; each != nullptr; each = each->next)
        if (each->unasked) {
            wake_locked (*each, owed);
            return;
        }
}

result<gateway::unasked> gateway::receive (time_ns deadline) noexcept
{
    work owed{.now_ns = world_.time.now_ns ()};
    lock_.lock ();
    waiting *const mine = closed_ ? nullptr : take_waiting_locked ();
    errc bad = closed_ ? errc::terminated : errc::no_memory;
    unasked got;
    if (mine != nullptr) {
        mine->unasked = true;
        await_locked (*mine, deadline, owed);
        bad = !inbox_.empty ()    ? errc::ok
              : closed_           ? errc::terminated
              : mine->interrupted ? errc::interrupted
                                  : errc::timed_out;
        if (bad == errc::ok) {
            got = std::move (inbox_.front ());
            inbox_.pop_front ();
        }
        give_waiting_locked (*mine);
    }
    const bool last = closed_ && users_ == 0;
    leave (owed);
    if (last)
        left_.ring ();
    return bad == errc::ok ? result<unasked> (std::move (got)) : result<unasked> (bad);
}

// --- messages that want no reply ---------------------------------------------------

io_count gateway::send (std::string_view name,
                        std::span<base::message> parts,
                        const call_options &options,
                        bool wait) noexcept
{
    std::optional<provider_number> chosen;
    if (options.instance == 0 && options.key.empty () && options.traceparent.empty ()) {
        if (quick_send quick; choose_quick (name, quick)) {
            if (const io_count sent = send_quick (quick, parts); sent.ok ()) [[likely]]
                return sent;
            chosen = quick.to;
        }
    }
    return send (name, parts, options, wait, chosen);
}

io_count gateway::send (std::string_view name, base::bytes_view body, bool wait) noexcept
{
    quick_send quick;
    if (!choose_quick (name, quick))
        return send (name, body, wait, std::nullopt);
    const io_count sent = send_quick (quick, body);
    return sent.ok () ? sent : send (name, body, wait, quick.to);
}

io_count gateway::send (std::string_view name,
                        base::bytes_view body,
                        bool wait,
                        std::optional<provider_number> chosen) noexcept
{
    base::message part;
    if (!part.init_copy (body).ok ()) {
        const holding here (lock_);
        counters_.one_way -= chosen.has_value ();
        return errc::no_memory;
    }
    const io_count sent = send (name, {&part, 1}, {}, wait, chosen);
    part.close ();
    return sent;
}

io_count gateway::send (std::string_view name,
                        std::span<base::message> parts,
                        const call_options &options,
                        bool wait,
                        std::optional<provider_number> chosen) noexcept
{
    if (!is_service_name (name))
        return errc::invalid_argument;
    work owed{};  // the time is asked for where it counts
    lock_.lock ();
    counters_.one_way -= chosen.has_value ();  // it was counted when it was chosen
    waiting *const mine = closed_ ? nullptr : take_waiting_locked ();
    service *const of = mine == nullptr ? nullptr : service_locked (name, owed);
    io_count answer = closed_ ? errc::terminated : errc::no_memory;
    if (of != nullptr) {
        if (teller_->take ())
            look_at_news_locked (owed);
        answer = send_locked (*of, chosen, parts, options, wait, *mine, owed);
    }
    if (mine != nullptr)
        give_waiting_locked (*mine);
    const bool last = closed_ && users_ == 0;
    leave (owed);
    if (last)
        left_.ring ();
    // Its socket goes first.
    return answer.code () == errc::not_a_socket ? io_count (errc::terminated) : answer;
}

// Of the service that something was sent to last. What is usual: nothing has come meanwhile.
[[gnu::always_inline]] inline bool gateway::choose_last_locked (quick_send &to) noexcept
{
    service *const of = last_sent_;
    if (closed_ || teller_->any ()) [[unlikely]]
        return false;
    std::optional<provider_number> chosen = of->members.only ();
    if (chosen && prepared_for_ != of)
        prepare_locked (*of, *chosen);
    if (!chosen)
        chosen = of->members.pick (of->members.draws () ? world_.dice.next () : 0);
    if (!chosen) [[unlikely]]
        return false;
    to.socket = socket_;
    to.to = *chosen;
    to.head_size = last_head_size_;
    to.head = last_head_;
    ++counters_.one_way;
    return true;
}

bool gateway::choose_quick (std::string_view name, quick_send &to) noexcept
{
    const holding here (lock_);
    return last_sent_ != nullptr && base::same_octets (last_sent_->name, name) && choose_last_locked (to);
}

// A name has no NUL.
bool gateway::choose_quick_locked (const char *name, quick_send &to) noexcept
{
    return last_sent_ != nullptr && name != nullptr && std::strcmp (last_sent_->name.c_str (), name) == 0
           && choose_last_locked (to);
}

io_count gateway::send_quick (const quick_send &to, std::span<base::message> parts) noexcept
{
    const io_count sent =
      socket::send_headed (to.socket, name_of (to.to), std::span (to.head).first (to.head_size), parts);
    if (sent.ok ()) [[likely]]
        for (base::message &each : parts) {
            each.close ();
            each.init ();
        }
    return sent;
}

io_count gateway::send_quick (const quick_send &to, base::bytes_view body) noexcept
{
    return socket::send_headed (to.socket, name_of (to.to), std::span (to.head).first (to.head_size), body);
}

std::optional<provider_number> gateway::choose_locked (service &of,
                                                       const call_options &options,
                                                       std::span<const provider_number> excluded) noexcept
{
    if (options.instance == 0)
        return of.members.pick (world_.dice.next (), options.key, excluded);
    return excluded.empty () ? providers_.of_instance (of, options.instance) : std::nullopt;
}

// To the chosen one, or whoever is there and has room; else, where that is wanted, waits for one to come,
// or for room at the first who had none.
io_count gateway::send_locked (service &to,
                               std::optional<provider_number> chosen,
                               std::span<base::message> parts,
                               const call_options &options,
                               bool wait,
                               waiting &self,
                               work &owed) noexcept
try {
    std::vector<provider_number> full;
    for (;;) {
        if (closed_)
            return errc::terminated;
        const std::optional<provider_number> next =
          chosen ? std::exchange (chosen, std::nullopt) : choose_locked (to, options, full);
        if (!next && full.empty ()) {
            if (const errc bad = await_somebody_locked (options.deadline_ns, wait, self, owed);
                bad != errc::ok)
                return bad;
            continue;
        }
        if (!next && !wait)
            return errc::would_block;
        const provider_number whom = next ? *next : full.front ();
        const io_count sent = send_one_locked (to, whom, parts, options, !next, owed);
        if (!sent.ok () && sent.code () == errc::host_unreachable) {
            providers_.unreachable (whom);
            std::erase (full, whom);
            look_at_news_locked (owed);
        } else if (!sent.ok () && sent.code () == errc::would_block && next) {
            full.push_back (whom);
        } else {
            return sent;
        }
    }
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// Nobody is there. ok: look again.
errc gateway::await_somebody_locked (time_ns deadline, bool wait, waiting &self, work &owed) noexcept
{
    if (self.interrupted)
        return errc::interrupted;
    owed.now_ns = world_.time.now_ns ();
    if (!wait || deadline <= owed.now_ns)
        return errc::host_unreachable;
    owed.self = &self;
    self.sends = true;
    settle_locked (owed);
    wait_turn_locked (self, deadline, owed);
    self.sends = false;
    hand_on_locked (owed);
    return errc::ok;
}

// The next one may go the quick way.
void gateway::note_sent_locked (service &of) noexcept
{
    if (of.one_way_head.empty () || of.one_way_head.size () > quick_head_bytes || last_sent_ == &of)
        return;
    last_sent_ = &of;
    last_head_size_ = static_cast<std::uint32_t> (of.one_way_head.size ());
    std::copy (of.one_way_head.begin (), of.one_way_head.end (), last_head_.begin ());
}

// The service's messages go to that provider alone for now. One at a time is prepared, and
// stays for as long as it is used.
void gateway::prepare_locked (service &of, provider_number only) noexcept
{
    const std::uint64_t sent = prepared_.sent.load (std::memory_order_relaxed);
    if (prepared_for_ != nullptr && std::exchange (prepared_sent_, sent) != sent)
        return;
    if (prepared_for_ != nullptr)
        take_back_prepared_locked ();
    prepared_name_ = name_of (only);
    prepared_behind_ = last_head_;
    prepared_.key = of.name.c_str ();
    prepared_.name = prepared_name_;
    prepared_.head = base::bytes_view (prepared_behind_).first (last_head_size_);
    prepared_.unless = &teller_->news ();
    prepared_for_ = &of;
    prepared_to_ = only;
    // Where the socket does not take it, that is as well until something changes.
    (void)socket::prepare_headed (socket_, &prepared_);
}

void gateway::take_back_prepared_locked () noexcept
{
    (void)socket::prepare_headed (socket_, nullptr);
    prepared_for_ = nullptr;
}

// Where it is not so any more, it is taken back.
void gateway::check_prepared_locked () noexcept
{
    if (prepared_for_ != nullptr && (closed_ || prepared_for_->members.only () != prepared_to_))
        take_back_prepared_locked ();
}

// The lock is let go of meanwhile. Takes the parts on success.
io_count gateway::send_one_locked (service &of,
                                   provider_number to,
                                   std::span<base::message> parts,
                                   const call_options &options,
                                   bool wait,
                                   work &owed) noexcept
try {
    const bool plain = options.instance == 0 && options.key.empty () && options.traceparent.empty ();
    if (!plain || of.one_way_head.empty ()) {
        scratch_.clear ();
        wire::encode_gateway_head ({.kind = wire::gateway_kind::one_way,
                                    .instance = options.instance,
                                    .service = of.name,
                                    .key = options.key,
                                    .traceparent = options.traceparent,
                                    .tracestate = options.tracestate},
                                   scratch_);
        if (plain)
            of.one_way_head = scratch_;
    }
    note_sent_locked (of);
    base::message head;
    base::message name;
    if (!name.init_copy (name_of (to)).ok () || !head.init_copy (plain ? of.one_way_head : scratch_).ok ())
        return errc::no_memory;
    name.set_more (true);
    head.set_more (!parts.empty ());
    held_parts whole;
    whole.reserve (2 + parts.size ());
    whole.take (name);
    whole.take (head);
    whole.take_all (parts);
    for (std::size_t i = 2; i < whole.size (); ++i)
        whole[i].set_more (i + 1 < whole.size ());
    lock_.unlock ();
    const io_count sent =
      socket::send_parts (socket_, whole.all (), wait ? 0u : unsigned{socket::io_dont_wait});
    if (wait)
        owed.now_ns = world_.time.now_ns ();
    if (!sent.ok ())
        for (std::size_t i = 0; i < parts.size (); ++i)
            std::swap (parts[i], whole[i + 2]);
    lock_.lock ();
    counters_.one_way += sent.ok ();
    return sent;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// Reads what has come since the last look. From now on the next is noted.
void gateway::look_at_news_locked (work &owed) noexcept
{
    for (bool more = true; more;) {
        drain_locked (owed);
        base::io_handle handle{};
        lock_.unlock ();
        const result<unsigned> ready = socket::watch (socket_, teller_, handle);
        lock_.lock ();
        more = leader_ == nullptr && ready.ok () && (ready.value () & socket::event_in) != 0;
    }
}

}  // namespace zlink::service

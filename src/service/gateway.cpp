#include "service/gateway.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "service/gateway_names.hpp"
#include "service/option_numbers.hpp"

namespace zlink::service {

using base::errc;
using base::io_count;
using base::result;
using base::time_ns;

namespace {

constexpr int reconnect_max_ms = 1000;
constexpr std::size_t incoming_parts = 8;  // more need memory

result<void> set_number (void *socket, int option, int value)
{
    return socket::set_option (socket, option, &value, sizeof value);
}

call_outcome bad_outcome (errc why) noexcept
{
    call_outcome bad;
    switch (why) {
    case errc::would_block:
        bad.status = call_status::overloaded;
        break;
    case errc::no_memory:
        bad.status = call_status::no_memory;
        break;
    case errc::invalid_argument:
        bad.status = call_status::refused;
        bad.code = wire::failure_malformed;
        break;
    default:
        bad.status = call_status::terminated;
        break;
    }
    return bad;
}

bool is_timed (const call_options &of) noexcept
{
    return of.deadline_ns != base::never_ns || of.hedge_at_ns != base::never_ns;
}

bool has_texts (const call_options &of) noexcept
{
    return !of.key.empty () || !of.traceparent.empty () || !of.tracestate.empty ();
}

// Behind it they stand in `to`. Throws bad_alloc.
void keep_texts (call_options &of, std::string &to)
{
    // Elsewhere in any case: `to` may change places with another one.
    to.reserve (sizeof to + of.key.size () + of.traceparent.size () + of.tracestate.size ());
    to.append (of.key).append (of.traceparent).append (of.tracestate);
    const std::string_view texts (to);
    of.key = texts.substr (0, of.key.size ());
    of.traceparent = texts.substr (of.key.size (), of.traceparent.size ());
    of.tracestate = texts.substr (of.key.size () + of.traceparent.size ());
}

}  // namespace

// --- beginning and end -------------------------------------------------------------

gateway::gateway (base::world &world, const gateway_settings &settings)
  : world_ (world), settings_ (settings), lock_ (world.sleep, settings.lock_word), dial_lock_ (world.sleep),
    left_ (world.sleep), table_ (settings.requests_max), providers_ (settings.balancing),
    incoming_ (incoming_parts), teller_ (std::make_shared<news_teller> ())
{
    providers_.set_place (settings.host, settings.zone);
    for (base::message &each : incoming_)
        each.init ();
    for (base::headed_message &each : ahead_)
        each.init ();
    seen_ns_ = world.time.now_ns ();
}

result<std::shared_ptr<gateway>>
gateway::open (base::world &world, void *context, const gateway_settings &settings)
try {
    std::shared_ptr<gateway> made (new gateway (world, settings));
    if (const result<void> opened = made->open_socket (context); !opened.ok ())
        return opened.failure ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> gateway::open_socket (void *context)
{
    context_ = context;
    const result<void *> made = socket::open (context, static_cast<int> (socket::socket_type::router));
    if (!made.ok ())
        return made.failure ();
    socket_ = made.value ();
    const std::pair<int, int> numbers[] = {
      {number_of_router_mandatory, 1},
      {number_of_router_notify, notify_all},
      {number_of_immediate, 1},
      {number_of_reconnect_ivl_max, reconnect_max_ms},
      {socket::number_of_linger, 0},
      {socket::number_of_send_hwm, settings_.hwm},
      {socket::number_of_receive_hwm, settings_.hwm},
    };
    for (const auto &[option, value] : numbers)
        if (const result<void> set = set_number (socket_, option, value); !set.ok ())
            return set;
    if (settings_.routing_id.empty ())
        return {};
    return socket::set_option (socket_, number_of_routing_id, settings_.routing_id.data (),
                               settings_.routing_id.size ());
}

gateway::~gateway ()
{
    close ();
    for (base::message &each : incoming_)
        each.close ();
    for (base::headed_message &each : ahead_)
        each.close ();
    while (spare_handled_ != nullptr)
        delete std::exchange (spare_handled_, spare_handled_->next);
}

void gateway::close () noexcept
{
    work owed{.now_ns = world_.time.now_ns ()};
    lock_.lock ();
    const bool first = !std::exchange (leaving_, true);
    closed_locked (owed);
    leave (owed);
    if (first && socket_ != nullptr) {
        socket::unwatch (socket_, teller_);
        // Whoever reads is told that it is over.
        (void)socket::close (socket_);
        const holding one_at_a_time (dial_lock_);
        if (kicker_ != nullptr)
            (void)socket::close (kicker_);
    }
    for (;;) {
        const std::uint32_t heard = left_.heard ();
        lock_.lock ();
        const bool alone = users_ == 0;
        lock_.unlock ();
        if (alone)
            break;
        (void)left_.wait (heard, base::never_ns);
    }
    if (first)
        thread_.reset ();
}

// It is over, by us or by the context: whoever waits looks again.
void gateway::closed_locked (work &owed) noexcept
{
    closed_ = true;
    end_locked (call_status::terminated);
    while (first_asleep_ != nullptr)
        wake_locked (*first_asleep_, owed);
}

// Everything that is under way ends so.
void gateway::end_locked (call_status how) noexcept
{
    for (pending &each : pending_)
        if (each.of != nullptr)
            force_locked (each, how);
}

void gateway::force_locked (pending &which, call_status how) noexcept
{
    if (which.of == nullptr || which.forced)
        return;
    which.forced = true;
    which.outcome ().status = how;
    (void)table_.cancel (which.id);
}

// --- providers ---------------------------------------------------------------------

result<void> gateway::set_providers (std::string_view name, std::span<const listed_provider> all)
{
    if (!is_service_name (name))
        return errc::invalid_argument;
    work owed{.now_ns = world_.time.now_ns ()};
    result<void> answer;
    lock_.lock ();
    try {
        if (closed_)
            answer = errc::terminated;
        else
            providers_.set (name, all);
    } catch (const std::bad_alloc &) {
        answer = errc::no_memory;
    }
    room_locked (owed);  // who is connected already brings no news
    const bool reads = leader_ != nullptr && leader_->sends;
    leave (owed);
    if (reads)
        kick_sender ();
    const result<void> dialled = dial_new ();
    return answer.ok () ? dialled : answer;
}

// The one that reads waits for somebody to send to. Without memory it looks when news comes.
void gateway::kick_sender () noexcept
{
    const holding one_at_a_time (dial_lock_);
    try {
        if (open_kicker ().ok ())
            kick ();
    } catch (const std::bad_alloc &) {
        return;
    }
}

// Who cannot be dialled for want of something is dialled the next time, as are those
// behind it.
result<void> gateway::dial_new () noexcept
{
    for (;;) {
        lock_.lock ();
        const provider_number number = closed_ ? 0 : providers_.take_to_dial ().value_or (0);
        lock_.unlock ();
        if (number == 0)
            return {};
        if (const result<void> dialled = dial (number); !dialled.ok ()) {
            const holding here (lock_);
            providers_.dial_again (number);
            return dialled;
        }
    }
}

// One whose endpoint is none is never connected, which is no failure. no_memory,
// too_many_files.
result<void> gateway::dial (provider_number number) noexcept
try {
    std::string endpoint;
    {
        const holding here (lock_);
        if (const provider_set::provider *const one = providers_.find (number); one != nullptr)
            endpoint = one->endpoint;
    }
    const holding one_at_a_time (dial_lock_);
    const auto name = name_of (number);
    result<void> done =
      socket::set_option (socket_, number_of_connect_routing_id, name.data (), name.size ());
    if (done.ok ())
        done = socket::connect (socket_, endpoint);
    const bool lacks = done.code () == errc::no_memory || done.code () == errc::too_many_files;
    return lacks ? done : result<void> ();
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> gateway::set_policy (std::string_view name, balancing policy)
try {
    if (!is_service_name (name))
        return errc::invalid_argument;
    const holding here (lock_);
    providers_.at (name).members.set_policy (policy);
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

std::size_t gateway::connections (std::string_view name) noexcept
{
    work owed{.now_ns = world_.time.now_ns ()};
    lock_.lock ();
    drain_locked (owed);
    const service *const of = is_service_name (name) ? service_locked (name, owed) : nullptr;
    const std::size_t count = of == nullptr ? 0 : providers_.usable (*of);
    leave (owed);
    return count;
}

gateway_counters gateway::counters () noexcept
{
    const holding here (lock_);
    gateway_counters now = counters_;
    now.one_way += prepared_.sent.load (std::memory_order_relaxed);
    now.late = table_.late ();
    return now;
}

// Null: there is no memory.
gateway::service *gateway::service_locked (std::string_view name, work &owed) noexcept
try {
    if (last_asked_ != nullptr && last_asked_->name == name) [[likely]]
        return last_asked_;
    service *known = providers_.find (name);
    if (known == nullptr)
        known = &providers_.at (name);
    if (!known->used && settings_.wanted)
        owed.wanted.emplace_back (name);
    known->used = true;
    return last_asked_ = known;
} catch (const std::bad_alloc &) {
    return nullptr;
}

// --- requests ----------------------------------------------------------------------

gateway::pending &gateway::at (request_id id) noexcept
{
    return pending_[static_cast<std::size_t> (id & UINT32_MAX)];
}

// would_block: there are too many.
errc gateway::begin_locked (std::string_view name,
                            const call_options &options,
                            waiting *who,
                            handled *by,
                            work &owed,
                            request_id &id) noexcept
try {
    if (closed_)
        return errc::terminated;
    service *const of = service_locked (name, owed);
    if (of == nullptr)
        return errc::no_memory;
    if (table_.size () == pending_.size ())
        pending_.emplace_back ();
    const std::optional<request_id> started =
      table_.start (owed.now_ns, {.deadline_ns = options.deadline_ns,
                                  .hedge_at_ns = options.hedge_at_ns,
                                  .idempotent = options.idempotent,
                                  .attempts_max = options.attempts_max});
    if (!started)
        return errc::would_block;
    id = *started;
    at (id) = {.id = id, .of = of, .options = options, .who = who, .by = by};
    if (who != nullptr)
        who->id = id;
    ++counters_.requests;
    return errc::ok;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

gateway::waiting *gateway::take_waiting_locked () noexcept
try {
    if (idle_ == nullptr)
        idle_ = &waiting_.emplace_back ();
    waiting *const taken = std::exchange (idle_, idle_->next);
    taken->done = taken->interrupted = taken->unasked = false;
    taken->next = nullptr;
    taken->id = 0;
    ++users_;
    return taken;
} catch (const std::bad_alloc &) {
    return nullptr;
}

void gateway::give_waiting_locked (waiting &which) noexcept
{
    which.next = idle_;
    idle_ = &which;
    --users_;
}

call_outcome
gateway::call (std::string_view name, std::span<base::message> parts, const call_options &options) noexcept
{
    if (!is_service_name (name))
        return bad_outcome (errc::invalid_argument);
    work owed{.now_ns = world_.time.now_ns ()};
    lock_.lock ();
    request_id id = 0;
    waiting *const mine = take_waiting_locked ();
    const errc bad =
      mine == nullptr ? errc::no_memory : begin_locked (name, options, mine, nullptr, owed, id);
    call_outcome outcome;
    if (bad == errc::ok) {
        at (id).parts = parts;
        await_locked (*mine, options.deadline_ns, owed);
        outcome = std::exchange (mine->outcome, {});
    } else {
        outcome = bad_outcome (bad);
    }
    if (mine != nullptr)
        give_waiting_locked (*mine);
    const bool last = closed_ && users_ == 0;
    leave (owed);
    if (last)
        left_.ring ();
    return outcome;
}

void gateway::handled::call ()
{
    handler (id, std::move (outcome));
    handler = nullptr;
    parts.clear ();
    texts.clear ();
    outcome.clear ();
}

gateway::handled *gateway::take_handled_locked () noexcept
{
    if (spare_handled_ == nullptr)
        return new (std::nothrow) handled;
    --spare_handled_count_;
    handled *const taken = std::exchange (spare_handled_, spare_handled_->next);
    taken->next = nullptr;
    return taken;
}

// A list of those that are over, and empty.
void gateway::give_handled_locked (handled *first) noexcept
{
    while (first != nullptr) {
        handled *const now = std::exchange (first, first->next);
        if (spare_handled_count_ == spare_handled_max) {
            delete now;
            continue;
        }
        now->next = std::exchange (spare_handled_, now);
        ++spare_handled_count_;
    }
}

result<request_id>
gateway::submit (std::string_view name, held_parts &&parts, const call_options &options, call_handler handler)
try {
    if (const request_id quick = submit_quick (name, parts, options, handler); quick != 0)
        return quick;
    if (!is_service_name (name))
        return errc::invalid_argument;
    if (const result<void> running = start_handlers (); !running.ok ())
        return running.failure ();
    std::string texts;
    std::optional<call_options> kept;
    if (has_texts (options)) [[unlikely]]
        keep_texts (kept.emplace (options), texts);
    const call_options &mine = kept ? *kept : options;
    const bool timed = is_timed (options);
    work owed{.now_ns = timed ? world_.time.now_ns () : 0};
    lock_.lock ();
    if (!timed)  // who reads keeps the time for it
        owed.now_ns = seen_ns_;
    const time_ns due = table_.next_due ();
    request_id id = 0;
    handled *const made = take_handled_locked ();
    const errc bad = made == nullptr ? errc::no_memory : begin_locked (name, mine, nullptr, made, owed, id);
    if (bad == errc::ok) {
        made->handler = std::move (handler);
        made->parts = std::move (parts);
        if (kept) [[unlikely]]
            made->texts.swap (texts);
        at (id).parts = made->parts.all ();
        if (table_.next_due () < due)
            wake_handlers_locked (owed);  // they keep the time, and would sleep too long
    } else {
        give_handled_locked (made);
    }
    leave (owed);
    return bad == errc::ok ? result<request_id> (id) : result<request_id> (bad);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// 0: it is to be submitted otherwise.
request_id gateway::submit_quick (std::string_view name,
                                  held_parts &parts,
                                  const call_options &options,
                                  call_handler &handler) noexcept
{
    if (parts.size () != 1 || options.idempotent || options.instance != 0 || is_timed (options)
        || has_texts (options) || options.attempts_max != attempts_per_request_max)
        return 0;
    quick_request quick;
    {
        const holding here (lock_);
        if (!begin_quick_locked (name, parts[0], handler, quick))
            return 0;
    }
    parts.clear ();
    if (!send_quick (quick).ok ()) [[unlikely]]
        go_on (quick);
    return quick.id;
}

// What is usual: nothing else is due, somebody can be picked, and no memory is needed.
bool gateway::begin_quick_locked (std::string_view name,
                                  base::message &part,
                                  call_handler &handler,
                                  quick_request &to) noexcept
try {
    service *const of = last_asked_;
    if (of == nullptr || of->name != name || of->request_head.empty ()
        || of->request_head.size () > to.head.size () || part.size () > to.body.size ()) [[unlikely]]
        return false;
    if (closed_ || spare_handled_ == nullptr || table_.any_steps () || table_.size () == pending_.size ()
        || providers_.next_probe () <= seen_ns_) [[unlikely]]
        return false;
    const std::optional<provider_number> whom =
      of->members.pick (of->members.draws () ? world_.dice.next () : 0);
    const std::optional<request_id> started = whom ? table_.start (seen_ns_, {}) : std::nullopt;
    if (!started) [[unlikely]]
        return false;
    to.body_size = static_cast<std::uint32_t> (part.size ());
    std::memcpy (to.body.data (), part.data (), part.size ());
    handled *const made = take_handled_locked ();
    made->handler.swap (handler);
    made->parts.take (part);
    pending &which = at (*started);
    which = {.id = *started, .of = of, .parts = made->parts.all (), .by = made};
    to.attempt = table_.take_step ().attempt;  // it is the only one
    to.socket = socket_;
    to.id = *started;
    to.to = *whom;
    to.more_follow = more_follow ();
    to.head_size = static_cast<std::uint32_t> (of->request_head.size ());
    std::memcpy (to.head.data (), of->request_head.data (), to.head_size);
    wire::number_gateway_head (to.head, {.attempt = to.attempt, .id = to.id});
    note_request_sent_locked (which, to.attempt, to.to);
    ++counters_.requests;
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

io_count gateway::send_quick (const quick_request &what) noexcept
{
    return socket::send_headed (what.socket, name_of (what.to), std::span (what.head).first (what.head_size),
                                std::span (what.body).first (what.body_size), what.more_follow);
}

// As if it had come back.
void gateway::go_on (const quick_request &unsent) noexcept
{
    work owed{.now_ns = world_.time.now_ns ()};
    lock_.lock ();
    outgoing failed;
    failed.id = unsent.id;
    failed.attempt = unsent.attempt;
    failed.to = unsent.to;
    failed.bad = errc::in_progress;
    report_locked (failed, owed);
    leave (owed);
}

bool gateway::cancel (request_id id) noexcept
{
    work owed{.now_ns = world_.time.now_ns ()};
    lock_.lock ();
    const bool found = table_.cancel (id);
    leave (owed);
    return found;
}

}  // namespace zlink::service

// bind, connect and their undoing over byte streams; dialling and accepting,
// which the reactor does.
#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "engine/socket_core.hpp"

namespace zlink::engine {

namespace {

struct split_endpoint
{
    std::string_view scheme;
    std::string_view address;
};

constexpr std::string_view scheme_mark = "://";

result<split_endpoint> split (std::string_view text) noexcept
{
    const std::size_t at = text.find (scheme_mark);
    if (at == std::string_view::npos || at == 0)
        return errc::invalid_argument;
    const split_endpoint parts{text.substr (0, at), text.substr (at + scheme_mark.size ())};
    if (parts.address.empty ())
        return errc::invalid_argument;
    return parts;
}

// Where a stream begins and ends, as endpoints, and who is there.
struct stream_ends
{
    std::string local;
    std::string remote;
    std::string peer;
};

// Asks the system: never under a lock. Empty where memory is out.
stream_ends ends_of (const base::stream &which) noexcept
try {
    return {which.local_endpoint (), which.remote_endpoint (), which.peer_address ()};
} catch (const std::bad_alloc &) {
    return {};
}

base::close_reason dial_reason (errc code) noexcept
{
    switch (code) {
    case errc::connection_refused:
    case errc::no_such_file:
        return base::close_reason::connect_refused;
    case errc::timed_out:
        return base::close_reason::connect_timeout;
    case errc::name_not_found:
        return base::close_reason::resolve_failed;
    default:
        return base::close_reason::connect_failed;
    }
}

}  // namespace

// --- the calls -------------------------------------------------------------------

result<void> socket_core::bind (std::uint32_t generation, std::string_view text)
{
    const result<split_endpoint> parts = split (text);
    if (!parts.ok ())
        return parts.failure ();
    if (parts.value ().scheme == "inproc")
        return bind_inproc (generation, text, std::string (parts.value ().address));
    const holding here (*this);
    result<void> outcome = check_locked (generation);
    if (!outcome.ok ())
        return outcome;
    base::transport *const by = owner_->transport_of (parts.value ().scheme);
    outcome = by == nullptr ? result<void> (errc::protocol_not_supported) : may_meet_locked (*by, true);
    if (outcome.ok ())
        outcome = may_serve_locked (generation, *by, text);
    if (outcome.ok ())
        outcome = ensure_reactor_locked ();
    if (!outcome.ok ())
        return outcome;
    return by->carries_datagrams () ? bind_datagrams_locked (*by, text, parts.value ().address)
                                    : bind_kernel_locked (*by, text, parts.value ().address);
}

result<void> socket_core::connect (std::uint32_t generation, std::string_view text)
{
    std::uint32_t number = 0;
    return connect_by (generation, text, number);
}

// What is queued must have a peer at once.
errc socket_core::may_connect_peer_locked (std::uint32_t generation) const noexcept
{
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (!traits_.dials_by_number)
        return errc::not_supported;
    return wish_.immediate ? errc::bad_address : errc::ok;
}

result<std::uint32_t> socket_core::connect_peer (std::uint32_t generation, std::string_view text)
{
    lock ();
    const errc bad = may_connect_peer_locked (generation);
    unlock ();
    if (bad != errc::ok)
        return bad;
    std::uint32_t number = 0;
    const result<void> outcome = connect_by (generation, text, number);
    return outcome.ok () ? result<std::uint32_t> (number) : result<std::uint32_t> (outcome.failure ());
}

result<void> socket_core::disconnect_peer (std::uint32_t generation, std::uint32_t number) noexcept
{
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (traits_.sends != send_rule::number)
        return errc::not_supported;
    pipe *const who = numbered_locked (number);
    if (who == nullptr)
        return errc::host_unreachable;
    if (who->kind == pipe_kind::inproc)
        close_end_locked (static_cast<inproc_end &> (*who), base::close_reason::disconnected);
    else
        end_peer_locked (*who);
    return {};
}

// number: by which the peer is known, where it has one.
result<void> socket_core::connect_by (std::uint32_t generation, std::string_view text, std::uint32_t &number)
{
    const result<split_endpoint> parts = split (text);
    if (!parts.ok ())
        return parts.failure ();
    if (parts.value ().scheme == "inproc")
        return connect_inproc (generation, text, std::string (parts.value ().address), number);
    const holding here (*this);
    result<void> outcome = check_locked (generation);
    if (!outcome.ok ())
        return outcome;
    base::transport *const by = owner_->transport_of (parts.value ().scheme);
    outcome = by == nullptr ? result<void> (errc::protocol_not_supported) : may_meet_locked (*by, false);
    if (outcome.ok ())
        outcome = may_serve_locked (generation, *by, text);
    if (outcome.ok ())
        outcome = by->check_remote (parts.value ().address, wish_.stream);
    if (outcome.ok ())
        outcome = ensure_reactor_locked ();
    crypto::tls_ref<stream_layering> layers;
    if (outcome.ok ())
        outcome = prepare_layers_locked (*by, false, text, parts.value ().address, layers);
    if (outcome.ok ())
        outcome = connect_kernel_locked (*by, text, parts.value ().address, layers);
    if (outcome.ok () && traits_.sends == send_rule::number)
        number = endpoints_.back ().dialled->number;
    return outcome;
}

namespace {

// A set that the reactor watches, or null where sets are no members of sets;
// chooses the reactor where there is none yet.
result<std::unique_ptr<base::poller>>
make_inner_set (context &owner, std::uint64_t affinity, std::uint64_t tag, reactor *&by) noexcept
{
    if (by == nullptr) {
        const result<reactor *> chosen = owner.choose_reactor (affinity);
        if (!chosen.ok ())
            return chosen.failure ();
        by = chosen.value ();
    }
    if (!owner.world.pollers.nests ())
        return std::unique_ptr<base::poller> ();
    result<std::unique_ptr<base::poller>> made = owner.world.pollers.make ();
    if (!made.ok ())
        return made;
    constexpr std::uint32_t wish = base::interest_read | base::interest_one_shot;
    if (const auto added = by->set ().add (made.value ()->handle (), wish, tag); !added.ok ())
        return added.failure ();
    return made;
}

}  // namespace

// The reactor and the inner set, made at the first endpoint that needs the
// kernel.
result<void> socket_core::ensure_reactor_locked () noexcept
{
    if (reactor_ != nullptr)
        return {};
    const std::uint32_t generation = generation_;
    const std::uint64_t tag = tag_of_inner ();
    const std::uint64_t affinity = wish_.affinity;
    reactor *by = nullptr;
    result<std::unique_ptr<base::poller>> made{errc::no_memory};
    {
        const std::shared_ptr<context> owner = owner_;
        const away gone (*this);
        made = make_inner_set (*owner, affinity, tag, by);
    }
    if (by == nullptr)
        return made.failure ();
    result<void> outcome = made.ok () ? result<void> (check_locked (generation)) : made.failure ();
    const bool late = outcome.ok () && reactor_ != nullptr;  // another thread was faster
    if (outcome.ok () && !late && !by->adopt (*this))
        outcome = errc::no_memory;
    if (late || !outcome.ok ()) {
        by->sockets.fetch_sub (1, std::memory_order_relaxed);  // counted by choose_reactor
        return outcome;
    }
    reactor_ = by;
    inner_ = std::move (made).value ();
    lease_armed_ = inner_ != nullptr;
    if (handle_set_ != nullptr && inner_ != nullptr) {
        const base::io_handle handle = inner_->handle ();
        const away gone (*this);
        (void)handle_set_->add (handle, base::interest_read | base::interest_edge, 0);
    }
    notify_everybody_locked ();  // one of those who wait becomes the leader
    return {};
}

namespace {

// Hands back what a bind that fails had adopted.
class tentative
{
  public:
    explicit tentative (base::listener &of) noexcept : of_ (&of) {}
    ~tentative () { end (); }
    tentative (const tentative &) = delete;
    tentative &operator= (const tentative &) = delete;
    void keep () noexcept { of_ = nullptr; }
    void end () noexcept
    {
        if (of_ != nullptr)
            std::exchange (of_, nullptr)->hand_back ();
    }

  private:
    base::listener *of_;
};

}  // namespace

result<void>
socket_core::bind_kernel_locked (base::transport &by, std::string_view text, std::string_view address)
{
    const std::uint32_t generation = generation_;
    const base::stream_options options = wish_.stream;
    std::list<endpoint> one (1);
    endpoint &fresh = one.front ();
    fresh.text = text;
    fresh.address = address;
    if (const result<void> fits = prepare_layers_locked (by, true, text, address, fresh.layers);
        !fits.ok ()) {
        if (check_locked (generation) == errc::ok)
            tell_bind_failed_locked (text, fits.failure ());
        return fits;
    }
    result<std::unique_ptr<base::listener>> made{errc::no_memory};
    {
        const away gone (*this);
        made = by.listen (address, options);
    }
    if (!made.ok ()) {
        if (check_locked (generation) == errc::ok)
            tell_bind_failed_locked (text, made.failure ());
        return made.failure ();
    }
    tentative not_ours_yet (*made.value ());
    if (const errc bad = check_locked (generation); bad != errc::ok) {
        not_ours_yet.end ();
        doom_locked (std::move (made).value ());
        return bad;
    }
    // All that may throw before anything is changed.
    fresh.id = next_endpoint_++;
    fresh.by = &by;
    fresh.resolved = made.value ()->local_endpoint ();
    reserve_deadlines_locked ();
    fresh.listening = std::move (made).value ();
    // The reactor knows it before anybody else does: whoever can see it may
    // close it. Until it is entered, what comes for its tag is ignored.
    const base::io_handle handle = fresh.listening->handle ();
    reactor &by_reactor = *reactor_;
    result<void> added;
    {
        const away gone (*this);
        added = by_reactor.set ().add (handle, base::interest_read, tag_of (fresh));
    }
    const errc bad = added.ok () ? check_locked (generation) : added.code ();
    if (added.ok ())
        not_ours_yet.keep ();
    if (bad != errc::ok) {
        not_ours_yet.end ();
        doom_locked (std::move (fresh.listening));
        return added.ok () ? result<void> (bad) : added;
    }
    last_endpoint_ = fresh.resolved;
    endpoints_.splice (endpoints_.end (), one);
    tell_endpoint_locked (event_kind::listening, fresh, {.handle = handle});
    return {};
}

result<void> socket_core::connect_kernel_locked (base::transport &by,
                                                 std::string_view text,
                                                 std::string_view address,
                                                 const crypto::tls_ref<stream_layering> &layers)
{
    endpoint *const known = wish_.connect_once || any_ended_ ? find_endpoint_locked (text, true) : nullptr;
    if (known != nullptr && known->ended)
        remove_endpoint_locked (*known);  // this is its new beginning
    else if (wish_.connect_once && known != nullptr)
        return {};
    if (connect_name_taken_locked ())
        return errc::address_in_use;
    std::list<endpoint> one (1);  // all that may throw before anything is changed
    endpoint &fresh = one.front ();
    fresh.id = next_endpoint_++;
    fresh.text = text;
    fresh.resolved = text;
    fresh.by = &by;
    fresh.address = address;
    fresh.layers = layers;
    last_endpoint_ = text;
    reserve_deadlines_locked ();
    connection *const which = new_connection_locked ();
    if (which == nullptr)
        return errc::no_memory;
    which->of_datagrams = which->shapes_stream = by.carries_datagrams ();
    if (names_dialled_locked (*which)) {
        if (const errc bad = enter_route_locked (*which, wish_.connect_name); bad != errc::ok) {
            free_indices_.push_back (which->index);
            connections_[which->index].reset ();
            return bad;
        }
        which->name_kept = true;
        wish_.connect_name.clear ();
    }
    endpoints_.splice (endpoints_.end (), one);
    deadlines_.set (fresh.due, 0);  // at once
    fresh.dialled = which;
    which->dialled_by = &fresh;
    const bool alone = !traits_.single_peer || balance_.empty ();
    if (!wish_.immediate && alone)
        attach_locked (*which);
    post_locked ();
    return {};
}

endpoint *socket_core::find_endpoint_locked (std::string_view text, bool dialer) noexcept
{
    for (endpoint &each : endpoints_)
        if (!each.removed && each.made_by_bind () != dialer && (each.text == text || each.resolved == text))
            return &each;
    return nullptr;
}

endpoint *socket_core::endpoint_of_locked (std::uint64_t id) noexcept
{
    for (endpoint &each : endpoints_)
        if (each.id == id && !each.removed)
            return &each;
    return nullptr;
}

// A listener closes now; a dialer's connection drains and takes its endpoint
// along.
void socket_core::remove_endpoint_locked (endpoint &gone) noexcept
{
    gone.removed = endpoints_changed_ = true;
    deadlines_.set (gone.due, base::never_ns);
    if (!gone.busy)
        close_listener_locked (gone);
    if (gone.dialled != nullptr)
        drain_locked (*gone.dialled);
    post_locked ();
}

result<void> socket_core::unbind (std::uint32_t generation, std::string_view text)
{
    if (text.starts_with ("inproc://"))
        return unbind_inproc (generation, std::string (text.substr (9)));
    lock ();
    result<void> outcome = check_locked (generation);
    if (outcome.ok ()) {
        endpoint *found = find_endpoint_locked (text, false);
        while (found != nullptr && found->busy) {  // the reactor accepts on it
            {
                const away gone (*this);
                owner_->world.sleep.yield ();
            }
            found = check_locked (generation) == errc::ok ? find_endpoint_locked (text, false) : nullptr;
        }
        if (found == nullptr)
            outcome = errc::no_such_endpoint;
        else
            remove_endpoint_locked (*found);
    }
    unlock ();  // closes the listener
    return outcome;
}

result<void> socket_core::disconnect (std::uint32_t generation, std::string_view text) noexcept
{
    if (text.starts_with ("inproc://"))
        return disconnect_inproc (generation, text);
    lock ();
    result<void> outcome = check_locked (generation);
    if (outcome.ok ()) {
        endpoint *const found = find_endpoint_locked (text, true);
        if (found == nullptr)
            outcome = errc::no_such_endpoint;
        else
            remove_endpoint_locked (*found);
    }
    unlock ();
    return outcome;
}

result<endpoint_report> socket_core::report (std::uint32_t generation, std::string_view text) noexcept
{
    if (text.starts_with ("inproc://"))
        return report_inproc (generation, text, text.substr (9));
    lock ();
    endpoint_report answer;
    errc bad = check_locked (generation);
    if (bad == errc::ok) {
        endpoint *found = find_endpoint_locked (text, true);
        if (found == nullptr)
            found = find_endpoint_locked (text, false);
        if (found == nullptr) {
            bad = errc::no_such_endpoint;
        } else {
            answer.is_listener = found->made_by_bind ();
            answer.attempts = found->attempts;
            answer.last_reason = found->last_reason;
            answer.os_error = found->last_os_error;
            if (found->is_dialer ())
                answer.connected = found->dialled->state == connection_state::ready;
            else
                for (const auto &each : connections_)
                    answer.connected += each != nullptr && each->accepted_by == found->id
                                        && each->state == connection_state::ready;
        }
    }
    unlock ();
    if (bad != errc::ok)
        return bad;
    return answer;
}

// --- dialling, on the reactor's thread -------------------------------------------

void socket_core::dial_locked (endpoint &to) noexcept
{
    deadlines_.set (to.due, base::never_ns);
    if (to.dialled == nullptr || to.busy || to.resolving || to.dialled->state != connection_state::lost)
        return;
    ++to.attempts;
    to.dialled->id = ++last_connection_id_;
    if (to.bound)
        open_bound_locked (to);
    else
        resolve_locked (to);
}

void socket_core::resolve_locked (endpoint &to) noexcept
try {
    to.busy = true;
    const std::uint64_t id = to.id;
    base::transport &by = *to.by;
    const std::string address = to.address;
    const base::stream_options options = wish_.stream;
    if (!by.must_ask (address, options)) {
        base::resolve_result found;
        {
            const away gone (*this);
            found = by.resolve (address, options);
        }
        to.busy = false;
        resolved_locked (to, std::move (found));
        return;
    }
    // The resolver's thread brings the answer and asks for a turn. A lookup may
    // outlive the socket: the generation tells.
    to.resolving = true;
    const std::uint32_t generation = generation_;
    const std::shared_ptr<context> owner = owner_;
    auto answered = [this, id, generation] (base::resolve_result found) {
        lock ();
        if (generation == generation_ && phase_ != phase::unused) {
            for (endpoint &each : endpoints_)
                if (each.id == id) {
                    each.resolving = false;
                    each.answer = std::move (found);
                    each.answered = endpoints_changed_ = true;
                }
            post_locked ();
        }
        unlock ();
    };
    {
        const away gone (*this);  // it may start a thread, or answer at once
        owner->world.names.submit (by, address, options, answered);
    }
    to.busy = false;
} catch (const std::bad_alloc &) {
    to.busy = to.resolving = false;
    tell_endpoint_locked (event_kind::connect_failed, to,
                          {base::close_reason::out_of_memory, {errc::no_memory, 0}});
    dial_failed_locked (to, base::close_reason::out_of_memory, 0);
}

void socket_core::resolved_locked (endpoint &to, base::resolve_result found) noexcept
{
    if (to.removed || to.dialled == nullptr)
        return;
    if (found.addresses.empty ()) {
        warn_answer_locked (*to.dialled, base::close_reason::resolve_failed, found.failure);
        tell_endpoint_locked (event_kind::connect_failed, to,
                              {base::close_reason::resolve_failed, found.failure});
        dial_failed_locked (to, base::close_reason::resolve_failed, found.failure.os_code);
        return;
    }
    to.addresses = std::move (found.addresses);
    to.next_address = 0;
    dial_next_locked (to);
}

// Until when the address that is dialled now may answer.
base::time_ns socket_core::connect_limit_locked (const endpoint &to) noexcept
{
    const bool more_addresses = to.next_address < to.addresses.size ();
    if (wish_.connect_timeout_ms == 0 && more_addresses)
        return now_ns () + silent_address_max_ns;
    return limit_after (wish_.connect_timeout_ms);
}

void socket_core::dial_next_locked (endpoint &to) noexcept
try {
    while (to.next_address < to.addresses.size ()) {
        const base::address &target = to.addresses[to.next_address++];
        const base::stream_options options = wish_.stream;
        base::transport &by = *to.by;
        to.busy = true;
        result<std::unique_ptr<base::stream>> made{errc::no_memory};
        {
            const away gone (*this);
            refresh_layers (to.layers, owner_->world, to.text);
            made = by.carries_datagrams () ? open_datagrams (by, target, options) : by.dial (target, options);
        }
        to.busy = false;
        if (to.removed || to.dialled == nullptr) {
            if (made.ok ())
                doom_locked (std::move (made).value ());
            return;
        }
        connection &which = *to.dialled;
        if (to.next_address > 1)
            which.id = ++last_connection_id_;
        if (!made.ok ()) {
            to.last_reason = dial_reason (made.code ());
            to.last_os_error = made.failure ().os_code;
            warn_answer_locked (which, to.last_reason, made.failure ());
            tell_endpoint_locked (event_kind::connect_failed, to, {to.last_reason, made.failure ()});
            continue;
        }
        which.stream = std::move (made).value ();
        which.generation = next_generation_++;  // late events of the stream before are not this one's
        which.state = connection_state::connecting;
        if (which.stream->connecting ())
            tell_endpoint_locked (event_kind::connect_started, to,
                                  {.failure = {errc::in_progress, 0}, .handle = which.stream->handle ()});
        deadlines_.set (which.due, connect_limit_locked (to));
        connected_locked (which);
        return;
    }
    dial_failed_locked (to, to.last_reason, to.last_os_error);
} catch (const std::bad_alloc &) {
    tell_endpoint_locked (event_kind::connect_failed, to,
                          {base::close_reason::out_of_memory, {errc::no_memory, 0}});
    dial_failed_locked (to, base::close_reason::out_of_memory, 0);
}

// The system may be done connecting: looks, and goes on or waits.
void socket_core::connected_locked (connection &which) noexcept
{
    if (which.claimed ())
        return;
    if (which.proxy != nullptr) {
        talk_to_proxy_locked (which);
        return;
    }
    which.rx_claimed = true;
    result<void> outcome;
    stream_ends ends;
    {
        const away gone (*this);
        outcome = which.stream->finish_connect ();
        if (outcome.ok ())
            ends = ends_of (*which.stream);
    }
    if (which.state == connection_state::connecting && outcome.code () == errc::in_progress
        && !watch_locked (which, base::interest_write | base::interest_one_shot))
        outcome = errc::too_many_files;
    which.rx_claimed = false;
    if (which.state == connection_state::lost) {
        erase_locked (which);
        return;
    }
    if (outcome.code () == errc::in_progress)
        return;
    if (!outcome.ok ()) {
        attempt_failed_locked (which, dial_reason (outcome.code ()), outcome.failure ());
        return;
    }
    which.local = std::move (ends.local);
    which.remote = std::move (ends.remote);
    which.peer_address = std::move (ends.peer);
    try {
        stream_connected_locked (which);
    } catch (const std::bad_alloc &) {
        attempt_failed_locked (which, base::close_reason::out_of_memory, {errc::no_memory, 0});
    }
}

// There is a stream: to the peer, or to a proxy that has still to be talked to.
void socket_core::stream_connected_locked (connection &which)
{
    if (which.of_datagrams) {  // nobody was met
        start_handshake_locked (which);
        return;
    }
    const endpoint &by = *which.dialled_by;
    const base::address &at = by.addresses[by.next_address - 1];
    if (at.beyond_host.empty ()) {
        tell_connection_locked (event_kind::connected, which);
        start_handshake_locked (which);
        return;
    }
    meet_proxy_locked (which, at);
}

// One address has not led there; perhaps the next one does.
void socket_core::attempt_failed_locked (connection &which,
                                         base::close_reason why,
                                         base::error failure) noexcept
{
    endpoint &by = *which.dialled_by;
    by.last_reason = why;
    by.last_os_error = failure.os_code;
    warn_answer_locked (which, why, failure);
    tell_endpoint_locked (event_kind::connect_failed, by, {why, failure, which.stream->handle ()});
    doom_locked (std::move (which.stream));
    which.proxy.reset ();
    which.in_outer = false;
    which.state = connection_state::lost;
    deadlines_.set (which.due, base::never_ns);
    dial_next_locked (by);
}

void socket_core::dial_failed_locked (endpoint &to, base::close_reason reason, int os_error) noexcept
{
    to.last_reason = reason;
    to.last_os_error = os_error;
    retry_locked (to);
}

bool socket_core::gives_up_locked (const endpoint &to) const noexcept
{
    const bool refused = to.last_reason == base::close_reason::connect_refused;
    return (wish_.reconnect_ms < 0 && to.attempts > 0) || to.given_up || (refused && wish_.stop_at_refusal);
}

// It will never be dialled again, so nothing may wait for it: neither what is
// queued, nor a socket that is closing.
void socket_core::abandon_locked (endpoint &to) noexcept
{
    connection &which = *to.dialled;
    deadlines_.set (to.due, base::never_ns);
    to.ended = any_ended_ = true;
    warn_locked (warning::gave_up (to.last_reason, to.last_os_error), to);
    detach_locked (which);
    drop_queue_locked (which);
    note_gone_locked ();
    if (phase_ == phase::closing) {
        which.leaving = true;
        erase_locked (which);
    }
}

// Plans the next attempt: the interval, doubled up to the maximum where one is
// set or the peers do not agree on who comes in, with jitter so that a thousand
// dialers do not come back at once.
void socket_core::retry_locked (endpoint &to) noexcept
{
    if (gives_up_locked (to)) {
        abandon_locked (to);
        return;
    }
    if (to.interval_ms == 0)
        to.interval_ms = std::max<std::int64_t> (wish_.reconnect_ms, 1);
    const std::uint64_t dice = owner_->world.dice.next ();
    const auto span = static_cast<std::uint64_t> (to.interval_ms * base::ns_per_ms);
    const auto interval = static_cast<time_ns> (span);
    const time_ns wait = wish_.full_jitter ? static_cast<time_ns> (dice % span + 1)
                                           : interval + static_cast<time_ns> (dice % (span / 2 + 1));
    deadlines_.set (to.due, now_ns () + wait);
    const bool unwanted = to.last_reason == base::close_reason::authentication_failed
                          || to.last_reason == base::close_reason::turned_away
                          || base::is_of_tls_handshake (to.last_reason);
    const std::int64_t most =
      wish_.reconnect_max_ms == 0 && unwanted ? refused_interval_ms_max : wish_.reconnect_max_ms;
    if (most > wish_.reconnect_ms)
        to.interval_ms = std::min (to.interval_ms * 2, most);
    tell_endpoint_locked (event_kind::connect_planned, to,
                          {.reason = to.last_reason, .interval_ms = wait / base::ns_per_ms});
    schedule_locked (to.due.deadline ());
}

// --- accepting, on the reactor's thread ------------------------------------------

void socket_core::accept_locked (endpoint &from) noexcept
{
    for (unsigned i = 0; i < accepts_per_turn_max; ++i) {
        if (from.removed || from.listening == nullptr || from.busy || !make_way_locked (from))
            break;
        from.busy = true;
        base::listener &listening = *from.listening;
        result<std::unique_ptr<base::stream>> made{errc::no_memory};
        stream_ends ends;
        {
            const away gone (*this);
            made = listening.accept ();
            if (made.ok ())
                refresh_layers (from.layers, owner_->world, from.resolved);
            if (made.ok ())
                ends = ends_of (*made.value ());
        }
        from.busy = false;
        if (!made.ok ()) {
            // Where our own can give a descriptor back there is no need to wait.
            const bool frees = made.code () == errc::too_many_files && find_descriptors_locked (from);
            if (made.code () != errc::would_block && !frees)
                not_accepting_locked (from, made.failure ());
            break;
        }
        ++from.attempts;
        if (!made.value ()->admitted ()) {
            turn_away_locked (from, base::close_reason::not_admitted, errc::permission_denied, ends.remote);
            doom_locked (std::move (made).value ());
            continue;
        }
        connection *const which = admit_locked (from);
        if (which == nullptr) {
            doom_locked (std::move (made).value ());
            continue;
        }
        which->stream = std::move (made).value ();
        which->accepted_by = from.id;
        which->id = ++last_connection_id_;
        which->local = std::move (ends.local);
        which->remote = std::move (ends.remote);
        which->peer_address = std::move (ends.peer);
        tell_connection_locked (event_kind::accepted, *which);
        start_handshake_locked (*which);
    }
    if (from.removed)
        close_listener_locked (from);
}

void socket_core::not_accepting_locked (endpoint &from, base::error failure) noexcept
{
    from.last_reason = base::close_reason::limit_reached;
    from.last_os_error = failure.os_code;
    if (!from.removed)
        tell_refusal_locked (from, failure);
    pause_accept_locked (from);
}

// A place for somebody new, or null and why there is none.
connection *socket_core::admit_locked (endpoint &from) noexcept
{
    if (phase_ != phase::open || from.removed)
        return nullptr;
    if (over_budget_locked ()) {
        turn_away_locked (from, base::close_reason::budget_reached, errc::no_memory, {});
        count_hold_locked ();
        return nullptr;
    }
    ++admissions_;
    connection *const which = new_connection_locked ();
    if (which == nullptr) {
        from.last_reason = base::close_reason::out_of_memory;
        from.last_os_error = 0;
        tell_refusal_locked (from, {errc::no_memory, 0});
    }
    return which;
}

// A peer that came and does not get in.
void socket_core::turn_away_locked (endpoint &from,
                                    base::close_reason why,
                                    errc failure,
                                    std::string_view remote) noexcept
{
    from.last_reason = why;
    from.last_os_error = 0;
    ++from.gone.handshakes_failed;
    ++gone_.handshakes_failed;
    if (!from.removed)
        tell_endpoint_locked (
          event_kind::accept_failed, from,
          {.reason = why, .failure = {failure, 0}, .handle = from.listening->handle (), .remote = remote});
}

void socket_core::tell_refusal_locked (const endpoint &from, base::error failure) noexcept
{
    tell_endpoint_locked (event_kind::accept_failed, from,
                          {from.last_reason, failure, from.listening->handle ()});
    warn_locked (warning::not_accepting (from.last_reason, failure.os_code), from);
}

// Out of descriptors or memory: a level-triggered listener would spin.
void socket_core::pause_accept_locked (endpoint &from) noexcept
{
    const base::io_handle handle = from.listening->handle ();
    deadlines_.set (from.due, now_ns () + accept_backoff_ns);
    from.busy = true;
    {
        const away gone (*this);
        reactor_->set ().remove (handle);
    }
    from.busy = false;
    schedule_locked (from.due.deadline ());
}

void socket_core::resume_accept_locked (endpoint &from) noexcept
{
    deadlines_.set (from.due, base::never_ns);
    if (from.removed || from.listening == nullptr)
        return;
    const base::io_handle handle = from.listening->handle ();
    const std::uint64_t tag = tag_of (from);
    from.busy = true;
    result<void> added;
    {
        const away gone (*this);
        added = reactor_->set ().add (handle, base::interest_read, tag);
    }
    from.busy = false;
    if (added.ok () || from.removed)
        return;
    // Without the set nobody would ever come to it again.
    from.last_reason = base::close_reason::limit_reached;
    from.last_os_error = added.failure ().os_code;
    tell_refusal_locked (from, added.failure ());
    deadlines_.set (from.due, now_ns () + accept_backoff_ns);
    schedule_locked (from.due.deadline ());
}

}  // namespace zlink::engine

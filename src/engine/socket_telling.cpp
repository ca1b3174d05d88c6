// Telling what happens: events to whoever asked for them.
#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include "engine/socket_core.hpp"

namespace zlink::engine {

// --- who is told -------------------------------------------------------------------

result<void> socket_core::add_sink (std::uint32_t generation, std::shared_ptr<event_sink> sink) noexcept
try {
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    auto longer = sinks_ == nullptr ? std::make_shared<sink_list> () : std::make_shared<sink_list> (*sinks_);
    longer->push_back (std::move (sink));
    sinks_ = std::move (longer);
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void socket_core::remove_sink (std::uint32_t generation, const std::shared_ptr<event_sink> &sink) noexcept
{
    const holding here (*this);
    if (generation != generation_ || phase_ == phase::unused || sinks_ == nullptr
        || std::find (sinks_->begin (), sinks_->end (), sink) == sinks_->end ())
        return;  // it has been told of the end
    event_record last;
    last.at_ns = now_ns ();
    last.number = ++events_told_;
    (void)sink->take (last);
    try {
        auto shorter = std::make_shared<sink_list> (*sinks_);
        std::erase (*shorter, sink);
        sinks_ = shorter->empty () ? nullptr : std::move (shorter);
    } catch (const std::bad_alloc &) {
    }
}

result<std::vector<peer_report>> socket_core::peer_reports (std::uint32_t generation)
{
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    std::vector<peer_report> all;
    for (const auto &each : connections_)
        if (each != nullptr && each->state == connection_state::ready)
            all.push_back ({each->routed ? each->name : each->peer_identity, each->remote, each->id,
                            each->ready_since_ns, each->passed.messages_sent,
                            each->passed.messages_received});
    for (const inproc_end &each : ends_)
        if (each.joined)
            all.push_back ({each.name, end_text_locked (each), each.connection_id, each.ready_since_ns,
                            each.passed.messages_sent, each.passed.messages_received});
    std::sort (all.begin (), all.end (), [] (const peer_report &one, const peer_report &other) {
        return std::pair (one.ready_since_ns, one.connection_id)
               < std::pair (other.ready_since_ns, other.connection_id);
    });
    return all;
}

// --- telling -----------------------------------------------------------------------

void socket_core::tell_locked (event_record &what) noexcept
{
    what.at_ns = now_ns ();
    what.number = ++events_told_;
    const std::uint64_t lost_before = events_lost_;
    for (const auto &each : *sinks_)
        events_lost_ += !each->take (what);
    todo_ |= todo_tell;
    if (events_lost_ != lost_before)
        warn_locked (warning::events_lost (events_lost_ - lost_before), traits_.name);
}

// Those who sleep for more, of a socket that lingers, too.
void socket_core::tell_context_ends_locked () noexcept
{
    if (sinks_ == nullptr)
        return;
    for (const auto &each : *sinks_)
        each->context_ends ();
    todo_ |= todo_tell;
}

void socket_core::tell_endpoint_locked (event_kind kind, const endpoint &about, endpoint_news news) noexcept
{
    if (sinks_ == nullptr)
        return;
    try {
        event_record what;
        what.kind = kind;
        what.at_listener = about.made_by_bind ();
        what.reason = news.reason;
        what.failure = news.failure;
        what.handle = news.handle;
        what.interval_ms = news.interval_ms;
        what.connection_id = about.is_dialer () ? about.dialled->id : 0;
        what.endpoint = what.at_listener ? about.resolved : about.text;
        (what.at_listener ? what.local : what.remote) = what.endpoint;
        if (!news.remote.empty ())
            what.remote = news.remote;
        tell_locked (what);
    } catch (const std::bad_alloc &) {
        ++events_lost_;
    }
}

void socket_core::tell_bind_failed_locked (std::string_view text, base::error failure) noexcept
{
    if (sinks_ == nullptr)
        return;
    try {
        event_record what;
        what.kind = event_kind::bind_failed;
        what.at_listener = true;
        what.failure = failure;
        what.endpoint = what.local = text;
        tell_locked (what);
    } catch (const std::bad_alloc &) {
        ++events_lost_;
    }
}

void socket_core::tell_budget_reached_locked () noexcept
{
    if (sinks_ == nullptr)
        return;
    event_record what;
    what.kind = event_kind::budget_reached;
    what.reason = base::close_reason::budget_reached;
    tell_locked (what);
}

void socket_core::tell_connection_locked (event_kind kind,
                                          const connection &about,
                                          base::close_reason reason,
                                          int os_error,
                                          std::uint64_t missed) noexcept
{
    if (sinks_ == nullptr)
        return;
    try {
        event_record what;
        what.kind = kind;
        what.at_listener = about.dialled_by == nullptr;
        what.reason = reason;
        what.failure.os_code = os_error;
        what.missed = missed;
        what.handle = about.stream == nullptr ? base::no_handle : about.stream->handle ();
        what.connection_id = about.id;
        what.endpoint = what.at_listener ? about.local : about.dialled_by->text;
        what.local = about.local;
        what.remote = about.remote;
        if (about.state == connection_state::ready || about.state == connection_state::draining)
            what.peer_identity = about.peer_identity;
        what.in_handshake = about.state == connection_state::handshaking;
        what.no_handshake = about.bare () || about.of_datagrams;
        tell_locked (what);
    } catch (const std::bad_alloc &) {
        ++events_lost_;
    }
}

void socket_core::tell_end_locked (event_kind kind,
                                   const inproc_end &about,
                                   base::close_reason reason,
                                   std::uint64_t missed) noexcept
{
    if (sinks_ == nullptr)
        return;
    try {
        event_record what;
        what.kind = kind;
        what.in_process = true;
        what.at_listener = about.id == 0;
        what.reason = reason;
        what.missed = missed;
        what.connection_id = about.connection_id;
        what.endpoint = end_text_locked (about);
        (what.at_listener ? what.local : what.remote) = what.endpoint;
        tell_locked (what);
    } catch (const std::bad_alloc &) {
        ++events_lost_;
    }
}

result<void> socket_core::tell_pipe_counts (std::uint32_t generation) noexcept
try {
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    if (peers_ == 0)
        return errc::would_block;
    if (sinks_ == nullptr)
        return {};
    for (const auto &each : connections_) {
        if (each == nullptr || each->state != connection_state::ready)
            continue;
        event_record what;
        what.kind = event_kind::pipe_counts;
        what.outbound = static_cast<std::uint64_t> (each->queued_messages ());
        what.inbound = each->in.idle () ? 0 : 1;
        what.local = each->local;
        what.remote = each->remote;
        tell_locked (what);
    }
    for (const inproc_end &each : ends_) {
        if (!each.joined)
            continue;
        event_record what;
        what.kind = event_kind::pipe_counts;
        what.outbound = each.out->untaken_messages ();
        what.inbound = each.in->queued ();
        (each.id == 0 ? what.local : what.remote) = end_text_locked (each);
        tell_locked (what);
    }
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// The binder's end knows only a hash of the name it was bound to.
std::string socket_core::end_text_locked (const inproc_end &of) const
{
    if (of.id != 0)
        return of.text;
    for (const bound_name &each : bound_names_)
        if (each.place == of.place)
            return "inproc://" + each.name;
    return {};
}

// What the loss of a connection is, by the state it is still in.
void socket_core::tell_loss_locked (const connection &which, base::close_reason reason, int os_error) noexcept
{
    switch (which.state) {
    case connection_state::lost:
        return;
    case connection_state::connecting:
        if (which.dialled_by != nullptr)
            tell_endpoint_locked (event_kind::connect_failed, *which.dialled_by,
                                  {reason, {errc::ok, os_error}, which.stream->handle (), 0});
        return;
    case connection_state::handshaking:
        if (!is_local (reason))
            tell_connection_locked (event_kind::handshake_failed, which, reason, os_error);
        break;
    case connection_state::ready:
    case connection_state::draining:
        break;
    }
    tell_connection_locked (event_kind::lost, which, reason, os_error);
}

// --- warning -----------------------------------------------------------------------

void socket_core::warn_locked (const warning &what, std::string_view place, std::string_view peer) noexcept
{
    if (owner_->warn (what, place, peer))
        todo_ |= todo_warn;
}

void socket_core::warn_of_idle_option (std::uint32_t generation, int number) noexcept
{
    const holding here (*this);
    if (check_locked (generation) == errc::ok)
        warn_locked (warning::idle_option (number), traits_.name);
}

void socket_core::warn_locked (const warning &what, const connection &about) noexcept
{
    const endpoint *const by = about.dialled_by;
    const std::string &place = by != nullptr ? by->text : about.local;
    warn_locked (what, place, about.remote == place ? std::string_view () : about.remote);
}

void socket_core::warn_locked (const warning &what, const endpoint &about) noexcept
{
    warn_locked (what, about.is_dialer () ? about.text : about.resolved);
}

// Peers come and go: only those are worth a word that were not wanted, or
// could not be served.
void socket_core::warn_loss_locked (const connection &which, base::close_reason reason, int os_error) noexcept
{
    // Who is cut off may just have been ended.
    if (reason >= base::close_reason::handshake_timeout && reason != base::close_reason::tls_truncated)
        warn_locked (warning::refused (reason, os_error), which);
}

// LINGER 0 says that nobody will miss them.
void socket_core::warn_drop_locked (const connection &which, drop_reason why, std::uint64_t messages) noexcept
{
    if (why != drop_reason::closed || wish_.linger_ms != 0)
        warn_locked (warning::dropped (why, messages), which);
}

// A number that our table of errors does not know.
void socket_core::warn_answer_locked (const connection &about,
                                      base::close_reason why,
                                      base::error answer) noexcept
{
    if (answer.code == errc::os_failure)
        warn_locked (warning::odd_answer (why, answer.os_code), about);
}

// --- ends --------------------------------------------------------------------------

// A listener closes after the unlock, and only then it is told.
void socket_core::close_listener_locked (endpoint &which) noexcept
{
    if (which.opened != nullptr)
        doom_locked (std::move (which.opened));
    if (which.listening == nullptr)
        return;
    if (sinks_ != nullptr) {
        try {
            event_record what;
            what.kind = event_kind::unbound;
            what.at_listener = true;
            what.reason = leave_reason_locked ();
            what.handle = which.listening->handle ();
            what.endpoint = what.local = which.resolved;
            told_when_buried_.push_back (std::move (what));
        } catch (const std::bad_alloc &) {
            ++events_lost_;
        }
    }
    doom_locked (std::move (which.listening));
}

void socket_core::tell_buried_locked (std::vector<event_record> &closed) noexcept
{
    if (sinks_ != nullptr)
        for (event_record &each : closed)
            tell_locked (each);
    closed.clear ();
}

// What is left to tell when nothing of the socket is left: no lock is needed.
void socket_core::farewell::say (context &owner) noexcept
{
    if (sinks == nullptr)
        return;
    event_record end;
    end.reason = base::close_reason::local_close;
    const auto tell = [this, &owner] (event_record &what) {
        what.at_ns = owner.world.time.now_ns ();
        what.number = ++told;
        for (const auto &sink : *sinks)
            (void)sink->take (what);
    };
    for (event_record &each : closed)
        tell (each);
    tell (end);
    for (const auto &sink : *sinks)
        sink->deliver ();
    sinks.reset ();
}

base::close_reason socket_core::leave_reason_locked () const noexcept
{
    if (phase_ == phase::open)
        return base::close_reason::disconnected;
    return owner_->terminating () ? base::close_reason::context_terminated : base::close_reason::local_close;
}

}  // namespace zlink::engine

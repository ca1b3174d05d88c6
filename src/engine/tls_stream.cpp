#include "engine/tls_stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

namespace zlink::engine {

using base::bytes_span;
using base::bytes_view;
using base::close_reason;
using base::errc;
using base::locked;
using base::result;
using crypto::tls_reason;
using crypto::tls_session;
using crypto::tls_state;

namespace {

// The session is held for so many plain octets at a time, some 20 us: whole records,
// and an arena with what WebSocket adds to it, so that it leaves by one call.
constexpr std::size_t octets_at_once_max = 5 * tls_session::record_bytes_max;
// Slices below this size travel with their neighbours in one record.
constexpr std::size_t small_slice_bytes_max = 4 * 1024;
// What a step of the handshake is given to write into.
constexpr std::size_t step_room_bytes = 4 * 1024;

// What there is room for.
std::size_t left_of (const span_cursor<const bytes_span> &at) noexcept
{
    std::size_t sum = 0;
    for (const bytes_span &each : at.slices.subspan (at.index))
        sum += each.size ();
    return sum - at.offset;
}

constexpr std::array reasons = {
  close_reason::none,
  close_reason::not_tls,
  close_reason::certificate_untrusted,
  close_reason::certificate_expired,
  close_reason::certificate_expired,  // not yet valid
  close_reason::certificate_of_another,
  close_reason::certificate_unsuitable,  // too weak
  close_reason::certificate_unsuitable,
  close_reason::certificate_missing,
  close_reason::tls_nothing_in_common,  // no version
  close_reason::tls_nothing_in_common,
  close_reason::tls_nothing_in_common,  // no protocol
  close_reason::tls_alert,
  close_reason::tls_forged,
  close_reason::tls_violation,
  close_reason::tls_violation,  // flooded
  close_reason::tls_truncated,
  close_reason::out_of_memory,
  close_reason::tls_violation,  // OpenSSL does not say
  close_reason::no_keys,
};
static_assert (reasons.size () == crypto::tls_reasons);

close_reason reason_of (tls_reason why) noexcept { return reasons[static_cast<std::size_t> (why)]; }

}  // namespace

tls_stream::tls_stream (std::unique_ptr<base::stream> inside,
                        tls_terms terms,
                        buffer_pool &out,
                        buffer_pool &in) noexcept
  : wrapping_stream (std::move (inside)), terms_ (std::move (terms)), sealed_ (out), came_ (in)
{
}

tls_stream::~tls_stream ()
{
    if (open_ && !goodbye_said_ && !stuck_)
        say_goodbye ();
}

close_reason tls_stream::fault () const noexcept
{
    const locked hold (crypto_);
    return fault_ != close_reason::none ? fault_ : inside ().fault ();
}

std::vector<std::pair<std::string, std::string>> tls_stream::peer_facts () const
{
    std::vector<std::pair<std::string, std::string>> facts = inside ().peer_facts ();
    const locked hold (crypto_);
    if (std::string subject = session_->peer_subject (); terms_.context->verifies () && !subject.empty ())
        facts.emplace_back (tls_subject_fact, std::move (subject));
    if (!session_->protocol ().empty ())
        facts.emplace_back ("TLS-Protocol", session_->protocol ());
    return facts;
}

// Whoever is at it keeps the buffers.
void tls_stream::rest () noexcept
{
    inside ().rest ();
    if (!open_ || !crypto_.try_lock ())
        return;
    session_->rest ();
    crypto_.unlock ();
}

void tls_stream::widen () noexcept
{
    const locked hold (crypto_);
    session_->write_whole_records ();
}

bool tls_stream::output_pending () noexcept { return goodbye_due_ || inside ().output_pending (); }

// --- the handshake ---------------------------------------------------------------

bool tls_stream::make_session () noexcept
{
    crypto::tls_ticket ticket = terms_.tickets != nullptr ? terms_.tickets->take () : crypto::tls_ticket ();
    crypto::tls_session_options options;
    options.host = terms_.host;
    options.now_s = terms_.now_s;
    options.resume = &ticket;
    options.records_per_key_max = terms_.records_per_key_max;
    options.record_bytes_max = terms_.record_bytes_max;
    auto made = tls_session::make (terms_.context, options);
    if (!made.ok ()) {
        stick (close_reason::out_of_memory, made.failure ());
        return false;
    }
    session_ = std::move (made).value ();
    return true;
}

// Who dials speaks first: a listener takes no memory for a session before something
// has come. False: not now, or it is stuck.
bool tls_stream::begin_session () noexcept
{
    if (terms_.context->role () == crypto::tls_role::listener) {
        bool dry = false;
        if (fill (0, dry) != came::some) {
            came_.release ();
            return false;
        }
    }
    return make_session ();
}

// Over what has come. True: something moved.
bool tls_stream::step () noexcept
{
    if (!sealed_.make_room (step_room_bytes)) {
        stick (close_reason::out_of_memory, {errc::no_memory, 0});
        return false;
    }
    const tls_session::moved did = session_->step (came_.content (), sealed_.room ());
    came_.drop (did.taken);
    sealed_.grow (did.written);
    return did.taken > 0 || did.written > 0;
}

// As far as it goes now. A full system does not keep us from reading: the peer may
// wait for just that before it reads itself.
void tls_stream::shake () noexcept
{
    if (stuck_ || (session_ == nullptr && !begin_session ()))
        return;
    for (bool more = true; more;) {
        const bool moved = step ();
        const result<void> written = drain ();
        if (!written.ok () && written.code () != errc::would_block)
            stick (close_reason::none, written.failure ());
        if (stuck_)
            return;
        bool dry = false;
        more = moved || (session_->state () == tls_state::handshaking && fill (0, dry) != came::nothing);
    }
    if (came_.empty ())
        came_.release ();
    // Where many come at once, the buffers of one serve the next, while each waits for
    // its peer.
    session_->rest ();
    rx_state_ = session_->state ();
    owes_.store (!sealed_.empty (), std::memory_order_relaxed);
    if (rx_state_ == tls_state::failed)
        return settle ();
    open_ = rx_state_ != tls_state::handshaking && sealed_.empty ();
    more_ = !came_.empty ();
}

result<void> tls_stream::open () noexcept
{
    if (const result<void> first = inside ().open (); !first.ok ())
        return first;
    if (!open_)
        shake ();
    if (open_)
        return {};
    return stuck_ ? result<void> (failure_) : errc::would_block;
}

// What a call answers that cannot go on.
tls_stream::io_result tls_stream::told () const noexcept
{
    if (!stuck_)
        return errc::would_block;
    return failure_.code == errc::ok ? io_result (std::size_t{0}) : io_result (failure_);
}

// --- writing -------------------------------------------------------------------

bool tls_stream::take_pen () noexcept
{
    const locked hold (crypto_);
    return !std::exchange (pen_taken_, true);
}

// What came to be owed meanwhile is written, too, unless the system takes no more.
void tls_stream::put_pen (bool blocked) noexcept
{
    for (;;) {
        {
            const locked hold (crypto_);
            if (blocked || session_->owed () == 0) {
                pen_taken_ = false;
                owes_.store (session_->owed () > 0 || (!sealed_.empty () && !withheld_),
                             std::memory_order_relaxed);
                return;
            }
        }
        source none{};
        (void)seal_some (none);
        blocked = sealed_.empty () || !drain ().ok ();
    }
}

result<void> tls_stream::drain () noexcept
{
    while (!sealed_.empty ()) {
        const bytes_view all = sealed_.content ();
        const io_result written = inside ().write (std::span (&all, 1));
        if (!written.ok ())
            return written.failure ();
        sealed_.drop (written.value ());
    }
    sealed_.release ();
    return {};
}

// Small neighbours become one record, a large slice as many as it takes. How many
// plain octets went; under crypto_.
std::size_t tls_stream::seal_next (source &from, std::size_t bytes_max) noexcept
{
    std::array<std::byte, tls_session::record_bytes_max> together;
    bytes_view next = from.front ();
    if (next.size () < small_slice_bytes_max) {
        std::size_t size = 0;
        for (source at = from; !at.done () && at.front ().size () < small_slice_bytes_max
                               && at.front ().size () <= together.size () - size;) {
            const bytes_view each = at.front ();
            std::memcpy (together.data () + size, each.data (), each.size ());
            size += each.size ();
            at.skip (each.size ());
        }
        next = bytes_view (together).first (size);
    }
    const tls_session::moved did =
      session_->encrypt (next.first (std::min (next.size (), bytes_max)), sealed_.room ());
    sealed_.grow (did.written);
    from.skip (did.taken);
    return did.taken;
}

// What is owed, and then as much of the source as there is room for, at most what
// the session may be held for. How many plain octets that were.
std::size_t tls_stream::seal_some (source &from) noexcept
{
    std::size_t plain = 0;
    from.settle ();
    const locked hold (crypto_);
    if (from.done () && session_->owed () == 0)
        return 0;
    if (sealed_.empty () && !sealed_.make_room (sealed_.pooled_bytes ()))
        return 0;
    sealed_.grow (session_->write_owed (sealed_.room ()));
    while (!from.done () && plain < octets_at_once_max) {
        if (!sealed_.empty () && sealed_.room ().size () < small_slice_bytes_max)
            break;
        const std::size_t taken = seal_next (from, octets_at_once_max - plain);
        if (taken == 0)
            break;
        plain += taken;
    }
    return plain;
}

tls_stream::io_result tls_stream::write_with_pen (source &from, bool &blocked) noexcept
{
    blocked = true;
    if (const result<void> rest = drain (); !rest.ok ())
        return rest.failure ();
    std::size_t taken = 0;
    if (std::exchange (withheld_, false)) {
        from.settle ();
        from.skip (1);
        taken = 1;
    }
    for (;;) {
        const std::size_t plain = seal_some (from);
        if (sealed_.empty ())
            break;
        const std::size_t sealed = sealed_.content ().size ();
        const result<void> done = drain ();
        // What has gone is not said to have failed, or it would be sent once more.
        if (!done.ok () && done.code () != errc::would_block && sealed_.content ().size () == sealed)
            return taken > 0 ? io_result (taken) : io_result (done.failure ());
        taken += plain;
        if (done.ok ())
            continue;
        withheld_ = plain > 0;
        taken -= withheld_;
        return taken > 0 ? io_result (taken) : io_result (done.failure ());
    }
    blocked = false;
    // What is left cannot be sealed: the session has failed, or there is no memory.
    if (taken > 0 || from.done ())
        return taken;
    const locked hold (crypto_);
    if (session_->state () != tls_state::failed)
        return errc::no_memory;
    fault_ = fault_ == close_reason::none ? reason_of (session_->failure ().reason) : fault_;
    return base::error{errc::incompatible_protocol, session_->failure ().detail};
}

tls_stream::io_result tls_stream::write (std::span<const bytes_view> slices) noexcept
{
    if (!open_)
        return told ();
    if (!take_pen ())
        return errc::would_block;
    bool blocked = false;
    source from{slices};
    const io_result done = write_with_pen (from, blocked);
    put_pen (blocked);
    return done;
}

// Whoever has the pen looks for it.
void tls_stream::say_last_word () noexcept
{
    if (take_pen ())
        put_pen (false);
}

// What the system does not take of it now goes with the next reads.
void tls_stream::say_goodbye () noexcept
{
    goodbye_due_ = true;
    if (!take_pen ())
        return;
    result<void> done = drain ();
    if (done.ok () && !goodbye_said_ && sealed_.make_room (sealed_.pooled_bytes ())) {
        goodbye_said_ = true;
        {
            const locked hold (crypto_);
            sealed_.grow (session_->close (sealed_.room ()));
        }
        done = drain ();
    }
    put_pen (!done.ok ());
    goodbye_due_ = done.code () == errc::would_block || owes ();
    if (!goodbye_due_)
        inside ().shutdown_write ();
}

void tls_stream::shutdown_write () noexcept
{
    if (open_)
        say_goodbye ();
    else
        inside ().shutdown_write ();
}

// --- reading -------------------------------------------------------------------

void tls_stream::stick (close_reason why, base::error failure) noexcept
{
    const locked hold (crypto_);
    fault_ = why;
    failure_ = failure;
    stuck_ = true;
}

// The end came before anything was said.
void tls_stream::stick_unsaid () noexcept
{
    stick (close_reason::peer_closed, {errc::incompatible_protocol, 0});
}

// The session is over, in one way or another.
void tls_stream::settle () noexcept
{
    const crypto::tls_failure why = session_->failure ();
    if (rx_state_ == tls_state::closed)
        stick (close_reason::none, {});
    else if (why.reason == tls_reason::truncated && !open_)
        stick_unsaid ();
    else
        stick (reason_of (why.reason), {errc::incompatible_protocol, why.detail});
    if (rx_state_ == tls_state::failed)
        say_last_word ();
}

// One hold of the session. How many plain octets came of it.
std::size_t tls_stream::open_some (target &to) noexcept
{
    to.settle ();
    if (to.done ())
        return 0;
    const bytes_view all = came_.content ();
    const locked hold (crypto_);
    const tls_session::moved did =
      session_->decrypt (all.first (std::min (all.size (), octets_at_once_max)), to.front ());
    came_.drop (did.taken);
    to.skip (did.written);
    rx_state_ = session_->state ();
    more_ = !came_.empty () || session_->held () > 0;
    if (session_->owed () > 0)
        owes_.store (true, std::memory_order_relaxed);
    if (terms_.tickets != nullptr)
        terms_.tickets->put (session_->take_ticket ());
    return did.written;
}

// One read of the stream inside, for so many plain octets. dry: it has no more for
// now.
tls_stream::came tls_stream::fill (std::size_t plain_bytes, bool &dry) noexcept
{
    if (!came_.make_room (came_.pooled_bytes ())) {
        stick (close_reason::out_of_memory, {errc::no_memory, 0});
        return came::the_end;
    }
    const std::size_t wanted =
      tls_session::sealed_bytes_max (std::max (plain_bytes, tls_session::record_bytes_max));
    const bytes_span room = came_.room ().first (std::min (came_.room ().size (), wanted));
    const io_result got = inside ().read (std::span (&room, 1));
    if (got.code () == errc::would_block)
        return came::nothing;
    if (!got.ok ()) {
        stick (close_reason::none, got.failure ());
        return came::the_end;
    }
    came_.grow (got.value ());
    dry = got.value () < room.size ();
    if (got.value () > 0)
        return came::some;
    if (session_ == nullptr) {
        stick_unsaid ();
        return came::the_end;
    }
    const locked hold (crypto_);
    session_->end_of_stream ();
    return came::the_end;
}

tls_stream::io_result tls_stream::read (std::span<const bytes_span> slices) noexcept
{
    if (!open_)
        return told ();
    if (goodbye_due_)
        say_goodbye ();
    target to{slices};
    std::size_t given = 0;
    bool dry = false;
    while (!stuck_) {
        given += open_some (to);
        if (to.done ())
            break;
        if (rx_state_ != tls_state::ready) {
            settle ();
            break;
        }
        if (more_)
            continue;
        if ((dry && given > 0) || fill (left_of (to), dry) == came::nothing)
            break;
    }
    if (came_.empty ())
        came_.release ();
    return given > 0 ? io_result (given) : told ();
}

}  // namespace zlink::engine

// Streams around the system's stream (base/wrapping_stream.hpp): their handshake,
// which comes before the session's, and what they have to say afterwards that no
// event tells.
#include <new>
#include <utility>

#include "engine/socket_core.hpp"
#include "engine/tls_side.hpp"
#include "engine/tls_stream.hpp"
#include "engine/web_layer.hpp"

namespace zlink::engine {

// What an endpoint's streams are wrapped in, or why it cannot be had: files are read
// and certificates looked at, without the lock.
result<void> socket_core::prepare_layers_locked (const base::transport &by,
                                                 bool listens,
                                                 std::string_view text,
                                                 std::string_view address,
                                                 crypto::tls_ref<stream_layering> &made)
{
    base::stream_layers around;
    if (!by.wraps (address, around))
        return {};
    if (!around.tls) {
        const auto plain = std::make_shared<stream_layering> (nullptr, wish_.secured.tls.shared ());
        made = crypto::tls_ref (plain);
        return {};
    }
    const std::uint32_t generation = generation_;
    const std::shared_ptr<context> owner = owner_;
    const tls_side::settings_ptr settings = wish_.secured.tls.shared ();
    tls_side::made outcome;
    std::shared_ptr<stream_layering> fits;
    {
        const away gone (*this);
        try {
            outcome = tls_side::make (*owner, listens ? crypto::tls_role::listener : crypto::tls_role::dialer,
                                      settings, around.host);
            if (outcome.side != nullptr)
                fits = std::make_shared<stream_layering> (outcome.side, settings);
        } catch (const std::bad_alloc &) {
            outcome.error.fault = crypto::tls_fault::out_of_memory;
        }
    }
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    made = crypto::tls_ref (fits);
    if (!made.empty ())
        return {};
    warn_locked (warning::tls_unfit (), tls_complaint (text, outcome.error));
    return tls_answer (outcome.error);
}

// A stream is about to be made; no lock held.
void socket_core::refresh_layers (const crypto::tls_ref<stream_layering> &layers,
                                  base::world &around,
                                  const std::string &place) noexcept
{
    if (!layers.empty ())
        tls_side::refresh (layers.shared ()->tls, around, place);
}

bool socket_core::begin_opening_locked (connection &which)
{
    const endpoint *const by =
      which.dialled_by != nullptr ? which.dialled_by : endpoint_of_locked (which.accepted_by);
    if (by == nullptr)
        return false;
    which.of_web = false;
    base::stream_layers around;
    if (!which.of_datagrams && by->by->wraps (by->address, around))
        wrap_stream_locked (which, *by, around);
    which.shapes_stream = which.of_datagrams || which.stream->wraps ();
    which.opened = !which.stream->wraps ();
    return true;
}

bool socket_core::is_opening_locked (const connection &which) const noexcept { return !which.opened; }

namespace {

// Of wss, where the peer is not known as one of ours. libzmq's reader takes so much at a time, and does not
// look whether its TLS holds more of the record: the rest would lie there until something else comes.
constexpr std::size_t web_record_bytes_max = 8192;

}  // namespace

// TLS is inside, where there are both. Throws bad_alloc.
void socket_core::wrap_stream_locked (connection &which,
                                      const endpoint &by,
                                      const base::stream_layers &around)
{
    const std::shared_ptr<stream_layering> layers = by.layers.shared ();
    if (layers->tls != nullptr) {
        tls_terms terms = layers->tls->terms (owner_->world.time.unix_s ());
        if (around.web)
            terms.record_bytes_max = web_record_bytes_max;
        which.stream = std::make_unique<tls_stream> (std::move (which.stream), std::move (terms),
                                                     owner_->slabs, owner_->slabs);
    }
    if (!around.web)
        return;
    const web_layer how{around,
                        layers->settings == nullptr ? nullptr : &layers->settings->web,
                        wish_.secured,
                        which.dialled_by != nullptr,
                        wire::is_bare (which.out.framing ()),
                        wish_.message_bytes_max,
                        owner_->world.secrets,
                        owner_->slabs,
                        owner_->slabs};
    which.stream = put_into_web (std::move (which.stream), how, which.of_web);
}

// Version and mechanism are settled: the session says what comes then.
bool socket_core::start_opened_locked (connection &which) noexcept
{
    which.session->start (which.of_web ? start_of_web (*which.stream) : wire::session_start::greeting);
    if (which.session->status () == wire::session_status::failed)
        lose_locked (which, which.session->reason (), 0);
    return which.session->status () != wire::session_status::failed;
}

// The session is ready. Both claims are held.
void socket_core::settle_stream_locked (connection &which) noexcept
{
    if (!which.of_web)
        return;
    // Of the web's peers only ours know more than 3.0.
    if (which.session->subscribe_commands ())
        which.stream->widen ();
    else
        tell_web_of_older_peer (*which.stream);
}

// False: its handshake is not over, or has failed.
bool socket_core::open_stream_locked (connection &which) noexcept
{
    result<void> outcome;
    {
        const away gone (*this);
        outcome = which.stream->open ();
    }
    if (which.state != connection_state::handshaking || outcome.code () == errc::would_block)
        return false;
    which.opened = outcome.ok ();
    if (!outcome.ok ())
        lose_locked (which, why_unreadable (*which.stream, outcome.code ()), outcome.failure ().os_code);
    return which.opened && start_opened_locked (which);
}

std::uint32_t socket_core::opening_interest_locked (const connection &which) const noexcept
{
    return which.stream->owes () ? base::interest_write : base::interest_read;
}

base::close_reason socket_core::why_unreadable (const base::stream &from, errc failure) noexcept
{
    if (from.fault () != base::close_reason::none)
        return from.fault ();
    return failure == errc::connection_reset ? base::close_reason::connection_reset
                                             : base::close_reason::read_failed;
}

// Its stream is not the system's alone. What it owes because of what it has read
// is written like anything else.
void socket_core::commit_shaped_read_locked (connection &which, bool news) noexcept
{
    if (which.of_datagrams)
        count_unread_locked (which);
    if (news && which.stream->pending ())
        which.maybe_readable = true;
    if (which.owes || !which.stream->owes ())
        return;
    which.owes = true;
    if (which.can_write () && !which.tx_claimed && !which.tx_armed)
        mark_tail_locked (which);
}

void socket_core::commit_shaped_write_locked (connection &which) noexcept
{
    if (which.of_datagrams)
        count_unsent_locked (which);
    which.owes = which.stream->owes ();
    if (!which.has_output ())
        which.waiting.stop ();
}

}  // namespace zlink::engine

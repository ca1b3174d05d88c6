// Who is let in: the question about a peer that has shown its credentials, and
// what follows from the answer. And the stream of a peer that speaks CURVE.
// The reactor's thread drives all of it.
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "base/z85.hpp"
#include "engine/judge_desk.hpp"
#include "engine/password_policy.hpp"
#include "engine/sealed_stream.hpp"
#include "engine/socket_core.hpp"
#include "engine/tls_stream.hpp"
#include "engine/zap_link.hpp"

namespace zlink::engine {

// No server, or one that knows whom to let in.
bool socket_core::is_guarded_locked (bool has_handler) const noexcept
{
    const wire::security &by = wish_.secured;
    return !by.wants_policy () || has_key_list_locked (by) || policy_locked (by) != nullptr
           || (has_handler && by.asks ());
}

// Whether it may bind or connect here. The lock is dropped where it is a server.
errc socket_core::may_serve_locked (std::uint32_t generation,
                                    const base::transport &by,
                                    std::string_view text) noexcept
{
    if (by.carries_datagrams () || wire::is_bare (wish_.speaks) || is_guarded_locked (false))
        return errc::ok;
    context &owner = *owner_;
    bool has_handler = false;
    {
        const away gone (*this);
        has_handler = owner.is_bound (wire::zap_name);
    }
    const errc bad = check_locked (generation);
    if (bad != errc::ok || is_guarded_locked (has_handler))
        return bad;
    if (wish_.secured.requires_policy)
        return errc::wrong_state;
    if (!std::exchange (unguarded_said_, true))
        warn_locked (warning::unguarded (wish_.secured.admits_unasked ()), text);
    return errc::ok;
}

result<void> socket_core::allow_keys (std::uint32_t generation, base::bytes_view keys) noexcept
try {
    if (keys.size () % base::key_bytes != 0)
        return errc::invalid_argument;
    std::vector<base::public_key> copy (keys.size () / base::key_bytes);
    if (!keys.empty ())
        std::memcpy (copy.data (), keys.data (), keys.size ());
    auto list = std::make_unique<const wire::key_list> (std::move (copy));
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    allowed_keys_.swap (list);  // the one before goes once no lock is held
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void socket_core::forget_list_locked () noexcept { allowed_keys_.reset (); }

// No lock is held: the disk takes its time.
result<void> socket_core::allow_passwords (std::uint32_t generation, base::bytes_view list) noexcept
{
    const std::string_view text = base::as_text (list);
    if (!wire::password_list::is_path (text))
        return take_passwords (generation, text);
    base::files *disk = nullptr;
    {
        const holding here (*this);
        if (const errc bad = check_locked (generation); bad != errc::ok)
            return bad;
        disk = owner_->world.disk;
    }
    if (disk == nullptr)
        return errc::not_supported;
    const result<std::string> file = disk->read (text);
    return file.ok () ? take_passwords (generation, file.value ()) : result<void> (file.failure ());
}

result<void> socket_core::take_passwords (std::uint32_t generation, std::string_view list) noexcept
try {
    std::size_t bad_line = 0;
    auto read = wire::password_list::read (list, bad_line);
    if (read != nullptr)
        return keep_policy (generation, &own_policies::passwords,
                            std::make_shared<const password_policy> (std::move (read)));
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    warn_locked (warning::bad_password_list (bad_line), std::string_view ());
    return errc::invalid_argument;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> socket_core::judge_by (std::uint32_t generation, std::shared_ptr<const policy> whom) noexcept
{
    return keep_policy (generation, &own_policies::any, std::move (whom));
}

// The one before goes once no lock is held.
result<void> socket_core::keep_policy (std::uint32_t generation,
                                       std::shared_ptr<const policy> own_policies::*place,
                                       std::shared_ptr<const policy> whom) noexcept
{
    const holding here (*this);
    if (const errc bad = check_locked (generation); bad != errc::ok)
        return bad;
    (policies_.*place).swap (whom);
    return {};
}

bool socket_core::has_key_list_locked (const wire::security &by) const noexcept
{
    return by.mechanism == wire::mechanism_kind::curve && allowed_keys_ != nullptr;
}

// Who of the socket's own judges peers of this mechanism; null: nobody.
const std::shared_ptr<const policy> &socket_core::policy_locked (const wire::security &by) const noexcept
{
    const bool by_list = by.mechanism == wire::mechanism_kind::plain && policies_.passwords != nullptr;
    return by_list ? policies_.passwords : policies_.any;
}

// The session waits for a verdict. True: it goes on. Both claims are held.
bool socket_core::judge_locked (connection &which)
{
    const wire::security &secured = which.session->secured ();
    if (has_key_list_locked (secured)) {
        doom_locked (std::move (which.judge));
        return look_up_locked (which);
    }
    if (which.judge != nullptr)
        return heed_verdict_locked (which);
    if (const auto &whom = policy_locked (secured); whom != nullptr)
        return refer_locked (which, whom);
    return secured.asks () ? ask_about_locked (which) : go_unasked_locked (which, errc::connection_refused);
}

// Its key is on the list as it is now, or it is not.
bool socket_core::look_up_locked (connection &which)
{
    const wire::credentials &shown = which.session->credentials_shown ();
    base::public_key key{};
    std::memcpy (key.data (), shown.parts.front ().data (), key.size ());
    auto said = std::make_unique<wire::zap_reply> ();
    said->status = wire::zap_status_refused;
    if (allowed_keys_->holds (key)) {
        said->status = wire::zap_status_good;
        said->user_id = base::z85_text (key);
    }
    return pronounce_locked (which, std::move (said));
}

// ask: puts the question, without the lock; may throw std::bad_alloc.
template <class Ask> bool socket_core::ask_locked (connection &which, Ask ask)
{
    result<std::unique_ptr<verdict_source>> asked{errc::no_memory};
    {
        const away gone (*this);
        try {
            asked = ask ();
        } catch (const std::bad_alloc &) {
            asked = errc::no_memory;
        }
    }
    if (asked.ok ())
        which.judge = std::move (asked).value ();
    if (which.state != connection_state::handshaking)
        return false;  // lost meanwhile: the question goes with it
    if (asked.ok ()) {
        attend_to_locked (which);
        return heed_verdict_locked (which);
    }
    return go_unasked_locked (which, asked.code ());
}

namespace {

// Of a certificate that TLS has checked; empty: there is none.
std::string subject_of (const base::stream &with)
{
    for (auto &[name, value] : with.peer_facts ())
        if (name == tls_subject_fact)
            return value;
    return {};
}

}  // namespace

// The context's handler.
bool socket_core::ask_about_locked (connection &which)
{
    // Where the mechanism asks for nothing a certificate is what the peer has shown.
    wire::credentials shown = which.session->credentials_shown ();
    if (std::string subject = subject_of (*which.stream); shown.parts.empty () && !subject.empty ())
        shown.parts.push_back (std::move (subject));
    // What the options were when the handshake began, whatever they are now.
    const std::vector<std::string> question =
      wire::zap_request (which.session->secured ().domain, which.peer_address, wish_.routing_id, shown);
    const socket_ref self{this, generation_};
    return ask_locked (which, [&] { return zap_link::ask (owner_, question, self); });
}

// The socket's own.
bool socket_core::refer_locked (connection &which, std::shared_ptr<const policy> whom)
{
    auto about =
      std::make_unique<const peer_claim> (which.session->secured ().domain, which.peer_address,
                                          which.session->credentials_shown (), subject_of (*which.stream));
    const socket_ref self{this, generation_};
    return ask_locked (which, [&] () -> result<std::unique_ptr<verdict_source>> {
        const std::shared_ptr<judge_desk> desk = owner_->judges ();
        if (desk == nullptr)
            return errc::not_supported;
        return desk->ask (std::move (whom), std::move (about), self);
    });
}

// why: connection_refused where nobody is there to ask.
bool socket_core::go_unasked_locked (connection &which, errc why)
{
    if (why == errc::connection_refused && which.session->secured ().admits_unasked ())
        which.session->admit ();
    else
        which.session->give_up (why == errc::no_memory ? base::close_reason::out_of_memory
                                                       : base::close_reason::zap_unavailable,
                                "nobody is there to ask about the peer");
    if (which.session->status () != wire::session_status::failed)
        return true;
    end_session_locked (which);
    return false;
}

bool socket_core::heed_verdict_locked (connection &which)
{
    auto said = std::make_unique<wire::zap_reply> ();
    bool answered = false;
    {
        const away gone (*this);
        try {
            answered = which.judge->hear (*said);
        } catch (const std::bad_alloc &) {
            said->fault = base::close_reason::out_of_memory;
            answered = true;
        }
    }
    if (which.state != connection_state::handshaking)
        return false;
    if (!answered)
        return which.session->status () == wire::session_status::need_more;  // a READY may come meanwhile
    const bool outdated = which.judge->by () != policy_locked (which.session->secured ()).get ();
    doom_locked (std::move (which.judge));
    // Of who was asked before somebody else became the judge nothing counts.
    return outdated ? judge_locked (which) : pronounce_locked (which, std::move (said));
}

// What was found of the peer.
bool socket_core::pronounce_locked (connection &which, std::unique_ptr<wire::zap_reply> said)
{
    if (said->fault != base::close_reason::none)
        which.session->give_up (said->fault, "the answer about the peer is no answer");
    else if (said->status != wire::zap_status_good)
        which.session->refuse (said->status);
    else
        which.session->admit ();
    if (which.session->status () == wire::session_status::failed) {
        end_session_locked (which);
        return false;
    }
    which.verdict = std::move (said);
    return true;
}

void socket_core::forget_verdict_locked (connection &which) noexcept
{
    doom_locked (std::move (which.judge));
    which.verdict.reset ();
    which.early = {};
}

// From whichever thread the handler answers on.
void socket_core::look_at_answers (std::uint32_t generation) noexcept
{
    lock ();
    if (generation == generation_ && phase_ != phase::unused && reactor_ != nullptr)
        post_locked ();
    unlock ();
}

// The session is ready; its last word has been written as it is. False: memory
// is out. Both claims are held.
bool socket_core::seal_stream_locked (connection &which)
{
    const std::unique_ptr<wire::sealing> how = which.session->take_sealing ();
    if (how == nullptr)
        return true;
    const std::int64_t bytes_max = wish_.message_bytes_max < 0 ? INT64_MAX : wish_.message_bytes_max;
    auto sealed = std::make_unique<sealed_stream> (std::move (which.stream), *how, bytes_max, owner_->arenas,
                                                   owner_->slabs);
    sealed_stream &made = *sealed;
    which.shapes_stream = true;
    which.stream = std::move (sealed);
    return made.preload (which.early);
}

}  // namespace zlink::engine

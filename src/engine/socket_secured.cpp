// Who is let in: the question about a peer that has shown its credentials, and
// what follows from the answer. And the stream of a peer that speaks CURVE.
// The reactor's thread drives all of it.
#include <new>
#include <utility>

#include "engine/socket_core.hpp"

namespace zlink::engine {

// The session waits for a verdict. True: it goes on. Both claims are held.
bool socket_core::judge_locked (connection &which)
{
    return which.zap == nullptr ? ask_about_locked (which) : heed_verdict_locked (which);
}

bool socket_core::ask_about_locked (connection &which)
{
    // What the options were when the handshake began, whatever they are now.
    const wire::security &secured = which.session->secured ();
    const std::vector<std::string> question = wire::zap_request (
      secured.domain, which.peer_address, wish_.routing_id, which.session->credentials_shown ());
    const bool admits_unasked = secured.admits_unasked ();
    const socket_ref self{this, generation_};
    result<std::unique_ptr<zap_link>> link{errc::no_memory};
    {
        const away gone (*this);
        try {
            link = zap_link::ask (owner_, question, self);
        } catch (const std::bad_alloc &) {
            link = errc::no_memory;
        }
    }
    if (link.ok ())
        which.zap = std::move (link).value ();
    if (which.state != connection_state::handshaking)
        return false;  // lost meanwhile: its link goes with it
    if (link.ok ()) {
        attend_to_locked (which);
        return heed_verdict_locked (which);
    }
    if (link.code () == errc::connection_refused && admits_unasked)
        which.session->admit ();
    else
        which.session->give_up (link.code () == errc::no_memory ? base::close_reason::out_of_memory
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
            answered = which.zap->hear (*said);
        } catch (const std::bad_alloc &) {
            said->fault = base::close_reason::out_of_memory;
            answered = true;
        }
    }
    if (which.state != connection_state::handshaking)
        return false;
    if (!answered)
        return which.session->status () == wire::session_status::need_more;  // a READY may come meanwhile
    constexpr unsigned yes = 200;
    doom_locked (std::move (which.zap));
    if (said->fault != base::close_reason::none)
        which.session->give_up (said->fault, "the answer about the peer is no answer");
    else if (said->status != yes)
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
    doom_locked (std::move (which.zap));
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
    which.sealed = sealed.get ();
    which.shapes_stream = true;
    which.stream = std::move (sealed);
    return which.sealed->preload (which.early);
}

}  // namespace zlink::engine

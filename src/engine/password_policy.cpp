#include "engine/password_policy.hpp"

namespace zlink::engine {

void password_policy::judge (const peer_claim &about, wire::zap_reply &to) const
{
    if (about.shown.parts.size () != 2) {  // of another mechanism
        to.status = wire::zap_status_refused;
        return;
    }
    const std::string &name = about.shown.parts.front ();
    switch (list_->check (name, base::as_bytes (about.shown.parts.back ()))) {
    case crypto::password_answer::right:
        to.status = wire::zap_status_good;
        to.user_id = name;
        return;
    case crypto::password_answer::wrong:
        to.status = wire::zap_status_refused;
        return;
    case crypto::password_answer::not_now:
        to.status = wire::zap_status_later;
        return;
    }
}

}  // namespace zlink::engine

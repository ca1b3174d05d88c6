#include "api/authenticator.hpp"

#include <array>
#include <memory>
#include <string>

#include "api/errors.hpp"
#include "base/z85.hpp"
#include "socket/facade.hpp"

namespace zlink::api {

namespace {

class function_policy final : public socket::policy
{
  public:
    function_policy (zlink_authenticator_fn *function, void *hint) noexcept
      : function_ (function), hint_ (hint)
    {
    }
    ~function_policy () override
    {
        if (let_go_ != nullptr)
            let_go_ (hint_, nullptr);
    }

    // From now on the hint is its own.
    void own_hint (zlink_free_fn *let_go) noexcept { let_go_ = let_go; }

    void judge (const socket::peer_claim &about, socket::verdict &to) const override
    {
        const std::vector<std::string> &shown = about.shown.parts;
        const std::string mechanism (about.shown.mechanism);
        std::array<char, ZLINK_USER_ID_BYTES> user_id{};
        std::string key;
        zlink_claim_t claim{};
        claim.mechanism = mechanism.c_str ();
        claim.domain = about.domain.c_str ();
        claim.address = about.address.c_str ();
        if (shown.size () == 2) {
            claim.username = shown.front ().c_str ();
            claim.username_size = shown.front ().size ();
            claim.password = shown.back ().c_str ();
            claim.password_size = shown.back ().size ();
            shown.front ().copy (user_id.data (), user_id.size () - 1);
        } else if (shown.size () == 1) {
            key = base::z85_text (base::as_bytes (shown.front ()));
            claim.public_key = key.c_str ();
            key.copy (user_id.data (), user_id.size () - 1);
        }
        if (!about.subject.empty ())
            claim.certificate_subject = about.subject.c_str ();
        const int said = function_ (&claim, user_id.data (), hint_);
        user_id.back () = '\0';
        to.status = said == 200 || said == 300 || said == 400 ? static_cast<unsigned> (said) : 500U;
        to.user_id = user_id.data ();
    }

  private:
    zlink_authenticator_fn *function_;
    void *hint_;
    zlink_free_fn *let_go_ = nullptr;
};

}  // namespace

int set_authenticator (void *socket,
                       zlink_authenticator_fn *function,
                       void *hint,
                       zlink_free_fn *let_go) noexcept
{
    return without_throwing ([&] {
        if (function == nullptr)
            return answer (socket::judge_by (socket, nullptr));
        const auto made = std::make_shared<function_policy> (function, hint);
        const auto done = socket::judge_by (socket, made);
        if (done.ok ())
            made->own_hint (let_go);
        return answer (done);
    });
}

}  // namespace zlink::api

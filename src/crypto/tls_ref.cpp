#include "crypto/tls_ref.hpp"

#include <utility>

#include "base/atomic.hpp"

namespace zlink::crypto {

struct tls_ref_base::counted
{
    std::shared_ptr<const void> what;
    base::atomic<unsigned> users{1};
};

tls_ref_base::tls_ref_base (const std::shared_ptr<const void> &what)
  : held_ (what == nullptr ? nullptr : new counted{what})
{
}

tls_ref_base::tls_ref_base (const tls_ref_base &other) noexcept : held_ (other.held_)
{
    if (held_ != nullptr)
        held_->users.fetch_add (1, std::memory_order_relaxed);
}

tls_ref_base &tls_ref_base::operator= (const tls_ref_base &other) noexcept
{
    tls_ref_base copy (other);
    std::swap (held_, copy.held_);
    return *this;
}

tls_ref_base::~tls_ref_base ()
{
    if (held_ != nullptr && held_->users.fetch_sub (1, std::memory_order_acq_rel) == 1)
        delete held_;
}

const std::shared_ptr<const void> &tls_ref_base::get () const noexcept { return held_->what; }

}  // namespace zlink::crypto

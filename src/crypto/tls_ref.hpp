// A reference to something of TLS, or of WebSocket, that is shared and counted, which
// those who only carry it need not know. In a library without both there is never one, and carrying
// it costs nothing: the bodies are out of line.
// Thread rule: as of a std::shared_ptr.
#pragma once

#include <memory>

namespace zlink::crypto {

class tls_ref_base
{
  public:
    constexpr tls_ref_base () noexcept = default;
    tls_ref_base (const tls_ref_base &other) noexcept;
    tls_ref_base &operator= (const tls_ref_base &other) noexcept;
    ~tls_ref_base ();
    [[nodiscard]] bool empty () const noexcept { return held_ == nullptr; }

  protected:
    struct counted;
    explicit tls_ref_base (const std::shared_ptr<const void> &what);  // throws bad_alloc
    [[nodiscard]] const std::shared_ptr<const void> &get () const noexcept;

  private:
    counted *held_ = nullptr;
};

template <class T> class tls_ref : public tls_ref_base
{
  public:
    constexpr tls_ref () noexcept = default;
    // Throws bad_alloc. Of null: as of nothing.
    explicit tls_ref (const std::shared_ptr<T> &what) : tls_ref_base (what) {}
    // Null: there is none.
    [[nodiscard]] std::shared_ptr<T> shared () const noexcept
    {
        if (empty ())
            return nullptr;
        return std::const_pointer_cast<T> (std::static_pointer_cast<const T> (get ()));
    }
};

}  // namespace zlink::crypto

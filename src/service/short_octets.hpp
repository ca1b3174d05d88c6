// Octets that are mostly few: those stand inside, more are elsewhere.
//
// Thread rule: one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "base/bytes.hpp"

namespace zlink::service {

class short_octets
{
  public:
    static constexpr std::size_t inside = 128;

    short_octets () noexcept {}
    short_octets (short_octets &&other) noexcept : size_ (other.size_), many_ (std::move (other.many_))
    {
        if (size_ <= inside)
            std::memcpy (few_.data (), other.few_.data (), size_);
        other.size_ = 0;
    }
    short_octets &operator= (short_octets &&) = delete;
    short_octets (const short_octets &) = delete;
    short_octets &operator= (const short_octets &) = delete;
    ~short_octets () = default;

    // In the place of what there was. Throws std::bad_alloc for more than stand inside.
    void assign (base::bytes_view of)
    {
        if (of.size () > inside) [[unlikely]]
            many_.assign (of.begin (), of.end ());
        else if (!of.empty ())
            std::memcpy (few_.data (), of.data (), of.size ());
        size_ = of.size ();
    }
    [[nodiscard]] base::bytes_view view () const noexcept
    {
        return {size_ <= inside ? few_.data () : many_.data (), size_};
    }
    [[nodiscard]] base::bytes_span octets () noexcept
    {
        return {size_ <= inside ? few_.data () : many_.data (), size_};
    }

  private:
    std::size_t size_ = 0;
    std::vector<std::byte> many_{};
    std::array<std::byte, inside> few_;  // as many as there are
};

}  // namespace zlink::service

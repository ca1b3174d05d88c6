// A kernel descriptor with one owner.
//
// Thread rule: none of its own; close() is the last use. Closing never fails
// from the owner's point of view: whatever the kernel answers, the number is
// gone.
#pragma once

#include <utility>

namespace zlink::platform {

class descriptor
{
  public:
    descriptor () = default;
    explicit descriptor (int number) noexcept : number_ (number) {}
    descriptor (descriptor &&other) noexcept : number_ (std::exchange (other.number_, -1)) {}
    descriptor &operator= (descriptor &&other) noexcept
    {
        if (this != &other) {
            close ();
            number_ = std::exchange (other.number_, -1);
        }
        return *this;
    }
    ~descriptor () { close (); }

    [[nodiscard]] int get () const noexcept { return number_; }
    [[nodiscard]] bool valid () const noexcept { return number_ >= 0; }

    // Gives the number away without closing it.
    [[nodiscard]] int release () noexcept { return std::exchange (number_, -1); }

    void close () noexcept;

  private:
    int number_ = -1;
};

}  // namespace zlink::platform

// A descriptor in an event loop's set. Owns the set, not the descriptor.
#pragma once

namespace zlink::bench {

class readiness_set
{
  public:
    readiness_set ();
    ~readiness_set ();
    readiness_set (const readiness_set &) = delete;
    readiness_set &operator= (const readiness_set &) = delete;

    // Level-triggered, for reading. False when the system refuses.
    [[nodiscard]] bool watch (int descriptor) noexcept;
    // Blocks until the descriptor is ready.
    void wait () noexcept;

  private:
    int handle_;
};

}  // namespace zlink::bench

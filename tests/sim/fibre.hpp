// A stackful fibre: a body with a stack of its own that can be left in the
// middle and entered again. The one place that knows how the machine switches
// stacks, and how the sanitizers want to hear of it.
//
// Thread rule: one thread. enter() from outside any fibre, leave() from inside
// this one. A fibre is destroyed only when it has finished.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace zlink::sim {

class fibre
{
  public:
    explicit fibre (std::function<void ()> body);
    ~fibre ();
    fibre (const fibre &) = delete;
    fibre &operator= (const fibre &) = delete;

    // Goes on with the body until it leaves or ends.
    void enter ();
    void leave ();
    [[nodiscard]] bool finished () const noexcept { return finished_; }

  private:
    struct machine;

    static void start (unsigned high, unsigned low);
    void run ();

    std::function<void ()> body_;
    std::unique_ptr<machine> machine_;
    bool finished_ = false;
};

}  // namespace zlink::sim

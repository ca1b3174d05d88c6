// One object of the whole process, made when it is first asked for and never
// destroyed: calls from exit handlers and from threads that outlive main()
// find it.
//
// A forked child leaves its parent's object alone for ever: a thread that is
// not there any more may have been in the middle of a change. It stays
// reachable, so that no leak checker takes it for lost.
// Thread rule: get() from any thread; forsake() while there is no other.
#pragma once

#include <new>

#include "base/atomic.hpp"

namespace zlink::base {

// T is made without arguments and without throwing. For objects of static
// storage, constant-initialised.
template <class T> class lasting
{
  public:
    // Null when memory is out, which can only be before the first success.
    [[nodiscard]] T *get () noexcept
    {
        node *const here = made_.load (std::memory_order_acquire);
        return here != nullptr ? &here->value : make ();
    }

    // The next get() makes another.
    void forsake () noexcept
    {
        if (node *const here = made_.exchange (nullptr, std::memory_order_relaxed); here != nullptr)
            older_ = here;
    }

  private:
    struct node
    {
        T value;
        node *older = nullptr;
    };

    T *make () noexcept
    {
        node *fresh = new (std::nothrow) node;
        if (fresh == nullptr)
            return nullptr;
        fresh->older = older_;
        node *first = nullptr;
        if (made_.compare_exchange_strong (first, fresh, std::memory_order_acq_rel,
                                           std::memory_order_acquire))
            return &fresh->value;
        delete fresh;  // another thread was faster
        return &first->value;
    }

    atomic<node *> made_{nullptr};
    node *older_ = nullptr;
};

}  // namespace zlink::base

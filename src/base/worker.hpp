// Seam: work that takes long, or that is not ours, done beside the reactors.
//
// submit() returns at once; the pieces run one after the other, in the order they
// came, on a thread of the worker's own (in the simulator: a fibre). Thread rule:
// any thread.
#pragma once

#include <functional>

#include "base/error.hpp"

namespace zlink::base {

class worker
{
  public:
    virtual ~worker () = default;  // waits for the piece that runs; the rest are dropped

    // Or why no thread can be had: the piece is not done then. May throw
    // std::bad_alloc, with the same meaning.
    virtual result<void> submit (std::function<void ()> piece) = 0;
};

}  // namespace zlink::base

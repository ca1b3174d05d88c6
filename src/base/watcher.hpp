// Seam: somebody who wants to look again.
//
// Thread rule: wake from any thread, with no lock of ours held. It returns at
// once and does not throw.
#pragma once

namespace zlink::base {

class watcher
{
  public:
    virtual ~watcher () = default;

    // Something may have changed.
    virtual void wake () noexcept = 0;
};

}  // namespace zlink::base

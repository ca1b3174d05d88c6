// Seam: somebody who wants to look again.
//
// Thread rule: wake from any thread, with no lock of ours held; note from any
// thread, under the lock of what is watched. Both return at once and do not
// throw.
#pragma once

namespace zlink::base {

class watcher
{
  public:
    virtual ~watcher () = default;

    // Something may have changed.
    virtual void wake () noexcept = 0;

    // Something has changed, said before anybody can know of it in another way;
    // a wake follows where it is worth one. Atomic operations only: no lock, no
    // system call.
    virtual void note () noexcept {}
};

}  // namespace zlink::base

#include "api/thread_poll.hpp"

#include <algorithm>
#include <new>

#include "api/forked.hpp"
#include "api/real_world_access.hpp"

namespace zlink::api {

using base::errc;
using base::result;

namespace {

// Without destructors, so that calls that come after the thread's last ones,
// from exit handlers, still find what they have to know.
constinit thread_local thread_poll *own = nullptr;
constinit thread_local bool ended = false;

// Its end is the thread's.
struct at_thread_end
{
    ~at_thread_end ()
    {
        thread_poll::end_mine ();
        ended = true;
    }
    void expect () const noexcept {}
};
thread_local const at_thread_end ending;

class using_it
{
  public:
    explicit using_it (bool &flag) noexcept : flag_ (flag) { flag_ = true; }
    ~using_it () { flag_ = false; }
    using_it (const using_it &) = delete;
    using_it &operator= (const using_it &) = delete;

  private:
    bool &flag_;
};

}  // namespace

thread_poll::thread_poll (base::world &world) noexcept
  : world_ (world), process_ (process_generation ()), set_ (world)
{
}

void thread_poll::end_mine () noexcept
{
    if (own == nullptr || own->in_use_)
        return;
    if (own->process_ != process_generation ())
        own->set_.forsake ();
    delete own;
    own = nullptr;
}

thread_poll *thread_poll::mine () noexcept
{
    if (own != nullptr && own->process_ == process_generation ()) [[likely]]
        return own->in_use_ ? nullptr : own;
    end_mine ();
    base::world *const process = process_world ();
    if (ended || process == nullptr)
        return nullptr;
    ending.expect ();
    own = new (std::nothrow) thread_poll (*process);
    return own;
}

result<std::size_t> thread_poll::wait (std::int64_t timeout_ms) noexcept
{
    const using_it now (in_use_);
    others_.clear ();
    return set_.wait (timeout_ms);
}

bool thread_poll::asked_before (std::span<const socket::poll_item> items) const noexcept
{
    return std::equal (items.begin (), items.end (), others_.begin (), others_.end (), same_wish);
}

// Those that have no socket have nothing that is worth to be kept.
result<std::size_t> thread_poll::wait_once (std::span<socket::poll_item> items, std::int64_t timeout_ms)
{
    const bool sockets =
      std::ranges::any_of (items, [] (const socket::poll_item &each) { return each.socket != nullptr; });
    others_.assign (items.begin (), sockets ? items.end () : items.begin ());
    return socket::poll (world_, items, timeout_ms);
}

result<std::size_t> thread_poll::wait_for (std::span<socket::poll_item> items,
                                           std::int64_t timeout_ms) noexcept
try {
    const using_it now (in_use_);
    if (!asked_before (items))
        return wait_once (items, timeout_ms);
    if (const result<void> assigned = set_.assign (items); !assigned)
        return assigned.failure ();
    const result<std::size_t> found = set_.wait (timeout_ms);
    if (found)
        std::copy (kept ().begin (), kept ().end (), items.begin ());
    return found;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

}  // namespace zlink::api

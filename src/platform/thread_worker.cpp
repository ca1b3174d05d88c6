#include "platform/thread_worker.hpp"

#include <utility>

namespace zlink::platform {

thread_worker::~thread_worker ()
{
    {
        std::list<std::function<void ()>> dropped;  // what they hold goes without the lock
        const std::lock_guard lock (lock_);
        stopping_ = true;
        dropped.swap (waiting_);
    }
    changed_.notify_all ();
    thread_.reset ();
}

base::result<void> thread_worker::submit (std::function<void ()> piece)
{
    {
        const std::lock_guard lock (lock_);
        if (!thread_) {
            base::thread_options wanted;
            wanted.name = name_;
            auto started = threads_.start (wanted, [this] { serve (); });
            if (!started)
                return started.failure ();
            thread_ = std::move (started.value ());
        }
        waiting_.push_back (std::move (piece));
    }
    changed_.notify_one ();
    return {};
}

void thread_worker::serve ()
{
    std::unique_lock lock (lock_);
    for (;;) {
        changed_.wait (lock, [this] { return stopping_ || !waiting_.empty (); });
        if (stopping_)
            return;
        std::function<void ()> next = std::move (waiting_.front ());
        waiting_.pop_front ();
        lock.unlock ();
        next ();
        next = nullptr;  // what it holds is let go without the lock
        lock.lock ();
    }
}

}  // namespace zlink::platform

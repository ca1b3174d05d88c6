#include "platform/thread_resolver.hpp"

#include <utility>

namespace zlink::platform {

thread_resolver::~thread_resolver ()
{
    std::list<request> dropped;
    {
        const std::lock_guard lock (lock_);
        stopping_ = true;
        dropped.swap (waiting_);
    }
    changed_.notify_all ();
    thread_.reset ();
}

void thread_resolver::submit (base::transport &by,
                              std::string address,
                              base::stream_options options,
                              std::function<void (base::resolve_result)> done)
{
    base::resolve_result failed;
    {
        const std::lock_guard lock (lock_);
        if (!thread_) {
            base::thread_options wanted;
            wanted.name = "zlink-resolver";
            auto started = threads_.start (wanted, [this] { serve (); });
            if (started)
                thread_ = std::move (started.value ());
            else
                failed.failure = started.failure ();
        }
        if (thread_)
            waiting_.push_back ({&by, std::move (address), std::move (options), std::move (done)});
    }
    if (failed.failure.code == base::errc::ok)
        changed_.notify_one ();
    else
        done (std::move (failed));
}

void thread_resolver::serve ()
{
    std::unique_lock lock (lock_);
    for (;;) {
        changed_.wait (lock, [this] { return stopping_ || !waiting_.empty (); });
        if (stopping_)
            return;
        request next = std::move (waiting_.front ());
        waiting_.pop_front ();
        lock.unlock ();
        next.done (next.by->resolve (next.address, next.options));
        next.done = nullptr;  // what it holds is let go without the lock
        lock.lock ();
    }
}

}  // namespace zlink::platform

#include "platform/thread_worker.hpp"

#include <condition_variable>
#include <list>
#include <mutex>
#include <utility>

namespace zlink::platform {

struct thread_worker::desk
{
    void serve ();

    std::mutex lock;
    std::condition_variable changed;
    std::list<std::function<void ()>> waiting;  // an empty one has no memory
    bool stopping = false;
};

thread_worker::~thread_worker ()
{
    if (desk_ == nullptr)
        return;
    {
        std::list<std::function<void ()>> dropped;  // what they hold goes without the lock
        const std::lock_guard lock (desk_->lock);
        desk_->stopping = true;
        dropped.swap (desk_->waiting);
    }
    desk_->changed.notify_all ();
    thread_.reset ();
}

base::result<void> thread_worker::submit (std::function<void ()> piece)
{
    if (const auto begun = begin (); !begun.ok ())
        return begun;
    {
        const std::lock_guard lock (desk_->lock);
        desk_->waiting.push_back (std::move (piece));
    }
    desk_->changed.notify_one ();
    return {};
}

base::result<void> thread_worker::begin ()
{
    const std::lock_guard lock (begins_);
    if (thread_)
        return {};
    auto made = std::make_shared<desk> ();
    base::thread_options wanted;
    wanted.name = name_;
    auto started = threads_.start (wanted, [made] { made->serve (); });
    if (!started)
        return started.failure ();
    thread_ = std::move (started.value ());
    desk_ = std::move (made);
    return {};
}

void thread_worker::desk::serve ()
{
    std::unique_lock hold (lock);
    for (;;) {
        changed.wait (hold, [this] { return stopping || !waiting.empty (); });
        if (stopping)
            return;
        std::function<void ()> next = std::move (waiting.front ());
        waiting.pop_front ();
        hold.unlock ();
        next ();
        next = nullptr;  // what it holds is let go without the lock
        hold.lock ();
    }
}

}  // namespace zlink::platform

#include "service/discovery_caller.hpp"

#include <new>
#include <utility>

namespace zlink::service {

using base::errc;
using base::result;

discovery_caller::discovery_caller (base::world &world, handler call)
  : call_ (std::move (call)), lock_ (world.sleep), news_ (world.sleep)
{
}

result<std::shared_ptr<discovery_caller>> discovery_caller::start (base::world &world, handler call) noexcept
try {
    auto made = std::make_shared<discovery_caller> (world, std::move (call));
    base::thread_options options;
    options.name = "zlink/changes";
    result<std::unique_ptr<base::joinable>> thread =
      world.threads.start (options, [caller = made.get ()] { caller->run (); });
    if (!thread)
        return thread.failure ();
    made->thread_ = std::move (thread).value ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// What finds no memory is not told: the list itself has it.
void discovery_caller::changed (std::span<const service_change> changes) noexcept
{
    {
        const holding guard (lock_);
        try {
            untold_.insert (untold_.end (), changes.begin (), changes.end ());
        } catch (const std::bad_alloc &) {
        }
    }
    news_.ring ();
}

void discovery_caller::stop () noexcept
{
    {
        const holding guard (lock_);
        stopping_ = true;
    }
    news_.ring ();
    thread_.reset ();
}

void discovery_caller::run () noexcept
{
    while (true) {
        const std::uint32_t heard = news_.heard ();
        std::vector<service_change> now;
        {
            const holding guard (lock_);
            if (stopping_)
                return;
            now.swap (untold_);
        }
        for (const service_change &each : now)
            call_ (each);
        if (now.empty ())
            (void)news_.wait (heard, base::never_ns);
    }
}

}  // namespace zlink::service

#include "platform/thread_resolver.hpp"

#include <utility>

namespace zlink::platform {

void thread_resolver::submit (base::transport &by,
                              std::string address,
                              base::stream_options options,
                              std::function<void (base::resolve_result)> done)
{
    const auto taken = worker_.submit ([&by, address = std::move (address), options = std::move (options),
                                        done] { done (by.resolve (address, options)); });
    if (taken.ok ())
        return;
    base::resolve_result failed;
    failed.failure = taken.failure ();
    done (std::move (failed));
}

}  // namespace zlink::platform

// Instead of thread_worker, in a minimal library: nothing in it takes so long
// that it would need a thread of its own, so there is none.
// Chosen by src/platform/CMakeLists.txt; contracts and thread rules are those of
// platform/thread_worker.hpp.
#include "platform/thread_worker.hpp"

namespace zlink::platform {

struct thread_worker::desk
{
};

thread_worker::~thread_worker () = default;

base::result<void> thread_worker::submit (std::function<void ()>) { return base::errc::not_supported; }

}  // namespace zlink::platform

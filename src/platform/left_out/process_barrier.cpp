// Instead of process_barrier, in a minimal library: only services ask for it.
// Chosen by src/platform/CMakeLists.txt; contracts and thread rules are those of
// platform/process_barrier.hpp.
#include "platform/process_barrier.hpp"

namespace zlink::platform {

bool process_barrier () noexcept { return false; }

}  // namespace zlink::platform

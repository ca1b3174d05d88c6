// Instead of processor_quota, in a minimal library: cores are counted by the
// affinity mask alone, as no limit leaves them.
// Chosen by src/platform/CMakeLists.txt; contracts and thread rules are those of
// platform/processor_quota.hpp.
#include "platform/processor_quota.hpp"

namespace zlink::platform {

std::optional<double> quota_cores () { return std::nullopt; }

}  // namespace zlink::platform

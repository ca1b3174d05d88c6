// Instead of far_reasons, in a minimal library.
// Chosen by src/base/CMakeLists.txt; the contract is that of base/far_reasons.hpp.
#include "base/far_reasons.hpp"

namespace zlink::base {

const char *far_reason_names () noexcept { return ""; }

}  // namespace zlink::base

// The names of the reasons from close_reason::proxy_refused on: those of proxies,
// mechanisms and layers, which a minimal library has not, and never gives.
#pragma once

namespace zlink::base {

// One behind the other; an empty one is the end.
[[nodiscard]] const char *far_reason_names () noexcept;

}  // namespace zlink::base

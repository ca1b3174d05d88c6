// How many cores this process may keep busy.
//
// The affinity mask of the calling thread, cut down to the processor quota of
// the process's control group (v2 and v1) and of the groups above it.
#pragma once

namespace zlink::platform {

// At least 1. Reads some small files; not for hot paths.
[[nodiscard]] unsigned core_count () noexcept;

}  // namespace zlink::platform

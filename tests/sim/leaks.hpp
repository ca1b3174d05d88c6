// Whether memory is lost at the end of a run.
//
// Thread rule: at the end of a process, when nothing else runs in it. Blocks.
#pragma once

namespace zlink::sim {

// Whether there is memory that nothing points to any more. It is printed, with
// who asked for it. Only AddressSanitizer knows; elsewhere always false.
[[nodiscard]] bool has_lost_memory () noexcept;

}  // namespace zlink::sim

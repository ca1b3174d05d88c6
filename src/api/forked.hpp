// Makes forked children let go of what their parent had.
//
// Thread rule: any thread.
#pragma once

#include <cstdint>

namespace zlink::api {

// Called before anything is made that a child must let go of. Cheap.
void prepare_for_forks () noexcept;

// Which process this is: one more in every child of a child.
[[nodiscard]] std::uint32_t process_generation () noexcept;

}  // namespace zlink::api

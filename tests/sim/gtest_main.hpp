// What a program of tests in the simulator says of its world; main() is in
// gtest_main.cpp.
#pragma once

namespace zlink::sim {

// Whether sets of descriptors can be members of sets. Where they cannot, the
// reactors read, and pollers have no descriptor.
[[nodiscard]] bool sets_nest ();

}  // namespace zlink::sim

// Contexts in the real world.
#pragma once

namespace zlink::test {

[[nodiscard]] void *own_zmq_context ();
[[nodiscard]] void *own_zlink_context ();

}  // namespace zlink::test

// The transports of the machine share the C ABIs' own contexts.
#include "conformance/own_context.hpp"

#include "support/sockets.hpp"

namespace zlink::test {

void *own_zmq_context () { return zmq_ctx_new (); }

void *own_zlink_context () { return zlink_ctx_new (); }

}  // namespace zlink::test

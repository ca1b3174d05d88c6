// The suite over inproc.
#include "conformance/own_context.hpp"
#include "conformance/transport.hpp"

namespace zlink::test {

const transport &under_test ()
{
    static const transport only = {"inproc",         true, true, true, inproc_place, own_zmq_context,
                                   own_zlink_context};
    return only;
}

}  // namespace zlink::test

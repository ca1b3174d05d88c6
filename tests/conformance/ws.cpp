// The suite over ws.
#include "conformance/own_context.hpp"
#include "conformance/transport.hpp"

namespace zlink::test {

namespace {

std::string ws_place () { return "ws" + tcp_place ().substr (3); }

}  // namespace

const transport &under_test ()
{
    static const transport only = {"ws", false, true, true, ws_place, own_zmq_context, own_zlink_context};
    return only;
}

}  // namespace zlink::test

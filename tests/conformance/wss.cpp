// The suite over WebSocket in TLS.
#include <ctime>

#include "conformance/furnished.hpp"
#include "conformance/own_context.hpp"
#include "conformance/transport.hpp"

namespace zlink::test {

namespace {

std::string wss_place () { return "wss" + tcp_place ().substr (3); }

}  // namespace

std::int64_t unix_s_of_certificates () { return std::time (nullptr); }

const transport &under_test ()
{
    static const transport only = {"wss", false, true, true, wss_place, own_zmq_context, own_zlink_context};
    return only;
}

}  // namespace zlink::test

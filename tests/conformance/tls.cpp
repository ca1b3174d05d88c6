// The suite over TLS.
#include <ctime>

#include "conformance/furnished.hpp"
#include "conformance/own_context.hpp"
#include "conformance/transport.hpp"

namespace zlink::test {

namespace {

std::string tls_place () { return "tls" + tcp_place ().substr (3); }

}  // namespace

std::int64_t unix_s_of_certificates () { return std::time (nullptr); }

const transport &under_test ()
{
    static const transport only = {"tls", false, true, true, tls_place, own_zmq_context, own_zlink_context};
    return only;
}

}  // namespace zlink::test

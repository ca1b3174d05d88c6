// For suites over TLS: every socket of the process is given a certificate and trusts
// the one that signed it. The linker sees to it (--wrap).
#include <cerrno>
#include <string>
#include <zlink/zlink.h>
#include <zmq.h>

#include "conformance/furnished.hpp"
#include "support/identities.hpp"

// The linker puts these before the libraries' own.
extern "C" {
void *__real_zmq_socket (void *context, int type);
void *__real_zlink_socket (void *context, int type);
void *__wrap_zmq_socket (void *context, int type);
void *__wrap_zlink_socket (void *context, int type);
}

namespace zlink::test {
namespace {

struct papers
{
    papers ()
    {
        const std::int64_t now_s = unix_s_of_certificates ();
        const identity root ({.name = "root", .from_s = now_s - day_s, .until_s = now_s + day_s});
        const identity own ({.name = "own",
                             .alternative = "DNS:peer.example",
                             .from_s = now_s - day_s,
                             .until_s = now_s + day_s},
                            &root);
        trusted = root.certificate ();
        certificate = own.certificate () + own.key ();
    }
    std::string trusted;
    std::string certificate;
};

// The numbers are those of the header that the socket's context was made through.
template <class Set> void *furnish (void *socket, Set set)
{
    static const papers ours;
    const int failure = errno;
    if (socket != nullptr) {
        constexpr int of_zmq = 2000;
        const std::string &own = ours.certificate;
        const int more = set (socket, of_zmq + ZLINK_TLS_CERT, own.data (), own.size ()) == 0 ? of_zmq : 0;
        const std::string host = "peer.example";
        const int off = 0;  // what the system trusts is left alone
        const bool done =
          set (socket, more + ZLINK_TLS_CERT, own.data (), own.size ()) == 0
          && set (socket, more + ZLINK_TLS_CA, ours.trusted.data (), ours.trusted.size ()) == 0
          && set (socket, more + ZLINK_TLS_HOSTNAME, host.data (), host.size ()) == 0
          && set (socket, more + ZLINK_TLS_TRUST_SYSTEM, &off, sizeof off) == 0;
        EXPECT_TRUE (done);
    }
    errno = failure;
    return socket;
}

}  // namespace
}  // namespace zlink::test

void *__wrap_zmq_socket (void *context, int type)
{
    return zlink::test::furnish (__real_zmq_socket (context, type), zmq_setsockopt);
}

void *__wrap_zlink_socket (void *context, int type)
{
    return zlink::test::furnish (__real_zlink_socket (context, type), zlink_setsockopt);
}

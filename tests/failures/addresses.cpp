// Binds that must ask the system more than others do: by an interface's name, by
// an address with a scope, on a descriptor that is handed over. Each of their
// requests is refused in turn: the bind says what was out, and the descriptor is
// still the caller's; or it has done without.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "failures/faults.hpp"
#include "failures/script.hpp"
#include "support/sockets.hpp"

namespace zlink::test {
namespace {

// A listener of the system's own, or -1.
int plain_listener ()
{
    const int made = ::socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
    return ::bind (made, reinterpret_cast<const sockaddr *> (&at), sizeof at) == 0 && ::listen (made, 5) == 0
             ? made
             : -1;
}

struct place
{
    const char *name;
    const char *endpoint;
    int ipv6;
    bool adopts;
    friend void PrintTo (const place &of, std::ostream *to) { *to << of.name; }
};

class addresses : public testing::TestWithParam<place>
{
};

INSTANTIATE_TEST_SUITE_P (of,
                          addresses,
                          testing::Values (place{"an_interface", "tcp://lo:*", 0, false},
                                           place{"a_scope", "tcp://[::1%lo]:*", 1, false},
                                           place{"a_descriptor", "tcp://127.0.0.1:*", 0, true}),
                          [] (const auto &of) { return of.param.name; });

// Whether the n-th call was there to be refused.
bool binds (const place &at, resource of, std::uint64_t n)
{
    context own;
    socket pull (own, ZMQ_PULL);
    pull.set (ZMQ_IPV6, at.ipv6);
    if (at.adopts)
        pull.set (ZMQ_USE_FD, plain_listener ());
    start_faults ({of, n, 1});
    bool bound = false;
    {
        const library_call here;
        bound = zmq_bind (pull, at.endpoint) == 0;
    }
    const int why = errno;
    const std::string refused = faults_so_far () > 0 ? first_fault () : "";
    (void)stop_faults ();
    if (!bound) {
        EXPECT_NE (refused, "") << zmq_strerror (why);
        EXPECT_TRUE (says_out_of_something (why)) << refused << ": " << zmq_strerror (why);
        EXPECT_EQ (zmq_bind (pull, at.endpoint), 0) << refused << ": " << zmq_strerror (errno);
    }
    socket push (own, ZMQ_PUSH);
    push.set (ZMQ_IPV6, at.ipv6);
    push.connect (pull.last_endpoint ());
    EXPECT_TRUE (push.send ("hello"));
    EXPECT_EQ (pull.receive (), "hello") << refused;
    return !refused.empty ();
}

TEST_P (addresses, are_refused_for_what_is_out)
{
    count_library_calls_only ();
    for (const resource of : {resource::kernel, resource::memory}) {
        std::uint64_t n = 1;
        while (binds (GetParam (), of, n) && !HasFailure ())
            ++n;
        EXPECT_GT (n, 3u);
    }
}

}  // namespace
}  // namespace zlink::test

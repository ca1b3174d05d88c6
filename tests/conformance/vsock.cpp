// The suite over vsock, where this kernel carries it inside one machine; else it is
// skipped, with a word. vsock_stand_in.cpp is a kernel that does.
#include <cstdio>
#include <linux/vm_sockets.h>
#include <sys/socket.h>

#include "conformance/own_context.hpp"
#include "conformance/transport.hpp"

namespace zlink::test {
namespace {

constexpr int skipped = 77;

// Ports of this process's own.
std::string vsock_place ()
{
    constexpr std::uint32_t ports_each = 4096;
    constexpr std::uint32_t processes = 500'000;
    const std::uint32_t first = (1 + static_cast<std::uint32_t> (::getpid ()) % processes) * ports_each;
    return "vsock://1:" + std::to_string (first + static_cast<std::uint32_t> (next_place ()) % ports_each);
}

bool carried_inside_a_machine ()
{
    sockaddr_vm at{};
    at.svm_family = AF_VSOCK;
    at.svm_cid = VMADDR_CID_LOCAL;
    at.svm_port = VMADDR_PORT_ANY;
    const int made = ::socket (AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool bound = ::bind (made, reinterpret_cast<const sockaddr *> (&at), sizeof at) == 0;
    ::close (made);
    return bound;
}

}  // namespace

const transport &under_test ()
{
    static const transport only = {"vsock",          false, true, true, vsock_place, own_zmq_context,
                                   own_zlink_context};
    return only;
}

}  // namespace zlink::test

int main (int argc, char **argv)
{
    testing::InitGoogleTest (&argc, argv);
    if (!zlink::test::carried_inside_a_machine ()) {
        std::puts ("skipped: this kernel carries no vsock inside one machine (it takes vsock_loopback)");
        return zlink::test::skipped;
    }
    return RUN_ALL_TESTS ();
}

// Plain datagrams by udp, to and from anybody: a question, asked again until it is
// answered, as datagrams may be lost.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <zlink/zlink.hpp>

namespace {

void answer_once (zlink::dgram_socket &socket)
{
    const zlink::result<zlink::datagram> asked = socket.receive_from (std::nothrow);
    if (asked)
        socket.send_to (asked->address (), "it is " + std::string (asked->body.text ()));
}

}  // namespace

int main ()
{
    using namespace std::chrono_literals;
    constexpr std::size_t scheme_bytes = sizeof "udp://" - 1;
    zlink::context in;
    zlink::dgram_socket clock (in);
    zlink::dgram_socket asker (in);
    const std::string where = clock.bind ("udp://127.0.0.1:*").substr (scheme_bytes);
    asker.bind ("udp://127.0.0.1:*");
    asker.set (zlink::options::rcvtimeo, 200ms);
    const std::jthread answering ([&clock] { answer_once (clock); });
    for (int tries = 0; tries < 50; ++tries) {
        asker.send_to (where, "noon");
        const zlink::result<zlink::datagram> answer = asker.receive_from (std::nothrow);
        if (!answer)
            continue;
        std::printf ("%.*s\n", static_cast<int> (answer->body.size ()), answer->body.text ().data ());
        return answer->body.text () == "it is noon" ? 0 : 1;
    }
    in.shutdown ();  // wakes who would answer
    return 1;
}

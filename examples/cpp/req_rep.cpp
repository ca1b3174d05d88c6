// A server that answers requests, and a client that gives up after a second.
#include <chrono>
#include <cstdio>
#include <thread>

#include <zlink/zlink.hpp>

int main ()
{
    zlink::context in;
    zlink::rep_socket server (in);
    const std::string where = server.bind ("tcp://127.0.0.1:*");
    const std::jthread serves ([&] {
        const zlink::message name = server.receive ();
        server.send ("hello " + std::string (name.text ()));
    });

    zlink::req_socket client (in);
    client.set (zlink::options::rcvtimeo, std::chrono::seconds (1));
    client.connect (where);
    try {
        const zlink::message answer = client.request ("world");
        std::printf ("%.*s\n", static_cast<int> (answer.size ()), answer.text ().data ());
        return answer.text () == "hello world" ? 0 : 1;
    } catch (const zlink::failure &why) {
        std::fprintf (stderr, "no answer: %s\n", why.what ());
        return 1;
    }
}

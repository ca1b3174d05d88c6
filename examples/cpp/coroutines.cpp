// A server and a client in one thread: each awaits the other.
#include <cstdio>

#include <zlink/zlink.hpp>

namespace {

zlink::task<> serve (zlink::loop<> &in, zlink::rep_socket &server)
{
    for (int i = 0; i < 3; ++i) {
        const zlink::message name = co_await in.receive (server);
        co_await in.send (server, zlink::message ("hello " + std::string (name.text ())));
    }
}

zlink::task<> greet (zlink::loop<> &in, zlink::req_socket &client, int &greeted)
{
    for (const char *name : {"anna", "bert", "cora"}) {
        co_await in.send (client, zlink::message (std::string_view (name)));
        const zlink::message answer = co_await in.receive (client);
        std::printf ("%.*s\n", static_cast<int> (answer.size ()), answer.text ().data ());
        ++greeted;
    }
}

}  // namespace

int main ()
{
    zlink::context context;
    zlink::rep_socket server (context);
    zlink::req_socket client (context);
    client.connect (server.bind ("tcp://127.0.0.1:*"));
    zlink::loop<> loop;
    int greeted = 0;
    loop.spawn (serve (loop, server));
    loop.spawn (greet (loop, client, greeted));
    loop.run_until_done ();
    return greeted == 3 ? 0 : 1;
}

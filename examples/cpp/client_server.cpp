// A server that several threads share, as SERVER and CLIENT may be: each answers
// whoever asked, by its number, and the answers come in any order.
#include <cstdio>
#include <thread>
#include <vector>

#include <zlink/zlink.hpp>

namespace {

void serve (zlink::server_socket &shared)
{
    for (;;) {
        const zlink::result<zlink::message> asked = shared.receive (std::nothrow);
        if (!asked)
            return;  // the context was shut down
        const int square = asked->as<int> ().value_or (0) * asked->as<int> ().value_or (0);
        // Who has left meanwhile gets no answer, which is no reason to end.
        (void)shared.send_to (std::nothrow, asked->peer_number (), std::span (&square, 1));
    }
}

}  // namespace

int main ()
{
    zlink::context in;
    zlink::server_socket server (in);
    const std::string where = server.bind ("tcp://127.0.0.1:*");
    std::vector<std::jthread> workers;
    for (int i = 0; i < 2; ++i)
        workers.emplace_back (serve, std::ref (server));

    zlink::client_socket client (in);
    client.connect (where);
    for (int i = 1; i <= 100; ++i)
        client.send (std::span (&i, 1));
    int sum = 0;
    for (int i = 1; i <= 100; ++i)
        sum += client.receive ().as<int> ().value_or (0);
    in.shutdown ();  // wakes the workers, who wait for more
    std::printf ("the squares of 1 to 100 add up to %d\n", sum);
    return sum == 338350 ? 0 : 1;
}

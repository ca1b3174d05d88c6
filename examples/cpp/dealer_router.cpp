// Two clients with many requests under way each, and a server that knows them
// by name and answers in another order.
#include <cstdio>
#include <vector>

#include <zlink/zlink.hpp>

int main ()
{
    zlink::context in;
    zlink::router_socket server (in);
    const std::string where = server.bind ("ipc://*");
    std::vector<zlink::dealer_socket> clients;
    for (const char *name : {"anna", "bert"}) {
        zlink::dealer_socket &client = clients.emplace_back (in);
        client.set (zlink::options::routing_id, name);
        client.connect (where);
        for (int i = 0; i < 3; ++i)
            client.send_parts (std::to_string (i), "question");
    }
    std::vector<zlink::routed_message> asked;
    while (asked.size () < 6)
        asked.push_back (server.receive_from ());
    while (!asked.empty ()) {
        server.send_to (asked.back ().peer, asked.back ().parts);
        asked.pop_back ();
    }
    int sum = 0;
    for (zlink::dealer_socket &client : clients)
        for (int i = 0; i < 3; ++i)
            sum += std::stoi (std::string (client.receive_parts ().front ().text ()));
    std::printf ("all %d answers came\n", sum);
    return sum == 6 ? 0 : 1;
}

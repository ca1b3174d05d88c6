// Nodes that all bind and dial each other: a peer knows whom it dialled by a number
// at once, and whom it heard from by the number of the message.
#include <cstdio>

#include <zlink/zlink.hpp>

int main ()
{
    zlink::context in;
    zlink::peer_socket anna (in);
    zlink::peer_socket bert (in);
    zlink::peer_socket carl (in);
    const std::uint32_t to_bert = anna.connect_peer (bert.bind ("tcp://127.0.0.1:*"));
    const std::uint32_t to_carl = anna.connect_peer (carl.bind ("tcp://127.0.0.1:*"));
    anna.send_to (to_bert, "hello bert");
    anna.send_to (to_carl, "hello carl");

    zlink::message asked = carl.receive ();
    carl.send_to (asked.peer_number (), std::move (asked));  // the same back
    const zlink::message answer = anna.receive ();
    std::printf ("%.*s\n", static_cast<int> (answer.size ()), answer.text ().data ());
    return answer.peer_number () == to_carl && answer.text () == "hello carl"
               && bert.receive ().text () == "hello bert"
             ? 0
             : 1;
}

// Subscribers of several publishers: each hears its own topics of all of them,
// and one of them asks by a pattern.
#include <array>
#include <cstdio>
#include <string>

#include <zlink/zlink.hpp>

int main ()
{
    zlink::context in;
    std::array<zlink::pub_socket, 2> stations{zlink::pub_socket (in), zlink::pub_socket (in)};
    zlink::sub_socket north (in);
    zlink::sub_socket cold (in);
    north.subscribe ("north/");
    cold.subscribe_pattern ("*/cold");
    for (zlink::pub_socket &station : stations) {
        const std::string place = station.bind ("tcp://127.0.0.1:*");
        north.connect (place);
        cold.connect (place);
    }
    for (zlink::pub_socket &station : stations)
        if (!station.wait_subscribers (2))
            return 1;

    stations[0].send_parts ("north/cold", "-3");
    stations[0].send_parts ("south/warm", "25");  // nobody asked for it
    stations[1].send_parts ("north/warm", "17");
    stations[1].send_parts ("south/cold", "4");
    int sum = 0;
    for (zlink::sub_socket *const each : {&north, &cold})
        for (int i = 0; i < 2; ++i) {
            const std::vector<zlink::message> news = each->receive_parts ();
            const std::string topic (news[0].text ()), degrees (news[1].text ());
            std::printf ("%s: %s\n", topic.c_str (), degrees.c_str ());
            sum += std::stoi (degrees);
        }
    return sum == -3 + 17 - 3 + 4 ? 0 : 1;
}

// Nodes of SPOT that are told of each other by hand, one way. Of two subscribers one has a
// handler, and the other reads in a loop.
#include <chrono>
#include <cstdio>
#include <future>
#include <string>

#include <zlink/spot.hpp>
#include <zlink/zlink.hpp>

int main ()
{
    using namespace std::chrono_literals;
    zlink::context in;
    zlink::spot_node newsroom (in), reader (in);

    std::promise<std::string> late;
    zlink::spot_subscriber alarm (reader), paper (reader);
    alarm.subscribe ("news.late");
    // On a thread of the subscriber's: a slow handler delays nobody else. Gaps are counted alone.
    alarm.set_handler ([&late] (std::string_view, std::span<const zlink::message> parts) {
        late.set_value (std::string (parts.front ().text ()));
    });
    paper.subscribe_glob ("news.*");
    reader.connect (newsroom.bind ("tcp://127.0.0.1:*").c_str ());
    if (!newsroom.wait (1, 30s))  // until the reader is there
        return 1;

    zlink::spot_publisher press (newsroom);
    press.publish ("news.early", "sunny");
    press.publish ("news.late", "rain");
    std::string all;
    for (const zlink::spot_message &each : paper.messages (30s)) {
        if (each.is_gap ())
            return 1;
        std::printf ("%.*s: %.*s\n", static_cast<int> (each.topic ().size ()), each.topic ().data (),
                     static_cast<int> (each.text ().size ()), each.text ().data ());
        all += std::string (each.text ()) + " ";
        if (each.topic () == "news.late")
            break;
    }
    return all == "sunny rain " && late.get_future ().get () == "rain" ? 0 : 1;
}

// A radio sends to groups; a dish hears those that it has joined, whose names
// match as a whole.
#include <cstdio>

#include <zlink/zlink.hpp>

int main ()
{
    zlink::context in;
    zlink::radio_socket radio (in);
    zlink::dish_socket dish (in);
    dish.join ("weather");
    dish.connect (radio.bind ("tcp://127.0.0.1:*"));
    // So that the dish misses nothing of what is sent from here on.
    if (!radio.wait_subscribers (1))
        return 1;

    radio.send_to_group ("weather in town", "another group: nobody hears this");
    radio.send_to_group ("weather", "sunny");
    const zlink::message heard = dish.receive ();
    std::printf ("%.*s: %.*s\n", static_cast<int> (heard.group ().size ()), heard.group ().data (),
                 static_cast<int> (heard.size ()), heard.text ().data ());
    return heard.group () == "weather" && heard.text () == "sunny" ? 0 : 1;
}

// A publisher that waits for its subscribers, so that none misses the start.
#include <cstdio>

#include <zlink/zlink.hpp>

int main ()
{
    zlink::context in;
    zlink::xpub_socket station (in);
    zlink::sub_socket radio (in);
    radio.subscribe ("weather ");
    radio.connect (station.bind ("tcp://127.0.0.1:*"));

    const zlink::message news = station.receive ();  // somebody subscribed
    const auto asked = zlink::xpub_socket::subscription_in (news);
    if (!asked || zlink::text_of (asked->topic) != "weather ")
        return 1;
    station.send ("sports nobody listens to this");
    station.send ("weather sunny");
    const zlink::message heard = radio.receive ();
    std::printf ("%.*s\n", static_cast<int> (heard.size ()), heard.text ().data ());
    return heard.text () == "weather sunny" ? 0 : 1;
}

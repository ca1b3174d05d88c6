// A broker between publishers and subscribers that need not know each other,
// stopped by a word.
#include <cstdio>
#include <thread>

#include <zlink/zlink.hpp>

int main ()
{
    zlink::context in;
    zlink::xsub_socket from (in);
    zlink::xpub_socket to (in);
    zlink::pair_socket control (in), steering (in);
    const std::string in_here = from.bind ("tcp://127.0.0.1:*");
    const std::string out_there = to.bind ("tcp://127.0.0.1:*");
    steering.connect (control.bind ("inproc://control"));
    const std::jthread broker ([&] { zlink::proxy (from, to, nullptr, control); });

    zlink::sub_socket subscriber (in);
    subscriber.subscribe ("a");
    subscriber.connect (out_there);
    zlink::xpub_socket publisher (in);  // hears of the subscription through the broker
    publisher.connect (in_here);
    const zlink::message asked = publisher.receive ();
    publisher.send ("a word");
    const zlink::message heard = subscriber.receive ();
    std::printf ("%.*s\n", static_cast<int> (heard.size ()), heard.text ().data ());
    steering.send ("TERMINATE");
    return heard.text () == "a word" ? 0 : 1;
}

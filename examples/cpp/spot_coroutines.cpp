// Coroutines over SPOT: one publishes to a partitioned topic and awaits each number, one
// reads it, and one awaits the messages of a plain topic.
#include <chrono>
#include <cstdio>
#include <string>

#include <zlink/registry.hpp>
#include <zlink/spot.hpp>
#include <zlink/zlink.hpp>

namespace {

using namespace std::chrono_literals;

// Where coroutines go on: in the thread that has what they wait for.
zlink::inline_executor here;

zlink::task<> publish (zlink::spot_publisher &by)
{
    for (const char *const step : {"placed", "paid", "sent"}) {
        const zlink::spot_place at = co_await by.publish (here, "orders", "order 17", step, 30s);
        std::printf ("%s is number %d\n", step, static_cast<int> (at.sequence));
    }
    by.publish ("news", "all is sent");
}

zlink::task<> read (zlink::spot_reader &from, std::string &heard)
{
    while (heard != "placed paid sent ") {
        const zlink::spot_event told = co_await from.receive (here);  // valid until the next call
        if (told.is_message ())
            heard += std::string (told.text ()) + " ";
    }
}

zlink::task<> listen (zlink::spot_subscriber &to, std::string &heard)
{
    const zlink::spot_message told = co_await to.receive (here);
    heard = told.text ();
}

}  // namespace

int main ()
{
    zlink::context in;
    zlink::registry books (in);
    zlink::spot_node shop (in);
    shop.add_grantor (books.bind ("tcp://127.0.0.1:*").c_str ());
    shop.declare ("orders", 4);
    zlink::spot_publisher counter (shop);
    zlink::spot_reader orders (shop, "orders", zlink::spot_from::sequence (1));
    zlink::spot_subscriber news (shop);
    news.subscribe ("news");

    std::string steps, said;
    zlink::loop<> loop;
    loop.spawn (read (orders, steps));
    loop.spawn (listen (news, said));
    loop.spawn (publish (counter));
    loop.run_until_done ();
    return steps == "placed paid sent " && said == "all is sent" ? 0 : 1;
}

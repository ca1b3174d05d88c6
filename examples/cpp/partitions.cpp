// A topic with four partitions: what is published under one key has one order for every
// reader, and who comes late gets it all the same. A registry grants who numbers.
#include <chrono>
#include <cstdio>
#include <string>

#include <zlink/registry.hpp>
#include <zlink/spot.hpp>
#include <zlink/zlink.hpp>

int main ()
{
    using namespace std::chrono_literals;
    zlink::context in;
    zlink::registry books (in);
    const std::string grantor = books.bind ("tcp://127.0.0.1:*");

    zlink::spot_node shop (in), office (in);
    const std::string seed = shop.bind ("tcp://127.0.0.1:*");
    office.bind ("tcp://127.0.0.1:*");
    for (zlink::spot_node *const each : {&shop, &office}) {
        each->add_grantor (grantor.c_str ());
        each->declare ("orders", 4);
    }
    shop.join (nullptr);
    office.join (seed.c_str ());
    if (!shop.wait (1, 30s) || !office.wait (1, 30s))
        return 1;

    zlink::spot_publisher counter (shop);
    for (const char *const step : {"placed", "paid", "sent"}) {
        const zlink::spot_place at = counter.publish ("orders", "order 17", step, 30s);
        std::printf ("%s: partition %u, number %llu\n", step, at.partition,
                     static_cast<unsigned long long> (at.sequence));
    }

    // The office has not listened so far.
    zlink::spot_reader late (office, "orders", zlink::spot_from::last (2));
    std::string heard;
    while (heard != "paid sent ") {
        const auto told = late.receive (30s);
        if (!told)
            return 1;
        if (told->is_message ())
            heard += std::string (told->text ()) + " ";
    }
    std::printf ("the office: %s\n", heard.c_str ());
    return 0;
}

// Two nodes of SPOT: one joins the other by its address, and from then on both name
// topics alone.
#include <chrono>
#include <cstdio>

#include <zlink/spot.hpp>
#include <zlink/zlink.hpp>

int main ()
{
    zlink::context in;
    zlink::spot_node kitchen (in), garden (in);
    const std::string seed = kitchen.bind ("tcp://127.0.0.1:*");
    garden.bind ("tcp://127.0.0.1:*");

    zlink::spot_subscriber thermometer (kitchen);
    thermometer.subscribe_prefix ("temperature.*");
    kitchen.join (nullptr);
    garden.join (seed.c_str ());
    if (!garden.wait (1, std::chrono::seconds (30)))  // the kitchen reads us
        return 1;

    zlink::spot_publisher outside (garden);
    outside.publish ("humidity", "nobody asked for this");
    outside.publish ("temperature.outside", "21");
    const auto told = thermometer.receive (std::chrono::seconds (30));
    if (!told)
        return 1;
    std::printf ("%.*s: %.*s\n", static_cast<int> (told->topic ().size ()), told->topic ().data (),
                 static_cast<int> (told->text ().size ()), told->text ().data ());
    return told->text () == "21" ? 0 : 1;
}

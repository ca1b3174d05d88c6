// spot_registry [REGISTRY]
//
// Nodes of SPOT that find each other in a registry: that of another process, an etcd
// (etcd://HOST:PORT/PREFIX), or without an argument one of this process.
#include <chrono>
#include <cstdio>
#include <string>

#include <zlink/discovery.hpp>
#include <zlink/registry.hpp>
#include <zlink/spot.hpp>
#include <zlink/zlink.hpp>

int main (int argc, char **argv)
{
    using namespace std::chrono_literals;
    zlink::context in;
    zlink::registry own (in);
    const std::string where = argc > 1 ? argv[1] : own.bind ("tcp://127.0.0.1:*");

    zlink::discovery others (in, zlink::service_type::spot);  // outlives the nodes that look there
    others.connect_registry (where.c_str ());
    zlink::spot_node kitchen (in), garden (in);
    zlink::spot_subscriber thermometer (kitchen);
    thermometer.subscribe ("temperature");  // before nodes are connected: known with the node
    for (zlink::spot_node *const each : {&kitchen, &garden}) {
        each->bind ("tcp://127.0.0.1:*");
        each->connect_registry (where.c_str ());
        each->offer ("house");                  // others read it,
        each->set_discovery (others, "house");  // and it reads them
    }
    if (!garden.wait (1, 30s))
        return 1;

    zlink::spot_publisher outside (garden);
    outside.publish ("temperature", "21");
    const auto told = thermometer.receive (30s);
    if (!told)
        return 1;
    std::printf ("%.*s: %.*s\n", static_cast<int> (told->topic ().size ()), told->topic ().data (),
                 static_cast<int> (told->text ().size ()), told->text ().data ());
    return told->text () == "21" ? 0 : 1;
}

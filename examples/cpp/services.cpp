// A service that is found by its name: a registry, somebody who provides, somebody who asks,
// and somebody who watches them come and go.
#include <cstdio>
#include <thread>

#include <zlink/discovery.hpp>
#include <zlink/gateway.hpp>
#include <zlink/receiver.hpp>
#include <zlink/registry.hpp>
#include <zlink/zlink.hpp>

int main ()
{
    zlink::context in;
    zlink::registry registry (in);
    const std::string place = registry.bind ("tcp://127.0.0.1:*");

    zlink::discovery known (in);
    known.connect_registry (place.c_str ());
    zlink::inline_executor here;
    zlink::provider_changes changes (known, here);
    known.watch ("greeting");

    const auto watch = [&] () -> zlink::task<> {
        while (const auto change = co_await changes.next ())
            std::printf ("%s %s\n", change->service.c_str (),
                         change->what == zlink::provider_event::gone ? "is gone" : "is there");
    };
    zlink::loop<> runs;
    runs.spawn (watch ());

    zlink::service_receiver provider (in);
    provider.bind ("tcp://127.0.0.1:*");
    provider.connect_registry (place.c_str ());
    provider.offer ("greeting");
    std::jthread works ([&] {
        if (auto asked = provider.receive ())
            asked->reply ("hello, " + std::string ((*asked)[0].text ()));
    });

    zlink::gateway gateway (in, known.handle ());
    zlink::reply got = gateway.request ("greeting", std::string ("world"));  // waits for the first provider
    std::printf ("%.*s\n", static_cast<int> (got[0].size ()), got[0].text ().data ());
    const bool well = got && got[0].text () == "hello, world";
    works.join ();
    changes.stop ();
    return well ? 0 : 1;
}

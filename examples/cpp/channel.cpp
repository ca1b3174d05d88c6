// Two threads, a channel between them: as a pair, but both ends may be shared by any
// number of threads.
#include <cstdio>
#include <string>
#include <thread>

#include <zlink/zlink.hpp>

int main ()
{
    zlink::context in;
    zlink::channel_socket here (in);
    const std::string where = here.bind ("inproc://between");
    const std::jthread helper ([&in, &where] {
        zlink::channel_socket there (in);
        there.connect (where);
        const zlink::message order = there.receive ();
        there.send (std::string (order.text ()) + ": done");
    });
    here.send ("dishes");
    const zlink::message report = here.receive ();
    std::printf ("%.*s\n", static_cast<int> (report.size ()), report.text ().data ());
    return report.text () == "dishes: done" ? 0 : 1;
}

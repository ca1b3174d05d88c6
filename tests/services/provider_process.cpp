// A provider of "calc" in a process of its own: provider_process ENDPOINT. Answers each
// request with its parts until it is killed.
#include <cstdlib>

#include "service/receiver.hpp"
#include "transport/real_world.hpp"

int main (int count, char **words)
{
    using namespace zlink;
    if (count != 2)
        return EXIT_FAILURE;
    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    base::world &world = real->world ();
    void *const context = socket::context_open (world, socket::header::zlink, nullptr).value ();
    const auto at = service::receiver::open (world, context, {}).value ();
    if (!at->bind (words[1]).ok () || !at->offer ("calc", {}, 1).ok ())
        return EXIT_FAILURE;
    service::inquiry next;
    while (at->receive (next, base::never_ns).ok ())
        (void)at->reply (next, next.parts.all ());
    return EXIT_SUCCESS;
}

// A registry in a process of its own, until it is killed: registry_process ENDPOINT
// [OTHER...], others that hold the same.
#include <cstdlib>
#include <unistd.h>

#include "service/registry.hpp"
#include "transport/real_world.hpp"

int main (int count, char **words)
{
    using namespace zlink;
    if (count < 2)
        return EXIT_FAILURE;
    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    base::world &world = real->world ();
    void *const context = socket::context_open (world, socket::header::zlink, nullptr).value ();
    const auto loop = service::service_loop::start (world, context).value ();
    const auto books = service::registry::open (world, context, loop, {}).value ();
    for (int i = 2; i < count; ++i)
        if (!books->add_other (words[i]).ok ())
            return EXIT_FAILURE;
    if (!books->bind (words[1]).ok ())
        return EXIT_FAILURE;
    for (;;)
        ::pause ();
}

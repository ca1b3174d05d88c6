// A registry that grants with others, in a process of its own: voter_process ENDPOINT VOTES.
// Runs until it is killed, or whoever started it has ended without that.
#include <csignal>
#include <cstdlib>
#include <sys/prctl.h>
#include <unistd.h>

#include "platform/system_durable_file.hpp"
#include "service/registry.hpp"
#include "transport/real_world.hpp"

int main (int count, char **words)
{
    using namespace zlink;
    if (count != 3 || ::prctl (PR_SET_PDEATHSIG, SIGKILL) != 0)
        return EXIT_FAILURE;
    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    base::world &world = real->world ();
    void *const context = socket::context_open (world, socket::header::zlink, nullptr).value ();
    const auto loop = service::service_loop::start (world, context).value ();
    service::registry_options options;
    options.grant_lease_ns = 400 * base::ns_per_ms;
    const auto books = service::registry::open (world, context, loop, options).value ();
    auto file = platform::system_durable_file::open (words[2]);
    if (!file.ok () || !books->keep_votes (std::move (file).value ()).ok () || !books->bind (words[1]).ok ())
        return EXIT_FAILURE;
    for (;;)
        ::pause ();
}

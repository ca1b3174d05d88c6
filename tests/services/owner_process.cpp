// A node that may own the one partition of "prices", in a process of its own:
// owner_process ID HOST SEED GRANTOR... Publishes what it can until it is killed.
#include <cstdlib>
#include <string>

#include "service/spot_partitions.hpp"
#include "transport/real_world.hpp"

int main (int count, char **words)
{
    using namespace zlink;
    if (count < 5)
        return EXIT_FAILURE;
    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    base::world &world = real->world ();
    void *const context = socket::context_open (world, socket::header::zlink, nullptr).value ();
    const auto loop = service::service_loop::start (world, context).value ();
    const auto node =
      service::spot_node::open (world, context, loop, {.id = std::strtoull (words[1], nullptr, 10)}).value ();
    const auto parts = service::spot_partitions::open (world, context, loop, node).value ();
    for (int i = 4; i < count; ++i)
        if (!parts->add_grantor (words[i]).ok ())
            return EXIT_FAILURE;
    if (!parts->declare ("prices", {}).ok () || !node->bind ("tcp://" + std::string (words[2]) + ":*").ok ()
        || !node->join (words[3]).ok ())
        return EXIT_FAILURE;
    for (unsigned i = 0;; ++i) {
        const std::string body = "theirs " + std::to_string (i);
        (void)parts->publish ("prices", "k", base::as_bytes (body),
                              world.time.now_ns () + 100 * base::ns_per_ms);
    }
}

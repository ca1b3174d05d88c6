// A node that may own the one partition of "prices", in a process of its own:
// owner_process ID HOST SEED GRANTOR... Publishes until it is killed, at a pace at which who reads
// all of it misses nothing on a loaded machine.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "service/spot_partitions.hpp"
#include "support/waiting.hpp"
#include "transport/real_world.hpp"

namespace {

constexpr long pace_us = 200;
constexpr unsigned vain_max = 200;  // each 100 ms

// For who looks into why the test does not go on.
void complain (const zlink::service::partition_state &what)
{
    (void)std::fprintf (stderr, "owner_process: nothing numbered for long: owner %llu, epoch %llu%s\n",
                        static_cast<unsigned long long> (what.owner),
                        static_cast<unsigned long long> (what.of.number),
                        what.owned_here ? ", owned here" : "");
}

}  // namespace

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
    unsigned vain = 0;
    const test::metronome pace (pace_us);
    for (unsigned i = 0;; ++i) {
        pace.beat ();
        const std::string body = "theirs " + std::to_string (i);
        const auto done =
          parts->publish ("prices", "k", base::as_bytes (body), world.time.now_ns () + 100 * base::ns_per_ms);
        vain = done.ok () && done.value ().what == service::publish_result::numbered ? 0 : vain + 1;
        if (vain == vain_max)
            complain (parts->state ("prices", 0).value ());
    }
}

// A node of a mesh in a process of its own: spot_process ID HOST SEED. Publishes to "t.ID",
// each message its number, until it is killed: some at once, and more when it is told to on
// "go", or is told nothing for a while.
#include <cstdlib>
#include <string>

#include "service/option_numbers.hpp"
#include "service/spot_node.hpp"
#include "transport/real_world.hpp"

namespace {

using namespace zlink;

constexpr int at_once = 50;
constexpr base::time_ns unasked_ns = 20 * base::ns_per_ms;
constexpr int heartbeat_ms = 200;

bool set_up (service::spot_node &node, char **words)
{
    for (void *const each : {node.publisher (), node.subscriber ()})
        if (!socket::set_option (each, service::number_of_heartbeat_ivl, &heartbeat_ms, sizeof heartbeat_ms)
               .ok ())
            return false;
    return node.bind ("tcp://" + std::string (words[2]) + ":*").ok () && node.join (words[3]).ok ();
}

}  // namespace

int main (int count, char **words)
{
    if (count != 4)
        return EXIT_FAILURE;
    const std::shared_ptr<transport::real_world> real = transport::make_real_world ();
    base::world &world = real->world ();
    void *const context = socket::context_open (world, socket::header::zlink, nullptr).value ();
    const auto loop = service::service_loop::start (world, context).value ();
    const auto node =
      service::spot_node::open (world, context, loop, {.id = std::strtoull (words[1], nullptr, 10)}).value ();
    service::spot_subscription told (node, {.policy = service::spot_policy::drop_oldest, .messages_max = 1});
    if (!told.subscribe (service::spot_match::exact, "go").ok () || !set_up (*node, words))
        return EXIT_FAILURE;
    const std::string topic = "t." + std::string (words[1]);
    for (std::uint64_t i = 0;; ++i) {
        const std::string body = std::to_string (i);
        if (!node->publish (topic, base::as_bytes (body), 0).ok ())
            return EXIT_FAILURE;
        service::spot_item got;
        if (i % at_once == at_once - 1)
            (void)told.receive (got, world.time.now_ns () + unasked_ns);
    }
}

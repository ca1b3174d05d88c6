// A node that may own the one partition of "prices", granted by an etcd, in a process of its
// own: etcd_owner URL SEED. Publishes until it is killed, at a pace at which who reads all of it
// misses nothing on a loaded machine.
#include <cstdlib>

#include "support/waiting.hpp"
#include "zlink/zlink.h"

namespace {

constexpr long pace_us = 200;

}  // namespace

int main (int count, char **words)
{
    if (count != 3)
        return EXIT_FAILURE;
    void *const node = zlink_spot_node_new (zlink_ctx_new ());
    void *const pub = zlink_spot_pub_new (node);
    if (zlink_spot_node_add_grantor (node, words[1]) != 0 || zlink_spot_node_declare (node, "prices", 1) != 0
        || zlink_spot_node_bind (node, "tcp://127.0.0.1:*") != 0
        || zlink_spot_node_join (node, words[2]) != 0)
        return EXIT_FAILURE;
    for (const zlink::test::metronome pace (pace_us);; pace.beat ())
        (void)zlink_spot_pub_send_key (pub, "prices", "k", 1, "theirs", 6, nullptr, 100);
}

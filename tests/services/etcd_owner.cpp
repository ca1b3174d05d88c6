// A node that may own the one partition of "prices", granted by an etcd, in a process of its
// own: etcd_owner URL SEED. Publishes what it can until it is killed.
#include <cstdlib>

#include "zlink/zlink.h"

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
    for (;;)
        (void)zlink_spot_pub_send_key (pub, "prices", "k", 1, "theirs", 6, nullptr, 100);
}

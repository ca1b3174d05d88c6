// A registry that keeps all in an etcd, in a process of its own: etcd_registry URL ENDPOINT.
// Runs until it is killed.
#include <cstdlib>
#include <unistd.h>

#include "zlink/zlink.h"

int main (int count, char **words)
{
    if (count != 3)
        return EXIT_FAILURE;
    void *const registry = zlink_registry_new (zlink_ctx_new ());
    if (zlink_registry_set_store (registry, words[1]) != 0 || zlink_registry_bind (registry, words[2]) != 0)
        return EXIT_FAILURE;
    for (;;)
        ::pause ();
}

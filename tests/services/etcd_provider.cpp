// A provider of "calc" in a process of its own that registers with an etcd itself:
// etcd_provider URL ENDPOINT. Answers nothing; it is there until it is killed.
#include <cstdlib>

#include "zlink/zlink.h"

int main (int count, char **words)
{
    if (count != 3)
        return EXIT_FAILURE;
    void *const context = zlink_ctx_new ();
    void *const at = zlink_receiver_new (context, nullptr);
    zlink_request_t *next = nullptr;
    if (zlink_receiver_bind (at, words[2]) != 0 || zlink_receiver_connect_registry (at, words[1]) != 0
        || zlink_receiver_register (at, "calc", nullptr, 1) != 0)
        return EXIT_FAILURE;
    while (zlink_receiver_recv (at, &next, -1) == 0)
        zlink_request_close (&next);
    return EXIT_SUCCESS;
}

// Three nodes of SPOT that know one address, the seed: whoever joins it is connected with
// everybody. What comes is given to handlers, each on a thread of its subscriber's.
#include <stdatomic.h>
#include <stdio.h>

#include <zlink/zlink.h>

enum
{
    NODES = 3,
    PATIENCE_MS = 30000
};

static int fail (const char *what)
{
    fprintf (stderr, "%s: %s\n", what, zlink_strerror (zlink_errno ()));
    return 1;
}

// Topic and parts are borrowed. Gaps are not told here: zlink_spot_sub_counters counts them.
static void hear (const char *topic, size_t topic_size, const zlink_msg_t *parts, size_t count, void *heard)
{
    (void)topic_size;
    printf ("%s, %zu bytes in %zu part\n", topic, zlink_msg_size (parts), count);
    atomic_fetch_add ((atomic_int *)heard, 1);
}

// seed: NULL of the first one, which is the others' seed.
static int begin (void *node, void *sub, const char *seed, atomic_int *heard)
{
    if (zlink_spot_sub_subscribe (sub, "news") != 0 || zlink_spot_sub_set_handler (sub, hear, heard) != 0
        || zlink_spot_node_bind (node, "tcp://127.0.0.1:*") != 0)  // others have to reach it
        return fail ("begin");
    return zlink_spot_node_join (node, seed) == 0 ? 0 : fail ("join");
}

int main (void)
{
    char seed[256];
    size_t size = sizeof seed;
    atomic_int heard = 0;
    void *context = zlink_ctx_new (), *nodes[NODES], *subs[NODES], *pub;

    for (int i = 0; i < NODES; ++i) {
        nodes[i] = zlink_spot_node_new (context);
        subs[i] = zlink_spot_sub_new (nodes[i]);
        if (begin (nodes[i], subs[i], i == 0 ? NULL : seed, &heard) != 0)
            return 1;
        if (i == 0 && zlink_spot_node_endpoint (nodes[i], seed, &size) != 0)
            return fail ("endpoint");
    }
    for (int i = 0; i < NODES; ++i)
        if (zlink_spot_node_wait (nodes[i], NODES - 1, PATIENCE_MS) != 0)
            return fail ("wait");

    pub = zlink_spot_pub_new (nodes[NODES - 1]);
    if (zlink_spot_pub_send (pub, "news", "hello", 5) != 0)
        return fail ("publish");
    for (int ms = 0; atomic_load (&heard) < NODES && ms < PATIENCE_MS; ms += 10)
        zlink_poll (NULL, 0, 10);

    zlink_spot_pub_destroy (&pub);
    for (int i = 0; i < NODES; ++i) {
        zlink_spot_sub_destroy (&subs[i]);  // waits for its handler
        zlink_spot_node_destroy (&nodes[i]);
    }
    zlink_ctx_term (context);
    return atomic_load (&heard) == NODES ? 0 : 1;
}

// partitions [GRANTOR]
//
// A topic with four partitions: what is published under one key is numbered, and comes to
// every reader in that order. Who comes late reads the last few, or from a number on. A
// registry grants who numbers: one of this process, or another (also etcd://HOST:PORT/PREFIX).
#include <stdio.h>
#include <string.h>

#include <zlink/zlink.h>

enum
{
    PARTITIONS = 4,
    MESSAGES = 6,
    KEPT = 4, /* of each partition, for those who come late */
    PATIENCE_MS = 30000
};

static int fail (const char *what)
{
    fprintf (stderr, "%s: %s\n", what, zlink_strerror (zlink_errno ()));
    return 1;
}

// Up to the last message; says what is missing.
static int read_late (void *node, const char *name, int from, uint64_t value, char *seen, size_t room)
{
    size_t used = 0;
    zlink_spot_event_t got = {.size = sizeof got};
    void *reader = zlink_spot_reader_new (node, "orders", from, value);
    while (got.sequence < MESSAGES && zlink_spot_reader_next (reader, &got, PATIENCE_MS) == 0)
        if (got.kind == ZLINK_SPOT_EVENT_MESSAGE)
            used += (size_t)snprintf (seen + used, room - used, "%d ", (int)got.sequence);
        else if (got.kind == ZLINK_SPOT_EVENT_GAP)
            used += (size_t)snprintf (seen + used, room - used, "(%d to %d are gone) ", (int)got.sequence,
                                      (int)got.last);
    printf ("%s: %s\n", name, seen);
    return zlink_spot_reader_destroy (&reader);
}

int main (int argc, char **argv)
{
    char own[256], last[256] = "", all[256] = "";
    size_t size = sizeof own;
    void *context = zlink_ctx_new (), *registry = zlink_registry_new (context);
    void *node = zlink_spot_node_new (context), *pub = zlink_spot_pub_new (node);
    const char *grantor = argc > 1 ? argv[1] : own;

    if (argc < 2
        && (zlink_registry_bind (registry, "tcp://127.0.0.1:*") != 0
            || zlink_registry_endpoint (registry, own, &size) != 0))
        return fail ("registry");
    // Grantors and options come before what is declared. Every node says the same.
    if (zlink_spot_node_add_grantor (node, grantor) != 0
        || zlink_spot_node_setsockopt (node, ZLINK_SPOT_NODE_SOCKET_NODE, ZLINK_SPOT_NODE_OPT_RING_MESSAGES,
                                       &(int){KEPT}, sizeof (int))
             != 0
        || zlink_spot_node_declare (node, "orders", PARTITIONS) != 0)
        return fail ("declare");
    for (int i = 0; i < MESSAGES; ++i) {
        zlink_spot_place_t at = {.size = sizeof at};
        if (zlink_spot_pub_send_key (pub, "orders", "order 17", 8, "a step", 6, &at, PATIENCE_MS) != 0)
            return fail ("publish");
        printf ("partition %u, number %d\n", (unsigned)at.partition, (int)at.sequence);
    }
    if (read_late (node, "the last two", ZLINK_SPOT_FROM_LAST, 2, last, sizeof last) != 0
        || read_late (node, "from the first on", ZLINK_SPOT_FROM_SEQUENCE, 1, all, sizeof all) != 0)
        return fail ("read");

    zlink_spot_pub_destroy (&pub);
    zlink_spot_node_destroy (&node);
    zlink_registry_destroy (&registry);
    zlink_ctx_term (context);
    return strcmp (last, "5 6 ") != 0 || strcmp (all, "(1 to 2 are gone) 3 4 5 6 ") != 0;
}

// Who numbers a partition, and what its readers are told when that changes: two nodes may
// own it, a third one publishes and reads, and then the owner leaves.
#include <stdio.h>

#include <zlink/zlink.h>

enum
{
    MAY_OWN = 2, /* the others do not */
    NODES = 3,
    PATIENCE_MS = 30000
};

static int fail (const char *what)
{
    fprintf (stderr, "%s: %s\n", what, zlink_strerror (zlink_errno ()));
    return 1;
}

// Up to the message with that number. Answers how many epochs have begun meanwhile.
static int read_up_to (void *reader, uint64_t number)
{
    int epochs = 0;
    zlink_spot_event_t got = {.size = sizeof got};
    while (zlink_spot_reader_next (reader, &got, PATIENCE_MS) == 0)
        if (got.kind == ZLINK_SPOT_EVENT_OWNER) {
            printf (got.node != 0 ? "it has an owner\n" : "it has lost its owner\n");
        } else if (got.kind == ZLINK_SPOT_EVENT_EPOCH) {
            printf ("another epoch, from %d on; %s\n", (int)got.sequence,
                    got.loss_possible != 0 ? "something may be missing" : "nothing is missing");
            ++epochs;
        } else if (got.kind == ZLINK_SPOT_EVENT_MESSAGE) {
            printf ("%d: %.*s\n", (int)got.sequence, (int)got.body_size, (const char *)got.body);
            if (got.sequence == number)
                break;
        }
    return epochs;
}

// seed: empty of the first one, which is the others' seed, and is written there.
static int begin (void *node, int owns, const char *grantor, char *seed, size_t size)
{
    int is_first = seed[0] == '\0';
    if (zlink_spot_node_setsockopt (node, ZLINK_SPOT_NODE_SOCKET_NODE, ZLINK_SPOT_NODE_OPT_OWNS, &owns,
                                    sizeof owns)
          != 0
        || zlink_spot_node_add_grantor (node, grantor) != 0
        || zlink_spot_node_declare (node, "orders", 1) != 0
        || zlink_spot_node_bind (node, "tcp://127.0.0.1:*") != 0
        || zlink_spot_node_join (node, is_first ? NULL : seed) != 0
        || (is_first && zlink_spot_node_endpoint (node, seed, &size) != 0))
        return fail ("begin");
    return 0;
}

// The node that owns the partition, once one says so: it may change at first, while they find
// each other. -1: it cannot be asked.
static int owner_of (void **nodes)
{
    zlink_spot_partition_t state = {.size = sizeof state};
    for (int i = 0;; i = (i + 1) % MAY_OWN) {
        if (zlink_spot_node_partition (nodes[i], "orders", 0, &state) != 0)
            return -1;
        if (state.owned_here)
            return i;
    }
}

int main (void)
{
    char grantor[256], seed[256] = "";
    size_t size = sizeof grantor;
    int epochs = 0, owner = 0;
    void *context = zlink_ctx_new (), *registry = zlink_registry_new (context), *nodes[NODES], *pub, *reader;

    if (zlink_registry_bind (registry, "tcp://127.0.0.1:*") != 0
        || zlink_registry_endpoint (registry, grantor, &size) != 0)
        return fail ("registry");
    for (int i = 0; i < NODES; ++i) {
        nodes[i] = zlink_spot_node_new (context);
        if (begin (nodes[i], i < MAY_OWN, grantor, seed, sizeof seed) != 0)
            return 1;
    }
    for (int i = 0; i < NODES; ++i)
        if (zlink_spot_node_wait (nodes[i], NODES - 1, PATIENCE_MS) != 0)
            return fail ("wait");
    pub = zlink_spot_pub_new (nodes[NODES - 1]);
    reader = zlink_spot_reader_new (nodes[NODES - 1], "orders", ZLINK_SPOT_FROM_SEQUENCE, 1);
    if (zlink_spot_pub_send_key (pub, "orders", "17", 2, "placed", 6, NULL, PATIENCE_MS) != 0)
        return fail ("publish");
    read_up_to (reader, 1);

    owner = owner_of (nodes);
    if (owner < 0)
        return fail ("state");
    zlink_spot_node_destroy (&nodes[owner]);  // hands over
    if (zlink_spot_pub_send_key (pub, "orders", "17", 2, "paid", 4, NULL, PATIENCE_MS) != 0)
        return fail ("publish");
    epochs = read_up_to (reader, 2);

    zlink_spot_reader_destroy (&reader);
    zlink_spot_pub_destroy (&pub);
    for (int i = 0; i < NODES; ++i)
        if (nodes[i] != NULL)
            zlink_spot_node_destroy (&nodes[i]);
    zlink_registry_destroy (&registry);
    zlink_ctx_term (context);
    return epochs != 0 ? 0 : 1;
}

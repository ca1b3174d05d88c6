// spot_registry [REGISTRY]
//
// Two nodes of SPOT that find each other in a registry: that of another process, an etcd
// (etcd://HOST:PORT/PREFIX), or without an argument one of this process.
#include <stdio.h>

#include <zlink/zlink.h>

enum
{
    NODES = 2,
    PATIENCE_MS = 30000
};

static int fail (const char *what)
{
    fprintf (stderr, "%s: %s\n", what, zlink_strerror (zlink_errno ()));
    return 1;
}

static int begin (void *node, const char *registry, void *others)
{
    if (zlink_spot_node_bind (node, "tcp://127.0.0.1:*") != 0
        || zlink_spot_node_connect_registry (node, registry) != 0
        || zlink_spot_node_register (node, "rooms", NULL) != 0          // others read this one,
        || zlink_spot_node_set_discovery (node, others, "rooms") != 0)  // and it reads them
        return fail ("register");
    return 0;
}

// A message of two parts. A topic that is subscribed to while nodes are connected has to get
// around first, so it is said again until it is heard.
static int talk (void *pub, void *sub)
{
    char topic[256];
    size_t count = 0;
    zlink_msg_t said[2], *heard = NULL;
    zlink_spot_sub_setsockopt (sub, ZLINK_RCVTIMEO, &(int){100}, sizeof (int));
    for (int tries = 0; tries < PATIENCE_MS / 100 && heard == NULL; ++tries) {
        zlink_msg_init_buffer (&said[0], "Anna", 4);
        zlink_msg_init_buffer (&said[1], "hello", 5);
        if (zlink_spot_pub_publish (pub, "room.1", said, 2, 0) != 0)  // takes the parts
            return fail ("publish");
        if (zlink_spot_sub_recv (sub, &heard, &count, 0, topic, NULL) != 0 && zlink_errno () != EAGAIN)
            return fail ("receive");
    }
    if (heard == NULL)
        return fail ("nothing came");
    printf ("%s: %.*s, in %zu parts\n", topic, (int)zlink_msg_size (&heard[0]),
            (const char *)zlink_msg_data (&heard[0]), count);
    zlink_msgv_close (heard, count);
    return 0;
}

int main (int argc, char **argv)
{
    char own[256];
    size_t size = sizeof own;
    void *context = zlink_ctx_new (), *nodes[NODES], *pub, *sub;
    void *registry = zlink_registry_new (context);
    void *others = zlink_discovery_new_typed (context, ZLINK_SERVICE_SPOT);
    const char *where = argc > 1 ? argv[1] : own;

    if (argc < 2
        && (zlink_registry_bind (registry, "tcp://127.0.0.1:*") != 0
            || zlink_registry_endpoint (registry, own, &size) != 0))
        return fail ("registry");
    if (zlink_discovery_connect_registry (others, where) != 0)
        return fail (where);
    for (int i = 0; i < NODES; ++i) {
        nodes[i] = zlink_spot_node_new (context);
        if (begin (nodes[i], where, others) != 0)
            return 1;
    }
    sub = zlink_spot_sub_new (nodes[0]);
    pub = zlink_spot_pub_new (nodes[1]);
    if (zlink_spot_sub_subscribe (sub, "room.1") != 0 || zlink_spot_node_wait (nodes[1], 1, PATIENCE_MS) != 0)
        return fail ("wait");
    if (talk (pub, sub) != 0)
        return 1;

    zlink_spot_sub_destroy (&sub);
    zlink_spot_pub_destroy (&pub);
    for (int i = 0; i < NODES; ++i)
        zlink_spot_node_destroy (&nodes[i]);
    zlink_discovery_destroy (&others);  // behind the nodes that look there
    zlink_registry_destroy (&registry);
    return zlink_ctx_term (context);
}

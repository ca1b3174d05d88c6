// Two nodes of SPOT, one of which is told where the other is: the kitchen reads the garden.
// Publishers and subscribers name topics alone.
#include <stdio.h>

#include <zlink/zlink.h>

enum
{
    PATIENCE_MS = 30000
};

static int fail (const char *what)
{
    fprintf (stderr, "%s: %s\n", what, zlink_strerror (zlink_errno ()));
    return 1;
}

int main (void)
{
    char garden_at[256];
    size_t size = sizeof garden_at;
    zlink_spot_message_t told = {.size = sizeof told};
    void *context = zlink_ctx_new ();
    void *kitchen = zlink_spot_node_new (context), *garden = zlink_spot_node_new (context);
    void *thermometer = zlink_spot_sub_new (kitchen), *outside = zlink_spot_pub_new (garden);

    if (zlink_spot_node_bind (garden, "tcp://127.0.0.1:*") != 0  // any free port
        || zlink_spot_node_endpoint (garden, garden_at, &size) != 0)
        return fail ("bind");
    if (zlink_spot_sub_subscribe_pattern (thermometer, "temperature.*") != 0
        || zlink_spot_node_connect_peer_pub (kitchen, garden_at) != 0)  // one way: the garden reads nobody
        return fail ("connect");
    if (zlink_spot_node_wait (garden, 1, PATIENCE_MS) != 0)  // until the kitchen reads it
        return fail ("wait");

    if (zlink_spot_pub_send (outside, "humidity", "nobody asked for this", 21) != 0
        || zlink_spot_pub_send (outside, "temperature.outside", "21", 2) != 0)
        return fail ("publish");
    if (zlink_spot_sub_next (thermometer, &told, PATIENCE_MS) != 0)
        return fail ("receive");
    printf ("%.*s: %.*s\n", (int)told.topic_size, told.topic, (int)told.body_size, (const char *)told.body);

    zlink_spot_sub_destroy (&thermometer);
    zlink_spot_pub_destroy (&outside);
    zlink_spot_node_destroy (&kitchen);
    zlink_spot_node_destroy (&garden);
    return zlink_ctx_term (context);
}

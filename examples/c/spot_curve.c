// Two nodes of SPOT that speak CURVE: one structure has the keys of all that a node
// listens and connects with. Here all nodes have one pair, and let in nobody who has another.
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

// The 32 bytes of a key that is written in 40 letters.
static int bytes_of (void *context, const char *key, unsigned char *bytes)
{
    size_t size = 32;
    void *socket = zlink_socket (context, ZLINK_DEALER);
    const int done = zlink_setsockopt (socket, ZLINK_CURVE_PUBLICKEY, key, 41) == 0
                     && zlink_getsockopt (socket, ZLINK_CURVE_PUBLICKEY, bytes, &size) == 0;
    zlink_close (socket);
    return done ? 0 : -1;
}

int main (void)
{
    char open[41], secret[41], seed[256];
    unsigned char allowed[32];
    size_t size = sizeof seed;
    zlink_spot_message_t told = {.size = sizeof told};
    zlink_security_t how = {.size = sizeof how};
    void *context = zlink_ctx_new ();
    void *kitchen = zlink_spot_node_new (context), *garden = zlink_spot_node_new (context);
    void *sub = zlink_spot_sub_new (kitchen), *pub = zlink_spot_pub_new (garden);

    if (zlink_has ("curve") == 0) {
        puts ("this library was built without CURVE");
        return 0;
    }
    if (zlink_curve_keypair (open, secret) != 0 || bytes_of (context, open, allowed) != 0)
        return fail ("keys");
    how.curve_public_key = how.curve_server_key = open;
    how.curve_secret_key = secret;
    how.curve_allowed_keys = allowed;  // without it everybody who knows the public key comes in
    how.curve_allowed_keys_size = sizeof allowed;
    // Before they are bound and joined: it counts for what comes behind it.
    if (zlink_service_secure (kitchen, &how) != 0 || zlink_service_secure (garden, &how) != 0)
        return fail ("secure");

    if (zlink_spot_node_bind (kitchen, "tcp://127.0.0.1:*") != 0
        || zlink_spot_node_bind (garden, "tcp://127.0.0.1:*") != 0
        || zlink_spot_node_endpoint (kitchen, seed, &size) != 0)
        return fail ("bind");
    if (zlink_spot_sub_subscribe (sub, "temperature") != 0 || zlink_spot_node_join (kitchen, NULL) != 0
        || zlink_spot_node_join (garden, seed) != 0 || zlink_spot_node_wait (garden, 1, PATIENCE_MS) != 0)
        return fail ("join");
    if (zlink_spot_pub_send (pub, "temperature", "21", 2) != 0
        || zlink_spot_sub_next (sub, &told, PATIENCE_MS) != 0)
        return fail ("talk");
    printf ("%.*s, which nobody else could read\n", (int)told.body_size, (const char *)told.body);

    zlink_spot_sub_destroy (&sub);
    zlink_spot_pub_destroy (&pub);
    zlink_spot_node_destroy (&kitchen);
    zlink_spot_node_destroy (&garden);
    return zlink_ctx_term (context);
}

#include <stdlib.h>
#include <string.h>

#include "program.h"

/* SPOT as zlink 1.x documents it: two nodes, by hand and by a registry. */

static void publish (void *pub, const char *topic, const char *text)
{
    zlink_msg_t parts[2];
    zlink_msg_init_buffer (&parts[0], text, strlen (text));
    zlink_msg_init_buffer (&parts[1], "!", 1);
    expect (zlink_spot_pub_publish (pub, topic, parts, 2, 1) == -1 && zlink_errno () == ENOTSUP, "flags");
    expect (zlink_spot_pub_publish (pub, topic, parts, 2, 0) == 0, "publish");
}

static void expect_message (void *sub, int flags, const char *topic, const char *text)
{
    zlink_msg_t *parts = NULL;
    size_t count = 0, size = 0;
    char got[256];
    expect (zlink_spot_sub_recv (sub, &parts, &count, flags, got, &size) == 0, "recv");
    expect (strcmp (got, topic) == 0 && size == strlen (topic), "its topic");
    expect (count == 2 && zlink_msg_size (&parts[0]) == strlen (text)
              && memcmp (zlink_msg_data (&parts[0]), text, strlen (text)) == 0,
            "its parts");
    zlink_msgv_close (parts, count);
}

static void expect_nothing (void *sub, int error)
{
    zlink_msg_t *parts = NULL;
    size_t count = 0;
    expect (zlink_spot_sub_recv (sub, &parts, &count, ZLINK_DONTWAIT, NULL, NULL) == -1
              && zlink_errno () == error,
            "nothing to receive");
}

/* What is wanted may be heard of a little later. */
static void expect_from (void *pub, void *sub)
{
    zlink_msg_t *parts = NULL;
    size_t count = 0;
    int timeout = 20;
    expect (zlink_spot_sub_setsockopt (sub, ZLINK_RCVTIMEO, &timeout, sizeof timeout) == 0, "RCVTIMEO");
    do
        publish (pub, "t", "over there");
    while (zlink_spot_sub_recv (sub, &parts, &count, 0, NULL, NULL) != 0);
    zlink_msgv_close (parts, count);
    timeout = 0;
    expect (zlink_spot_sub_setsockopt (sub, ZLINK_RCVTIMEO, &timeout, sizeof timeout) == 0, "RCVTIMEO");
    while (zlink_spot_sub_recv (sub, &parts, &count, 0, NULL, NULL) == 0)
        zlink_msgv_close (parts, count);
}

static void heard (const char *topic, size_t size, const zlink_msg_t *parts, size_t count, void *hint)
{
    expect (size == strlen (topic) && count == 2 && zlink_msg_size (&parts[1]) == 1, "what a handler gets");
    zlink_atomic_counter_inc (hint);
}

static void inside (void *context)
{
    void *node = zlink_spot_node_new (context);
    void *pub = zlink_spot_pub_new (node);
    void *sub = zlink_spot_sub_new (node);
    void *count = zlink_atomic_counter_new ();
    int number = 100;
    expect (node != NULL && pub != NULL && sub != NULL, "new");
    expect (zlink_spot_node_setsockopt (node, ZLINK_SPOT_NODE_SOCKET_NODE, ZLINK_SPOT_NODE_OPT_PUB_QUEUE_HWM,
                                        &number, sizeof number)
              == 0,
            "PUB_QUEUE_HWM");
    number = ZLINK_SPOT_NODE_PUB_MODE_ASYNC;
    expect (zlink_spot_node_setsockopt (node, ZLINK_SPOT_NODE_SOCKET_NODE, ZLINK_SPOT_NODE_OPT_PUB_MODE,
                                        &number, sizeof number)
              == 0,
            "PUB_MODE");
    number = 1000;
    expect (zlink_spot_pub_setsockopt (pub, ZLINK_BACKLOG, &number, sizeof number) == 0, "pub_setsockopt");
    expect (zlink_spot_sub_setsockopt (sub, ZLINK_RCVHWM, &number, sizeof number) == 0, "sub_setsockopt");
    expect (zlink_spot_sub_subscribe (sub, "chat:1") == 0, "subscribe");
    expect (zlink_spot_sub_subscribe_pattern (sub, "zone:*") == 0, "subscribe_pattern");
    expect (zlink_spot_sub_subscribe_pattern (sub, "zone") == -1 && zlink_errno () == EINVAL,
            "a pattern without a star");
    publish (pub, "chat:1", "hello");
    publish (pub, "chat:12", "not for us");
    publish (pub, "zone:9", "enter");
    expect_message (sub, ZLINK_DONTWAIT, "chat:1", "hello");
    expect_message (sub, ZLINK_DONTWAIT, "zone:9", "enter");
    expect_nothing (sub, EAGAIN);
    expect (zlink_spot_sub_unsubscribe (sub, "zone:*") == 0, "unsubscribe");
    publish (pub, "zone:9", "leave");
    expect_nothing (sub, EAGAIN);
    expect (zlink_spot_sub_set_handler (sub, heard, count) == 0, "set_handler");
    expect_nothing (sub, EINVAL);
    publish (pub, "chat:1", "handled");
    while (zlink_atomic_counter_value (count) == 0)
        zlink_sleep (0);
    expect (zlink_spot_sub_set_handler (sub, NULL, NULL) == 0, "no handler");
    publish (pub, "chat:1", "polled");
    expect_message (sub, 0, "chat:1", "polled");
    expect (zlink_spot_sub_destroy (&sub) == 0 && sub == NULL, "sub_destroy");
    expect (zlink_spot_pub_destroy (&pub) == 0 && pub == NULL, "pub_destroy");
    expect (zlink_spot_node_destroy (&node) == 0 && node == NULL, "node_destroy");
    zlink_atomic_counter_destroy (&count);
}

static void between (void *context)
{
    void *registry = zlink_registry_new (context);
    void *discovery = zlink_discovery_new_typed (context, ZLINK_SERVICE_SPOT);
    void *here = zlink_spot_node_new (context);
    void *there = zlink_spot_node_new (context);
    void *sub = zlink_spot_sub_new (here);
    void *pub = zlink_spot_pub_new (there);
    char where[256], at[256];
    size_t size = sizeof where, at_size = sizeof at;
    int i, number = 1;
    expect (zlink_registry_bind (registry, "tcp://127.0.0.1:*") == 0
              && zlink_registry_endpoint (registry, where, &size) == 0
              && zlink_discovery_connect_registry (discovery, where) == 0,
            "a registry");
    expect (zlink_spot_node_set_tls_server (there, NULL, NULL) == 0, "set_tls_server");
    expect (zlink_spot_node_set_tls_client (here, NULL, NULL, 1) == 0, "set_tls_client");
    expect (zlink_spot_node_bind (there, "tcp://127.0.0.1:*") == 0, "bind");
    expect (zlink_spot_node_endpoint (there, at, &at_size) == 0, "endpoint");
    expect (zlink_spot_node_setsockopt (here, ZLINK_SPOT_NODE_SOCKET_SUB, ZLINK_TCP_KEEPALIVE, &number,
                                        sizeof number)
              == 0,
            "node_setsockopt");
    expect (zlink_spot_sub_subscribe (sub, "t") == 0, "subscribe");
    for (i = 0; i < 2; ++i) {
        if (i == 0) {
            expect (zlink_spot_node_connect_peer_pub (here, at) == 0, "connect_peer_pub");
        } else {
            expect (zlink_spot_node_connect_registry (there, where) == 0, "connect_registry");
            expect (zlink_spot_node_register (there, NULL, NULL) == 0, "register");
            expect (zlink_spot_node_set_discovery (here, discovery, "spot-node") == 0, "set_discovery");
        }
        expect (zlink_spot_node_wait (there, 1, 10000) == 0, "somebody is there");
        expect_from (pub, sub);
        if (i == 0)
            expect (zlink_spot_node_disconnect_peer_pub (here, at) == 0, "disconnect_peer_pub");
    }
    expect (zlink_spot_node_unregister (there, "spot-node") == 0, "unregister");
    expect (zlink_spot_node_set_discovery (here, NULL, NULL) == 0, "no discovery");
    expect (zlink_spot_sub_destroy (&sub) == 0 && zlink_spot_pub_destroy (&pub) == 0, "destroy");
    expect (zlink_spot_node_destroy (&here) == 0 && zlink_spot_node_destroy (&there) == 0, "node_destroy");
    expect (zlink_discovery_destroy (&discovery) == 0, "discovery_destroy");
    expect (zlink_registry_destroy (&registry) == 0, "registry_destroy");
}

void share_topics (void *context)
{
    inside (context);
    between (context);
}

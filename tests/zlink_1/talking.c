/* Messages, sockets, polls. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

static int freed;

static void give_back (void *data, void *hint)
{
    (void)data;
    ++*(int *)hint;
}

static void handle_messages (void)
{
    static char lent[100];
    zlink_msg_t one, two;
    zlink_msg_t *parts = (zlink_msg_t *)malloc (2 * sizeof (zlink_msg_t));
    expect (zlink_msg_init (&one) == 0 && zlink_msg_size (&one) == 0, "msg_init");
    expect (zlink_msg_close (&one) == 0, "msg_close");
    expect (zlink_msg_init_size (&one, 500) == 0, "msg_init_size");
    memset (zlink_msg_data (&one), 'z', 500);
    expect (zlink_msg_init (&two) == 0 && zlink_msg_copy (&two, &one) == 0, "msg_copy");
    expect (zlink_msg_size (&two) == 500 && zlink_msg_get (&two, ZLINK_SHARED) == 1, "a copy shares");
    expect (zlink_msg_get (&two, ZLINK_MORE) == 0 && zlink_msg_more (&two) == 0, "msg_more");
    expect (zlink_msg_set (&two, ZLINK_MORE, 1) == -1 && zlink_errno () == EINVAL, "msg_set");
    expect (zlink_msg_move (&one, &two) == 0 && zlink_msg_size (&two) == 0, "msg_move");
    expect (zlink_msg_close (&one) == 0 && zlink_msg_close (&two) == 0, "msg_close");
    expect (zlink_msg_init_data (&one, lent, sizeof lent, give_back, &freed) == 0, "msg_init_data");
    expect (zlink_msg_close (&one) == 0 && freed == 1, "the free function");
    expect (parts != NULL && zlink_msg_init_size (&parts[0], 1) == 0
              && zlink_msg_init_size (&parts[1], 50) == 0,
            "parts");
    zlink_msgv_close (parts, 2);
}

static void *linked (void *context, int bound_type, int connected_type, void **bound)
{
    char endpoint[256];
    size_t size = sizeof endpoint;
    const int none = 0, patience_ms = 10000;
    void *const connected = zlink_socket (context, connected_type);
    *bound = zlink_socket (context, bound_type);
    expect (*bound != NULL && connected != NULL, "socket");
    zlink_setsockopt (*bound, ZLINK_LINGER, &none, sizeof none);
    zlink_setsockopt (connected, ZLINK_LINGER, &none, sizeof none);
    zlink_setsockopt (*bound, ZLINK_RCVTIMEO, &patience_ms, sizeof patience_ms);
    zlink_setsockopt (connected, ZLINK_RCVTIMEO, &patience_ms, sizeof patience_ms);
    expect (zlink_bind (*bound, "tcp://127.0.0.1:*") == 0, "bind");
    expect (zlink_getsockopt (*bound, ZLINK_LAST_ENDPOINT, endpoint, &size) == 0, "LAST_ENDPOINT");
    expect (zlink_connect (connected, endpoint) == 0, "connect");
    return connected;
}

static void talk_to_a_router (void *context)
{
    void *router;
    void *const dealer = linked (context, ZLINK_ROUTER, ZLINK_DEALER, &router);
    zlink_routing_id_t from;
    zlink_msg_t part;
    zlink_pollitem_t item = {router, 0, ZLINK_POLLIN, 0};
    char text[16] = "";
    expect (zlink_send (dealer, "first ", 6, ZLINK_SNDMORE) == 6, "send a part");
    expect (zlink_send_const (dealer, "second", 6, 0) == 6, "send_const");
    expect (zlink_poll (&item, 1, 10000) == 1 && item.revents == ZLINK_POLLIN, "poll");
    from.size = (uint8_t)zlink_recv (router, from.data, sizeof from.data, 0);
    expect (from.size == 16 && from.data[0] != 0, "a routing id of sixteen bytes");
    expect (zlink_recv (router, text, sizeof text, ZLINK_DONTWAIT) == 6, "the first part");
    zlink_msg_init (&part);
    expect (zlink_msg_recv (&part, router, 0) == 6 && !zlink_msg_more (&part), "msg_recv");
    expect (strcmp (zlink_msg_gets (&part, "Socket-Type"), "DEALER") == 0, "msg_gets");
    expect (zlink_send (router, from.data, from.size, ZLINK_SNDMORE) == 16, "the way back");
    expect (zlink_msg_send (&part, router, 0) == 6, "msg_send");
    expect (zlink_recv (dealer, text, sizeof text, 0) == 6 && memcmp (text, "second", 6) == 0, "the answer");
    expect (zlink_recv (dealer, text, sizeof text, ZLINK_DONTWAIT) == -1 && zlink_errno () == EAGAIN,
            "nothing more");
    zlink_close (dealer);
    zlink_close (router);
}

static void talk_about_topics (void *context)
{
    void *publisher;
    void *const subscriber = linked (context, ZLINK_XPUB, ZLINK_SUB, &publisher);
    char text[16];
    expect (zlink_setsockopt (subscriber, ZLINK_SUBSCRIBE, "news", 4) == 0, "SUBSCRIBE");
    expect (zlink_recv (publisher, text, sizeof text, 0) == 5 && memcmp (text, "\1news", 5) == 0,
            "a subscription");
    expect (zlink_send (publisher, "old", 3, 0) == 3 && zlink_send (publisher, "newsy", 5, 0) == 5,
            "publish");
    expect (zlink_recv (subscriber, text, sizeof text, 0) == 5 && memcmp (text, "newsy", 5) == 0, "the news");
    expect (zlink_setsockopt (subscriber, ZLINK_UNSUBSCRIBE, "news", 4) == 0, "UNSUBSCRIBE");
    zlink_close (subscriber);
    zlink_close (publisher);
}

/* One byte 1 says that somebody has connected, one byte 0 that he has gone. */
static void talk_in_packets (void *context)
{
    void *server;
    void *const client = linked (context, ZLINK_STREAM, ZLINK_STREAM, &server);
    zlink_routing_id_t who;
    char text[16];
    who.size = (uint8_t)zlink_recv (client, who.data, sizeof who.data, 0);
    expect (zlink_recv (client, text, sizeof text, 0) == 1 && text[0] == 1, "a stream is connected");
    expect (zlink_send (client, who.data, who.size, ZLINK_SNDMORE) == who.size, "send to a stream");
    expect (zlink_send (client, "packet", 6, 0) == 6, "send a packet");
    expect (zlink_recv (server, who.data, sizeof who.data, 0) > 0
              && zlink_recv (server, text, sizeof text, 0) == 1,
            "a stream has come");
    expect (zlink_recv (server, who.data, sizeof who.data, 0) > 0
              && zlink_recv (server, text, sizeof text, 0) == 6,
            "a packet");
    zlink_close (client);
    zlink_close (server);
}

static void come_and_go (void *context)
{
    void *const one = zlink_socket (context, ZLINK_PAIR);
    void *const other = zlink_socket (context, ZLINK_PAIR);
    expect (zlink_bind (one, "inproc://place") == 0 && zlink_connect (other, "inproc://place") == 0,
            "inproc");
    expect (zlink_unbind (one, "inproc://place") == 0, "unbind");
    expect (zlink_disconnect (other, "inproc://place") == 0, "disconnect");
    expect (zlink_disconnect (other, "inproc://elsewhere") == -1 && zlink_errno () == ENOENT,
            "who is not there");
    zlink_close (one);
    zlink_close (other);
}

void talk_over_sockets (void *context)
{
    handle_messages ();
    talk_to_a_router (context);
    talk_about_topics (context);
    talk_in_packets (context);
    come_and_go (context);
}

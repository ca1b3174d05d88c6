/* Monitors, peers, proxies. */
#include <string.h>

#include "program.h"

static void await (void *monitor, uint64_t wanted)
{
    zlink_monitor_event_t event;
    do
        expect (zlink_monitor_recv (monitor, &event, 0) == 0, "monitor_recv");
    while (event.event != wanted);
}

void watch_and_list_peers (void *context)
{
    void *const router = zlink_socket (context, ZLINK_ROUTER);
    void *const dealer = zlink_socket (context, ZLINK_DEALER);
    void *const old_way = zlink_socket (context, ZLINK_PAIR);
    void *const monitor = zlink_socket_monitor_open (router, ZLINK_EVENT_ALL);
    zlink_peer_info_t info, all[4];
    zlink_routing_id_t who;
    size_t count = 4;
    expect (monitor != NULL, "socket_monitor_open");
    expect (zlink_socket_monitor (dealer, "inproc://dealer.events", ZLINK_EVENT_ALL) == 0, "socket_monitor");
    expect (zlink_connect (old_way, "inproc://dealer.events") == 0, "connect to the events");
    expect (zlink_setsockopt (dealer, ZLINK_ROUTING_ID, "worker", 6) == 0, "ROUTING_ID");
    expect (zlink_bind (router, "ipc://@zlink_1.peers") == 0
              && zlink_connect (dealer, "ipc://@zlink_1.peers") == 0,
            "ipc");
    await (monitor, ZLINK_EVENT_LISTENING);
    await (monitor, ZLINK_EVENT_ACCEPTED);
    await (monitor, ZLINK_EVENT_CONNECTION_READY);
    await (old_way, ZLINK_EVENT_CONNECTED);
    expect (zlink_socket_peer_count (router) == 1, "socket_peer_count");
    expect (zlink_socket_peers (router, all, &count) == 0 && count == 1, "socket_peers");
    expect (zlink_socket_peer_routing_id (router, 0, &who) == 0 && who.size == 6, "socket_peer_routing_id");
    expect (zlink_socket_peer_info (router, &who, &info) == 0, "socket_peer_info");
    expect (memcmp (info.routing_id.data, "worker", 6) == 0 && info.msgs_sent == 0, "who the peer is");
    expect (zlink_socket_monitor (dealer, NULL, 0) == 0, "the end of a monitor");
    await (old_way, ZLINK_EVENT_MONITOR_STOPPED);
    zlink_close (old_way);
    zlink_close (monitor);
    zlink_close (dealer);
    zlink_close (router);
}

struct proxied
{
    void *front, *back, *control;
};

static void run (void *argument)
{
    const struct proxied *on = (const struct proxied *)argument;
    if (on->control != NULL)
        expect (zlink_proxy_steerable (on->front, on->back, NULL, on->control) == 0, "proxy_steerable");
    else
        expect (zlink_proxy (on->front, on->back, NULL) == -1, "proxy");
}

static void forward_once (void *context, int steered)
{
    struct proxied on = {NULL, NULL, NULL};
    void *const near_end = zlink_socket (context, ZLINK_DEALER), *const far_end =
                                                                   zlink_socket (context, ZLINK_DEALER);
    void *steer = NULL, *thread;
    uint64_t numbers[8];
    int i;
    char text[16];
    on.front = zlink_socket (context, ZLINK_DEALER);
    on.back = zlink_socket (context, ZLINK_DEALER);
    if (steered) {
        on.control = zlink_socket (context, ZLINK_PAIR);
        steer = zlink_socket (context, ZLINK_PAIR);
        expect (zlink_bind (on.control, "inproc://steer") == 0
                  && zlink_connect (steer, "inproc://steer") == 0,
                "control");
    }
    expect (zlink_bind (on.front, "inproc://front") == 0 && zlink_bind (on.back, "inproc://back") == 0,
            "bind both");
    expect (zlink_connect (near_end, "inproc://front") == 0 && zlink_connect (far_end, "inproc://back") == 0,
            "connect both");
    thread = zlink_threadstart (run, &on);
    expect (zlink_send (near_end, "through", 7, 0) == 7 && zlink_recv (far_end, text, sizeof text, 0) == 7,
            "through a proxy");
    if (steered) {
        expect (zlink_send (steer, "PAUSE", 5, 0) == 5 && zlink_send (steer, "RESUME", 6, 0) == 6,
                "PAUSE, RESUME");
        expect (zlink_send (steer, "STATISTICS", 10, 0) == 10, "STATISTICS");
        for (i = 0; i < 8; ++i)
            expect (zlink_recv (steer, &numbers[i], sizeof numbers[i], 0) == 8, "a number of the statistics");
        expect (numbers[0] == 1 && numbers[1] == 7 && numbers[6] == 1 && numbers[7] == 7,
                "what went through");
        expect (zlink_send (steer, "TERMINATE", 9, 0) == 9, "TERMINATE");
    } else {
        zlink_close (on.front);
        on.front = NULL;
    }
    zlink_threadclose (thread);
    if (on.front != NULL)
        zlink_close (on.front);
    zlink_close (on.back);
    zlink_close (near_end);
    zlink_close (far_end);
    if (steered) {
        zlink_close (on.control);
        zlink_close (steer);
    }
}

void forward (void *context)
{
    forward_once (context, 1);
    forward_once (context, 0);
}

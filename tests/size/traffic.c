/* traffic minimal|uncurved: runs on that library. What it was built with works over every
 * transport, with small, large and multipart messages, polls and a monitor; what it
 * was built without is refused: types as ones that do not exist, CURVE as unknown here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlink/zlink.h>

#define LARGE_BYTES 300000

static void expect (int condition, const char *what)
{
    if (condition)
        return;
    fprintf (stderr, "not so: %s (%s)\n", what, zlink_strerror (zlink_errno ()));
    exit (1);
}

static void send_and_receive (void *from, void *to, size_t bytes)
{
    char *const sent = malloc (bytes + 1);
    char *const got = malloc (bytes + sizeof "end");
    zlink_pollitem_t ready = {to, 0, ZLINK_POLLIN, 0};
    int polls;

    expect (sent != NULL && got != NULL, "memory");
    memset (sent, 'a' + (int)(bytes % 26), bytes + 1);
    expect (zlink_send (from, sent, bytes, ZLINK_SNDMORE) == (int)bytes, "the first part is sent");
    expect (zlink_send (from, "end", 3, 0) == 3, "the last part is sent");
    for (polls = 0; polls < 3; ++polls) { /* the same again: from the second on they could be kept */
        ready.revents = 0;
        expect (zlink_poll (&ready, 1, 30000) == 1 && ready.revents == ZLINK_POLLIN, "a poll tells of it");
    }
    expect (zlink_recv (to, got, bytes + 1, 0) == (int)bytes && memcmp (got, sent, bytes) == 0,
            "the first part comes");
    expect (zlink_recv (to, got, 3, 0) == 3 && memcmp (got, "end", 3) == 0, "the last part comes");
    free (sent);
    free (got);
}

static void talk (void *context, int one, int other, const char *place)
{
    char endpoint[256];
    size_t size = sizeof endpoint;
    int timeout_ms = 30000;
    void *const binder = zlink_socket (context, other);
    void *const dialer = zlink_socket (context, one);
    void *const monitor = zlink_socket_monitor_open (binder, ZLINK_EVENT_ALL);

    expect (binder != NULL && dialer != NULL && monitor != NULL, "sockets open");
    expect (zlink_setsockopt (binder, ZLINK_RCVTIMEO, &timeout_ms, sizeof timeout_ms) == 0, "RCVTIMEO");
    expect (zlink_setsockopt (dialer, ZLINK_RCVTIMEO, &timeout_ms, sizeof timeout_ms) == 0, "RCVTIMEO");
    expect (zlink_bind (binder, place) == 0, "bind");
    expect (zlink_getsockopt (binder, ZLINK_LAST_ENDPOINT, endpoint, &size) == 0, "LAST_ENDPOINT");
    expect (zlink_connect (dialer, endpoint) == 0, "connect");
    send_and_receive (dialer, binder, 1);
    send_and_receive (dialer, binder, LARGE_BYTES);
    if (one == ZLINK_PAIR)
        send_and_receive (binder, dialer, 100);
    else
        expect (zlink_send (binder, "", 0, ZLINK_DONTWAIT) == -1 && errno == ENOTSUP
                  && zlink_recv (dialer, endpoint, 1, ZLINK_DONTWAIT) == -1 && errno == ENOTSUP,
                "one way only");
    expect (zlink_close (monitor) == 0 && zlink_close (dialer) == 0 && zlink_close (binder) == 0, "close");
}

static void expect_no_support (int answer, const char *what)
{
    expect (answer == -1 && errno == ENOTSUP, what);
}

/* What a minimal library goes without says so. */
static void ask_for_what_is_not_there (void *context)
{
    static const char proxy[] = "127.0.0.1:1080";
    void *const socket = zlink_socket (context, ZLINK_PAIR);
    zlink_statistics_t sums;
    zlink_counters_t row;
    zlink_peer_info_t peer;
    zlink_routing_id_t name = {0};
    char text[100];
    size_t size = sizeof text;
    size_t count = 1;

    expect (socket != NULL && zlink_statistics (socket, &sums) == 0 && sums.messages_sent == 0,
            "the sums are there");
    expect_no_support (zlink_counters (socket, &row, sizeof row, &count), "no rows of counters");
    expect_no_support (zlink_counters_text (socket, text, &size), "no text of counters");
    expect_no_support (zlink_ctx_counters_text (context, text, &size), "no text of a context's counters");
    expect_no_support (zlink_ctx_holders (context, text, &size), "no list of who holds a context");
    expect_no_support (zlink_socket_peer_count (socket), "no count of peers");
    expect_no_support (zlink_socket_peers (socket, &peer, &count), "no list of peers");
    expect_no_support (zlink_socket_peer_routing_id (socket, 0, &name), "no peer by number");
    expect_no_support (zlink_socket_peer_info (socket, &name, &peer), "no peer by name");
    expect_no_support (zlink_proxy (socket, socket, NULL), "nothing is forwarded");
    expect_no_support (zlink_proxy_steerable (socket, socket, NULL, NULL), "nor under control");
    expect (zlink_setsockopt (socket, ZLINK_SOCKS_PROXY, proxy, sizeof proxy - 1) == 0, "SOCKS_PROXY");
    expect_no_support (zlink_connect (socket, "tcp://127.0.0.1:9"), "no way through a proxy");
    expect (zlink_setsockopt (socket, ZLINK_SOCKS_PROXY, "", 0) == 0, "no SOCKS_PROXY");
    expect (zlink_connect (socket, "tcp://127.0.0.1:9") == 0, "the straight way");
    expect (zlink_close (socket) == 0, "close");
}

/* Types that are left out of the minimal library: none of them is there, or all. */
static void ask_for_types (void *context, int there)
{
    static const int left_out[] = {ZLINK_PUB,  ZLINK_SUB,  ZLINK_REQ,    ZLINK_REP,   ZLINK_DEALER,
                                   ZLINK_XPUB, ZLINK_XSUB, ZLINK_ROUTER, ZLINK_STREAM};
    size_t i;

    for (i = 0; i < sizeof left_out / sizeof left_out[0]; ++i) {
        void *const socket = zlink_socket (context, left_out[i]);
        if (there)
            expect (socket != NULL && zlink_close (socket) == 0, "other types exist");
        else
            expect (socket == NULL && errno == EINVAL, "other types do not exist");
    }
}

static void ask_for_curve (void)
{
    char open_key[41];
    char secret_key[41];

    expect (zlink_has ("curve") == 0, "CURVE is not there");
    expect (zlink_curve_keypair (open_key, secret_key) == -1 && errno == ENOTSUP, "no keys are made");
}

int main (int argc, char **argv)
{
    static const char *const places[] = {"tcp://127.0.0.1:*", "ipc://*", "inproc://here"};
    const int is_minimal = argc > 1 && strcmp (argv[1], "minimal") == 0;
    void *const context = zlink_ctx_new ();
    size_t i;

    expect (context != NULL, "a context opens");
    for (i = 0; i < sizeof places / sizeof places[0]; ++i) {
        talk (context, ZLINK_PUSH, ZLINK_PULL, places[i]);
        talk (context, ZLINK_PAIR, ZLINK_PAIR, places[i]);
    }
    ask_for_types (context, !is_minimal);
    ask_for_curve ();
    if (is_minimal)
        ask_for_what_is_not_there (context);
    expect (zlink_ctx_term (context) == 0, "the context ends");
    puts (is_minimal ? "PAIR, PUSH and PULL work, and are all there are"
                     : "all types are there, and CURVE is not");
    return 0;
}

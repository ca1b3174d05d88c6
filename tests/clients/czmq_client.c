/* A program as czmq users write them, built against Debian's czmq and libzmq.
 * The test runs it with our libzmq.so.5 in the loader's way; it ends with
 * "czmq: ok".
 */
#include <czmq.h>

static void check (int truth, const char *what)
{
    if (!truth) {
        fprintf (stderr, "czmq: %s: %s\n", what, zmq_strerror (zmq_errno ()));
        exit (1);
    }
}

static void check_text (char *text, const char *wanted)
{
    check (text != NULL && streq (text, wanted), wanted);
    zstr_free (&text);
}

/* zsock, zstr and zmsg through a pipeline over the given wildcard endpoint. */
static void pipeline (const char *place)
{
    zsock_t *pull = zsock_new (ZMQ_PULL);
    zsock_t *push = zsock_new (ZMQ_PUSH);
    check (zsock_bind (pull, "%s", place) >= 0, "bind");
    char *where = zsock_last_endpoint (pull);
    check (zsock_connect (push, "%s", where) == 0, "connect");
    freen (where);
    zsock_set_rcvtimeo (pull, 20000);

    check (zstr_send (push, "one") == 0, "send");
    check (zstr_sendx (push, "two", "", "three", NULL) == 0, "sendx");
    check_text (zstr_recv (pull), "one");
    zmsg_t *message = zmsg_recv (pull);
    check (message != NULL && zmsg_size (message) == 3, "three frames");
    check_text (zmsg_popstr (message), "two");
    check_text (zmsg_popstr (message), "");
    check_text (zmsg_popstr (message), "three");
    zmsg_destroy (&message);
    zsock_destroy (&push);
    zsock_destroy (&pull);
}

/* A poller over two pairs, told apart by what it answers. */
static void poller (void)
{
    zsock_t *ends[] = {zsock_new_pair ("@inproc://first"), zsock_new_pair (">inproc://first"),
                       zsock_new_pair ("@inproc://second"), zsock_new_pair (">inproc://second")};
    for (size_t i = 0; i < 4; ++i)
        check (ends[i] != NULL, "pair");
    zpoller_t *poller = zpoller_new (ends[0], ends[2], NULL);
    check (poller != NULL, "poller");
    check (zpoller_wait (poller, 0) == NULL && zpoller_expired (poller), "nothing yet");
    zstr_send (ends[3], "second");
    check (zpoller_wait (poller, 20000) == ends[2], "the second is readable");
    check_text (zstr_recv (ends[2]), "second");
    zstr_send (ends[1], "first");
    check (zpoller_wait (poller, 20000) == ends[0], "the first is readable");
    check_text (zstr_recv (ends[0]), "first");
    zpoller_destroy (&poller);
    for (size_t i = 0; i < 4; ++i)
        zsock_destroy (&ends[i]);
}

/* czmq's calls take raw libzmq handles as well and look into them to see. */
static void raw_handles (void)
{
    void *context = zmq_ctx_new ();
    void *here = zmq_socket (context, ZMQ_PAIR);
    void *there = zmq_socket (context, ZMQ_PAIR);
    check (zmq_bind (here, "inproc://raw") == 0 && zmq_connect (there, "inproc://raw") == 0, "raw pair");
    check (!zsock_is (here), "a raw handle is not a zsock");
    check (zsock_resolve (here) == here, "a raw handle resolves to itself");
    zpoller_t *poller = zpoller_new (here, NULL);
    check (poller != NULL, "poller over a raw handle");
    check (zstr_send (there, "raw") == 0, "send on a raw handle");
    check (zpoller_wait (poller, 20000) == here, "the raw handle is readable");
    check_text (zstr_recv (here), "raw");
    zmsg_t *message = zmsg_new ();
    zmsg_addstr (message, "a");
    zmsg_addmem (message, "b\0c", 3);
    check (zmsg_send (&message, here) == 0, "message on a raw handle");
    message = zmsg_recv (there);
    check (message != NULL && zmsg_size (message) == 2 && zmsg_content_size (message) == 4, "two frames");
    zmsg_destroy (&message);
    zpoller_destroy (&poller);
    zmq_close (here);
    zmq_close (there);
    check (zmq_ctx_term (context) == 0, "term");
}

/* A zmonitor, which is an actor with a PAIR of its own. */
static void monitor (void)
{
    zsock_t *pull = zsock_new (ZMQ_PULL);
    zsock_t *push = zsock_new (ZMQ_PUSH);
    zactor_t *watcher = zactor_new (zmonitor, pull);
    check (watcher != NULL, "monitor");
    zstr_sendx (watcher, "LISTEN", "LISTENING", "ACCEPTED", "DISCONNECTED", NULL);
    zstr_send (watcher, "START");
    zsock_wait (watcher);
    check (zsock_bind (pull, "tcp://127.0.0.1:*") >= 0, "bind");
    char *where = zsock_last_endpoint (pull);
    check (zsock_connect (push, "%s", where) == 0, "connect");
    zstr_send (push, "x");
    check_text (zstr_recv (pull), "x");
    zsock_destroy (&push);
    const char *const wanted[] = {"LISTENING", "ACCEPTED", "DISCONNECTED"};
    for (size_t i = 0; i < 3; ++i) {
        zmsg_t *said = zmsg_recv (watcher);
        check (said != NULL && zmsg_size (said) == 3, "three frames");
        check_text (zmsg_popstr (said), wanted[i]);
        char *value = zmsg_popstr (said);
        check (value != NULL && atoi (value) > 2, "a descriptor");
        freen (value);
        check_text (zmsg_popstr (said), where);
        zmsg_destroy (&said);
    }
    freen (where);
    zactor_destroy (&watcher);
    zsock_destroy (&pull);
}

int main (void)
{
    zsys_handler_set (NULL);
    pipeline ("tcp://127.0.0.1:*");
    pipeline ("ipc://*");
    poller ();
    raw_handles ();
    monitor ();
    int major = 0;
    int minor = 0;
    int patch = 0;
    zmq_version (&major, &minor, &patch);
    printf ("czmq: ok on %d.%d.%d\n", major, minor, patch);
    return 0;
}

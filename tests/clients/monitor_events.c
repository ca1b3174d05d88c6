/* A program as libzmq's users write them, built against Debian's libzmq:
 * prints what the monitors of its sockets say. The test runs it on both
 * libraries, and they must say the same.
 *
 * Nothing here waits for time to pass; what depends on time (how often a
 * dialler tried in vain) is not printed. The version goes to stderr.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

static void *context;
static char endpoint[256];

static void check (int truth, const char *what)
{
    if (!truth) {
        fprintf (stderr, "monitor_events: %s: %s\n", what, zmq_strerror (zmq_errno ()));
        exit (1);
    }
}

static void *open_socket (int type)
{
    int linger = 0, patience_ms = 20000, interval_ms = 10;
    void *made = zmq_socket (context, type);
    check (made != NULL, "socket");
    zmq_setsockopt (made, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt (made, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms);
    zmq_setsockopt (made, ZMQ_RECONNECT_IVL, &interval_ms, sizeof interval_ms);
    return made;
}

/* A name of its own each: libzmq gives one back some time after the monitor ended. */
static void *open_monitor (void *of)
{
    static int last;
    char place[32];
    void *reader = open_socket (ZMQ_PAIR);
    snprintf (place, sizeof place, "inproc://monitor-%d", ++last);
    check (zmq_socket_monitor (of, place, ZMQ_EVENT_ALL) == 0, "monitor");
    check (zmq_connect (reader, place) == 0, "reader");
    return reader;
}

struct event
{
    int number;
    uint32_t value;
    char address[256];
};

static struct event receive (void *monitor)
{
    struct event got = {0, 0, ""};
    unsigned char head[6];
    uint16_t number;
    int size;
    check (zmq_recv (monitor, head, sizeof head, 0) == (int)sizeof head, "the event");
    memcpy (&number, head, sizeof number);
    memcpy (&got.value, head + sizeof number, sizeof got.value);
    got.number = number;
    size = zmq_recv (monitor, got.address, sizeof got.address - 1, 0);
    check (size >= 0, "the address");
    got.address[size] = '\0';
    return got;
}

static void print (const char *who, const struct event *what)
{
    static const char *const names[] = {
      "CONNECTED", "CONNECT_DELAYED", "CONNECT_RETRIED", "LISTENING",       "BIND_FAILED",
      "ACCEPTED",  "ACCEPT_FAILED",   "CLOSED",          "CLOSE_FAILED",    "DISCONNECTED",
      "STOPPED",   "NO_DETAIL",       "SUCCEEDED",       "FAILED_PROTOCOL", "FAILED_AUTH",
    };
    const char *name = "?";
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (what->number == 1 << i)
            name = names[i];
    printf ("%s %s ", who, name);
    switch (what->number) {
    case ZMQ_EVENT_CONNECT_RETRIED:
        printf ("%s", what->value >= 10 && what->value <= 20 ? "interval" : "no interval");
        break;
    case ZMQ_EVENT_CONNECT_DELAYED:
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
    case ZMQ_EVENT_MONITOR_STOPPED:
        printf ("%u", (unsigned)what->value);
        break;
    case ZMQ_EVENT_CLOSED: /* whatever it was is closed; of an attempt that failed at once we have nothing to
                              show */
        printf ("descriptor");
        break;
    default:
        printf ("%s", what->value > 2 && what->value < 1000 ? "descriptor" : "no descriptor");
        break;
    }
    printf (" %s\n", strcmp (what->address, endpoint) == 0 ? "endpoint" : what->address);
}

/* Prints count events. */
static void expect (const char *who, void *monitor, int count)
{
    while (count-- > 0) {
        struct event got = receive (monitor);
        print (who, &got);
    }
}

/* Passes over all up to the first of that kind, and prints it. */
static void skip_to (const char *who, void *monitor, int number)
{
    struct event got = receive (monitor);
    while (got.number != number)
        got = receive (monitor);
    print (who, &got);
}

static void close_both (void *one, void *other)
{
    check (zmq_close (one) == 0 && zmq_close (other) == 0, "close");
}

static int raw_peer (void)
{
    int made;
    if (strncmp (endpoint, "tcp", 3) == 0) {
        struct sockaddr_in to = {.sin_family = AF_INET};
        to.sin_port = htons ((uint16_t)atoi (strrchr (endpoint, ':') + 1));
        to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
        made = socket (AF_INET, SOCK_STREAM, 0);
        check (connect (made, (struct sockaddr *)&to, sizeof to) == 0, "raw peer");
    } else {
        struct sockaddr_un to = {.sun_family = AF_UNIX};
        strcpy (to.sun_path, endpoint + strlen ("ipc://"));
        made = socket (AF_UNIX, SOCK_STREAM, 0);
        check (connect (made, (struct sockaddr *)&to, sizeof to) == 0, "raw peer");
    }
    return made;
}

/* A peer that says so much; afterwards it ends its side, or waits for the end. */
static void visit (void *monitor, const char *what, const void *octets, size_t size, int leave)
{
    char byte;
    int peer = raw_peer ();
    printf ("-- %s\n", what);
    check (size == 0 || send (peer, octets, size, MSG_NOSIGNAL) == (ssize_t)size, "raw send");
    if (leave)
        shutdown (peer, SHUT_WR);
    expect ("listener", monitor, 3);
    while (recv (peer, &byte, 1, 0) > 0)
        ;
    close (peer);
}

static void bad_peers (void *monitor)
{
    unsigned char octets[64 + 16] = {0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0, 'P', 'L', 'A', 'I', 'N'};
    visit (monitor, "another mechanism", octets, 64, 0);
    memcpy (octets + 12, "NULL\0", 5);
    visit (monitor, "leaves behind its greeting", octets, 64, 1);
    memcpy (octets + 64, "\4\6\5HELLO", 8);
    visit (monitor, "another command", octets, 72, 0);
    memcpy (octets + 64, "\0\5HELLO", 7);
    visit (monitor, "a message too early", octets, 71, 0);
}

static void listener_and_dialler (const char *place)
{
    size_t room = sizeof endpoint;
    void *pull = open_socket (ZMQ_PULL), *at_pull = open_monitor (pull);
    void *push = open_socket (ZMQ_PUSH), *at_push = open_monitor (push);
    const int delayed = strncmp (place, "tcp", 3) == 0;
    check (zmq_bind (pull, place) == 0, "bind");
    check (zmq_getsockopt (pull, ZMQ_LAST_ENDPOINT, endpoint, &room) == 0, "last endpoint");
    printf ("-- a link\n");
    check (zmq_connect (push, endpoint) == 0, "connect");
    expect ("listener", at_pull, 3);
    expect ("dialler", at_push, 2 + delayed);
    printf ("-- the dialler leaves\n");
    check (zmq_close (push) == 0, "close");
    expect ("dialler", at_push, 1);
    expect ("listener", at_pull, 1);
    zmq_close (at_push);

    bad_peers (at_pull);

    push = open_socket (ZMQ_PUSH);
    at_push = open_monitor (push);
    printf ("-- the listener leaves\n");
    check (zmq_connect (push, endpoint) == 0, "connect");
    expect ("listener", at_pull, 2);
    expect ("dialler", at_push, 2 + delayed);
    check (zmq_unbind (pull, endpoint) == 0, "unbind");
    expect ("listener", at_pull, 1);
    check (zmq_close (pull) == 0, "close");
    expect ("listener", at_pull, 1);
    expect ("dialler", at_push, 2 + delayed + 2);
    printf ("-- the monitor is stopped\n");
    check (zmq_socket_monitor (push, NULL, 0) == 0, "stop");
    skip_to ("dialler", at_push, ZMQ_EVENT_MONITOR_STOPPED);
    close_both (push, at_push);
    zmq_close (at_pull);
}

static void dialler_first (void)
{
    void *push = open_socket (ZMQ_PUSH), *at_push = open_monitor (push);
    void *pull = open_socket (ZMQ_PULL), *other;
    const int delayed = strncmp (endpoint, "tcp", 3) == 0;
    printf ("-- nobody listens yet\n");
    check (zmq_connect (push, endpoint) == 0, "connect");
    expect ("dialler", at_push, 2 + delayed);
    check (zmq_bind (pull, endpoint) == 0, "bind");
    skip_to ("dialler", at_push, ZMQ_EVENT_CONNECTED);
    expect ("dialler", at_push, 1);
    printf ("-- another monitor takes over\n");
    other = open_monitor (push); /* libzmq blocks for good without its reader */
    expect ("dialler", at_push, 1);
    close_both (push, at_push);
    expect ("dialler", other, 1);
    zmq_close (other);
    zmq_close (pull);
}

static void refusals (void)
{
    static const char *const places[] = {"tcp://127.0.0.1:*", "ipc://*", "what://ever", "inproc", "",
                                         "inproc://taken"};
    void *holder = open_socket (ZMQ_PAIR), *watched = open_socket (ZMQ_PAIR);
    check (zmq_bind (holder, "inproc://taken") == 0, "bind");
    printf ("-- refusals\n");
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; ++i) {
        int outcome = zmq_socket_monitor (watched, places[i], ZMQ_EVENT_ALL);
        printf ("'%s': %d %s\n", places[i], outcome, zmq_strerror (zmq_errno ()));
    }
    int outcome = zmq_socket_monitor (watched, "inproc://bits", 0x10000);
    printf ("bits: %d %s\n", outcome, zmq_strerror (zmq_errno ()));
    printf ("NULL: %d\n", zmq_socket_monitor (watched, NULL, ZMQ_EVENT_ALL));
    close_both (holder, watched);
    outcome = zmq_socket_monitor (context, "inproc://bits", ZMQ_EVENT_ALL);
    printf ("not a socket: %d %s\n", outcome, zmq_strerror (zmq_errno ()));
}

int main (int argc, char **argv)
{
    int major, minor, patch;
    check (argc == 2, "usage: monitor_events FOLDER");
    zmq_version (&major, &minor, &patch);
    fprintf (stderr, "%d.%d.%d\n", major, minor, patch);
    context = zmq_ctx_new ();
    printf ("-- over tcp\n");
    listener_and_dialler ("tcp://127.0.0.1:*");
    dialler_first ();
    printf ("-- over ipc\n");
    snprintf (endpoint, sizeof endpoint, "ipc://%s/socket", argv[1]);
    char place[256];
    strcpy (place, endpoint);
    listener_and_dialler (place);
    dialler_first ();
    refusals ();
    check (zmq_ctx_term (context) == 0, "term");
    return 0;
}

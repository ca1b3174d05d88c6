/* Every option that is not of a context, with its number: its default, and that it
 * takes a value. */
#include <stdio.h>
#include <string.h>

#include "program.h"

enum kind
{
    number,
    wide,
    text,
    told /* a number that cannot be read */
};

struct option
{
    const char *name;
    int given, wanted; /* the number in the header, and that of 1.x */
    enum kind kind;
    int type; /* of the socket that is asked */
    long long is, set;
};

static const struct option options[] = {
  {"AFFINITY", ZLINK_AFFINITY, 4, wide, ZLINK_PAIR, 0, 1},
  {"RATE", ZLINK_RATE, 8, number, ZLINK_PAIR, 100, 200},
  {"RECOVERY_IVL", ZLINK_RECOVERY_IVL, 9, number, ZLINK_PAIR, 10000, 20000},
  {"SNDBUF", ZLINK_SNDBUF, 11, number, ZLINK_PAIR, -1, 65536},
  {"RCVBUF", ZLINK_RCVBUF, 12, number, ZLINK_PAIR, -1, 65536},
  {"LINGER", ZLINK_LINGER, 17, number, ZLINK_PAIR, -1, 100},
  {"RECONNECT_IVL", ZLINK_RECONNECT_IVL, 18, number, ZLINK_PAIR, 100, 50},
  {"BACKLOG", ZLINK_BACKLOG, 19, number, ZLINK_PAIR, 100, 50},
  {"BACKLOG of STREAM", ZLINK_BACKLOG, 19, number, ZLINK_STREAM, 65536, 50},
  {"RECONNECT_IVL_MAX", ZLINK_RECONNECT_IVL_MAX, 21, number, ZLINK_PAIR, 5000, 1000},
  {"MAXMSGSIZE", ZLINK_MAXMSGSIZE, 22, wide, ZLINK_PAIR, -1, 1000},
  {"SNDHWM", ZLINK_SNDHWM, 23, number, ZLINK_PAIR, 300000, 10},
  {"RCVHWM", ZLINK_RCVHWM, 24, number, ZLINK_PAIR, 300000, 10},
  {"MULTICAST_HOPS", ZLINK_MULTICAST_HOPS, 25, number, ZLINK_PAIR, 1, 2},
  {"RCVTIMEO", ZLINK_RCVTIMEO, 27, number, ZLINK_PAIR, -1, 5},
  {"SNDTIMEO", ZLINK_SNDTIMEO, 28, number, ZLINK_PAIR, -1, 5},
  {"ROUTER_MANDATORY", ZLINK_ROUTER_MANDATORY, 33, told, ZLINK_ROUTER, 0, 1},
  {"TCP_KEEPALIVE", ZLINK_TCP_KEEPALIVE, 34, number, ZLINK_PAIR, -1, 1},
  {"TCP_KEEPALIVE_CNT", ZLINK_TCP_KEEPALIVE_CNT, 35, number, ZLINK_PAIR, -1, 3},
  {"TCP_KEEPALIVE_IDLE", ZLINK_TCP_KEEPALIVE_IDLE, 36, number, ZLINK_PAIR, -1, 30},
  {"TCP_KEEPALIVE_INTVL", ZLINK_TCP_KEEPALIVE_INTVL, 37, number, ZLINK_PAIR, -1, 10},
  {"IMMEDIATE", ZLINK_IMMEDIATE, 39, number, ZLINK_PAIR, 0, 1},
  {"XPUB_VERBOSE", ZLINK_XPUB_VERBOSE, 40, told, ZLINK_XPUB, 0, 1},
  {"IPV6", ZLINK_IPV6, 42, number, ZLINK_PAIR, 0, 1},
  {"PROBE_ROUTER", ZLINK_PROBE_ROUTER, 51, told, ZLINK_DEALER, 0, 1},
  {"CONFLATE", ZLINK_CONFLATE, 54, number, ZLINK_DEALER, 0, 1},
  {"ROUTER_HANDOVER", ZLINK_ROUTER_HANDOVER, 56, told, ZLINK_ROUTER, 0, 1},
  {"TOS", ZLINK_TOS, 57, number, ZLINK_PAIR, 0, 16},
  {"HANDSHAKE_IVL", ZLINK_HANDSHAKE_IVL, 66, number, ZLINK_PAIR, 30000, 1000},
  {"XPUB_NODROP", ZLINK_XPUB_NODROP, 69, told, ZLINK_XPUB, 0, 1},
  {"XPUB_MANUAL", ZLINK_XPUB_MANUAL, 71, told, ZLINK_XPUB, 0, 1},
  /* 1.x gave 98 to two options, of which TLS_VERIFY has kept it. */
  {"XPUB_MANUAL_LAST_VALUE", ZLINK_XPUB_MANUAL_LAST_VALUE, 1098, told, ZLINK_XPUB, 0, 1},
  {"XPUB_WELCOME_MSG", ZLINK_XPUB_WELCOME_MSG, 72, text, ZLINK_XPUB, 0, 0},
  {"INVERT_MATCHING", ZLINK_INVERT_MATCHING, 74, number, ZLINK_SUB, 0, 1},
  {"HEARTBEAT_IVL", ZLINK_HEARTBEAT_IVL, 75, number, ZLINK_PAIR, 0, 1000},
  {"HEARTBEAT_TTL", ZLINK_HEARTBEAT_TTL, 76, number, ZLINK_PAIR, 0, 1000},
  {"HEARTBEAT_TIMEOUT", ZLINK_HEARTBEAT_TIMEOUT, 77, number, ZLINK_PAIR, -1, 1000},
  {"XPUB_VERBOSER", ZLINK_XPUB_VERBOSER, 78, told, ZLINK_XPUB, 0, 1},
  {"CONNECT_TIMEOUT", ZLINK_CONNECT_TIMEOUT, 79, number, ZLINK_PAIR, 0, 1000},
  {"TCP_MAXRT", ZLINK_TCP_MAXRT, 80, number, ZLINK_PAIR, 0, 1000},
  {"MULTICAST_MAXTPDU", ZLINK_MULTICAST_MAXTPDU, 84, number, ZLINK_PAIR, 1500, 1400},
  {"USE_FD", ZLINK_USE_FD, 89, number, ZLINK_PAIR, -1, -1},
  {"REQUEST_TIMEOUT", ZLINK_REQUEST_TIMEOUT, 90, number, ZLINK_DEALER, 5000, 100},
  {"REQUEST_CORRELATE", ZLINK_REQUEST_CORRELATE, 91, number, ZLINK_DEALER, 1, 0},
  {"BINDTODEVICE", ZLINK_BINDTODEVICE, 92, text, ZLINK_PAIR, 0, 0},
  {"ROUTING_ID", ZLINK_ROUTING_ID, 5, text, ZLINK_DEALER, 0, 0},
  {"ONLY_FIRST_SUBSCRIBE", ZLINK_ONLY_FIRST_SUBSCRIBE, 108, told, ZLINK_XPUB, 0, 1},
  {"ZMP_METADATA", ZLINK_ZMP_METADATA, 117, number, ZLINK_PAIR, 0, 1},
  {"CONNECT_ROUTING_ID", ZLINK_CONNECT_ROUTING_ID, 61, text, ZLINK_ROUTER, 0, 0},
};

/* Where the library has tls. */
static const struct option options_of_tls[] = {
  {"TLS_CERT", ZLINK_TLS_CERT, 95, text, ZLINK_PAIR, 0, 0},
  {"TLS_KEY", ZLINK_TLS_KEY, 96, text, ZLINK_PAIR, 0, 0},
  {"TLS_CA", ZLINK_TLS_CA, 97, text, ZLINK_PAIR, 0, 0},
  {"TLS_VERIFY", ZLINK_TLS_VERIFY, 98, number, ZLINK_PAIR, 1, 0},
  {"TLS_REQUIRE_CLIENT_CERT", ZLINK_TLS_REQUIRE_CLIENT_CERT, 99, number, ZLINK_PAIR, 0, 1},
  {"TLS_HOSTNAME", ZLINK_TLS_HOSTNAME, 100, text, ZLINK_PAIR, 0, 0},
  {"TLS_TRUST_SYSTEM", ZLINK_TLS_TRUST_SYSTEM, 101, number, ZLINK_PAIR, 1, 0},
  {"TLS_PASSWORD", ZLINK_TLS_PASSWORD, 102, text, ZLINK_PAIR, 0, 0},
};

/* How they are read, where they are never set. */
static const struct option readings[] = {
  {"RCVMORE", ZLINK_RCVMORE, 13, number, ZLINK_PAIR, 0, 0},
  {"EVENTS", ZLINK_EVENTS, 15, number, ZLINK_PAIR, 0, 0},
  {"TYPE", ZLINK_TYPE, 16, number, ZLINK_SUB, ZLINK_SUB, 0},
  {"TOPICS_COUNT", ZLINK_TOPICS_COUNT, 116, number, ZLINK_SUB, 0, 0},
};

static long long read_number (void *socket, const struct option *of)
{
    int narrow = -2;
    long long broad = -2;
    size_t size = of->kind == wide ? sizeof broad : sizeof narrow;
    expect (zlink_getsockopt (socket, of->given, of->kind == wide ? (void *)&broad : (void *)&narrow, &size)
              == 0,
            of->name);
    return of->kind == wide ? broad : narrow;
}

static void try_option (void *context, const struct option *of)
{
    const int narrow = (int)of->set;
    void *const socket = zlink_socket (context, of->type);
    expect (of->given == of->wanted, of->name);
    if (of->kind == text)
        expect (zlink_setsockopt (socket, of->given, "lo", 2) == 0, of->name);
    else {
        expect (of->kind == told || read_number (socket, of) == of->is, of->name);
        expect (zlink_setsockopt (socket, of->given,
                                  of->kind == wide ? (const void *)&of->set : (const void *)&narrow,
                                  of->kind == wide ? sizeof of->set : sizeof narrow)
                  == 0,
                of->name);
    }
    zlink_close (socket);
}

void set_every_option (void *context)
{
    size_t i, size;
    int descriptor = -1;
    void *socket = zlink_socket (context, ZLINK_PAIR);
    for (i = 0; i < sizeof options / sizeof options[0]; ++i)
        try_option (context, &options[i]);
    if (zlink_has ("tls"))
        for (i = 0; i < sizeof options_of_tls / sizeof options_of_tls[0]; ++i)
            try_option (context, &options_of_tls[i]);
    for (i = 0; i < sizeof readings / sizeof readings[0]; ++i) {
        void *const asked = zlink_socket (context, readings[i].type);
        expect (readings[i].given == readings[i].wanted
                  && read_number (asked, &readings[i]) == readings[i].is,
                readings[i].name);
        zlink_close (asked);
    }
    size = sizeof descriptor;
    expect (ZLINK_FD == 14 && zlink_getsockopt (socket, ZLINK_FD, &descriptor, &size) == 0 && descriptor >= 0,
            "FD");
    expect (ZLINK_SUBSCRIBE == 6 && ZLINK_UNSUBSCRIBE == 7 && ZLINK_LAST_ENDPOINT == 32, "numbers");
    zlink_close (socket);
}

static void try_context_option (void *context, const char *name, int given, int wanted, int is, int set)
{
    expect (given == wanted && zlink_ctx_get (context, given) == is, name);
    expect (zlink_ctx_set (context, given, set) == 0 && zlink_ctx_get (context, given) == set, name);
}

void set_context_options (void)
{
    void *const context = zlink_ctx_new ();
    int linger = -2;
    size_t size = sizeof linger;
    void *socket;
    try_context_option (context, "IO_THREADS", ZLINK_IO_THREADS, 1, 2, 1);
    try_context_option (context, "MAX_SOCKETS", ZLINK_MAX_SOCKETS, 2, 1023, 100);
    try_context_option (context, "MAX_MSGSZ", ZLINK_MAX_MSGSZ, 5, 2147483647, 1000000);
    try_context_option (context, "BLOCKY", ZLINK_BLOCKY, 70, 1, 0);
    try_context_option (context, "IPV6", ZLINK_IPV6, 42, 0, 1);
    expect (zlink_ctx_get (context, ZLINK_SOCKET_LIMIT) == 65535, "SOCKET_LIMIT");
    expect (zlink_ctx_get (context, ZLINK_MSG_T_SIZE) == (int)sizeof (zlink_msg_t), "MSG_T_SIZE");
    expect (zlink_ctx_set (context, ZLINK_THREAD_PRIORITY, 0) == 0, "THREAD_PRIORITY");
    expect (zlink_ctx_set (context, ZLINK_THREAD_SCHED_POLICY, 0) == 0, "THREAD_SCHED_POLICY");
    expect (zlink_ctx_set (context, ZLINK_THREAD_AFFINITY_CPU_ADD, 0) == 0, "THREAD_AFFINITY_CPU_ADD");
    expect (zlink_ctx_set (context, ZLINK_THREAD_AFFINITY_CPU_REMOVE, 0) == 0, "THREAD_AFFINITY_CPU_REMOVE");
    expect (zlink_ctx_set (context, ZLINK_THREAD_NAME_PREFIX, 7) == 0, "THREAD_NAME_PREFIX");
    socket = zlink_socket (context, ZLINK_PAIR);
    expect (zlink_getsockopt (socket, ZLINK_LINGER, &linger, &size) == 0 && linger == 0,
            "LINGER where BLOCKY is off");
    zlink_close (socket);
    expect (zlink_ctx_term (context) == 0, "term");
}

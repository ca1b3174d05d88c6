/* SPDX-License-Identifier: MPL-2.0
 *
 * zlink.h - the C interface of zlink, a messaging library that speaks ZMTP.
 *
 * Contracts stand below the declarations. Unless said otherwise:
 *
 * Threads    Every function may be called from any thread at any time, on the
 *            same context or socket too. Messages, pollers, timers and
 *            stopwatches belong to one thread at a time.
 * Blocking   A function does not block.
 * Errors     Functions that return int return -1 on failure, functions that
 *            return a pointer NULL, and zlink_errno() (which is errno) says
 *            why. EFAULT: not a context, poller or timers handle, or NULL
 *            where something is needed. ENOTSOCK: not a socket, or a closed
 *            one. ETERM: the socket's context is terminating. EINVAL: an
 *            argument out of range. ENOTSUP: a small library is without it.
 * Handles    A handle that was closed or destroyed may be passed; it is
 *            recognised.
 * Units      Times are in milliseconds, sizes in bytes; -1 as a time-out
 *            means no limit.
 * Strings    End with NUL and are read during the call only.
 */
#ifndef ZLINK_ZLINK_H
#define ZLINK_ZLINK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#if defined(ZLINK_STATIC)
#define ZLINK_EXPORT
#elif defined(ZLINK_BUILD)
#define ZLINK_EXPORT __declspec(dllexport)
#else
#define ZLINK_EXPORT __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define ZLINK_EXPORT __attribute__ ((visibility ("default")))
#else
#define ZLINK_EXPORT
#endif

/* --- version and errors --------------------------------------------------- */

#define ZLINK_VERSION_MAJOR 2
#define ZLINK_VERSION_MINOR 0
#define ZLINK_VERSION_PATCH 0
#define ZLINK_MAKE_VERSION(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
#define ZLINK_VERSION ZLINK_MAKE_VERSION (ZLINK_VERSION_MAJOR, ZLINK_VERSION_MINOR, ZLINK_VERSION_PATCH)

ZLINK_EXPORT void zlink_version (int *major, int *minor, int *patch);
/* Of the library that runs, which may differ from the macros. NULL skips one. */

#define ZLINK_HAUSNUMERO 156384712

/* Besides the system's own: the numbers that zmq.h has, too. */
#ifndef EFSM
#define EFSM (ZLINK_HAUSNUMERO + 51)           /* not in this state of the socket */
#define ENOCOMPATPROTO (ZLINK_HAUSNUMERO + 52) /* not with this type of socket */
#define ETERM (ZLINK_HAUSNUMERO + 53)          /* the context is terminating */
#define EMTHREAD (ZLINK_HAUSNUMERO + 54)       /* no I/O thread */
#endif

ZLINK_EXPORT int zlink_errno (void);
/* Why the last failed call of this thread failed. */

ZLINK_EXPORT const char *zlink_strerror (int errnum);
/* A sentence for people; never NULL. Valid until the thread's next call. */

/* --- warnings ------------------------------------------------------------- */

/* How much a warning weighs. */
#define ZLINK_LOG_WARNING 1 /* something was given up or turned away; all else goes on */
#define ZLINK_LOG_ERROR 2   /* something cannot be done until somebody helps */

typedef void (zlink_log_fn) (int severity, const char *text, const char *about, void *hint);
/* Takes one warning: what and why in text, which endpoint and peer in about
 * (which may be empty). Both are lines without an end and valid during the
 * call. It runs on any thread, the library's own and those inside a call of
 * this library included, several at a time, and never with a lock of ours held:
 * it may call anything here but zlink_ctx_term. It must return soon, as the
 * traffic of others may wait for it. */

ZLINK_EXPORT int zlink_set_log (zlink_log_fn *callback, void *hint);
/* From now on the warnings of this process' contexts go to callback, those
 * under way may still go to the one before; NULL: to standard error again, a
 * line each, where they go unless told otherwise. Warned of is what nobody
 * asked for: messages given up, peers turned away, listeners that cannot
 * accept, events lost, numbers from the system that we do not know. Of one kind
 * and reason a context tells the first at once and further ones at most every
 * 10 seconds, with their number. hint stays valid for ever. A forked child goes
 * on with its parent's callback. ENOMEM: nothing has changed. */

ZLINK_EXPORT void zlink_log_discard (int severity, const char *text, const char *about, void *hint);
/* A callback that drops them: zlink_set_log (zlink_log_discard, NULL). */

/* --- contexts ------------------------------------------------------------- */

/* Options of contexts. All are int. */
#define ZLINK_IO_THREADS 1      /* background threads; default 2; before the first socket */
#define ZLINK_MAX_SOCKETS 2     /* default 1023 */
#define ZLINK_SOCKET_LIMIT 3    /* read: the largest MAX_SOCKETS */
#define ZLINK_THREAD_PRIORITY 3 /* written: of the background threads */
#define ZLINK_THREAD_SCHED_POLICY 4
#define ZLINK_MAX_MSGSZ 5  /* kept for its readers: see ZLINK_MAXMSGSIZE of sockets */
#define ZLINK_MSG_T_SIZE 6 /* read: sizeof (zlink_msg_t) */
#define ZLINK_THREAD_AFFINITY_CPU_ADD 7
#define ZLINK_THREAD_AFFINITY_CPU_REMOVE 8
#define ZLINK_THREAD_NAME_PREFIX 9
#define ZLINK_BLOCKY 70 /* 0: new sockets have LINGER 0; default 1 */
/* ZLINK_IPV6, too: the IPV6 of new sockets. */
/* KiB that the sockets hold together; before the first; 0 (default): no limit. */
#define ZLINK_BUDGET_KIB 3101

#define ZLINK_IO_THREADS_DFLT 2
#define ZLINK_MAX_SOCKETS_DFLT 1023
#define ZLINK_THREAD_PRIORITY_DFLT -1
#define ZLINK_THREAD_SCHED_POLICY_DFLT -1

ZLINK_EXPORT void *zlink_ctx_new (void);
/* A new context. Threads start with the first socket. ENOMEM, EMFILE.
 * In a forked child the contexts of its parent are terminated: zlink_close,
 * zlink_ctx_shutdown and zlink_ctx_term succeed at once and touch nothing that
 * the parent uses, all else is ETERM. What the child makes is its own. */

ZLINK_EXPORT int zlink_ctx_term (void *context);
/* Ends a context: blocking calls on its sockets return ETERM, and so do all
 * calls but zlink_close from then on. Blocks until every socket is closed and
 * its messages are sent, or LINGER has passed. Afterwards the handle is dead.
 * EINTR after a signal: call again. EFAULT: not a context. */

ZLINK_EXPORT int zlink_ctx_term_ms (void *context, int timeout_ms);
/* The same, at most timeout_ms. ETIMEDOUT: the context is still terminating;
 * call again, or ask zlink_ctx_holders who holds it. */

ZLINK_EXPORT int zlink_ctx_holders (void *context, char *text, size_t *size);
/* Writes a line for every socket that is still open: type, endpoints, queued
 * messages. At most *size bytes, NUL included; *size becomes what the whole
 * text needs. */

ZLINK_EXPORT int zlink_ctx_shutdown (void *context);
/* The first half of zlink_ctx_term: everything returns ETERM, nothing waits. */

ZLINK_EXPORT int zlink_ctx_set (void *context, int option, int value);
ZLINK_EXPORT int zlink_ctx_get (void *context, int option);
/* EINVAL: no such option, or a value out of range. */

/* --- messages ------------------------------------------------------------- */

/* A message part. Initialise it before any other use and close it after the
 * last. zlink_msg_move moves it; so does copying its bytes, if the source is
 * then not closed but initialised again. */
typedef struct zlink_msg_t
{
#if defined(_MSC_VER)
    __declspec(align (8)) unsigned char _[64];
#elif defined(__GNUC__)
    unsigned char _[64] __attribute__ ((aligned (sizeof (void *))));
#else
    unsigned char _[64];
#endif
} zlink_msg_t;

typedef struct zlink_routing_id_t
{
    uint8_t size;
    uint8_t data[255];
} zlink_routing_id_t;

typedef void (zlink_free_fn) (void *data, void *hint);

/* Properties of a message, for zlink_msg_get. */
#define ZLINK_MORE 1   /* 1: this part has successors */
#define ZLINK_SHARED 3 /* 1: another message may see the same bytes, or they are constant */
#define ZLINK_MSG_EVENT 3000
/* What stands behind the name of a peer, of a STREAM or a ROUTER: 0 what it has
 * sent, 1 it has come, 2 it has gone; 3 what was sent to it comes back, as no byte
 * of it had left (ZLINK_NOTIFY_RECALLED). */

/* Properties of the peer it came from, for zlink_msg_gets. */
#define ZLINK_MSG_PROPERTY_ROUTING_ID "Routing-Id"
#define ZLINK_MSG_PROPERTY_SOCKET_TYPE "Socket-Type"
#define ZLINK_MSG_PROPERTY_USER_ID "User-Id"
#define ZLINK_MSG_PROPERTY_PEER_ADDRESS "Peer-Address"

#define ZLINK_GROUP_MAX_LENGTH 255

ZLINK_EXPORT int zlink_msg_init (zlink_msg_t *msg);
/* An empty message. Never fails, but for NULL. */

ZLINK_EXPORT int zlink_msg_init_size (zlink_msg_t *msg, size_t size);
/* Room for size bytes, not initialised. ENOMEM: the message is empty. */

ZLINK_EXPORT int zlink_msg_init_buffer (zlink_msg_t *msg, const void *buf, size_t size);
/* A copy of size bytes. ENOMEM. */

ZLINK_EXPORT int
zlink_msg_init_data (zlink_msg_t *msg, void *data, size_t size, zlink_free_fn *ffn, void *hint);
/* A message in the caller's memory. ffn (data, hint) is called exactly once,
 * when nobody refers to it any more, on any thread, possibly inside another
 * call of this library: it must not block. Without ffn the memory must stay
 * valid and unchanged for ever. ENOMEM: the memory is still the caller's. */

ZLINK_EXPORT int zlink_msg_send (zlink_msg_t *msg, void *socket, int flags);
/* As zlink_send. On success the message is empty, on failure unchanged.
 * Returns its size. */

ZLINK_EXPORT int zlink_msg_recv (zlink_msg_t *msg, void *socket, int flags);
/* As zlink_recv, of the whole part. What the message held is released, on
 * success only. Returns the part's size. */

ZLINK_EXPORT int zlink_msg_close (zlink_msg_t *msg);
/* Releases what it holds. EFAULT: closed already. */

ZLINK_EXPORT int zlink_msg_move (zlink_msg_t *dest, zlink_msg_t *src);
/* dest releases what it held and takes over; src is empty. EFAULT. */

ZLINK_EXPORT int zlink_msg_copy (zlink_msg_t *dest, zlink_msg_t *src);
/* dest releases what it held; large bodies are then shared, and neither
 * message's bytes may be changed. EFAULT. */

ZLINK_EXPORT void *zlink_msg_data (zlink_msg_t *msg);
ZLINK_EXPORT size_t zlink_msg_size (const zlink_msg_t *msg);
ZLINK_EXPORT int zlink_msg_more (const zlink_msg_t *msg);
/* Of a closed message: NULL, 0, 0. data is valid until msg is sent, received
 * into, moved or closed. */

ZLINK_EXPORT int zlink_msg_get (const zlink_msg_t *msg, int property);
ZLINK_EXPORT int zlink_msg_set (zlink_msg_t *msg, int property, int value);
/* EINVAL: no such property; none can be set. */

ZLINK_EXPORT const char *zlink_msg_gets (const zlink_msg_t *msg, const char *property);
/* Valid as long as the message. EINVAL: the peer did not say. */

ZLINK_EXPORT int zlink_msg_set_routing_id (zlink_msg_t *msg, uint32_t routing_id);
ZLINK_EXPORT uint32_t zlink_msg_routing_id (zlink_msg_t *msg);
/* The peer's number, for SERVER and PEER. 0 = none; EINVAL to set that. */

ZLINK_EXPORT int zlink_msg_set_group (zlink_msg_t *msg, const char *group);
ZLINK_EXPORT const char *zlink_msg_group (zlink_msg_t *msg);
/* For RADIO and DISH. EINVAL: longer than ZLINK_GROUP_MAX_LENGTH. */

ZLINK_EXPORT void zlink_msgv_close (zlink_msg_t *parts, size_t count);
/* Closes every part and frees the array, which must come from malloc. */

/* --- sockets -------------------------------------------------------------- */

/* Types. Those that are not built yet answer EINVAL. */
#define ZLINK_PAIR 0
#define ZLINK_PUB 1
#define ZLINK_SUB 2
#define ZLINK_REQ 3
#define ZLINK_REP 4
#define ZLINK_DEALER 5
#define ZLINK_ROUTER 6
#define ZLINK_PULL 7
#define ZLINK_PUSH 8
#define ZLINK_XPUB 9
#define ZLINK_XSUB 10
#define ZLINK_STREAM 11
#define ZLINK_SERVER 12
#define ZLINK_CLIENT 13
#define ZLINK_RADIO 14
#define ZLINK_DISH 15
#define ZLINK_GATHER 16
#define ZLINK_SCATTER 17
#define ZLINK_DGRAM 18
#define ZLINK_PEER 19
#define ZLINK_CHANNEL 20
/* A STREAM's peers are no sockets: over tcp and ipc it takes and makes byte
 * streams. Every message is the name of a peer and a body: a packet, which on
 * the wire has its length in front (4 bytes, big endian), or with STREAM_RAW
 * what has come of the bytes, at most 8192. Names that are made up are 4 bytes,
 * a number from 1 on; ROUTING_ID tells the last. A peer's coming is told by a
 * body of one byte, 1, its going by 0, with STREAM_RAW both by an empty body;
 * zlink_msg_get (ZLINK_MSG_EVENT) tells them from packets. Sent to a peer, an
 * empty body (in packets: one byte, 0) closes it behind what was sent before.
 * Sending to a peer that is not there, be it that it is dialled anew, is
 * EHOSTUNREACH; with more than two parts in zlink_sendv EINVAL. What was not
 * written when a stream ended is dropped. inproc is ENOCOMPATPROTO. */

/* CLIENT and SERVER, SCATTER and GATHER, CHANNEL, PEER, RADIO and DISH: messages
 * have one part.
 * SNDMORE, and more than one part in zlink_sendv, are EINVAL; what comes in
 * several parts is dropped and counted: dropped_multipart. A SERVER and a PEER
 * know each peer by a number that is not 0 and that no peer can choose; a peer
 * that comes again is another one. What they receive tells it
 * (zlink_msg_routing_id), what they send must (zlink_msg_set_routing_id):
 * EHOSTUNREACH where there is no such peer, so with zlink_send always; a peer
 * without room is waited for. They always count as writable; zlink_sendn and
 * zlink_send_packed are ENOTSUP. A RADIO sends to those who have joined the
 * message's group (zlink_msg_set_group; with zlink_send the empty one), and drops
 * it for those without room, as a PUB; what a DISH receives tells its group.
 *
 * udp is for RADIO (connect), DISH (bind) and DGRAM (bind):
 * "udp://127.0.0.1:5555", "udp://239.1.2.3:5555" for a multicast group and
 * "udp://eth0;239.1.2.3:5555" (or with its address, of IPv4) for the interface
 * to meet it at; other types are ENOCOMPATPROTO. A RADIO sends all its messages
 * there, and nobody tells whether they came. A DGRAM's messages are two parts,
 * the address of the other side ("127.0.0.1:5555", with an octet of 0 behind it
 * when it was received) and the body; any other number is EINVAL. A datagram has
 * at most 8192 bytes, group and body together and one more; what is larger, has
 * no such address or came in no such form is dropped and counted. */

/* Flags of sending and receiving. */
#define ZLINK_DONTWAIT 1 /* EAGAIN instead of waiting */
#define ZLINK_SNDMORE 2  /* further parts of this message follow */

/* Options of sockets: their numbers. `zlink explain NAME` tells a number's
 * type, unit, range and default, and what it does. */
#define ZLINK_AFFINITY 4
#define ZLINK_ROUTING_ID 5
#define ZLINK_SUBSCRIBE 6
#define ZLINK_UNSUBSCRIBE 7
#define ZLINK_RATE 8
#define ZLINK_RECOVERY_IVL 9
#define ZLINK_SNDBUF 11
#define ZLINK_RCVBUF 12
#define ZLINK_RCVMORE 13
#define ZLINK_FD 14
#define ZLINK_EVENTS 15
#define ZLINK_TYPE 16
#define ZLINK_LINGER 17
#define ZLINK_RECONNECT_IVL 18
#define ZLINK_BACKLOG 19
#define ZLINK_RECONNECT_IVL_MAX 21
#define ZLINK_MAXMSGSIZE 22
#define ZLINK_SNDHWM 23
#define ZLINK_RCVHWM 24
#define ZLINK_MULTICAST_HOPS 25
#define ZLINK_RCVTIMEO 27
#define ZLINK_SNDTIMEO 28
#define ZLINK_IPV4ONLY 31
#define ZLINK_LAST_ENDPOINT 32
#define ZLINK_ROUTER_MANDATORY 33
#define ZLINK_TCP_KEEPALIVE 34
#define ZLINK_TCP_KEEPALIVE_CNT 35
#define ZLINK_TCP_KEEPALIVE_IDLE 36
#define ZLINK_TCP_KEEPALIVE_INTVL 37
#define ZLINK_TCP_ACCEPT_FILTER 38
#define ZLINK_IMMEDIATE 39
#define ZLINK_XPUB_VERBOSE 40
#define ZLINK_ROUTER_RAW 41
#define ZLINK_IPV6 42
#define ZLINK_MECHANISM 43
#define ZLINK_PLAIN_SERVER 44
#define ZLINK_PLAIN_USERNAME 45
#define ZLINK_PLAIN_PASSWORD 46
#define ZLINK_CURVE_SERVER 47
#define ZLINK_CURVE_PUBLICKEY 48
#define ZLINK_CURVE_SECRETKEY 49
#define ZLINK_CURVE_SERVERKEY 50
#define ZLINK_PROBE_ROUTER 51
#define ZLINK_REQ_CORRELATE 52
#define ZLINK_REQ_RELAXED 53
#define ZLINK_CONFLATE 54
#define ZLINK_ZAP_DOMAIN 55
#define ZLINK_ROUTER_HANDOVER 56
#define ZLINK_TOS 57
#define ZLINK_IPC_FILTER_PID 58
#define ZLINK_IPC_FILTER_UID 59
#define ZLINK_IPC_FILTER_GID 60
#define ZLINK_CONNECT_ROUTING_ID 61
#define ZLINK_GSSAPI_SERVER 62
#define ZLINK_GSSAPI_PRINCIPAL 63
#define ZLINK_GSSAPI_SERVICE_PRINCIPAL 64
#define ZLINK_GSSAPI_PLAINTEXT 65
#define ZLINK_HANDSHAKE_IVL 66
#define ZLINK_SOCKS_PROXY 68
#define ZLINK_XPUB_NODROP 69
#define ZLINK_XPUB_MANUAL 71
#define ZLINK_XPUB_WELCOME_MSG 72
#define ZLINK_STREAM_NOTIFY 73
#define ZLINK_INVERT_MATCHING 74
#define ZLINK_HEARTBEAT_IVL 75
#define ZLINK_HEARTBEAT_TTL 76
#define ZLINK_HEARTBEAT_TIMEOUT 77
#define ZLINK_XPUB_VERBOSER 78
#define ZLINK_CONNECT_TIMEOUT 79
#define ZLINK_TCP_MAXRT 80
#define ZLINK_THREAD_SAFE 81
#define ZLINK_MULTICAST_MAXTPDU 84
#define ZLINK_VMCI_BUFFER_SIZE 85
#define ZLINK_VMCI_BUFFER_MIN_SIZE 86
#define ZLINK_VMCI_BUFFER_MAX_SIZE 87
#define ZLINK_VMCI_CONNECT_TIMEOUT 88
#define ZLINK_USE_FD 89
#define ZLINK_REQUEST_TIMEOUT 90
#define ZLINK_REQUEST_CORRELATE 91
#define ZLINK_BINDTODEVICE 92
#define ZLINK_ZAP_ENFORCE_DOMAIN 93
#define ZLINK_LOOPBACK_FASTPATH 94
#define ZLINK_TLS_CERT 95
#define ZLINK_TLS_KEY 96
#define ZLINK_TLS_CA 97
#define ZLINK_TLS_VERIFY 98
#define ZLINK_TLS_REQUIRE_CLIENT_CERT 99
#define ZLINK_TLS_HOSTNAME 100
#define ZLINK_TLS_TRUST_SYSTEM 101
#define ZLINK_TLS_PASSWORD 102
#define ZLINK_WSS_KEY_PEM 103
#define ZLINK_WSS_CERT_PEM 104
#define ZLINK_WSS_TRUST_PEM 105
#define ZLINK_WSS_HOSTNAME 106
#define ZLINK_WSS_TRUST_SYSTEM 107
#define ZLINK_ONLY_FIRST_SUBSCRIBE 108
#define ZLINK_RECONNECT_STOP 109
#define ZLINK_HELLO_MSG 110
#define ZLINK_DISCONNECT_MSG 111
#define ZLINK_PRIORITY 112
#define ZLINK_BUSY_POLL 113
#define ZLINK_HICCUP_MSG 114
#define ZLINK_XSUB_VERBOSE_UNSUBSCRIBE 115
#define ZLINK_TOPICS_COUNT 116
#define ZLINK_ZMP_METADATA 117
#define ZLINK_NORM_UNICAST_NACK 118
#define ZLINK_NORM_BUFFER_SIZE 119
#define ZLINK_NORM_SEGMENT_SIZE 120
#define ZLINK_NORM_BLOCK_SIZE 121
#define ZLINK_NORM_NUM_PARITY 122
#define ZLINK_NORM_NUM_AUTOPARITY 123
#define ZLINK_NORM_PUSH 124

/* Options whose zmq.h numbers mean something else above. */
#define ZLINK_GSSAPI_PRINCIPAL_NAMETYPE 1090
#define ZLINK_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE 1091
#define ZLINK_METADATA 1095
#define ZLINK_MULTICAST_LOOP 1096
#define ZLINK_ROUTER_NOTIFY 1097 /* int: bits of ZLINK_NOTIFY_* */
#define ZLINK_XPUB_MANUAL_LAST_VALUE 1098
#define ZLINK_SOCKS_USERNAME 1099
#define ZLINK_SOCKS_PASSWORD 1100
#define ZLINK_IN_BATCH_SIZE 1101
#define ZLINK_OUT_BATCH_SIZE 1102
#define ZLINK_NORM_MODE 1117

/* Options that zmq.h lacks; the same numbers work there. */
#define ZLINK_SNDHWM_BYTES 3001 /* int64_t, 0 = off; default 64 MiB */
#define ZLINK_RCVHWM_BYTES 3002 /* likewise */
#define ZLINK_SPIN 3003         /* int: 1 = spin shortly before sleeping (default) */
#define ZLINK_STREAM_RAW 3004
#define ZLINK_SLOW_CONSUMER 3010 /* int: ZLINK_SLOW_*; PUB, XPUB */
#define ZLINK_REPORT_GAPS 3011   /* int: 1 = publishers tell what they dropped for us; SUB, XSUB */
/* PUB and XPUB: what one subscriber may ask for; more ends its connection, with
 * the reason "too-many-topics". 0 = no limit. */
#define ZLINK_TOPICS_MAX 3020      /* int, different topics; default 4,000,000 */
#define ZLINK_TOPIC_BYTES_MAX 3021 /* int64_t, bytes of them; default 256 MiB */
/* SUB: written only, as SUBSCRIBE and UNSUBSCRIBE. The value is a pattern of
 * whole first parts, whose segments '.' and '/' part: * is any bytes of a segment,
 * ? one byte, [a-z] and [!a-z] one byte of a class, # as a segment any number of
 * segments, \ takes a sign's meaning away. At most 256 bytes (EINVAL: it is no
 * pattern), and 10,000 of them (EMFILE); a part above 4096 bytes matches none. One
 * that ends with a 0 byte is, without it, of what stands in front of a part's first 0.
 * Publishers of this library are told the first 1,000 that hold and send only
 * what matches; to them a pattern counts as a topic (TOPICS_MAX). Others are asked
 * for what all that matches begins with, and the rest is done here, and counted as
 * filtered. That beginning is also what an XPUB's application is shown, what goes
 * through a forwarder, and what it enters with XPUB_MANUAL. TOPICS_COUNT counts
 * these beginnings, and with INVERT_MATCHING they are all that counts here. */
#define ZLINK_SUBSCRIBE_PATTERN 3022
#define ZLINK_UNSUBSCRIBE_PATTERN 3023

/* PUB and XPUB keep the last message of each topic, and whoever subscribes later
 * gets at once, in the order of sending, those of the topics that it asked for
 * and did not have before. A topic here is the whole first part of a message of
 * several parts; a message of one part has none, is not kept and changes nothing.
 * The value is how many topics are kept, 0 (default) = none, which also forgets
 * all. A message above this or LAST_VALUE_BYTES is sent but not kept, nor is the
 * older one of its topic; it is counted (values_not_kept) and warned of. What a
 * subscriber has no room for is dropped and counted, as other messages for it,
 * but it is not disconnected for it: SNDHWM should be above what one
 * subscription may bring. None with CONFLATE; none are sent with INVERT_MATCHING. */
#define ZLINK_LAST_VALUES 3024      /* int, topics */
#define ZLINK_LAST_VALUE_BYTES 3025 /* int64_t, bodies, 64 a part, topics twice; default 64 MiB */

/* int: 1 = a server of PLAIN or CURVE that has no list, no function
 * (zlink_set_authenticator), and no handler at inproc://zeromq.zap.01 that it asks,
 * may not bind or connect (EFSM), and lets nobody in once the handler is gone.
 * 0 (default): it may, and a warning says so. */
#define ZLINK_REQUIRE_POLICY 3030

/* Written only: who comes in to a server of CURVE, as public keys of 32 bytes, one
 * behind the other. Whoever owns none of them is refused with 400; the handler is
 * not asked, and User-Id is the key's 40 letters. No bytes: nobody comes in. It may
 * be set again at any time, for all who come in afterwards; who is in stays. At
 * most 100,000 keys (EINVAL). Default: no list. */
#define ZLINK_CURVE_ALLOWED_KEYS 3031

/* Written only: who comes in to a server of PLAIN, as text of lines name:hash, or as
 * the path of a file of such lines (one line without a colon, which no list is), read
 * by this call: setting it again reads it anew. The hash is Argon2's usual text
 * ($argon2id$ or $argon2i$, at most 1 GiB and 16 rounds), as zlink_hash_password
 * writes it, and others do; empty lines and those that begin with # are remarks. A
 * name has 1 to 255 bytes and stands there once. Whoever has no such name and password
 * is refused with 400, and User-Id is the name; who comes when memory is out is told
 * to come later (300). Neither a function (zlink_set_authenticator) nor the handler is
 * asked. Passwords are checked one after the other on a thread of the context's,
 * addresses taking turns. No lines: nobody comes in. It may be set again at any time,
 * for all who come in afterwards; who is in stays. EINVAL: the log says which line is
 * wrong, and all stays as it was; at most 16 MiB of text. Of a file: ENOENT, EACCES or
 * whatever the system says; EINVAL: no ordinary file; EMSGSIZE: more than 1 MiB;
 * ENOTSUP: this library reads no files. Default: no list. */
#define ZLINK_PLAIN_PASSWORDS 3032

/* tls://. TLS_CERT, TLS_KEY and TLS_CA are PEM: the path of a file, or the text
 * itself (it holds "-----BEGIN"). bind and connect read the files and fail at once
 * where one is missing (ENOENT), forbidden (EACCES) or of no use (EINVAL); the log
 * says which and why. A listener has to have a certificate; the key may stand behind
 * it, or be encrypted (TLS_PASSWORD). A dialler checks the listener's certificate
 * and that it is of the endpoint's host, or of TLS_HOSTNAME, against TLS_CA and, with
 * TLS_TRUST_SYSTEM, what the system trusts; TLS_VERIFY 0 turns that off. A listener
 * with TLS_REQUIRE_CLIENT_CERT lets in only who has a certificate of TLS_CA's. The
 * subject of a certificate that was checked is found by zlink_msg_gets
 * ("TLS-Subject"), is told to a function (zlink_set_authenticator), and with NULL to
 * the handler at inproc://zeromq.zap.01, as credentials. Files may be replaced while
 * the endpoint lives: who comes later than a second sees what they hold then. All of
 * it holds for wss://, too, and zmq.h's WSS_* are other names for the same.
 *
 * TLS_ALPN: protocols to speak inside, best first, with commas between; what was
 * agreed on is "TLS-Protocol". Default: none is named. */
#define ZLINK_TLS_ALPN 3033

/* ws:// and wss://. WS_HOST and WS_ORIGIN are what a dialler says as Host and Origin
 * of its request. WS_HEADER (written only) adds a header "Name: value" to requests and
 * to a listener's answers, and no bytes take all of them back; EINVAL: it is none, or
 * one that an upgrade says itself, or there are 4096 bytes of them. A listener lets
 * in the pages of WS_ALLOWED_ORIGINS ("https://a.example,http://b.example:8080") and
 * answers others with 403; whoever names no page is no browser and comes in. An
 * endpoint keeps what was set when it was made. */
#define ZLINK_WS_HOST 3040
#define ZLINK_WS_ORIGIN 3041
#define ZLINK_WS_ALLOWED_ORIGINS 3042
#define ZLINK_WS_HEADER 3043

/* Bits of ROUTER_NOTIFY: messages of their own behind the name of a peer, told from
 * others by ZLINK_MSG_EVENT, in order with what the peer sends. */
#define ZLINK_NOTIFY_CONNECT 1    /* an empty one when it comes */
#define ZLINK_NOTIFY_DISCONNECT 2 /* an empty one when it goes */
/* What was sent to a peer comes back when its connection is lost, if no byte of it
 * has reached the system: certainly not delivered, it may be sent elsewhere. It is
 * read before the peer's going is told. Nothing waits for the next connection. */
#define ZLINK_NOTIFY_RECALLED 4

/* Values of SLOW_CONSUMER: what becomes of a message for a subscriber whose
 * queue is full. The others get it in any case; what is dropped is counted for
 * the connection (zlink_counters), by reason. */
#define ZLINK_SLOW_DROP_NEWEST 0 /* it is dropped: dropped_full (default) */
/* It is queued; the oldest goes that has not begun to leave: dropped_oldest. */
#define ZLINK_SLOW_DROP_OLDEST 1
/* It takes the place of the one of the same topic, the whole first part, that
 * waits in the queue: dropped_conflated. So each topic keeps its newest message
 * and its turn. With no such one it is as with DROP_OLDEST. */
#define ZLINK_SLOW_CONFLATE 2
#define ZLINK_SLOW_BLOCK 3      /* sends wait, or answer EAGAIN: one subscriber holds up all others */
#define ZLINK_SLOW_DISCONNECT 4 /* it is dropped (dropped_full) and the subscriber's connection closed */

/* Values of MECHANISM. */
#define ZLINK_NULL 0
#define ZLINK_PLAIN 1
#define ZLINK_CURVE 2
#define ZLINK_GSSAPI 3

/* Bits of RECONNECT_STOP. */
#define ZLINK_RECONNECT_STOP_CONN_REFUSED 0x1
#define ZLINK_RECONNECT_STOP_HANDSHAKE_FAILED 0x2
#define ZLINK_RECONNECT_STOP_AFTER_DISCONNECT 0x4

ZLINK_EXPORT void *zlink_socket (void *context, int type);
/* A new socket. EINVAL: no such type. EMFILE: MAX_SOCKETS are open. ETERM.
 * EFAULT: not a context. */

ZLINK_EXPORT int zlink_close (void *socket);
/* Returns at once; the handle is dead, blocked calls on it return ENOTSOCK.
 * Unsent messages live on for LINGER, then they are dropped. */

ZLINK_EXPORT int zlink_setsockopt (void *socket, int option, const void *value, size_t size);
/* Most options count for the following bind or connect. EINVAL: no such
 * option for this type, wrong size, or a value out of range. */

ZLINK_EXPORT int zlink_getsockopt (void *socket, int option, void *value, size_t *size);
/* *size is the room at value and becomes the value's size; the rest is
 * zeroed. EINVAL: no such option for this type, or too little room. */

ZLINK_EXPORT int zlink_bind (void *socket, const char *endpoint);
/* "tcp://address:port" (* as either one), "ipc://path" (* = a new one, @name =
 * abstract), "inproc://name", "vsock://machine:port" (of virtual machines: a
 * number, host, local, or * to bind; see vsock(7)). Accepts connections when it returns;
 * LAST_ENDPOINT tells what the wildcards became. EADDRINUSE, EADDRNOTAVAIL,
 * ENODEV, EACCES; EPROTONOSUPPORT: unknown scheme; ENOCOMPATPROTO. EFSM: see
 * REQUIRE_POLICY. */

ZLINK_EXPORT int zlink_connect (void *socket, const char *endpoint);
/* Starts connecting and goes on trying until disconnected. Messages may be
 * sent at once. Ask zlink_connect_status how it goes. */

ZLINK_EXPORT int zlink_unbind (void *socket, const char *endpoint);
ZLINK_EXPORT int zlink_disconnect (void *socket, const char *endpoint);
/* ENOENT: was not bound, or connected, to exactly this. */

ZLINK_EXPORT int zlink_join (void *socket, const char *group);
ZLINK_EXPORT int zlink_leave (void *socket, const char *group);
/* DISH: begins, or ends, to receive what is sent to exactly this group. EINVAL:
 * it has joined already, or has not; longer than ZLINK_GROUP_MAX_LENGTH.
 * ENOTSUP: the type has no groups. */

ZLINK_EXPORT uint32_t zlink_connect_peer (void *socket, const char *endpoint);
/* PEER: connects, and tells the number by which the peer is known from now on;
 * messages may be sent to it at once. 0 on failure: ENOTSUP with other types,
 * EFAULT with IMMEDIATE, or as zlink_connect. */

ZLINK_EXPORT int zlink_disconnect_peer (void *socket, uint32_t routing_id);
/* SERVER, PEER: this peer goes, behind what was sent to it; whoever connected
 * to it tries no more. EHOSTUNREACH: there is none. ENOTSUP. */

ZLINK_EXPORT int zlink_disconnect_routing_id (void *socket, const void *routing_id, size_t size);
/* ROUTER, STREAM: the same of the peer of that name, which is there or is being
 * dialled. Not in a minimal library. */

ZLINK_EXPORT int zlink_send (void *socket, const void *buf, size_t size, int flags);
/* Sends a part, copying it. Blocks up to SNDTIMEO while every peer is at its
 * high-water mark, or there is none. Parts with SNDMORE go out together with
 * the last one. Room is a matter of the first part: those behind it wait only
 * where no peer is left. A part that is refused takes those before it along
 * (but for EINTR): begin again with the first. Returns size. EAGAIN: DONTWAIT
 * or time-out; EINTR; ENOTSUP: the type cannot send; EFSM; EMSGSIZE. */

ZLINK_EXPORT int zlink_send_const (void *socket, const void *buf, size_t size, int flags);
/* The same without copying: the bytes must stay valid and unchanged for ever. */

ZLINK_EXPORT int zlink_recv (void *socket, void *buf, size_t size, int flags);
/* Receives a part; what is longer than size is cut off. Blocks up to
 * RCVTIMEO. Returns the whole length of the part. RCVMORE tells whether parts
 * follow. EAGAIN: DONTWAIT or time-out; EINTR; ENOTSUP: the type cannot
 * receive; EFSM. */

/* --- whole messages ------------------------------------------------------- */

/* Several threads that share a socket use these: a message is never torn. */

ZLINK_EXPORT int zlink_sendv (void *socket, zlink_msg_t *parts, size_t count, int flags);
/* Sends count parts as one message, all or none. On success all are empty, on
 * failure unchanged. Returns count. Errors as zlink_send. */

ZLINK_EXPORT int zlink_recvv (void *socket, zlink_msg_t *parts, size_t *count, int flags);
/* Receives a whole message into *count initialised parts. Returns how many
 * parts it has; *count becomes that number, too. EMSGSIZE: it has more parts
 * than *count, which becomes their number; nothing was received. */

ZLINK_EXPORT int zlink_sendn (void *socket, zlink_msg_t *messages, size_t count, int flags);
/* Sends up to count single-part messages in one go and returns how many: at
 * least one. Those are empty afterwards, the others unchanged. Blocks only
 * for the first. Errors as zlink_send; EINVAL: count is 0. */

ZLINK_EXPORT int zlink_recvn (void *socket, zlink_msg_t *messages, size_t count, int flags);
/* Receives up to count single-part messages that are there and returns how
 * many: at least one. Stops before a message of several parts; EFSM: the
 * first is one. Blocks only for the first. */

ZLINK_EXPORT int zlink_send_packed (
  void *socket, const void *bytes, size_t bytes_size, const uint32_t *sizes, size_t count, int flags);
/* As zlink_sendn, from one buffer: message i is the next sizes[i] bytes.
 * EINVAL: the sizes add up to more than bytes_size. */

ZLINK_EXPORT int
zlink_recv_packed (void *socket, void *buffer, size_t buffer_size, uint32_t *sizes, size_t count, int flags);
/* As zlink_recvn, into one buffer, one message behind the other; sizes[i]
 * becomes the size of message i. Stops when the next does not fit; EMSGSIZE:
 * the first does not, and stays. */

/* --- how it goes ---------------------------------------------------------- */

/* Structs may grow at their end, into reserved. */

typedef struct zlink_endpoint_status_t
{
    int32_t is_listener;   /* 1: bound, 0: connected */
    uint32_t connected;    /* connections that are ready now */
    uint64_t attempts;     /* at connecting, or connections accepted */
    int32_t last_reason;   /* why the last connection or attempt ended; 0 = none did */
    int32_t last_os_error; /* the system's errno, 0 = none */
    char reason_text[32];  /* last_reason as a word */
    uint64_t reserved[8];
} zlink_endpoint_status_t;

ZLINK_EXPORT int zlink_connect_status (void *socket, const char *endpoint, zlink_endpoint_status_t *status);
/* Of an endpoint as it was passed to connect or bind, or as LAST_ENDPOINT
 * says it. ENOENT; a link over inproc is forgotten when its peer closes. */

/* What a peer that wants to come in has shown. The pointers are valid during the
 * call; texts end in a NUL. More may be appended in later versions. */
typedef struct zlink_claim_t
{
    const char *mechanism;  /* "NULL", "PLAIN" or "CURVE" */
    const char *domain;     /* the socket's ZAP_DOMAIN */
    const char *address;    /* the peer's, as the handler is told */
    const char *username;   /* of PLAIN, else NULL */
    size_t username_size;   /* without the NUL at the end */
    const char *password;   /* of PLAIN, else NULL */
    size_t password_size;   /* without the NUL at the end */
    const char *public_key; /* of CURVE, 40 letters of Z85, else NULL */
    /* Of tls and wss, where the peer had to show a certificate that was checked: whose
     * it is, as "CN=name,O=company" (RFC 2253), else NULL. */
    const char *certificate_subject;
} zlink_claim_t;

#define ZLINK_USER_ID_BYTES 256 /* with the NUL at the end */
typedef int (zlink_authenticator_fn) (const zlink_claim_t *claim, char *user_id, void *hint);
/* Answers 200: the peer comes in, 300: not now, it is to come again, 400: it does
 * not, 500 (or any other number): it cannot be said. user_id holds the user name or
 * the public key's letters and becomes User-Id; another may be written, of less than
 * ZLINK_USER_ID_BYTES. */

ZLINK_EXPORT int
zlink_set_authenticator (void *socket, zlink_authenticator_fn *function, void *hint, zlink_free_fn *ffn);
/* function is asked about every peer that wants to come in, over all transports but
 * inproc, for which the socket has no list (CURVE_ALLOWED_KEYS, PLAIN_PASSWORDS):
 * by servers of PLAIN and CURVE, and with NULL by both sides, which then takes no
 * peers of ZMTP 1 and 2; the handler is not. It is called on a thread of the
 * context's, once at a time for all of its sockets, and may take its time, as nothing
 * else waits for it but others that want to come in; their handshakes end by
 * HANDSHAKE_IVL. It may call this library, but not terminate the context. With
 * another function those who were asked about are asked about again. NULL: nobody is
 * asked this way any more. ffn (hint, NULL), if there is one, is called exactly once
 * behind the last call, on any thread: when the function was replaced, the socket
 * closed or the context ended, and a call that went on then is over. ENOTSUP: the library has no
 * mechanisms; then, and when another error is answered, ffn is not called. */

ZLINK_EXPORT int zlink_wait_peers (void *socket, unsigned int count, int timeout_ms);
/* Blocks until at least count connections are ready. ETIMEDOUT, EINTR. */

ZLINK_EXPORT int zlink_wait_subscribers (void *socket, unsigned int count, int timeout_ms);
/* PUB, XPUB, RADIO: the same of peers that have asked for a topic, or joined a
 * group; a message that is sent afterwards reaches them. ENOTSUP with other
 * types. */

ZLINK_EXPORT int zlink_wait_subscribed (void *socket, unsigned int count, int timeout_ms);
/* SUB, XSUB, DISH: the same of peers that have read all subscriptions and
 * cancellations made before this call. At a peer of this library they hold then;
 * libzmq's sockets take them up a moment later. A peer that speaks less than ZMTP
 * 3.1 cannot say, and never counts. Where more than its buffer holds is unread
 * here, the answers come when some of it has been received. ENOTSUP with other
 * types. */

/* --- events --------------------------------------------------------------- */

/* What happens to a socket's endpoints and connections. Each is also a bit of
 * a mask. */
#define ZLINK_EVENT_CONNECTED 0x0001       /* the handshake comes next */
#define ZLINK_EVENT_CONNECT_DELAYED 0x0002 /* connecting, not done at once */
#define ZLINK_EVENT_CONNECT_RETRIED 0x0004 /* another attempt will be made */
#define ZLINK_EVENT_LISTENING 0x0008
#define ZLINK_EVENT_BIND_FAILED 0x0010
#define ZLINK_EVENT_ACCEPTED 0x0020 /* the handshake comes next */
#define ZLINK_EVENT_ACCEPT_FAILED 0x0040
#define ZLINK_EVENT_CLOSED 0x0080 /* of a listener, or of an attempt to connect that failed */
#define ZLINK_EVENT_CLOSE_FAILED 0x0100
#define ZLINK_EVENT_DISCONNECTED 0x0200
#define ZLINK_EVENT_MONITOR_STOPPED 0x0400 /* the last one */
#define ZLINK_EVENT_HANDSHAKE_FAILED_NO_DETAIL 0x0800
#define ZLINK_EVENT_CONNECTION_READY 0x1000 /* the handshake is done */
#define ZLINK_EVENT_HANDSHAKE_FAILED_PROTOCOL 0x2000
#define ZLINK_EVENT_HANDSHAKE_FAILED_AUTH 0x4000
#define ZLINK_EVENT_BUDGET_REACHED 0x8000 /* of ZLINK_BUDGET_KIB; in queues only */
#define ZLINK_EVENT_GAP 0x20000           /* REPORT_GAPS: so many messages are missing before the next */
#define ZLINK_EVENT_ALL 0x2FFFF

/* Values of DISCONNECTED. */
#define ZLINK_DISCONNECT_UNKNOWN 0
#define ZLINK_DISCONNECT_LOCAL 1
#define ZLINK_DISCONNECT_REMOTE 2
#define ZLINK_DISCONNECT_HANDSHAKE_FAILED 3
#define ZLINK_DISCONNECT_TRANSPORT_ERROR 4
#define ZLINK_DISCONNECT_CTX_TERM 5

/* Values of HANDSHAKE_FAILED_PROTOCOL. */
#define ZLINK_PROTOCOL_ERROR_ZMP_UNSPECIFIED 0x10000000
#define ZLINK_PROTOCOL_ERROR_ZMP_UNEXPECTED_COMMAND 0x10000001
#define ZLINK_PROTOCOL_ERROR_ZMP_INVALID_SEQUENCE 0x10000002
#define ZLINK_PROTOCOL_ERROR_ZMP_KEY_EXCHANGE 0x10000003
#define ZLINK_PROTOCOL_ERROR_ZMP_MALFORMED_COMMAND_UNSPECIFIED 0x10000011
#define ZLINK_PROTOCOL_ERROR_ZMP_MALFORMED_COMMAND_MESSAGE 0x10000012
#define ZLINK_PROTOCOL_ERROR_ZMP_MALFORMED_COMMAND_HELLO 0x10000013
#define ZLINK_PROTOCOL_ERROR_ZMP_MALFORMED_COMMAND_INITIATE 0x10000014
#define ZLINK_PROTOCOL_ERROR_ZMP_MALFORMED_COMMAND_ERROR 0x10000015
#define ZLINK_PROTOCOL_ERROR_ZMP_MALFORMED_COMMAND_READY 0x10000016
#define ZLINK_PROTOCOL_ERROR_ZMP_MALFORMED_COMMAND_WELCOME 0x10000017
#define ZLINK_PROTOCOL_ERROR_ZMP_INVALID_METADATA 0x10000018
#define ZLINK_PROTOCOL_ERROR_ZMP_CRYPTOGRAPHIC 0x11000001
#define ZLINK_PROTOCOL_ERROR_ZMP_MECHANISM_MISMATCH 0x11000002
#define ZLINK_PROTOCOL_ERROR_ZAP_UNSPECIFIED 0x20000000
#define ZLINK_PROTOCOL_ERROR_ZAP_MALFORMED_REPLY 0x20000001
#define ZLINK_PROTOCOL_ERROR_ZAP_BAD_REQUEST_ID 0x20000002
#define ZLINK_PROTOCOL_ERROR_ZAP_BAD_VERSION 0x20000003
#define ZLINK_PROTOCOL_ERROR_ZAP_INVALID_STATUS_CODE 0x20000004
#define ZLINK_PROTOCOL_ERROR_ZAP_INVALID_METADATA 0x20000005
#define ZLINK_PROTOCOL_ERROR_WS_UNSPECIFIED 0x30000000

typedef struct zlink_event_t
{
    uint64_t event;         /* ZLINK_EVENT_* */
    uint64_t number;        /* of the socket's events: 1, 2, ... since somebody listens */
    uint64_t lost;          /* events that this queue lost just before this one */
    uint64_t connection_id; /* grows with every connection and attempt; 0: none */
    uint64_t value;         /* as that of zlink_monitor_event_t */
    int64_t time_ns;        /* when, by the system's monotonic clock */
    int32_t is_listener;    /* 1: of what is bound or was accepted, 0: of what connects */
    int32_t reason;         /* why, as in zlink_endpoint_status_t; 0 = no reason needed */
    int32_t os_error;       /* the errno that comes nearest, 0 = none */
    int32_t reserved_int;
    char reason_text[32]; /* reason as a word */
    char endpoint[256];   /* as passed to connect, or as LAST_ENDPOINT says it */
    char local_addr[256]; /* both ends, as far as there are any; cut off if longer */
    char remote_addr[256];
    zlink_routing_id_t routing_id; /* the peer's, if it told one */
    uint64_t reserved[8];
} zlink_event_t;

ZLINK_EXPORT void *zlink_events_open (void *socket, uint64_t events, size_t queued_max);
/* A queue of the socket's events from now on, those whose bits are in events,
 * links over inproc too. Up to queued_max wait in it (0: 1000); above that new
 * ones are lost, and the next one that fits counts them. Any number of queues
 * may be open, and the socket never waits for one. The queue may outlive the
 * socket, whose last event is MONITOR_STOPPED, asked for or not. Close it with
 * zlink_events_close. EMFILE, ENOMEM. */

ZLINK_EXPORT int zlink_events_recv (void *events, zlink_event_t *event, int timeout_ms);
/* Takes the oldest event; blocks up to timeout_ms while there is none. Several
 * threads may: each event goes to one. EAGAIN: time-out; EINTR; ETERM: all
 * is read, and the socket is closed or its context shut down, whose sockets'
 * last events may still follow; EFAULT: no such queue; ENOTSOCK: closed by
 * another thread meanwhile. */

ZLINK_EXPORT int zlink_events_close (void *events);
/* Ends a queue, and wakes who waits for it. EFAULT. */

/* The same as messages, through zlink 1.x's functions. A socket has one such
 * monitor: a new one takes the place of the old one. */

typedef struct zlink_monitor_event_t
{
    uint64_t event; /* ZLINK_EVENT_* */
    uint64_t value; /* a descriptor; of failures an errno, of CONNECT_RETRIED milliseconds,
                       of DISCONNECTED ZLINK_DISCONNECT_*, of HANDSHAKE_FAILED_PROTOCOL
                       ZLINK_PROTOCOL_ERROR_*, of GAP how many messages are missing */
    zlink_routing_id_t routing_id;
    char local_addr[256];
    char remote_addr[256];
} zlink_monitor_event_t;

ZLINK_EXPORT int zlink_socket_monitor (void *socket, const char *endpoint, int events);
/* Binds a PAIR of the monitor's to endpoint ("inproc://name"): connect one and
 * receive. A message has the parts event, number of values, values (uint64_t
 * each, native byte order), routing id, local and remote address. What nobody
 * receives waits, up to 1000 events and the PAIRs' marks; above that events are
 * lost. NULL as endpoint stops the monitor: its last event is MONITOR_STOPPED.
 * Links over inproc have no events here. EPROTONOSUPPORT: not inproc;
 * EADDRINUSE, EMFILE. */

ZLINK_EXPORT void *zlink_socket_monitor_open (void *socket, int events);
/* The same with a name of its own; returns the PAIR to receive from. Close it
 * with zlink_close. */

ZLINK_EXPORT int zlink_monitor_recv (void *monitor, zlink_monitor_event_t *event, int flags);
/* Receives from such a PAIR and takes the parts apart. Blocks up to RCVTIMEO.
 * Errors as zlink_recv; EINVAL: the message is not an event. */

/* --- peers ---------------------------------------------------------------- */

typedef struct zlink_peer_info_t
{
    zlink_routing_id_t routing_id; /* empty where it told none */
    char remote_addr[256];
    uint64_t connected_time; /* milliseconds since the handshake */
    uint64_t msgs_sent;      /* whole ones; a connected endpoint's of all its connections */
    uint64_t msgs_received;
} zlink_peer_info_t;

ZLINK_EXPORT int zlink_socket_peer_count (void *socket);
/* How many connections are ready now. */

ZLINK_EXPORT int zlink_socket_peers (void *socket, zlink_peer_info_t *peers, size_t *count);
/* *count is the room in peers and becomes how many are filled, the longest
 * connected first; zlink_socket_peer_count says how many there are. 0. */

ZLINK_EXPORT int zlink_socket_peer_routing_id (void *socket, int index, zlink_routing_id_t *routing_id);
/* Of one of them, in the same order. EINVAL: there are not so many. */

ZLINK_EXPORT int
zlink_socket_peer_info (void *socket, const zlink_routing_id_t *routing_id, zlink_peer_info_t *info);
/* Of the peer that has told this routing id. EHOSTUNREACH: none has. */

/* --- counters ------------------------------------------------------------- */

typedef struct zlink_statistics_t
{
    uint64_t messages_sent; /* whole messages accepted from the caller */
    uint64_t bytes_sent;
    uint64_t messages_received; /* whole messages handed to the caller */
    uint64_t bytes_received;
    uint64_t dropped; /* accepted, but given up, for any reason */
    uint64_t connections_made;
    uint64_t connections_lost;
    uint64_t handshakes_failed;
    uint64_t reconnects;
    uint64_t read_calls; /* system calls */
    uint64_t write_calls;
    uint64_t poll_calls;
    uint64_t wakes;         /* of sleeping threads */
    uint64_t round_trip_ns; /* of the last heartbeat that was answered; 0 = none yet */
    uint64_t events_lost;   /* by monitors and queues of events */
    uint64_t reserved[17];
} zlink_statistics_t;

ZLINK_EXPORT int zlink_statistics (void *socket, zlink_statistics_t *statistics);
/* Counters since the socket was made; all but round_trip_ns only grow. */

/* What a row of zlink_counters is about. */
#define ZLINK_COUNTS_SOCKET 0
#define ZLINK_COUNTS_ENDPOINT 1
#define ZLINK_COUNTS_CONNECTION 2

/* Fields may be added at the end; docs/observing.md explains each. A socket's
 * and an endpoint's numbers are the sums over their connections, with those
 * that are no more. */
typedef struct zlink_counters_t
{
    uint32_t what;        /* ZLINK_COUNTS_* */
    uint32_t is_listener; /* endpoint: 1: bound, 0: connected */
    uint64_t id;          /* of an endpoint; of a connection as in zlink_event_t, 0 = none yet */
    uint64_t endpoint_id; /* connection: whose it is; 0: of one that was removed */
    char address[128];    /* endpoint's or peer's, of a socket its type; cut off if longer */
    int32_t last_reason;  /* why the last connection or attempt ended; 0 = none did */
    int32_t last_os_error;

    /* These only grow. Bytes are of bodies, but for wire_bytes. */
    uint64_t attempts;      /* endpoint: at connecting, or connections accepted */
    uint64_t messages_sent; /* whole messages accepted from the caller */
    uint64_t bytes_sent;
    uint64_t messages_received; /* whole messages handed to the caller */
    uint64_t bytes_received;
    uint64_t wire_bytes_sent; /* by the system, framing and handshakes included */
    uint64_t wire_bytes_received;
    uint64_t read_calls; /* system calls */
    uint64_t write_calls;
    uint64_t poll_calls;      /* socket */
    uint64_t wakes;           /* socket: of sleeping threads */
    uint64_t handshakes_done; /* connections that became ready */
    uint64_t handshakes_failed;
    uint64_t connections_lost; /* that had been ready */
    uint64_t reconnects;       /* connected endpoint: handshakes after the first */
    uint64_t heartbeats_sent;
    uint64_t heartbeats_answered;
    uint64_t dropped_cut;       /* messages given up: the connection broke in the middle of one */
    uint64_t dropped_peer_lost; /* the connection broke, and nobody dials it again */
    uint64_t dropped_immediate; /* it broke, and the dialler has IMMEDIATE */
    uint64_t dropped_closed;    /* LINGER was over, or the endpoint disconnected */
    uint64_t dropped_conflated; /* CONFLATE: a newer one took its place */
    uint64_t dropped_unwanted;  /* sent to a type that does not receive */
    uint64_t dropped_no_memory;

    /* These are of this moment. */
    uint64_t connections_ready;
    uint64_t queued_messages; /* accepted, not yet with the system; inproc: with the peer */
    uint64_t queued_bytes;
    uint64_t queue_age_ns;  /* the oldest of these has waited at most so long */
    uint64_t unread_bytes;  /* taken from the system, not yet handed to the caller; inproc: 0 */
    uint64_t round_trip_ns; /* of the last heartbeat that was answered; 0 = none yet */

    uint64_t budget_holds; /* socket; grows: sends, reads and peers held back by ZLINK_BUDGET_KIB */
    /* More reasons for messages given up. */
    uint64_t dropped_unroutable; /* ROUTER: there was no such peer */
    uint64_t dropped_full;       /* ROUTER, REP, PUB, XPUB: the peer had no room */
    uint64_t dropped_malformed;  /* REQ, REP: not in the envelope that it should have */
    uint64_t dropped_unasked;    /* REQ: not from the peer that was asked, or too late */
    uint64_t dropped_filtered;   /* SUB: none of its topics matches */
    uint64_t dropped_oldest;     /* PUB, XPUB: as ZLINK_SLOW_CONSUMER says, for a newer one */
    uint64_t messages_missed;    /* SUB, XSUB with ZLINK_REPORT_GAPS: dropped by publishers, as they told */
    uint64_t values_not_kept;    /* socket: messages that ZLINK_LAST_VALUES would have kept, above a limit */
    uint64_t dropped_multipart;  /* came in several parts, to a type that takes one */
    uint64_t dropped_too_large;  /* udp: for a datagram, or above ZLINK_MAXMSGSIZE in one */
} zlink_counters_t;

ZLINK_EXPORT int zlink_counters (void *socket, zlink_counters_t *rows, size_t row_size, size_t *count);
/* All counters of a socket at one moment: a row of the socket itself, one for
 * each endpoint, one for each connection. row_size is sizeof (zlink_counters_t)
 * as the caller was compiled: of longer rows the rest is zeroed, shorter ones
 * are filled as far as they go. *count is the room in rows and becomes the
 * number of rows that there are: with a larger one, call again. EINVAL:
 * row_size is not a multiple of 8, or 0. ENOMEM. */

ZLINK_EXPORT int zlink_counters_text (void *socket, char *text, size_t *size);
/* The same as lines for people. Numbers that are 0 are left out. At most *size
 * bytes, NUL included; *size becomes what the whole text needs. */

ZLINK_EXPORT int zlink_ctx_counters_text (void *context, char *text, size_t *size);
/* The lines of all open sockets of a context, in the same way. */

/* --- waiting -------------------------------------------------------------- */

#if defined(_WIN32)
typedef uintptr_t zlink_fd_t;
#else
typedef int zlink_fd_t;
#endif

#define ZLINK_POLLIN 1
#define ZLINK_POLLOUT 2
#define ZLINK_POLLERR 4
#define ZLINK_POLLPRI 8
#define ZLINK_POLLITEMS_DFLT 16

typedef struct zlink_pollitem_t
{
    void *socket; /* or NULL: fd counts */
    zlink_fd_t fd;
    short events;
    short revents;
} zlink_pollitem_t;

ZLINK_EXPORT int zlink_poll (zlink_pollitem_t *items, int count, long timeout_ms);
/* Waits until an item is ready for one of its events and sets every revents.
 * Returns how many are ready; 0: time-out. With no items it sleeps. ENOTSOCK,
 * ETERM, EINTR; EFAULT: items is NULL; EINVAL: count is negative. */

ZLINK_EXPORT int zlink_ppoll (zlink_pollitem_t *items, int count, long timeout_ms, const void *sigmask);
/* The same with another signal mask for as long as it sleeps, as ppoll(2):
 * sigmask points to a sigset_t; NULL = the current one. A signal that only
 * this mask lets through ends the call with EINTR, unless an item is ready.
 * ENOTSUP: the platform has no signal masks. */

typedef struct zlink_poller_event_t
{
    void *socket;
    zlink_fd_t fd;
    void *user_data;
    short events;
} zlink_poller_event_t;

ZLINK_EXPORT void *zlink_poller_new (void);
ZLINK_EXPORT int zlink_poller_destroy (void **poller_p);
/* A set of sockets and descriptors to wait on. Destroy sets *poller_p to NULL. */

ZLINK_EXPORT int zlink_poller_size (void *poller);
ZLINK_EXPORT int zlink_poller_add (void *poller, void *socket, void *user_data, short events);
ZLINK_EXPORT int zlink_poller_modify (void *poller, void *socket, short events);
ZLINK_EXPORT int zlink_poller_remove (void *poller, void *socket);
ZLINK_EXPORT int zlink_poller_add_fd (void *poller, zlink_fd_t fd, void *user_data, short events);
ZLINK_EXPORT int zlink_poller_modify_fd (void *poller, zlink_fd_t fd, short events);
ZLINK_EXPORT int zlink_poller_remove_fd (void *poller, zlink_fd_t fd);
/* EINVAL: there already, not there, or unknown event bits. ENOTSOCK. EBADF.
 * A socket must be removed before it is closed. */

ZLINK_EXPORT int zlink_poller_wait (void *poller, zlink_poller_event_t *event, long timeout_ms);
ZLINK_EXPORT int
zlink_poller_wait_all (void *poller, zlink_poller_event_t *events, int count, long timeout_ms);
/* Waits for one event, or for up to count. Returns 0, or how many. EAGAIN:
 * time-out. EFAULT: the set is empty and there is no time limit. EINTR. */

ZLINK_EXPORT int zlink_poller_fd (void *poller, zlink_fd_t *fd);
/* A descriptor for other event loops. It is readable while a wait may find
 * something; only a wait that finds nothing (EAGAIN) takes that back. Closed
 * by destroy, not by the caller. EINVAL: there is no socket in the set. */

ZLINK_EXPORT int zlink_proxy (void *frontend, void *backend, void *capture);
ZLINK_EXPORT int zlink_proxy_steerable (void *frontend, void *backend, void *capture, void *control);
/* Forwards whole messages between frontend and backend, in both directions as
 * far as their types allow, and copies them to capture if that is not NULL.
 * Blocks until the context terminates (ETERM) or a socket is closed. control
 * takes the commands PAUSE, RESUME, TERMINATE (then 0 is returned) and
 * STATISTICS, answered by 8 parts of uint64_t: messages and bytes received
 * from and sent to the frontend, the same of the backend. The proxy is the
 * only user of the sockets. It takes no more than one message for a socket
 * without room, capture included, and hands it over above the mark when it
 * ends; neither that nor answers that nobody reads delay a command. */

/* --- utilities ------------------------------------------------------------ */

ZLINK_EXPORT int zlink_has (const char *capability);
/* 1 for "tcp", "ipc", "inproc" and other schemes and parts that are built, such
 * as "curve". */

ZLINK_EXPORT int zlink_curve_keypair (char *z85_public_key, char *z85_secret_key);
/* A new pair of keys for CURVE, each as 40 letters and a NUL into 41 bytes.
 * ENOTSUP: the library has no CURVE; EFAULT: a null pointer; ENOMEM: the system
 * has no random numbers. */

ZLINK_EXPORT int zlink_curve_public (char *z85_public_key, const char *z85_secret_key);
/* The public key of a secret one. EINVAL: that is none; else as above. */

#define ZLINK_PASSWORD_HASH_BYTES 128 /* with the NUL at the end */
ZLINK_EXPORT int zlink_hash_password (char *to, size_t to_size, const void *password, size_t size);
/* Writes what PLAIN_PASSWORDS takes for a password: Argon2id with a salt of its own,
 * two rounds over 64 MiB, which takes about a tenth of a second. EINVAL: to_size is
 * less than ZLINK_PASSWORD_HASH_BYTES; ENOTSUP: the library has no CURVE, with which
 * it comes; EFAULT: a null pointer; ENOMEM: no memory, or no random numbers. */

ZLINK_EXPORT void *zlink_atomic_counter_new (void);
ZLINK_EXPORT void zlink_atomic_counter_set (void *counter, int value);
ZLINK_EXPORT int zlink_atomic_counter_inc (void *counter);
ZLINK_EXPORT int zlink_atomic_counter_dec (void *counter);
ZLINK_EXPORT int zlink_atomic_counter_value (void *counter);
ZLINK_EXPORT void zlink_atomic_counter_destroy (void **counter_p);
/* Starts at 0. inc returns the old value, dec 1 while the new one is above 0,
 * else 0. What is not a counter counts as 0 and stays so. */

typedef void (zlink_timer_fn) (int timer_id, void *arg);

ZLINK_EXPORT void *zlink_timers_new (void);
ZLINK_EXPORT int zlink_timers_destroy (void **timers_p);
/* A set of repeating timers. Destroy sets *timers_p to NULL. */

ZLINK_EXPORT int zlink_timers_add (void *timers, size_t interval_ms, zlink_timer_fn handler, void *arg);
/* Returns the timer's number. EFAULT: handler is NULL. */

ZLINK_EXPORT int zlink_timers_cancel (void *timers, int timer_id);
ZLINK_EXPORT int zlink_timers_set_interval (void *timers, int timer_id, size_t interval_ms);
ZLINK_EXPORT int zlink_timers_reset (void *timers, int timer_id);
/* set_interval and reset start the interval again. EINVAL: no such timer. */

ZLINK_EXPORT long zlink_timers_timeout (void *timers);
/* How long until the next is due, for poll; -1: there is none. */

ZLINK_EXPORT int zlink_timers_execute (void *timers);
/* Calls the handlers of all that are due, which may change the set. */

ZLINK_EXPORT void *zlink_stopwatch_start (void);
ZLINK_EXPORT unsigned long zlink_stopwatch_intermediate (void *watch);
ZLINK_EXPORT unsigned long zlink_stopwatch_stop (void *watch);
/* Microseconds since the start. stop ends the handle. */

ZLINK_EXPORT void zlink_sleep (int seconds);
/* Blocks so long. */

typedef void (zlink_thread_fn) (void *);

ZLINK_EXPORT void *zlink_threadstart (zlink_thread_fn *func, void *arg);
ZLINK_EXPORT void zlink_threadclose (void *thread);
/* A thread that runs func (arg). close blocks until it has ended. */

/* --- statistics for others ------------------------------------------------ */

ZLINK_EXPORT void *zlink_statistics_server_new (void *context, const char *endpoint);
/* From now on the counters of all sockets of the context are served by HTTP: at /metrics
 * as Prometheus reads them, at /statistics as JSON (docs/observing.md), both with what
 * zlink_counters tells. endpoint: where to bind, such as tcp://127.0.0.1:9600 or an ipc
 * one; NULL: a free port of 127.0.0.1. Whoever reaches it can read it: what is bound
 * to other addresses is open to others. Its readers are limited in number and time, and it
 * costs nothing while nobody asks. Any number may be open; destroy them before the
 * context is terminated. Not in the minimal library (zlink_has ("services")). As
 * zlink_bind; EFAULT, EMFILE, ENOMEM, ETERM. */

ZLINK_EXPORT int zlink_statistics_server_endpoint (void *server, char *endpoint, size_t *size);
/* Where it is bound, with the port that a wildcard became: at most *size bytes, NUL
 * included; *size becomes what it needs. EFAULT. */

ZLINK_EXPORT int zlink_statistics_server_destroy (void **server_p);
/* Sets the caller's handle to NULL. What is being read has a second to go out. EFAULT. */

/* --- services: registries and discovery ----------------------------------- */

/* Providers register at a registry under a service's name, and who looks for one is
 * told who is there and what changes. Not in the minimal library (zlink_has
 * ("services")). Handles may be used by any number of threads; destroy wakes those
 * that wait, and sets the caller's handle to NULL. A context that has some gets one
 * thread for all of them. Calls answer 0, or -1 with errno; EFAULT: no such handle.
 * In zlink 1.x's functions, which keep their names, what is different is said. */

#define ZLINK_SERVICE_GATEWAY 1 /* what receivers register and gateways look for */
#define ZLINK_SERVICE_SPOT 2    /* what nodes of SPOT register and other nodes look for */

#define ZLINK_REGISTRY_SOCKET_PUB 1 /* roles for setsockopt: all mean its one socket */
#define ZLINK_REGISTRY_SOCKET_ROUTER 2
#define ZLINK_REGISTRY_SOCKET_PEER_SUB 3
#define ZLINK_DISCOVERY_SOCKET_SUB 1

ZLINK_EXPORT void *zlink_registry_new (void *context);
/* A registry in this process: bind it, or set endpoints and start it. EMFILE,
 * ENOMEM, ETERM, EFAULT. */

ZLINK_EXPORT int
zlink_registry_set_endpoints (void *registry, const char *pub_endpoint, const char *router_endpoint);
/* Where start is to bind. Both lead to the same: providers and watchers may use either;
 * one may be NULL. EINVAL: both are; EFSM: it has been started. */

ZLINK_EXPORT int zlink_registry_set_id (void *registry, uint32_t registry_id);
/* Has no effect: each start of a registry is known by a number of its own. */

ZLINK_EXPORT int zlink_registry_add_peer (void *registry, const char *peer_endpoint);
/* Another registry that holds the same. Registries do not talk to each other: they tell
 * providers of one another, who register with all of them. EINVAL: that is no endpoint,
 * or a 17th. */

ZLINK_EXPORT int zlink_registry_set_heartbeat (void *registry, uint32_t interval_ms, uint32_t timeout_ms);
/* How often providers are to say that they live (they are told; 2500), and after what
 * silence they are dropped (10000). One whose connection has broken is dropped after half
 * a second. EINVAL: not 0 < interval < timeout; EFSM: it has been started. */

ZLINK_EXPORT int zlink_registry_set_store (void *registry, const char *url);
/* Keeps its providers in a store, etcd://HOST[:PORT][,HOST...]/PREFIX, and lists whatever
 * others have there under the prefix: registries that share one list the same. Partitions of
 * topics (SPOT) are granted there, by a transaction each: they are one grantor. The lease of
 * providers is that of set_heartbeat, in whole seconds, at least 2. Whoever watches while the
 * store is not reached keeps what it knows, marked stale. EINVAL: the URL is wrong;
 * EPROTONOSUPPORT: no library for it (libzlink_etcd) can be loaded, which is logged; EFSM: it
 * is bound, or has a store; ENOMEM. */

ZLINK_EXPORT int zlink_registry_set_votes (void *registry, const char *path);
/* Writes down in a file whom it has granted partitions of topics (SPOT), so that it can be
 * one of several registries that grant by majority; without, it may grant alone, and grants
 * nothing for 2 s after its start. What the file has is taken up, and it is written before this
 * returns; PATH.lock and PATH.new stand beside it. Blocks as long as the disk does. A file that
 * is damaged is left as it is, and is never taken for an empty one: EBADMSG, and the log says
 * what is wrong. EADDRINUSE: another registry has it; EINVAL: that is no path; EFSM: it is bound,
 * or has a store or such a file; ENOENT, EACCES and the like: the system's; ENOMEM. */

ZLINK_EXPORT int zlink_registry_set_broadcast_interval (void *registry, uint32_t interval_ms);
/* Has no effect: what changes is told at once, and to those alone who asked for it. */

ZLINK_EXPORT int
zlink_registry_setsockopt (void *registry, int socket_role, int option, const void *value, size_t size);
/* An option of its ROUTER, whatever the role: keys of CURVE, certificates, limits. Counts
 * for what is bound later. EINVAL: no such role; else as zlink_setsockopt. */

ZLINK_EXPORT int zlink_registry_start (void *registry);
/* Binds the endpoints that were set; fails as zlink_bind does. EINVAL: none was set; EFSM:
 * it has been started. */

ZLINK_EXPORT int zlink_registry_bind (void *registry, const char *endpoint);
/* Binds one more endpoint, at any time. A registry that is bound to every address with
 * nothing that says who may come in is warned of: whoever reaches it can register. */

ZLINK_EXPORT int zlink_registry_endpoint (void *registry, char *endpoint, size_t *size);
/* What was bound last, with the port that a wildcard became: at most *size bytes, NUL
 * included; *size becomes what it needs. ENOENT: nothing was bound. */

ZLINK_EXPORT int
zlink_registry_remove (void *registry, uint16_t service_type, const char *service_name, const char *endpoint);
/* Drops a provider, whoever registered it. It may register again. ENOENT. */

typedef struct zlink_registry_info_t
{
    uint64_t incarnation; /* of this start, at random */
    uint64_t revision;    /* so many changes were made */
    uint32_t settled;     /* 1: it has run long enough for everybody alive to have registered */
    uint32_t reserved_int;
    uint64_t services; /* names that somebody has registered, or had a while ago */
    uint64_t providers;
    uint64_t instances; /* processes, or objects of theirs, that are known */
    uint64_t watches;
    uint64_t peers; /* connections */
    uint64_t bytes; /* of memory for all of them, about */
    uint64_t reserved[8];
} zlink_registry_info_t;

ZLINK_EXPORT int zlink_registry_info (void *registry, zlink_registry_info_t *info);

#define ZLINK_REGISTRY_PROVIDER 1 /* one is there: it has come, or something of it has changed */
#define ZLINK_REGISTRY_GONE 2
#define ZLINK_REGISTRY_REFUSED 3 /* something that a peer asked for, or the peer itself */

#define ZLINK_GONE_UNREGISTERED 1
#define ZLINK_GONE_EXPIRED 2 /* its lease ran out */
#define ZLINK_GONE_LOST 3    /* its connection broke, and it did not come back in time */
#define ZLINK_GONE_FORCED 4  /* by zlink_registry_remove */

/* Texts are valid during the call, and "" where there is nothing to say. */
typedef struct zlink_registry_event_t
{
    uint32_t kind;           /* ZLINK_REGISTRY_* */
    uint32_t reason;         /* gone: ZLINK_GONE_*; refused: a fault of docs/protocol/registry.md */
    const char *reason_text; /* a word for it */
    uint16_t service_type;   /* ZLINK_SERVICE_*, of a provider and of one that is gone */
    uint16_t confirmed;      /* 0: it is remembered, and has not registered with this registry yet */
    uint32_t weight;         /* this and what follows, up to labels: of a provider */
    uint64_t instance;       /* of one that is gone, too */
    uint64_t registered_at;  /* milliseconds since 1970 */
    const char *service_name;
    const char *endpoint; /* of refused: what it was about */
    const char *host;
    const char *zone;
    const void *labels; /* as docs/protocol/registry.md has them */
    size_t labels_size;
    uint64_t reserved[4];
} zlink_registry_event_t;

typedef void (zlink_registry_fn) (const zlink_registry_event_t *event, void *hint);

ZLINK_EXPORT int zlink_registry_set_handler (void *registry, zlink_registry_fn *handler, void *hint);
/* Is told of every change, in order, on the thread that serves all registries and lists of
 * the context: it returns soon. What came and went at once may not be told. It may call
 * everything but destroy. When destroy returns it has ended. EFSM: it is bound. */

ZLINK_EXPORT int zlink_registry_visit (void *registry, zlink_registry_fn *visitor, void *hint);
/* Calls it for each provider that is known now, in the order of their last change. ENOMEM. */

ZLINK_EXPORT int zlink_registry_remember (void *registry, const zlink_registry_event_t *provider);
/* Who was there before this registry began, from an earlier one's visit: it is told of as
 * a provider, for so long as it takes everybody alive to register (settled), and stays when
 * it has registered then. What is known of it weighs less than whatever somebody else says.
 * kind and confirmed are not looked at. EINVAL: a text of it is none; EADDRINUSE: that is
 * known; EMFILE: a limit; EFSM: it is bound; ENOMEM. */

#define ZLINK_REGISTRY_MAX_PROVIDERS 1             /* 1000000 */
#define ZLINK_REGISTRY_MAX_PROVIDERS_OF_INSTANCE 2 /* 10000 */
#define ZLINK_REGISTRY_MAX_INSTANCES 3             /* 100000 */
#define ZLINK_REGISTRY_MAX_BYTES 4                 /* of memory for providers, about: 512 MiB */

ZLINK_EXPORT int zlink_registry_set_limit (void *registry, int limit, uint64_t value);
/* What would be above it is refused, with a fault. EINVAL: no such limit; EFSM: it is
 * bound. */

ZLINK_EXPORT int zlink_registry_destroy (void **registry_p);
/* Closes it. Providers and watchers keep what they know, and come back to the next one
 * that is bound there. */

ZLINK_EXPORT void *zlink_discovery_new_typed (void *context, uint16_t service_type);
/* Who provides services of that type (ZLINK_SERVICE_*), as registries tell it. EINVAL: no
 * such type; EMFILE, ENOMEM, ETERM, EFAULT. */

ZLINK_EXPORT int zlink_discovery_connect_registry (void *discovery, const char *registry_endpoint);
/* Connects to a registry, either endpoint of it; to several one after the other, whose
 * lists are united: a provider counts as there as long as one of them says so.
 * etcd://HOST[:PORT][,HOST...]/PREFIX watches an etcd itself, without a registry
 * (zlink_registry_set_store says what it answers). */

ZLINK_EXPORT int zlink_discovery_subscribe (void *discovery, const char *service_name);
ZLINK_EXPORT int zlink_discovery_unsubscribe (void *discovery, const char *service_name);
/* Watches a service; "" or NULL: all of them. Of what is not watched nothing is known.
 * EINVAL: the name is longer than 255; unsubscribe: it is not watched. */

typedef struct zlink_receiver_info_t
{
    char service_name[256];
    char endpoint[256];
    zlink_routing_id_t routing_id; /* the provider's instance: 8 bytes */
    uint32_t weight;               /* 0: it drains, and wants no new requests */
    uint64_t registered_at;        /* milliseconds since 1970, by the registry's clock */
} zlink_receiver_info_t;

ZLINK_EXPORT int zlink_discovery_get_receivers (void *discovery,
                                                const char *service_name,
                                                zlink_receiver_info_t *receivers,
                                                size_t *count);
/* Copies at most *count of those that are known; *count becomes how many there are. With
 * receivers NULL it only counts. EFAULT, ENOMEM. */

ZLINK_EXPORT int zlink_discovery_receiver_count (void *discovery, const char *service_name);
/* How many are known, those that drain too; -1 with errno. */

ZLINK_EXPORT int zlink_discovery_service_available (void *discovery, const char *service_name);
/* 1: somebody is known; 0: nobody. */

ZLINK_EXPORT int
zlink_discovery_wait (void *discovery, const char *service_name, size_t receivers_min, int timeout_ms);
/* Blocks until so many are known; negative: without limit. ETIMEDOUT, EINTR, ETERM. */

typedef struct zlink_discovery_status_t
{
    uint32_t registries; /* that are connected, and whose list of the service is read to its end */
    uint32_t settled;    /* 1: one of those has run long enough to know everybody */
    int64_t age_ms;      /* since the list was known to be whole; 0: it is; -1: it never was */
    uint64_t reserved[4];
} zlink_discovery_status_t;

ZLINK_EXPORT int
zlink_discovery_status (void *discovery, const char *service_name, zlink_discovery_status_t *status);
/* How good the answers are. What was known last is answered when all registries are lost. */

#define ZLINK_RECEIVER_CAME 1
#define ZLINK_RECEIVER_CHANGED 2 /* its weight, what is known of it, or who vouches for it */
#define ZLINK_RECEIVER_GONE 3

typedef void (zlink_discovery_fn) (int change, const char *service_name, const char *endpoint, void *hint);

ZLINK_EXPORT int zlink_discovery_set_handler (void *discovery, zlink_discovery_fn *handler, void *hint);
/* From now on each change is told, in order, on a thread of the discovery's own, where a
 * slow handler keeps nobody else waiting. NULL: no longer; when it returns the old handler
 * has ended. A handler may call everything but this and destroy. ENOMEM; as the system's
 * threads fail. */

ZLINK_EXPORT int
zlink_discovery_setsockopt (void *discovery, int socket_role, int option, const void *value, size_t size);
/* An option of its socket to registries. Counts for those that are connected later. EINVAL:
 * no such role; else as zlink_setsockopt. */

ZLINK_EXPORT int zlink_discovery_destroy (void **discovery_p);

/* --- services: gateways and receivers ------------------------------------- */

/* A gateway sends requests and messages to services by name; receivers provide them.
 * Not in the minimal library. Handles may be used by any number of threads; destroy
 * wakes those that wait. Calls answer 0, or -1 with errno; EFAULT: no such handle.
 *
 * Who blocks does its own I/O: there is no thread between it and the kernel. A request
 * is sent to another provider only when it has certainly not been done, or is marked
 * idempotent. */

/* Who a service is, whom it trusts and whom it lets in. NULL: nothing is said of it. Texts
 * and keys are those of the options (zlink explain). */
typedef struct zlink_security_t
{
    size_t size;                    /* sizeof (zlink_security_t) */
    const char *curve_public_key;   /* this side's own pair, 40 letters each; with it whoever */
    const char *curve_secret_key;   /* lets in does so over CURVE alone */
    const char *curve_server_key;   /* the public key of all that are connected to */
    const void *curve_allowed_keys; /* who comes in without asking a handler: 32 bytes each */
    size_t curve_allowed_keys_size; /* of all of them */
    const char *plain_username;     /* who this is, where others ask */
    const char *plain_password;
    const char *plain_passwords; /* lines name:hash of who comes in; "": a handler is asked */
    const char *tls_cert;        /* PEM, a path or the text, as of the next two */
    const char *tls_key;
    const char *tls_ca; /* whom to trust, and nobody else; NULL: the system's authorities */
    const char *tls_hostname;
    int tls_mutual; /* 1: who connects shows tls_cert too, and whoever comes has to have one of tls_ca's */
} zlink_security_t;

ZLINK_EXPORT int zlink_service_secure (void *service, const zlink_security_t *how);
/* Sets all of that on all sockets of a registry, a discovery, a receiver, a gateway or a node
 * of SPOT: on those that let in what is for them, on those that connect what is for those. So one
 * structure does for every process of a system that has one pair of keys or one authority. With
 * keys and neither a list of allowed ones nor a handler whoever knows the public key comes in,
 * which is warned of. The 32 bytes of a key are what zlink_getsockopt answers of
 * CURVE_PUBLICKEY, once that was set to its letters.
 * Counts for what is bound and connected later; options of single sockets may be set behind
 * it. With an endpoint of tls or wss, CURVE and PLAIN are spoken inside. inproc stays as it
 * is. EFAULT: no such handle, or no structure; EINVAL: another size, or as zlink_setsockopt,
 * and what stands before it is set. */

#define ZLINK_GATEWAY_LB_ROUND_ROBIN 0
#define ZLINK_GATEWAY_LB_WEIGHTED 1          /* by weight, the turns of a heavy one spread out */
#define ZLINK_GATEWAY_LB_LEAST_OUTSTANDING 2 /* of two at random, who has less to do for its weight */
#define ZLINK_GATEWAY_LB_BY_KEY 3            /* equal keys to the same one, as long as it is there */
#define ZLINK_GATEWAY_LB_NEAREST 4           /* the same host before others */

ZLINK_EXPORT void *zlink_gateway_new (void *context, void *discovery, const char *routing_id);
/* discovery: who tells where providers are (zlink_discovery_new_typed), which outlives
 * the gateway; NULL: zlink_gateway_set_providers does. routing_id: by which receivers know
 * it; NULL: made up. EMFILE, ENOMEM, ETERM, EFAULT. */

ZLINK_EXPORT int zlink_gateway_set_providers (void *gateway,
                                              const char *service_name,
                                              const char *const *endpoints,
                                              const uint32_t *weights,
                                              size_t count);
/* All that provide the service from now on, without a discovery. weights may be NULL:
 * 1 each; who has weight 0 gets nothing new. EINVAL: no such name; ENOMEM. */

ZLINK_EXPORT int zlink_gateway_set_lb_strategy (void *gateway, const char *service_name, int strategy);
/* One of ZLINK_GATEWAY_LB_*. EINVAL. */

ZLINK_EXPORT int zlink_gateway_setsockopt (void *gateway, int option, const void *value, size_t size);
/* An option of its socket, for providers that are connected later. As zlink_setsockopt. */

ZLINK_EXPORT int
zlink_gateway_set_tls_client (void *gateway, const char *ca_file, const char *hostname, int trust_system);
/* TLS_CA, TLS_HOSTNAME (NULL: the endpoint's) and TLS_TRUST_SYSTEM in one call. */

ZLINK_EXPORT int zlink_gateway_connection_count (void *gateway, const char *service_name);
/* How many providers may be sent to now. */

/* --- requests --- */

/* How a request ends. */
#define ZLINK_REQUEST_REPLIED 0
#define ZLINK_REQUEST_NO_PROVIDER 2 /* nobody was there until the deadline, or nobody took it */
#define ZLINK_REQUEST_DEADLINE 3    /* somebody had it, and may have done it */
#define ZLINK_REQUEST_CANCELLED 4
#define ZLINK_REQUEST_LOST 5    /* with the provider that had it, or may have had it */
#define ZLINK_REQUEST_REFUSED 6 /* by the provider: code, detail and text say why */
#define ZLINK_REQUEST_OVERLOADED 7
#define ZLINK_REQUEST_INTERRUPTED 8 /* by a signal: it is called off */
#define ZLINK_REQUEST_TERMINATED 9  /* the gateway, or its context, is going */
#define ZLINK_REQUEST_NO_MEMORY 10

/* Codes of REFUSED, and for zlink_request_fail. */
#define ZLINK_FAILURE_NO_SERVICE 3
#define ZLINK_FAILURE_DRAINING 4
#define ZLINK_FAILURE_OVERLOADED 5 /* not now: another may have it */
#define ZLINK_FAILURE_DEADLINE 6
#define ZLINK_FAILURE_REJECTED 8 /* by the application, whose number is the detail */
#define ZLINK_FAILURE_HANDLER 9  /* it broke off */
#define ZLINK_FAILURE_NOT_ALLOWED 10

typedef struct zlink_request_options_t
{
    uint32_t size;         /* of this struct: set it to sizeof (zlink_request_options_t) */
    int32_t timeout_ms;    /* negative: no limit */
    int32_t hedge_ms;      /* idempotent, and no reply by then: a second one is asked, too; 0: never */
    uint32_t idempotent;   /* 1: doing it twice does no harm */
    uint32_t attempts_max; /* 0: the library's choice */
    uint32_t key_size;
    const void *key;         /* for BY_KEY; any bytes, at most 1024 */
    const char *traceparent; /* W3C Trace Context, or NULL */
    const char *tracestate;  /* or NULL */
    uint64_t reserved[4];    /* 0 */
} zlink_request_options_t;

typedef struct zlink_reply_t
{
    int32_t status;      /* ZLINK_REQUEST_* */
    uint32_t maybe_done; /* 1: a provider may have done it, or be doing it */
    uint32_t code;       /* of REFUSED: ZLINK_FAILURE_*, or others of the protocol */
    uint32_t detail;     /* the application's own number */
    uint32_t retry_after_ms;
    uint32_t reserved_int;
    zlink_msg_t *parts; /* of REPLIED: count of them, the reply's until it is closed */
    size_t count;
    char text[256]; /* of REFUSED, for people */
    uint64_t reserved[4];
} zlink_reply_t;

ZLINK_EXPORT int zlink_gateway_request (void *gateway,
                                        const char *service_name,
                                        zlink_msg_t *parts,
                                        size_t count,
                                        const zlink_request_options_t *options,
                                        zlink_reply_t *reply);
/* Sends a request and blocks until it has ended: 0 when there is a reply; else -1, and
 * reply->status says why, as errno does: EHOSTUNREACH (NO_PROVIDER, LOST), ETIMEDOUT,
 * ECANCELED, ECONNREFUSED (REFUSED), EAGAIN (OVERLOADED), EINTR, ETERM, ENOMEM. The parts
 * are the gateway's from then on; on failure they stay with the caller. options may be
 * NULL: no limit. The reply is to be closed when it was 0. EINVAL: no such name. */

ZLINK_EXPORT void zlink_reply_close (zlink_reply_t *reply);
/* Closes the parts, and frees what they stand in. */

typedef void (zlink_reply_fn) (uint64_t request_id, zlink_reply_t *reply, void *hint);

ZLINK_EXPORT int zlink_gateway_request_async (void *gateway,
                                              const char *service_name,
                                              zlink_msg_t *parts,
                                              size_t count,
                                              const zlink_request_options_t *options,
                                              zlink_reply_fn *handler,
                                              void *hint,
                                              uint64_t *request_id);
/* The same, and handler is called once, on a thread of the gateway's, with a reply that is
 * closed when it returns. It may call everything but destroy. On success the parts are
 * the gateway's. request_id may be NULL. EAGAIN: too many are under way. */

ZLINK_EXPORT int zlink_gateway_cancel (void *gateway, uint64_t request_id);
/* Its handler is called with CANCELLED. ENOENT: it has ended. */

/* --- messages without replies; as in zlink 1.x --- */

ZLINK_EXPORT int
zlink_gateway_send (void *gateway, const char *service_name, zlink_msg_t *parts, size_t count, int flags);
/* To one of those who provide the service. Blocks while nobody is there or has room;
 * DONTWAIT: EHOSTUNREACH, EAGAIN. All parts or none: on failure they stay. */

ZLINK_EXPORT int zlink_gateway_send_rid (void *gateway,
                                         const char *service_name,
                                         const zlink_routing_id_t *routing_id,
                                         zlink_msg_t *parts,
                                         size_t count,
                                         int flags);
/* To the provider of that routing id (zlink_receiver_info_t). EINVAL: it is none. */

ZLINK_EXPORT int
zlink_gateway_send_buffer (void *gateway, const char *service_name, const void *data, size_t size, int flags);
/* As zlink_gateway_send, a message of one part, which is copied: small ones go out in
 * less time than with a message made for each. EFAULT: data is NULL and size is not 0. */

ZLINK_EXPORT int
zlink_gateway_recv (void *gateway, zlink_msg_t **parts, size_t *count, int flags, char *service_name);
/* What a receiver has sent through zlink_receiver_router: *parts becomes an array of
 * *count messages for zlink_msgv_close and free; service_name, at least 256 bytes or NULL,
 * for which service. DONTWAIT: EAGAIN; EINTR, ETERM, ENOMEM. */

ZLINK_EXPORT void *zlink_gateway_router (void *gateway);
/* A socket of the gateway's, over which the same is read: the routing id of the sender,
 * and its parts; and sent likewise. For programs of zlink 1.x; whoever uses it uses no
 * zlink_gateway_recv. Do not close it. */

ZLINK_EXPORT int zlink_gateway_destroy (void **gateway_p);
/* Requests under way end with TERMINATED. Not from a handler. */

/* --- receivers --- */

#define ZLINK_RECEIVER_SOCKET_ROUTER 1 /* roles for setsockopt */
#define ZLINK_RECEIVER_SOCKET_DEALER 2 /* to registries */

ZLINK_EXPORT void *zlink_receiver_new (void *context, const char *routing_id);
/* routing_id: of its socket; NULL: made up. EMFILE, ENOMEM, ETERM, EFAULT. */

ZLINK_EXPORT int zlink_receiver_bind (void *receiver, const char *endpoint);
/* As zlink_bind. */
ZLINK_EXPORT int zlink_receiver_endpoint (void *receiver, char *endpoint, size_t *size);
/* Where it was bound last. *size becomes what it takes; a shorter text is cut. ENOENT. */

ZLINK_EXPORT int zlink_receiver_connect_registry (void *receiver, const char *registry_endpoint);
/* Everything is registered there, too: either endpoint of a registry; several one after
 * the other. etcd://HOST[:PORT][,HOST...]/PREFIX registers with an etcd itself
 * (zlink_registry_set_store says what it answers). */

ZLINK_EXPORT int zlink_receiver_register (void *receiver,
                                          const char *service_name,
                                          const char *advertise_endpoint,
                                          uint32_t weight);
/* Requests for the service are taken from now on. It is registered at advertise_endpoint;
 * NULL: where it was bound last, with this host's address on the way to the registry in
 * the place of a wildcard. Does not wait: register_result tells. Weight 0: no requests,
 * please. EINVAL: no such name, or nothing is bound.
 * Requests for "zlink.health" are answered by the receiver itself, in recv: one part,
 * "serving", "not-serving" (weight 0), "draining" or "unknown", of the service that the
 * first part names, or, empty, of all. Register that name to have it found. */

ZLINK_EXPORT int zlink_receiver_update_weight (void *receiver, const char *service_name, uint32_t weight);
ZLINK_EXPORT int zlink_receiver_unregister (void *receiver, const char *service_name);
/* ENOENT: it is not registered. */

ZLINK_EXPORT int zlink_receiver_register_result (
  void *receiver, const char *service_name, int *status, char *resolved_endpoint, char *error_message);
/* Waits at most 5 s for a registry's answer. status: 0 registered, else a fault of
 * docs/protocol/registry.md, whose name is copied to error_message; resolved_endpoint:
 * where. Both have at least 256 bytes, or are NULL. ETIMEDOUT; ENOENT: it is not registered,
 * or there is no registry. */

ZLINK_EXPORT int zlink_receiver_set_tls_server (void *receiver, const char *cert_file, const char *key_file);
/* TLS_CERT and TLS_KEY in one call, before it is bound. */

ZLINK_EXPORT int
zlink_receiver_setsockopt (void *receiver, int socket_role, int option, const void *value, size_t size);
/* As zlink_setsockopt, of its socket; EINVAL: no such role. */

typedef struct zlink_request_t zlink_request_t;

ZLINK_EXPORT int zlink_receiver_recv (void *receiver, zlink_request_t **request, int timeout_ms);
/* The next request, to be replied to, failed or closed. Several threads may; any of them
 * may answer. Negative: no limit. EAGAIN: time-out; EINTR, ETERM, ENOMEM. */

ZLINK_EXPORT const char *zlink_request_service (const zlink_request_t *request);
ZLINK_EXPORT zlink_msg_t *zlink_request_parts (zlink_request_t *request, size_t *count);
/* Its parts, the request's until it is answered. */
ZLINK_EXPORT int zlink_request_one_way (const zlink_request_t *request);
/* 1: nothing is to be answered. */
ZLINK_EXPORT const char *zlink_request_key (const zlink_request_t *request, size_t *size);
ZLINK_EXPORT const char *zlink_request_traceparent (const zlink_request_t *request);
/* "" where there is none. */
ZLINK_EXPORT int zlink_request_wanted (const zlink_request_t *request);
/* 0: nobody waits for it any more: it was called off, or is too late. */

ZLINK_EXPORT int zlink_request_reply (zlink_request_t **request, zlink_msg_t *parts, size_t count);
/* Answers it, also where nobody waits any more, and ends it: *request becomes NULL and the
 * parts are taken. EAGAIN: its gateway has no room, try again; ETERM, ENOMEM. */
ZLINK_EXPORT int
zlink_request_fail (zlink_request_t **request, uint32_t code, uint32_t detail, const char *text);
/* Answers that it is not done: ZLINK_FAILURE_*. All but REJECTED and HANDLER say that
 * nothing was done, so that it may be sent to another. text, or NULL: for people. */
ZLINK_EXPORT void zlink_request_close (zlink_request_t **request);
/* Ends it; one that was not answered is failed with HANDLER. */

ZLINK_EXPORT int zlink_receiver_drain (void *receiver, int timeout_ms);
/* Tells gateways and registries that it wants no more, refuses what comes all the same
 * untouched, waits for what is under way, and unregisters. ETIMEDOUT, EINTR, ETERM. */

ZLINK_EXPORT void *zlink_receiver_router (void *receiver);
/* A socket of the receiver's, over which messages and requests are read as in zlink 1.x:
 * the routing id of the gateway, and the parts; what is sent likewise answers the oldest
 * request of that gateway, or is read there by zlink_gateway_recv. Whoever uses it uses no
 * zlink_receiver_recv. Do not close it. */

ZLINK_EXPORT int zlink_receiver_destroy (void **receiver_p);
/* Unregisters it, and closes it. Requests under way are lost. */

/* --- services: SPOT -------------------------------------------------------- */

/* Topics without addresses. A program has a node; what is published there goes to its own
 * subscribers and to those nodes that are connected to it and want it, each once. Of one
 * node's messages to a topic every subscriber sees those that it gets in order; what it
 * lacks is counted, and told by zlink_spot_sub_next. Functions as in zlink 1.x, but for
 * those that are said to be new.
 *
 * Handles as those of gateways: any thread, but of one subscriber one at a time receives.
 * What is opened by a new is destroyed by the caller: publishers, subscribers and readers
 * before their node or behind it, every node before zlink_ctx_term, which would wait for it.
 * Connecting, joining and registering do not wait for anybody, nor do their errors tell that
 * nobody is there: it is tried until it works. docs/spot.md is the way through all of it. */

/* Roles for setsockopt: which of a node's sockets, or its own options. */
#define ZLINK_SPOT_NODE_SOCKET_NODE 0    /* the node's own: ZLINK_SPOT_NODE_OPT_* */
#define ZLINK_SPOT_NODE_SOCKET_PUB 1     /* other nodes connect to it, and read from it */
#define ZLINK_SPOT_NODE_SOCKET_SUB 2     /* connects to other nodes; MAXMSGSIZE from 8,192 on: */
                                         /* small messages share frames */
#define ZLINK_SPOT_NODE_SOCKET_DEALER 3  /* to registries */
#define ZLINK_SPOT_NODE_SOCKET_GRANTOR 4 /* new: to those that grant partitions, see below */

#define ZLINK_SPOT_NODE_OPT_PUB_MODE 1              /* int: ZLINK_SPOT_NODE_PUB_MODE_*; SYNC */
#define ZLINK_SPOT_NODE_OPT_PUB_QUEUE_HWM 2         /* int: 100,000 messages to each node; 0: no limit; */
                                                    /* before it is bound */
#define ZLINK_SPOT_NODE_OPT_PUB_QUEUE_FULL_POLICY 3 /* int: *_PUB_QUEUE_FULL_*; EAGAIN, with ASYNC alone */
#define ZLINK_SPOT_NODE_OPT_ADVERTISE 8 /* new: text, without a NUL: the endpoint that those who */
                                        /* join are told, in place of where it is bound; at any */
                                        /* time; EINVAL: none, or a wildcard */
/* What publishing does where a node that wants the message has no room. In no mode it waits for
 * room; with EAGAIN it may give a reader of its own node up to 0.3 ms to come nearer. */
#define ZLINK_SPOT_NODE_PUB_MODE_SYNC 0         /* that node misses the message, and is told of a gap */
#define ZLINK_SPOT_NODE_PUB_MODE_ASYNC 1        /* as the policy says */
#define ZLINK_SPOT_NODE_PUB_QUEUE_FULL_EAGAIN 0 /* publishing fails, and nobody gets the message */
#define ZLINK_SPOT_NODE_PUB_QUEUE_FULL_DROP 1   /* as SYNC */

ZLINK_EXPORT void *zlink_spot_node_new (void *context);
/* EMFILE, ENOMEM, ETERM, EFAULT. */
ZLINK_EXPORT int zlink_spot_node_destroy (void **node_p);
/* Leaves all others with a farewell, so that they do not take it for lost. Ends its publishers,
 * subscribers and readers, whose handles stay to be destroyed: what stands in their queues can
 * still be received, then they answer ETERM, as publishing does. Calls handlers of publishes
 * that are under way. Not from a handler. */
ZLINK_EXPORT int zlink_spot_node_bind (void *node, const char *endpoint);
/* Where other nodes reach it. As zlink_bind; more than once, and at any time. */
ZLINK_EXPORT int zlink_spot_node_endpoint (void *node, char *endpoint, size_t *size);
/* New: where it was bound last. *size is set to what is needed, NUL included; a longer text
 * is cut. ENOENT: nowhere. */
ZLINK_EXPORT int zlink_spot_node_connect_registry (void *node, const char *registry_endpoint);
/* Where it registers; of several with all, before or behind register. An etcd too, as
 * zlink_discovery_connect_registry. EINVAL: NULL; else as that. */
ZLINK_EXPORT int zlink_spot_node_connect_peer_pub (void *node, const char *peer_endpoint);
ZLINK_EXPORT int zlink_spot_node_disconnect_peer_pub (void *node, const char *peer_endpoint);
/* What that node publishes comes here, or no longer; not the other way round. Connects as
 * zlink_connect. disconnect: what it has sent and was not read yet is lost untold; ENOENT: it
 * was not connected to by that. */
ZLINK_EXPORT int zlink_spot_node_join (void *node, const char *seed_endpoint);
/* New: this node and all that know the seed are connected both ways, also those that come
 * later. NULL: others may join this one. The others are told where this node was bound last with
 * an address, or what it advertises (ZLINK_SPOT_NODE_OPT_ADVERTISE). One that is bound to a
 * wildcard alone (tcp://0.0.0.0:5570, tcp://[::]:5570) and advertises nothing is read by those
 * alone whose seed it is. May be called for several seeds. As zlink_connect. */
ZLINK_EXPORT int zlink_spot_node_leave (void *node, const char *seed_endpoint);
/* New: takes join back. That seed is dialled no more, unless its node is known otherwise, too.
 * NULL: all seeds, and this node says no more where it is: it reads none of the others but
 * those that were named (connect_peer_pub) or that its discovery tells of, and what they have
 * sent and was not read yet is lost untold. Those that read it because it had joined do so for
 * 10 s more at most. Does not wait for them. It may join again. ENOENT: it did not join, or not by that
 * seed; ENOMEM, ETERM. */
ZLINK_EXPORT int
zlink_spot_node_register (void *node, const char *service_name, const char *advertise_endpoint);
/* So that others find it: they read it, it does not read them (set_discovery). service_name
 * NULL: "spot-node"; advertise_endpoint NULL: where it was bound last, its wildcard made an
 * address. EINVAL: no such name or endpoint, or it is not bound; ENOMEM, ETERM. */
ZLINK_EXPORT int zlink_spot_node_unregister (void *node, const char *service_name);
/* ENOENT: it is not registered so. */
ZLINK_EXPORT int zlink_spot_node_set_discovery (void *node, void *discovery, const char *service_name);
/* Everybody who is registered under that name (NULL: "spot-node") is read, as they come and go.
 * The discovery is one of ZLINK_SERVICE_SPOT; a second one takes the place of the first. Peers
 * that were named stay; zlink 1.x forgot them. discovery NULL: no longer. Destroy the discovery
 * behind the node, or call this with NULL first. EFAULT: no such discovery; EINVAL: no such
 * name; ENOMEM, ETERM. */
ZLINK_EXPORT int zlink_spot_node_set_tls_server (void *node, const char *cert_file, const char *key_file);
/* TLS_CERT and TLS_KEY of PUB, before it is bound: PEM, a path or the text. NULL: that one stays
 * as it is. */
ZLINK_EXPORT int
zlink_spot_node_set_tls_client (void *node, const char *ca_file, const char *hostname, int trust_system);
/* TLS_CA, TLS_HOSTNAME (NULL: they stay as they are) and TLS_TRUST_SYSTEM of SUB, before it
 * connects. Of registries and grantors: zlink_service_secure, or options of DEALER and GRANTOR. */
ZLINK_EXPORT int
zlink_spot_node_setsockopt (void *node, int socket_role, int option, const void *value, size_t size);
/* An option of one of its sockets, which counts for what is bound or connected later, or one of
 * its own. EINVAL: no such role, or no such value; else as zlink_setsockopt.
 * Of SUB: every 5 s (HEARTBEAT_IVL, in ms; 0: never) a node asks those that it reads for a sign
 * of life. One that is lost is missed within 10 s; it misses this node as soon, once it has been
 * asked. HEARTBEAT_TTL is twice that unless it is set, and CONNECT_TIMEOUT is 5,000. */
ZLINK_EXPORT int zlink_spot_node_wait (void *node, size_t count, int timeout_ms);
/* New: blocks until so many other nodes read this one; negative: no limit. The topics of those
 * that subscribed before they joined or connected are known by then. ETIMEDOUT, EINTR, ETERM. */

typedef struct zlink_spot_node_counters_t
{
    size_t size;        /* sizeof, set by the caller */
    uint64_t published; /* messages of this node, also where nobody wanted them */
    uint64_t received;  /* messages of other nodes and its own that were read for subscribers */
    uint64_t delivered; /* messages to subscribers, each counted anew */
    uint64_t unwanted;  /* messages that were received, and nobody wanted any more */
    uint64_t repeated;  /* messages that had come over another connection before */
    uint64_t malformed; /* messages that could not be read */
    uint64_t missed;    /* messages for which a node had no room for us, as it told */
    uint64_t broken;    /* connections to nodes that ended without a farewell */
    uint64_t nodes;     /* other nodes that read this one, now */
} zlink_spot_node_counters_t;

ZLINK_EXPORT int zlink_spot_node_counters (void *node, zlink_spot_node_counters_t *counters);
/* New: since the node was made; all but nodes only grow. What nobody has read yet is not
 * counted. Does not block. EFAULT: a null pointer, or no such handle; EINVAL: the struct's
 * size. */

#define ZLINK_SPOT_TOPIC_DECLARED 0 /* partitioned, at this node */
#define ZLINK_SPOT_TOPIC_EXACT 1    /* wanted by subscribers or readers of this node: that topic, */
#define ZLINK_SPOT_TOPIC_PREFIX 2   /* all that begin so, */
#define ZLINK_SPOT_TOPIC_GLOB 3     /* a pattern */

typedef struct zlink_spot_topic_t
{
    const char *name; /* ends with a NUL; of a prefix without the '*' */
    int32_t kind;     /* ZLINK_SPOT_TOPIC_* */
    uint32_t wanted;  /* of EXACT, PREFIX and GLOB: how often */
    uint32_t partitions;
    uint32_t owned_here; /* of DECLARED: so many of the partitions, now */
} zlink_spot_topic_t;

typedef void (zlink_spot_topic_fn) (const zlink_spot_topic_t *topic, void *hint);

ZLINK_EXPORT int zlink_spot_node_visit_topics (void *node, zlink_spot_topic_fn *visitor, void *hint);
/* New: calls it for each topic that this node knows by itself, within this call and without
 * a lock, in no order: it may call everything but destroy. What other nodes want or
 * publish it does not know as a list. topic is borrowed. EFAULT: no such handle, or no
 * visitor; ENOMEM: before the first. */

ZLINK_EXPORT void *zlink_spot_pub_new (void *node);
/* Any number for a node. EFAULT: no node; ENOMEM. */
ZLINK_EXPORT int
zlink_spot_pub_publish (void *pub, const char *topic, zlink_msg_t *parts, size_t count, int flags);
/* A topic has 1 to 255 bytes. Takes the parts, all or on failure none. That nobody wants it is
 * no failure. flags: 0, else ENOTSUP. EINVAL: no topic, or no part; EAGAIN: a node has no room,
 * where PUB_MODE says so; EFAULT: no message; ETERM: the node has ended, or the context; ENOMEM. */
ZLINK_EXPORT int zlink_spot_pub_send (void *pub, const char *topic, const void *data, size_t size);
/* New: a message of one part, copied. EFAULT: data is NULL and size is not 0; else as publish. */
ZLINK_EXPORT int zlink_spot_pub_setsockopt (void *pub, int option, const void *value, size_t size);
/* Of the node's socket PUB, which all its publishers share. As zlink_setsockopt. */
ZLINK_EXPORT int zlink_spot_pub_destroy (void **pub_p);
/* What it has published goes on its way. */

/* What becomes of messages for which a subscriber's queue has no room. */
#define ZLINK_SPOT_DROP_NEWEST 0 /* as in zlink 1.x */
#define ZLINK_SPOT_DROP_OLDEST 1
#define ZLINK_SPOT_CONFLATE 2   /* the newest of each topic waits alone */
#define ZLINK_SPOT_BLOCK 3      /* its node reads no further, for no subscriber, until there is room */
#define ZLINK_SPOT_DISCONNECT 4 /* it gets no more, for good: ECONNABORTED once all is read */

/* Why messages are missing. */
#define ZLINK_SPOT_GAP_NONE 0           /* none is: it is a message */
#define ZLINK_SPOT_GAP_QUEUE_FULL 1     /* the subscriber's, as its policy says */
#define ZLINK_SPOT_GAP_NO_MEMORY 2      /* in this process */
#define ZLINK_SPOT_GAP_PUBLISHER_FULL 3 /* a node that publishes had no room for this node */
#define ZLINK_SPOT_GAP_CONNECTION 4     /* to a node broke; how many is not known */

/* A message, or a gap, which has no topic and no body: then gap says why, and missing how many
 * (0: not known). All is borrowed until the next call for the same subscriber. */
typedef struct zlink_spot_message_t
{
    size_t size; /* sizeof, set by the caller */
    const char *topic;
    size_t topic_size;
    const void *body; /* of one part */
    size_t body_size;
    uint64_t publisher; /* the node */
    uint64_t number;    /* grows with what that node publishes */
    int32_t gap;        /* ZLINK_SPOT_GAP_* */
    uint32_t count;     /* parts; of several there is no body */
    uint64_t missing;
    const zlink_msg_t *parts; /* so many; NULL of one that stands in body alone */
} zlink_spot_message_t;

typedef struct zlink_spot_counters_t
{
    size_t size;        /* sizeof, set by the caller */
    uint64_t queued;    /* messages, ever */
    uint64_t dropped;   /* are missing, as gaps tell; a broken connection counts as one */
    uint64_t conflated; /* a newer one took their place */
    uint64_t waiting;   /* now */
} zlink_spot_counters_t;

typedef void (zlink_spot_sub_handler_fn) (
  const char *topic, size_t topic_len, const zlink_msg_t *parts, size_t part_count, void *user_data);
/* topic, which ends with a NUL, and parts are borrowed during the call. */

ZLINK_EXPORT void *zlink_spot_sub_new (void *node);
/* Any number for a node, each with a queue of its own. EFAULT: no node; ENOMEM. */
ZLINK_EXPORT int zlink_spot_sub_subscribe (void *sub, const char *topic);
/* A subscriber has any number of topics and patterns, and gets a message once however many
 * match. What is asked for twice ends when it is unsubscribed from twice. What this node
 * publishes behind this call comes; other nodes have to hear of it first. EINVAL: a topic has
 * 1 to 255 bytes; ENOMEM, ETERM. */
ZLINK_EXPORT int zlink_spot_sub_subscribe_pattern (void *sub, const char *pattern);
/* All that begins with what stands in front of the '*' at its end; "*": everything. EINVAL: it
 * has none there, or another one. */
ZLINK_EXPORT int zlink_spot_sub_subscribe_glob (void *sub, const char *pattern);
/* New: a pattern as of ZLINK_SUBSCRIBE_PATTERN. EINVAL: it is none; EMFILE: a node has 10,000. */
ZLINK_EXPORT int zlink_spot_sub_unsubscribe (void *sub, const char *topic_or_pattern);
ZLINK_EXPORT int zlink_spot_sub_unsubscribe_glob (void *sub, const char *pattern);
/* The first ends a topic, or a pattern with its '*'. What stands in the queue still comes.
 * EINVAL: it was not there. */
ZLINK_EXPORT int zlink_spot_sub_set_policy (void *sub, int policy, size_t messages_max);
/* New: what to do where the queue is full (ZLINK_SPOT_DROP_NEWEST, unless this is called), and
 * when it is: with so many messages (100,000; 0: as it is; with CONFLATE so many topics, of more
 * the oldest goes), or with 256 MiB. EINVAL: no such policy. */
ZLINK_EXPORT int zlink_spot_sub_set_handler (void *sub, zlink_spot_sub_handler_fn *handler, void *user_data);
/* Called on a thread of the subscriber's, so that a slow one delays no other; instead of the one
 * before, which has ended then. It may call everything but this, and destroy of the subscriber
 * or its node. NULL: no longer, and none is running. Of gaps it is not told: counters count
 * what is missing. EBUSY: somebody is receiving; ENOMEM; as the system's threads fail. */
ZLINK_EXPORT int zlink_spot_sub_recv (
  void *sub, zlink_msg_t **parts, size_t *part_count, int flags, char *topic_out, size_t *topic_len);
/* Blocks until a message comes. *parts becomes an array of *part_count for zlink_msgv_close;
 * topic_out, at least 256 bytes, or NULL; *topic_len becomes its length; may be NULL. Gaps are
 * passed over. EAGAIN: nothing came, with ZLINK_DONTWAIT or within RCVTIMEO (-1: no limit);
 * EBUSY: another thread is receiving; EINVAL: there is a handler, or another flag; ECONNABORTED:
 * as ZLINK_SPOT_DISCONNECT says; EINTR, ETERM, ENOMEM. */
ZLINK_EXPORT int zlink_spot_sub_next (void *sub, zlink_spot_message_t *message, int timeout_ms);
/* New: the same without copies, and with gaps. Negative: no limit; 0: what is there. EAGAIN:
 * nothing came; EINVAL: the struct's size, or there is a handler; else as recv. */
ZLINK_EXPORT int zlink_spot_sub_fd (void *sub, zlink_fd_t *fd);
/* New: a descriptor for zlink_poll, zlink_poller_add_fd and other event loops. It is readable
 * while next or recv may find something; only one that finds nothing (EAGAIN) takes that back,
 * so go on until then. From the first call on this subscriber is read for where nobody else of
 * its node receives, by a thread of the context. Closed by destroy, not by the caller; of no
 * use with a handler. Does not block. EFAULT: a null pointer, or no such handle; EMFILE,
 * ENOMEM; ENOTSUP: not on this platform. */
ZLINK_EXPORT int zlink_spot_sub_counters (void *sub, zlink_spot_counters_t *counters);
/* Since it was made. EFAULT: a null pointer, or no such handle; EINVAL: the struct's size. */
ZLINK_EXPORT int zlink_spot_sub_setsockopt (void *sub, int option, const void *value, size_t size);
/* RCVHWM, int: messages in its queue, 0: no limit; and RCVTIMEO, int: of recv, in ms, -1: no limit;
 * are its own. All others are of the node's socket SUB, which all its subscribers share. */
ZLINK_EXPORT int zlink_spot_sub_destroy (void **sub_p);
/* Who receives gets ETERM. Waits for its handler. Not from the handler. */

/* --- partitioned topics of SPOT; all new --- */

/* A topic may be declared with so many partitions, the same at every node that uses it. A
 * key belongs to one partition. Whatever is published there goes to the node that owns it,
 * which numbers it, from 1 on, one behind the other: every reader gets the same order, each
 * message once, and is told what it lacks. Order between partitions there is none. Of what
 * has a key subscribers (zlink_spot_sub_*) get nothing, and readers nothing of what has none.
 *
 * Who owns a partition is granted by registries, for an epoch: never two nodes in one. Of
 * the nodes that may own the topic and are there one is chosen for each partition. When an
 * owner dies, the partition stands still until its lease is over (2 s); one that is destroyed
 * hands over at once. A registry that has just started grants nothing for as long as a
 * lease, but where it grants in an etcd, which remembers. docs/protocol/partitions.md has the
 * rules.
 *
 * Nodes have to be connected both ways: zlink_spot_node_join, or a discovery at each.
 * Any thread; of one reader only one at a time. Nothing here is a function of zlink 1.x. */

/* Further options of ZLINK_SPOT_NODE_SOCKET_NODE, for topics that are declared and readers that
 * are made later. RING_*: what an owner keeps of each partition for those who come late. */
#define ZLINK_SPOT_NODE_OPT_OWNS 4          /* int: 1; 0: this node owns nothing of the topic; at all */
                                            /* nodes but one: the topic is pinned to that one */
#define ZLINK_SPOT_NODE_OPT_RING_MESSAGES 5 /* int: 1,024 messages, at least 1 */
#define ZLINK_SPOT_NODE_OPT_RING_BYTES 6    /* int: 1 MiB of keys and bodies; one message may pass it */
#define ZLINK_SPOT_NODE_OPT_READER_HWM 7    /* int: 1,000 messages in a reader's queue, at least 1 */

ZLINK_EXPORT int zlink_spot_node_add_grantor (void *node, const char *registry_endpoint);
/* One of the registries that grant partitions: the same at every node that may own some.
 * A registry that keeps no record of its votes grants only where it is the only one. Of those
 * that share an etcd any one is enough, nodes may name different ones, and an etcd itself,
 * etcd://HOST[:PORT][,HOST...]/PREFIX; then all that any node names have that etcd and prefix.
 * Does not wait for it. EINVAL: no endpoint, or one too many (9); EFSM: a topic is declared
 * already; EPROTONOSUPPORT: as set_store; else as zlink_connect. */

ZLINK_EXPORT int zlink_spot_node_declare (void *node, const char *topic, uint32_t partitions);
/* 1 to 65,536. Without a grantor the node owns nothing, but may publish and read. Does not
 * wait for an owner. May be said again; there is no taking back. EINVAL: no topic, no such
 * number, or declared with another one; ENOMEM, ETERM. */

typedef struct zlink_spot_partition_t
{
    size_t size;         /* sizeof, set by the caller */
    uint64_t node;       /* this one */
    uint64_t owner;      /* the node; 0: none is known here */
    uint64_t epoch;      /* 0: none */
    uint64_t epoch_id;   /* two grants may come to one number, never to one number and id */
    uint64_t last;       /* number given last, as far as this node knows */
    uint64_t under_way;  /* publishes of this node that are waited for */
    uint32_t owned_here; /* 1: this node owns it, and may number now */
    uint32_t reserved;
} zlink_spot_partition_t;

ZLINK_EXPORT int
zlink_spot_node_partition (void *node, const char *topic, uint32_t partition, zlink_spot_partition_t *state);
/* What this node knows of it now. Partitions are counted from 0. Does not block. ENOENT: it is
 * not declared here, or has no such partition; EINVAL: the struct's size. */

typedef struct zlink_spot_place_t
{
    size_t size; /* sizeof, set by the caller */
    uint64_t epoch;
    uint64_t epoch_id;
    uint64_t sequence; /* 0: it was numbered, and where is not known any more */
    uint32_t partition;
    uint32_t reserved;
} zlink_spot_place_t;

ZLINK_EXPORT int zlink_spot_pub_send_key (void *pub,
                                          const char *topic,
                                          const void *key,
                                          size_t key_size,
                                          const void *data,
                                          size_t size,
                                          zlink_spot_place_t *place,
                                          int timeout_ms);
/* Publishes to the partition of the key, any octets, at most 65,535 or none, and blocks
 * until it is numbered; signals do not end that. Key and data are copied. place may be NULL.
 * Negative: no limit. It is sent again as often as needed, and numbered once. On failure it is
 * certain that it was not numbered and will not be, but for the last two:
 * EHOSTUNREACH: nobody owned the partition in time; EAGAIN: 64 of this node are under way in
 * that partition; EINVAL: the topic is not declared here, the key too long, or the struct's
 * size; EFAULT, ENOMEM.
 * ETIMEDOUT, ETERM: it may have been numbered, or may yet be. */

typedef void (zlink_spot_place_fn) (int error, const zlink_spot_place_t *place, void *user_data);

ZLINK_EXPORT int zlink_spot_pub_send_key_async (void *pub,
                                                const char *topic,
                                                const void *key,
                                                size_t key_size,
                                                const void *data,
                                                size_t size,
                                                int timeout_ms,
                                                zlink_spot_place_fn *handler,
                                                void *user_data);
/* The same without waiting. On success handler is called once: with error 0 and where it was
 * numbered, which is borrowed, or with EHOSTUNREACH, ETIMEDOUT or ETERM and NULL; on the thread
 * of the context's services, which does nothing else meanwhile, or by whoever destroys the node.
 * It may call what does not block. What is sent one behind the other under one key is numbered
 * in that order, as far as it is numbered; handlers may be called in another order. EAGAIN,
 * EINVAL, ENOMEM, ETERM: not sent, and handler is not called; EFAULT: likewise, also for want of
 * a handler. */

/* From where a reader reads, in each partition by itself. */
#define ZLINK_SPOT_FROM_NOW 0      /* what is numbered from now on; the value is not looked at */
#define ZLINK_SPOT_FROM_LAST 1     /* and so many before that, as far as they are there */
#define ZLINK_SPOT_FROM_SEQUENCE 2 /* from that number on; what is not there any more is a gap */

#define ZLINK_SPOT_EVENT_MESSAGE 0
#define ZLINK_SPOT_EVENT_GAP 1     /* sequence up to last are missing, for good */
#define ZLINK_SPOT_EVENT_EPOCH 2   /* another one begins, with sequence; last was got before */
#define ZLINK_SPOT_EVENT_ANOTHER 3 /* a second owner used the number of the epoch, and is refused */
#define ZLINK_SPOT_EVENT_OWNER 4   /* node owns the partition now; 0: it has lost its owner */

typedef struct zlink_spot_event_t
{
    size_t size;  /* sizeof, set by the caller */
    int32_t kind; /* ZLINK_SPOT_EVENT_* */
    uint32_t partition;
    uint64_t epoch; /* of a message: under which it was numbered; of ANOTHER: that which is refused */
    uint64_t epoch_id;
    uint64_t sequence; /* of a message: its number; of GAP and EPOCH: see there */
    uint64_t last;     /* of GAP and EPOCH */
    uint64_t behind;   /* of a message: so many were numbered behind it, as far as this node knows */
    uint64_t node;     /* of a message: who published it; of OWNER: who owns the partition */
    const void *key;   /* of a message: the reader's until the next call */
    size_t key_size;
    const void *body;
    size_t body_size;
    uint32_t loss_possible; /* of EPOCH: 1: messages of the last one may be missing */
    uint32_t reserved;
} zlink_spot_event_t;

ZLINK_EXPORT void *zlink_spot_reader_new (void *node, const char *topic, int from, uint64_t value);
/* A reader of all partitions of a topic, each from there on: ZLINK_SPOT_FROM_*, where value is
 * so many of each, or the same number in each. With NOW it begins when an owner has answered,
 * not with this call. What it has no room for is asked for later, from the owner's ring.
 * EINVAL: the topic is not declared here, or from is none of those; EFAULT: no node; ENOMEM,
 * ETERM. */

ZLINK_EXPORT int zlink_spot_reader_next (void *reader, zlink_spot_event_t *event, int timeout_ms);
/* What comes next, in order for each partition. OWNER is told in front of what waits, and of
 * several changes of a partition the last alone; who owned it when the reader was made is not
 * told: zlink_spot_node_partition. Negative: no limit; 0: what is there. EAGAIN: nothing came;
 * EBUSY: another thread is in here; EINTR, ETERM; EINVAL: the struct's size, or there is a
 * handler. */

ZLINK_EXPORT int zlink_spot_reader_fd (void *reader, zlink_fd_t *fd);
/* A descriptor as that of zlink_spot_sub_fd, for next. */

typedef void (zlink_spot_reader_handler_fn) (const zlink_spot_event_t *event, void *user_data);

ZLINK_EXPORT int
zlink_spot_reader_set_handler (void *reader, zlink_spot_reader_handler_fn *handler, void *user_data);
/* Called with all that next would tell, in that order, gaps too, on a thread of the reader's, so
 * that a slow one delays no other. The event is borrowed. NULL: no longer, and none is running.
 * Not from the handler. EBUSY: somebody is in next; ENOMEM; as the system's threads fail. */

ZLINK_EXPORT int zlink_spot_reader_destroy (void **reader_p);
/* Who is in next gets ETERM. Waits for its handler. Not from the handler. */

#undef ZLINK_EXPORT

#ifdef __cplusplus
}
#endif

#endif

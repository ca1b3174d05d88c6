#include "threads/named_calls.hpp"

#include <cerrno>
#include <cstdlib>
#include <sys/uio.h>

#include "zlink/zlink.h"
#include "zmq.h"

namespace zlink::test {
namespace {

template <class Call> long with_part (Call call)
{
    zlink_msg_t one;
    zlink_msg_init (&one);
    const long answer = call (&one);
    const int reason = errno;
    zlink_msg_close (&one);
    errno = reason;
    return answer;
}

long poll_for (void *socket, short events, long timeout_ms)
{
    zmq_pollitem_t item{socket, 0, events, 0};
    return zmq_poll (&item, 1, timeout_ms);
}

long wait_in_poller (void *socket)
{
    void *poller = zlink_poller_new ();
    zlink_poller_event_t event{};
    long answer = zlink_poller_add (poller, socket, nullptr, ZLINK_POLLIN);
    if (answer == 0)
        answer = zlink_poller_wait (poller, &event, -1);
    const int reason = errno;
    zlink_poller_destroy (&poller);
    errno = reason;
    return answer;
}

long read_option (void *socket, int option)
{
    int value = 0;
    std::size_t size = sizeof value;
    return zmq_getsockopt (socket, option, &value, &size);
}

// Whether the socket is still there, behind calls that are answered to the last.
long still_there (void *socket) { return read_option (socket, ZMQ_EVENTS); }

// An answer that says no more than that something is not there.
long unless (int harmless, long answer) { return answer < 0 && errno == harmless ? 0 : answer; }

long wait_for_all_in_poller (void *socket)
{
    void *poller = zlink_poller_new ();
    zlink_poller_event_t events[2] = {};
    long answer = zlink_poller_add (poller, socket, nullptr, ZLINK_POLLIN);
    if (answer == 0)
        answer = zlink_poller_wait_all (poller, events, 2, -1);
    const int reason = errno;
    zlink_poller_destroy (&poller);
    errno = reason;
    return answer;
}

// A queue of the socket's events. It ends with the socket, not with the context.
long read_events (void *socket)
{
    void *const queue = zlink_events_open (socket, ZLINK_EVENT_ALL, 0);
    if (queue == nullptr)
        return -1;
    zlink_event_t event;
    long there = 0;
    while (there >= 0 && (zlink_events_recv (queue, &event, 1) == 0 || errno == EAGAIN))
        there = still_there (socket);
    if (there >= 0)
        there = still_there (socket);
    const int reason = errno;
    zlink_events_close (queue);
    errno = reason;
    return there;
}

// A monitor of the socket, looked at once.
long look_at_monitor (void *socket)
{
    void *const monitor = zlink_socket_monitor_open (socket, ZLINK_EVENT_ALL);
    if (monitor == nullptr)
        return -1;
    zlink_monitor_event_t event{};
    const long answer = zlink_monitor_recv (monitor, &event, ZMQ_DONTWAIT);
    const int reason = errno;
    zmq_close (monitor);
    errno = reason;
    return unless (EAGAIN, answer);
}

// A name and a message behind it, and both back.
long echo (void *socket)
{
    char name[300];
    char text[8];
    const int named = zmq_recv (socket, name, sizeof name, 0);
    const int got = named < 0 ? named : zmq_recv (socket, text, sizeof text, 0);
    if (got < 0)
        return got;
    const int first = zmq_send (socket, name, static_cast<std::size_t> (named), ZMQ_SNDMORE);
    return unless (EHOSTUNREACH, first < 0 ? first : zmq_send (socket, "text", 4, 0));
}

const std::string &large ()
{
    static const std::string text (60'000, 'x');
    return text;
}

long send_large (void *socket, int flags = 0)
{
    return zmq_send (socket, large ().data (), large ().size (), flags);
}

// To the one peer that has said something, until there is no room.
long answer_without_end (void *socket)
{
    const int must = 1;
    char name[300];
    long said = zmq_setsockopt (socket, ZMQ_ROUTER_MANDATORY, &must, sizeof must);
    const int named = said < 0 ? -1 : zmq_recv (socket, name, sizeof name, 0);
    said = named < 0 ? -1 : zmq_recv (socket, nullptr, 0, 0);
    while (said >= 0) {
        said = zmq_send (socket, name, static_cast<std::size_t> (named), ZMQ_SNDMORE);
        if (said >= 0)
            said = send_large (socket);
    }
    return said;
}

// To a subscriber that reads nothing, until there is no room.
long publish_without_end (void *socket)
{
    const int wait = 1;
    if (zmq_setsockopt (socket, ZMQ_XPUB_NODROP, &wait, sizeof wait) < 0
        || zmq_recv (socket, nullptr, 0, 0) < 0)
        return -1;
    long said = 0;
    while (said >= 0)
        said = send_large (socket);
    return said;
}

long receive (void *socket) { return zmq_recv (socket, nullptr, 0, 0); }
long send_text (void *socket) { return zmq_send (socket, "text", 4, 0); }
long send_then_receive (void *socket) { return send_text (socket) < 0 ? -1 : receive (socket); }
long receive_then_send (void *socket) { return receive (socket) < 0 ? -1 : send_text (socket); }

constexpr named_call calls[] = {
  // --- that wait for ever -------------------------------------------------
  {"recv", &scene::pull, false, [] (const scene &at) -> long { return zmq_recv (at.pull, nullptr, 0, 0); }},
  {"msg_recv", &scene::pull, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *to) { return zlink_msg_recv (to, at.pull, 0); });
   }},
  {"recvv", &scene::pull, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *to) {
           std::size_t count = 1;
           return zlink_recvv (at.pull, to, &count, 0);
       });
   }},
  {"recvn", &scene::pull, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *to) { return zlink_recvn (at.pull, to, 1, 0); });
   }},
  {"recv_packed", &scene::pull, false,
   [] (const scene &at) -> long {
       std::uint32_t size = 0;
       char bytes[8];
       return zlink_recv_packed (at.pull, bytes, sizeof bytes, &size, 1, 0);
   }},
  {"send", &scene::push, false, [] (const scene &at) -> long { return zmq_send (at.push, "x", 1, 0); }},
  {"msg_send", &scene::push, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *of) { return zlink_msg_send (of, at.push, 0); });
   }},
  {"sendv", &scene::push, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *of) { return zlink_sendv (at.push, of, 1, 0); });
   }},
  {"sendn", &scene::push, false,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *of) { return zlink_sendn (at.push, of, 1, 0); });
   }},
  {"send_packed", &scene::push, false,
   [] (const scene &at) -> long {
       const std::uint32_t size = 1;
       return zlink_send_packed (at.push, "x", 1, &size, 1, 0);
   }},
  {"poll_in", &scene::pull, false, [] (const scene &at) { return poll_for (at.pull, ZMQ_POLLIN, -1); }},
  {"poll_out", &scene::push, false, [] (const scene &at) { return poll_for (at.push, ZMQ_POLLOUT, -1); }},
  {"poller_wait", &scene::pull, false, [] (const scene &at) { return wait_in_poller (at.pull); }},
  {"wait_peers", &scene::pair, false,
   [] (const scene &at) -> long { return zlink_wait_peers (at.pair, 1, -1); }},
  {"proxy", &scene::pull, false,
   [] (const scene &at) -> long { return zmq_proxy (at.pull, at.push, nullptr); }},
  // --- in the middle of traffic --------------------------------------------
  {"busy_recv", &scene::pull, true,
   [] (const scene &at) -> long { return zmq_recv (at.pull, nullptr, 0, 0); }},
  {"busy_send", &scene::push, true,
   [] (const scene &at) -> long { return zmq_send (at.push, "busy", 4, 0); }},
  {"busy_large_send", &scene::push, true,
   [] (const scene &at) -> long {
       return send_large (at.push);
   }},
  {"busy_parts", &scene::push, true,
   [] (const scene &at) -> long {
       const int first = zmq_send (at.push, "one", 3, ZMQ_SNDMORE);
       return first < 0 ? first : zmq_send (at.push, "two", 3, 0);
   }},
  {"busy_poll", &scene::pull, true, [] (const scene &at) { return poll_for (at.pull, ZMQ_POLLIN, 1); }},
  // --- that do not wait -------------------------------------------------------
  {"bind_and_unbind", &scene::pair, false,
   [] (const scene &at) -> long {
       const int bound = zmq_bind (at.pair, at.elsewhere.c_str ());
       return bound < 0 ? bound : zmq_unbind (at.pair, at.elsewhere.c_str ());
   }},
  {"connect_and_disconnect", &scene::pair, false,
   [] (const scene &at) -> long {
       const int made = zmq_connect (at.pair, at.elsewhere.c_str ());
       return made < 0 ? made : zmq_disconnect (at.pair, at.elsewhere.c_str ());
   }},
  {"events", &scene::push, true, [] (const scene &at) { return read_option (at.push, ZMQ_EVENTS); }},
  {"descriptor", &scene::push, true, [] (const scene &at) { return read_option (at.push, ZMQ_FD); }},
  {"set_option", &scene::push, true,
   [] (const scene &at) -> long {
       const int linger = 0;
       return zmq_setsockopt (at.push, ZMQ_LINGER, &linger, sizeof linger);
   }},
  {"statistics", &scene::push, true,
   [] (const scene &at) -> long {
       zlink_statistics_t found;  // there to the last, so something else must say when that is
       const int answer = zlink_statistics (at.push, &found);
       return answer < 0 ? answer : read_option (at.push, ZMQ_EVENTS);
   }},
  {"status", &scene::push, true,
   [] (const scene &at) -> long {
       zlink_endpoint_status_t found;
       return zlink_connect_status (at.push, at.where.c_str (), &found);
   }},
  {"poller_wait_all", &scene::pull, false, [] (const scene &at) { return wait_for_all_in_poller (at.pull); }},
  {"ppoll", &scene::pull, false,
   [] (const scene &at) -> long {
       zmq_pollitem_t item{at.pull, 0, ZMQ_POLLIN, 0};
       return zmq_ppoll (&item, 1, -1, nullptr);
   }},
  {"proxy_steerable", &scene::pull, false,
   [] (const scene &at) -> long { return zmq_proxy_steerable (at.pull, at.push, nullptr, at.pair); }},
  {"control_of_a_proxy", &scene::pair, false,
   [] (const scene &at) -> long { return zmq_proxy_steerable (at.pull, at.push, nullptr, at.pair); }},
  {"send_const", &scene::push, false,
   [] (const scene &at) -> long { return zmq_send_const (at.push, "x", 1, 0); }},
  {"sendiov", &scene::push, false,
   [] (const scene &at) -> long {
       char text[] = "x";
       iovec one{text, 1};
       return zmq_sendiov (at.push, &one, 1, 0);
   }},
  {"recviov", &scene::pull, false,
   [] (const scene &at) -> long {
       iovec one{};
       std::size_t count = 1;
       return zmq_recviov (at.pull, &one, &count, 0);
   }},
  {"events_recv", &scene::pull, false, [] (const scene &at) { return read_events (at.pull); }},
  {"monitor_recv", &scene::pull, false, [] (const scene &at) { return look_at_monitor (at.pull); }},
  // --- of other types, that wait for ever ------------------------------------
  {"sub_recv", &scene::one, false, [] (const scene &at) { return receive (at.one); }, ZMQ_SUB},
  {"xsub_recv", &scene::one, false, [] (const scene &at) { return receive (at.one); }, ZMQ_XSUB},
  {"xpub_recv", &scene::one, false, [] (const scene &at) { return receive (at.one); }, ZMQ_XPUB},
  {"xpub_send", &scene::one, false, [] (const scene &at) { return publish_without_end (at.one); }, ZMQ_XPUB,
   ZMQ_SUB},
  {"wait_subscribers", &scene::one, false,
   [] (const scene &at) -> long { return zlink_wait_subscribers (at.one, 1, -1); }, ZMQ_PUB},
  {"wait_subscribed", &scene::one, false,
   [] (const scene &at) -> long { return zlink_wait_subscribed (at.one, 1, -1); }, ZMQ_SUB},
  {"router_recv", &scene::one, false, [] (const scene &at) { return receive (at.one); }, ZMQ_ROUTER},
  {"router_send", &scene::one, false, [] (const scene &at) { return answer_without_end (at.one); }, ZMQ_ROUTER,
   ZMQ_DEALER, [] (const scene &at) { return send_text (at.peer) < 0 ? -1 : still_there (at.peer); }},
  {"dealer_recv", &scene::one, false, [] (const scene &at) { return receive (at.one); }, ZMQ_DEALER},
  {"dealer_send", &scene::one, false, [] (const scene &at) { return send_text (at.one); }, ZMQ_DEALER},
  {"req_send", &scene::one, false, [] (const scene &at) { return send_text (at.one); }, ZMQ_REQ},
  {"req_recv", &scene::one, false, [] (const scene &at) { return send_then_receive (at.one); }, ZMQ_REQ, ZMQ_REP},
  {"rep_recv", &scene::one, false, [] (const scene &at) { return receive (at.one); }, ZMQ_REP},
  {"stream_recv", &scene::one, false, [] (const scene &at) { return receive (at.one); }, ZMQ_STREAM, -1, nullptr,
   true},
  // --- of other types, in the middle of traffic --------------------------------
  {"busy_pub", &scene::one, false, [] (const scene &at) { return send_text (at.one); }, ZMQ_PUB, ZMQ_SUB,
   [] (const scene &at) { return receive (at.peer); }},
  {"busy_sub", &scene::one, false, [] (const scene &at) { return receive (at.one); }, ZMQ_SUB, ZMQ_PUB,
   [] (const scene &at) { return send_text (at.peer); }},
  {"busy_router", &scene::one, false, [] (const scene &at) { return echo (at.one); }, ZMQ_ROUTER, ZMQ_DEALER,
   [] (const scene &at) { return send_then_receive (at.peer); }},
  {"busy_dealer", &scene::one, false, [] (const scene &at) { return send_then_receive (at.one); }, ZMQ_DEALER,
   ZMQ_ROUTER, [] (const scene &at) { return echo (at.peer); }},
  {"busy_req", &scene::one, false, [] (const scene &at) { return send_then_receive (at.one); }, ZMQ_REQ, ZMQ_REP,
   [] (const scene &at) { return receive_then_send (at.peer); }},
  {"busy_rep", &scene::one, false, [] (const scene &at) { return receive_then_send (at.one); }, ZMQ_REP, ZMQ_REQ,
   [] (const scene &at) { return send_then_receive (at.peer); }},
  {"busy_stream", &scene::one, false, [] (const scene &at) { return echo (at.one); }, ZMQ_STREAM, ZMQ_STREAM,
   [] (const scene &at) { return echo (at.peer); }, true},
  {"busy_unbind", &scene::pull, true,
   [] (const scene &at) {
       // The one that was there may still be closing.
       const long again = unless (EADDRINUSE, zmq_bind (at.pull, at.where.c_str ()));
       return again < 0 ? again : unless (ENOENT, zmq_unbind (at.pull, at.where.c_str ()));
   }},
  {"busy_sendiov", &scene::push, true,
   [] (const scene &at) -> long {
       char text[] = "two";
       iovec both[] = {{text, 3}, {text, 3}};
       return zmq_sendiov (at.push, both, 2, 0);
   }},
  {"busy_recviov", &scene::pull, true,
   [] (const scene &at) -> long {
       iovec parts[2] = {};
       std::size_t count = 2;
       const int got = zmq_recviov (at.pull, parts, &count, 0);
       const int reason = errno;
       for (int i = 0; i < got; ++i)
           std::free (parts[i].iov_base);
       errno = reason;
       return got;
   }},
  // --- that do not wait and are about the socket, or its context --------------
  {"socket", &scene::pair, false,
   [] (const scene &at) -> long {
       void *const another = zmq_socket (at.context, ZMQ_PAIR);
       const long made = another == nullptr ? -1 : zmq_close (another);
       return made < 0 ? made : still_there (at.pair);
   }},
  {"socket_monitor", &scene::push, true,
   [] (const scene &at) -> long {
       const int made = zlink_socket_monitor (at.push, "inproc://every-point", ZLINK_EVENT_ALL);
       return made < 0 ? made : zlink_socket_monitor (at.push, nullptr, 0);
   }},
  {"events_open", &scene::push, true,
   [] (const scene &at) -> long {
       void *const queue = zlink_events_open (at.push, ZLINK_EVENT_ALL, 0);
       return queue == nullptr ? -1 : zlink_events_close (queue);
   }},
  {"peers", &scene::push, true,
   [] (const scene &at) -> long {
       zlink_peer_info_t found[2];
       std::size_t count = 2;
       (void)zlink_socket_peers (at.push, found, &count);
       (void)zlink_socket_peer_count (at.push);
       return still_there (at.push);
   }},
  {"peer_info", &scene::push, true,
   [] (const scene &at) -> long {
       zlink_routing_id_t name{};
       zlink_peer_info_t found;
       (void)zlink_socket_peer_routing_id (at.push, 0, &name);
       (void)zlink_socket_peer_info (at.push, &name, &found);
       return still_there (at.push);
   }},
  {"counters", &scene::push, true,
   [] (const scene &at) -> long {
       zlink_counters_t rows[4];
       std::size_t count = 4;
       (void)zlink_counters (at.push, rows, sizeof rows[0], &count);
       return still_there (at.push);
   }},
  {"counters_text", &scene::push, true,
   [] (const scene &at) -> long {
       char text[2000];
       std::size_t size = sizeof text;
       (void)zlink_counters_text (at.push, text, &size);
       size = sizeof text;
       (void)zlink_ctx_counters_text (at.context, text, &size);
       return still_there (at.push);
   }},
  {"ctx_holders", &scene::push, true,
   [] (const scene &at) -> long {
       char text[2000];
       std::size_t size = sizeof text;
       (void)zlink_ctx_holders (at.context, text, &size);
       return still_there (at.push);
   }},
};

constexpr named_call senders[] = {
  {"send", &scene::push, true, [] (const scene &at) { return send_text (at.push); }},
  {"large_send", &scene::push, true, [] (const scene &at) { return send_large (at.push); }},
  {"parts", &scene::push, true,
   [] (const scene &at) { return send_large (at.push, ZMQ_SNDMORE) < 0 ? -1 : send_text (at.push); }},
  {"sendv", &scene::push, true,
   [] (const scene &at) {
       return with_part ([&] (zlink_msg_t *of) { return zlink_sendv (at.push, of, 1, 0); });
   }},
};

}  // namespace

std::span<const named_call> named_calls () { return calls; }
std::span<const named_call> sending_calls () { return senders; }

}  // namespace zlink::test

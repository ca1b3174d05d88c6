// libzmq's C ABI: every function of zmq.h, in its order.
#define DLL_EXPORT
#include "zmq.h"

#include <cerrno>
#include <string_view>

#include "api/errors.hpp"
#include "api/keys.hpp"
#include "api/messages.hpp"
#include "api/monitor_formats.hpp"
#include "api/pollers.hpp"
#include "api/sockets.hpp"
#include "api/utilities.hpp"
#include "api/vectors.hpp"
#include "base/z85.hpp"
#include "transport/web_transports.hpp"

namespace api = zlink::api;
namespace facade = zlink::socket;
using api::as_message;
using zlink::base::errc;

// --- version, errors --------------------------------------------------------

void zmq_version (int *major, int *minor, int *patch)
{
    api::version_into (ZMQ_VERSION_MAJOR, ZMQ_VERSION_MINOR, ZMQ_VERSION_PATCH, major, minor, patch);
}

int zmq_errno (void) { return errno; }

const char *zmq_strerror (int errnum) { return api::error_text (errnum); }

// --- contexts ---------------------------------------------------------------

void *zmq_ctx_new (void) { return api::context_new (facade::header::zmq); }

int zmq_ctx_term (void *context) { return api::context_terminate (context); }

int zmq_ctx_shutdown (void *context) { return api::answer (facade::context_shutdown (context)); }

int zmq_ctx_set (void *context, int option, int value)
{
    return api::answer (facade::context_set (context, option, value));
}

int zmq_ctx_get (void *context, int option) { return api::answer (facade::context_get (context, option)); }

int zmq_ctx_set_ext (void *context, int option, const void *value, size_t size)
{
    return api::answer (facade::context_set_bytes (context, option, value, size));
}

int zmq_ctx_get_ext (void *context, int option, void *value, size_t *size)
{
    return api::answer (facade::context_get_bytes (context, option, value, size));
}

void *zmq_init (int io_threads)
{
    if (io_threads < 0)
        return api::failed_pointer (errc::invalid_argument);
    void *context = zmq_ctx_new ();
    if (context != nullptr)
        zmq_ctx_set (context, ZMQ_IO_THREADS, io_threads);
    return context;
}

int zmq_term (void *context) { return zmq_ctx_term (context); }

int zmq_ctx_destroy (void *context) { return zmq_ctx_term (context); }

// --- messages ---------------------------------------------------------------

int zmq_msg_init (zmq_msg_t *msg) { return api::message_init (as_message (msg)); }

int zmq_msg_init_size (zmq_msg_t *msg, size_t size)
{
    return api::message_init_size (as_message (msg), size);
}

int zmq_msg_init_data (zmq_msg_t *msg, void *data, size_t size, zmq_free_fn *ffn, void *hint)
{
    return api::message_init_adopt (as_message (msg), data, size, ffn, hint);
}

int zmq_msg_init_buffer (zmq_msg_t *msg, const void *buf, size_t size)
{
    return api::message_init_copy (as_message (msg), buf, size);
}

int zmq_msg_send (zmq_msg_t *msg, void *socket, int flags)
{
    return api::send_message (as_message (msg), socket, flags);
}

int zmq_msg_recv (zmq_msg_t *msg, void *socket, int flags)
{
    return api::receive_message (as_message (msg), socket, flags);
}

int zmq_msg_close (zmq_msg_t *msg) { return api::message_close (as_message (msg)); }

int zmq_msg_move (zmq_msg_t *dest, zmq_msg_t *src)
{
    return api::message_move (as_message (dest), as_message (src));
}

int zmq_msg_copy (zmq_msg_t *dest, zmq_msg_t *src)
{
    return api::message_copy (as_message (dest), as_message (src));
}

void *zmq_msg_data (zmq_msg_t *msg) { return api::message_data (as_message (msg)); }

size_t zmq_msg_size (const zmq_msg_t *msg) { return api::message_size (as_message (msg)); }

int zmq_msg_more (const zmq_msg_t *msg) { return api::message_more (as_message (msg)); }

int zmq_msg_get (const zmq_msg_t *msg, int property) { return api::message_get (as_message (msg), property); }

int zmq_msg_set (zmq_msg_t *msg, int, int) { return api::message_set (as_message (msg)); }

const char *zmq_msg_gets (const zmq_msg_t *msg, const char *property)
{
    return api::message_gets (as_message (msg), property);
}

int zmq_msg_set_routing_id (zmq_msg_t *msg, uint32_t routing_id)
{
    return api::message_set_routing_id (as_message (msg), routing_id);
}

uint32_t zmq_msg_routing_id (zmq_msg_t *msg) { return api::message_routing_id (as_message (msg)); }

int zmq_msg_set_group (zmq_msg_t *msg, const char *group)
{
    return api::message_set_group (as_message (msg), group);
}

const char *zmq_msg_group (zmq_msg_t *msg) { return api::message_group (as_message (msg)); }

// --- sockets ----------------------------------------------------------------

void *zmq_socket (void *context, int type) { return api::answer (facade::open (context, type)); }

int zmq_close (void *socket) { return api::answer (facade::close (socket)); }

int zmq_setsockopt (void *socket, int option, const void *value, size_t size)
{
    return api::answer (facade::set_option (socket, option, value, size));
}

int zmq_getsockopt (void *socket, int option, void *value, size_t *size)
{
    return api::answer (facade::get_option (socket, option, value, size));
}

int zmq_bind (void *socket, const char *endpoint)
{
    return api::with_endpoint (facade::bind, socket, endpoint);
}

int zmq_connect (void *socket, const char *endpoint)
{
    return api::with_endpoint (facade::connect, socket, endpoint);
}

int zmq_unbind (void *socket, const char *endpoint)
{
    return api::with_endpoint (facade::unbind, socket, endpoint);
}

int zmq_disconnect (void *socket, const char *endpoint)
{
    return api::with_endpoint (facade::disconnect, socket, endpoint);
}

int zmq_send (void *socket, const void *buf, size_t size, int flags)
{
    return api::send_bytes (socket, buf, size, flags);
}

int zmq_send_const (void *socket, const void *buf, size_t size, int flags)
{
    return api::send_constant (socket, buf, size, flags);
}

int zmq_recv (void *socket, void *buf, size_t size, int flags)
{
    return api::receive_bytes (socket, buf, size, flags);
}

int zmq_join (void *socket, const char *group) { return api::with_group (facade::join, socket, group); }

int zmq_leave (void *socket, const char *group) { return api::with_group (facade::leave, socket, group); }

uint32_t zmq_connect_peer (void *socket, const char *endpoint)
{
    return api::connect_peer (socket, endpoint);
}

int zmq_disconnect_peer (void *socket, uint32_t routing_id)
{
    return api::answer (facade::disconnect_peer (socket, routing_id));
}

int zmq_socket_get_peer_state (void *socket, const void *routing_id, size_t routing_id_size)
{
    return api::peer_state (socket, routing_id, routing_id_size);
}

int zmq_sendmsg (void *socket, zmq_msg_t *msg, int flags)
{
    return api::send_message (as_message (msg), socket, flags);
}

int zmq_recvmsg (void *socket, zmq_msg_t *msg, int flags)
{
    return api::receive_message (as_message (msg), socket, flags);
}

int zmq_sendiov (void *socket, struct iovec *iov, size_t count, int flags)
{
    return api::send_slices (socket, reinterpret_cast<const api::io_slice *> (iov), count, flags);
}

int zmq_recviov (void *socket, struct iovec *iov, size_t *count, int flags)
{
    return api::receive_slices (socket, reinterpret_cast<api::io_slice *> (iov), count, flags);
}

// --- events of connections ----------------------------------------------------

int zmq_socket_monitor (void *socket, const char *endpoint, int events)
{
    return zmq_socket_monitor_versioned (socket, endpoint, static_cast<uint32_t> (events), 1, ZMQ_PAIR);
}

int zmq_socket_monitor_versioned (void *socket, const char *endpoint, uint64_t events, int version, int type)
{
    if (!api::is_socket (socket))
        return api::failed (errc::not_a_socket);
    constexpr unsigned bits_of_v1 = 16;
    if ((version != 1 && version != 2) || (version == 1 && events >> bits_of_v1 != 0))
        return api::failed (errc::invalid_argument);
    if (endpoint == nullptr)
        return api::answer (facade::monitor_stop (socket));
    if (type != ZMQ_PAIR && type != ZMQ_PUB && type != ZMQ_PUSH)
        return api::failed (errc::invalid_argument);
    const facade::monitor_format &format = version == 1 ? api::zmq_monitor_v1 : api::zmq_monitor_v2;
    return api::answer (facade::monitor_start (socket, endpoint, events, type, format));
}

int zmq_socket_monitor_pipes_stats (void *socket)
{
    return api::answer (facade::monitor_pipes (socket, ZMQ_EVENT_PIPES_STATS));
}

// --- waiting ----------------------------------------------------------------

int zmq_poll (zmq_pollitem_t *items, int count, long timeout_ms)
{
    return api::poll_items (items, count, timeout_ms);
}

int zmq_ppoll (zmq_pollitem_t *items, int count, long timeout_ms, const zmq_sigset_t *sigmask)
{
    return api::poll_items (items, count, timeout_ms, {sigmask});
}

void *zmq_poller_new (void) { return api::poller_new (); }

int zmq_poller_destroy (void **poller_p) { return api::poller_destroy (poller_p); }

int zmq_poller_size (void *poller) { return api::poller_size (poller); }

int zmq_poller_add (void *poller, void *socket, void *user_data, short events)
{
    return api::poller_add_socket (poller, socket, user_data, events);
}

int zmq_poller_modify (void *poller, void *socket, short events)
{
    return api::poller_modify_socket (poller, socket, events);
}

int zmq_poller_remove (void *poller, void *socket) { return api::poller_remove_socket (poller, socket); }

int zmq_poller_add_fd (void *poller, zmq_fd_t fd, void *user_data, short events)
{
    return api::poller_add_handle (poller, static_cast<int> (fd), user_data, events);
}

int zmq_poller_modify_fd (void *poller, zmq_fd_t fd, short events)
{
    return api::poller_modify_handle (poller, static_cast<int> (fd), events);
}

int zmq_poller_remove_fd (void *poller, zmq_fd_t fd)
{
    return api::poller_remove_handle (poller, static_cast<int> (fd));
}

int zmq_poller_wait (void *poller, zmq_poller_event_t *event, long timeout_ms)
{
    return api::poller_wait_one (poller, event, timeout_ms);
}

int zmq_poller_wait_all (void *poller, zmq_poller_event_t *events, int count, long timeout_ms)
{
    return api::poller_wait_all (poller, events, count, timeout_ms);
}

int zmq_poller_fd (void *poller, zmq_fd_t *fd) { return api::poller_descriptor (poller, fd); }

// --- proxies ----------------------------------------------------------------

int zmq_proxy (void *frontend, void *backend, void *capture)
{
    return api::proxy_sockets (frontend, backend, capture, nullptr);
}

int zmq_proxy_steerable (void *frontend, void *backend, void *capture, void *control)
{
    return api::proxy_sockets (frontend, backend, capture, control);
}

int zmq_device (int, void *frontend, void *backend)
{
    return api::proxy_sockets (frontend, backend, nullptr, nullptr);
}

// --- capabilities, keys -----------------------------------------------------

int zmq_has (const char *capability)
{
    if (capability == nullptr)
        return 0;
    // As libzmq: "tcp", "udp" and "inproc" are not among the names it knows.
    const std::string_view name = zlink::transport::scheme_called (capability);
    const bool has = name == "draft" || (name != "tcp" && name != "udp" && api::has_transport (name))
                     || (name == "curve" && facade::has_curve ());
    return has ? 1 : 0;
}

char *zmq_z85_encode (char *dest, const uint8_t *data, size_t size)
{
    if (dest == nullptr || (data == nullptr && size != 0))
        return api::failed_pointer (errc::bad_address);
    return zlink::base::z85_encode (dest, data, size) ? dest : api::failed_pointer (errc::invalid_argument);
}

uint8_t *zmq_z85_decode (uint8_t *dest, const char *string)
{
    if (dest == nullptr || string == nullptr)
        return api::failed_pointer (errc::bad_address);
    return zlink::base::z85_decode (dest, string) ? dest : api::failed_pointer (errc::invalid_argument);
}

int zmq_curve_keypair (char *z85_public_key, char *z85_secret_key)
{
    return api::curve_key_pair (z85_public_key, z85_secret_key);
}

int zmq_curve_public (char *z85_public_key, const char *z85_secret_key)
{
    return api::curve_public_key (z85_public_key, z85_secret_key);
}

// --- utilities --------------------------------------------------------------

void *zmq_atomic_counter_new (void) { return api::counter_new (); }

void zmq_atomic_counter_set (void *counter, int value) { api::counter_set (counter, value); }

int zmq_atomic_counter_inc (void *counter) { return api::counter_increment (counter); }

int zmq_atomic_counter_dec (void *counter) { return api::counter_decrement (counter); }

int zmq_atomic_counter_value (void *counter) { return api::counter_value (counter); }

void zmq_atomic_counter_destroy (void **counter_p) { api::counter_destroy (counter_p); }

void *zmq_timers_new (void) { return api::timers_new (); }

int zmq_timers_destroy (void **timers_p) { return api::timers_destroy (timers_p); }

int zmq_timers_add (void *timers, size_t interval_ms, zmq_timer_fn handler, void *arg)
{
    return api::timers_add (timers, interval_ms, handler, arg);
}

int zmq_timers_cancel (void *timers, int timer_id) { return api::timers_cancel (timers, timer_id); }

int zmq_timers_set_interval (void *timers, int timer_id, size_t interval_ms)
{
    return api::timers_set_interval (timers, timer_id, interval_ms);
}

int zmq_timers_reset (void *timers, int timer_id) { return api::timers_reset (timers, timer_id); }

long zmq_timers_timeout (void *timers) { return api::timers_timeout (timers); }

int zmq_timers_execute (void *timers) { return api::timers_execute (timers); }

void *zmq_stopwatch_start (void) { return api::stopwatch_start (); }

unsigned long zmq_stopwatch_intermediate (void *watch) { return api::stopwatch_read (watch); }

unsigned long zmq_stopwatch_stop (void *watch) { return api::stopwatch_stop (watch); }

void zmq_sleep (int seconds) { api::sleep_seconds (seconds); }

void *zmq_threadstart (zmq_thread_fn *func, void *arg) { return api::thread_start (func, arg); }

void zmq_threadclose (void *thread) { api::thread_close (thread); }

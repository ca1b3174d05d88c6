// zlink's own C ABI: every function of zlink.h, in its order.
#define ZLINK_BUILD
#include "zlink/zlink.h"

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "api/authenticator.hpp"
#include "api/counters.hpp"
#include "api/errors.hpp"
#include "api/event_structs.hpp"
#include "api/keys.hpp"
#include "api/log.hpp"
#include "api/messages.hpp"
#include "api/monitor_formats.hpp"
#include "api/pollers.hpp"
#include "api/services_built.hpp"
#include "api/sockets.hpp"
#include "api/utilities.hpp"

namespace api = zlink::api;
namespace facade = zlink::socket;
using api::as_message;
using zlink::base::errc;

// --- version, errors ----------------------------------------------------------

void zlink_version (int *major, int *minor, int *patch)
{
    api::version_into (ZLINK_VERSION_MAJOR, ZLINK_VERSION_MINOR, ZLINK_VERSION_PATCH, major, minor, patch);
}

int zlink_errno (void) { return errno; }

const char *zlink_strerror (int errnum) { return api::error_text (errnum); }

// --- warnings -----------------------------------------------------------------

int zlink_set_log (zlink_log_fn *callback, void *hint) { return api::set_log (callback, hint); }

void zlink_log_discard (int, const char *, const char *, void *) {}

// --- contexts -----------------------------------------------------------------

void *zlink_ctx_new (void) { return api::context_new (facade::header::zlink); }

int zlink_ctx_term (void *context) { return api::context_terminate (context); }

int zlink_ctx_term_ms (void *context, int timeout_ms) { return api::context_terminate (context, timeout_ms); }

int zlink_ctx_holders (void *context, char *text, size_t *size)
{
    return api::text_into (facade::context_holders, context, text, size);
}

int zlink_ctx_shutdown (void *context) { return api::answer (facade::context_shutdown (context)); }

int zlink_ctx_set (void *context, int option, int value)
{
    return api::answer (facade::context_set (context, option, value));
}

int zlink_ctx_get (void *context, int option) { return api::answer (facade::context_get (context, option)); }

// --- messages -----------------------------------------------------------------

int zlink_msg_init (zlink_msg_t *msg) { return api::message_init (as_message (msg)); }

int zlink_msg_init_size (zlink_msg_t *msg, size_t size)
{
    return api::message_init_size (as_message (msg), size);
}

int zlink_msg_init_buffer (zlink_msg_t *msg, const void *buf, size_t size)
{
    return api::message_init_copy (as_message (msg), buf, size);
}

int zlink_msg_init_data (zlink_msg_t *msg, void *data, size_t size, zlink_free_fn *ffn, void *hint)
{
    return api::message_init_adopt (as_message (msg), data, size, ffn, hint);
}

int zlink_msg_send (zlink_msg_t *msg, void *socket, int flags)
{
    return api::send_message (as_message (msg), socket, flags);
}

int zlink_msg_recv (zlink_msg_t *msg, void *socket, int flags)
{
    return api::receive_message (as_message (msg), socket, flags);
}

int zlink_msg_close (zlink_msg_t *msg) { return api::message_close (as_message (msg)); }

int zlink_msg_move (zlink_msg_t *dest, zlink_msg_t *src)
{
    return api::message_move (as_message (dest), as_message (src));
}

int zlink_msg_copy (zlink_msg_t *dest, zlink_msg_t *src)
{
    return api::message_copy (as_message (dest), as_message (src));
}

void *zlink_msg_data (zlink_msg_t *msg) { return api::message_data (as_message (msg)); }

size_t zlink_msg_size (const zlink_msg_t *msg) { return api::message_size (as_message (msg)); }

int zlink_msg_more (const zlink_msg_t *msg) { return api::message_more (as_message (msg)); }

int zlink_msg_get (const zlink_msg_t *msg, int property)
{
    return api::message_get (as_message (msg), property);
}

int zlink_msg_set (zlink_msg_t *msg, int, int) { return api::message_set (as_message (msg)); }

const char *zlink_msg_gets (const zlink_msg_t *msg, const char *property)
{
    return api::message_gets (as_message (msg), property);
}

int zlink_msg_set_routing_id (zlink_msg_t *msg, uint32_t routing_id)
{
    return api::message_set_routing_id (as_message (msg), routing_id);
}

uint32_t zlink_msg_routing_id (zlink_msg_t *msg) { return api::message_routing_id (as_message (msg)); }

int zlink_msg_set_group (zlink_msg_t *msg, const char *group)
{
    return api::message_set_group (as_message (msg), group);
}

const char *zlink_msg_group (zlink_msg_t *msg) { return api::message_group (as_message (msg)); }

void zlink_msgv_close (zlink_msg_t *parts, size_t count)
{
    if (parts == nullptr)
        return;
    for (size_t i = 0; i < count; ++i)
        if (api::usable (as_message (&parts[i])))
            as_message (&parts[i])->close ();
    std::free (parts);
}

// --- sockets ------------------------------------------------------------------

void *zlink_socket (void *context, int type) { return api::answer (facade::open (context, type)); }

int zlink_close (void *socket) { return api::answer (facade::close (socket)); }

int zlink_setsockopt (void *socket, int option, const void *value, size_t size)
{
    return api::answer (facade::set_option (socket, option, value, size));
}

int zlink_getsockopt (void *socket, int option, void *value, size_t *size)
{
    return api::answer (facade::get_option (socket, option, value, size));
}

int zlink_bind (void *socket, const char *endpoint)
{
    return api::with_endpoint (facade::bind, socket, endpoint);
}

int zlink_connect (void *socket, const char *endpoint)
{
    return api::with_endpoint (facade::connect, socket, endpoint);
}

int zlink_unbind (void *socket, const char *endpoint)
{
    return api::with_endpoint (facade::unbind, socket, endpoint);
}

int zlink_disconnect (void *socket, const char *endpoint)
{
    return api::with_endpoint (facade::disconnect, socket, endpoint);
}

int zlink_join (void *socket, const char *group) { return api::with_group (facade::join, socket, group); }

int zlink_leave (void *socket, const char *group) { return api::with_group (facade::leave, socket, group); }

uint32_t zlink_connect_peer (void *socket, const char *endpoint)
{
    return api::connect_peer (socket, endpoint);
}

int zlink_disconnect_peer (void *socket, uint32_t routing_id)
{
    return api::answer (facade::disconnect_peer (socket, routing_id));
}

int zlink_send (void *socket, const void *buf, size_t size, int flags)
{
    return api::send_bytes (socket, buf, size, flags);
}

int zlink_send_const (void *socket, const void *buf, size_t size, int flags)
{
    return api::send_constant (socket, buf, size, flags);
}

int zlink_recv (void *socket, void *buf, size_t size, int flags)
{
    return api::receive_bytes (socket, buf, size, flags);
}

// --- whole messages ----------------------------------------------------------

int zlink_sendv (void *socket, zlink_msg_t *parts, size_t count, int flags)
{
    return api::send_parts (socket, as_message (parts), count, flags);
}

int zlink_recvv (void *socket, zlink_msg_t *parts, size_t *count, int flags)
{
    return api::receive_parts (socket, as_message (parts), count, flags);
}

int zlink_sendn (void *socket, zlink_msg_t *messages, size_t count, int flags)
{
    return api::send_many (socket, as_message (messages), count, flags);
}

int zlink_recvn (void *socket, zlink_msg_t *messages, size_t count, int flags)
{
    return api::receive_many (socket, as_message (messages), count, flags);
}

int zlink_send_packed (
  void *socket, const void *bytes, size_t bytes_size, const uint32_t *sizes, size_t count, int flags)
{
    return api::send_packed (socket, bytes, bytes_size, sizes, count, flags);
}

int zlink_recv_packed (
  void *socket, void *buffer, size_t buffer_size, uint32_t *sizes, size_t count, int flags)
{
    return api::receive_packed (socket, buffer, buffer_size, sizes, count, flags);
}

// --- how it goes -------------------------------------------------------------

int zlink_connect_status (void *socket, const char *endpoint, zlink_endpoint_status_t *status)
{
    if (status == nullptr)
        return api::failed (errc::bad_address);
    if (endpoint == nullptr)
        return api::failed (errc::invalid_argument);
    const auto found = facade::status (socket, endpoint);
    if (!found)
        return api::failed (found.failure ());
    const facade::endpoint_status &from = found.value ();
    const std::string_view reason = zlink::base::reason_name (from.last_reason);
    *status = {};
    status->is_listener = from.is_listener ? 1 : 0;
    status->connected = from.connected;
    status->attempts = from.attempts;
    status->last_reason = static_cast<int32_t> (from.last_reason);
    status->last_os_error = from.os_error;
    reason.copy (status->reason_text, sizeof (status->reason_text) - 1);
    return 0;
}

int zlink_wait_peers (void *socket, unsigned int count, int timeout_ms)
{
    const auto timeout_ns = timeout_ms < 0 ? -1 : timeout_ms * zlink::base::ns_per_ms;
    return api::answer (facade::wait_peers (socket, count, timeout_ns));
}

int zlink_set_authenticator (void *socket, zlink_authenticator_fn *function, void *hint, zlink_free_fn *ffn)
{
    return api::set_authenticator (socket, function, hint, ffn);
}

int zlink_wait_subscribers (void *socket, unsigned int count, int timeout_ms)
{
    const auto timeout_ns = timeout_ms < 0 ? -1 : timeout_ms * zlink::base::ns_per_ms;
    return api::answer (facade::wait_subscribers (socket, count, timeout_ns));
}

int zlink_wait_subscribed (void *socket, unsigned int count, int timeout_ms)
{
    const auto timeout_ns = timeout_ms < 0 ? -1 : timeout_ms * zlink::base::ns_per_ms;
    return api::answer (facade::wait_subscribed (socket, count, timeout_ns));
}

// --- events -------------------------------------------------------------------

void *zlink_events_open (void *socket, uint64_t events, size_t queued_max)
{
    return api::open_events (socket, events, queued_max);
}

int zlink_events_recv (void *events, zlink_event_t *event, int timeout_ms)
{
    return api::receive_event (events, event, timeout_ms);
}

int zlink_events_close (void *events) { return api::close_events (events); }

int zlink_socket_monitor (void *socket, const char *endpoint, int events)
{
    if (endpoint == nullptr)
        return api::answer (facade::monitor_stop (socket));
    return api::answer (facade::monitor_start (socket, endpoint, static_cast<uint32_t> (events), ZLINK_PAIR,
                                               api::zlink_monitor));
}

void *zlink_socket_monitor_open (void *socket, int events)
{
    return api::answer (facade::monitor_open (socket, static_cast<uint32_t> (events), api::zlink_monitor));
}

int zlink_monitor_recv (void *monitor, zlink_monitor_event_t *event, int flags)
{
    return api::receive_monitor_event (monitor, event, flags);
}

// --- peers --------------------------------------------------------------------

int zlink_socket_peer_count (void *socket) { return api::count_peers (socket); }

int zlink_socket_peers (void *socket, zlink_peer_info_t *peers, size_t *count)
{
    return api::list_peers (socket, peers, count);
}

int zlink_socket_peer_routing_id (void *socket, int index, zlink_routing_id_t *routing_id)
{
    return api::peer_at (socket, index, routing_id);
}

int zlink_socket_peer_info (void *socket, const zlink_routing_id_t *routing_id, zlink_peer_info_t *info)
{
    return api::find_peer (socket, routing_id, info);
}

// --- counters -----------------------------------------------------------------

int zlink_statistics (void *socket, zlink_statistics_t *statistics)
{
    if (statistics == nullptr)
        return api::failed (errc::bad_address);
    const auto found = facade::statistics (socket);
    if (!found)
        return api::failed (found.failure ());
    const facade::counters &from = found.value ();
    *statistics = {};
    statistics->messages_sent = from.total.messages_sent;
    statistics->bytes_sent = from.total.bytes_sent;
    statistics->messages_received = from.total.messages_received;
    statistics->bytes_received = from.total.bytes_received;
    statistics->dropped = from.total.dropped_total ();
    statistics->connections_made = from.total.handshakes_done;
    statistics->connections_lost = from.total.connections_lost;
    statistics->handshakes_failed = from.total.handshakes_failed;
    statistics->reconnects = from.total.reconnects;
    statistics->read_calls = from.total.read_calls;
    statistics->write_calls = from.total.write_calls;
    statistics->poll_calls = from.poll_calls;
    statistics->wakes = from.wakes;
    statistics->events_lost = from.events_lost;
    statistics->round_trip_ns = from.round_trip_ns;
    return 0;
}

int zlink_counters (void *socket, zlink_counters_t *rows, size_t row_size, size_t *count)
{
    return api::count_rows_into (socket, rows, row_size, count);
}

int zlink_counters_text (void *socket, char *text, size_t *size)
{
    return api::text_into (facade::counters_text, socket, text, size);
}

int zlink_ctx_counters_text (void *context, char *text, size_t *size)
{
    return api::text_into (facade::context_counters_text, context, text, size);
}

// --- waiting ------------------------------------------------------------------

int zlink_poll (zlink_pollitem_t *items, int count, long timeout_ms)
{
    return api::poll_items (items, count, timeout_ms);
}

int zlink_ppoll (zlink_pollitem_t *items, int count, long timeout_ms, const void *sigmask)
{
    return api::poll_items (items, count, timeout_ms, {sigmask});
}

void *zlink_poller_new (void) { return api::poller_new (); }

int zlink_poller_destroy (void **poller_p) { return api::poller_destroy (poller_p); }

int zlink_poller_size (void *poller) { return api::poller_size (poller); }

int zlink_poller_add (void *poller, void *socket, void *user_data, short events)
{
    return api::poller_add_socket (poller, socket, user_data, events);
}

int zlink_poller_modify (void *poller, void *socket, short events)
{
    return api::poller_modify_socket (poller, socket, events);
}

int zlink_poller_remove (void *poller, void *socket) { return api::poller_remove_socket (poller, socket); }

int zlink_poller_add_fd (void *poller, zlink_fd_t fd, void *user_data, short events)
{
    return api::poller_add_handle (poller, static_cast<int> (fd), user_data, events);
}

int zlink_poller_modify_fd (void *poller, zlink_fd_t fd, short events)
{
    return api::poller_modify_handle (poller, static_cast<int> (fd), events);
}

int zlink_poller_remove_fd (void *poller, zlink_fd_t fd)
{
    return api::poller_remove_handle (poller, static_cast<int> (fd));
}

int zlink_poller_wait (void *poller, zlink_poller_event_t *event, long timeout_ms)
{
    return api::poller_wait_one (poller, event, timeout_ms);
}

int zlink_poller_wait_all (void *poller, zlink_poller_event_t *events, int count, long timeout_ms)
{
    return api::poller_wait_all (poller, events, count, timeout_ms);
}

int zlink_poller_fd (void *poller, zlink_fd_t *fd) { return api::poller_descriptor (poller, fd); }

int zlink_proxy (void *frontend, void *backend, void *capture)
{
    return api::proxy_sockets (frontend, backend, capture, nullptr);
}

int zlink_proxy_steerable (void *frontend, void *backend, void *capture, void *control)
{
    return api::proxy_sockets (frontend, backend, capture, control);
}

// --- utilities ---------------------------------------------------------------

int zlink_has (const char *capability)
{
    if (capability == nullptr)
        return 0;
    const std::string_view name = capability;
    const bool has = name == "inproc" || api::has_transport (name)
                     || (name == "curve" && facade::has_curve ())
                     || (name == "services" && api::has_services ());
    return has ? 1 : 0;
}

int zlink_curve_keypair (char *z85_public_key, char *z85_secret_key)
{
    return api::curve_key_pair (z85_public_key, z85_secret_key);
}

int zlink_curve_public (char *z85_public_key, const char *z85_secret_key)
{
    return api::curve_public_key (z85_public_key, z85_secret_key);
}

int zlink_hash_password (char *to, size_t to_size, const void *password, size_t size)
{
    return api::hash_password (to, to_size, password, size);
}

void *zlink_atomic_counter_new (void) { return api::counter_new (); }

void zlink_atomic_counter_set (void *counter, int value) { api::counter_set (counter, value); }

int zlink_atomic_counter_inc (void *counter) { return api::counter_increment (counter); }

int zlink_atomic_counter_dec (void *counter) { return api::counter_decrement (counter); }

int zlink_atomic_counter_value (void *counter) { return api::counter_value (counter); }

void zlink_atomic_counter_destroy (void **counter_p) { api::counter_destroy (counter_p); }

void *zlink_timers_new (void) { return api::timers_new (); }

int zlink_timers_destroy (void **timers_p) { return api::timers_destroy (timers_p); }

int zlink_timers_add (void *timers, size_t interval_ms, zlink_timer_fn handler, void *arg)
{
    return api::timers_add (timers, interval_ms, handler, arg);
}

int zlink_timers_cancel (void *timers, int timer_id) { return api::timers_cancel (timers, timer_id); }

int zlink_timers_set_interval (void *timers, int timer_id, size_t interval_ms)
{
    return api::timers_set_interval (timers, timer_id, interval_ms);
}

int zlink_timers_reset (void *timers, int timer_id) { return api::timers_reset (timers, timer_id); }

long zlink_timers_timeout (void *timers) { return api::timers_timeout (timers); }

int zlink_timers_execute (void *timers) { return api::timers_execute (timers); }

void *zlink_stopwatch_start (void) { return api::stopwatch_start (); }

unsigned long zlink_stopwatch_intermediate (void *watch) { return api::stopwatch_read (watch); }

unsigned long zlink_stopwatch_stop (void *watch) { return api::stopwatch_stop (watch); }

void zlink_sleep (int seconds) { api::sleep_seconds (seconds); }

void *zlink_threadstart (zlink_thread_fn *func, void *arg) { return api::thread_start (func, arg); }

void zlink_threadclose (void *thread) { api::thread_close (thread); }

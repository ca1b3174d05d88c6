// The part of zlink's own C ABI that minimal libraries are without: gateways and
// receivers of zlink.h, in its order.
#define ZLINK_BUILD
#include "zlink/zlink.h"

#include "api/gateways.hpp"
#include "api/receivers.hpp"
#include "api/security.hpp"

namespace api = zlink::api;

// --- security -----------------------------------------------------------------

int zlink_service_secure (void *service, const zlink_security_t *how)
{
    return api::service_secure (service, how);
}

// --- gateways -----------------------------------------------------------------

void *zlink_gateway_new (void *context, void *discovery, const char *routing_id)
{
    return api::gateway_new (context, discovery, routing_id);
}

int zlink_gateway_set_providers (void *gateway,
                                 const char *service_name,
                                 const char *const *endpoints,
                                 const uint32_t *weights,
                                 size_t count)
{
    return api::gateway_set_providers (gateway, service_name, endpoints, weights, count);
}

int zlink_gateway_set_lb_strategy (void *gateway, const char *service_name, int strategy)
{
    return api::gateway_set_strategy (gateway, service_name, strategy);
}

int zlink_gateway_setsockopt (void *gateway, int option, const void *value, size_t size)
{
    return api::gateway_set_option (gateway, option, value, size);
}

int zlink_gateway_set_tls_client (void *gateway, const char *ca_file, const char *hostname, int trust_system)
{
    return api::gateway_set_tls (gateway, ca_file, hostname, trust_system);
}

int zlink_gateway_connection_count (void *gateway, const char *service_name)
{
    return api::gateway_connections (gateway, service_name);
}

int zlink_gateway_request (void *gateway,
                           const char *service_name,
                           zlink_msg_t *parts,
                           size_t count,
                           const zlink_request_options_t *options,
                           zlink_reply_t *reply)
{
    return api::gateway_request (gateway, service_name, parts, count, options, reply);
}

void zlink_reply_close (zlink_reply_t *reply) { api::reply_close (reply); }

int zlink_gateway_request_async (void *gateway,
                                 const char *service_name,
                                 zlink_msg_t *parts,
                                 size_t count,
                                 const zlink_request_options_t *options,
                                 zlink_reply_fn *handler,
                                 void *hint,
                                 uint64_t *request_id)
{
    return api::gateway_submit (gateway, service_name, parts, count, options, handler, hint, request_id);
}

int zlink_gateway_cancel (void *gateway, uint64_t request_id)
{
    return api::gateway_cancel (gateway, request_id);
}

int zlink_gateway_send (void *gateway, const char *service_name, zlink_msg_t *parts, size_t count, int flags)
{
    return api::gateway_send (gateway, service_name, nullptr, parts, count, flags);
}

int zlink_gateway_send_rid (void *gateway,
                            const char *service_name,
                            const zlink_routing_id_t *routing_id,
                            zlink_msg_t *parts,
                            size_t count,
                            int flags)
{
    static constexpr zlink_routing_id_t nobody{};
    return api::gateway_send (gateway, service_name, routing_id == nullptr ? &nobody : routing_id, parts,
                              count, flags);
}

int zlink_gateway_send_buffer (
  void *gateway, const char *service_name, const void *data, size_t size, int flags)
{
    return api::gateway_send_buffer (gateway, service_name, data, size, flags);
}

int zlink_gateway_recv (void *gateway, zlink_msg_t **parts, size_t *count, int flags, char *service_name)
{
    return api::gateway_receive (gateway, parts, count, flags, service_name);
}

void *zlink_gateway_router (void *gateway) { return api::gateway_router (gateway); }

int zlink_gateway_destroy (void **gateway_p) { return api::gateway_destroy (gateway_p); }

// --- receivers ----------------------------------------------------------------

void *zlink_receiver_new (void *context, const char *routing_id)
{
    return api::receiver_new (context, routing_id);
}

int zlink_receiver_bind (void *receiver, const char *endpoint)
{
    return api::receiver_bind (receiver, endpoint);
}

int zlink_receiver_endpoint (void *receiver, char *endpoint, size_t *size)
{
    return api::receiver_endpoint (receiver, endpoint, size);
}

int zlink_receiver_connect_registry (void *receiver, const char *registry_endpoint)
{
    return api::receiver_connect_registry (receiver, registry_endpoint);
}

int zlink_receiver_register (void *receiver,
                             const char *service_name,
                             const char *advertise_endpoint,
                             uint32_t weight)
{
    return api::receiver_register (receiver, service_name, advertise_endpoint, weight);
}

int zlink_receiver_update_weight (void *receiver, const char *service_name, uint32_t weight)
{
    return api::receiver_update_weight (receiver, service_name, weight);
}

int zlink_receiver_unregister (void *receiver, const char *service_name)
{
    return api::receiver_unregister (receiver, service_name);
}

int zlink_receiver_register_result (
  void *receiver, const char *service_name, int *status, char *resolved_endpoint, char *error_message)
{
    return api::receiver_register_result (receiver, service_name, status, resolved_endpoint, error_message);
}

int zlink_receiver_set_tls_server (void *receiver, const char *cert_file, const char *key_file)
{
    return api::receiver_set_tls (receiver, cert_file, key_file);
}

int zlink_receiver_setsockopt (void *receiver, int socket_role, int option, const void *value, size_t size)
{
    return api::receiver_set_option (receiver, socket_role, option, value, size);
}

int zlink_receiver_recv (void *receiver, zlink_request_t **request, int timeout_ms)
{
    return api::receiver_receive (receiver, request, timeout_ms);
}

const char *zlink_request_service (const zlink_request_t *request) { return api::request_service (request); }

zlink_msg_t *zlink_request_parts (zlink_request_t *request, size_t *count)
{
    return api::request_parts (request, count);
}

int zlink_request_one_way (const zlink_request_t *request) { return api::request_one_way (request); }

const char *zlink_request_key (const zlink_request_t *request, size_t *size)
{
    return api::request_key (request, size);
}

const char *zlink_request_traceparent (const zlink_request_t *request)
{
    return api::request_traceparent (request);
}

int zlink_request_wanted (const zlink_request_t *request) { return api::request_wanted (request); }

int zlink_request_reply (zlink_request_t **request, zlink_msg_t *parts, size_t count)
{
    return api::request_reply (request, parts, count);
}

int zlink_request_fail (zlink_request_t **request, uint32_t code, uint32_t detail, const char *text)
{
    return api::request_fail (request, code, detail, text);
}

void zlink_request_close (zlink_request_t **request) { api::request_close (request); }

int zlink_receiver_drain (void *receiver, int timeout_ms)
{
    return api::receiver_drain (receiver, timeout_ms);
}

void *zlink_receiver_router (void *receiver) { return api::receiver_router (receiver); }

int zlink_receiver_destroy (void **receiver_p) { return api::receiver_destroy (receiver_p); }

// The part of zlink's own C ABI that minimal libraries are without: SPOT of zlink.h, in
// its order.
#define ZLINK_BUILD
#include "zlink/zlink.h"

#include "api/spots.hpp"

namespace api = zlink::api;

// --- nodes -----------------------------------------------------------------------

void *zlink_spot_node_new (void *context) { return api::spot_node_new (context); }

int zlink_spot_node_destroy (void **node_p) { return api::spot_node_destroy (node_p); }

int zlink_spot_node_bind (void *node, const char *endpoint) { return api::spot_node_bind (node, endpoint); }

int zlink_spot_node_endpoint (void *node, char *endpoint, size_t *size)
{
    return api::spot_node_endpoint (node, endpoint, size);
}

int zlink_spot_node_connect_registry (void *node, const char *registry_endpoint)
{
    return api::spot_node_connect_registry (node, registry_endpoint);
}

int zlink_spot_node_connect_peer_pub (void *node, const char *peer_endpoint)
{
    return api::spot_node_add_peer (node, peer_endpoint);
}

int zlink_spot_node_disconnect_peer_pub (void *node, const char *peer_endpoint)
{
    return api::spot_node_remove_peer (node, peer_endpoint);
}

int zlink_spot_node_join (void *node, const char *seed_endpoint)
{
    return api::spot_node_join (node, seed_endpoint);
}

int zlink_spot_node_register (void *node, const char *service_name, const char *advertise_endpoint)
{
    return api::spot_node_register (node, service_name, advertise_endpoint);
}

int zlink_spot_node_unregister (void *node, const char *service_name)
{
    return api::spot_node_unregister (node, service_name);
}

int zlink_spot_node_set_discovery (void *node, void *discovery, const char *service_name)
{
    return api::spot_node_set_discovery (node, discovery, service_name);
}

int zlink_spot_node_set_tls_server (void *node, const char *cert_file, const char *key_file)
{
    return api::spot_node_set_tls_server (node, cert_file, key_file);
}

int zlink_spot_node_set_tls_client (void *node, const char *ca_file, const char *hostname, int trust_system)
{
    return api::spot_node_set_tls_client (node, ca_file, hostname, trust_system);
}

int zlink_spot_node_setsockopt (void *node, int socket_role, int option, const void *value, size_t size)
{
    return api::spot_node_set_option (node, socket_role, option, value, size);
}

int zlink_spot_node_leave (void *node, const char *seed_endpoint)
{
    return api::spot_node_leave (node, seed_endpoint);
}

int zlink_spot_node_counters (void *node, zlink_spot_node_counters_t *counters)
{
    return api::spot_node_counters (node, counters);
}

int zlink_spot_node_visit_topics (void *node, zlink_spot_topic_fn *visitor, void *hint)
{
    return api::spot_node_visit_topics (node, visitor, hint);
}

int zlink_spot_node_wait (void *node, size_t count, int timeout_ms)
{
    return api::spot_node_wait (node, count, timeout_ms);
}

// --- publishers -----------------------------------------------------------------------

void *zlink_spot_pub_new (void *node) { return api::spot_pub_new (node); }

int zlink_spot_pub_publish (void *pub, const char *topic, zlink_msg_t *parts, size_t count, int flags)
{
    return api::spot_pub_publish (pub, topic, parts, count, flags);
}

int zlink_spot_pub_send (void *pub, const char *topic, const void *data, size_t size)
{
    return api::spot_pub_send (pub, topic, data, size);
}

int zlink_spot_pub_setsockopt (void *pub, int option, const void *value, size_t size)
{
    return api::spot_pub_set_option (pub, option, value, size);
}

int zlink_spot_pub_destroy (void **pub_p) { return api::spot_pub_destroy (pub_p); }

// --- subscribers -----------------------------------------------------------------------

void *zlink_spot_sub_new (void *node) { return api::spot_sub_new (node); }

int zlink_spot_sub_subscribe (void *sub, const char *topic) { return api::spot_sub_subscribe (sub, topic); }

int zlink_spot_sub_subscribe_pattern (void *sub, const char *pattern)
{
    return api::spot_sub_subscribe_pattern (sub, pattern);
}

int zlink_spot_sub_subscribe_glob (void *sub, const char *pattern)
{
    return api::spot_sub_subscribe_glob (sub, pattern);
}

int zlink_spot_sub_unsubscribe (void *sub, const char *topic_or_pattern)
{
    return api::spot_sub_unsubscribe (sub, topic_or_pattern);
}

int zlink_spot_sub_unsubscribe_glob (void *sub, const char *pattern)
{
    return api::spot_sub_unsubscribe_glob (sub, pattern);
}

int zlink_spot_sub_set_policy (void *sub, int policy, size_t messages_max)
{
    return api::spot_sub_set_policy (sub, policy, messages_max);
}

int zlink_spot_sub_set_handler (void *sub, zlink_spot_sub_handler_fn *handler, void *user_data)
{
    return api::spot_sub_set_handler (sub, handler, user_data);
}

int zlink_spot_sub_recv (
  void *sub, zlink_msg_t **parts, size_t *part_count, int flags, char *topic_out, size_t *topic_len)
{
    return api::spot_sub_receive (sub, parts, part_count, flags, topic_out, topic_len);
}

int zlink_spot_sub_next (void *sub, zlink_spot_message_t *message, int timeout_ms)
{
    return api::spot_sub_next (sub, message, timeout_ms);
}

int zlink_spot_sub_fd (void *sub, zlink_fd_t *fd) { return api::spot_sub_descriptor (sub, fd); }

int zlink_spot_sub_counters (void *sub, zlink_spot_counters_t *counters)
{
    return api::spot_sub_counters (sub, counters);
}

int zlink_spot_sub_setsockopt (void *sub, int option, const void *value, size_t size)
{
    return api::spot_sub_set_option (sub, option, value, size);
}

int zlink_spot_sub_destroy (void **sub_p) { return api::spot_sub_destroy (sub_p); }

// --- partitioned topics ----------------------------------------------------------------

int zlink_spot_node_add_grantor (void *node, const char *registry_endpoint)
{
    return api::spot_node_add_grantor (node, registry_endpoint);
}

int zlink_spot_node_declare (void *node, const char *topic, uint32_t partitions)
{
    return api::spot_node_declare (node, topic, partitions);
}

int zlink_spot_node_partition (void *node,
                               const char *topic,
                               uint32_t partition,
                               zlink_spot_partition_t *state)
{
    return api::spot_node_partition (node, topic, partition, state);
}

int zlink_spot_pub_send_key (void *pub,
                             const char *topic,
                             const void *key,
                             size_t key_size,
                             const void *data,
                             size_t size,
                             zlink_spot_place_t *place,
                             int timeout_ms)
{
    return api::spot_pub_send_key (pub, topic, {static_cast<const std::byte *> (key), key_size},
                                   {static_cast<const std::byte *> (data), size}, place, timeout_ms);
}

int zlink_spot_pub_send_key_async (void *pub,
                                   const char *topic,
                                   const void *key,
                                   size_t key_size,
                                   const void *data,
                                   size_t size,
                                   int timeout_ms,
                                   zlink_spot_place_fn *handler,
                                   void *user_data)
{
    return api::spot_pub_send_key_async (pub, topic, {static_cast<const std::byte *> (key), key_size},
                                         {static_cast<const std::byte *> (data), size}, timeout_ms, handler,
                                         user_data);
}

void *zlink_spot_reader_new (void *node, const char *topic, int from, uint64_t value)
{
    return api::spot_reader_new (node, topic, from, value);
}

int zlink_spot_reader_next (void *reader, zlink_spot_event_t *event, int timeout_ms)
{
    return api::spot_reader_next (reader, event, timeout_ms);
}

int zlink_spot_reader_fd (void *reader, zlink_fd_t *fd) { return api::spot_reader_descriptor (reader, fd); }

int zlink_spot_reader_set_handler (void *reader, zlink_spot_reader_handler_fn *handler, void *user_data)
{
    return api::spot_reader_set_handler (reader, handler, user_data);
}

int zlink_spot_reader_destroy (void **reader_p) { return api::spot_reader_destroy (reader_p); }

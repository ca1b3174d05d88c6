// Nodes of SPOT, their publishers and subscribers behind handles: checks of C arguments,
// and errno.
//
// Thread rule: any thread. Blocking: as zlink.h says of each.
//
// Partitioned topics are in partitioned_spots.cpp; what both files share stands in
// spot_objects.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

#define ZLINK_BUILD
#include "zlink/zlink.h"

namespace zlink::api {

void *spot_node_new (void *context) noexcept;
int spot_node_destroy (void **node) noexcept;
int spot_node_bind (void *node, const char *endpoint) noexcept;
int spot_node_endpoint (void *node, char *endpoint, std::size_t *size) noexcept;
int spot_node_connect_registry (void *node, const char *endpoint) noexcept;
int spot_node_add_peer (void *node, const char *endpoint) noexcept;
int spot_node_remove_peer (void *node, const char *endpoint) noexcept;
int spot_node_join (void *node, const char *seed) noexcept;
int spot_node_leave (void *node, const char *seed) noexcept;
int spot_node_register (void *node, const char *service, const char *endpoint) noexcept;
int spot_node_unregister (void *node, const char *service) noexcept;
int spot_node_set_discovery (void *node, void *discovery, const char *service) noexcept;
int spot_node_set_tls_server (void *node, const char *certificate, const char *key) noexcept;
int spot_node_set_tls_client (void *node, const char *authority, const char *host, int trust_system) noexcept;
int spot_node_set_option (void *node, int role, int option, const void *value, std::size_t size) noexcept;
int spot_node_wait (void *node, std::size_t count, int timeout_ms) noexcept;
int spot_node_counters (void *node, zlink_spot_node_counters_t *counters) noexcept;
int spot_node_visit_topics (void *node, zlink_spot_topic_fn *visitor, void *hint) noexcept;

void *spot_pub_new (void *node) noexcept;
int spot_pub_publish (
  void *pub, const char *topic, zlink_msg_t *parts, std::size_t count, int flags) noexcept;
int spot_pub_send (void *pub, const char *topic, const void *data, std::size_t size) noexcept;
int spot_pub_set_option (void *pub, int option, const void *value, std::size_t size) noexcept;
int spot_pub_destroy (void **pub) noexcept;

void *spot_sub_new (void *node) noexcept;
int spot_sub_subscribe (void *sub, const char *topic) noexcept;
int spot_sub_subscribe_pattern (void *sub, const char *pattern) noexcept;
int spot_sub_subscribe_glob (void *sub, const char *pattern) noexcept;
int spot_sub_unsubscribe (void *sub, const char *topic_or_pattern) noexcept;
int spot_sub_unsubscribe_glob (void *sub, const char *pattern) noexcept;
int spot_sub_set_policy (void *sub, int policy, std::size_t messages_max) noexcept;
int spot_sub_set_handler (void *sub, zlink_spot_sub_handler_fn *handler, void *hint) noexcept;
int spot_sub_receive (void *sub,
                      zlink_msg_t **parts,
                      std::size_t *count,
                      int flags,
                      char *topic,
                      std::size_t *topic_bytes) noexcept;
int spot_sub_next (void *sub, zlink_spot_message_t *message, int timeout_ms) noexcept;
int spot_sub_descriptor (void *sub, zlink_fd_t *descriptor) noexcept;
int spot_sub_counters (void *sub, zlink_spot_counters_t *counters) noexcept;
int spot_sub_set_option (void *sub, int option, const void *value, std::size_t size) noexcept;
int spot_sub_destroy (void **sub) noexcept;

int spot_node_add_grantor (void *node, const char *endpoint) noexcept;
int spot_node_declare (void *node, const char *topic, std::uint32_t partitions) noexcept;
int spot_node_partition (void *node,
                         const char *topic,
                         std::uint32_t partition,
                         zlink_spot_partition_t *state) noexcept;
int spot_pub_send_key (void *pub,
                       const char *topic,
                       base::bytes_view key,
                       base::bytes_view body,
                       zlink_spot_place_t *place,
                       int timeout_ms) noexcept;
int spot_pub_send_key_async (void *pub,
                             const char *topic,
                             base::bytes_view key,
                             base::bytes_view body,
                             int timeout_ms,
                             zlink_spot_place_fn *handler,
                             void *hint) noexcept;
void *spot_reader_new (void *node, const char *topic, int from, std::uint64_t value) noexcept;
int spot_reader_next (void *reader, zlink_spot_event_t *event, int timeout_ms) noexcept;
int spot_reader_descriptor (void *reader, zlink_fd_t *descriptor) noexcept;
int spot_reader_set_handler (void *reader, zlink_spot_reader_handler_fn *handler, void *hint) noexcept;
int spot_reader_destroy (void **reader) noexcept;

}  // namespace zlink::api

// Events and peers as zlink.h's structs.
//
// Thread rule: any thread. Blocking: receive_event and receive_monitor_event,
// as their public namesakes say. Everything answers as a C function: -1 and
// errno on failure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "zlink/zlink.h"

namespace zlink::api {

void *open_events (void *socket, std::uint64_t events, std::size_t queued_max) noexcept;
int receive_event (void *events, zlink_event_t *event, int timeout_ms) noexcept;
int close_events (void *events) noexcept;

int receive_monitor_event (void *monitor, zlink_monitor_event_t *event, int flags) noexcept;

int count_peers (void *socket) noexcept;
int list_peers (void *socket, zlink_peer_info_t *peers, std::size_t *count) noexcept;
int find_peer (void *socket, const zlink_routing_id_t *routing_id, zlink_peer_info_t *info) noexcept;
int peer_at (void *socket, int index, zlink_routing_id_t *routing_id) noexcept;

}  // namespace zlink::api

// The types of the services' sockets, and options that they set on them, by zlink.h's
// numbers, and what they set them to where it is a mask. Those that the facade names
// itself are not here.
#pragma once

namespace zlink::service {

inline constexpr int type_pair = 0;
inline constexpr int type_sub = 2;
inline constexpr int type_router = 6;
inline constexpr int type_xpub = 9;

inline constexpr int number_of_routing_id = 5;
inline constexpr int number_of_subscribe = 6;
inline constexpr int number_of_unsubscribe = 7;
inline constexpr int number_of_reconnect_ivl_max = 21;
inline constexpr int number_of_maxmsgsize = 22;
inline constexpr int number_of_receive_timeout = 27;
inline constexpr int number_of_last_endpoint = 32;
inline constexpr int number_of_router_mandatory = 33;
inline constexpr int number_of_immediate = 39;
inline constexpr int number_of_mechanism = 43;
inline constexpr int number_of_router_handover = 56;
inline constexpr int number_of_connect_routing_id = 61;
inline constexpr int number_of_stream_notify = 73;
inline constexpr int number_of_heartbeat_ivl = 75;
inline constexpr int number_of_heartbeat_ttl = 76;
inline constexpr int number_of_connect_timeout = 79;
inline constexpr int number_of_router_notify = 1097;
inline constexpr int number_of_send_hwm_bytes = 3001;
inline constexpr int number_of_spin = 3003;
inline constexpr int number_of_stream_raw = 3004;
inline constexpr int number_of_report_gaps = 3011;
inline constexpr int number_of_subscribe_pattern = 3022;
inline constexpr int number_of_unsubscribe_pattern = 3023;

// Of ROUTER_NOTIFY.
inline constexpr int notify_comers_and_goers = 3;
inline constexpr int notify_all = 7;  // and what comes back

}  // namespace zlink::service

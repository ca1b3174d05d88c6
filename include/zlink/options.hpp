// SPDX-License-Identifier: MPL-2.0
//
// The options of sockets, with the type of their values. What each means, its
// unit, range and default says `zlink explain NAME`; the names are those of
// zlink.h. Texts and bytes are std::string, times are durations.
// Thread rule: constants.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <zlink/zlink.h>

namespace zlink {

template <class T> struct option
{
    using value_type = T;
    int number;
    const char *name;
    bool is_text = false;  // else strings are bytes
};

namespace options {

// Read only.
inline constexpr option<int> events{ZLINK_EVENTS, "EVENTS"};
inline constexpr option<bool> rcvmore{ZLINK_RCVMORE, "RCVMORE"};
inline constexpr option<zlink_fd_t> fd{ZLINK_FD, "FD"};
inline constexpr option<int> type{ZLINK_TYPE, "TYPE"};
inline constexpr option<std::string> last_endpoint{ZLINK_LAST_ENDPOINT, "LAST_ENDPOINT", true};
inline constexpr option<bool> thread_safe{ZLINK_THREAD_SAFE, "THREAD_SAFE"};
inline constexpr option<int> mechanism{ZLINK_MECHANISM, "MECHANISM"};
inline constexpr option<int> topics_count{ZLINK_TOPICS_COUNT, "TOPICS_COUNT"};

// Queues.
inline constexpr option<int> sndhwm{ZLINK_SNDHWM, "SNDHWM"};
inline constexpr option<int> rcvhwm{ZLINK_RCVHWM, "RCVHWM"};
inline constexpr option<std::int64_t> sndhwm_bytes{ZLINK_SNDHWM_BYTES, "SNDHWM_BYTES"};
inline constexpr option<std::int64_t> rcvhwm_bytes{ZLINK_RCVHWM_BYTES, "RCVHWM_BYTES"};
inline constexpr option<std::int64_t> maxmsgsize{ZLINK_MAXMSGSIZE, "MAXMSGSIZE"};
inline constexpr option<bool> conflate{ZLINK_CONFLATE, "CONFLATE"};
inline constexpr option<bool> immediate{ZLINK_IMMEDIATE, "IMMEDIATE"};
inline constexpr option<int> in_batch_size{ZLINK_IN_BATCH_SIZE, "IN_BATCH_SIZE"};
inline constexpr option<int> out_batch_size{ZLINK_OUT_BATCH_SIZE, "OUT_BATCH_SIZE"};
inline constexpr option<bool> spin{ZLINK_SPIN, "SPIN"};

// Time.
inline constexpr option<std::chrono::milliseconds> linger{ZLINK_LINGER, "LINGER"};
inline constexpr option<std::chrono::milliseconds> rcvtimeo{ZLINK_RCVTIMEO, "RCVTIMEO"};
inline constexpr option<std::chrono::milliseconds> sndtimeo{ZLINK_SNDTIMEO, "SNDTIMEO"};
inline constexpr option<std::chrono::milliseconds> reconnect_ivl{ZLINK_RECONNECT_IVL, "RECONNECT_IVL"};
inline constexpr option<std::chrono::milliseconds> reconnect_ivl_max{ZLINK_RECONNECT_IVL_MAX,
                                                                     "RECONNECT_IVL_MAX"};
inline constexpr option<std::chrono::milliseconds> handshake_ivl{ZLINK_HANDSHAKE_IVL, "HANDSHAKE_IVL"};
inline constexpr option<std::chrono::milliseconds> connect_timeout{ZLINK_CONNECT_TIMEOUT, "CONNECT_TIMEOUT"};
inline constexpr option<std::chrono::milliseconds> heartbeat_ivl{ZLINK_HEARTBEAT_IVL, "HEARTBEAT_IVL"};
inline constexpr option<std::chrono::milliseconds> heartbeat_ttl{ZLINK_HEARTBEAT_TTL, "HEARTBEAT_TTL"};
inline constexpr option<std::chrono::milliseconds> heartbeat_timeout{ZLINK_HEARTBEAT_TIMEOUT,
                                                                     "HEARTBEAT_TIMEOUT"};
inline constexpr option<std::chrono::milliseconds> tcp_maxrt{ZLINK_TCP_MAXRT, "TCP_MAXRT"};
inline constexpr option<int> reconnect_stop{ZLINK_RECONNECT_STOP, "RECONNECT_STOP"};

// Connections.
inline constexpr option<std::string> routing_id{ZLINK_ROUTING_ID, "ROUTING_ID"};
inline constexpr option<std::uint64_t> affinity{ZLINK_AFFINITY, "AFFINITY"};
inline constexpr option<bool> ipv6{ZLINK_IPV6, "IPV6"};
inline constexpr option<int> sndbuf{ZLINK_SNDBUF, "SNDBUF"};
inline constexpr option<int> rcvbuf{ZLINK_RCVBUF, "RCVBUF"};
inline constexpr option<int> backlog{ZLINK_BACKLOG, "BACKLOG"};
inline constexpr option<int> tos{ZLINK_TOS, "TOS"};
inline constexpr option<int> priority{ZLINK_PRIORITY, "PRIORITY"};
inline constexpr option<int> busy_poll{ZLINK_BUSY_POLL, "BUSY_POLL"};
inline constexpr option<int> tcp_keepalive{ZLINK_TCP_KEEPALIVE, "TCP_KEEPALIVE"};
inline constexpr option<int> tcp_keepalive_cnt{ZLINK_TCP_KEEPALIVE_CNT, "TCP_KEEPALIVE_CNT"};
inline constexpr option<int> tcp_keepalive_idle{ZLINK_TCP_KEEPALIVE_IDLE, "TCP_KEEPALIVE_IDLE"};
inline constexpr option<int> tcp_keepalive_intvl{ZLINK_TCP_KEEPALIVE_INTVL, "TCP_KEEPALIVE_INTVL"};
inline constexpr option<zlink_fd_t> use_fd{ZLINK_USE_FD, "USE_FD"};
inline constexpr option<std::string> bindtodevice{ZLINK_BINDTODEVICE, "BINDTODEVICE", true};
inline constexpr option<int> multicast_hops{ZLINK_MULTICAST_HOPS, "MULTICAST_HOPS"};
inline constexpr option<bool> multicast_loop{ZLINK_MULTICAST_LOOP, "MULTICAST_LOOP"};
inline constexpr option<std::string> tcp_accept_filter{ZLINK_TCP_ACCEPT_FILTER, "TCP_ACCEPT_FILTER", true};
inline constexpr option<int> ipc_filter_pid{ZLINK_IPC_FILTER_PID, "IPC_FILTER_PID"};
inline constexpr option<int> ipc_filter_uid{ZLINK_IPC_FILTER_UID, "IPC_FILTER_UID"};
inline constexpr option<int> ipc_filter_gid{ZLINK_IPC_FILTER_GID, "IPC_FILTER_GID"};
inline constexpr option<std::string> socks_proxy{ZLINK_SOCKS_PROXY, "SOCKS_PROXY", true};
inline constexpr option<std::string> socks_username{ZLINK_SOCKS_USERNAME, "SOCKS_USERNAME", true};
inline constexpr option<std::string> socks_password{ZLINK_SOCKS_PASSWORD, "SOCKS_PASSWORD", true};

// Who may connect. Keys are 32 bytes or 40 letters; they are read by the C calls,
// into 32 or 41 bytes.
inline constexpr option<bool> plain_server{ZLINK_PLAIN_SERVER, "PLAIN_SERVER"};
inline constexpr option<std::string> plain_username{ZLINK_PLAIN_USERNAME, "PLAIN_USERNAME", true};
inline constexpr option<std::string> plain_password{ZLINK_PLAIN_PASSWORD, "PLAIN_PASSWORD", true};
inline constexpr option<bool> curve_server{ZLINK_CURVE_SERVER, "CURVE_SERVER"};
inline constexpr option<std::string> curve_publickey{ZLINK_CURVE_PUBLICKEY, "CURVE_PUBLICKEY"};
inline constexpr option<std::string> curve_secretkey{ZLINK_CURVE_SECRETKEY, "CURVE_SECRETKEY"};
inline constexpr option<std::string> curve_serverkey{ZLINK_CURVE_SERVERKEY, "CURVE_SERVERKEY"};
inline constexpr option<std::string> curve_allowed_keys{ZLINK_CURVE_ALLOWED_KEYS, "CURVE_ALLOWED_KEYS"};
inline constexpr option<std::string> plain_passwords{ZLINK_PLAIN_PASSWORDS, "PLAIN_PASSWORDS"};
inline constexpr option<std::string> zap_domain{ZLINK_ZAP_DOMAIN, "ZAP_DOMAIN", true};
inline constexpr option<bool> zap_enforce_domain{ZLINK_ZAP_ENFORCE_DOMAIN, "ZAP_ENFORCE_DOMAIN"};
inline constexpr option<bool> require_policy{ZLINK_REQUIRE_POLICY, "REQUIRE_POLICY"};

// tls://. Certificates and keys are PEM, as a path or as the text itself.
inline constexpr option<std::string> tls_cert{ZLINK_TLS_CERT, "TLS_CERT", true};
inline constexpr option<std::string> tls_key{ZLINK_TLS_KEY, "TLS_KEY", true};
inline constexpr option<std::string> tls_ca{ZLINK_TLS_CA, "TLS_CA", true};
inline constexpr option<bool> tls_verify{ZLINK_TLS_VERIFY, "TLS_VERIFY"};
inline constexpr option<bool> tls_require_client_cert{ZLINK_TLS_REQUIRE_CLIENT_CERT,
                                                      "TLS_REQUIRE_CLIENT_CERT"};
inline constexpr option<std::string> tls_hostname{ZLINK_TLS_HOSTNAME, "TLS_HOSTNAME", true};
inline constexpr option<bool> tls_trust_system{ZLINK_TLS_TRUST_SYSTEM, "TLS_TRUST_SYSTEM"};
inline constexpr option<std::string> tls_password{ZLINK_TLS_PASSWORD, "TLS_PASSWORD", true};
inline constexpr option<std::string> tls_alpn{ZLINK_TLS_ALPN, "TLS_ALPN", true};

// ws:// and wss://.
inline constexpr option<std::string> ws_host{ZLINK_WS_HOST, "WS_HOST", true};
inline constexpr option<std::string> ws_origin{ZLINK_WS_ORIGIN, "WS_ORIGIN", true};
inline constexpr option<std::string> ws_allowed_origins{ZLINK_WS_ALLOWED_ORIGINS, "WS_ALLOWED_ORIGINS", true};
inline constexpr option<std::string> ws_header{ZLINK_WS_HEADER, "WS_HEADER", true};

inline constexpr option<std::string> metadata{ZLINK_METADATA, "METADATA", true};
inline constexpr option<std::string> hello_msg{ZLINK_HELLO_MSG, "HELLO_MSG"};
inline constexpr option<std::string> disconnect_msg{ZLINK_DISCONNECT_MSG, "DISCONNECT_MSG"};
inline constexpr option<std::string> hiccup_msg{ZLINK_HICCUP_MSG, "HICCUP_MSG"};

// Patterns.
inline constexpr option<bool> router_mandatory{ZLINK_ROUTER_MANDATORY, "ROUTER_MANDATORY"};
inline constexpr option<bool> router_handover{ZLINK_ROUTER_HANDOVER, "ROUTER_HANDOVER"};
inline constexpr option<int> router_notify{ZLINK_ROUTER_NOTIFY, "ROUTER_NOTIFY"};
inline constexpr option<bool> probe_router{ZLINK_PROBE_ROUTER, "PROBE_ROUTER"};
inline constexpr option<std::string> connect_routing_id{ZLINK_CONNECT_ROUTING_ID, "CONNECT_ROUTING_ID"};
inline constexpr option<bool> req_correlate{ZLINK_REQ_CORRELATE, "REQ_CORRELATE"};
inline constexpr option<bool> req_relaxed{ZLINK_REQ_RELAXED, "REQ_RELAXED"};
inline constexpr option<bool> xpub_verbose{ZLINK_XPUB_VERBOSE, "XPUB_VERBOSE"};
inline constexpr option<bool> xpub_verboser{ZLINK_XPUB_VERBOSER, "XPUB_VERBOSER"};
inline constexpr option<bool> xpub_nodrop{ZLINK_XPUB_NODROP, "XPUB_NODROP"};
inline constexpr option<int> slow_consumer{ZLINK_SLOW_CONSUMER, "SLOW_CONSUMER"};
inline constexpr option<bool> report_gaps{ZLINK_REPORT_GAPS, "REPORT_GAPS"};
inline constexpr option<bool> xpub_manual{ZLINK_XPUB_MANUAL, "XPUB_MANUAL"};
inline constexpr option<bool> xpub_manual_last_value{ZLINK_XPUB_MANUAL_LAST_VALUE, "XPUB_MANUAL_LAST_VALUE"};
inline constexpr option<std::string> xpub_welcome_msg{ZLINK_XPUB_WELCOME_MSG, "XPUB_WELCOME_MSG"};
inline constexpr option<bool> xsub_verbose_unsubscribe{ZLINK_XSUB_VERBOSE_UNSUBSCRIBE,
                                                       "XSUB_VERBOSE_UNSUBSCRIBE"};
inline constexpr option<bool> only_first_subscribe{ZLINK_ONLY_FIRST_SUBSCRIBE, "ONLY_FIRST_SUBSCRIBE"};
inline constexpr option<int> topics_max{ZLINK_TOPICS_MAX, "TOPICS_MAX"};
inline constexpr option<std::int64_t> topic_bytes_max{ZLINK_TOPIC_BYTES_MAX, "TOPIC_BYTES_MAX"};
inline constexpr option<int> last_values{ZLINK_LAST_VALUES, "LAST_VALUES"};
inline constexpr option<std::int64_t> last_value_bytes{ZLINK_LAST_VALUE_BYTES, "LAST_VALUE_BYTES"};
inline constexpr option<bool> invert_matching{ZLINK_INVERT_MATCHING, "INVERT_MATCHING"};
inline constexpr option<bool> stream_notify{ZLINK_STREAM_NOTIFY, "STREAM_NOTIFY"};
inline constexpr option<bool> stream_raw{ZLINK_STREAM_RAW, "STREAM_RAW"};

}  // namespace options
}  // namespace zlink

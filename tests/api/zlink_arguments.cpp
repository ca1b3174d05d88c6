// Every function of zlink.h with arguments that are wrong.
#include "api/shared_arguments.hpp"
#include "support/zlink_abi.hpp"

namespace zlink::test {
namespace {

struct zlink_arguments : arguments<zlink_abi>
{
    zlink_arguments () { zlink_msg_init (&part); }
    ~zlink_arguments () override { zlink_msg_close (&part); }

    void add_log ()
    {
        table.survives ("log_discard", "NULL", [] { zlink_log_discard (0, nullptr, nullptr, nullptr); });
        table.survives ("set_log", "NULL", [] { EXPECT_EQ (zlink_set_log (nullptr, nullptr), 0); });
    }

    void add_keys ()
    {
        table.add ("curve_keypair", "NULL", EFAULT, [] { return zlink_curve_keypair (nullptr, nullptr); });
        table.add ("curve_public", "NULL", EFAULT, [] { return zlink_curve_public (nullptr, nullptr); });
        table.add ("curve_public", "no key", EINVAL, [] {
            std::array<char, 41> open{};
            return zlink_curve_public (open.data (), "short");
        });
        table.add ("hash_password", "no room", EFAULT,
                   [] { return zlink_hash_password (nullptr, ZLINK_PASSWORD_HASH_BYTES, "x", 1); });
        table.add ("hash_password", "no password", EFAULT, [] {
            std::array<char, ZLINK_PASSWORD_HASH_BYTES> made{};
            return zlink_hash_password (made.data (), made.size (), nullptr, 1);
        });
        table.add ("hash_password", "too little room", EINVAL, [] {
            std::array<char, ZLINK_PASSWORD_HASH_BYTES> made{};
            return zlink_hash_password (made.data (), made.size () - 1, "x", 1);
        });
    }

    void add_contexts ()
    {
        table.each (bad_contexts, "ctx_term_ms", EFAULT, [] (void *c) { return zlink_ctx_term_ms (c, 0); });
        table.each (bad_contexts, "ctx_holders", EFAULT,
                    [this] (void *c) { return zlink_ctx_holders (c, buffer.data (), &size); });
        table.add ("ctx_holders", "no size", EFAULT,
                   [this] { return zlink_ctx_holders (own, buffer.data (), nullptr); });
        table.add ("ctx_holders", "no text", EFAULT,
                   [this] { return zlink_ctx_holders (own, nullptr, &size); });
    }

    void add_whole_messages ()
    {
        const std::vector<std::pair<const char *, std::function<int (void *)>>> calls = {
          {"sendv", [this] (void *s) { return zlink_sendv (s, &part, 1, 0); }},
          {"recvv",
           [this] (void *s) {
               std::size_t count = 1;
               return zlink_recvv (s, &part, &count, 0);
           }},
          {"sendn", [this] (void *s) { return zlink_sendn (s, &part, 1, 0); }},
          {"recvn", [this] (void *s) { return zlink_recvn (s, &part, 1, 0); }},
          {"send_packed", [this] (void *s) { return zlink_send_packed (s, "x", 1, &one, 1, 0); }},
          {"recv_packed", [this] (void *s) { return zlink_recv_packed (s, buffer.data (), 1, &one, 1, 0); }},
        };
        for (const auto &[name, call] : calls)
            table.each (bad_sockets, name, ENOTSOCK, call);
        for (const char *name : {"sendv", "sendn", "send_packed"})
            table.add (name, "a PULL", ENOTSUP, [call = find (calls, name), this] { return call (pull); });
        for (const char *name : {"recvv", "recvn", "recv_packed"})
            table.add (name, "a PUSH", ENOTSUP, [call = find (calls, name), this] { return call (push); });

        const auto of = [] (void *m) { return static_cast<zlink_msg_t *> (m); };
        table.each (bad_messages, "sendv", EFAULT,
                    [=, this] (void *m) { return zlink_sendv (pair, of (m), 1, 0); });
        table.each (bad_messages, "sendn", EFAULT,
                    [=, this] (void *m) { return zlink_sendn (pair, of (m), 1, 0); });
        table.each (bad_messages, "recvn", EFAULT,
                    [=, this] (void *m) { return zlink_recvn (pair, of (m), 1, 0); });
        table.each (bad_messages, "recvv", EFAULT, [=, this] (void *m) {
            std::size_t count = 1;
            return zlink_recvv (pair, of (m), &count, 0);
        });
        table.add ("recvv", "no count", EFAULT, [this] { return zlink_recvv (pair, &part, nullptr, 0); });
        table.add ("sendv", "none", EINVAL, [this] { return zlink_sendv (pair, &part, 0, 0); });
        table.add ("sendn", "none", EINVAL, [this] { return zlink_sendn (pair, &part, 0, 0); });
        table.add ("recvn", "none", EINVAL, [this] { return zlink_recvn (pair, &part, 0, 0); });
        table.survives ("msgv_close", "NULL", [] { zlink_msgv_close (nullptr, 1); });
    }

    void add_types ()
    {
        const std::vector<std::pair<const char *, std::function<int (void *)>>> calls = {
          {"join", [] (void *s) { return zlink_join (s, "group"); }},
          {"leave", [] (void *s) { return zlink_leave (s, "group"); }},
          {"connect_peer",
           [] (void *s) { return refused (zlink_connect_peer (s, "inproc://bad")) ? -1 : 0; }},
          {"disconnect_peer", [] (void *s) { return zlink_disconnect_peer (s, 1); }},
          {"disconnect_routing_id", [] (void *s) { return zlink_disconnect_routing_id (s, "n", 1); }},
        };
        for (const auto &[name, call] : calls) {
            table.each (bad_sockets, name, ENOTSOCK, call);
            table.add (name, "a PAIR", ENOTSUP, [call, this] { return call (pair); });
        }
        table.add ("disconnect_routing_id", "no name", EFAULT,
                   [this] { return zlink_disconnect_routing_id (pair, nullptr, 1); });
        table.add ("join", "no group", ENOTSUP, [this] { return zlink_join (pair, nullptr); });
        table.add ("leave", "no group", ENOTSUP, [this] { return zlink_leave (pair, nullptr); });
        table.add ("connect_peer", "NULL", ENOTSUP,
                   [this] { return refused (zlink_connect_peer (pair, nullptr)) ? -1 : 0; });
    }

    void add_packed ()
    {
        table.add ("send_packed", "none", EINVAL,
                   [this] { return zlink_send_packed (pair, "x", 1, &one, 0, 0); });
        table.add ("send_packed", "no data", EFAULT,
                   [this] { return zlink_send_packed (pair, nullptr, 1, &one, 1, 0); });
        table.add ("send_packed", "no sizes", EFAULT,
                   [this] { return zlink_send_packed (pair, "x", 1, nullptr, 1, 0); });
        table.add ("send_packed", "sizes beyond the buffer", EINVAL, [this] {
            const std::uint32_t two[] = {1, 1};
            return zlink_send_packed (pair, "x", 1, two, 2, 0);
        });
        table.add ("send_packed", "sizes that wrap around", EINVAL, [this] {
            const std::uint32_t two[] = {0xFFFF'FFFF, 2};
            return zlink_send_packed (pair, "x", 1, two, 2, 0);
        });
        table.add ("recv_packed", "none", EINVAL,
                   [this] { return zlink_recv_packed (pair, buffer.data (), 1, &one, 0, 0); });
        table.add ("recv_packed", "no room", EFAULT,
                   [this] { return zlink_recv_packed (pair, nullptr, 1, &one, 1, 0); });
        table.add ("recv_packed", "no sizes", EFAULT,
                   [this] { return zlink_recv_packed (pair, buffer.data (), 1, nullptr, 1, 0); });
    }

    void add_reports ()
    {
        table.each (bad_sockets, "connect_status", ENOTSOCK,
                    [this] (void *s) { return zlink_connect_status (s, "inproc://bad", &status); });
        table.each (bad_sockets, "wait_peers", ENOTSOCK,
                    [] (void *s) { return zlink_wait_peers (s, 1, -1); });
        table.each (bad_sockets, "wait_subscribers", ENOTSOCK,
                    [] (void *s) { return zlink_wait_subscribers (s, 1, -1); });
        table.each (bad_sockets, "wait_subscribed", ENOTSOCK,
                    [] (void *s) { return zlink_wait_subscribed (s, 1, -1); });
        table.each (bad_sockets, "set_authenticator", ENOTSOCK, [] (void *s) {
            return zlink_set_authenticator (
              s, [] (const zlink_claim_t *, char *, void *) { return 200; }, nullptr, nullptr);
        });
        table.each (bad_sockets, "statistics", ENOTSOCK,
                    [this] (void *s) { return zlink_statistics (s, &statistics); });
        table.add ("connect_status", "NULL", EINVAL,
                   [this] { return zlink_connect_status (pair, nullptr, &status); });
        table.add ("connect_status", "never connected", ENOENT,
                   [this] { return zlink_connect_status (pair, "inproc://never", &status); });
        table.add ("connect_status", "no status", EFAULT,
                   [this] { return zlink_connect_status (pair, "inproc://never", nullptr); });
        table.add ("statistics", "NULL", EFAULT, [this] { return zlink_statistics (pair, nullptr); });
        table.each (bad_sockets, "counters", ENOTSOCK,
                    [this] (void *s) { return zlink_counters (s, &counters, sizeof counters, &rows); });
        table.add ("counters", "no count", EFAULT,
                   [this] { return zlink_counters (pair, &counters, sizeof counters, nullptr); });
        table.add ("counters", "no rows", EFAULT,
                   [this] { return zlink_counters (pair, nullptr, sizeof counters, &rows); });
        table.add ("counters", "rows of no length", EINVAL,
                   [this] { return zlink_counters (pair, &counters, 0, &rows); });
        table.add ("counters", "rows of an odd length", EINVAL,
                   [this] { return zlink_counters (pair, &counters, 12, &rows); });
        table.each (bad_sockets, "counters_text", ENOTSOCK,
                    [this] (void *s) { return zlink_counters_text (s, buffer.data (), &rows); });
        table.add ("counters_text", "no size", EFAULT,
                   [this] { return zlink_counters_text (pair, buffer.data (), nullptr); });
        table.add ("ctx_counters_text", "NULL", EFAULT,
                   [this] { return zlink_ctx_counters_text (nullptr, buffer.data (), &rows); });
        table.add ("ctx_counters_text", "no size", EFAULT,
                   [this] { return zlink_ctx_counters_text (own, buffer.data (), nullptr); });
    }

    void add_events ()
    {
        table.each (bad_sockets, "events_open", ENOTSOCK,
                    [] (void *s) { return refused (zlink_events_open (s, ZLINK_EVENT_ALL, 0)) ? -1 : 0; });
        table.add ("events_open", "too long", EINVAL,
                   [this] { return refused (zlink_events_open (pair, ZLINK_EVENT_ALL, SIZE_MAX)) ? -1 : 0; });
        for (void *bad : std::initializer_list<void *>{nullptr, foreign_memory (), pair, own}) {
            table.add ("events_recv", "no queue", EFAULT,
                       [=, this] { return zlink_events_recv (bad, &event, -1); });
            table.add ("events_close", "no queue", EFAULT, [=] { return zlink_events_close (bad); });
        }
        table.each (bad_sockets, "socket_monitor", ENOTSOCK,
                    [] (void *s) { return zlink_socket_monitor (s, "inproc://bad", ZLINK_EVENT_ALL); });
        table.each (bad_sockets, "socket_monitor", ENOTSOCK,
                    [] (void *s) { return zlink_socket_monitor (s, nullptr, ZLINK_EVENT_ALL); });
        table.add ("socket_monitor", "not inproc", EPROTONOSUPPORT,
                   [this] { return zlink_socket_monitor (pair, "ipc://*", ZLINK_EVENT_ALL); });
        table.each (bad_sockets, "socket_monitor_open", ENOTSOCK, [] (void *s) {
            return refused (zlink_socket_monitor_open (s, ZLINK_EVENT_ALL)) ? -1 : 0;
        });
        table.each (bad_sockets, "monitor_recv", ENOTSOCK,
                    [this] (void *s) { return zlink_monitor_recv (s, &said, 0); });
        table.add ("monitor_recv", "NULL", EFAULT, [this] { return zlink_monitor_recv (pair, nullptr, 0); });
    }

    void add_peers ()
    {
        table.each (bad_sockets, "socket_peer_count", ENOTSOCK,
                    [] (void *s) { return zlink_socket_peer_count (s); });
        table.each (bad_sockets, "socket_peers", ENOTSOCK,
                    [this] (void *s) { return zlink_socket_peers (s, &peer, &room); });
        table.each (bad_sockets, "socket_peer_routing_id", ENOTSOCK,
                    [this] (void *s) { return zlink_socket_peer_routing_id (s, 0, &id); });
        table.each (bad_sockets, "socket_peer_info", ENOTSOCK,
                    [this] (void *s) { return zlink_socket_peer_info (s, &id, &peer); });
        table.add ("socket_peers", "no peers", EFAULT,
                   [this] { return zlink_socket_peers (pair, nullptr, &room); });
        table.add ("socket_peers", "no count", EFAULT,
                   [this] { return zlink_socket_peers (pair, &peer, nullptr); });
        table.add ("socket_peer_routing_id", "NULL", EFAULT,
                   [this] { return zlink_socket_peer_routing_id (pair, 0, nullptr); });
        table.add ("socket_peer_routing_id", "nobody", EINVAL,
                   [this] { return zlink_socket_peer_routing_id (pair, 0, &id); });
        table.add ("socket_peer_info", "NULL", EFAULT,
                   [this] { return zlink_socket_peer_info (pair, nullptr, &peer); });
        table.add ("socket_peer_info", "no info", EFAULT,
                   [this] { return zlink_socket_peer_info (pair, &id, nullptr); });
        table.add ("socket_peer_info", "nobody", EHOSTUNREACH,
                   [this] { return zlink_socket_peer_info (pair, &id, &peer); });
    }

    // --- services: a handle of another kind is none ------------------------------

    using named_calls = std::vector<std::pair<const char *, std::function<int (void *)>>>;

    void no_handles (const named_calls &calls)
    {
        for (const auto &[name, call] : calls)
            table.each (bad_pollers, name, EFAULT, call);
    }

    void add_statistics_servers ()
    {
        table.each (bad_contexts, "statistics_server_new", EFAULT,
                    [] (void *c) { return zlink_statistics_server_new (c, nullptr); });
        table.add ("statistics_server_new", "no endpoint", EINVAL,
                   [this] { return zlink_statistics_server_new (own, "here"); });
        table.add ("statistics_server_new", "inproc", ENOCOMPATPROTO,
                   [this] { return zlink_statistics_server_new (own, "inproc://a"); });
        no_handles ({
          {"statistics_server_endpoint",
           [this] (void *s) { return zlink_statistics_server_endpoint (s, buffer.data (), &size); }},
          {"statistics_server_destroy", [] (void *s) { return zlink_statistics_server_destroy (&s); }},
        });
    }

    void add_registries ()
    {
        table.each (bad_contexts, "registry_new", EFAULT, [] (void *c) { return zlink_registry_new (c); });
        no_handles ({
          {"registry_set_endpoints",
           [] (void *r) { return zlink_registry_set_endpoints (r, "inproc://a", "inproc://b"); }},
          {"registry_set_id", [] (void *r) { return zlink_registry_set_id (r, 1); }},
          {"registry_add_peer", [] (void *r) { return zlink_registry_add_peer (r, "inproc://a"); }},
          {"registry_set_store", [] (void *r) { return zlink_registry_set_store (r, "etcd://127.0.0.1:1"); }},
          {"registry_set_votes", [] (void *r) { return zlink_registry_set_votes (r, "/tmp/"); }},
          {"registry_set_heartbeat", [] (void *r) { return zlink_registry_set_heartbeat (r, 1, 2); }},
          {"registry_set_broadcast_interval",
           [] (void *r) { return zlink_registry_set_broadcast_interval (r, 1); }},
          {"registry_setsockopt",
           [this] (void *r) {
               return zlink_registry_setsockopt (r, ZLINK_REGISTRY_SOCKET_ROUTER, ZLINK_BACKLOG, &one,
                                                 sizeof one);
           }},
          {"registry_start", [] (void *r) { return zlink_registry_start (r); }},
          {"registry_bind", [] (void *r) { return zlink_registry_bind (r, "inproc://a"); }},
          {"registry_endpoint",
           [this] (void *r) { return zlink_registry_endpoint (r, buffer.data (), &size); }},
          {"registry_remove",
           [] (void *r) { return zlink_registry_remove (r, ZLINK_SERVICE_GATEWAY, "svc", "inproc://a"); }},
          {"registry_info",
           [] (void *r) {
               zlink_registry_info_t info;
               return zlink_registry_info (r, &info);
           }},
          {"registry_set_handler", [] (void *r) { return zlink_registry_set_handler (r, nullptr, nullptr); }},
          {"registry_visit",
           [] (void *r) {
               return zlink_registry_visit (
                 r, [] (const zlink_registry_event_t *, void *) {}, nullptr);
           }},
          {"registry_remember",
           [] (void *r) {
               const zlink_registry_event_t nobody{};
               return zlink_registry_remember (r, &nobody);
           }},
          {"registry_set_limit",
           [] (void *r) { return zlink_registry_set_limit (r, ZLINK_REGISTRY_MAX_PROVIDERS, 1); }},
          {"registry_destroy", [] (void *r) { return zlink_registry_destroy (&r); }},
        });
    }

    void add_discoveries ()
    {
        table.each (bad_contexts, "discovery_new_typed", EFAULT,
                    [] (void *c) { return zlink_discovery_new_typed (c, ZLINK_SERVICE_GATEWAY); });
        table.add ("discovery_new_typed", "no such type", EINVAL,
                   [this] { return zlink_discovery_new_typed (own, 77); });
        no_handles ({
          {"discovery_connect_registry",
           [] (void *d) { return zlink_discovery_connect_registry (d, "inproc://a"); }},
          {"discovery_subscribe", [] (void *d) { return zlink_discovery_subscribe (d, "svc"); }},
          {"discovery_unsubscribe", [] (void *d) { return zlink_discovery_unsubscribe (d, "svc"); }},
          {"discovery_get_receivers",
           [] (void *d) {
               std::size_t count = 0;
               return zlink_discovery_get_receivers (d, "svc", nullptr, &count);
           }},
          {"discovery_receiver_count", [] (void *d) { return zlink_discovery_receiver_count (d, "svc"); }},
          {"discovery_service_available",
           [] (void *d) { return zlink_discovery_service_available (d, "svc"); }},
          {"discovery_wait", [] (void *d) { return zlink_discovery_wait (d, "svc", 1, 0); }},
          {"discovery_status",
           [] (void *d) {
               zlink_discovery_status_t how;
               return zlink_discovery_status (d, "svc", &how);
           }},
          {"discovery_set_handler",
           [] (void *d) { return zlink_discovery_set_handler (d, nullptr, nullptr); }},
          {"discovery_setsockopt",
           [this] (void *d) {
               return zlink_discovery_setsockopt (d, ZLINK_DISCOVERY_SOCKET_SUB, ZLINK_BACKLOG, &one,
                                                  sizeof one);
           }},
          {"discovery_destroy", [] (void *d) { return zlink_discovery_destroy (&d); }},
        });
    }

    void add_gateways ()
    {
        table.each (bad_contexts, "gateway_new", EFAULT,
                    [] (void *c) { return zlink_gateway_new (c, nullptr, nullptr); });
        no_handles ({
          {"gateway_set_providers",
           [] (void *g) { return zlink_gateway_set_providers (g, "svc", nullptr, nullptr, 0); }},
          {"gateway_set_lb_strategy", [] (void *g) { return zlink_gateway_set_lb_strategy (g, "svc", 0); }},
          {"gateway_setsockopt",
           [this] (void *g) { return zlink_gateway_setsockopt (g, ZLINK_BACKLOG, &one, sizeof one); }},
          {"service_secure",
           [] (void *g) {
               zlink_security_t how{};
               how.size = sizeof how;
               return zlink_service_secure (g, &how);
           }},
          {"gateway_set_tls_client",
           [] (void *g) { return zlink_gateway_set_tls_client (g, "file", nullptr, 0); }},
          {"gateway_connection_count", [] (void *g) { return zlink_gateway_connection_count (g, "svc"); }},
          {"gateway_request",
           [this] (void *g) { return zlink_gateway_request (g, "svc", &part, 1, nullptr, &reply); }},
          {"gateway_request_async",
           [this] (void *g) {
               return zlink_gateway_request_async (
                 g, "svc", &part, 1, nullptr, [] (std::uint64_t, zlink_reply_t *, void *) {}, nullptr,
                 nullptr);
           }},
          {"gateway_cancel", [] (void *g) { return zlink_gateway_cancel (g, 1); }},
          {"gateway_send", [this] (void *g) { return zlink_gateway_send (g, "svc", &part, 1, 0); }},
          {"gateway_send_buffer", [] (void *g) { return zlink_gateway_send_buffer (g, "svc", "x", 1, 0); }},
          {"gateway_send_rid",
           [this] (void *g) { return zlink_gateway_send_rid (g, "svc", &id, &part, 1, 0); }},
          {"gateway_recv",
           [] (void *g) {
               zlink_msg_t *parts = nullptr;
               std::size_t count = 0;
               return zlink_gateway_recv (g, &parts, &count, ZLINK_DONTWAIT, nullptr);
           }},
          {"gateway_destroy", [] (void *g) { return zlink_gateway_destroy (&g); }},
        });
        table.each (bad_pollers, "gateway_router", EFAULT, [] (void *g) { return zlink_gateway_router (g); });
        table.survives ("reply_close", "NULL", [] { zlink_reply_close (nullptr); });
    }

    void add_spots ()
    {
        table.each (bad_contexts, "spot_node_new", EFAULT, [] (void *c) { return zlink_spot_node_new (c); });
        no_handles ({
          {"spot_node_destroy", [] (void *n) { return zlink_spot_node_destroy (&n); }},
          {"spot_node_bind", [] (void *n) { return zlink_spot_node_bind (n, "inproc://spot"); }},
          {"spot_node_endpoint", [this] (void *n) { return zlink_spot_node_endpoint (n, nullptr, &room); }},
          {"spot_node_connect_registry",
           [] (void *n) { return zlink_spot_node_connect_registry (n, "inproc://registry"); }},
          {"spot_node_connect_peer_pub",
           [] (void *n) { return zlink_spot_node_connect_peer_pub (n, "inproc://spot"); }},
          {"spot_node_disconnect_peer_pub",
           [] (void *n) { return zlink_spot_node_disconnect_peer_pub (n, "inproc://spot"); }},
          {"spot_node_join", [] (void *n) { return zlink_spot_node_join (n, "inproc://spot"); }},
          {"spot_node_leave", [] (void *n) { return zlink_spot_node_leave (n, nullptr); }},
          {"spot_node_register", [] (void *n) { return zlink_spot_node_register (n, nullptr, nullptr); }},
          {"spot_node_unregister", [] (void *n) { return zlink_spot_node_unregister (n, nullptr); }},
          {"spot_node_set_discovery",
           [] (void *n) { return zlink_spot_node_set_discovery (n, nullptr, nullptr); }},
          {"spot_node_set_tls_server",
           [] (void *n) { return zlink_spot_node_set_tls_server (n, nullptr, nullptr); }},
          {"spot_node_set_tls_client",
           [] (void *n) { return zlink_spot_node_set_tls_client (n, nullptr, nullptr, 0); }},
          {"spot_node_setsockopt",
           [this] (void *n) {
               return zlink_spot_node_setsockopt (n, ZLINK_SPOT_NODE_SOCKET_PUB, ZLINK_BACKLOG, &one,
                                                  sizeof one);
           }},
          {"spot_node_wait", [] (void *n) { return zlink_spot_node_wait (n, 0, 0); }},
          {"spot_node_counters",
           [] (void *n) {
               zlink_spot_node_counters_t counts{};
               counts.size = sizeof counts;
               return zlink_spot_node_counters (n, &counts);
           }},
          {"spot_node_visit_topics",
           [] (void *n) {
               return zlink_spot_node_visit_topics (
                 n, [] (const zlink_spot_topic_t *, void *) {}, nullptr);
           }},
          {"spot_pub_publish", [this] (void *p) { return zlink_spot_pub_publish (p, "t", &part, 1, 0); }},
          {"spot_pub_send", [] (void *p) { return zlink_spot_pub_send (p, "t", "x", 1); }},
          {"spot_pub_setsockopt",
           [this] (void *p) { return zlink_spot_pub_setsockopt (p, ZLINK_BACKLOG, &one, sizeof one); }},
          {"spot_pub_destroy", [] (void *p) { return zlink_spot_pub_destroy (&p); }},
        });
        table.each (bad_pollers, "spot_pub_new", EFAULT, [] (void *n) { return zlink_spot_pub_new (n); });
    }

    void add_spot_subscribers ()
    {
        no_handles ({
          {"spot_sub_subscribe", [] (void *s) { return zlink_spot_sub_subscribe (s, "t"); }},
          {"spot_sub_subscribe_pattern", [] (void *s) { return zlink_spot_sub_subscribe_pattern (s, "t*"); }},
          {"spot_sub_subscribe_glob", [] (void *s) { return zlink_spot_sub_subscribe_glob (s, "t*"); }},
          {"spot_sub_unsubscribe", [] (void *s) { return zlink_spot_sub_unsubscribe (s, "t"); }},
          {"spot_sub_unsubscribe_glob", [] (void *s) { return zlink_spot_sub_unsubscribe_glob (s, "t*"); }},
          {"spot_sub_set_policy", [] (void *s) { return zlink_spot_sub_set_policy (s, 0, 0); }},
          {"spot_sub_set_handler", [] (void *s) { return zlink_spot_sub_set_handler (s, nullptr, nullptr); }},
          {"spot_sub_recv",
           [] (void *s) {
               zlink_msg_t *parts = nullptr;
               std::size_t count = 0;
               return zlink_spot_sub_recv (s, &parts, &count, ZLINK_DONTWAIT, nullptr, nullptr);
           }},
          {"spot_sub_next",
           [] (void *s) {
               zlink_spot_message_t message{};
               message.size = sizeof message;
               return zlink_spot_sub_next (s, &message, 0);
           }},
          {"spot_sub_fd",
           [] (void *s) {
               zlink_fd_t at{};
               return zlink_spot_sub_fd (s, &at);
           }},
          {"spot_sub_counters",
           [] (void *s) {
               zlink_spot_counters_t counts{};
               counts.size = sizeof counts;
               return zlink_spot_sub_counters (s, &counts);
           }},
          {"spot_sub_setsockopt",
           [this] (void *s) { return zlink_spot_sub_setsockopt (s, ZLINK_BACKLOG, &one, sizeof one); }},
          {"spot_sub_destroy", [] (void *s) { return zlink_spot_sub_destroy (&s); }},
        });
        table.each (bad_pollers, "spot_sub_new", EFAULT, [] (void *n) { return zlink_spot_sub_new (n); });
    }

    void add_partitions ()
    {
        no_handles ({
          {"spot_node_add_grantor",
           [] (void *n) { return zlink_spot_node_add_grantor (n, "inproc://registry"); }},
          {"spot_node_declare", [] (void *n) { return zlink_spot_node_declare (n, "t", 1); }},
          {"spot_node_partition",
           [] (void *n) {
               zlink_spot_partition_t state{};
               state.size = sizeof state;
               return zlink_spot_node_partition (n, "t", 0, &state);
           }},
          {"spot_pub_send_key",
           [] (void *p) { return zlink_spot_pub_send_key (p, "t", "k", 1, "x", 1, nullptr, 0); }},
          {"spot_pub_send_key_async",
           [] (void *p) {
               return zlink_spot_pub_send_key_async (
                 p, "t", "k", 1, "x", 1, 0, [] (int, const zlink_spot_place_t *, void *) {}, nullptr);
           }},
          {"spot_reader_next",
           [] (void *r) {
               zlink_spot_event_t told{};
               told.size = sizeof told;
               return zlink_spot_reader_next (r, &told, 0);
           }},
          {"spot_reader_fd",
           [] (void *r) {
               zlink_fd_t at{};
               return zlink_spot_reader_fd (r, &at);
           }},
          {"spot_reader_set_handler",
           [] (void *r) { return zlink_spot_reader_set_handler (r, nullptr, nullptr); }},
          {"spot_reader_destroy", [] (void *r) { return zlink_spot_reader_destroy (&r); }},
        });
        table.each (bad_pollers, "spot_reader_new", EFAULT,
                    [] (void *n) { return zlink_spot_reader_new (n, "t", ZLINK_SPOT_FROM_NOW, 0); });
    }

    void add_receivers ()
    {
        table.each (bad_contexts, "receiver_new", EFAULT,
                    [] (void *c) { return zlink_receiver_new (c, nullptr); });
        no_handles ({
          {"receiver_bind", [] (void *r) { return zlink_receiver_bind (r, "inproc://a"); }},
          {"receiver_endpoint",
           [this] (void *r) { return zlink_receiver_endpoint (r, buffer.data (), &size); }},
          {"receiver_connect_registry",
           [] (void *r) { return zlink_receiver_connect_registry (r, "inproc://a"); }},
          {"receiver_register", [] (void *r) { return zlink_receiver_register (r, "svc", nullptr, 1); }},
          {"receiver_update_weight", [] (void *r) { return zlink_receiver_update_weight (r, "svc", 1); }},
          {"receiver_unregister", [] (void *r) { return zlink_receiver_unregister (r, "svc"); }},
          {"receiver_register_result",
           [] (void *r) { return zlink_receiver_register_result (r, "svc", nullptr, nullptr, nullptr); }},
          {"receiver_set_tls_server",
           [] (void *r) { return zlink_receiver_set_tls_server (r, "file", "file"); }},
          {"receiver_setsockopt",
           [this] (void *r) {
               return zlink_receiver_setsockopt (r, ZLINK_RECEIVER_SOCKET_ROUTER, ZLINK_BACKLOG, &one,
                                                 sizeof one);
           }},
          {"receiver_recv",
           [] (void *r) {
               zlink_request_t *request = nullptr;
               return zlink_receiver_recv (r, &request, 0);
           }},
          {"receiver_drain", [] (void *r) { return zlink_receiver_drain (r, 0); }},
          {"receiver_destroy", [] (void *r) { return zlink_receiver_destroy (&r); }},
        });
        table.each (bad_pollers, "receiver_router", EFAULT,
                    [] (void *r) { return zlink_receiver_router (r); });
    }

    void add_requests ()
    {
        table.survives ("request_service", "NULL",
                        [] { EXPECT_STREQ (zlink_request_service (nullptr), ""); });
        table.survives ("request_parts", "NULL",
                        [] { EXPECT_EQ (zlink_request_parts (nullptr, nullptr), nullptr); });
        table.survives ("request_one_way", "NULL", [] { EXPECT_EQ (zlink_request_one_way (nullptr), 0); });
        table.survives ("request_key", "NULL",
                        [] { EXPECT_STREQ (zlink_request_key (nullptr, nullptr), ""); });
        table.survives ("request_traceparent", "NULL",
                        [] { EXPECT_STREQ (zlink_request_traceparent (nullptr), ""); });
        table.survives ("request_wanted", "NULL", [] { EXPECT_EQ (zlink_request_wanted (nullptr), 0); });
        table.survives ("request_close", "NULL", [] { zlink_request_close (nullptr); });
        table.add ("request_reply", "NULL", EFAULT, [] { return zlink_request_reply (nullptr, nullptr, 0); });
        table.add ("request_fail", "NULL", EFAULT,
                   [] { return zlink_request_fail (nullptr, ZLINK_FAILURE_REJECTED, 0, nullptr); });
    }

    static std::function<int (void *)> find (const named_calls &calls, std::string_view name)
    {
        for (const auto &[other, call] : calls)
            if (other == name)
                return call;
        return [] (void *) { return 0; };
    }

    zlink_msg_t part;
    zlink_endpoint_status_t status{};
    zlink_statistics_t statistics{};
    zlink_event_t event{};
    zlink_monitor_event_t said{};
    zlink_peer_info_t peer{};
    zlink_routing_id_t id{};
    std::size_t room = 1;
    zlink_counters_t counters{};
    std::size_t rows = 1;
    std::uint32_t one = 1;
    zlink_reply_t reply{};
};

TEST_F (zlink_arguments, are_refused_everywhere)
{
    add_shared ();
    add_log ();
    add_keys ();
    add_contexts ();
    add_types ();
    add_whole_messages ();
    add_packed ();
    add_reports ();
    add_events ();
    add_peers ();
    add_statistics_servers ();
    add_registries ();
    add_discoveries ();
    add_gateways ();
    add_spots ();
    add_spot_subscribers ();
    add_partitions ();
    add_receivers ();
    add_requests ();
    table.run ();
    table.cover ("include/zlink/zlink.h");
    EXPECT_EQ (zlink_timers_timeout (timers), -1);  // none of it got through
    EXPECT_EQ (zlink_poller_size (poller), 0);
}

}  // namespace
}  // namespace zlink::test

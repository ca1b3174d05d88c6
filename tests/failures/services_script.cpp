// The conversation of a registry, a watcher and a provider that speaks the protocol
// by hand; and that of a server of statistics with who reads them.
#include <array>
#include <cstring>
#include <utility>

#include "failures/script.hpp"
#include "zlink/zlink.h"

namespace zlink::test {
namespace {

// docs/protocol/registry.md's example, and a put of svc at tcp://10.1.0.7:5555.
constexpr char open_octets[] = "R\1\1\0"
                               "\0\5\0\0\0\10\1\2\3\4\5\6\7\10"
                               "\0\6\0\0\0\20"
                               "0123456789abcdef";
constexpr char put_octets[] = "R\1\3\0"
                              "\0\16\0\0\0\102"
                              "\0\11\0\0\0\2\0\1"
                              "\0\12\0\0\0\3svc"
                              "\0\13\0\0\0\23tcp://10.1.0.7:5555"
                              "\0\5\0\0\0\10\1\2\3\4\5\6\7\10"
                              "\0\20\0\0\0\4\0\0\0\1";

class services_script : script_steps
{
  public:
    void play (const char *endpoint)
    {
        context_ = insist ("ctx_new", [] { return zlink_ctx_new (); });
        registry (endpoint);
        discovery ();
        provide ();
        ask ();
        end ();
    }

  private:
    void registry (const char *endpoint)
    {
        registry_ = insist ("registry_new", [&] { return zlink_registry_new (context_); });
        insist ("registry_set_endpoints",
                [&] { return zlink_registry_set_endpoints (registry_, endpoint, nullptr); });
        insist ("registry_set_id", [&] { return zlink_registry_set_id (registry_, 1); });
        insist ("registry_set_heartbeat",
                [&] { return zlink_registry_set_heartbeat (registry_, 500, 9000); });
        (void)attempt (
          "registry_set_store", [&] { return zlink_registry_set_store (registry_, "nothing://x"); },
          EPROTONOSUPPORT);
        (void)attempt (
          "registry_set_votes", [&] { return zlink_registry_set_votes (registry_, "/tmp/"); }, EINVAL);
        insist ("registry_set_broadcast_interval",
                [&] { return zlink_registry_set_broadcast_interval (registry_, 1); });
        insist ("registry_add_peer",
                [&] { return zlink_registry_add_peer (registry_, "tcp://127.0.0.1:1"); });
        const int mark = 100;
        insist ("registry_setsockopt", [&] {
            return zlink_registry_setsockopt (registry_, ZLINK_REGISTRY_SOCKET_ROUTER, ZLINK_BACKLOG, &mark,
                                              sizeof mark);
        });
        insist ("registry_set_limit",
                [&] { return zlink_registry_set_limit (registry_, ZLINK_REGISTRY_MAX_PROVIDERS, 100); });
        insist ("registry_set_handler", [&] {
            return zlink_registry_set_handler (
              registry_, [] (const zlink_registry_event_t *, void *) {}, nullptr);
        });
        zlink_registry_event_t earlier{};
        earlier.service_type = ZLINK_SERVICE_GATEWAY;
        earlier.service_name = "earlier";
        earlier.endpoint = "tcp://10.1.0.8:5555";
        insist ("registry_remember", [&] { return zlink_registry_remember (registry_, &earlier); });
        insist ("registry_start", [&] { return zlink_registry_start (registry_); });
        insist ("registry_bind", [&] { return zlink_registry_bind (registry_, "inproc://second"); });
        insist ("registry_endpoint", [&] {
            std::size_t size = place_.size ();
            return zlink_registry_endpoint (registry_, place_.data (), &size);
        });
    }

    void discovery ()
    {
        discovery_ = insist ("discovery_new_typed",
                             [&] { return zlink_discovery_new_typed (context_, ZLINK_SERVICE_GATEWAY); });
        const int interval = 1;
        insist ("discovery_setsockopt", [&] {
            return zlink_discovery_setsockopt (discovery_, ZLINK_DISCOVERY_SOCKET_SUB, ZLINK_RECONNECT_IVL,
                                               &interval, sizeof interval);
        });
        insist ("discovery_connect_registry",
                [&] { return zlink_discovery_connect_registry (discovery_, place_.data ()); });
        insist ("discovery_subscribe", [&] { return zlink_discovery_subscribe (discovery_, "svc"); });
        insist ("discovery_set_handler", [&] {
            return zlink_discovery_set_handler (
              discovery_, [] (int, const char *, const char *, void *) {}, nullptr);
        });
    }

    // Until the watcher knows of it: it is said again, by another connection.
    void provide ()
    {
        const bool found = eventually ([&] {
            void *const provider = insist ("socket", [&] { return zlink_socket (context_, ZLINK_DEALER); });
            const int none = 0;
            insist ("setsockopt",
                    [&] { return zlink_setsockopt (provider, ZLINK_LINGER, &none, sizeof none); });
            insist ("connect", [&] { return zlink_connect (provider, place_.data ()); });
            (void)attempt ("send", [&] {
                return zlink_send (provider, open_octets, sizeof open_octets - 1, ZLINK_DONTWAIT);
            });
            (void)attempt ("send", [&] {
                return zlink_send (provider, put_octets, sizeof put_octets - 1, ZLINK_DONTWAIT);
            });
            const int known = attempt (
              "discovery_wait", [&] { return zlink_discovery_wait (discovery_, "svc", 1, 500); }, ETIMEDOUT);
            insist ("close", [&] { return zlink_close (provider); });
            return known == 0;
        });
        expect ("a provider", found);
    }

    void ask ()
    {
        std::array<zlink_receiver_info_t, 2> all{};
        (void)insist ("discovery_get_receivers", [&] {
            std::size_t count = all.size ();
            return zlink_discovery_get_receivers (discovery_, "svc", all.data (), &count);
        });
        (void)insist ("discovery_receiver_count",
                      [&] { return zlink_discovery_receiver_count (discovery_, "svc"); });
        (void)insist ("discovery_service_available",
                      [&] { return zlink_discovery_service_available (discovery_, "svc"); });
        zlink_discovery_status_t status;
        insist ("discovery_status", [&] { return zlink_discovery_status (discovery_, "svc", &status); });
        zlink_registry_info_t info;
        insist ("registry_info", [&] { return zlink_registry_info (registry_, &info); });
        insist ("registry_visit", [&] {
            return zlink_registry_visit (
              registry_, [] (const zlink_registry_event_t *, void *) {}, nullptr);
        });
        (void)attempt (
          "registry_remove",
          [&] {
              return zlink_registry_remove (registry_, ZLINK_SERVICE_GATEWAY, "svc", "tcp://10.1.0.7:5555");
          },
          ENOENT);
        insist ("discovery_unsubscribe", [&] { return zlink_discovery_unsubscribe (discovery_, "svc"); });
        insist ("discovery_set_handler",
                [&] { return zlink_discovery_set_handler (discovery_, nullptr, nullptr); });
    }

    void end ()
    {
        insist ("discovery_destroy", [&] { return zlink_discovery_destroy (&discovery_); });
        insist ("registry_destroy", [&] { return zlink_registry_destroy (&registry_); });
        insist ("ctx_term_ms", [&] { return zlink_ctx_term_ms (context_, watchdog_ms); });
    }

    void *context_ = nullptr;
    void *registry_ = nullptr;
    void *discovery_ = nullptr;
    std::array<char, 256> place_{};
};

constexpr char get_octets[] = "GET /metrics HTTP/1.1\r\n\r\n";

// Somebody reads the counters, who may go without an answer for want of memory.
class statistics_script : script_steps
{
  public:
    void play (const char *endpoint)
    {
        context_ = insist ("ctx_new", [] { return zlink_ctx_new (); });
        void *server =
          insist ("statistics_server_new", [&] { return zlink_statistics_server_new (context_, endpoint); });
        std::array<char, 256> at{};
        insist ("statistics_server_endpoint", [&] {
            std::size_t size = at.size ();
            return zlink_statistics_server_endpoint (server, at.data (), &size);
        });
        const bool told = eventually ([&] { return read_counters (at.data ()); });
        expect ("an answer", told);
        insist ("statistics_server_destroy", [&] { return zlink_statistics_server_destroy (&server); });
        insist ("ctx_term_ms", [&] { return zlink_ctx_term_ms (context_, watchdog_ms); });
    }

  private:
    bool read_counters (const char *at)
    {
        void *const reader = insist ("socket", [&] { return zlink_socket (context_, ZLINK_STREAM); });
        const int on = 1, none = 0, patience_ms = 50;
        for (const auto &[number, value] : {std::pair{ZLINK_STREAM_RAW, &on}, std::pair{ZLINK_LINGER, &none},
                                            std::pair{ZLINK_RCVTIMEO, &patience_ms}})
            insist ("setsockopt", [&, number = number, value = value] {
                return zlink_setsockopt (reader, number, value, sizeof *value);
            });
        insist ("connect", [&] { return zlink_connect (reader, at); });
        std::array<char, 16> name{};
        std::array<char, 8192> octets{};
        const int named = zlink_recv (reader, name.data (), name.size (), 0);
        bool told = false;
        if (named > 0 && zlink_recv (reader, octets.data (), octets.size (), 0) == 0
            && zlink_send (reader, name.data (), static_cast<std::size_t> (named), ZLINK_SNDMORE) == named
            && zlink_send (reader, get_octets, sizeof get_octets - 1, 0) > 0
            && zlink_recv (reader, name.data (), name.size (), 0) == named)
            told = zlink_recv (reader, octets.data (), octets.size (), 0) > 0
                   && std::memcmp (octets.data (), "HTTP/1.1 200", 12) == 0;
        insist ("close", [&] { return zlink_close (reader); });
        return told;
    }

    void *context_ = nullptr;
};

}  // namespace

void play_services (const char *endpoint, const char *) { services_script ().play (endpoint); }
void play_statistics (const char *endpoint, const char *) { statistics_script ().play (endpoint); }

}  // namespace zlink::test

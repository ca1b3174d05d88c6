// A conversation of two nodes of SPOT that calls each of their functions.
#include "failures/script.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include "zlink/zlink.h"

namespace zlink::test {
namespace {

constexpr int look_ms = 20;

class spots_script : script_steps
{
  public:
    void play (const char *endpoint)
    {
        context_ = insist ("ctx_new", [] { return zlink_ctx_new (); });
        near_ = insist ("spot_node_new", [&] { return zlink_spot_node_new (context_); });
        far_ = insist ("spot_node_new", [&] { return zlink_spot_node_new (context_); });
        pub_ = insist ("spot_pub_new", [&] { return zlink_spot_pub_new (near_); });
        sub_ = insist ("spot_sub_new", [&] { return zlink_spot_sub_new (far_); });
        set_up ();
        meet (endpoint);
        be_found ();
        subscribe ();
        hear ();
        order ();
        end ();
    }

  private:
    void set_up ()
    {
        const int milliseconds = look_ms, interval = 1;
        insist ("spot_node_setsockopt", [&] {
            return zlink_spot_node_setsockopt (far_, ZLINK_SPOT_NODE_SOCKET_SUB, ZLINK_RECONNECT_IVL,
                                               &interval, sizeof interval);
        });
        (void)attempt (
          "spot_node_set_tls_client",
          [&] { return zlink_spot_node_set_tls_client (far_, "no file", "host", 0); }, EINVAL, ENOENT,
          ENOTSUP);
        (void)attempt (
          "spot_node_set_tls_server",
          [&] { return zlink_spot_node_set_tls_server (far_, "no file", "none"); }, EINVAL, ENOENT, ENOTSUP);
        (void)attempt (
          "spot_pub_setsockopt",
          [&] {
              return zlink_spot_pub_setsockopt (pub_, ZLINK_SNDTIMEO, &milliseconds, sizeof milliseconds);
          },
          EINVAL, ENOTSUP);
        insist ("spot_sub_setsockopt", [&] {
            return zlink_spot_sub_setsockopt (sub_, ZLINK_RCVTIMEO, &milliseconds, sizeof milliseconds);
        });
        insist ("spot_sub_set_policy",
                [&] { return zlink_spot_sub_set_policy (sub_, ZLINK_SPOT_DROP_OLDEST, 100); });
    }

    void meet (const char *endpoint)
    {
        insist ("spot_node_bind", [&] { return zlink_spot_node_bind (near_, endpoint); });
        insist ("spot_node_endpoint", [&] {
            std::size_t size = place_.size ();
            return zlink_spot_node_endpoint (near_, place_.data (), &size);
        });
        insist ("spot_node_connect_peer_pub",
                [&] { return zlink_spot_node_connect_peer_pub (far_, place_.data ()); });
        insist ("spot_node_join", [&] { return zlink_spot_node_join (near_, nullptr); });
    }

    // Nobody is where they look.
    void be_found ()
    {
        (void)attempt (
          "spot_node_connect_registry",
          [&] { return zlink_spot_node_connect_registry (near_, place_.data ()); }, EINVAL, ENOTSUP,
          EPROTONOSUPPORT);
        (void)attempt (
          "spot_node_register", [&] { return zlink_spot_node_register (near_, "spots", nullptr); }, EINVAL,
          ENOENT, ENOTCONN, EHOSTUNREACH, ETIMEDOUT, EAGAIN);
        (void)attempt (
          "spot_node_unregister", [&] { return zlink_spot_node_unregister (near_, "spots"); }, EINVAL, ENOENT,
          ENOTCONN);
        void *discovery =
          insist ("discovery_new", [&] { return zlink_discovery_new_typed (context_, ZLINK_SERVICE_SPOT); });
        (void)attempt (
          "spot_node_set_discovery", [&] { return zlink_spot_node_set_discovery (far_, discovery, "spots"); },
          EINVAL);
        insist ("spot_node_set_discovery",
                [&] { return zlink_spot_node_set_discovery (far_, nullptr, nullptr); });
        insist ("discovery_destroy", [&] { return zlink_discovery_destroy (&discovery); });
    }

    void subscribe ()
    {
        insist ("spot_sub_subscribe", [&] { return zlink_spot_sub_subscribe (sub_, "topic"); });
        insist ("spot_sub_subscribe_pattern", [&] { return zlink_spot_sub_subscribe_pattern (sub_, "to*"); });
        insist ("spot_sub_subscribe_glob", [&] { return zlink_spot_sub_subscribe_glob (sub_, "t[n-p]pic"); });
        (void)attempt (
          "spot_sub_unsubscribe_glob", [&] { return zlink_spot_sub_unsubscribe_glob (sub_, "t[n-p]pic"); },
          EINVAL);
        (void)attempt (
          "spot_sub_unsubscribe", [&] { return zlink_spot_sub_unsubscribe (sub_, "to*"); }, EINVAL);
        (void)attempt ("spot_node_visit_topics",
                       [&] { return zlink_spot_node_visit_topics (far_, known, nullptr); });
        (void)attempt (
          "spot_node_wait", [&] { return zlink_spot_node_wait (near_, 1, look_ms); }, ETIMEDOUT);
    }

    static void known (const zlink_spot_topic_t *, void *) {}
    static void told (const zlink_spot_event_t *, void *) {}
    static void placed (int, const zlink_spot_place_t *, void *) {}
    static void heard (const char *, std::size_t, const zlink_msg_t *, std::size_t, void *) {}

    void hear ()
    {
        const bool came = eventually ([&] {
            publish ();
            zlink_spot_message_t got{};
            got.size = sizeof got;
            return attempt (
                     "spot_sub_next", [&] { return zlink_spot_sub_next (sub_, &got, look_ms); }, EAGAIN,
                     ECONNABORTED)
                     == 0
                   && got.gap == ZLINK_SPOT_GAP_NONE;
        });
        expect ("spot_sub_next", came);
        zlink_msg_t *parts = nullptr;
        std::size_t count = 0, topic_size = topic_.size ();
        if (attempt (
              "spot_sub_recv",
              [&] {
                  return zlink_spot_sub_recv (sub_, &parts, &count, ZLINK_DONTWAIT, topic_.data (),
                                              &topic_size);
              },
              EAGAIN, ECONNABORTED)
            == 0)
            zlink_msgv_close (parts, count);
        zlink_spot_counters_t counted{};
        counted.size = sizeof counted;
        insist ("spot_sub_counters", [&] { return zlink_spot_sub_counters (sub_, &counted); });
        zlink_spot_node_counters_t counts{};
        counts.size = sizeof counts;
        insist ("spot_node_counters", [&] { return zlink_spot_node_counters (near_, &counts); });
        zlink_fd_t descriptor{};
        (void)attempt (
          "spot_sub_fd", [&] { return zlink_spot_sub_fd (sub_, &descriptor); }, EMFILE, ENFILE, ENOTSUP);
        (void)attempt ("spot_sub_set_handler",
                       [&] { return zlink_spot_sub_set_handler (sub_, heard, nullptr); });
        publish ();
        insist ("spot_sub_set_handler", [&] { return zlink_spot_sub_set_handler (sub_, nullptr, nullptr); });
    }

    void publish ()
    {
        (void)attempt (
          "spot_pub_send", [&] { return zlink_spot_pub_send (pub_, "topic", "text", 4); }, EAGAIN);
        zlink_msg_t part;
        if (attempt ("msg_init_size", [&] { return zlink_msg_init_size (&part, 4); }) != 0)
            return;
        std::memset (zlink_msg_data (&part), 'x', 4);
        if (attempt (
              "spot_pub_publish", [&] { return zlink_spot_pub_publish (pub_, "topic", &part, 1, 0); }, EAGAIN)
            != 0)
            zlink_msg_close (&part);
    }

    // Nobody grants them anything, so that nothing is numbered.
    void order ()
    {
        (void)attempt (
          "spot_node_add_grantor", [&] { return zlink_spot_node_add_grantor (far_, "inproc://no-registry"); },
          EMFILE, ENOTSUP, EPROTONOSUPPORT);
        if (attempt (
              "spot_node_declare", [&] { return zlink_spot_node_declare (far_, "ordered", 2); }, EMFILE)
            != 0)
            return;
        void *reader = attempt ("spot_reader_new", [&] {
            return zlink_spot_reader_new (far_, "ordered", ZLINK_SPOT_FROM_LAST, 1);
        });
        zlink_spot_partition_t state{};
        state.size = sizeof state;
        insist ("spot_node_partition",
                [&] { return zlink_spot_node_partition (far_, "ordered", 1, &state); });
        void *pub = attempt ("spot_pub_new", [&] { return zlink_spot_pub_new (far_); });
        if (pub != nullptr) {
            (void)attempt (
              "spot_pub_send_key",
              [&] { return zlink_spot_pub_send_key (pub, "ordered", "k", 1, "x", 1, nullptr, 1); },
              EHOSTUNREACH, ETIMEDOUT);
            (void)attempt (
              "spot_pub_send_key_async",
              [&] {
                  return zlink_spot_pub_send_key_async (pub, "ordered", "k", 1, "x", 1, look_ms, placed,
                                                        nullptr);
              },
              EAGAIN);
            insist ("spot_pub_destroy", [&] { return zlink_spot_pub_destroy (&pub); });
        }
        if (reader == nullptr)
            return;
        zlink_spot_event_t event{};
        event.size = sizeof event;
        (void)attempt (
          "spot_reader_next", [&] { return zlink_spot_reader_next (reader, &event, 0); }, EAGAIN);
        zlink_fd_t descriptor{};
        (void)attempt (
          "spot_reader_fd", [&] { return zlink_spot_reader_fd (reader, &descriptor); }, EMFILE, ENFILE,
          ENOTSUP);
        (void)attempt ("spot_reader_set_handler",
                       [&] { return zlink_spot_reader_set_handler (reader, told, nullptr); });
        insist ("spot_reader_set_handler",
                [&] { return zlink_spot_reader_set_handler (reader, nullptr, nullptr); });
        insist ("spot_reader_destroy", [&] { return zlink_spot_reader_destroy (&reader); });
    }

    void end ()
    {
        (void)attempt (
          "spot_node_disconnect_peer_pub",
          [&] { return zlink_spot_node_disconnect_peer_pub (far_, place_.data ()); }, ENOENT);
        (void)attempt (
          "spot_node_leave", [&] { return zlink_spot_node_leave (near_, nullptr); }, ENOENT);
        insist ("spot_sub_destroy", [&] { return zlink_spot_sub_destroy (&sub_); });
        insist ("spot_pub_destroy", [&] { return zlink_spot_pub_destroy (&pub_); });
        insist ("spot_node_destroy", [&] { return zlink_spot_node_destroy (&far_); });
        insist ("spot_node_destroy", [&] { return zlink_spot_node_destroy (&near_); });
        insist ("ctx_term_ms", [&] { return zlink_ctx_term_ms (context_, watchdog_ms); });
    }

    void *context_ = nullptr;
    void *near_ = nullptr;
    void *far_ = nullptr;
    void *pub_ = nullptr;
    void *sub_ = nullptr;
    std::array<char, 256> place_{}, topic_{};
};

}  // namespace

void play_spots (const char *endpoint, const char *) { spots_script ().play (endpoint); }

}  // namespace zlink::test

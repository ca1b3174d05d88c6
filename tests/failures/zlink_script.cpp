// The conversation through zlink.h.
#include <array>
#include <cstdlib>

#include "failures/script.hpp"
#include "support/zlink_abi.hpp"

namespace zlink::test {
namespace {

class zlink_script : shared_script<zlink_abi>
{
  public:
    using shared_script::shared_script;

    void play (const char *remote)
    {
        insist ("set_log", [] { return zlink_set_log (zlink_log_discard, nullptr); });
        utilities ();
        other_end ();
        open (insist ("ctx_new", [] { return zlink_ctx_new (); }));
        monitor ();
        name_far ();
        link (remote);
        (void)attempt (
          "wait_peers", [&] { return zlink_wait_peers (far_, 1, patience_ms); }, ETIMEDOUT);
        (void)attempt (
          "wait_subscribers", [&] { return zlink_wait_subscribers (far_, 1, patience_ms); }, ENOTSUP);
        (void)attempt (
          "wait_subscribed", [&] { return zlink_wait_subscribed (far_, 1, patience_ms); }, ENOTSUP);
        static constexpr void (zlink_script::*parts[]) () = {
          &zlink_script::messages,
          &zlink_script::arrays,
          &zlink_script::traffic,
          &zlink_script::whole_messages,
          &zlink_script::batches,
          &zlink_script::packed,
          &zlink_script::wait,
          &zlink_script::peers,
          &zlink_script::numbers,
          &zlink_script::proxies,
          &zlink_script::counters_and_timers,
          &zlink_script::not_of_a_pair,
          &zlink_script::texts,
          &zlink_script::keys,
          &zlink_script::judges,
        };
        play_parts (*this, parts);
        monitored ();
        unlink ();
        insist ("ctx_term_ms", [&] { return zlink_ctx_term_ms (context_, watchdog_ms); });
    }

  private:
    void other_end ()
    {
        void *const made = insist ("ctx_new", [] { return zlink_ctx_new (); });
        insist ("ctx_term", [&] { return zlink_ctx_term (made); });
    }

    void arrays ()
    {
        auto *const parts = static_cast<zlink_msg_t *> (std::malloc (2 * sizeof (zlink_msg_t)));
        for (zlink_msg_t *const each : {parts, parts + 1})
            insist ("msg_init_size", [&] { return zlink_msg_init_size (each, 1000); });
        zlink_msgv_close (parts, 2);
    }

    // --- events --------------------------------------------------------------------

    void monitor ()
    {
        insist ("socket_monitor",
                [&] { return zlink_socket_monitor (near_, "inproc://watch", ZLINK_EVENT_ALL); });
        insist ("socket_monitor", [&] { return zlink_socket_monitor (near_, nullptr, 0); });
        watcher_ =
          insist ("socket_monitor_open", [&] { return zlink_socket_monitor_open (near_, ZLINK_EVENT_ALL); });
        events_ = insist ("events_open", [&] { return zlink_events_open (far_, ZLINK_EVENT_ALL, 0); });
    }

    void monitored ()
    {
        zlink_monitor_event_t told{};
        while (!failed (attempt (
          "monitor_recv", [&] { return zlink_monitor_recv (watcher_, &told, ZLINK_DONTWAIT); }, EAGAIN)))
            ;
        close_socket (watcher_);
        zlink_event_t event{};
        while (!failed (attempt (
          "events_recv", [&] { return zlink_events_recv (events_, &event, 0); }, EAGAIN)))
            ;
        insist ("events_close", [&] { return zlink_events_close (events_); });
    }

    // Groups, and peers by number.
    void not_of_a_pair ()
    {
        refuses ("join", ENOTSUP, [&] { return zlink_join (near_, "group"); });
        refuses ("leave", ENOTSUP, [&] { return zlink_leave (near_, "group"); });
        refuses ("connect_peer", ENOTSUP,
                 [&] { return zlink_connect_peer (near_, "inproc://x") == 0 ? -1 : 0; });
        refuses ("disconnect_peer", ENOTSUP, [&] { return zlink_disconnect_peer (near_, 1); });
        refuses ("disconnect_routing_id", ENOTSUP,
                 [&] { return zlink_disconnect_routing_id (near_, "name", 4); });
    }

    // --- whole messages ---------------------------------------------------------------

    // For receivers that do not take what came of another shape.
    taken clear_away ()
    {
        (void)receive_bytes (near_);
        return taken::stale;
    }

    void whole_messages ()
    {
        exchange (
          "sendv",
          [&] {
              std::array<zlink_msg_t, 2> parts;
              if (zlink_msg_init_buffer (&parts[0], tag_.data (), tag_bytes) != 0)
                  return -1;
              if (zlink_msg_init_buffer (&parts[1], large_.data (), 20'000) != 0) {
                  zlink_msg_close (&parts[0]);
                  errno = ENOMEM;
                  return -1;
              }
              const int answer = zlink_sendv (far_, parts.data (), parts.size (), 0);
              const int error = errno;
              expect ("what a failed sendv leaves", answer >= 0 || zlink_msg_size (&parts[1]) == 20'000);
              for (zlink_msg_t &each : parts)
                  zlink_msg_close (&each);
              errno = error;
              return answer;
          },
          [&] {
              std::array<zlink_msg_t, 2> parts;
              std::size_t count = parts.size ();
              for (zlink_msg_t &each : parts)
                  zlink_msg_init (&each);
              taken what = taken::nothing;
              if (attempt (
                    "recvv", [&] { return zlink_recvv (near_, parts.data (), &count, 0); }, EAGAIN)
                  >= 0)
                  what = look (near_, zlink_msg_data (&parts[0]), zlink_msg_size (&parts[0]));
              for (zlink_msg_t &each : parts)
                  zlink_msg_close (&each);
              return what;
          });
    }

    void batches ()
    {
        exchange (
          "sendn",
          [&] { return send_buffer (40, [&] (zlink_msg_t *of) { return zlink_sendn (far_, of, 1, 0); }); },
          [&] {
              zlink_msg_t part;
              zlink_msg_init (&part);
              taken what = taken::nothing;
              const int got = attempt (
                "recvn", [&] { return zlink_recvn (near_, &part, 1, 0); }, EAGAIN, EFSM);
              if (got >= 0)
                  what = look (near_, zlink_msg_data (&part), zlink_msg_size (&part));
              else if (error_ == EFSM)
                  what = clear_away ();
              zlink_msg_close (&part);
              return what;
          });
    }

    void packed ()
    {
        exchange (
          "send_packed",
          [&] {
              const std::uint32_t size = tag_bytes;
              return zlink_send_packed (far_, tag_.data (), size, &size, 1, 0);
          },
          [&] {
              std::array<char, 64> buffer{};
              std::uint32_t size = 0;
              const int got = attempt (
                "recv_packed",
                [&] { return zlink_recv_packed (near_, buffer.data (), buffer.size (), &size, 1, 0); },
                EAGAIN, EFSM, EMSGSIZE);
              if (got >= 0)
                  return look (near_, buffer.data (), size);
              return error_ == EFSM || error_ == EMSGSIZE ? clear_away () : taken::nothing;
          });
    }

    // --- what is known ------------------------------------------------------------------

    void peers ()
    {
        zlink_peer_info_t info{};
        zlink_routing_id_t who{};
        std::size_t count = 1;
        insist ("socket_peer_count", [&] { return zlink_socket_peer_count (near_); });
        insist ("socket_peers", [&] { return zlink_socket_peers (near_, &info, &count); });
        // A connection that broke may be on its way back.
        (void)attempt (
          "socket_peer_routing_id", [&] { return zlink_socket_peer_routing_id (near_, 0, &who); }, EINVAL);
        (void)attempt (
          "socket_peer_info", [&] { return zlink_socket_peer_info (near_, &who, &info); }, EHOSTUNREACH);
    }

    void numbers ()
    {
        zlink_statistics_t all{};
        zlink_endpoint_status_t status{};
        std::array<zlink_counters_t, 8> rows{};
        std::size_t count = rows.size ();
        insist ("statistics", [&] { return zlink_statistics (near_, &all); });
        insist ("connect_status", [&] { return zlink_connect_status (far_, dialled_.data (), &status); });
        insist ("counters", [&] { return zlink_counters (near_, rows.data (), sizeof rows[0], &count); });
    }

    template <class Write> void text (const char *step, Write write)
    {
        std::array<char, 4096> room{};
        insist (step, [&] {
            std::size_t size = room.size ();
            return write (room.data (), &size);
        });
    }

    void texts ()
    {
        text ("counters_text",
              [&] (char *to, std::size_t *size) { return zlink_counters_text (near_, to, size); });
        text ("ctx_counters_text",
              [&] (char *to, std::size_t *size) { return zlink_ctx_counters_text (context_, to, size); });
        text ("ctx_holders",
              [&] (char *to, std::size_t *size) { return zlink_ctx_holders (context_, to, size); });
    }

    void keys ()
    {
        std::array<char, 41> open{};
        std::array<char, 41> secret{};
        std::array<char, 41> again{};
        expect ("curve_keypair", zlink_curve_keypair (open.data (), secret.data ()) == 0);
        expect ("curve_public", zlink_curve_public (again.data (), secret.data ()) == 0 && again == open);
        // It takes its time, and asks for nothing but random numbers and its one large piece of memory.
        expect ("hash_password", zlink_hash_password (open.data (), open.size (), "", 0) == -1);
    }

    void judges ()
    {
        const std::string list =
          "joe:$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
        (void)attempt ("setsockopt", [&] {
            return zlink_setsockopt (near_, ZLINK_PLAIN_PASSWORDS, list.data (), list.size ());
        });
        int left = 0;
        const bool set = 0 == attempt ("set_authenticator", [&] {
                             return zlink_set_authenticator (
                               near_, [] (const zlink_claim_t *, char *, void *) { return 200; }, &left,
                               [] (void *hint, void *) { ++*static_cast<int *> (hint); });
                         });
        insist ("set_authenticator",
                [&] { return zlink_set_authenticator (near_, nullptr, nullptr, nullptr); });
        expect ("set_authenticator", left == (set ? 1 : 0));
    }

    void *watcher_ = nullptr;
    void *events_ = nullptr;
};

}  // namespace

void play_zlink (const char *endpoint, const char *remote) { zlink_script (endpoint).play (remote); }

}  // namespace zlink::test

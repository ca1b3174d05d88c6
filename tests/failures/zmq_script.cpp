// The conversation through zmq.h.
#include <cstdlib>

#include "failures/script.hpp"
#include "support/zmq_abi.hpp"

namespace zlink::test {
namespace {

// As zmq.h's struct iovec.
struct slice
{
    void *base;
    std::size_t size;
};

class zmq_script : shared_script<zmq_abi>
{
  public:
    using shared_script::shared_script;

    void play (const char *remote)
    {
        utilities ();
        other_ends ();
        open (insist ("ctx_new", [] { return zmq_ctx_new (); }));
        long_options ();
        monitor ();
        name_far ();
        link (remote);
        static constexpr void (zmq_script::*parts[]) () = {
          &zmq_script::messages,  &zmq_script::traffic, &zmq_script::old_traffic,         &zmq_script::wait,
          &zmq_script::proxies,   &zmq_script::device,  &zmq_script::counters_and_timers, &zmq_script::keys,
          &zmq_script::not_built,
        };
        play_parts (*this, parts);
        monitored ();
        unlink ();
        insist ("ctx_term", [&] { return zmq_ctx_term (context_); });
    }

  private:
    void other_ends ()
    {
        void *const first = insist ("init", [] { return zmq_init (1); });
        insist ("term", [&] { return zmq_term (first); });
        void *const second = insist ("init", [] { return zmq_init (1); });
        insist ("ctx_destroy", [&] { return zmq_ctx_destroy (second); });
    }

    void long_options ()
    {
        insist ("ctx_set_ext",
                [&] { return zmq_ctx_set_ext (context_, ZMQ_THREAD_NAME_PREFIX, "a long prefix", 13); });
        std::array<char, 64> prefix{};
        std::size_t size = prefix.size ();
        insist ("ctx_get_ext",
                [&] { return zmq_ctx_get_ext (context_, ZMQ_THREAD_NAME_PREFIX, prefix.data (), &size); });
    }

    void monitor ()
    {
        insist ("socket_monitor",
                [&] { return zmq_socket_monitor (near_, "inproc://watch", ZMQ_EVENT_ALL); });
        insist ("socket_monitor_versioned", [&] {
            return zmq_socket_monitor_versioned (near_, "inproc://watch", ZMQ_EVENT_ALL_V2, 2, ZMQ_PAIR);
        });
        watcher_ = open_socket (ZMQ_PAIR);
        insist ("connect", [&] { return zmq_connect (watcher_, "inproc://watch"); });
    }

    void monitored ()
    {
        (void)attempt (
          "socket_monitor_pipes_stats", [&] { return zmq_socket_monitor_pipes_stats (near_); }, EAGAIN,
          EINVAL);
        std::array<char, 64> event{};
        while (!failed (attempt (
          "recv", [&] { return zmq_recv (watcher_, event.data (), event.size (), ZMQ_DONTWAIT); }, EAGAIN)))
            ;
        insist ("socket_monitor", [&] { return zmq_socket_monitor (near_, nullptr, 0); });
        close_socket (watcher_);
    }

    void old_traffic ()
    {
        exchange (
          "sendmsg",
          [&] { return send_buffer (20, [&] (zmq_msg_t *of) { return zmq_sendmsg (far_, of, 0); }); },
          [&] {
              zmq_msg_t part;
              insist ("msg_init", [&] { return zmq_msg_init (&part); });
              taken what = taken::nothing;
              if (attempt (
                    "recvmsg", [&] { return zmq_recvmsg (near_, &part, 0); }, EAGAIN)
                  >= 0)
                  what = look (near_, zmq_msg_data (&part), zmq_msg_size (&part));
              insist ("msg_close", [&] { return zmq_msg_close (&part); });
              return what;
          });
        exchange (
          "sendiov",
          [&] {
              std::array<slice, 2> parts{slice{tag_.data (), tag_bytes}, slice{large_.data (), 9000}};
              return zmq_sendiov (far_, reinterpret_cast<iovec *> (parts.data ()), parts.size (), 0);
          },
          [&] {
              std::array<slice, 2> parts{};
              std::size_t count = parts.size ();
              taken what = taken::nothing;
              if (attempt (
                    "recviov",
                    [&] { return zmq_recviov (near_, reinterpret_cast<iovec *> (parts.data ()), &count, 0); },
                    EAGAIN)
                  >= 0)
                  what = look (near_, parts[0].base, parts[0].size);
              for (const slice &each : parts)
                  std::free (each.base);
              return what;
          });
    }

    void device ()
    {
        run_until_closed ([] (const proxied &on) { return zmq_device (0, on.front, on.back); });
    }

    void keys ()
    {
        std::array<std::uint8_t, 8> bytes{1, 2, 3};
        std::array<char, 41> text{};
        insist ("z85_encode", [&] { return zmq_z85_encode (text.data (), bytes.data (), bytes.size ()); });
        insist ("z85_decode", [&] { return zmq_z85_decode (bytes.data (), text.data ()); });
        std::array<char, 41> other{};
        expect ("curve_keypair", zmq_curve_keypair (text.data (), other.data ()) == 0);
        expect ("curve_public", zmq_curve_public (text.data (), other.data ()) == 0);
    }

    void not_built ()
    {
        refuses ("join", ENOTSUP, [&] { return zmq_join (near_, "group"); });
        refuses ("leave", ENOTSUP, [&] { return zmq_leave (near_, "group"); });
        refuses ("connect_peer", ENOTSUP,
                 [&] { return zmq_connect_peer (near_, "inproc://x") == 0 ? -1 : 0; });
        refuses ("disconnect_peer", ENOTSUP, [&] { return zmq_disconnect_peer (near_, 1); });
        refuses ("socket_get_peer_state", ENOTSUP, [&] { return zmq_socket_get_peer_state (near_, "x", 1); });
    }

    void *watcher_ = nullptr;
};

}  // namespace

void play_zmq (const char *endpoint, const char *remote) { zmq_script (endpoint).play (remote); }

}  // namespace zlink::test

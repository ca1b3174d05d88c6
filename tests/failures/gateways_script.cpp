// The conversation of a gateway and a receiver: requests in each form, messages
// without replies, and the sockets that stand for both.
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "failures/script.hpp"
#include "zlink/zlink.h"

namespace zlink::test {
namespace {

constexpr int look_ms = 20;

class gateways_script : script_steps
{
  public:
    void play (const char *endpoint)
    {
        context_ = insist ("ctx_new", [] { return zlink_ctx_new (); });
        receiver (endpoint);
        gateway ();
        answered ();
        refused ();
        called_off ();
        in_vain ();
        one_way ();
        end ();
    }

  private:
    void receiver (const char *endpoint)
    {
        receiver_ = insist ("receiver_new", [&] { return zlink_receiver_new (context_, "at"); });
        const int interval = 1;
        insist ("receiver_setsockopt", [&] {
            return zlink_receiver_setsockopt (receiver_, ZLINK_RECEIVER_SOCKET_ROUTER, ZLINK_RECONNECT_IVL,
                                              &interval, sizeof interval);
        });
        (void)attempt (
          "receiver_set_tls_server",
          [&] { return zlink_receiver_set_tls_server (receiver_, "no file", "no file"); }, EINVAL, ENOENT,
          ENOTSUP);
        insist ("receiver_bind", [&] { return zlink_receiver_bind (receiver_, endpoint); });
        insist ("receiver_endpoint", [&] {
            std::size_t size = place_.size ();
            return zlink_receiver_endpoint (receiver_, place_.data (), &size);
        });
        insist ("receiver_register",
                [&] { return zlink_receiver_register (receiver_, "svc", "tcp://10.1.0.7:5555", 1); });
        (void)attempt (
          "receiver_register_result",
          [&] { return zlink_receiver_register_result (receiver_, "svc", nullptr, nullptr, nullptr); },
          ENOENT);
        insist ("receiver_update_weight", [&] { return zlink_receiver_update_weight (receiver_, "svc", 2); });
        insist ("receiver_connect_registry",
                [&] { return zlink_receiver_connect_registry (receiver_, "inproc://nowhere"); });
    }

    void gateway ()
    {
        gateway_ = insist ("gateway_new", [&] { return zlink_gateway_new (context_, nullptr, "by"); });
        const int interval = 1;
        insist ("gateway_setsockopt", [&] {
            return zlink_gateway_setsockopt (gateway_, ZLINK_RECONNECT_IVL, &interval, sizeof interval);
        });
        zlink_security_t how{};
        how.size = sizeof how;
        how.tls_hostname = "nobody";
        insist ("service_secure", [&] { return zlink_service_secure (gateway_, &how); });
        (void)attempt (
          "gateway_set_tls_client",
          [&] { return zlink_gateway_set_tls_client (gateway_, "no file", "host", 0); }, EINVAL, ENOENT,
          ENOTSUP);
        insist ("gateway_set_lb_strategy",
                [&] { return zlink_gateway_set_lb_strategy (gateway_, "svc", ZLINK_GATEWAY_LB_WEIGHTED); });
        insist ("gateway_set_providers", [&] {
            const char *const endpoints[] = {place_.data ()};
            return zlink_gateway_set_providers (gateway_, "svc", endpoints, nullptr, 1);
        });
        (void)insist ("gateway_connection_count",
                      [&] { return zlink_gateway_connection_count (gateway_, "svc"); });
    }

    // --- requests ------------------------------------------------------------------

    static void heard (std::uint64_t, zlink_reply_t *reply, void *hint)
    {
        auto &self = *static_cast<gateways_script *> (hint);
        self.whole_ = reply->count == 1 && zlink_msg_size (reply->parts) == tag_bytes;
        self.status_.store (reply->status);
        self.under_way_.store (false);
    }

    // Whether a request was taken.
    bool ask (int timeout_ms)
    {
        zlink_request_options_t options{};
        options.size = sizeof options;
        options.timeout_ms = timeout_ms;
        options.idempotent = 1;
        options.key = "key";
        options.key_size = 3;
        options.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        under_way_.store (true);
        const int answer = send_question ("gateway_request_async", [&] (zlink_msg_t *parts) {
            return zlink_gateway_request_async (gateway_, "svc", parts, 1, &options, heard, this, &id_);
        });
        if (answer < 0)
            under_way_.store (false);
        return answer == 0;
    }
    // Sends a part, which is closed when nobody takes it.
    template <class Send> int send_question (const char *step, Send send)
    {
        return attempt (
          step,
          [&] {
              zlink_msg_t part;
              if (zlink_msg_init_buffer (&part, "question", 8) != 0)
                  return -1;
              const int answer = send (&part);
              const int error = errno;
              if (answer < 0)
                  zlink_msg_close (&part);
              errno = error;
              return answer;
          },
          EAGAIN, EHOSTUNREACH, ETIMEDOUT, EINVAL);
    }
    // Whether the next request came.
    bool next (zlink_request_t *&request)
    {
        return attempt (
                 "receiver_recv", [&] { return zlink_receiver_recv (receiver_, &request, look_ms); }, EAGAIN)
               == 0;
    }

    // Until a request ended like that; answer() ends those that come.
    template <class Answer> void converse (const char *step, int wanted, Answer answer)
    {
        status_.store (-1);
        const bool ended = eventually ([&] {
            if (!under_way_.load () && status_.load () == wanted)
                return true;
            if (!under_way_.load ())
                (void)ask (watchdog_ms);
            zlink_request_t *request = nullptr;
            if (next (request))
                answer (request);
            return false;
        });
        expect (step, ended);
    }

    void answered ()
    {
        converse ("request", ZLINK_REQUEST_REPLIED, [&] (zlink_request_t *request) {
            std::size_t count = 0;
            expect ("request_parts", zlink_request_parts (request, &count) != nullptr && count == 1);
            expect ("request_service", std::strcmp (zlink_request_service (request), "svc") == 0);
            expect ("request_one_way", zlink_request_one_way (request) == 0);
            expect ("request_key", std::strcmp (zlink_request_key (request, nullptr), "key") == 0);
            expect ("request_traceparent", zlink_request_traceparent (request)[0] == '0');
            (void)zlink_request_wanted (request);
            if (attempt (
                  "request_reply",
                  [&] {
                      zlink_msg_t part;
                      if (zlink_msg_init_buffer (&part, large_.data (), tag_bytes) != 0)
                          return -1;
                      const int done = zlink_request_reply (&request, &part, 1);
                      const int error = errno;
                      if (done < 0)
                          zlink_msg_close (&part);
                      errno = error;
                      return done;
                  },
                  EAGAIN)
                < 0)
                zlink_request_close (&request);
        });
        expect ("a reply", whole_);
    }

    void refused ()
    {
        converse ("request_fail", ZLINK_REQUEST_REFUSED, [&] (zlink_request_t *request) {
            (void)attempt (
              "request_fail", [&] { return zlink_request_fail (&request, ZLINK_FAILURE_REJECTED, 7, "no"); },
              EAGAIN);
            zlink_request_close (&request);
        });
        converse ("request_close", ZLINK_REQUEST_REFUSED,
                  [&] (zlink_request_t *request) { zlink_request_close (&request); });
    }

    void called_off ()
    {
        converse ("gateway_cancel", ZLINK_REQUEST_CANCELLED, [&] (zlink_request_t *request) {
            (void)attempt (
              "gateway_cancel", [&] { return zlink_gateway_cancel (gateway_, id_); }, ENOENT);
            zlink_request_close (&request);
        });
    }

    // Nobody answers while the caller blocks.
    void in_vain ()
    {
        zlink_request_options_t options{};
        options.size = sizeof options;
        options.timeout_ms = look_ms;
        zlink_reply_t reply{};
        const int outcome = send_question ("gateway_request", [&] (zlink_msg_t *parts) {
            return zlink_gateway_request (gateway_, "svc", parts, 1, &options, &reply);
        });
        expect ("gateway_request", outcome < 0);
        zlink_reply_close (&reply);
    }

    // --- messages without replies ------------------------------------------------

    void one_way ()
    {
        const auto received = [&] (const char *step, auto send) {
            const bool came = eventually ([&] {
                send ();
                zlink_request_t *request = nullptr;
                const bool is_it = next (request) && zlink_request_one_way (request) == 1;
                zlink_request_close (&request);
                return is_it;
            });
            expect (step, came);
        };
        received ("gateway_send", [&] {
            (void)send_question ("gateway_send", [&] (zlink_msg_t *parts) {
                return zlink_gateway_send (gateway_, "svc", parts, 1, ZLINK_DONTWAIT);
            });
        });
        received ("gateway_send_buffer", [&] {
            (void)attempt (
              "gateway_send_buffer",
              [&] { return zlink_gateway_send_buffer (gateway_, "svc", "question", 8, ZLINK_DONTWAIT); },
              EAGAIN, EHOSTUNREACH);
        });
        zlink_routing_id_t nobody{};
        nobody.size = 8;
        (void)send_question ("gateway_send_rid", [&] (zlink_msg_t *parts) {
            return zlink_gateway_send_rid (gateway_, "svc", &nobody, parts, 1, ZLINK_DONTWAIT);
        });
        zlink_msg_t *parts = nullptr;
        std::size_t count = 0;
        (void)attempt (
          "gateway_recv",
          [&] { return zlink_gateway_recv (gateway_, &parts, &count, ZLINK_DONTWAIT, nullptr); }, EAGAIN);
        expect ("gateway_recv", parts == nullptr && count == 0);
    }

    void end ()
    {
        (void)insist ("gateway_router", [&] { return zlink_gateway_router (gateway_); });
        (void)insist ("receiver_router", [&] { return zlink_receiver_router (receiver_); });
        insist ("receiver_unregister", [&] { return zlink_receiver_unregister (receiver_, "svc"); });
        (void)attempt (
          "receiver_drain", [&] { return zlink_receiver_drain (receiver_, look_ms); }, ETIMEDOUT);
        insist ("gateway_destroy", [&] { return zlink_gateway_destroy (&gateway_); });
        insist ("receiver_destroy", [&] { return zlink_receiver_destroy (&receiver_); });
        expect ("a handler that is called once", !under_way_.load ());
        insist ("ctx_term_ms", [&] { return zlink_ctx_term_ms (context_, watchdog_ms); });
    }

    void *context_ = nullptr;
    void *receiver_ = nullptr;
    void *gateway_ = nullptr;
    std::array<char, 256> place_{};
    std::atomic<bool> under_way_{false};
    std::atomic<int> status_{-1};
    bool whole_ = false;  // before under_way_ is down
    std::uint64_t id_ = 0;
};

}  // namespace

void play_gateways (const char *endpoint, const char *) { gateways_script ().play (endpoint); }

}  // namespace zlink::test

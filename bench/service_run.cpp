#include "bench/service_run.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "bench/cipher.hpp"
#include "bench/closed_loop.hpp"
#include "bench/needed_functions.hpp"
#include "bench/node.hpp"
#include "bench/os.hpp"
#include "bench/registry_run.hpp"
#include "bench/roles.hpp"
#include "bench/stream_run.hpp"
#include "bench/watchdog.hpp"
#include "bench/window_run.hpp"
#include "zlink/zlink.h"

namespace zlink::bench {

namespace {

constexpr const char *service_name = "bench";

// What of zlink.h the library has beyond what both headers share.
struct service_calls
{
    decltype (&zlink_gateway_new) gateway_new = nullptr;
    decltype (&zlink_gateway_destroy) gateway_destroy = nullptr;
    decltype (&zlink_gateway_set_providers) gateway_set_providers = nullptr;
    decltype (&zlink_gateway_setsockopt) gateway_setsockopt = nullptr;
    decltype (&zlink_gateway_connection_count) gateway_connection_count = nullptr;
    decltype (&zlink_gateway_send_buffer) gateway_send_buffer = nullptr;
    decltype (&zlink_gateway_request) gateway_request = nullptr;
    decltype (&zlink_gateway_request_async) gateway_request_async = nullptr;
    decltype (&zlink_reply_close) reply_close = nullptr;
    decltype (&zlink_receiver_new) receiver_new = nullptr;
    decltype (&zlink_receiver_destroy) receiver_destroy = nullptr;
    decltype (&zlink_receiver_setsockopt) receiver_setsockopt = nullptr;
    decltype (&zlink_receiver_bind) receiver_bind = nullptr;
    decltype (&zlink_receiver_endpoint) receiver_endpoint = nullptr;
    decltype (&zlink_receiver_register) receiver_register = nullptr;
    decltype (&zlink_receiver_recv) receiver_recv = nullptr;
    decltype (&zlink_request_parts) request_parts = nullptr;
    decltype (&zlink_request_one_way) request_one_way = nullptr;
    decltype (&zlink_request_reply) request_reply = nullptr;
    decltype (&zlink_request_close) request_close = nullptr;

    explicit service_calls (const library &from)
    {
        const needed_functions find{from};
        find ("zlink_gateway_new", gateway_new);
        find ("zlink_gateway_destroy", gateway_destroy);
        find ("zlink_gateway_set_providers", gateway_set_providers);
        find ("zlink_gateway_setsockopt", gateway_setsockopt);
        find ("zlink_gateway_connection_count", gateway_connection_count);
        find ("zlink_gateway_send_buffer", gateway_send_buffer);
        find ("zlink_gateway_request", gateway_request);
        find ("zlink_gateway_request_async", gateway_request_async);
        find ("zlink_reply_close", reply_close);
        find ("zlink_receiver_new", receiver_new);
        find ("zlink_receiver_destroy", receiver_destroy);
        find ("zlink_receiver_setsockopt", receiver_setsockopt);
        find ("zlink_receiver_bind", receiver_bind);
        find ("zlink_receiver_endpoint", receiver_endpoint);
        find ("zlink_receiver_register", receiver_register);
        find ("zlink_receiver_recv", receiver_recv);
        find ("zlink_request_parts", request_parts);
        find ("zlink_request_one_way", request_one_way);
        find ("zlink_request_reply", request_reply);
        find ("zlink_request_close", request_close);
    }
};

bool has_certificates (const cell &measured)
{
    return measured.transport == "tls" || measured.transport == "wss";
}

// A message of zlink.h with the bytes of a body.
zlink_msg_t message_of (const library &calls, const std::byte *body, std::size_t size)
{
    zlink_msg_t made;
    auto *const raw = reinterpret_cast<message_storage *> (&made);
    if (calls.msg_init_size (raw, size) != 0)
        fail ("no memory for a message");
    std::memcpy (calls.msg_data (raw), body, size);
    return made;
}

const std::byte *body_of (const library &calls, zlink_msg_t *part, std::size_t *size)
{
    auto *const raw = reinterpret_cast<message_storage *> (part);
    *size = calls.msg_size (raw);
    return static_cast<const std::byte *> (calls.msg_data (raw));
}

// The receiver of a run, bound and known to whoever shares the state.
class provider
{
  public:
    provider (const library &calls,
              const service_calls &services,
              void *context,
              const worker_task &task,
              shared_state *state)
      : calls_ (calls), services_ (services), handle_ (services.receiver_new (context, nullptr))
    {
        if (handle_ == nullptr)
            need (calls, -1, "receiver_new");
        if (has_certificates (task.measured)) {
            say (number::certificate, own_certificate ().text);
            say (number::key, own_certificate ().key);
        }
        const std::string &over = task.measured.transport;
        const std::string where = over == "ipc"      ? "ipc://" + task.directory + "/service"
                                  : over == "inproc" ? std::string ("inproc://bench-service")
                                                     : over + "://127.0.0.1:*";
        need (calls, services.receiver_bind (handle_, where.c_str ()), "receiver_bind");
        std::size_t size = sizeof state->endpoints[0];
        need (calls, services.receiver_endpoint (handle_, state->endpoints[0], &size), "receiver_endpoint");
        need (calls, services.receiver_register (handle_, service_name, nullptr, 1), "receiver_register");
        state->endpoints_ready.fetch_or (1u, std::memory_order_release);
    }
    ~provider ()
    {
        services_.request_close (&request_);
        services_.receiver_destroy (&handle_);
    }
    provider (const provider &) = delete;
    provider &operator= (const provider &) = delete;

    // Blocks. The bytes stay until the next call.
    const std::byte *receive (std::size_t *size)
    {
        services_.request_close (&request_);
        need (calls_, services_.receiver_recv (handle_, &request_, -1), "receiver_recv");
        std::size_t count = 0;
        zlink_msg_t *const parts = services_.request_parts (request_, &count);
        if (count != 1)
            fail ("a message has another number of parts");
        return body_of (calls_, parts, size);
    }
    // Replies to all requests with what they bring, until the last message.
    void answer_all (std::size_t size_bytes)
    {
        for (;;) {
            std::size_t size = 0;
            const std::byte *const body = receive (&size);
            if (size != size_bytes)
                fail ("a request of the wrong size arrived");
            if (payload_label (body) == last_sequence)
                return;
            zlink_msg_t part = message_of (calls_, body, size);
            need (calls_, services_.request_reply (&request_, &part, 1), "request_reply");
        }
    }

  private:
    void say (int option, const std::string &text)
    {
        need (calls_,
              services_.receiver_setsockopt (handle_, ZLINK_RECEIVER_SOCKET_ROUTER, option, text.data (),
                                             text.size ()),
              "a certificate");
    }

    const library &calls_;
    const service_calls &services_;
    void *handle_;
    zlink_request_t *request_ = nullptr;
};

// The gateway of a run, connected.
class asker
{
  public:
    asker (const library &calls,
           const service_calls &services,
           void *context,
           const worker_task &task,
           shared_state *state)
      : calls_ (calls), services_ (services), handle_ (services.gateway_new (context, nullptr, nullptr))
    {
        if (handle_ == nullptr)
            need (calls, -1, "gateway_new");
        if (has_certificates (task.measured)) {
            const std::string &text = own_certificate ().text;
            need (calls, services.gateway_setsockopt (handle_, number::trusted, text.data (), text.size ()),
                  "a certificate");
        }
        wait_for_endpoint (state, 0);
        const char *const where = state->endpoints[0];
        need (calls, services.gateway_set_providers (handle_, service_name, &where, nullptr, 1),
              "gateway_set_providers");
        await ([&] { return services.gateway_connection_count (handle_, service_name) >= 1; });
    }
    ~asker () { services_.gateway_destroy (&handle_); }
    asker (const asker &) = delete;
    asker &operator= (const asker &) = delete;

    void send (const std::byte *body, std::size_t size)
    {
        need (calls_, services_.gateway_send_buffer (handle_, service_name, body, size, 0),
              "gateway_send_buffer");
    }
    void ask (const std::byte *body, std::size_t size)
    {
        zlink_msg_t part = message_of (calls_, body, size);
        need (calls_, services_.gateway_request (handle_, service_name, &part, 1, nullptr, &reply_),
              "gateway_request");
    }
    // Of the last ask; until let_go.
    const std::byte *reply (std::size_t *size) { return body_of (calls_, reply_.parts, size); }
    void let_go () { services_.reply_close (&reply_); }
    void submit (const std::byte *body, std::size_t size, zlink_reply_fn *handler, void *hint)
    {
        zlink_msg_t part = message_of (calls_, body, size);
        need (
          calls_,
          services_.gateway_request_async (handle_, service_name, &part, 1, nullptr, handler, hint, nullptr),
          "gateway_request_async");
    }

  private:
    const library &calls_;
    const service_calls &services_;
    void *handle_;
    zlink_reply_t reply_{};
};

// Requests whose handlers send the next one.
class handled_window
{
  public:
    handled_window (const library &calls, asker &by, const window_plan &plan)
      : calls_ (calls), by_ (by), plan_ (plan), bodies_ (plan.size_bytes, 1)
    {
    }

    outcome run ()
    {
        watchdog::stage ("warming up");
        // The first are sent from here; the handlers' bodies are made on their thread.
        scratch_bodies first (plan_.size_bytes, 1);
        for (unsigned i = 0; i < plan_.window; ++i) {
            write_payload (first.at (0), plan_.size_bytes, i);
            by_.submit (first.at (0), plan_.size_bytes, take, this);
        }
        os::wait_until (os::now_ns () + plan_.warm_up_ns);
        window_clock clock;
        clock.start (replies_.load (std::memory_order_acquire));
        os::wait_until (os::now_ns () + plan_.duration_ns);
        outcome found = clock.stop (replies_.load (std::memory_order_acquire));
        stop_.store (true, std::memory_order_release);
        await ([&] { return ended_.load (std::memory_order_acquire) >= plan_.window; });
        write_payload (first.at (0), plan_.size_bytes, last_sequence);
        by_.send (first.at (0), plan_.size_bytes);
        found.all_messages = static_cast<double> (replies_.load (std::memory_order_acquire));
        return found;
    }

  private:
    static void take (std::uint64_t, zlink_reply_t *reply, void *hint)
    {
        auto &self = *static_cast<handled_window *> (hint);
        if (reply->status != ZLINK_REQUEST_REPLIED || reply->count != 1)
            fail ("a request had no reply");
        std::size_t size = 0;
        const std::byte *const body = body_of (self.calls_, reply->parts, &size);
        (void)check_reply (self.plan_, body, size);
        const std::uint64_t count = self.replies_.fetch_add (1, std::memory_order_acq_rel) + 1;
        if (self.stop_.load (std::memory_order_acquire)) {
            self.ended_.fetch_add (1, std::memory_order_release);
            return;
        }
        write_payload (self.bodies_.at (0), self.plan_.size_bytes, self.plan_.window + count);
        self.by_.submit (self.bodies_.at (0), self.plan_.size_bytes, take, hint);
    }

    const library &calls_;
    asker &by_;
    const window_plan &plan_;
    scratch_bodies bodies_;  // the handlers'
    std::atomic<std::uint64_t> replies_{0};
    std::atomic<unsigned> ended_{0};
    std::atomic<bool> stop_{false};
};

class service_run
{
  public:
    service_run (const library &calls, const worker_task &task)
      : calls_ (calls), services_ (calls), task_ (task), state_ (make_shared_state ())
    {
        make_certificate (task.measured);
        if (!task.measured.with.processes)
            shared_.emplace (calls, task.measured);
    }

    // Calls asks (asker) here and answers (provider) in the sender's place, or the other
    // way round where streaming is set: whoever measures stays in this process.
    template <class Ask, class Answer> void run (bool streaming, Ask &&asks, Answer &&answers)
    {
        const auto ask = [&] {
            std::optional<library_context> own;
            asker by (calls_, services_, context_of (own), task_, state_);
            asks (by);
        };
        const auto answer = [&] {
            std::optional<library_context> own;
            provider by (calls_, services_, context_of (own), task_, state_);
            answers (by);
        };
        const auto noted = [&] (const auto &role) {
            role ();
            note_sender_cost (state_);
        };
        if (streaming)
            run_roles (
              task_.measured, [&] { noted (ask); }, answer);
        else
            run_roles (
              task_.measured, [&] { noted (answer); }, ask);
    }

    outcome throughput ()
    {
        stream_plan plan;
        plan.size_bytes = task_.measured.size_bytes;
        plan.duration_ns = duration_ns ();
        plan.held_messages = held_by_services (task_.measured);
        outcome found;
        run (
          true,
          [&] (asker &by) {
              send_stream (
                plan, state_, 0, 1,
                [&] (std::size_t, const std::byte *body, std::size_t size) { by.send (body, size); },
                [] (std::size_t) {});
              wait_for_the_end (state_);
          },
          [&] (provider &by) {
              found = receive_stream (plan, state_, [&] (std::size_t *size) { return by.receive (size); });
          });
        add_sender_cost (task_.measured, state_, &found);
        return found;
    }

    outcome latency ()
    {
        loop_plan plan;
        plan.size_bytes = task_.measured.size_bytes;
        plan.duration_ns = duration_ns ();
        plan.legs = 2;
        outcome found;
        run (
          false,
          [&] (asker &by) {
              found = run_initiator (
                plan,
                [&] (const std::byte *body, std::size_t size) {
                    by.let_go ();
                    if (payload_label (body) == last_sequence)
                        by.send (body, size);
                    else
                        by.ask (body, size);
                },
                [&] (std::size_t *size) { return by.reply (size); });
              wait_for_the_end (state_);
          },
          [&] (provider &by) {
              by.answer_all (plan.size_bytes);
              state_->finished.store (1, std::memory_order_release);
          });
        add_sender_cost (task_.measured, state_, &found);
        return found;
    }

    outcome pipelined ()
    {
        window_plan plan;
        plan.size_bytes = task_.measured.size_bytes;
        plan.duration_ns = duration_ns ();
        outcome found;
        run (
          false,
          [&] (asker &by) {
              found = handled_window (calls_, by, plan).run ();
              wait_for_the_end (state_);
          },
          [&] (provider &by) {
              by.answer_all (plan.size_bytes);
              state_->finished.store (1, std::memory_order_release);
          });
        add_sender_cost (task_.measured, state_, &found);
        return found;
    }

  private:
    void *context_of (std::optional<library_context> &own)
    {
        if (!shared_)
            own.emplace (calls_, task_.measured);
        return shared_ ? shared_->handle () : own->handle ();
    }
    [[nodiscard]] std::int64_t duration_ns () const
    {
        return static_cast<std::int64_t> (task_.seconds * 1e9);
    }

    const library &calls_;
    const service_calls services_;
    const worker_task &task_;
    shared_state *state_;
    std::optional<library_context> shared_;
};

}  // namespace

std::uint64_t held_by_services (const cell &measured)
{
    constexpr std::uint64_t marks = 2 * 100'000;
    constexpr std::uint64_t mark_bytes = std::uint64_t{2} << 26;
    constexpr std::uint64_t kernel_bytes = 8 << 20;
    const std::uint64_t kernel =
      measured.transport == "inproc" ? 0 : kernel_bytes / (measured.size_bytes + 2);
    return std::min (marks, mark_bytes / measured.size_bytes + 2) + kernel;
}

outcome run_services (const library &calls, const worker_task &task)
{
    service_run run (calls, task);
    switch (task.measured.measured) {
    case metric::throughput:
        return run.throughput ();
    case metric::latency:
        return run.latency ();
    case metric::pipelined:
        return run.pipelined ();
    case metric::watchers_100:
        return run_registry (calls, task);
    default:
        fail ("no such metric of services");
    }
}

}  // namespace zlink::bench

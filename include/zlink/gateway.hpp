// SPDX-License-Identifier: MPL-2.0
//
// Requests and messages to services by name. Not with a minimal library.
//
// Thread rule: a gateway may be used by any number of threads; a reply belongs to one.
#pragma once

#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlink/context.hpp>
#include <zlink/error.hpp>
#include <zlink/loop.hpp>
#include <zlink/message.hpp>
#include <zlink/security.hpp>
#include <zlink/zlink.h>

namespace zlink {

// How a request ended.
enum class request_status : std::int32_t
{
    replied = ZLINK_REQUEST_REPLIED,
    no_provider = ZLINK_REQUEST_NO_PROVIDER,  // nobody was there, or took it, until the deadline
    deadline = ZLINK_REQUEST_DEADLINE,        // somebody had it, and may have done it
    cancelled = ZLINK_REQUEST_CANCELLED,
    lost = ZLINK_REQUEST_LOST,  // with the provider that had it, or may have had it
    refused = ZLINK_REQUEST_REFUSED,
    overloaded = ZLINK_REQUEST_OVERLOADED,
    interrupted = ZLINK_REQUEST_INTERRUPTED,
    terminated = ZLINK_REQUEST_TERMINATED,
    no_memory = ZLINK_REQUEST_NO_MEMORY,
};

// Who gets the next request.
enum class balancing : int
{
    round_robin = ZLINK_GATEWAY_LB_ROUND_ROBIN,
    weighted = ZLINK_GATEWAY_LB_WEIGHTED,
    least_outstanding = ZLINK_GATEWAY_LB_LEAST_OUTSTANDING,
    by_key = ZLINK_GATEWAY_LB_BY_KEY,
    nearest = ZLINK_GATEWAY_LB_NEAREST,
};

// Texts are looked at during the call only; of asynchronous requests they are kept.
struct request_options
{
    std::chrono::milliseconds timeout = for_ever;
    std::chrono::milliseconds hedge_after{0};  // idempotent: a second one is asked, too; 0: never
    bool idempotent = false;                   // doing it twice does no harm
    unsigned attempts_max = 0;                 // 0: the library's choice
    std::string_view key{};                    // for balancing::by_key
    const char *traceparent = nullptr;         // W3C Trace Context
    const char *tracestate = nullptr;
};

// What became of a request. Moves.
class reply
{
  public:
    reply () noexcept { raw_.status = ZLINK_REQUEST_TERMINATED; }
    // Takes the parts over.
    explicit reply (zlink_reply_t &from) noexcept : raw_ (from)
    {
        from.parts = nullptr;
        from.count = 0;
    }
    reply (reply &&other) noexcept : reply (other.raw_) {}
    reply &operator= (reply &&other) noexcept
    {
        std::swap (raw_, other.raw_);
        return *this;
    }
    reply (const reply &) = delete;
    reply &operator= (const reply &) = delete;
    ~reply () { zlink_reply_close (&raw_); }

    [[nodiscard]] request_status status () const noexcept
    {
        return static_cast<request_status> (raw_.status);
    }
    explicit operator bool () const noexcept { return raw_.status == ZLINK_REQUEST_REPLIED; }
    // Of one that was not replied to: a provider may have done it, or be doing it.
    [[nodiscard]] bool maybe_done () const noexcept { return raw_.maybe_done != 0; }
    // Of refused: ZLINK_FAILURE_*, and the application's own number.
    [[nodiscard]] std::uint32_t code () const noexcept { return raw_.code; }
    [[nodiscard]] std::uint32_t detail () const noexcept { return raw_.detail; }
    [[nodiscard]] std::chrono::milliseconds retry_after () const noexcept
    {
        return std::chrono::milliseconds (raw_.retry_after_ms);
    }
    [[nodiscard]] std::string_view text () const noexcept { return raw_.text; }
    // Of replied; the reply's.
    [[nodiscard]] std::span<message> parts () noexcept
    {
        return {reinterpret_cast<message *> (raw_.parts), raw_.count};
    }
    // Precondition: there is such a part.
    [[nodiscard]] message &operator[] (std::size_t at) noexcept { return parts ()[at]; }

  private:
    zlink_reply_t raw_{};
};

class gateway
{
  public:
    struct provider
    {
        std::string endpoint;
        std::uint32_t weight = 1;  // 0: nothing new
    };

    // Providers are told by set_providers. failure: too_many, no_memory, terminated.
    explicit gateway (context &of, const char *routing_id = nullptr)
      : gateway (of, static_cast<void *> (nullptr), routing_id)
    {
    }
    // The handle of a discovery, which outlives it, tells of them.
    gateway (context &of, void *discovery, const char *routing_id = nullptr)
      : handle_ (zlink_gateway_new (of.handle (), discovery, routing_id))
    {
        if (handle_ == nullptr)
            detail::fail (last_error (), "zlink::gateway");
    }
    gateway (gateway &&other) noexcept : handle_ (std::exchange (other.handle_, nullptr)) {}
    gateway &operator= (gateway &&other) noexcept
    {
        std::swap (handle_, other.handle_);
        return *this;
    }
    gateway (const gateway &) = delete;
    gateway &operator= (const gateway &) = delete;
    // Requests under way end with terminated. Not in a handler.
    ~gateway ()
    {
        if (handle_ != nullptr)
            zlink_gateway_destroy (&handle_);
    }
    // For calls of the C interface.
    [[nodiscard]] void *handle () const noexcept { return handle_; }

    // Keys, passwords and certificates, for providers that are connected later.
    void secure (const security &how)
    {
        detail::value_of (detail::outcome (zlink_service_secure (handle_, &how)), "zlink::gateway::secure");
    }
    void set_providers (const char *service, std::span<const provider> all)
    {
        detail::value_of (set_providers (std::nothrow, service, all), "zlink::gateway::set_providers");
    }
    result<void> set_providers (std::nothrow_t, const char *service, std::span<const provider> all) noexcept
    {
        return detail::no_throw ([&] {
            std::vector<const char *> endpoints;
            std::vector<std::uint32_t> weights;
            for (const provider &each : all) {
                endpoints.push_back (each.endpoint.c_str ());
                weights.push_back (each.weight);
            }
            return detail::outcome (zlink_gateway_set_providers (handle_, service, endpoints.data (),
                                                                 weights.data (), all.size ()));
        });
    }
    void set_balancing (const char *service, balancing how)
    {
        detail::value_of (set_balancing (std::nothrow, service, how), "zlink::gateway::set_balancing");
    }
    result<void> set_balancing (std::nothrow_t, const char *service, balancing how) noexcept
    {
        return detail::outcome (zlink_gateway_set_lb_strategy (handle_, service, static_cast<int> (how)));
    }
    // Providers that may be sent to now.
    [[nodiscard]] std::size_t connections (const char *service) const noexcept
    {
        const int count = zlink_gateway_connection_count (handle_, service);
        return count < 0 ? 0 : static_cast<std::size_t> (count);
    }

    // Blocks until the request has ended; the reply says how. The parts are taken when it
    // is replied to, and stay else. failure: invalid_argument: no such name.
    [[nodiscard]] reply
    request (const char *service, std::span<message> parts, const request_options &how = {})
    {
        return detail::value_of (request (std::nothrow, service, parts, how), "zlink::gateway::request");
    }
    [[nodiscard]] result<reply> request (std::nothrow_t,
                                         const char *service,
                                         std::span<message> parts,
                                         const request_options &how = {}) noexcept
    {
        zlink_reply_t got{};
        got.status = -1;
        const zlink_request_options_t raw = raw_of (how);
        const int answer =
          zlink_gateway_request (handle_, service, raw_of (parts), parts.size (), &raw, &got);
        if (answer != 0 && got.status == -1)
            return last_error ();
        return reply (got);
    }
    template <bytes_like T>
    [[nodiscard]] reply request (const char *service, const T &content, const request_options &how = {})
    {
        message one (content);
        return request (service, std::span (&one, 1), how);
    }

    // The same, and the handler is called once, on the gateway's thread; it throws
    // nothing. Takes the parts. Answers the id, for cancel. failure: would_block: too many
    // are under way.
    std::uint64_t request_async (const char *service,
                                 std::span<message> parts,
                                 const request_options &how,
                                 std::function<void (reply &&)> handler)
    {
        auto kept = std::make_unique<std::function<void (reply &&)>> (std::move (handler));
        std::uint64_t id = 0;
        const zlink_request_options_t raw = raw_of (how);
        const int answer = zlink_gateway_request_async (
          handle_, service, raw_of (parts), parts.size (), &raw,
          [] (std::uint64_t, zlink_reply_t *got, void *hint) {
              const std::unique_ptr<std::function<void (reply &&)>> call (
                static_cast<std::function<void (reply &&)> *> (hint));
              (*call) (reply (*got));
          },
          kept.get (), &id);
        if (answer != 0)
            detail::fail (last_error (), "zlink::gateway::request_async");
        static_cast<void> (kept.release ());
        return id;
    }
    // False: it has ended.
    bool cancel (std::uint64_t id) noexcept { return zlink_gateway_cancel (handle_, id) == 0; }

    // co_await by.ask (...): the same for a coroutine, which goes on where the executor
    // posts it; inline_executor: on the gateway's thread. The parts, and what the options
    // look at, outlive the awaiting.
    template <executor Executor> class asking;
    template <executor Executor>
    [[nodiscard]] asking<Executor>
    ask (Executor &where, const char *service, std::span<message> parts, const request_options &how = {})
    {
        return {*this, where, service, parts, how};
    }

    // A message that wants no reply, to one of those who provide the service. Takes the
    // parts. Blocks while nobody is there or has room.
    void send (const char *service, std::span<message> parts)
    {
        detail::value_of (send (std::nothrow, service, parts), "zlink::gateway::send");
    }
    result<void> send (std::nothrow_t, const char *service, std::span<message> parts) noexcept
    {
        return detail::outcome (zlink_gateway_send (handle_, service, raw_of (parts), parts.size (), 0));
    }
    // False: nobody is there, or has room.
    [[nodiscard]] bool try_send (const char *service, std::span<message> parts) noexcept
    {
        return zlink_gateway_send (handle_, service, raw_of (parts), parts.size (), ZLINK_DONTWAIT) == 0;
    }
    // The same of one part, which is copied: small ones go out in less time.
    template <bytes_like T> void send (const char *service, const T &content)
    {
        detail::value_of (send (std::nothrow, service, content), "zlink::gateway::send");
    }
    template <bytes_like T> result<void> send (std::nothrow_t, const char *service, const T &content) noexcept
    {
        return detail::outcome (send_bytes (service, bytes_of (content), 0));
    }
    template <bytes_like T> [[nodiscard]] bool try_send (const char *service, const T &content) noexcept
    {
        return send_bytes (service, bytes_of (content), ZLINK_DONTWAIT) == 0;
    }

  private:
    [[nodiscard]] static zlink_msg_t *raw_of (std::span<message> parts) noexcept
    {
        return parts.empty () ? nullptr : parts.front ().raw ();
    }
    [[nodiscard]] int send_bytes (const char *service, bytes_view bytes, int flags) noexcept
    {
        return zlink_gateway_send_buffer (handle_, service, bytes.data (), bytes.size (), flags);
    }
    [[nodiscard]] static zlink_request_options_t raw_of (const request_options &from) noexcept
    {
        zlink_request_options_t raw{};
        raw.size = sizeof raw;
        raw.timeout_ms = static_cast<std::int32_t> (from.timeout.count ());
        raw.hedge_ms = static_cast<std::int32_t> (from.hedge_after.count ());
        raw.idempotent = from.idempotent;
        raw.attempts_max = from.attempts_max;
        raw.key = from.key.data ();
        raw.key_size = static_cast<std::uint32_t> (from.key.size ());
        raw.traceparent = from.traceparent;
        raw.tracestate = from.tracestate;
        return raw;
    }

    void *handle_;
};

// Stands in the frame of its coroutine.
template <executor Executor> class gateway::asking
{
  public:
    asking (gateway &by,
            Executor &where,
            const char *service,
            std::span<message> parts,
            const request_options &how) noexcept
      : by_ (by), where_ (where), service_ (service), parts_ (parts), how_ (how)
    {
    }

    [[nodiscard]] bool await_ready () const noexcept { return false; }
    bool await_suspend (std::coroutine_handle<> waiting) noexcept
    {
        waiting_ = waiting;
        const zlink_request_options_t raw = raw_of (how_);
        // When it has begun, the coroutine may be elsewhere already.
        const int answer = zlink_gateway_request_async (by_.handle_, service_, raw_of (parts_),
                                                        parts_.size (), &raw, &told, this, nullptr);
        if (answer != 0)
            bad_ = last_error ();
        return answer == 0;
    }
    // failure: as request_async.
    [[nodiscard]] reply await_resume ()
    {
        if (bad_)
            detail::fail (bad_, "zlink::gateway::ask");
        return std::move (got_);
    }

  private:
    static void told (std::uint64_t, zlink_reply_t *got, void *hint)
    {
        auto &self = *static_cast<asking *> (hint);
        self.got_ = reply (*got);
        self.where_.post (self.waiting_);
    }

    gateway &by_;
    Executor &where_;
    const char *service_;
    std::span<message> parts_;
    request_options how_;
    std::coroutine_handle<> waiting_;
    reply got_;
    std::error_code bad_;
};

}  // namespace zlink

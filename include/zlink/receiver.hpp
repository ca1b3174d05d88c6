// SPDX-License-Identifier: MPL-2.0
//
// Providers of services: they receive requests and answer them. Not with a minimal
// library.
//
// Thread rule: a receiver may be used by any number of threads; a request belongs to one
// at a time, whichever.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <zlink/context.hpp>
#include <zlink/error.hpp>
#include <zlink/message.hpp>
#include <zlink/security.hpp>
#include <zlink/sockets.hpp>
#include <zlink/zlink.h>

namespace zlink {

// A request that was received. One that is dropped unanswered is failed with
// ZLINK_FAILURE_HANDLER. Moves.
class request
{
  public:
    explicit request (zlink_request_t *own) noexcept : own_ (own) {}
    request (request &&other) noexcept : own_ (std::exchange (other.own_, nullptr)) {}
    request &operator= (request &&other) noexcept
    {
        std::swap (own_, other.own_);
        return *this;
    }
    request (const request &) = delete;
    request &operator= (const request &) = delete;
    ~request () { zlink_request_close (&own_); }

    // Valid until it is answered.
    [[nodiscard]] std::string_view service () const noexcept { return zlink_request_service (own_); }
    [[nodiscard]] std::span<message> parts () noexcept
    {
        std::size_t count = 0;
        zlink_msg_t *const raw = zlink_request_parts (own_, &count);
        return {reinterpret_cast<message *> (raw), count};
    }
    // Precondition: there is such a part.
    [[nodiscard]] message &operator[] (std::size_t at) noexcept { return parts ()[at]; }
    [[nodiscard]] std::string_view key () const noexcept
    {
        std::size_t size = 0;
        const char *const text = zlink_request_key (own_, &size);
        return {text, size};
    }
    // W3C Trace Context; empty: there is none.
    [[nodiscard]] std::string_view traceparent () const noexcept { return zlink_request_traceparent (own_); }
    // Nothing is to be answered.
    [[nodiscard]] bool one_way () const noexcept { return zlink_request_one_way (own_) != 0; }
    // Somebody waits for it still.
    [[nodiscard]] bool wanted () const noexcept { return zlink_request_wanted (own_) != 0; }

    // Answers it, and ends it. Takes the parts. failure: would_block: its gateway has no
    // room, try again; terminated.
    void reply (std::span<message> parts)
    {
        detail::value_of (reply (std::nothrow, parts), "zlink::request::reply");
    }
    result<void> reply (std::nothrow_t, std::span<message> parts) noexcept
    {
        return detail::outcome (
          zlink_request_reply (&own_, parts.empty () ? nullptr : parts.front ().raw (), parts.size ()));
    }
    template <bytes_like T> void reply (const T &content)
    {
        message one (content);
        reply (std::span (&one, 1));
    }
    // Answers that it is not done: ZLINK_FAILURE_*, a number of the application's own, and
    // words for people.
    void fail (std::uint32_t code, std::uint32_t number = 0, const char *text = nullptr)
    {
        detail::value_of (fail (std::nothrow, code, number, text), "zlink::request::fail");
    }
    result<void>
    fail (std::nothrow_t, std::uint32_t code, std::uint32_t number = 0, const char *text = nullptr) noexcept
    {
        return detail::outcome (zlink_request_fail (&own_, code, number, text));
    }

  private:
    zlink_request_t *own_;
};

class service_receiver
{
  public:
    // failure: too_many, no_memory, terminated.
    explicit service_receiver (context &of, const char *routing_id = nullptr)
      : handle_ (zlink_receiver_new (of.handle (), routing_id))
    {
        if (handle_ == nullptr)
            detail::fail (last_error (), "zlink::service_receiver");
    }
    service_receiver (service_receiver &&other) noexcept : handle_ (std::exchange (other.handle_, nullptr)) {}
    service_receiver &operator= (service_receiver &&other) noexcept
    {
        std::swap (handle_, other.handle_);
        return *this;
    }
    service_receiver (const service_receiver &) = delete;
    service_receiver &operator= (const service_receiver &) = delete;
    // Unregisters it; requests under way are lost.
    ~service_receiver ()
    {
        if (handle_ != nullptr)
            zlink_receiver_destroy (&handle_);
    }
    // For calls of the C interface.
    [[nodiscard]] void *handle () const noexcept { return handle_; }

    // Keys, passwords and certificates, for what is bound and connected later.
    void secure (const security &how)
    {
        detail::value_of (detail::outcome (zlink_service_secure (handle_, &how)),
                          "zlink::service_receiver::secure");
    }
    // Answers where. As the sockets' bind.
    std::string bind (const char *endpoint)
    {
        detail::value_of (detail::outcome (zlink_receiver_bind (handle_, endpoint)),
                          "zlink::service_receiver::bind");
        std::array<char, 1024> where{};
        std::size_t size = where.size ();
        detail::value_of (detail::outcome (zlink_receiver_endpoint (handle_, where.data (), &size)),
                          "zlink::service_receiver::bind");
        return where.data ();
    }
    // Everything is registered there, too.
    void connect_registry (const char *endpoint)
    {
        detail::value_of (detail::outcome (zlink_receiver_connect_registry (handle_, endpoint)),
                          "zlink::service_receiver::connect_registry");
    }
    // Requests for the service are taken from now on, and it is registered where it was
    // bound last, or at another endpoint. Again: the weight changes.
    void offer (const char *service, std::uint32_t weight = 1, const char *endpoint = nullptr)
    {
        detail::value_of (detail::outcome (zlink_receiver_register (handle_, service, endpoint, weight)),
                          "zlink::service_receiver::offer");
    }
    // False: it was not offered.
    bool withdraw (const char *service) noexcept { return zlink_receiver_unregister (handle_, service) == 0; }

    // The next request; nothing: none has come in time. failure: interrupted, terminated.
    [[nodiscard]] std::optional<request> receive (std::chrono::milliseconds limit = for_ever)
    {
        zlink_request_t *got = nullptr;
        if (zlink_receiver_recv (handle_, &got, static_cast<int> (limit.count ())) == 0)
            return request (got);
        if (zlink_errno () != EAGAIN)
            detail::fail (last_error (), "zlink::service_receiver::receive");
        return std::nullopt;
    }

    // Wants no more requests, and waits for those under way. False: some are still.
    bool drain (std::chrono::milliseconds limit = for_ever)
    {
        if (zlink_receiver_drain (handle_, static_cast<int> (limit.count ())) == 0)
            return true;
        if (zlink_errno () != ETIMEDOUT)
            detail::fail (last_error (), "zlink::service_receiver::drain");
        return false;
    }

  private:
    void *handle_;
};

}  // namespace zlink

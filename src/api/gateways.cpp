#include "api/gateways.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/discoveries.hpp"
#include "api/errors.hpp"
#include "api/messages.hpp"
#include "api/service_handles.hpp"
#include "api/texts.hpp"
#include "service/gateway_feed.hpp"
#include "service/raw_router.hpp"

namespace zlink::api {

using base::errc;
using base::io_count;
using base::result;
using service::call_options;
using service::call_outcome;
using service::call_status;
using service::gateway;
using service::gateway_feed;
using service::held_parts;

namespace {

class gateway_object final : public service_object
{
  public:
    gateway_object (std::shared_ptr<context_services> all, void *of_context) noexcept
      : in (std::move (all)), context (of_context), lock (in->world.sleep)
    {
    }
    void close () noexcept override
    {
        if (feed != nullptr)
            feed->stop ();
        if (is != nullptr)
            is->close ();
        lock.lock ();
        const std::unique_ptr<service::gateway_router> last = std::move (router);
        lock.unlock ();
    }

    result<void> set_option (side which, int number, const void *value, std::size_t size) noexcept override
    {
        return which == side::dialling ? socket::set_option (is->socket (), number, value, size)
                                       : result<void> ();
    }

    const std::shared_ptr<context_services> in;
    void *const context;
    const gate_place at{};  // outlives the gateway
    std::shared_ptr<discovery_object> from;
    std::shared_ptr<gateway_feed> feed;
    std::shared_ptr<gateway> is;
    service::waiting_lock lock;  // of the next one
    std::unique_ptr<service::gateway_router> router;
};

template <class Body> int with_gateway (void *handle, Body &&body) noexcept
{
    return with_held<gateway_object> (handle, handle_kind::gateway, std::forward<Body> (body));
}

// Parts of a caller's. False: one is none.
bool usable_parts (zlink_msg_t *parts, std::size_t count) noexcept
{
    if (parts == nullptr && count > 0)
        return false;
    for (std::size_t i = 0; i < count; ++i)
        if (!usable (as_message (&parts[i])))
            return false;
    return true;
}

std::span<base::message> span_of (zlink_msg_t *parts, std::size_t count) noexcept
{
    return {count == 0 ? nullptr : as_message (parts), count};
}

// The caller's parts have become ours.
void empty_parts (std::span<base::message> parts) noexcept
{
    for (base::message &each : parts) {
        each.close ();
        each.init ();
    }
}

// Milliseconds from now; negative: never.
base::time_ns deadline_of (base::time_ns now, std::int64_t timeout_ms) noexcept
{
    return timeout_ms < 0 ? base::never_ns : now + timeout_ms * base::ns_per_ms;
}

// False: it is another version's, or says what cannot be.
bool read_options (const zlink_request_options_t *from, base::clock &time, call_options &to) noexcept
{
    if (from == nullptr)
        return true;
    if (from->size != sizeof *from || (from->key == nullptr && from->key_size > 0)
        || from->key_size > wire::request_key_bytes_max)
        return false;
    const base::time_ns now = time.now_ns ();
    to.deadline_ns = deadline_of (now, from->timeout_ms);
    to.hedge_at_ns = from->hedge_ms > 0 ? deadline_of (now, from->hedge_ms) : base::never_ns;
    to.idempotent = from->idempotent != 0;
    if (from->attempts_max != 0)
        to.attempts_max = from->attempts_max;
    to.key = {static_cast<const char *> (from->key), from->key_size};
    to.traceparent = text_of (from->traceparent);
    to.tracestate = text_of (from->tracestate);
    return true;
}

int errno_of (call_status how) noexcept
{
    switch (how) {
    case call_status::deadline:
        return ETIMEDOUT;
    case call_status::cancelled:
        return ECANCELED;
    case call_status::refused:
        return ECONNREFUSED;
    case call_status::overloaded:
        return EAGAIN;
    case call_status::interrupted:
        return EINTR;
    case call_status::terminated:
        return error_number (errc::terminated);
    case call_status::no_memory:
        return ENOMEM;
    default:
        return EHOSTUNREACH;
    }
}

// An array from malloc, as zlink_msgv_close wants it. False: no memory, and the parts
// stay where they are.
bool give_parts (held_parts &from, zlink_msg_t *&parts, std::size_t &count) noexcept
{
    count = from.size ();
    parts = static_cast<zlink_msg_t *> (std::malloc (std::max<std::size_t> (count, 1) * sizeof *parts));
    if (parts == nullptr)
        return false;
    for (std::size_t i = 0; i < count; ++i) {
        *as_message (&parts[i]) = from[i];
        from[i].init ();
    }
    from.clear ();
    return true;
}

void give_reply (call_outcome &&from, zlink_reply_t &to) noexcept
{
    // Not all of it is cleared: most are told nothing.
    std::fill (std::begin (to.reserved), std::end (to.reserved), 0);
    to.reserved_int = 0;
    to.parts = nullptr;
    to.count = 0;
    to.status = static_cast<std::int32_t> (from.status);
    to.maybe_done = from.maybe_done;
    to.code = from.code;
    to.detail = from.detail;
    to.retry_after_ms = from.retry_after_ms;
    to.text[from.text.copy (to.text, sizeof to.text - 1)] = '\0';
    if (from.status == call_status::replied && !give_parts (from.parts, to.parts, to.count)) {
        to.status = ZLINK_REQUEST_NO_MEMORY;
        to.maybe_done = 1;
        to.count = 0;
    }
}

}  // namespace

// --- gateways ----------------------------------------------------------------

static result<void *> open_gateway (void *context, void *discovery, const char *routing_id)
{
    result<std::shared_ptr<context_services>> in = services_of (context);
    if (!in)
        return in.failure ();
    auto made = std::make_shared<gateway_object> (in.value (), context);
    service::gateway_settings settings;
    settings.routing_id = text_of (routing_id);
    settings.lock_word = made->at.word ();
    if (discovery != nullptr) {
        made->from = discovery_of (discovery);
        if (made->from == nullptr)
            return errc::bad_address;
        auto fed = gateway_feed::open (in.value ()->world, context, settings, made->from->is);
        if (!fed)
            return fed.failure ();
        made->is = std::move (fed.value ().made);
        made->feed = std::move (fed.value ().by);
    } else {
        auto plain = gateway::open (in.value ()->world, context, settings);
        if (!plain)
            return plain.failure ();
        made->is = std::move (plain.value ());
    }
    in.value ()->counted->add (made->is);
    if (gate *const at = made->at.get (); at != nullptr)
        at->socket.store (made->is->socket (), std::memory_order_release);
    void *const handle = open_service (handle_kind::gateway, made, made->at.get ());
    return handle == nullptr ? result<void *> (errc::no_memory) : handle;
}

void *gateway_new (void *context, void *discovery, const char *routing_id) noexcept
{
    return opened_handle ([&] { return open_gateway (context, discovery, routing_id); });
}

int gateway_destroy (void **gateway) noexcept { return destroy_service (gateway, handle_kind::gateway); }

int gateway_set_providers (void *gateway,
                           const char *service,
                           const char *const *endpoints,
                           const std::uint32_t *weights,
                           std::size_t count) noexcept
{
    return with_gateway (gateway, [&] (gateway_object &of) {
        if (endpoints == nullptr && count > 0)
            return failed (errc::bad_address);
        std::vector<service::listed_provider> all (count);
        for (std::size_t i = 0; i < count; ++i) {
            if (endpoints[i] == nullptr)
                return failed (errc::invalid_argument);
            all[i].endpoint = endpoints[i];
            all[i].weight = weights == nullptr ? 1 : weights[i];
        }
        return answer (of.is->set_providers (text_of (service), all));
    });
}

int gateway_set_strategy (void *gateway, const char *service, int strategy) noexcept
{
    return with_gateway (gateway, [&] (gateway_object &of) {
        if (strategy < ZLINK_GATEWAY_LB_ROUND_ROBIN || strategy > ZLINK_GATEWAY_LB_NEAREST)
            return failed (errc::invalid_argument);
        return answer (of.is->set_policy (text_of (service), static_cast<service::balancing> (strategy)));
    });
}

int gateway_set_option (void *gateway, int option, const void *value, std::size_t size) noexcept
{
    return with_gateway (gateway, [&] (gateway_object &of) {
        return answer (socket::set_option (of.is->socket (), option, value, size));
    });
}

int gateway_set_tls (void *gateway, const char *authority, const char *host, int trust_system) noexcept
{
    return with_gateway (gateway, [&] (gateway_object &of) {
        void *const to = of.is->socket ();
        for (const auto &[option, text] :
             {std::pair (ZLINK_TLS_CA, authority), std::pair (ZLINK_TLS_HOSTNAME, host)})
            if (text != nullptr)
                if (const result<void> set = socket::set_option (to, option, text, std::strlen (text)); !set)
                    return failed (set.failure ());
        const int trust = trust_system != 0;
        return answer (socket::set_option (to, ZLINK_TLS_TRUST_SYSTEM, &trust, sizeof trust));
    });
}

int gateway_connections (void *gateway, const char *service) noexcept
{
    return with_gateway (gateway, [&] (gateway_object &of) {
        return static_cast<int> (of.is->connections (text_of (service)));
    });
}

// --- requests ----------------------------------------------------------------

int gateway_request (void *gateway,
                     const char *service,
                     zlink_msg_t *parts,
                     std::size_t count,
                     const zlink_request_options_t *options,
                     zlink_reply_t *reply) noexcept
{
    return with_gateway (gateway, [&] (gateway_object &of) {
        call_options wish;
        if (reply == nullptr || !usable_parts (parts, count))
            return failed (errc::bad_address);
        if (!read_options (options, of.in->world.time, wish) || text_of (service).empty ())
            return failed (errc::invalid_argument);
        call_outcome got = of.is->call (text_of (service), span_of (parts, count), wish);
        if (got.status == call_status::refused && got.code == wire::failure_malformed && got.text.empty ())
            return failed (errc::invalid_argument);
        const bool replied = got.status == call_status::replied;
        const call_status how = got.status;
        give_reply (std::move (got), *reply);
        if (replied && reply->status == ZLINK_REQUEST_REPLIED) {
            empty_parts (span_of (parts, count));
            return 0;
        }
        errno = replied ? ENOMEM : errno_of (how);
        return -1;
    });
}

void reply_close (zlink_reply_t *reply) noexcept
{
    if (reply == nullptr || reply->parts == nullptr)
        return;
    for (std::size_t i = 0; i < reply->count; ++i)
        if (usable (as_message (&reply->parts[i])))
            as_message (&reply->parts[i])->close ();
    std::free (std::exchange (reply->parts, nullptr));
    reply->count = 0;
}

// Calls a handler of C with what became of its request.
static service::call_handler handler_of (zlink_reply_fn *handler, void *hint)
{
    return [handler, hint] (service::request_id which, call_outcome &&got) {
        zlink_reply_t reply;
        give_reply (std::move (got), reply);
        handler (which, &reply, hint);
        reply_close (&reply);
    };
}

// The id; 0: it is to be submitted otherwise.
static service::request_id submit_quick (
  void *gateway, const char *service, zlink_msg_t *part, zlink_reply_fn *handler, void *hint) noexcept
{
    service::gateway::quick_request quick;
    service::call_handler told = handler_of (handler, hint);
    (void)inside_gate<gateway_object> (gateway, handle_kind::gateway, [&] (gateway_object &of) {
        if (!of.is->begin_quick_locked (text_of (service), *as_message (part), told, quick))
            quick.id = 0;
    });
    if (quick.id != 0 && !service::gateway::send_quick (quick).ok ()) [[unlikely]]
        (void)with_gateway (gateway, [&] (gateway_object &of) {
            of.is->go_on (quick);
            return 0;
        });
    return quick.id;
}

int gateway_submit (void *gateway,
                    const char *service,
                    zlink_msg_t *parts,
                    std::size_t count,
                    const zlink_request_options_t *options,
                    zlink_reply_fn *handler,
                    void *hint,
                    std::uint64_t *id) noexcept
{
    if (handler != nullptr && options == nullptr && count == 1 && usable_parts (parts, count)) [[likely]]
        if (const service::request_id begun = submit_quick (gateway, service, parts, handler, hint);
            begun != 0) [[likely]] {
            if (id != nullptr)
                *id = begun;
            return 0;
        }
    return with_gateway (gateway, [&] (gateway_object &of) {
        call_options wish;
        if (handler == nullptr || !usable_parts (parts, count))
            return failed (errc::bad_address);
        if (!read_options (options, of.in->world.time, wish))
            return failed (errc::invalid_argument);
        held_parts mine;
        mine.take_all (span_of (parts, count));
        const result<service::request_id> begun =
          of.is->submit (text_of (service), std::move (mine), wish, handler_of (handler, hint));
        if (!begun) {
            std::ranges::swap_ranges (mine.all (), span_of (parts, count));
            return failed (begun.failure ());
        }
        if (id != nullptr)
            *id = begun.value ();
        return 0;
    });
}

int gateway_cancel (void *gateway, std::uint64_t id) noexcept
{
    return with_gateway (
      gateway, [&] (gateway_object &of) { return of.is->cancel (id) ? 0 : failed (errc::no_such_endpoint); });
}

// --- messages ----------------------------------------------------------------

// False: it is to be sent otherwise.
static bool choose_quick (void *gateway, const char *service, service::gateway::quick_send &to) noexcept
{
    bool found = false;
    (void)inside_gate<gateway_object> (gateway, handle_kind::gateway, [&] (gateway_object &of) {
        found = of.is->choose_quick_locked (service, to);
    });
    return found;
}

int gateway_send (void *gateway,
                  const char *service,
                  const zlink_routing_id_t *instance,
                  zlink_msg_t *parts,
                  std::size_t count,
                  int flags) noexcept
{
    std::optional<service::provider_number> chosen;
    if (instance == nullptr && count > 0 && (flags & ~ZLINK_DONTWAIT) == 0 && usable_parts (parts, count))
      [[likely]] {
        service::gateway::quick_send quick;
        const bool found = choose_quick (gateway, service, quick);
        if (found && service::gateway::send_quick (quick, span_of (parts, count)).ok ()) [[likely]]
            return 0;
        if (found)
            chosen = quick.to;
    }
    return with_gateway (gateway, [&] (gateway_object &of) {
        if (!usable_parts (parts, count))
            return failed (errc::bad_address);
        call_options wish;
        if (instance != nullptr)
            wish.instance =
              service::instance_of ({reinterpret_cast<const char *> (instance->data), instance->size});
        if ((instance != nullptr && wish.instance == 0) || count == 0 || (flags & ~ZLINK_DONTWAIT) != 0)
            return failed (errc::invalid_argument);
        const io_count sent = of.is->send (text_of (service), span_of (parts, count), wish,
                                           (flags & ZLINK_DONTWAIT) == 0, chosen);
        return sent.ok () ? 0 : failed (sent.code ());
    });
}

int gateway_send_buffer (
  void *gateway, const char *service, const void *data, std::size_t size, int flags) noexcept
{
    const base::bytes_view body{static_cast<const std::byte *> (data), size};
    const bool whole = data != nullptr || size == 0;
    const bool known = (flags & ~ZLINK_DONTWAIT) == 0;
    if (void *const to = socket_behind (gateway, handle_kind::gateway);
        to != nullptr && service != nullptr && whole && known
        && socket::send_prepared (to, service, body).ok ()) [[likely]]
        return 0;
    std::optional<service::provider_number> chosen;
    if (service::gateway::quick_send quick; whole && known && choose_quick (gateway, service, quick))
      [[likely]] {
        if (service::gateway::send_quick (quick, body).ok ()) [[likely]]
            return 0;
        chosen = quick.to;
    }
    return with_gateway (gateway, [&] (gateway_object &of) {
        if (!whole || !known)
            return failed (whole ? errc::invalid_argument : errc::bad_address);
        const io_count sent = of.is->send (text_of (service), body, (flags & ZLINK_DONTWAIT) == 0, chosen);
        return sent.ok () ? 0 : failed (sent.code ());
    });
}

int gateway_receive (
  void *gateway, zlink_msg_t **parts, std::size_t *count, int flags, char *service) noexcept
{
    return with_gateway (gateway, [&] (gateway_object &of) {
        if (parts == nullptr || count == nullptr)
            return failed (errc::bad_address);
        const bool waits = (flags & ZLINK_DONTWAIT) == 0;
        result<service::gateway::unasked> got =
          of.is->receive (waits ? base::never_ns : of.in->world.time.now_ns ());
        if (!got)
            return failed (got.code () == errc::timed_out ? errc::would_block : got.code ());
        if (!give_parts (got.value ().parts, *parts, *count))
            return failed (errc::no_memory);
        if (service != nullptr)
            service[got.value ().service.copy (service, 255)] = '\0';
        return 0;
    });
}

void *gateway_router (void *gateway) noexcept
{
    return opened_handle ([&] () -> result<void *> {
        const std::shared_ptr<gateway_object> of = held<gateway_object> (gateway, handle_kind::gateway);
        if (of == nullptr)
            return errc::bad_address;
        const service::holding guard (of->lock);
        if (of->router == nullptr) {
            auto made = service::gateway_router::open (of->in->world, of->context, of->is);
            if (!made)
                return made.failure ();
            of->router = std::move (made.value ());
        }
        return of->router->socket ();
    });
}

}  // namespace zlink::api

#include "api/receivers.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/errors.hpp"
#include "api/messages.hpp"
#include "api/service_handles.hpp"
#include "api/stored_registries.hpp"
#include "api/texts.hpp"
#include "service/raw_router.hpp"
#include "service/registered.hpp"

namespace zlink::api {

// One request that nobody has, for the next one: until the receiver is closed.
class request_place
{
  public:
    ~request_place () { close (); }
    // Null: there is none. Inside the receiver's gate: one thread at a time, and none
    // that closes.
    [[nodiscard]] zlink_request_t *take () noexcept
    {
        zlink_request_t *const kept = kept_.load (std::memory_order_acquire);
        if (kept != nullptr)
            kept_.store (nullptr, std::memory_order_relaxed);
        return kept;
    }
    // False: it is not kept.
    [[nodiscard]] bool keep (zlink_request_t *which) noexcept;
    void close () noexcept;

  private:
    std::atomic<zlink_request_t *> kept_{nullptr};
    std::atomic<bool> closed_{false};
};

}  // namespace zlink::api

// The rest of a request stands behind what C programs see of it.
struct zlink_request_t
{
    std::shared_ptr<zlink::api::context_services> in;  // outlives the receiver
    std::shared_ptr<zlink::service::receiver> by;
    std::shared_ptr<zlink::api::request_place> place;
    zlink::service::inquiry what;
};

namespace zlink::api {

bool request_place::keep (zlink_request_t *which) noexcept
{
    zlink_request_t *none = nullptr;
    if (closed_.load (std::memory_order_relaxed)
        || !kept_.compare_exchange_strong (none, which, std::memory_order_seq_cst))
        return false;
    if (closed_.load (std::memory_order_seq_cst)) [[unlikely]]
        close ();  // which may have missed it
    return true;
}

void request_place::close () noexcept
{
    closed_.store (true, std::memory_order_seq_cst);
    delete kept_.exchange (nullptr, std::memory_order_seq_cst);
}

using base::errc;
using base::io_count;
using base::result;
using service::held_parts;
using service::inquiry;
using service::receiver;

namespace {

constexpr std::size_t text_bytes = 256;  // of what C programs give us to write to
constexpr base::time_ns result_wait_ns = 5 * base::ns_per_s;

// An option that is to be set.
struct set_before
{
    int number = 0;
    std::vector<std::byte> value;
};

class receiver_object final : public service_object
{
  public:
    receiver_object (std::shared_ptr<context_services> all, void *of_context) noexcept
      : in (std::move (all)), context (of_context), lock (in->world.sleep)
    {
    }
    void close () noexcept override
    {
        if (is != nullptr)
            is->close ();
        lock.lock ();
        const std::shared_ptr<service::registered> whom = books;
        const std::unique_ptr<service::receiver_router> last = std::move (router);
        lock.unlock ();
        requests->close ();
        if (whom != nullptr)
            whom->leave (0);
    }

    result<void> set_option (side which, int number, const void *value, std::size_t size) noexcept override;

    const std::shared_ptr<context_services> in;
    void *const context;
    const gate_place at{};  // outlives the receiver
    std::shared_ptr<receiver> is;
    const std::shared_ptr<request_place> requests = std::make_shared<request_place> ();
    service::waiting_lock lock;                                 // of all below
    std::string bound;                                          // last
    std::map<std::string, std::string, std::less<>> endpoints;  // as they are registered, by service
    std::shared_ptr<service::registered> books;                 // null: there is no registry
    std::vector<set_before> for_books;                          // of its socket, once it has one
    std::unique_ptr<service::receiver_router> router;
};

template <class Body> int with_receiver (void *handle, Body &&body) noexcept
{
    return with_held<receiver_object> (handle, handle_kind::receiver, std::forward<Body> (body));
}

struct request_end
{
    // Nobody has it any more. What it brought goes at once, but for what the next one is
    // written to.
    void operator() (zlink_request_t *of) const noexcept
    {
        of->what.parts.let_go ();
        if (!of->place->keep (of))
            delete of;
    }
};
using held_request = std::unique_ptr<zlink_request_t, request_end>;

// Throws bad_alloc.
held_request request_of (receiver_object &of)
{
    auto made = std::make_unique<zlink_request_t> ();
    made->in = of.in;
    made->by = of.is;
    made->place = of.requests;
    return held_request (made.release ());
}

// What is said of a socket to registries that is not there yet is kept for it.
result<void>
receiver_object::set_option (side which, int number, const void *value, std::size_t size) noexcept
try {
    if (which == side::listening)
        return socket::set_option (is->socket (), number, value, size);
    const service::holding guard (lock);
    if (books != nullptr)
        return books->by ().set_option (number, value, size);
    const auto *const bytes = static_cast<const std::byte *> (value);
    for_books.push_back ({number, {bytes, bytes + size}});
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// Registers with registries from now on.
result<std::shared_ptr<service::registered>> books_of (receiver_object &of)
{
    const service::holding guard (of.lock);
    if (of.books != nullptr)
        return of.books;
    result<std::shared_ptr<service::registration>> made =
      service::registration::open (of.in->world, of.context, of.in->loop);
    if (!made)
        return made.failure ();
    // Whatever fails from here on, it is closed: the loop would hold it for ever.
    constexpr auto close = [] (service::registration *by) { by->close (); };
    std::unique_ptr<service::registration, decltype (close)> undo (made.value ().get (), close);
    for (const set_before &each : of.for_books)
        if (const result<void> set =
              made.value ()->set_option (each.number, each.value.data (), each.value.size ());
            !set)
            return set.failure ();
    auto whom = std::make_shared<service::registered> (made.value ());
    if (const result<void> set = of.is->register_by (whom); !set)
        return set.failure ();
    (void)undo.release ();
    return of.books = whom;
}

}  // namespace

// --- receivers ---------------------------------------------------------------

static result<void *> open_receiver (void *context, const char *routing_id)
{
    result<std::shared_ptr<context_services>> in = services_of (context);
    if (!in)
        return in.failure ();
    auto made = std::make_shared<receiver_object> (in.value (), context);
    service::receiver_settings settings;
    settings.routing_id = text_of (routing_id);
    settings.lock_word = made->at.word ();
    result<std::shared_ptr<receiver>> opened = receiver::open (in.value ()->world, context, settings);
    if (!opened)
        return opened.failure ();
    made->is = std::move (opened.value ());
    in.value ()->counted->add (made->is);
    void *const handle = open_service (handle_kind::receiver, made, made->at.get ());
    return handle == nullptr ? result<void *> (errc::no_memory) : handle;
}

void *receiver_new (void *context, const char *routing_id) noexcept
{
    return opened_handle ([&] { return open_receiver (context, routing_id); });
}

int receiver_destroy (void **receiver) noexcept { return destroy_service (receiver, handle_kind::receiver); }

int receiver_bind (void *receiver, const char *endpoint) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        if (endpoint == nullptr)
            return failed (errc::invalid_argument);
        result<std::string> bound = of.is->bind (endpoint);
        if (!bound)
            return failed (bound.failure ());
        const service::holding guard (of.lock);
        of.bound = std::move (bound.value ());
        return 0;
    });
}

int receiver_endpoint (void *receiver, char *endpoint, std::size_t *size) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        if (size == nullptr || (endpoint == nullptr && *size != 0))
            return failed (errc::bad_address);
        const service::holding guard (of.lock);
        if (of.bound.empty ())
            return failed (errc::no_such_endpoint);
        copy_text (of.bound, endpoint, *size);
        *size = of.bound.size () + 1;
        return 0;
    });
}

int receiver_connect_registry (void *receiver, const char *endpoint) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        if (endpoint == nullptr)
            return failed (errc::invalid_argument);
        result<std::shared_ptr<service::registered>> books = books_of (of);
        return books ? answer (connect_to_registry (*of.in, books.value ()->by (), endpoint))
                     : failed (books.failure ());
    });
}

int receiver_register (void *receiver,
                       const char *service,
                       const char *endpoint,
                       std::uint32_t weight) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        std::string where (text_of (endpoint));
        {
            const service::holding guard (of.lock);
            if (where.empty ())
                where = of.bound;
        }
        if (where.empty ())
            return failed (errc::invalid_argument);
        if (const result<void> offered = of.is->offer (text_of (service), where, weight); !offered)
            return failed (offered.failure ());
        const service::holding guard (of.lock);
        of.endpoints[std::string (text_of (service))] = std::move (where);
        return 0;
    });
}

int receiver_update_weight (void *receiver, const char *service, std::uint32_t weight) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        std::string where;
        {
            const service::holding guard (of.lock);
            if (const auto found = of.endpoints.find (text_of (service)); found != of.endpoints.end ())
                where = found->second;
        }
        if (where.empty ())
            return failed (errc::no_such_endpoint);
        return answer (of.is->offer (text_of (service), where, weight));
    });
}

int receiver_unregister (void *receiver, const char *service) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        {
            const service::holding guard (of.lock);
            if (const auto found = of.endpoints.find (text_of (service)); found != of.endpoints.end ())
                of.endpoints.erase (found);
        }
        return of.is->withdraw (text_of (service)) ? 0 : failed (errc::no_such_endpoint);
    });
}

int receiver_register_result (
  void *receiver, const char *service, int *status, char *endpoint, char *message) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        std::string where;
        std::shared_ptr<service::registered> books;
        {
            const service::holding guard (of.lock);
            if (const auto found = of.endpoints.find (text_of (service)); found != of.endpoints.end ())
                where = found->second;
            books = of.books;
        }
        if (where.empty () || books == nullptr)
            return failed (errc::no_such_endpoint);
        const result<service::offer_outcome> got = books->by ().wait (
          wire::family_gateway, text_of (service), where, of.in->world.time.now_ns () + result_wait_ns);
        if (!got)
            return failed (got.failure ());
        const bool refused = got.value ().state == service::offer_state::refused;
        if (status != nullptr)
            *status = refused ? got.value ().fault : 0;
        copy_text (got.value ().endpoint, endpoint, text_bytes);
        copy_text (refused ? wire::fault_name (got.value ().fault) : "", message, text_bytes);
        return 0;
    });
}

int receiver_set_option (void *receiver, int role, int option, const void *value, std::size_t size) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        if (role == ZLINK_RECEIVER_SOCKET_ROUTER)
            return answer (socket::set_option (of.is->socket (), option, value, size));
        if (role != ZLINK_RECEIVER_SOCKET_DEALER)
            return failed (errc::invalid_argument);
        result<std::shared_ptr<service::registered>> books = books_of (of);
        return books ? answer (books.value ()->by ().set_option (option, value, size))
                     : failed (books.failure ());
    });
}

int receiver_set_tls (void *receiver, const char *certificate, const char *key) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        for (const auto &[option, text] :
             {std::pair (ZLINK_TLS_CERT, certificate), std::pair (ZLINK_TLS_KEY, key)})
            if (text != nullptr)
                if (const result<void> set =
                      socket::set_option (of.is->socket (), option, text, std::strlen (text));
                    !set)
                    return failed (set.failure ());
        return 0;
    });
}

// made: what to receive into, or null.
[[gnu::noinline]] static int
receive_otherwise (void *receiver, zlink_request_t **request, int timeout_ms, held_request made) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        if (request == nullptr)
            return failed (errc::bad_address);
        if (made == nullptr)
            made = request_of (of);
        const base::time_ns deadline =
          timeout_ms < 0 ? base::never_ns : of.in->world.time.now_ns () + timeout_ms * base::ns_per_ms;
        const result<void> got = of.is->receive (made->what, deadline);
        if (!got)
            return failed (got.code () == errc::timed_out ? errc::would_block : got.code ());
        *request = made.release ();
        return 0;
    });
}

int receiver_receive (void *receiver, zlink_request_t **request, int timeout_ms) noexcept
{
    zlink_request_t *kept = nullptr;
    bool got_one = false;
    if (request != nullptr) [[likely]]
        (void)inside_gate<receiver_object> (receiver, handle_kind::receiver, [&] (receiver_object &of) {
            kept = of.requests->take ();
            got_one = kept != nullptr && of.is->receive_quick_locked (kept->what);
        });
    if (!got_one) [[unlikely]]
        return receive_otherwise (receiver, request, timeout_ms, held_request (kept));
    *request = kept;
    return 0;
}

int receiver_drain (void *receiver, int timeout_ms) noexcept
{
    return with_receiver (receiver, [&] (receiver_object &of) {
        return answer (of.is->drain (
          timeout_ms < 0 ? base::never_ns : of.in->world.time.now_ns () + timeout_ms * base::ns_per_ms));
    });
}

void *receiver_router (void *receiver) noexcept
{
    return opened_handle ([&] () -> result<void *> {
        const std::shared_ptr<receiver_object> of = held<receiver_object> (receiver, handle_kind::receiver);
        if (of == nullptr)
            return errc::bad_address;
        const service::holding guard (of->lock);
        if (of->router == nullptr) {
            auto made = service::receiver_router::open (of->in->world, of->context, of->is);
            if (!made)
                return made.failure ();
            of->router = std::move (made.value ());
        }
        return of->router->socket ();
    });
}

// --- requests ----------------------------------------------------------------

const char *request_service (const zlink_request_t *request) noexcept
{
    return request == nullptr ? "" : request->what.service.c_str ();
}

zlink_msg_t *request_parts (zlink_request_t *request, std::size_t *count) noexcept
{
    const std::size_t size = request == nullptr ? 0 : request->what.parts.size ();
    if (count != nullptr)
        *count = size;
    return size == 0 ? nullptr : reinterpret_cast<zlink_msg_t *> (request->what.parts.all ().data ());
}

int request_one_way (const zlink_request_t *request) noexcept
{
    return request != nullptr && request->what.one_way;
}

const char *request_key (const zlink_request_t *request, std::size_t *size) noexcept
{
    if (size != nullptr)
        *size = request == nullptr ? 0 : request->what.key.size ();
    return request == nullptr ? "" : request->what.key.c_str ();
}

const char *request_traceparent (const zlink_request_t *request) noexcept
{
    return request == nullptr ? "" : request->what.traceparent.c_str ();
}

int request_wanted (const zlink_request_t *request) noexcept
{
    return request != nullptr && !request->by->unwanted (const_cast<zlink_request_t *> (request)->what);
}

int request_reply (zlink_request_t **request, zlink_msg_t *parts, std::size_t count) noexcept
{
    if (request == nullptr || *request == nullptr || (parts == nullptr && count > 0))
        return failed (errc::bad_address);
    for (std::size_t i = 0; i < count; ++i)
        if (!usable (as_message (&parts[i])))
            return failed (errc::bad_address);
    zlink_request_t &of = **request;
    const result<void> done = of.by->reply (of.what, {count == 0 ? nullptr : as_message (parts), count});
    if (!done && done.code () != errc::wrong_state)
        return failed (done.failure ());
    request_end () (std::exchange (*request, nullptr));
    return answer (done);
}

int request_fail (zlink_request_t **request,
                  std::uint32_t code,
                  std::uint32_t detail,
                  const char *text) noexcept
{
    if (request == nullptr || *request == nullptr)
        return failed (errc::bad_address);
    if (code == 0 || code > UINT16_MAX)
        return failed (errc::invalid_argument);
    zlink_request_t &of = **request;
    service::refusal why;
    why.code = static_cast<std::uint16_t> (code);
    why.detail = detail;
    why.text = text_of (text);
    const result<void> done = of.by->fail (of.what, why);
    if (!done && done.code () != errc::wrong_state)
        return failed (done.failure ());
    request_end () (std::exchange (*request, nullptr));
    return answer (done);
}

void request_close (zlink_request_t **request) noexcept
{
    if (request == nullptr || *request == nullptr)
        return;
    const held_request of (std::exchange (*request, nullptr));
    if (!of->what.one_way)
        (void)of->by->fail (of->what, {.code = wire::failure_handler});
}

}  // namespace zlink::api

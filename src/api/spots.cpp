#include "api/spots.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "api/discoveries.hpp"
#include "api/errors.hpp"
#include "api/messages.hpp"
#include "api/service_handles.hpp"
#include "api/spot_objects.hpp"
#include "api/stored_registries.hpp"
#include "service/registration.hpp"
#include "service/spot_node.hpp"

namespace zlink::api {

using base::errc;
using base::result;
using service::spot_item;
using service::spot_match;
using service::spot_node;
using service::spot_subscription;

namespace {

constexpr std::string_view default_service = "spot-node";
constexpr int topic_room = 256;          // of what C programs give us to write to
constexpr std::size_t parts_inside = 4;  // of what handlers get; for more memory is taken

class sub_object final : public service_object
{
  public:
    explicit sub_object (std::shared_ptr<node_object> by) : of (std::move (by)), is (of->is, {}, at.word ())
    {
        if (at.get () != nullptr)
            at.get ()->target = &is;
    }
    void close () noexcept override { is.close (); }
    [[nodiscard]] gate *gate_of () const noexcept { return at.get (); }

    const std::shared_ptr<node_object> of;
    const gate_place at{};
    spot_subscription is;
    base::atomic<int> timeout_ms{-1};
};

template <class Body> int with_sub (void *handle, Body &&body) noexcept
{
    return with_held<sub_object> (handle, handle_kind::spot_sub, std::forward<Body> (body));
}

result<std::shared_ptr<service::registration>> books_of (node_object &of)
{
    const service::holding guard (of.lock);
    if (of.closed)
        return errc::terminated;
    if (of.books == nullptr) {
        auto made = service::registration::open (of.in->world, of.context, of.in->loop);
        if (!made)
            return made.failure ();
        if (const result<void> set = set_before_use (of, *made.value ()); !set) {
            made.value ()->close ();  // the loop would hold it for ever
            return set.failure ();
        }
        of.books = std::move (made.value ());
        of.is->be_registered_by (of.books->instance ());
    }
    return of.books;
}

static_assert (static_cast<int> (spot_match::exact) == 0
               && static_cast<int> (spot_match::prefix) + ZLINK_SPOT_TOPIC_EXACT == ZLINK_SPOT_TOPIC_PREFIX
               && static_cast<int> (spot_match::glob) + ZLINK_SPOT_TOPIC_EXACT == ZLINK_SPOT_TOPIC_GLOB);

zlink_spot_topic_t topic_of (const spot_node::wished &from) noexcept
{
    return {.name = from.what.c_str (),
            .kind = static_cast<std::int32_t> (from.how) + ZLINK_SPOT_TOPIC_EXACT,
            .wanted = from.count,
            .partitions = 0,
            .owned_here = 0};
}

zlink_spot_topic_t topic_of (const service::partition_host::declared &from) noexcept
{
    return {.name = from.topic.c_str (),
            .kind = ZLINK_SPOT_TOPIC_DECLARED,
            .wanted = 0,
            .partitions = from.partitions,
            .owned_here = from.owned_here};
}

int set_texts (void *socket, std::initializer_list<std::pair<int, const char *>> all) noexcept
{
    for (const auto &[option, text] : all)
        if (text != nullptr)
            if (const result<void> set = socket::set_option (socket, option, text, std::strlen (text)); !set)
                return failed (set.failure ());
    return 0;
}

// What only receiving answers.
int failed_receive (errc why) noexcept
{
    switch (why) {
    case errc::timed_out:
        return failed (errc::would_block);
    case errc::wrong_state:
        return failed (errc::invalid_argument);
    case errc::in_progress:
        errno = EBUSY;
        return -1;
    default:
        return failed (why);
    }
}

// The parts of what came, to be closed. False: no memory, and none is left.
bool copy_parts (const spot_item &from, std::span<base::message> to) noexcept
{
    if (from.parts.empty ())
        return to.front ().init_copy (from.body).ok ();
    for (std::size_t i = 0; i < to.size (); ++i) {
        to[i].init ();
        to[i].copy_from (from.parts[i]);
        to[i].set_more (i + 1 < to.size ());
    }
    return true;
}

std::size_t parts_of (const spot_item &what) noexcept
{
    return std::max<std::size_t> (what.parts.size (), 1);
}

void show (const service::spot_plain &got, zlink_spot_message_t &to) noexcept
{
    to = {.size = sizeof to,
          .topic = got.topic.data (),
          .topic_size = got.topic.size (),
          .body = got.body.data (),
          .body_size = got.body.size (),
          .publisher = got.publisher,
          .number = got.number,
          .gap = static_cast<std::int32_t> (service::spot_gap::none),
          .count = 1,
          .missing = 0,
          .parts = nullptr};
}

void show (const spot_item &got, zlink_spot_message_t &to) noexcept
{
    show (got.plain (), to);
    const bool is_message = got.gap == service::spot_gap::none;
    to.gap = static_cast<std::int32_t> (got.gap);
    to.count = is_message ? static_cast<std::uint32_t> (parts_of (got)) : 0;
    to.missing = got.missing;
    to.parts = got.parts.empty () ? nullptr : reinterpret_cast<const zlink_msg_t *> (got.parts.data ());
}

bool show_at_hand_locked (service::spot_subscription &of, zlink_spot_message_t &to) noexcept
{
    if (const service::spot_plain *const read = of.take_read_locked ()) [[likely]] {
        show (*read, to);
        return true;
    }
    spot_item got;
    if (!of.take_at_hand_locked (got))
        return false;
    show (got, to);
    return true;
}

// Of gaps such a handler cannot be told. False: no memory.
bool call_handler (zlink_spot_sub_handler_fn *handler, void *hint, const spot_item &what) noexcept
{
    if (what.gap != service::spot_gap::none)
        return true;
    std::array<char, topic_room> topic{};
    std::ranges::copy (what.topic, topic.begin ());
    const std::size_t count = parts_of (what);
    std::array<zlink_msg_t, parts_inside> few;
    std::unique_ptr<zlink_msg_t[]> many;
    if (count > few.size ())
        many.reset (new (std::nothrow) zlink_msg_t[count]);
    zlink_msg_t *const parts = count > few.size () ? many.get () : few.data ();
    if (parts == nullptr || !copy_parts (what, {as_message (parts), count}))
        return false;
    handler (topic.data (), what.topic.size (), parts, count, hint);
    for (base::message &each : std::span (as_message (parts), count))
        each.close ();
    return true;
}

result<void *> open_node (void *context)
{
    result<std::shared_ptr<context_services>> in = services_of (context);
    if (!in)
        return in.failure ();
    auto made = std::make_shared<node_object> (in.value (), context);
    auto opened =
      spot_node::open (in.value ()->world, context, in.value ()->loop, {.publish_word = made->at.word ()});
    if (!opened)
        return opened.failure ();
    made->is = std::move (opened.value ());
    if (gate *const at = made->at.get (); at != nullptr)
        at->target = made->is.get ();
    void *const handle = open_service (handle_kind::spot_node, made);
    return handle == nullptr ? result<void *> (errc::no_memory) : handle;
}

template <class Object> void *open_of_node (void *node, handle_kind kind) noexcept
{
    return opened_handle ([&] () -> result<void *> {
        std::shared_ptr<node_object> of = held<node_object> (node, handle_kind::spot_node);
        if (of == nullptr)
            return errc::bad_address;
        auto made = std::make_shared<Object> (std::move (of));
        gate *const at = made->gate_of ();
        void *const handle = open_service (kind, std::move (made), at);
        return handle == nullptr ? result<void *> (errc::no_memory) : handle;
    });
}

}  // namespace

// --- nodes -------------------------------------------------------------------

void *spot_node_new (void *context) noexcept
{
    return opened_handle ([&] { return open_node (context); });
}

int spot_node_destroy (void **node) noexcept { return destroy_service (node, handle_kind::spot_node); }

int spot_node_bind (void *node, const char *endpoint) noexcept
{
    return with_node (node, [&] (node_object &of) {
        result<std::string> bound = of.is->bind (text_of (endpoint));
        if (!bound)
            return failed (bound.failure ());
        const service::holding guard (of.lock);
        of.bound = std::move (bound.value ());
        return 0;
    });
}

int spot_node_endpoint (void *node, char *endpoint, std::size_t *size) noexcept
{
    return with_node (node, [&] (node_object &of) {
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

int spot_node_connect_registry (void *node, const char *endpoint) noexcept
{
    return with_node (node, [&] (node_object &of) {
        if (endpoint == nullptr)
            return failed (errc::invalid_argument);
        const auto books = books_of (of);
        return books ? answer (connect_to_registry (*of.in, *books.value (), endpoint))
                     : failed (books.failure ());
    });
}

int spot_node_add_peer (void *node, const char *endpoint) noexcept
{
    return with_node (node, [&] (node_object &of) { return answer (of.is->add_peer (text_of (endpoint))); });
}

int spot_node_remove_peer (void *node, const char *endpoint) noexcept
{
    return with_node (node,
                      [&] (node_object &of) { return answer (of.is->remove_peer (text_of (endpoint))); });
}

int spot_node_join (void *node, const char *seed) noexcept
{
    return with_node (node, [&] (node_object &of) { return answer (of.is->join (text_of (seed))); });
}

int spot_node_leave (void *node, const char *seed) noexcept
{
    return with_node (node, [&] (node_object &of) { return answer (of.is->leave (text_of (seed))); });
}

int spot_node_register (void *node, const char *service, const char *endpoint) noexcept
{
    return with_node (node, [&] (node_object &of) {
        const std::string name (service == nullptr ? default_service : std::string_view (service));
        std::string where (text_of (endpoint));
        const auto books = books_of (of);
        if (!books)
            return failed (books.failure ());
        const service::holding guard (of.lock);
        if (where.empty ())
            where = of.bound;
        const result<void> put =
          books.value ()->put ({.family = wire::family_spot, .service = name, .endpoint = where});
        if (put.ok ())
            of.registered.emplace_back (name, where);
        return answer (put);
    });
}

int spot_node_unregister (void *node, const char *service) noexcept
{
    return with_node (node, [&] (node_object &of) {
        const std::string_view name = service == nullptr ? default_service : std::string_view (service);
        const service::holding guard (of.lock);
        const auto at = std::ranges::find (of.registered, name, &std::pair<std::string, std::string>::first);
        if (at == of.registered.end ())
            return failed (errc::no_such_endpoint);
        const result<void> dropped = of.books->drop (wire::family_spot, at->first, at->second);
        of.registered.erase (at);
        return answer (dropped);
    });
}

int spot_node_set_discovery (void *node, void *discovery, const char *service) noexcept
{
    return with_node (node, [&] (node_object &of) {
        if (discovery == nullptr)
            return answer (of.is->join_by (nullptr, {}));
        const std::shared_ptr<discovery_object> from = discovery_of (discovery);
        if (from == nullptr)
            return failed (errc::bad_address);
        return answer (
          of.is->join_by (from->is, service == nullptr ? default_service : std::string_view (service)));
    });
}

int spot_node_set_tls_server (void *node, const char *certificate, const char *key) noexcept
{
    return with_node (node, [&] (node_object &of) {
        return set_texts (of.is->publisher (), {{ZLINK_TLS_CERT, certificate}, {ZLINK_TLS_KEY, key}});
    });
}

int spot_node_set_tls_client (void *node, const char *authority, const char *host, int trust_system) noexcept
{
    return with_node (node, [&] (node_object &of) {
        void *const to = of.is->subscriber ();
        if (set_texts (to, {{ZLINK_TLS_CA, authority}, {ZLINK_TLS_HOSTNAME, host}}) != 0)
            return -1;
        const int trust = trust_system != 0;
        return answer (socket::set_option (to, ZLINK_TLS_TRUST_SYSTEM, &trust, sizeof trust));
    });
}

static int set_own_option (node_object &of, int option, const void *value, std::size_t size)
{
    int number = 0;
    if (value == nullptr)
        return failed (errc::invalid_argument);
    if (option == ZLINK_SPOT_NODE_OPT_ADVERTISE)
        return answer (of.is->advertise ({static_cast<const char *> (value), size}));
    if (size != sizeof number)
        return failed (errc::invalid_argument);
    std::memcpy (&number, value, sizeof number);
    if (set_partition_option (of, option, number))
        return 0;
    if (option == ZLINK_SPOT_NODE_OPT_PUB_QUEUE_HWM)
        return answer (socket::set_option (of.is->publisher (), ZLINK_SNDHWM, value, size));
    if ((option != ZLINK_SPOT_NODE_OPT_PUB_MODE && option != ZLINK_SPOT_NODE_OPT_PUB_QUEUE_FULL_POLICY)
        || number < 0 || number > 1)
        return failed (errc::invalid_argument);
    const service::holding guard (of.lock);
    (option == ZLINK_SPOT_NODE_OPT_PUB_MODE ? of.mode : of.full) = number;
    const int no_drop =
      of.mode == ZLINK_SPOT_NODE_PUB_MODE_ASYNC && of.full == ZLINK_SPOT_NODE_PUB_QUEUE_FULL_EAGAIN;
    return answer (socket::set_option (of.is->publisher (), ZLINK_XPUB_NODROP, &no_drop, sizeof no_drop));
}

// What is written together may come in one frame, whatever it is bounded to.
static int set_subscriber_option (spot_node &node, int option, const void *value, std::size_t size) noexcept
{
    std::int64_t bytes = -1;
    if (option == ZLINK_MAXMSGSIZE && value != nullptr && size == sizeof bytes)
        std::memcpy (&bytes, value, sizeof bytes);
    if (bytes >= 0 && bytes < static_cast<std::int64_t> (wire::row_frame_bytes_max))
        return failed (errc::invalid_argument);
    return answer (node.set_subscriber_option (option, value, size));
}

result<void> node_object::set_option (side which, int number, const void *value, std::size_t size) noexcept
try {
    if (which == side::listening)
        return socket::set_option (is->publisher (), number, value, size);
    result<void> set = socket::set_option (is->subscriber (), number, value, size);
    const service::holding guard (lock);
    if (set.ok () && books != nullptr)
        set = books->set_option (number, value, size);
    if (set.ok () && parts != nullptr)
        set = parts->set_option (number, value, size);
    if (set.ok () && (books == nullptr || parts == nullptr)) {
        const auto *const bytes = static_cast<const std::byte *> (value);
        std::erase_if (for_later, [number] (const option_before &each) { return each.number == number; });
        for_later.push_back ({number, {bytes, bytes + size}});
    }
    return set;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

int spot_node_set_option (void *node, int role, int option, const void *value, std::size_t size) noexcept
{
    return with_node (node, [&] (node_object &of) {
        switch (role) {
        case ZLINK_SPOT_NODE_SOCKET_NODE:
            return set_own_option (of, option, value, size);
        case ZLINK_SPOT_NODE_SOCKET_PUB:
            return answer (socket::set_option (of.is->publisher (), option, value, size));
        case ZLINK_SPOT_NODE_SOCKET_SUB:
            return set_subscriber_option (*of.is, option, value, size);
        case ZLINK_SPOT_NODE_SOCKET_DEALER: {
            const auto books = books_of (of);
            return books ? answer (books.value ()->set_option (option, value, size))
                         : failed (books.failure ());
        }
        case ZLINK_SPOT_NODE_SOCKET_GRANTOR: {
            const auto parts = parts_of (of);
            return parts ? answer (parts.value ()->set_option (option, value, size))
                         : failed (parts.failure ());
        }
        default:
            return failed (errc::invalid_argument);
        }
    });
}

int spot_node_wait (void *node, std::size_t count, int timeout_ms) noexcept
{
    return with_node (node, [&] (node_object &of) {
        return answer (of.is->wait_nodes (count, deadline_in (of, timeout_ms)));
    });
}

int spot_node_counters (void *node, zlink_spot_node_counters_t *counters) noexcept
{
    return with_node (node, [&] (node_object &of) {
        if (counters == nullptr)
            return failed (errc::bad_address);
        if (counters->size != sizeof *counters)
            return failed (errc::invalid_argument);
        const service::spot_node_counters now = of.is->counters ();
        *counters = {.size = sizeof *counters,
                     .published = now.published,
                     .received = now.received,
                     .delivered = now.delivered,
                     .unwanted = now.unwanted,
                     .repeated = now.repeated,
                     .malformed = now.malformed,
                     .missed = now.missed,
                     .broken = now.broken,
                     .nodes = of.is->nodes ()};
        return 0;
    });
}

int spot_node_visit_topics (void *node, zlink_spot_topic_fn *visitor, void *hint) noexcept
{
    return with_node (node, [&] (node_object &of) {
        if (visitor == nullptr)
            return failed (errc::bad_address);
        const std::shared_ptr<service::spot_partitions> parts = known_parts_of (of);
        std::vector<service::partition_host::declared> declared;
        if (parts != nullptr)
            declared = parts->all_declared ();
        const std::vector<spot_node::wished> all = of.is->all_wished ();
        const auto show_each = [&] (const auto &each) {
            const zlink_spot_topic_t topic = topic_of (each);
            visitor (&topic, hint);
        };
        std::ranges::for_each (declared, show_each);
        std::ranges::for_each (all, show_each);
        return 0;
    });
}

// --- publishers --------------------------------------------------------------

void *spot_pub_new (void *node) noexcept { return open_of_node<pub_object> (node, handle_kind::spot_pub); }

int spot_pub_destroy (void **pub) noexcept { return destroy_service (pub, handle_kind::spot_pub); }

int spot_pub_publish (void *pub, const char *topic, zlink_msg_t *parts, std::size_t count, int flags) noexcept
{
    return with_pub (pub, [&] (pub_object &by) {
        if (flags != 0)
            return failed (errc::not_supported);
        if (count == 0)
            return failed (errc::invalid_argument);
        if (parts == nullptr)
            return failed (errc::bad_address);
        for (std::size_t i = 0; i < count; ++i)
            if (!usable (as_message (&parts[i])))
                return failed (errc::bad_address);
        return answer (by.of->is->publish (text_of (topic), std::span (as_message (parts), count), 0));
    });
}

int spot_pub_send (void *pub, const char *topic, const void *data, std::size_t size) noexcept
{
    const base::bytes_view body (static_cast<const std::byte *> (data), size);
    if (data != nullptr || size == 0) [[likely]] {
        auto sent = spot_node::quickly::no;
        const std::string_view name = text_of (topic);
        (void)at_target<spot_node> (pub, handle_kind::spot_pub,
                                    [&] (spot_node &by) { sent = by.publish_quick_locked (name, body); });
        if (sent == spot_node::quickly::done) [[likely]]
            return 0;
        if (sent == spot_node::quickly::look) {
            (void)with_pub (pub, [] (pub_object &by) {
                by.of->is->keep_near ();
                return 0;
            });
            return 0;
        }
    }
    return with_pub (pub, [&] (pub_object &by) {
        if (data == nullptr && size > 0)
            return failed (errc::bad_address);
        return answer (by.of->is->publish (text_of (topic), body, 0));
    });
}

int spot_pub_set_option (void *pub, int option, const void *value, std::size_t size) noexcept
{
    return with_pub (pub, [&] (pub_object &by) {
        return answer (socket::set_option (by.of->is->publisher (), option, value, size));
    });
}

// --- subscribers -------------------------------------------------------------

void *spot_sub_new (void *node) noexcept { return open_of_node<sub_object> (node, handle_kind::spot_sub); }

int spot_sub_destroy (void **sub) noexcept { return destroy_service (sub, handle_kind::spot_sub); }

int spot_sub_subscribe (void *sub, const char *topic) noexcept
{
    return with_sub (
      sub, [&] (sub_object &of) { return answer (of.is.subscribe (spot_match::exact, text_of (topic))); });
}

int spot_sub_subscribe_pattern (void *sub, const char *pattern) noexcept
{
    return with_sub (sub, [&] (sub_object &of) {
        const std::string_view text = text_of (pattern);
        if (!text.ends_with ('*') || text.find ('*') != text.size () - 1)
            return failed (errc::invalid_argument);
        return answer (of.is.subscribe (spot_match::prefix, text.substr (0, text.size () - 1)));
    });
}

int spot_sub_subscribe_glob (void *sub, const char *pattern) noexcept
{
    return with_sub (
      sub, [&] (sub_object &of) { return answer (of.is.subscribe (spot_match::glob, text_of (pattern))); });
}

int spot_sub_unsubscribe (void *sub, const char *what) noexcept
{
    return with_sub (sub, [&] (sub_object &of) {
        const std::string_view text = text_of (what);
        const result<void> done = of.is.unsubscribe (spot_match::exact, text);
        if (done.ok () || !text.ends_with ('*'))
            return answer (done);
        return answer (of.is.unsubscribe (spot_match::prefix, text.substr (0, text.size () - 1)));
    });
}

int spot_sub_unsubscribe_glob (void *sub, const char *pattern) noexcept
{
    return with_sub (
      sub, [&] (sub_object &of) { return answer (of.is.unsubscribe (spot_match::glob, text_of (pattern))); });
}

int spot_sub_set_policy (void *sub, int policy, std::size_t messages_max) noexcept
{
    return with_sub (sub, [&] (sub_object &of) {
        if (policy < ZLINK_SPOT_DROP_NEWEST || policy > ZLINK_SPOT_DISCONNECT)
            return failed (errc::invalid_argument);
        service::spot_bounds bounds = of.is.bounds ();
        bounds.policy = static_cast<service::spot_policy> (policy);
        if (messages_max != 0)
            bounds.messages_max = messages_max;
        of.is.set_bounds (bounds);
        return 0;
    });
}

int spot_sub_set_handler (void *sub, zlink_spot_sub_handler_fn *handler, void *hint) noexcept
{
    return with_sub (sub, [&] (sub_object &of) {
        service::spot_handler by;
        if (handler != nullptr)
            by = [handler, hint] (const spot_item &what) { return call_handler (handler, hint, what); };
        const result<void> set = of.is.set_handler (std::move (by));
        if (set.code () != errc::in_progress)
            return answer (set);
        errno = EBUSY;
        return -1;
    });
}

int spot_sub_receive (void *sub,
                      zlink_msg_t **parts,
                      std::size_t *count,
                      int flags,
                      char *topic,
                      std::size_t *topic_bytes) noexcept
{
    return with_sub (sub, [&] (sub_object &of) {
        if (parts == nullptr || count == nullptr)
            return failed (errc::bad_address);
        if ((flags & ~ZLINK_DONTWAIT) != 0)
            return failed (errc::invalid_argument);
        const base::time_ns deadline =
          (flags & ZLINK_DONTWAIT) != 0 ? 0 : deadline_in (*of.of, of.timeout_ms.load ());
        spot_item got;
        do {
            if (const result<void> came = of.is.receive (got, deadline); !came.ok ())
                return failed_receive (came.code ());
        } while (got.gap != service::spot_gap::none);
        const std::size_t many = parts_of (got);
        auto *const all = static_cast<zlink_msg_t *> (std::malloc (many * sizeof (zlink_msg_t)));
        if (all == nullptr || !copy_parts (got, {as_message (all), many})) {
            std::free (all);
            of.is.lose_one ();
            return failed (errc::no_memory);
        }
        *parts = all;
        *count = many;
        copy_text (got.topic, topic, topic_room);
        if (topic_bytes != nullptr)
            *topic_bytes = got.topic.size ();
        return 0;
    });
}

int spot_sub_next (void *sub, zlink_spot_message_t *message, int timeout_ms) noexcept
{
    if (message != nullptr && message->size == sizeof *message) [[likely]] {
        bool there = false;
        (void)at_target<service::spot_subscription> (
          sub, handle_kind::spot_sub,
          [&] (service::spot_subscription &of) { there = show_at_hand_locked (of, *message); });
        if (there) [[likely]]
            return 0;
    }
    return with_sub (sub, [&] (sub_object &of) {
        if (message == nullptr)
            return failed (errc::bad_address);
        if (message->size != sizeof *message)
            return failed (errc::invalid_argument);
        spot_item got;
        if (const result<void> came = of.is.receive (got, deadline_in (*of.of, timeout_ms)); !came.ok ())
            return failed_receive (came.code ());
        show (got, *message);
        return 0;
    });
}

int spot_sub_descriptor (void *sub, zlink_fd_t *descriptor) noexcept
{
    return with_sub (sub, [&] (sub_object &of) { return answer_descriptor (of.is, descriptor); });
}

int spot_sub_counters (void *sub, zlink_spot_counters_t *counters) noexcept
{
    return with_sub (sub, [&] (sub_object &of) {
        if (counters == nullptr)
            return failed (errc::bad_address);
        if (counters->size != sizeof *counters)
            return failed (errc::invalid_argument);
        const service::spot_queue_counters now = of.is.counters ();
        *counters = {sizeof *counters, now.queued, now.dropped, now.conflated, of.is.waiting ()};
        return 0;
    });
}

int spot_sub_set_option (void *sub, int option, const void *value, std::size_t size) noexcept
{
    return with_sub (sub, [&] (sub_object &of) {
        if (option != ZLINK_RCVTIMEO && option != ZLINK_RCVHWM)
            return set_subscriber_option (*of.of->is, option, value, size);
        int number = 0;
        if (value == nullptr || size != sizeof number)
            return failed (errc::invalid_argument);
        std::memcpy (&number, value, sizeof number);
        if (number < (option == ZLINK_RCVTIMEO ? -1 : 0))
            return failed (errc::invalid_argument);
        if (option == ZLINK_RCVTIMEO) {
            of.timeout_ms.store (number);
            return 0;
        }
        service::spot_bounds bounds = of.is.bounds ();
        bounds.messages_max = number == 0 ? SIZE_MAX : static_cast<std::size_t> (number);
        of.is.set_bounds (bounds);
        return 0;
    });
}

}  // namespace zlink::api

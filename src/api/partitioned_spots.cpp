// Partitioned topics of SPOT behind handles.
#include <cerrno>
#include <cstring>
#include <new>

#include "api/errors.hpp"
#include "api/spot_objects.hpp"
#include "api/spots.hpp"
#include "api/stored_registries.hpp"

namespace zlink::api {

using base::errc;
using base::result;
using service::holding;
using service::ordered_event;
using service::publish_outcome;
using service::publish_result;
using service::reader_event;
using service::spot_ordered;
using service::spot_partitions;

namespace {

class reader_object final : public service_object
{
  public:
    reader_object (std::shared_ptr<node_object> by, std::unique_ptr<spot_ordered> reads) noexcept
      : of (std::move (by)), is (std::move (reads)), handler_lock (of->in->world.sleep)
    {
    }
    void close () noexcept override
    {
        is->close ();
        const holding one (handler_lock);
        if (handled.exchange (false))
            is->stop_handler ();
    }

    const std::shared_ptr<node_object> of;
    const std::unique_ptr<spot_ordered> is;
    service::waiting_lock handler_lock;  // of who sets it
    base::atomic<bool> handled{false};
    base::atomic<bool> busy{false};  // somebody is in next, or there is a handler. Of the next one
    ordered_event got;               // the caller borrows from it
};

// 0: it is numbered.
int number_of (const result<publish_outcome> &done) noexcept
{
    if (!done)
        return error_number (done.failure ());
    switch (done.value ().what) {
    case publish_result::numbered:
        return 0;
    case publish_result::unowned:
        return error_number (errc::host_unreachable);
    case publish_result::unknown:
        break;
    }
    return error_number (errc::timed_out);
}

zlink_spot_place_t place_of (const publish_outcome &done) noexcept
{
    return {.size = sizeof (zlink_spot_place_t),
            .epoch = done.of.number,
            .epoch_id = done.of.id,
            .sequence = done.sequence,
            .partition = done.partition,
            .reserved = 0};
}

zlink_spot_event_t event_of (const ordered_event &got) noexcept
{
    const reader_event &event = got.event;
    zlink_spot_event_t made{};
    made.size = sizeof made;
    made.kind = static_cast<std::int32_t> (event.what);
    made.partition = got.partition;
    made.epoch = event.entry.of.number;
    made.epoch_id = event.entry.of.id;
    switch (event.what) {
    case reader_event::kind::message:
        made.sequence = event.entry.sequence;
        made.node = event.entry.origin;
        made.behind = got.behind;
        made.key = got.key ().data ();
        made.key_size = got.key ().size ();
        made.body = got.body ().data ();
        made.body_size = got.body ().size ();
        break;
    case reader_event::kind::gap:
        made.sequence = event.from;
        made.last = event.to;
        break;
    case reader_event::kind::epoch:
        made.sequence = event.from;
        made.last = event.last;
        made.loss_possible = event.loss_possible;
        break;
    case reader_event::kind::owner:
        made.node = event.entry.origin;
        break;
    case reader_event::kind::another:
        break;
    }
    return made;
}

static_assert (static_cast<int> (reader_event::kind::message) == ZLINK_SPOT_EVENT_MESSAGE
               && static_cast<int> (reader_event::kind::gap) == ZLINK_SPOT_EVENT_GAP
               && static_cast<int> (reader_event::kind::epoch) == ZLINK_SPOT_EVENT_EPOCH
               && static_cast<int> (reader_event::kind::another) == ZLINK_SPOT_EVENT_ANOTHER
               && static_cast<int> (reader_event::kind::owner) == ZLINK_SPOT_EVENT_OWNER);
static_assert (static_cast<int> (service::read_from::now) == ZLINK_SPOT_FROM_NOW
               && static_cast<int> (service::read_from::last) == ZLINK_SPOT_FROM_LAST
               && static_cast<int> (service::read_from::sequence) == ZLINK_SPOT_FROM_SEQUENCE);

result<void *> open_reader (void *node, const char *topic, int from, std::uint64_t value)
{
    std::shared_ptr<node_object> of = held<node_object> (node, handle_kind::spot_node);
    if (of == nullptr)
        return errc::bad_address;
    const std::shared_ptr<spot_partitions> parts = known_parts_of (*of);
    if (parts == nullptr || from < ZLINK_SPOT_FROM_NOW || from > ZLINK_SPOT_FROM_SEQUENCE)
        return errc::invalid_argument;
    std::size_t room = 0;
    {
        const holding guard (of->lock);
        room = of->partitioned.reader_room;
    }
    auto reads = parts->subscribe (text_of (topic), static_cast<service::read_from> (from), value, room);
    if (!reads)
        return reads.failure ();
    void *const handle = open_service (
      handle_kind::spot_reader, std::make_shared<reader_object> (std::move (of), std::move (reads.value ())));
    return handle == nullptr ? result<void *> (errc::no_memory) : handle;
}

// A registry, or one of ours in front of a store.
result<void> add_grantor_to (node_object &of, spot_partitions &parts, std::string_view endpoint)
{
    if (!is_store_url (endpoint))
        return parts.add_grantor (endpoint);
    const result<stored_registries::entry> found = of.in->stored->find_or_open (*of.in, endpoint);
    return found ? parts.add_grantor (found.value ().endpoint) : found.failure ();
}

}  // namespace

std::shared_ptr<spot_partitions> known_parts_of (node_object &of)
{
    const holding guard (of.lock);
    return of.parts;
}

result<std::shared_ptr<spot_partitions>> parts_of (node_object &of)
{
    const holding guard (of.lock);
    if (of.closed)
        return errc::terminated;
    if (of.parts == nullptr) {
        auto made = spot_partitions::open (of.in->world, of.context, of.in->loop, of.is);
        if (!made)
            return made.failure ();
        of.parts = std::move (made.value ());
        if (const result<void> set = set_before_use (of, *of.parts); !set) {
            of.parts->close ();  // nothing is asked for in the clear
            return set.failure ();
        }
    }
    return of.parts;
}

bool set_partition_option (node_object &of, int option, int value) noexcept
{
    const holding guard (of.lock);
    if (option == ZLINK_SPOT_NODE_OPT_OWNS && (value == 0 || value == 1)) {
        of.partitioned.may_own = value == 1;
        return true;
    }
    if (value < 1)
        return false;
    const auto number = static_cast<std::size_t> (value);
    switch (option) {
    case ZLINK_SPOT_NODE_OPT_RING_MESSAGES:
        of.partitioned.ring.entries_max = number;
        return true;
    case ZLINK_SPOT_NODE_OPT_RING_BYTES:
        of.partitioned.ring.bytes_max = number;
        return true;
    case ZLINK_SPOT_NODE_OPT_READER_HWM:
        of.partitioned.reader_room = number;
        return true;
    default:
        return false;
    }
}

int spot_node_add_grantor (void *node, const char *endpoint) noexcept
{
    return with_node (node, [&] (node_object &of) {
        if (endpoint == nullptr)
            return failed (errc::invalid_argument);
        const auto parts = parts_of (of);
        return parts ? answer (add_grantor_to (of, *parts.value (), endpoint)) : failed (parts.failure ());
    });
}

int spot_node_declare (void *node, const char *topic, std::uint32_t partitions) noexcept
{
    return with_node (node, [&] (node_object &of) {
        const auto parts = parts_of (of);
        if (!parts)
            return failed (parts.failure ());
        partition_options options;
        {
            const holding guard (of.lock);
            options = of.partitioned;
        }
        return answer (parts.value ()->declare (
          text_of (topic), {.partitions = partitions, .may_own = options.may_own, .bounds = options.ring}));
    });
}

int spot_node_partition (void *node,
                         const char *topic,
                         std::uint32_t partition,
                         zlink_spot_partition_t *state) noexcept
{
    return with_node (node, [&] (node_object &of) {
        if (state == nullptr)
            return failed (errc::bad_address);
        if (state->size != sizeof *state)
            return failed (errc::invalid_argument);
        const std::shared_ptr<spot_partitions> parts = known_parts_of (of);
        if (parts == nullptr)
            return failed (errc::no_such_endpoint);
        const auto found = parts->state (text_of (topic), partition);
        if (!found)
            return failed (found.failure ());
        const service::partition_state &now = found.value ();
        *state = {.size = sizeof *state,
                  .node = of.is->id (),
                  .owner = now.owner,
                  .epoch = now.of.number,
                  .epoch_id = now.of.id,
                  .last = now.tail,
                  .under_way = now.under_way,
                  .owned_here = now.owned_here,
                  .reserved = 0};
        return 0;
    });
}

int spot_pub_send_key (void *pub,
                       const char *topic,
                       base::bytes_view key,
                       base::bytes_view body,
                       zlink_spot_place_t *place,
                       int timeout_ms) noexcept
{
    return with_pub (pub, [&] (pub_object &by) {
        if ((key.data () == nullptr && !key.empty ()) || (body.data () == nullptr && !body.empty ()))
            return failed (errc::bad_address);
        if (place != nullptr && place->size != sizeof *place)
            return failed (errc::invalid_argument);
        const std::shared_ptr<spot_partitions> parts = known_parts_of (*by.of);
        if (parts == nullptr)
            return failed (errc::invalid_argument);
        const auto done =
          parts->publish (text_of (topic), base::as_text (key), body, deadline_in (*by.of, timeout_ms));
        if (const int bad = number_of (done); bad != 0) {
            errno = bad;
            return -1;
        }
        if (place != nullptr)
            *place = place_of (done.value ());
        return 0;
    });
}

int spot_pub_send_key_async (void *pub,
                             const char *topic,
                             base::bytes_view key,
                             base::bytes_view body,
                             int timeout_ms,
                             zlink_spot_place_fn *handler,
                             void *hint) noexcept
{
    return with_pub (pub, [&] (pub_object &by) {
        if (handler == nullptr || (key.data () == nullptr && !key.empty ())
            || (body.data () == nullptr && !body.empty ()))
            return failed (errc::bad_address);
        const std::shared_ptr<spot_partitions> parts = known_parts_of (*by.of);
        if (parts == nullptr)
            return failed (errc::invalid_argument);
        return answer (parts->publish_async (
          text_of (topic), base::as_text (key), body, deadline_in (*by.of, timeout_ms),
          [handler, hint] (const result<publish_outcome> &done) {
              const int bad = number_of (done);
              const zlink_spot_place_t place = bad == 0 ? place_of (done.value ()) : zlink_spot_place_t{};
              handler (bad, bad == 0 ? &place : nullptr, hint);
          }));
    });
}

void *spot_reader_new (void *node, const char *topic, int from, std::uint64_t value) noexcept
{
    return opened_handle ([&] { return open_reader (node, topic, from, value); });
}

int spot_reader_next (void *reader, zlink_spot_event_t *event, int timeout_ms) noexcept
{
    return with_held<reader_object> (reader, handle_kind::spot_reader, [&] (reader_object &of) {
        if (event == nullptr)
            return failed (errc::bad_address);
        if (event->size != sizeof *event)
            return failed (errc::invalid_argument);
        if (of.busy.exchange (true)) {
            errno = of.handled.load () ? EINVAL : EBUSY;
            return -1;
        }
        const result<void> came = of.is->receive (of.got, deadline_in (*of.of, timeout_ms));
        if (came.ok ())
            *event = event_of (of.got);
        of.busy.store (false);
        return came.code () == errc::timed_out ? failed (errc::would_block) : answer (came);
    });
}

int spot_reader_descriptor (void *reader, zlink_fd_t *descriptor) noexcept
{
    return with_held<reader_object> (reader, handle_kind::spot_reader, [&] (reader_object &of) {
        return answer_descriptor (*of.is, descriptor);
    });
}

int spot_reader_set_handler (void *reader, zlink_spot_reader_handler_fn *handler, void *hint) noexcept
{
    return with_held<reader_object> (reader, handle_kind::spot_reader, [&] (reader_object &of) {
        const holding one (of.handler_lock);
        if (of.handled.exchange (false)) {
            of.is->stop_handler ();
            of.busy.store (false);
        }
        if (handler == nullptr)
            return 0;
        if (of.busy.exchange (true)) {
            errno = EBUSY;
            return -1;
        }
        const result<void> started = of.is->start_handler ([handler, hint] (const ordered_event &got) {
            const zlink_spot_event_t event = event_of (got);
            handler (&event, hint);
        });
        of.handled.store (started.ok ());
        of.busy.store (started.ok ());
        return answer (started);
    });
}

int spot_reader_destroy (void **reader) noexcept
{
    return destroy_service (reader, handle_kind::spot_reader);
}

}  // namespace zlink::api

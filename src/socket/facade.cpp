#include "socket/facade.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/lasting.hpp"
#include "base/lock.hpp"
#include "engine/forked.hpp"
#include "engine/keys.hpp"
#include "socket/entries.hpp"
#include "socket/patterns.hpp"
#include "socket/poll_look.hpp"

namespace zlink::socket {

using base::errc;
using base::result;
using engine::socket_core;

namespace {

// Entries by record; the lock is a leaf and not on the per-message path.
struct entry_table
{
    base::exchange_lock lock;
    std::array<std::shared_ptr<void>, handles_max> entries;
};

constinit base::lasting<entry_table> table;

// In a forked child: lets go of a handle of the parent's. False when it is none.
bool release_parents (void *handle, handle_kind kind) noexcept
{
    handle_record *const record = find_handle (handle, kind);
    return record != nullptr && retire_handle (*record, kind);
}

// STREAM, and a ROUTER that is to be like one.
void speak (const socket_options &from, header made_by, int type, engine::settings &to)
{
    const bool streams = type == static_cast<int> (socket_type::stream);
    if (!streams && !from.router_raw)
        return;
    to.speaks = streams && !from.stream_raw ? wire::framing::packets : wire::framing::raw;
    to.short_names = streams && made_by == header::zlink;
    to.mandatory = to.mandatory || streams;
    to.notify_connect = to.notify_disconnect = !streams || from.stream_notify;
}

engine::settings settings_of (const socket_options &from, header made_by, int type)
{
    engine::settings to;
    to.send_hwm = from.send_hwm;
    to.receive_hwm = from.receive_hwm;
    to.send_hwm_bytes = from.send_hwm_bytes;
    to.receive_hwm_bytes = from.receive_hwm_bytes;
    to.linger_ms = from.linger_ms;
    to.reconnect_ms = from.reconnect_ms;
    to.reconnect_max_ms = from.reconnect_max_ms;
    to.handshake_ms = from.handshake_ms;
    to.connect_timeout_ms = from.connect_timeout_ms;
    to.heartbeat_ms = from.heartbeat_interval_ms;
    to.heartbeat_timeout_ms = from.heartbeat_timeout_ms;
    to.heartbeat_ttl_ms = from.heartbeat_ttl_ms;
    to.message_bytes_max = from.max_message_bytes;
    to.send_timeout_ms = from.send_timeout_ms;
    to.receive_timeout_ms = from.receive_timeout_ms;
    constexpr int batch_default_bytes = 8192;  // the headers' default: our own choice
    if (from.out_batch_bytes != batch_default_bytes)
        to.arena_bytes = static_cast<std::size_t> (from.out_batch_bytes);
    if (from.in_batch_bytes != batch_default_bytes)
        to.slab_bytes = static_cast<std::size_t> (from.in_batch_bytes);
    to.immediate = from.immediate;
    to.conflate = from.conflate;
    to.adaptive_spin = from.adaptive_spin;
    to.full_jitter = made_by == header::zlink;
    to.connect_once = connects_once (made_by, type);
    to.affinity = from.affinity;
    to.routing_id = from.routing_id;
    to.connect_name = from.connect_routing_id;
    to.mandatory = from.router_mandatory || numbers_peers (type);
    to.handover = from.router_handover;
    to.notify_connect = (from.router_notify & 1) != 0;
    to.notify_disconnect = (from.router_notify & 2) != 0;
    to.recall = (from.router_notify & 4) != 0;
    to.probe = from.probe_router;
    to.verbose_topics = from.xpub_verbose || from.xpub_verboser;
    to.verbose_cancels = from.xpub_verboser || from.xsub_verbose_unsubscribe;
    to.wants_gaps = from.report_gaps;
    to.slow = static_cast<engine::slow_rule> (from.slow_consumer);
    to.no_drop = from.xpub_no_drop || to.slow == engine::slow_rule::block;
    to.first_topic_only = from.only_first_subscribe;
    to.topics_per_peer = from.topics_max;
    to.topic_bytes_per_peer = from.topic_bytes_max;
    to.last_values = from.last_values;
    to.last_value_bytes = from.last_value_bytes;
    to.invert_matching = from.invert_matching;
    to.welcome = from.welcome;
    to.manual_topics = from.xpub_manual || from.xpub_manual_last_value;
    to.last_asker_only = from.xpub_manual_last_value;
    to.hello = from.hello;
    to.peer_gone = from.disconnect_msg;
    to.peer_again = from.hiccup_msg;
    to.stop_at_refusal = (from.reconnect_stop & 1) != 0;
    to.stop_at_handshake = (from.reconnect_stop & 2) != 0;
    to.properties = from.properties;
    to.correlate = from.req_correlate;
    to.relaxed = from.req_relaxed;
    to.secured = from.secured;
    speak (from, made_by, type, to);
    to.stream = from.stream;
    to.stream.dial_both_families = made_by == header::zlink;
    return to;
}

// What zlink.h's sockets call themselves unless they are told: 16 bytes, the
// first of which is not zero.
std::string random_routing_id (base::random &dice)
{
    std::string name;
    for (unsigned i = 0; i < 16; i += 8)
        for (std::uint64_t bits = dice.next (), k = 0; k < 8; ++k, bits >>= 8)
            name.push_back (static_cast<char> (bits & 255));
    name[0] = static_cast<char> (name[0] | 1);
    return name;
}

// Options that live in the socket.
class live final : public live_values
{
  public:
    explicit live (target of) noexcept : of_ (of) {}
    bool receive_more () override
    {
        bool more = false;
        (void)of_.slot->with (of_.generation, [&more] (socket_core &self) -> result<void> {
            more = self.receive_more ();
            return {};
        });
        return more;
    }
    result<int> descriptor () override { return of_.slot->event_handle (of_.generation); }
    result<unsigned> events () override { return of_.slot->events (of_.generation, true); }
    result<int> topics () override
    {
        const result<std::size_t> count = of_.slot->topics_count (of_.generation);
        if (!count.ok ())
            return count.failure ();
        return static_cast<int> (std::min<std::size_t> (count.value (), INT_MAX));
    }
    std::string last_endpoint () override
    {
        std::string text;
        (void)of_.slot->with (of_.generation, [&text] (socket_core &self) -> result<void> {
            text = self.last_endpoint ();
            return {};
        });
        return text;
    }

  private:
    target of_;
};

}  // namespace

bool set_entry (const handle_record &record, std::shared_ptr<void> entry) noexcept
{
    entry_table *const all = table.get ();
    if (all == nullptr)
        return false;
    {
        const base::locked hold (all->lock);
        all->entries[handle_index (record)].swap (entry);
    }
    return true;
}

std::shared_ptr<void> find_entry (void *handle, handle_kind kind) noexcept
{
    handle_record *const record = find_handle (handle, kind);
    if (record == nullptr)
        return nullptr;
    entry_table *const all = table.get ();
    if (all == nullptr)
        return nullptr;
    const base::locked hold (all->lock);
    return all->entries[handle_index (*record)];
}

void forsake_parent () noexcept
{
    disown_handles ();
    table.forsake ();
    engine::forsake_parent ();
}

// --- contexts ----------------------------------------------------------------------

result<void *> context_open (base::world &world, header made_by, std::shared_ptr<void> keep_alive)
try {
    auto entry = std::make_shared<context_entry> ();
    entry->core = std::make_shared<engine::context> (world, std::move (keep_alive));
    entry->options = initial_context_options (made_by);
    const result<handle_record *> record = make_handle (handle_kind::context, entry.get (), 0);
    if (!record.ok ())
        return record.failure ();
    if (!set_entry (*record.value (), std::move (entry))) {
        (void)retire_handle (*record.value (), handle_kind::context);
        return errc::no_memory;
    }
    return static_cast<void *> (record.value ());
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

bool is_context (void *context) noexcept { return find_handle (context, handle_kind::context) != nullptr; }

result<void> context_shutdown (void *context)
{
    if (find_handle (context, handle_kind::parents_context) != nullptr)
        return {};  // it is
    const auto entry = context_of (context);
    if (entry == nullptr)
        return errc::bad_address;
    entry->core->shutdown ();
    return {};
}

result<void> context_terminate (void *context, base::time_ns deadline)
{
    if (release_parents (context, handle_kind::parents_context))
        return {};
    auto entry = context_of (context);
    if (entry == nullptr)
        return errc::bad_address;
    if (const result<void> done = entry->core->terminate (deadline); !done.ok ())
        return done;
    handle_record *const record = find_handle (context, handle_kind::context);
    if (record == nullptr || !retire_handle (*record, handle_kind::context))
        return errc::bad_address;
    (void)set_entry (*record, nullptr);
    return {};
}

result<void> context_set (void *context, int number, int value)
{
    const auto entry = context_of (context);
    if (entry == nullptr)
        return why_not_found (context, errc::bad_address);
    const base::locked hold (entry->lock);
    return set_option (entry->options, number, &value, sizeof value);
}

result<int> context_get (void *context, int number)
{
    const auto entry = context_of (context);
    if (entry == nullptr)
        return why_not_found (context, errc::bad_address);
    const base::locked hold (entry->lock);
    int value = 0;
    std::size_t size = sizeof value;
    const result<void> got = get_option (entry->options, number, &value, &size);
    if (!got.ok ())
        return got.failure ();
    return value;
}

result<void> context_set_bytes (void *context, int number, const void *value, std::size_t size)
{
    const auto entry = context_of (context);
    if (entry == nullptr)
        return why_not_found (context, errc::bad_address);
    const base::locked hold (entry->lock);
    return set_option (entry->options, number, value, size);
}

result<void> context_get_bytes (void *context, int number, void *value, std::size_t *size)
{
    const auto entry = context_of (context);
    if (entry == nullptr)
        return why_not_found (context, errc::bad_address);
    const base::locked hold (entry->lock);
    return get_option (entry->options, number, value, size);
}

// --- sockets -----------------------------------------------------------------------

result<void *> open (void *context, int type)
{
    const auto entry = context_of (context);
    return entry == nullptr ? result<void *> (why_not_found (context, errc::bad_address))
                            : open_in (entry, type);
}

result<void *> open_in (const std::shared_ptr<context_entry> &entry, int type)
try {
    if (entry->core->terminating ())
        return errc::terminated;
    const engine::pattern_traits *const traits = find_pattern (type);
    if (traits == nullptr)
        return errc::invalid_argument;
    auto fresh = std::make_shared<socket_entry> ();
    fresh->context = entry;
    unsigned sockets_max = 0;
    {
        const base::locked hold (entry->lock);
        fresh->options = initial_options (entry->options, type);
        fresh->made_by = entry->options.made_by;
        fresh->type = type;
        if (fresh->made_by == header::zlink && sends_routing_id (type))
            fresh->options.routing_id = random_routing_id (entry->core->world.dice);
        sockets_max = static_cast<unsigned> (entry->options.max_sockets);
        base::thread_options threads;
        threads.name = entry->options.thread_name_prefix;
        threads.priority = entry->options.thread_priority;
        threads.policy = entry->options.thread_policy;
        threads.cpus = entry->options.thread_cpus;
        entry->core->set_threads (static_cast<unsigned> (entry->options.io_threads), std::move (threads));
        entry->core->set_budget (std::int64_t{entry->options.budget_kib} * 1024);
    }
    const result<engine::socket_ref> made =
      socket_core::create (entry->core, *traits, settings_of (fresh->options, fresh->made_by, type));
    if (!made.ok ())
        return made.failure ();
    const engine::socket_ref socket = made.value ();
    const result<handle_record *> record = make_handle (handle_kind::socket, socket.slot, socket.generation);
    const result<void> admitted =
      record.ok () ? entry->core->admit (socket, sockets_max) : result<void> (record.failure ());
    if (!admitted.ok ()) {
        if (record.ok ())
            retire_handle (*record.value (), handle_kind::socket);
        (void)socket.slot->close (socket.generation);
        return admitted.failure ();
    }
    (void)set_entry (*record.value (), std::move (fresh));  // its context's is there already
    return static_cast<void *> (record.value ());
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> close (void *socket)
{
    if (release_parents (socket, handle_kind::parents_socket))
        return {};
    handle_record *const record = find_handle (socket, handle_kind::socket);
    if (record == nullptr)
        return errc::not_a_socket;
    const target to = resolve (socket);
    if (!retire_handle (*record, handle_kind::socket))
        return errc::not_a_socket;
    (void)set_entry (*record, nullptr);
    return to.slot->close (to.generation);
}

namespace {

// CONNECT_ROUTING_ID is for one connection.
void spend_connect_name (void *socket)
{
    const auto entry = entry_of<socket_entry> (socket, handle_kind::socket);
    if (entry == nullptr)
        return;
    const base::locked hold (entry->lock);
    entry->options.connect_routing_id.clear ();
}

}  // namespace

result<void> bind (void *socket, std::string_view endpoint)
{
    return with_target (socket,
                        [&] (socket_core &to, std::uint32_t life) { return to.bind (life, endpoint); });
}

result<void> connect (void *socket, std::string_view endpoint)
{
    const result<void> outcome =
      with_target (socket, [&] (socket_core &to, std::uint32_t life) { return to.connect (life, endpoint); });
    if (outcome.ok ())
        spend_connect_name (socket);
    return outcome;
}

result<std::uint32_t> connect_peer (void *socket, std::string_view endpoint)
{
    return with_target (
      socket, [&] (socket_core &to, std::uint32_t life) { return to.connect_peer (life, endpoint); });
}

result<void> disconnect_peer (void *socket, std::uint32_t number)
{
    return with_target (
      socket, [&] (socket_core &to, std::uint32_t life) { return to.disconnect_peer (life, number); });
}

result<void> disconnect_peer (void *socket, base::bytes_view name)
{
    return with_target (socket, [&] (socket_core &to, std::uint32_t life) {
        return to.disconnect_peer (life, base::as_text (name));
    });
}

result<void> join (void *socket, std::string_view group)
{
    return with_target (socket, [&] (socket_core &to, std::uint32_t life) { return to.join (life, group); });
}

result<void> leave (void *socket, std::string_view group)
{
    return with_target (socket, [&] (socket_core &to, std::uint32_t life) { return to.leave (life, group); });
}

result<void> unbind (void *socket, std::string_view endpoint)
{
    return with_target (socket,
                        [&] (socket_core &to, std::uint32_t life) { return to.unbind (life, endpoint); });
}

result<void> disconnect (void *socket, std::string_view endpoint)
{
    return with_target (socket,
                        [&] (socket_core &to, std::uint32_t life) { return to.disconnect (life, endpoint); });
}

namespace {

result<void> act (const target &on, option_action what, base::bytes_view topic)
{
    switch (what) {
    case option_action::subscribe:
        return on.slot->subscribe (on.generation, topic);
    case option_action::unsubscribe:
        return on.slot->unsubscribe (on.generation, topic);
    case option_action::subscribe_pattern:
        return on.slot->subscribe_pattern (on.generation, topic);
    case option_action::unsubscribe_pattern:
        return on.slot->unsubscribe_pattern (on.generation, topic);
    case option_action::allow_passwords:
        return on.slot->allow_passwords (on.generation, topic);
    default:
        return on.slot->allow_keys (on.generation, topic);
    }
}

}  // namespace

result<void> set_option (void *socket, int number, const void *value, std::size_t size)
try {
    const auto entry = entry_of<socket_entry> (socket, handle_kind::socket);
    const target to = resolve (socket);
    if (entry == nullptr || to.slot == nullptr)
        return why_not_found (socket, errc::not_a_socket);
    std::unique_lock hold (entry->lock);
    socket_options changed = entry->options;  // in place of the old ones when all has gone well
    result<void> set = set_option (changed, entry->made_by, entry->type, number, value, size);
    if (!set.ok ())
        return set;
    const option_rule *const row = find_option (entry->made_by, number);
    if (const auto *const action = std::get_if<option_action> (&row->field); action != nullptr) {
        hold.unlock ();  // who asks for options need not wait until others are told
        return act (to, *action, {static_cast<const std::byte *> (value), size});
    }
    set = to.slot->configure (to.generation, settings_of (changed, entry->made_by, entry->type));
    if (!set.ok ())
        return set;
    entry->options = std::move (changed);
    if (row->without_effect_on (entry->type))
        to.slot->warn_of_idle_option (to.generation, number);
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> get_option (void *socket, int number, void *value, std::size_t *size)
try {
    const auto entry = entry_of<socket_entry> (socket, handle_kind::socket);
    const target to = resolve (socket);
    if (entry == nullptr || to.slot == nullptr)
        return why_not_found (socket, errc::not_a_socket);
    // The live values take the socket's lock, not the entry's.
    const option_rule *const row = find_option (entry->made_by, number);
    socket_options copy;
    const live_value *const lives = row == nullptr ? nullptr : std::get_if<live_value> (&row->field);
    if (lives == nullptr || *lives == live_value::mechanism) {
        const base::locked hold (entry->lock);
        copy = entry->options;
    }
    // Where no peer says its name ROUTING_ID tells what name was made last.
    if (entry->type == static_cast<int> (socket_type::stream))
        (void)to.slot->with (to.generation, [&copy] (socket_core &self) -> result<void> {
            if (!self.made_name ().empty ())
                copy.routing_id = self.made_name ();
            return {};
        });
    live from (to);
    return get_option (copy, from, entry->made_by, entry->type, number, value, size);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<bool> peer_has_room (void *socket, base::bytes_view name)
{
    return with_target (socket, [&] (socket_core &to, std::uint32_t life) {
        return to.peer_has_room (life, base::as_text (name));
    });
}

// --- traffic -----------------------------------------------------------------------

namespace {

// A call that answers a count, on whatever the handle stands for. Inline: it
// runs per message.
template <class Call> inline io_count on (void *socket, Call call) noexcept
{
    handle_record *const record = find_handle (socket, handle_kind::socket);
    if (record == nullptr) [[unlikely]]
        return why_not_found (socket, errc::not_a_socket);
    return call (*static_cast<socket_core *> (record->target.load (std::memory_order_relaxed)),
                 record->generation.load (std::memory_order_relaxed));
}

}  // namespace

io_count send (void *socket, base::bytes_view part, unsigned flags) noexcept
{
    return on (socket, [&] (socket_core &to, std::uint32_t life) { return to.send (life, part, flags); });
}

io_count send_constant (void *socket, base::bytes_view part, unsigned flags) noexcept
{
    return on (socket,
               [&] (socket_core &to, std::uint32_t life) { return to.send_constant (life, part, flags); });
}

io_count send (void *socket, base::message &part, unsigned flags) noexcept
{
    return on (socket, [&] (socket_core &to, std::uint32_t life) { return to.send (life, part, flags); });
}

io_count receive (void *socket, base::bytes_span buffer, unsigned flags) noexcept
{
    return on (socket,
               [&] (socket_core &to, std::uint32_t life) { return to.receive (life, buffer, flags); });
}

io_count receive (void *socket, base::message &part, unsigned flags) noexcept
{
    return on (socket, [&] (socket_core &to, std::uint32_t life) { return to.receive (life, part, flags); });
}

io_count send_parts (void *socket, std::span<base::message> parts, unsigned flags) noexcept
{
    return on (socket,
               [&] (socket_core &to, std::uint32_t life) { return to.send_parts (life, parts, flags); });
}

io_count
receive_parts (void *socket, std::span<base::message> parts, unsigned flags, std::size_t *needed) noexcept
{
    return on (socket, [&] (socket_core &to, std::uint32_t life) {
        return to.receive_parts (life, parts, flags, needed);
    });
}

io_count receive_parts_until (void *socket,
                              std::span<base::message> parts,
                              std::size_t *needed,
                              base::time_ns deadline) noexcept
{
    return on (socket, [&] (socket_core &to, std::uint32_t life) {
        return to.receive_parts (life, parts, 0, needed, deadline);
    });
}

io_count send_headed (void *socket,
                      base::bytes_view name,
                      base::bytes_view head,
                      std::span<const base::message> parts,
                      bool more_follow) noexcept
{
    return on (socket, [&] (socket_core &to, std::uint32_t life) {
        return to.send_headed (life, base::as_text (name), head, parts, more_follow);
    });
}

io_count send_headed (void *socket,
                      base::bytes_view name,
                      base::bytes_view head,
                      base::bytes_view body,
                      bool more_follow) noexcept
{
    return on (socket, [&] (socket_core &to, std::uint32_t life) {
        return to.send_headed (life, base::as_text (name), head, body, more_follow);
    });
}

result<void> prepare_headed (void *socket, base::prepared_head *what) noexcept
{
    return on (socket,
               [&] (socket_core &by, std::uint32_t life) -> io_count {
                   const errc answer = by.prepare_headed (life, what);
                   return answer == errc::ok ? io_count::of (0) : io_count (answer);
               })
      .code ();
}

io_count send_prepared (void *socket, const char *key, base::bytes_view body) noexcept
{
    return on (socket,
               [&] (socket_core &to, std::uint32_t life) { return to.send_prepared (life, key, body); });
}

void flush_own_tails () noexcept { socket_core::flush_left_tails (); }

io_count
receive_headed (void *socket, std::span<base::headed_message> messages, base::time_ns deadline) noexcept
{
    return on (socket, [&] (socket_core &from, std::uint32_t life) {
        return from.receive_headed (life, messages, deadline);
    });
}

std::uint64_t unread_bytes (void *socket) noexcept
{
    std::uint64_t bytes = 0;
    (void)on (socket, [&] (socket_core &from, std::uint32_t life) -> io_count {
        bytes = from.unread_bytes (life);
        return io_count::of (0);
    });
    return bytes;
}

standing where_stands (void *socket) noexcept
{
    const target found = resolve (socket);
    return {found.slot, found.generation};
}

io_count send_joined (const standing &socket, const base::joined_part &what) noexcept
{
    return static_cast<socket_core *> (socket.at)->send_joined (socket.life, what);
}

io_count send_many (void *socket, std::span<base::message> messages, unsigned flags) noexcept
{
    return on (socket,
               [&] (socket_core &to, std::uint32_t life) { return to.send_many (life, messages, flags); });
}

io_count receive_many (void *socket, std::span<base::message> messages, unsigned flags) noexcept
{
    return on (socket,
               [&] (socket_core &to, std::uint32_t life) { return to.receive_many (life, messages, flags); });
}

io_count send_packed (void *socket,
                      base::bytes_view bytes,
                      std::span<const std::uint32_t> sizes,
                      unsigned flags) noexcept
{
    return on (socket, [&] (socket_core &to, std::uint32_t life) {
        return to.send_packed (life, bytes, sizes, flags);
    });
}

io_count receive_packed (void *socket,
                         base::bytes_span buffer,
                         std::span<std::uint32_t> sizes,
                         unsigned flags) noexcept
{
    return on (socket, [&] (socket_core &to, std::uint32_t life) {
        return to.receive_packed (life, buffer, sizes, flags);
    });
}

io_count receive_placed (void *socket, base::placed_parts &to, unsigned flags) noexcept
{
    return on (socket,
               [&] (socket_core &from, std::uint32_t life) { return from.receive_placed (life, to, flags); });
}

// --- polling -----------------------------------------------------------------------

namespace {

// Watches every socket of a poll for the length of the call.
class watch_list
{
  public:
    watch_list (base::world &world, std::span<poll_item> items) noexcept : world_ (world), items_ (items) {}
    ~watch_list ()
    {
        if (watcher_ != nullptr)
            for (const poll_item &each : items_)
                if (each.socket != nullptr)
                    unwatch (each.socket, watcher_);
    }
    watch_list (const watch_list &) = delete;
    watch_list &operator= (const watch_list &) = delete;

    // One look at everything, without waiting.
    result<std::size_t> look () noexcept { return look_at_all (items_); }

    // Looks once more, this time asking to be woken, and waits.
    result<std::size_t> wait (base::time_ns timeout_ns, base::signal_mask mask)
    {
        if (watcher_ == nullptr) {
            result<std::unique_ptr<base::poller>> made = world_.pollers.make ();
            if (!made.ok ())
                return made.failure ();
            watcher_ = std::move (made).value ();
        }
        // The watcher, then the plain handles in their order, then what wakes
        // for the sockets.
        entries_.clear ();
        entries_.push_back ({watcher_->handle (), base::interest_read, 0});
        for (const poll_item &each : items_)
            if (each.socket == nullptr)
                entries_.push_back ({each.handle, kernel_interest_of (each), 0});
        for (const poll_item &each : items_) {
            if (each.socket == nullptr)
                continue;
            base::io_handle kernel = base::no_handle;
            const result<unsigned> now = watch (each.socket, watcher_, kernel);
            if (!now.ok ())
                return now.failure ();
            if ((now.value () & each.interest) != 0) {
                timeout_ns = 0;
                mask = {};
            }
            if (kernel != base::no_handle && (each.interest & event_in) != 0)
                entries_.push_back ({kernel, base::interest_read, 0});
        }
        if (timeout_ns != 0)
            socket_core::flush_left_tails ();
        const result<std::size_t> woken = world_.pollers.wait_list (entries_, timeout_ns, mask);
        std::array<base::poll_event, 8> drained;
        (void)watcher_->wait (drained, 0);
        return woken;
    }

    // The plain handles' part of the answer.
    std::size_t take_handles () noexcept
    {
        std::size_t found = 0;
        std::size_t at = 1;
        for (poll_item &each : items_) {
            if (each.socket != nullptr)
                continue;
            each.ready = ready_bits_of (each, entries_[at++].ready);
            found += each.ready != 0;
        }
        return found;
    }

  private:
    base::world &world_;
    std::span<poll_item> items_;
    std::shared_ptr<base::poller> watcher_;
    std::vector<base::poll_entry> entries_;
};

// Waits until something is ready or the deadline has passed.
result<std::size_t>
wait_for_any (base::world &world, watch_list &list, base::time_ns deadline, base::signal_mask mask)
{
    for (;;) {
        const base::time_ns left = time_left (world, deadline);
        const result<std::size_t> woken = list.wait (left, mask);
        if (!woken.ok ())
            return woken;
        const result<std::size_t> sockets = list.look ();
        if (!sockets.ok ())
            return sockets;
        const std::size_t found = sockets.value () + list.take_handles ();
        if (found > 0 || left == 0)
            return found;
    }
}

}  // namespace

result<std::size_t>
poll (base::world &world, std::span<poll_item> items, std::int64_t timeout_ms, base::signal_mask mask)
try {
    watch_list list (world, items);
    const bool only_sockets =
      std::ranges::none_of (items, [] (const poll_item &each) { return each.socket == nullptr; });
    const result<std::size_t> first = list.look ();
    if (!first.ok ())
        return first;
    const bool masked = mask.platform_set != nullptr;
    if (only_sockets && (first.value () > 0 || (timeout_ms == 0 && !masked)))
        return first;
    const bool over = first.value () > 0;
    return wait_for_any (world, list, poll_deadline (world, over ? 0 : timeout_ms),
                         over ? base::signal_mask{} : mask);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<unsigned>
watch (void *socket, const std::shared_ptr<base::watcher> &watcher, base::io_handle &kernel, bool for_room)
{
    kernel = base::no_handle;
    return with_target (socket, [&] (socket_core &to, std::uint32_t life) {
        return to.watch (life, watcher, kernel, for_room);
    });
}

void unwatch (void *socket, const std::shared_ptr<base::watcher> &watcher)
{
    if (const target to = resolve (socket); to.slot != nullptr)
        to.slot->unwatch (to.generation, watcher);
}

// --- about sockets -----------------------------------------------------------------

result<endpoint_status> status (void *socket, std::string_view endpoint)
{
    const target to = resolve (socket);
    if (to.slot == nullptr)
        return why_not_found (socket, errc::not_a_socket);
    const result<engine::endpoint_report> found = to.slot->report (to.generation, endpoint);
    if (!found.ok ())
        return found.failure ();
    const engine::endpoint_report &from = found.value ();
    return endpoint_status{from.is_listener, from.connected, from.attempts, from.last_reason, from.os_error};
}

namespace {

result<void> wait_for (void *socket, socket_core::awaited what, unsigned count, base::time_ns timeout_ns)
{
    return with_target (socket, [&] (socket_core &to, std::uint32_t life) {
        return to.wait_peers (life, what, count, timeout_ns);
    });
}

}  // namespace

result<void> wait_peers (void *socket, unsigned count, base::time_ns timeout_ns)
{
    return wait_for (socket, socket_core::awaited::peers, count, timeout_ns);
}

result<void> wait_subscribers (void *socket, unsigned count, base::time_ns timeout_ns)
{
    return wait_for (socket, socket_core::awaited::subscribers, count, timeout_ns);
}

result<void> wait_subscribed (void *socket, unsigned count, base::time_ns timeout_ns)
{
    return wait_for (socket, socket_core::awaited::listeners, count, timeout_ns);
}

result<counters> statistics (void *socket)
{
    return with_target (socket, [] (socket_core &to, std::uint32_t life) { return to.counters (life); });
}

result<void> judge_by (void *socket, std::shared_ptr<const policy> whom)
{
    return with_target (
      socket, [&] (socket_core &to, std::uint32_t life) { return to.judge_by (life, std::move (whom)); });
}

bool has_curve () noexcept { return engine::knows_mechanism (engine::mechanism_kind::curve); }

result<void> make_key_pair (base::entropy &from, base::public_key &open, base::secret_key &secret) noexcept
{
    return engine::make_key_pair (from, open, secret);
}

result<base::public_key> public_key_of (const base::secret_key &secret) noexcept
{
    return engine::public_key_of (secret);
}

result<void> hash_password (base::entropy &from, base::bytes_view password, password_hash &to) noexcept
{
    return engine::hash_password (from, password, to);
}

}  // namespace zlink::socket

#include "service/spot_node.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <tuple>
#include <utility>

#include "service/option_numbers.hpp"
#include "service/spot_listener.hpp"

namespace zlink::service {

using base::errc;
using base::result;

namespace {

constexpr std::size_t troubles_max = 1024;

// What is told of the subscriber's connections: that they broke, and what they missed.
std::uint64_t number_of_trouble (const socket::event &what) noexcept
{
    return what.kind == socket::event_kind::gap || what.kind == socket::event_kind::lost ? 1 : 0;
}

// The monitor says that there is something in the queue of events.
std::size_t empty_part (const socket::event &, std::span<base::message> parts) noexcept
{
    parts.front ().init ();
    return 1;
}

result<void> set_int (void *socket, int number, int value)
{
    return socket::set_option (socket, number, &value, sizeof value);
}

result<void> subscribe (void *socket, base::bytes_view what)
{
    return socket::set_option (socket, number_of_subscribe, what.data (), what.size ());
}

}  // namespace

spot_node::spot_node (base::world &world, void *context, std::uint64_t id, waiting_lock::word *publish_word)
  : world_ (world), context_ (context), id_ (id), publish_lock_ (world.sleep, publish_word),
    table_lock_ (world.sleep), turn_lock_ (world.sleep), mesh_lock_ (world.sleep), came_ (world.sleep),
    mesh_ (id)
{
    notice_.init ();
}

result<std::shared_ptr<spot_node>> spot_node::open (base::world &world,
                                                    void *context,
                                                    const std::shared_ptr<service_loop> &loop,
                                                    const spot_node_settings &settings) noexcept
try {
    std::uint64_t id = settings.id;
    while (id == 0)
        id = world.dice.next ();
    auto made = std::make_shared<spot_node> (world, context, id, settings.publish_word);
    if (const result<void> opened = made->open_sockets (settings); !opened)
        return opened.failure ();
    if (const result<void> joined = loop->join (made, made->seat_); !joined)
        return joined.failure ();
    made->seat_->wake ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> spot_node::open_sockets (const spot_node_settings &settings)
{
    for (auto [socket, type] : {std::pair{&out_, type_xpub}, std::pair{&in_, type_sub}}) {
        const result<void *> opened = socket::open (context_, type);
        if (!opened)
            return opened.failure ();
        *socket = opened.value ();
        for (const int mark : {socket::number_of_send_hwm, socket::number_of_receive_hwm})
            if (const result<void> set = set_int (*socket, mark, settings.hwm); !set)
                return set;
        if (const result<void> set = set_int (*socket, socket::number_of_linger, farewell_ms); !set)
            return set;
    }
    out_stands_ = socket::where_stands (out_);
    const std::array<std::pair<int, int>, 5> wanted{
      {{number_of_reconnect_ivl_max, registry_reconnect_max_ms},
       {number_of_connect_timeout, spot_heartbeat_ms},
       {number_of_heartbeat_ivl, spot_heartbeat_ms},
       {number_of_heartbeat_ttl, spot_heartbeat_ttl_ms (spot_heartbeat_ms)},
       {number_of_report_gaps, 1}}};
    for (const auto &[number, value] : wanted)
        if (const result<void> set = set_int (in_, number, value); !set)
            return set;
    return listen ();
}

result<void> spot_node::set_subscriber_option (int number, const void *value, std::size_t size) noexcept
{
    if (const result<void> set = socket::set_option (in_, number, value, size); !set)
        return set;
    if (number == number_of_heartbeat_ttl)
        ttl_is_said_.store (true);
    if (number != number_of_heartbeat_ivl || ttl_is_said_.load ())
        return {};
    int interval_ms = 0;
    std::memcpy (&interval_ms, value, sizeof interval_ms);
    return set_int (in_, number_of_heartbeat_ttl, spot_heartbeat_ttl_ms (interval_ms));
}

// To its own, to letters, and to what happens to its connections.
result<void> spot_node::listen ()
{
    const std::string own = "inproc://zlink.spot." + std::to_string (id_);
    const result<void *> events = socket::events_open (world_, in_, troubles_max, number_of_trouble, 1);
    if (!events)
        return events.failure ();
    events_ = events.value ();
    const result<void *> monitor = socket::monitor_open (in_, 1, {number_of_trouble, empty_part});
    if (!monitor)
        return monitor.failure ();
    monitor_ = monitor.value ();
    const auto letters = wire::spot_letter_subject (id_);
    for (const base::bytes_view each : {wire::spot_circular_subject (), base::bytes_view (letters)})
        if (const result<void> asked = subscribe (in_, each); !asked)
            return asked;
    const holding here (mesh_lock_);
    mesh_.own (own);
    if (const result<void> said = say_presence_locked (); !said)
        return said;
    const result<void> bound = socket::bind (out_, own);
    return bound ? socket::connect (in_, own) : bound;
}

spot_node::~spot_node ()
{
    close ();
    notice_.close ();
}

void spot_node::ended () noexcept
{
    over_.store (true);
    const holding table (table_lock_);
    for (spot_subscription *const each : subscriptions_)
        each->end ();
    came_.ring ();
}

void spot_node::close () noexcept
{
    if (closed_.exchange (true))
        return;
    (void)join_by (nullptr, {});
    ended ();
    if (in_ != nullptr) {
        const base::bytes_view own = wire::spot_circular_subject ();
        (void)socket::set_option (in_, number_of_unsubscribe, own.data (), own.size ());
    }
    if (out_ != nullptr)
        (void)post (0, static_cast<std::uint16_t> (wire::spot_letter::farewell), {});
    if (seat_ != nullptr)
        seat_->leave ();
    if (events_ != nullptr)
        (void)socket::events_close (events_);
    for (void *const each : {monitor_, in_, out_})
        if (each != nullptr)
            (void)socket::close (each);
}

void spot_node::extend (std::shared_ptr<spot_extension> by)
{
    {
        const holding here (mesh_lock_);
        for (const std::uint64_t each : mesh_.present ())
            arrivals_.push_back ({.what = spot_mesh::action::kind::came, .node = each});
        extension_ = std::move (by);
        extended_.store (extension_.get (), std::memory_order_release);
    }
    wake ();
}

void spot_node::wake () noexcept { seat_->wake (); }

spot_node_counters spot_node::counters () noexcept
{
    spot_node_counters all;
    {
        const holding table (table_lock_);
        all = counters_;
    }
    const holding here (publish_lock_);
    all.published = number_;
    return all;
}

std::vector<spot_node::wished> spot_node::all_wished ()
{
    std::vector<wished> all;
    {
        const holding table (table_lock_);
        for (const spot_subscription *const each : subscriptions_)
            for (const spot_subscription::wish &wish : each->wishes_)
                all.push_back ({wish.how, wish.what, 1});
    }
    const auto place = [] (const wished &each) { return std::tie (each.how, each.what); };
    std::ranges::sort (all, {}, place);
    std::vector<wished> merged;
    for (wished &each : all)
        if (merged.empty () || place (merged.back ()) != place (each))
            merged.push_back (std::move (each));
        else
            ++merged.back ().count;
    return merged;
}

}  // namespace zlink::service

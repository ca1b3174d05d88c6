// Who else is there: what the loop does for a node, and who is dialled.
#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "service/offered_endpoint.hpp"
#include "service/option_numbers.hpp"
#include "service/spot_listener.hpp"
#include "service/spot_node.hpp"

namespace zlink::service {

using base::bytes_view;
using base::errc;
using base::message;
using base::result;
using base::time_ns;

namespace {

constexpr unsigned notices_per_turn = 4096;
constexpr unsigned batches_per_turn = 64;
constexpr std::size_t endpoint_bytes_max = 1024;

// Nobody elsewhere reaches us there.
bool has_wildcard (std::string_view endpoint) noexcept
{
    const auto has = [endpoint] (std::string_view what) {
        return endpoint.find (what) != std::string_view::npos;
    };
    return has ("://0.0.0.0:") || has ("://[::]:") || has ("://*:");
}

// The same may succeed a little later.
bool is_for_want (errc why) noexcept
{
    return why == errc::no_memory || why == errc::too_many_files || why == errc::no_io_thread;
}

}  // namespace

// --- what the application says ---------------------------------------------------------

// The first that failed of what was to be done.
result<void> spot_node::change_mesh (const std::function<void (spot_mesh &)> &how) noexcept
try {
    const holding here (mesh_lock_);
    if (over_.load ())
        return errc::terminated;
    how (mesh_);
    result<void> done = say_presence_locked ();
    const result<void> acted = act_all_locked ();
    if (done.ok ())
        done = acted;
    seat_->wake ();  // members that are away are looked for
    return done;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// The first that failed. What fails for want of something is left for the next time.
result<void> spot_node::act_all_locked () noexcept
{
    std::vector<spot_mesh::action> all = mesh_.take_actions ();
    result<void> done;
    for (auto at = all.begin (); at != all.end (); ++at) {
        const result<void> one = act_locked (*at);
        if (done.ok () && !one.ok ())
            done = one;
        if (is_for_want (one.code ())) {
            all.erase (all.begin (), at);
            mesh_.give_back (std::move (all));
            break;
        }
    }
    return done;
}

result<void> spot_node::act_locked (const spot_mesh::action &what) noexcept
try {
    using kind = spot_mesh::action::kind;
    switch (what.what) {
    case kind::dial:
        return socket::connect (in_, what.endpoint);
    case kind::hang_up:
        return socket::disconnect (in_, what.endpoint);
    case kind::introduce:
        introduce_locked (what.node);
        break;
    case kind::came:
    case kind::gone:
        arrivals_.push_back (what);
        break;
    }
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// Whom else we know.
void spot_node::introduce_locked (std::uint64_t node)
{
    std::vector<std::byte> fields;
    std::size_t count = 0;
    const auto say = [&] {
        if (std::exchange (count, 0) != 0)
            (void)post (node, static_cast<std::uint16_t> (wire::spot_letter::members), fields);
        fields.clear ();
    };
    for (const spot_mesh::member &each : mesh_.members ()) {
        if (each.node == node)
            continue;
        wire::append_spot_member (fields, {.node = each.node, .endpoint = each.endpoint});
        if (++count == wire::spot_members_max)
            say ();
    }
    say ();
}

// Who is no member can be reached by those alone who were told of it.
result<void> spot_node::say_presence_locked ()
{
    const std::string_view endpoint =
      mesh_.is_member () ? std::string_view (advertised_) : std::string_view ();
    std::vector<std::byte> presence = wire::encode_spot_presence ({.node = id_, .endpoint = endpoint});
    if (presence == presence_)
        return {};
    const result<void> said =
      socket::set_option (in_, number_of_subscribe, presence.data (), presence.size ());
    if (!said.ok ())
        return said;
    if (!presence_.empty ())
        (void)socket::set_option (in_, number_of_unsubscribe, presence_.data (), presence_.size ());
    presence_.swap (presence);
    return {};
}

result<std::string> spot_node::bind (std::string_view endpoint) noexcept
try {
    if (const result<void> bound = socket::bind (out_, endpoint); !bound.ok ())
        return bound.failure ();
    std::array<char, endpoint_bytes_max> text{};
    std::size_t size = text.size ();
    const result<void> got = socket::get_option (out_, number_of_last_endpoint, text.data (), &size);
    if (!got.ok ())
        return got.failure ();
    const std::string bound (text.data ());
    const result<void> changed = change_mesh ([&] (spot_mesh &mesh) {
        mesh.own (bound);
        hidden_ = hidden_ || has_wildcard (bound);
        if (!has_wildcard (bound) && !advertises_)
            advertised_ = bound;
    });
    if (!changed.ok ())
        return changed.failure ();
    return bound;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> spot_node::advertise (std::string_view endpoint) noexcept
{
    if (!wire::is_endpoint_text (endpoint)
        || judge_offer (endpoint, nearness::same_process) != offer_fault::none)
        return errc::invalid_argument;
    return change_mesh ([&] (spot_mesh &mesh) {
        mesh.own (endpoint);
        advertised_ = endpoint;
        advertises_ = true;
    });
}

result<void> spot_node::add_peer (std::string_view endpoint) noexcept
{
    const result<void> added =
      change_mesh ([&] (spot_mesh &mesh) { (void)mesh.add (endpoint, spot_source::told); });
    if (!added.ok () && added.code () != errc::terminated)
        (void)change_mesh ([&] (spot_mesh &mesh) { (void)mesh.remove (endpoint, spot_source::told); });
    return added;
}

result<void> spot_node::remove_peer (std::string_view endpoint) noexcept
{
    bool known = false;
    const result<void> done =
      change_mesh ([&] (spot_mesh &mesh) { known = mesh.remove (endpoint, spot_source::told); });
    return done.ok () && !known ? errc::no_such_endpoint : done;
}

result<void> spot_node::join (std::string_view seed) noexcept
try {
    bool is_hidden = false;
    const result<void> added = change_mesh ([&] (spot_mesh &mesh) {
        mesh.be_member ();
        if (seed.empty ())
            return;
        (void)mesh.add (seed, spot_source::seed);
        is_hidden = hidden_ && advertised_.empty ();
    });
    if (is_hidden && added.ok ())
        warn_of_hiding (seed);
    if (!added.ok () && added.code () != errc::terminated)
        (void)change_mesh ([&] (spot_mesh &mesh) { (void)mesh.remove (seed, spot_source::seed); });
    return added;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void spot_node::warn_of_hiding (std::string_view seed) noexcept
try {
    const std::string about (seed);
    if (world_.log != nullptr)
        world_.log->take ({.weight = base::severity::warning,
                           .text =
                             "a node that joins is bound to wildcards alone, so that nobody there can be "
                             "told where it is, and is not read: bind it to an address, or set ADVERTISE",
                           .about = about.c_str ()});
} catch (const std::bad_alloc &) {
    return;
}

result<void> spot_node::leave (std::string_view seed) noexcept
{
    bool known = false;
    const result<void> done = change_mesh ([&] (spot_mesh &mesh) {
        known = seed.empty () ? mesh.leave () : mesh.remove (seed, spot_source::seed);
    });
    return done.ok () && !known ? errc::no_such_endpoint : done;
}

// --- a registry --------------------------------------------------------------------------

result<void> spot_node::join_by (std::shared_ptr<discovery> registry, std::string_view service) noexcept
try {
    std::shared_ptr<listener> fresh;
    if (registry != nullptr) {
        fresh = std::make_shared<listener> (weak_from_this ());
        if (const result<void> watched = registry->watch (wire::family_spot, service); !watched.ok ())
            return watched;
        if (const result<void> added = registry->add_listener (fresh); !added.ok ())
            return added;
    }
    std::string name (service);
    {
        const holding here (mesh_lock_);
        registry_.swap (registry);
        listener_.swap (fresh);
        service_.swap (name);
    }
    if (registry != nullptr && fresh != nullptr) {
        registry->remove_listener (*fresh);
        (void)registry->unwatch (wire::family_spot, name);
    }
    registry_changed ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void spot_node::be_registered_by (std::uint64_t instance) noexcept
{
    const holding here (mesh_lock_);
    registered_by_ = instance;
}

void spot_node::registry_changed () noexcept
{
    registry_due_.store (true);
    if (seat_ != nullptr)
        seat_->wake ();
}

// Those that are listed now, and those that were. Where it is us who leave the registry,
// nothing more is wanted of them.
void spot_node::refresh_registry ()
{
    std::shared_ptr<discovery> registry;
    std::string service;
    std::uint64_t own = 0;
    {
        const holding here (mesh_lock_);
        registry = registry_;
        service = service_;
        own = registered_by_;
    }
    std::vector<std::string> listed;
    if (registry != nullptr)
        registry->for_each (wire::family_spot, service,
                            [&] (std::string_view, std::string_view endpoint, const known_provider &which) {
                                if (own == 0 || which.instance != own)
                                    listed.emplace_back (endpoint);
                            });
    const time_ns now = world_.time.now_ns ();
    (void)change_mesh ([&] (spot_mesh &mesh) {
        for (const std::string &each : listed)
            (void)mesh.add (each, spot_source::registry);
        for (const std::string &each : listed_)
            if (registry == nullptr)
                (void)mesh.remove (each, spot_source::registry);
            else if (std::ranges::find (listed, each) == listed.end ())
                mesh.let_go (now, each, spot_source::registry);
        listed_.swap (listed);
    });
}

// --- the loop's turn ------------------------------------------------------------------------

void spot_node::sockets (std::vector<socket::poll_item> &wanted)
{
    if (over_.load ())
        return;
    wanted.push_back ({out_, base::no_handle, socket::event_in, 0});
    wanted.push_back ({monitor_, base::no_handle, socket::event_in, 0});
    reads_now_ = loop_reads_.load () && !stalled_.load ();
    if (reads_now_)
        wanted.push_back ({in_, base::no_handle, socket::event_in, 0});
}

loop_wish spot_node::advance (time_ns now)
{
    loop_wish wish;
    wish.sockets_changed = over_.load ();
    if (wish.sockets_changed)
        return wish;
    if (hear_presences (now))
        wish.due_ns = now;
    hear_monitor ();
    if (registry_due_.exchange (false))
        refresh_registry ();
    std::vector<spot_mesh::action> arrivals;
    spot_extension *extended = nullptr;
    {
        const holding here (mesh_lock_);
        wish.due_ns = std::min (wish.due_ns, mesh_.advance (now));
        (void)act_all_locked ();
        if (mesh_.has_actions ())
            wish.due_ns = std::min (wish.due_ns, now + want_pause_ns);
        arrivals.swap (arrivals_);
        extended = extension ();
    }
    if (!arrivals.empty ())
        came_.ring ();
    if (extended != nullptr) {
        for (const spot_mesh::action &each : arrivals)
            each.what == spot_mesh::action::kind::came ? extended->came (each.node)
                                                       : extended->gone (each.node);
        wish.due_ns = std::min (wish.due_ns, extended->advance (now));
    }
    wish.due_ns = std::min (wish.due_ns, stand_in (now));
    wish.sockets_changed = reads_now_ != (loop_reads_.load () && !stalled_.load ());
    return wish;
}

// Subscriptions as they come and go. True: there may be more.
bool spot_node::hear_presences (time_ns now)
{
    unsigned count = 0;
    while (count < notices_per_turn
           && (unheard_ || socket::receive (out_, notice_, socket::io_dont_wait).ok ())) {
        ++count;
        unheard_ = true;  // without memory it is heard the next time
        const bytes_view what = notice_.view ();
        wire::spot_presence who;
        if (!what.empty ()
            && wire::decode_spot_presence (what.subspan (1), who) == wire::service_status::complete) {
            const holding here (mesh_lock_);
            if (what.front () == std::byte{1})
                mesh_.present (now, who.node, who.endpoint);
            else
                mesh_.absent (now, who.node, who.endpoint);
        }
        unheard_ = false;
    }
    return count == notices_per_turn;
}

// Under the table lock.
void spot_node::hear_members (bytes_view fields) noexcept
try {
    const time_ns now = world_.time.now_ns ();
    wire::service_field_reader reader (fields);
    wire::service_field each;
    std::size_t count = 0;
    {
        const holding here (mesh_lock_);
        while (reader.next (each) && count < wire::spot_members_max) {
            wire::spot_presence who;
            if (each.tag != wire::spot_tag_member || !wire::read_spot_member (each.value, who))
                continue;
            mesh_.told_of (now, who.node, who.endpoint);
            ++count;
        }
    }
    seat_->wake ();
} catch (const std::bad_alloc &) {
    return;
}

// What has happened to connections is seen to by who reads.
void spot_node::hear_monitor () noexcept
{
    message notice;
    notice.init ();
    bool any = false;
    while (socket::receive (monitor_, notice, socket::io_dont_wait).ok ())
        any = true;
    notice.close ();
    if (!any)
        return;
    if (!try_lead ()) {
        (void)poke ();  // the loop waits for nobody
        return;
    }
    {
        const holding table (table_lock_);
        take_events_locked ();
        if (reading_.at == reading_.count && reading_.parts_count == 0)
            reading_.doubtful = false;
        settle_locked ();
    }
    (void)read_on ([this] { return reading_.broke != 0; });
    lead_off ();
}

// --- where nobody reads ------------------------------------------------------------------------

// Who reads is not disturbed. When nobody has begun to for a while, the loop does; while
// somebody sleeps in there for long, the loop sleeps, too.
time_ns spot_node::stand_in (time_ns now) noexcept
{
    const std::uint64_t attended = attended_.load (std::memory_order_seq_cst);
    if (attended != std::exchange (attended_before_, attended)) {
        loop_reads_.store (false, std::memory_order_seq_cst);
        return unread_ns_ = now + spot_unread_ns;
    }
    if (now < unread_ns_)
        return unread_ns_;
    if (leading_.load (std::memory_order_seq_cst)) {
        loop_reads_.store (false, std::memory_order_seq_cst);
        loop_rests_.store (true, std::memory_order_seq_cst);
        return leading_.load (std::memory_order_seq_cst) ? base::never_ns : now + spot_unread_ns;
    }
    loop_reads_.store (true, std::memory_order_seq_cst);
    return read_as_loop () ? now : base::never_ns;
}

// True: there may be more.
bool spot_node::read_as_loop () noexcept
{
    if (stalled_.load (std::memory_order_seq_cst) || !try_lead ())
        return false;
    const bool more = read_on ([] { return true; });
    lead_off ();
    return more;
}

// As long as there is something, and that holds. Of the loop, which leads. True: there may be more.
template <class Condition> bool spot_node::read_on (Condition holds) noexcept
{
    loop_leads_.store (true, std::memory_order_seq_cst);
    unsigned batches = 0;
    while (batches < batches_per_turn && holds () && !stalled_.load (std::memory_order_seq_cst)
           && read (0) == errc::ok)
        ++batches;
    loop_leads_.store (false, std::memory_order_seq_cst);
    return batches == batches_per_turn;
}

// --- waiting for others ------------------------------------------------------------------------

std::size_t spot_node::nodes () noexcept
{
    const holding here (mesh_lock_);
    return mesh_.present_count ();
}

result<void> spot_node::wait_nodes (std::size_t count, time_ns deadline) noexcept
{
    for (;;) {
        const std::uint32_t heard = came_.heard ();
        if (over_.load ())
            return errc::terminated;
        if (nodes () >= count)
            return {};
        if (world_.time.now_ns () >= deadline)
            return errc::timed_out;
        if (came_.wait (heard, deadline) == base::wait_outcome::interrupted)
            return errc::interrupted;
    }
}

}  // namespace zlink::service

#include "service/registry.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "base/appending.hpp"
#include "service/next_part.hpp"
#include "service/option_numbers.hpp"
#include "service/store_record.hpp"
#include "service/votes_file.hpp"

namespace zlink::service {

using base::errc;
using base::result;
using wire::registry_kind;
using wire::registry_message;

namespace {

constexpr unsigned messages_per_turn = 256;
constexpr unsigned pages_per_turn = 256;
// How much may wait for one peer. One page of each of its watches may be under way.
constexpr std::int64_t peer_bytes_max = std::int64_t{8} << 20;
constexpr std::size_t list_page_bytes = wire::registry_page_bytes_max;
constexpr std::array<std::uint16_t, 2> families{wire::family_gateway, wire::family_spot};

registry_settings settings_of (base::world &world, const registry_options &options) noexcept
{
    registry_settings made;
    made.incarnation = world.dice.next () | 1;  // 0 is none
    made.started_ns = world.time.now_ns ();
    made.lease_ns = options.lease_ns;
    made.grace_ns = options.grace_ns;
    return made;
}

std::uint32_t in_ms (base::time_ns time) noexcept
{
    return static_cast<std::uint32_t> (time / base::ns_per_ms);
}

// Who speaks over inproc has no facts; over ipc the address is "localhost:" and numbers.
nearness nearness_of (const base::message &received) noexcept
{
    if (received.facts () == nullptr)
        return nearness::same_process;
    const char *const address = received.facts ()->find ("Peer-Address");
    const std::string_view text = address == nullptr ? std::string_view () : address;
    const bool here =
      text.empty () || text.starts_with ("127.") || text == "::1" || text.starts_with ("localhost:");
    return here ? nearness::same_host : nearness::elsewhere;
}

bool is_every_address (std::string_view endpoint) noexcept
{
    const std::size_t scheme = endpoint.find ("://");
    if (scheme == std::string_view::npos)
        return false;
    const std::string_view host = endpoint.substr (scheme + 3);
    return host.starts_with ("*:") || host.starts_with ("0.0.0.0:") || host.starts_with ("[::]:");
}

}  // namespace

// --- its life ------------------------------------------------------------------------

registry::registry (base::world &world, const registry_settings &settings, const registry_options &options)
  : world_ (world), lock_ (world.sleep), observer_ (options.observer), lease_ns_ (options.lease_ns),
    renew_ns_ (std::min (options.renew_ns, options.lease_ns / 4)), table_ (settings),
    grants_ (world.time.boot_ns (), options.grant_lease_ns)
{
    for (base::message *const each : {&name_, &body_, &page_})
        each->init ();
    for (const std::uint16_t family : families)
        told_up_to_[family].incarnation = settings.incarnation;
}

registry::~registry ()
{
    for (base::message *const each : {&name_, &body_, &page_})
        each->close ();
    if (socket_ != nullptr)
        (void)socket::close (socket_);
}

result<std::shared_ptr<registry>> registry::open (base::world &world,
                                                  void *context,
                                                  const std::shared_ptr<service_loop> &loop,
                                                  const registry_options &options) noexcept
try {
    auto made = std::make_shared<registry> (world, settings_of (world, options), options);
    const result<void *> opened = socket::open (context, type_router);
    if (!opened)
        return opened.failure ();
    made->socket_ = opened.value ();
    const std::array<std::pair<int, int>, 5> wanted{{{number_of_router_mandatory, 1},
                                                     {number_of_router_notify, notify_comers_and_goers},
                                                     {socket::number_of_send_hwm, 0},
                                                     {socket::number_of_receive_hwm, 0},
                                                     {socket::number_of_linger, 0}}};
    for (const auto &[number, value] : wanted)
        if (const result<void> set = made->set_option (number, &value, sizeof value); !set)
            return set.failure ();
    const auto bytes_max = static_cast<std::int64_t> (wire::registry_message_bytes_max);
    (void)made->set_option (number_of_maxmsgsize, &bytes_max, sizeof bytes_max);
    (void)made->set_option (number_of_send_hwm_bytes, &peer_bytes_max, sizeof peer_bytes_max);
    if (const result<void> joined = loop->join (made, made->seat_); !joined)
        return joined.failure ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void registry::close () noexcept
{
    seat_->leave ();
    if (store_ != nullptr) {
        (void)last_turn ();
        store_->end ();
    }
    end_votes ();
    const holding guard (lock_);
    if (socket_ != nullptr)
        (void)socket::close (std::exchange (socket_, nullptr));
}

// Who has said farewell is taken from the store too.
bool registry::last_turn () noexcept
try {
    (void)advance (world_.time.now_ns ());
    return true;
} catch (const std::bad_alloc &) {
    return false;  // their lease ends
}

result<void> registry::set_option (int number, const void *value, std::size_t size) noexcept
{
    return socket::set_option (socket_, number, value, size);
}

result<void> registry::set_lease (base::time_ns lease, base::time_ns renew) noexcept
{
    if (renew <= 0 || renew >= lease)
        return errc::invalid_argument;
    const holding guard (lock_);
    if (bound_)
        return errc::wrong_state;
    lease_ns_ = lease;
    renew_ns_ = renew;
    table_.set_lease (lease);
    return {};
}

result<void> registry::set_limit (registry_limit which, std::size_t most) noexcept
{
    const holding guard (lock_);
    if (bound_)
        return errc::wrong_state;
    table_.set_limit (which, most);
    return {};
}

result<void> registry::set_observer (registry_observer *observer) noexcept
{
    const holding guard (lock_);
    if (bound_)
        return errc::wrong_state;
    observer_ = observer;
    return {};
}

// Read back as the protocol reads it, so that nothing is told that watchers would refuse.
result<void> registry::remember (const wire::provider_view &provider) noexcept
try {
    if (judge_offer (provider.endpoint, nearness::same_process) != offer_fault::none
        || provider.service.empty ())
        return errc::invalid_argument;
    std::vector<std::byte> octets;
    wire::append_provider (provider, octets);
    wire::registry_entries entries (octets);
    wire::registry_entry entry;
    if (!entries.next (entry) || entry.provider != provider)
        return errc::invalid_argument;
    const holding guard (lock_);
    if (bound_)
        return errc::wrong_state;
    switch (table_.remember (provider)) {
    case wire::fault_none:
        return {};
    case wire::fault_taken:
        return errc::address_in_use;
    default:
        return errc::too_many_sockets;
    }
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// The store may tell of itself before it is known here.
result<void> registry::set_store (const store_opener &open) noexcept
try {
    const holding guard (lock_);
    if (bound_ || store_ != nullptr || votes_ != nullptr)
        return errc::wrong_state;
    auto desk = std::make_unique<store_desk> (world_, [seat = seat_.get ()] { seat->wake (); });
    auto grants = std::make_unique<store_grantor> (world_.time, world_.log, grants_.voter ().lease (),
                                                   [seat = seat_.get ()] { seat->wake (); });
    if (const result<void> opened = desk->open (open, lease_ns_); !opened)
        return opened;
    store_grants_ = std::move (grants);
    store_ = std::move (desk);
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// Nobody asks before it is bound: no lock is held while the disk is waited for.
result<void> registry::keep_votes (std::unique_ptr<base::durable_file> file) noexcept
try {
    {
        const holding guard (lock_);
        if (bound_ || store_ != nullptr || votes_ != nullptr)
            return errc::wrong_state;
    }
    auto keeper =
      std::make_unique<vote_keeper> (world_, std::move (file), [seat = seat_.get ()] { seat->wake (); });
    const char *why = nullptr;
    const result<void> begun = keeper->begin (grants_.voter (), world_.time.boot_ns (), why);
    if (why != nullptr && world_.log != nullptr)
        world_.log->take ({.weight = base::severity::error,
                           .text = "the file of votes is not believed, and nothing is granted without it",
                           .about = why});
    if (!begun)
        return begun;
    const holding guard (lock_);
    votes_ = std::move (keeper);
    grants_.keep_record ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

std::optional<std::string> registry::store_route_host () noexcept
{
    const holding guard (lock_);
    return store_ == nullptr ? std::nullopt : store_->route_host ();
}

result<std::string> registry::bind (std::string_view endpoint) noexcept
{
    if (const result<void> bound = socket::bind (socket_, endpoint); !bound)
        return bound.failure ();
    std::array<char, 512> text{};
    std::size_t size = text.size ();
    const result<void> told = socket::get_option (socket_, number_of_last_endpoint, text.data (), &size);
    try {
        std::string real (text.data ());
        if (is_every_address (endpoint))
            warn_of_open_door (endpoint);
        const holding guard (lock_);
        bound_ = true;
        return told ? result<std::string> (std::move (real)) : told.failure ();
    } catch (const std::bad_alloc &) {
        (void)socket::unbind (socket_, text.data ());
        return errc::no_memory;
    }
}

void registry::warn_of_open_door (std::string_view endpoint) noexcept
{
    int mechanism = 0;
    std::size_t size = sizeof mechanism;
    (void)socket::get_option (socket_, number_of_mechanism, &mechanism, &size);
    if (mechanism != 0 || world_.log == nullptr)
        return;
    std::array<char, 128> about{};
    std::copy_n (endpoint.data (), std::min (endpoint.size (), about.size () - 1), about.begin ());
    world_.log->take ({.weight = base::severity::error,
                       .text =
                         "a registry is open to every address of this machine, and whoever reaches it can "
                         "register in the name of others: bind it to one address, or set up CURVE",
                       .about = about.data ()});
}

result<void> registry::add_other (std::string_view endpoint) noexcept
try {
    const holding guard (lock_);
    if (others_count_ >= wire::registry_others_max
        || judge_offer (endpoint, nearness::same_process) != offer_fault::none)
        return errc::invalid_argument;
    std::vector<std::byte> field;
    wire::append_other (endpoint, field);
    base::append (others_, field);
    ++others_count_;
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void>
registry::force_out (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept
{
    {
        const holding guard (lock_);
        if (table_.force_out (family, service, endpoint) != wire::fault_none)
            return errc::no_such_endpoint;
    }
    seat_->wake ();
    return {};
}

registry_facts registry::facts () noexcept
{
    const base::time_ns now = world_.time.now_ns ();
    const holding guard (lock_);
    return {.incarnation = table_.incarnation (),
            .revision = table_.revision (),
            .settled = table_.settled (now),
            .services = table_.services (),
            .providers = table_.providers (),
            .instances = table_.instances (),
            .watches = watchers_.size (),
            .peers = peers_.size (),
            .bytes = table_.bytes ()};
}

result<void> registry::list (std::uint16_t family, std::vector<std::byte> &entries) noexcept
try {
    const holding guard (lock_);
    registry_position at{.incarnation = table_.incarnation (), .since = 0, .base = 0};
    for (bool complete = false; !complete;) {
        const registry_message page = table_.read (family, {}, at, list_page_bytes, entries);
        at.pass (page, table_.revision ());
        complete = (page.flags & wire::registry_flag_complete) != 0;
    }
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// --- the loop's ----------------------------------------------------------------------

void registry::sockets (std::vector<socket::poll_item> &wanted)
{
    wanted.push_back ({socket_, base::no_handle, socket::event_in, 0});
}

loop_wish registry::advance (base::time_ns now)
{
    loop_wish wish;
    registry_observer *observer = nullptr;
    {
        const holding guard (lock_);
        observer = observer_;
        unsigned left = messages_per_turn;
        while (left > 0 && read_one (now))
            --left;
        (void)table_.expire (now);
        if (store_ != nullptr)
            take_store_news (now);
        if (votes_ != nullptr)
            wish.due_ns = write_votes (now);
        if (!settled_told_ && table_.settled (now)) {
            settled_told_ = true;
            watchers_.tell_all ();
        }
        watchers_.note (table_);
        const bool more_pages = send_pages (now);
        tell_owed (now);
        collect_changes ();
        wish.due_ns = std::min (wish.due_ns, table_.next_due ());
        if (!settled_told_)
            wish.due_ns = std::min (wish.due_ns, table_.settles_at ());
        if (anyone_owed_)
            wish.due_ns = std::min (wish.due_ns, now + full_pause_ns);
        if (left == 0 || more_pages)
            wish.due_ns = now;
    }
    tell (observer);
    return wish;
}

// --- peers ---------------------------------------------------------------------------

// Null: no memory.
registry::peer_map::value_type *registry::find_or_add (std::string_view name) noexcept
try {
    if (const auto found = peers_.find (name); found != peers_.end ())
        return &*found;
    const auto added = peers_.emplace (std::string (name), peer{}).first;
    added->second.number = peers_ever_ + 1;
    try {
        by_number_.emplace (added->second.number, &*added);
    } catch (const std::bad_alloc &) {
        peers_.erase (added);
        return nullptr;
    }
    ++peers_ever_;
    return &*added;
} catch (const std::bad_alloc &) {
    return nullptr;
}

void registry::forget (base::time_ns now, peer_map::iterator which) noexcept
{
    table_.peer_gone (now, which->second.number);
    watchers_.peer_gone (which->second.number);
    by_number_.erase (which->second.number);
    peers_.erase (which);
}

// What it sends from now on is ignored, and what it had registered is lost in a while.
void registry::refuse (base::time_ns now, peer_map::value_type &whom, std::uint16_t fault) noexcept
{
    note_refusal (whom.first, fault, {});
    cut_off (now, whom, fault);
    tell_owed (now);
}

// It is told later, when there is room, and begins anew then.
void registry::cut_off (base::time_ns now, peer_map::value_type &whom, std::uint16_t fault) noexcept
{
    whom.second.deaf = anyone_owed_ = true;
    whom.second.owed = fault;
    table_.peer_gone (now, whom.second.number);
    watchers_.peer_gone (whom.second.number);
}

void registry::tell_owed (base::time_ns now) noexcept
{
    if (!std::exchange (anyone_owed_, false))
        return;
    for (auto &each : peers_) {
        if (each.second.owed == wire::fault_none)
            continue;
        registry_message told;
        told.kind = registry_kind::refused;
        told.fault = std::exchange (each.second.owed, wire::fault_none);
        say (now, each, told);
    }
}

// --- what comes ----------------------------------------------------------------------

// False: there is nothing.
bool registry::read_one (base::time_ns now)
{
    if (!take_next_part (socket_, name_))
        return false;
    if (!name_.more () || !take_next_part (socket_, body_))
        return true;
    const std::string_view name = base::as_text (name_.view ());
    const base::message_event event = body_.event ();
    if (event != base::message_event::data) {
        // Another connection may come under the name of one that has gone.
        if (const auto known = peers_.find (name); known != peers_.end ())
            forget (now, known);
        return true;
    }
    const bool alone = !body_.more ();
    peer_map::value_type *const from = find_or_add (name);
    if (from != nullptr && !from->second.deaf && alone)
        take (now, *from, body_);
    while (body_.more () && take_next_part (socket_, body_))
        ;
    if (from != nullptr && !from->second.deaf && !alone)
        refuse (now, *from, wire::fault_malformed);
    return true;
}

void registry::take (base::time_ns now, peer_map::value_type &from, const base::message &body)
{
    from.second.near = nearness_of (body);
    if (wire::is_grant_message (body.view ()))
        return take_grant (now, from, body);
    registry_message what;
    switch (wire::decode_registry_message (body.view (), what)) {
    case wire::service_status::complete:
        break;
    case wire::service_status::version_unsupported:
    case wire::service_status::kind_unknown:
        return refuse (now, from, wire::fault_version);
    default:
        return refuse (now, from, wire::fault_malformed);
    }
    try {
        if (!handle (now, from, what))
            refuse (now, from, wire::fault_malformed);
    } catch (const std::bad_alloc &) {
        answer (now, from, what, wire::fault_out_of_memory);
    }
}

// False: it is a registry's to say.
bool registry::handle (base::time_ns now, peer_map::value_type &from, const registry_message &what)
{
    const peer_number number = from.second.number;
    switch (what.kind) {
    case registry_kind::open:
        take_open (now, from, what);
        return true;
    case registry_kind::put:
        take_put (now, from, what);
        return true;
    case registry_kind::drop:
        if (store_ != nullptr)
            store_->withdraw (number, store_key (what.family, what.service, what.endpoint));
        answer (now, from, what, table_.drop (number, what.family, what.service, what.endpoint));
        return true;
    case registry_kind::renew: {
        const std::uint16_t fault = table_.renew (now, number);
        if (fault != wire::fault_none) {
            answer (now, from, what, fault);
            return true;
        }
        registry_message told;
        told.kind = registry_kind::renewed;
        told.flags = table_.settled (now) ? wire::registry_flag_settled : 0;
        told.request = what.request;
        told.incarnation = table_.incarnation ();
        told.revision = table_.revision ();
        say (now, from, told);
        return true;
    }
    case registry_kind::watch:
        answer (now, from, what,
                watchers_.watch (number, what.family, what.service, what.incarnation, what.since));
        return true;
    case registry_kind::unwatch:
        answer (now, from, what, watchers_.unwatch (number, what.family, what.service));
        return true;
    case registry_kind::seen:
        watchers_.seen (number, what.family, what.service, what.revision);
        return true;
    case registry_kind::close:
        (void)table_.close (number);
        return true;
    default:
        return false;
    }
}

// An answer that has no room is asked for again.
void registry::take_grant (base::time_ns now, peer_map::value_type &from, const base::message &body)
try {
    octets_.clear ();
    const wire::service_status status =
      store_ != nullptr ? store_grants_->take (store_->store (), from.first, body.view ())
                        : grants_.take (world_.time.boot_ns (), from.first, body.view (), octets_);
    if (status != wire::service_status::complete)
        return refuse (
          now, from, status == wire::service_status::malformed ? wire::fault_malformed : wire::fault_version);
    if (!octets_.empty ())
        send_grant (from.first, octets_);
} catch (const std::bad_alloc &) {
    // As if it had been lost on the way.
}

void registry::take_open (base::time_ns now, peer_map::value_type &from, const registry_message &what)
{
    const std::uint16_t fault = table_.open (now, from.second.number, what.instance, what.token);
    if (fault != wire::fault_none)
        return answer (now, from, what, fault);
    registry_message told;
    told.kind = registry_kind::opened;
    told.flags = table_.settled (now) ? wire::registry_flag_settled : 0;
    told.request = what.request;
    told.incarnation = table_.incarnation ();
    told.revision = table_.revision ();
    told.lease_ms = in_ms (lease_ns_);
    told.renew_ms = in_ms (renew_ns_);
    told.others = others_;
    say (now, from, told);
}

void registry::take_put (base::time_ns now, peer_map::value_type &from, const registry_message &what)
{
    const offer_fault unreachable = judge_offer (what.provider.endpoint, from.second.near);
    if (unreachable != offer_fault::none) {
        note_refusal (from.first, wire::fault_endpoint, what.provider.endpoint);
        return answer (now, from, what, wire::fault_endpoint, offer_fault_name (unreachable));
    }
    if (store_ != nullptr) {
        const std::uint64_t session = table_.instance_of (from.second.number);
        if (session == 0)
            return answer (now, from, what, wire::fault_no_session);
        if (session != what.provider.instance)
            return answer (now, from, what, wire::fault_not_yours);
    }
    wire::provider_view offered = what.provider;
    offered.version = std::max<std::uint64_t> (offered.version, 1);  // 0: what is only remembered
    offered.registered_at_ms = static_cast<std::uint64_t> (world_.time.unix_s ()) * 1000;
    if (store_ != nullptr)
        return store_->want (from.second.number, what.request, from.second.near, offered);
    const std::uint16_t fault = table_.put (now, from.second.number, offered);
    if (fault != wire::fault_none && fault != wire::fault_no_session)
        note_refusal (from.first, fault, what.provider.endpoint);
    answer (now, from, what, fault);
}

void registry::answer (base::time_ns now,
                       peer_map::value_type &to,
                       const registry_message &what,
                       std::uint16_t fault,
                       std::string_view text) noexcept
{
    registry_message told;
    told.kind = registry_kind::answer;
    told.request = what.request;
    told.incarnation = table_.incarnation ();
    told.revision = table_.revision ();
    told.fault = fault;
    told.text = text;
    say (now, to, told);
}

void registry::note_refusal (std::string_view whom, std::uint16_t fault, std::string_view about) noexcept
try {
    if (observer_ != nullptr)
        refusals_.push_back ({std::string (whom), fault, std::string (about)});
} catch (const std::bad_alloc &) {
    // Nobody hears of it.
}

void registry::send_grant (std::string_view name, base::bytes_view answer) noexcept
{
    base::message body;
    if (!body.init_copy (answer).ok ())
        return;
    (void)send (name, body);
    body.close ();
}

// --- votes ---------------------------------------------------------------------------

// Whatever was voted for while one text was written goes in the next. Answers when to look
// again.
base::time_ns registry::write_votes (base::time_ns now)
{
    if (const std::optional<result<void>> outcome = votes_->written ())
        note_votes_written (now, *outcome);
    if (!votes_->idle () || !grants_.has_unwritten ())
        return base::never_ns;
    if (now < votes_again_ns_)
        return votes_again_ns_;
    votes_->write (grants_.begin_writing (world_.time.boot_ns ()));
    return base::never_ns;
}

void registry::note_votes_written (base::time_ns now, const result<void> &outcome)
{
    grants_.end_writing (
      outcome.ok (), [this] (std::string_view name, base::bytes_view answer) { send_grant (name, answer); });
    if (!outcome)
        votes_again_ns_ = now + votes_pause_ns;
    if (std::exchange (votes_fail_, !outcome.ok ()) || outcome.ok () || world_.log == nullptr)
        return;
    world_.log->take ({.weight = base::severity::error,
                       .text = "votes cannot be written down, and nothing new is granted until they can",
                       .about = ""});
}

// Behind this the next start need not wait for leases that have ended.
void registry::end_votes () noexcept
try {
    if (votes_ == nullptr)
        return;
    (void)votes_->end (votes_text (grants_.voter (), world_.time.boot_ns (), true));
    votes_.reset ();
} catch (const std::bad_alloc &) {
    votes_.reset ();  // the next start waits
}

// --- the store -----------------------------------------------------------------------

// Who watches a table that may be old is told so by losing us; who comes again is told
// once it is in step.
void registry::take_store_news (base::time_ns now)
{
    const store_desk::turn happened = store_->take (table_);
    if (happened.lost)
        for (auto &each : peers_)
            if (!each.second.deaf && watchers_.is_watching (each.second.number))
                cut_off (now, each, wire::fault_store_lost);
    for (store_desk::answered next; store_->next (next);)
        answer_stored (now, next);
    store_grants_->turn (store_->store (), [this] (std::string_view name, base::bytes_view answer) {
        send_grant (name, answer);
    });
}

void registry::answer_stored (base::time_ns now, store_desk::answered &what) noexcept
{
    wire::registry_entries entries (what.octets);
    wire::registry_entry entry;
    (void)entries.next (entry);
    std::uint16_t fault = what.fault;
    if (fault == wire::fault_none && !what.withdrawn)
        fault = take_stored (now, what, entry.provider);
    if (fault != wire::fault_none && what.fault == wire::fault_none)
        store_->drop (what.key);
    const auto whom = by_number_.find (what.peer);
    if (whom == by_number_.end () || whom->second->second.deaf)
        return;
    if (fault != wire::fault_none && fault != wire::fault_no_session)
        note_refusal (whom->second->first, fault, entry.provider.endpoint);
    registry_message asked;
    asked.request = what.request;
    answer (now, *whom->second, asked, fault, what.text);
}

// The store has it: so has the table. Why not.
std::uint16_t registry::take_stored (base::time_ns now,
                                     const store_desk::answered &what,
                                     const wire::provider_view &provider) noexcept
try {
    const auto [at, fresh] = stored_.insert (what.key);
    const std::uint16_t fault = table_.put (now, what.peer, provider);
    if (fault != wire::fault_none && fresh)
        stored_.erase (at);
    return fault;
} catch (const std::bad_alloc &) {
    return wire::fault_out_of_memory;
}

// Of entries that have changed, those that providers here had and have no more.
void registry::drop_from_store (base::bytes_view page)
{
    wire::registry_entries entries (page);
    for (wire::registry_entry each; entries.next (each);) {
        if (!each.gone)
            continue;
        const auto ours =
          stored_.find (store_key (each.removed.family, each.removed.service, each.removed.endpoint));
        if (ours == stored_.end ())
            continue;
        store_->drop (*ours);
        stored_.erase (ours);
    }
}

// --- what goes -----------------------------------------------------------------------

void registry::say (base::time_ns now, peer_map::value_type &to, const registry_message &what) noexcept
try {
    octets_.clear ();
    wire::encode_registry_message (what, octets_);
    base::message body;
    std::uint16_t fault = wire::fault_out_of_memory;
    if (body.init_copy (octets_).ok ())
        fault = send (to.first, body);
    body.close ();
    if (fault != wire::fault_none)
        cut_off (now, to, what.kind == registry_kind::refused ? what.fault : fault);
} catch (const std::bad_alloc &) {
    cut_off (now, to,
             what.kind == registry_kind::refused ? what.fault : std::uint16_t{wire::fault_out_of_memory});
}

// Why it could not: no room, or no memory. Who is gone is told of.
std::uint16_t registry::send (std::string_view name, base::message &body) noexcept
{
    std::array<base::message, 2> parts;
    if (!parts[0].init_copy (base::as_bytes (name)).ok ())
        return wire::fault_out_of_memory;
    parts[0].set_more (true);
    parts[1].init ();
    parts[1].move_from (body);
    const base::io_count sent = socket::send_parts (socket_, parts, socket::io_dont_wait);
    for (base::message &each : parts)
        each.close ();
    if (sent.ok () || sent.code () == errc::host_unreachable || sent.code () == errc::terminated)
        return wire::fault_none;
    return sent.code () == errc::no_memory ? wire::fault_out_of_memory : wire::fault_too_many;
}

// True: there are more.
bool registry::send_pages (base::time_ns now)
{
    if (store_ != nullptr && !store_->in_step ())
        return false;
    for (unsigned left = pages_per_turn; left > 0; --left) {
        const std::optional<watch_page> page = watchers_.next (now, table_);
        if (!page)
            return false;
        const auto whom = by_number_.find (page->peer);
        if (whom == by_number_.end ())
            continue;
        if (!page->same || page_.size () != page->octets.size ()) {
            page_.close ();
            if (!page_.init_copy (page->octets).ok ())
                page_.init ();
        }
        std::uint16_t fault = wire::fault_out_of_memory;
        if (page_.size () != 0) {
            base::message body;
            body.init ();
            body.copy_from (page_);
            fault = send (whom->second->first, body);
            body.close ();
        }
        if (fault != wire::fault_none)
            cut_off (now, *whom->second, fault);
    }
    return true;
}

void registry::collect_changes ()
{
    if (observer_ == nullptr && store_ == nullptr)
        return;
    for (auto &[family, at] : told_up_to_)
        while (at.since < table_.revision ()) {
            std::vector<std::byte> entries;
            const registry_message page = table_.read (family, {}, at, list_page_bytes, entries);
            untold_.reserve (untold_.size () + 1);
            if (store_ != nullptr)
                drop_from_store (entries);
            at.pass (page, table_.revision ());
            if (observer_ != nullptr)
                untold_.push_back (std::move (entries));
            if ((page.flags & wire::registry_flag_complete) != 0)
                break;
        }
}

// Only the loop's thread touches the lists.
void registry::tell (registry_observer *observer) noexcept
{
    if (observer == nullptr)
        return;
    for (const std::vector<std::byte> &page : untold_) {
        wire::registry_entries entries (page);
        for (wire::registry_entry each; entries.next (each);)
            observer->changed (each);
    }
    untold_.clear ();
    for (const refusal &each : refusals_)
        observer->refused (each.peer, each.fault, each.about);
    refusals_.clear ();
}

}  // namespace zlink::service

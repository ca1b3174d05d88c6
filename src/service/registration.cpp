#include "service/registration.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "service/offered_endpoint.hpp"

namespace zlink::service {

using base::errc;
using base::result;

namespace {

constexpr std::string_view loopback_host = "127.0.0.1";
constexpr std::string_view any_host = "192.0.2.1";  // documentation's: stands for one that will be known

bool is_loopback (std::string_view host) noexcept
{
    return host.empty () || host.starts_with ("127.") || host == "::1";
}

// As the registry would, with the host that a wildcard gets.
bool can_be_offered (const wire::provider_view &what)
{
    if (what.service.empty () || what.service.size () > wire::service_name_bytes_max
        || what.endpoint.size () > wire::service_endpoint_bytes_max
        || what.host.size () > wire::service_place_bytes_max
        || what.zone.size () > wire::service_place_bytes_max || !wire::are_labels (what.labels))
        return false;
    const result<std::string> real = with_host (what.endpoint, any_host);
    const std::string_view judged = real ? std::string_view (real.value ()) : what.endpoint;
    return judge_offer (judged, nearness::same_process) == offer_fault::none;
}

// Whether its host is every address.
bool has_wildcard (std::string_view endpoint) noexcept
{
    return judge_offer (endpoint, nearness::same_process) == offer_fault::wildcard;
}

}  // namespace

result<std::shared_ptr<registration>>
registration::open (base::world &world, void *context, const std::shared_ptr<service_loop> &loop) noexcept
try {
    std::array<std::byte, wire::registry_token_bytes> token;
    if (world.secrets == nullptr || !world.secrets->fill (token))
        return errc::no_memory;
    const std::uint64_t instance = world.dice.next () | 1;  // 0 is nobody
    auto made = std::make_shared<registration> (world, instance, base::as_text (token));
    if (const result<void> opened = made->line_.open (context); !opened)
        return opened.failure ();
    if (const result<void> joined = loop->join (made, made->seat_); !joined)
        return joined.failure ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// --- what callers want -------------------------------------------------------------

result<void> registration::set_option (int number, const void *value, std::size_t size) noexcept
{
    const holding guard (lock_);
    return line_.set_option (number, value, size);
}

result<void> registration::connect_registry (std::string_view endpoint) noexcept
try {
    result<void> added;
    {
        const holding guard (lock_);
        added = over_ ? errc::terminated : add_registry (endpoint);
    }
    seat_->wake ();
    return added;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void registration::set_route_source (route_source source) noexcept
{
    const holding guard (lock_);
    route_source_.swap (source);
}

result<void> registration::add_registry (std::string_view endpoint)
{
    // One for each that is on the line.
    registries_.emplace_back (instance_, token_);
    const result<registry_line::source_number> added = line_.add (endpoint);
    if (registries_.size () > line_.size ())
        registries_.pop_back ();
    else
        for (offered &each : wishes_)
            each.told = false;
    return added ? result<void>{} : added.failure ();
}

result<void> registration::put (const wire::provider_view &provider) noexcept
try {
    if (!can_be_offered (provider))
        return errc::invalid_argument;
    {
        const holding guard (lock_);
        if (over_)
            return errc::terminated;
        if (const result<void> put = put_locked (provider); !put)
            return put;
    }
    seat_->wake ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> registration::put_locked (const wire::provider_view &provider)
{
    offered made{.family = provider.family,
                 .weight = provider.weight,
                 .version = ++versions_,
                 .service = std::string (provider.service),
                 .endpoint = std::string (provider.endpoint),
                 .host = std::string (provider.host),
                 .zone = std::string (provider.zone),
                 .labels = std::string (provider.labels),
                 .real = {},
                 .told = false};
    offered *const known = find (provider.family, provider.service, provider.endpoint);
    if (known == nullptr) {
        wishes_.push_back (std::move (made));
    } else {
        made.real = known->real;
        *known = std::move (made);
    }
    return {};
}

result<void>
registration::drop (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept
{
    {
        const holding guard (lock_);
        offered *const known = find (family, service, endpoint);
        if (known == nullptr)
            return errc::invalid_argument;
        for (at_registry &each : registries_)
            each.link.drop (family, service, known->real);
        wishes_.erase (wishes_.begin () + (known - wishes_.data ()));
    }
    news_.ring ();
    seat_->wake ();
    return {};
}

registration::offered *
registration::find (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept
{
    const auto found = std::ranges::find_if (wishes_, [&] (const offered &each) {
        return each.family == family && each.service == service && each.endpoint == endpoint;
    });
    return found == wishes_.end () ? nullptr : &*found;
}

// --- what has become of it -----------------------------------------------------------

offer_outcome registration::outcome_of (const offered &which) const
{
    offer_outcome found{.state = offer_state::pending, .endpoint = which.real};
    bool open_question = !which.told || registries_.empty ();
    for (const at_registry &each : registries_) {
        if (!which.told)
            break;
        const offer_state state = each.link.state_of (which.family, which.service, which.real);
        const std::uint16_t whole = each.link.fault ();
        found.registries += state == offer_state::registered;
        const bool refused = state == offer_state::refused || whole != wire::fault_none;
        open_question = open_question || (state != offer_state::registered && !refused);
        if (refused && found.fault == wire::fault_none)
            found.fault = whole != wire::fault_none
                            ? whole
                            : each.link.fault_of (which.family, which.service, which.real);
    }
    if (found.registries > 0) {
        found.state = offer_state::registered;
        found.fault = wire::fault_none;
    } else if (!open_question) {
        found.state = offer_state::refused;
    }
    return found;
}

result<offer_outcome>
registration::outcome (std::uint16_t family, std::string_view service, std::string_view endpoint) noexcept
try {
    const holding guard (lock_);
    const offered *const known = find (family, service, endpoint);
    return known == nullptr ? offer_outcome{} : outcome_of (*known);
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<offer_outcome> registration::wait (std::uint16_t family,
                                          std::string_view service,
                                          std::string_view endpoint,
                                          base::time_ns deadline) noexcept
{
    while (true) {
        const std::uint32_t heard = news_.heard ();
        result<offer_outcome> now = outcome (family, service, endpoint);
        if (!now || now.value ().state == offer_state::registered
            || now.value ().state == offer_state::refused)
            return now;
        if (now.value ().state == offer_state::unknown)
            return errc::invalid_argument;
        {
            const holding guard (lock_);
            if (over_)
                return errc::terminated;
        }
        const base::wait_outcome outcome = news_.wait (heard, deadline);
        if (outcome == base::wait_outcome::interrupted)
            return errc::interrupted;
        if (outcome == base::wait_outcome::timed_out)
            return errc::timed_out;
    }
}

void registration::close () noexcept
{
    {
        const holding guard (lock_);
        over_ = true;
    }
    news_.ring ();
    seat_->leave ();
    const holding guard (lock_);
    for (std::size_t at = 0; at < registries_.size (); ++at) {
        registries_[at].link.leave ();
        try {
            (void)write (world_.time.now_ns (), static_cast<registry_line::source_number> (at));
        } catch (const std::bad_alloc &) {
            // It finds out by the broken connection.
        }
    }
    line_.close ();
}

// --- endpoints -----------------------------------------------------------------------

// False: its endpoint is not known yet.
bool registration::resolve (offered &which)
{
    if (!which.real.empty ())
        return true;
    if (!has_wildcard (which.endpoint)) {
        which.real = which.endpoint;
        return true;
    }
    if (!route_host_)
        return false;
    const bool stays_here = is_loopback (*route_host_);
    const bool is_v6 = route_host_->find (':') != std::string::npos;
    const result<std::string> real =
      with_host (which.endpoint, stays_here && !is_v6 ? loopback_host : std::string_view (*route_host_));
    if (!real)
        return false;
    which.real = real.value ();
    if (stays_here)
        warn_of_loopback (which);
    return true;
}

// Every registry learns of what it does not know yet. What throws is done again.
void registration::tell_links ()
{
    for (offered &each : wishes_) {
        if (each.told || !resolve (each))
            continue;
        const wire::provider_view what{.family = each.family,
                                       .weight = each.weight,
                                       .service = each.service,
                                       .endpoint = each.real,
                                       .version = each.version,
                                       .host = each.host,
                                       .zone = each.zone,
                                       .labels = each.labels};
        for (at_registry &at : registries_)
            at.link.set (what);
        each.told = true;
    }
}

// The route to whoever is connected, where a wildcard waits for it. False: it is not known.
bool registration::find_route ()
{
    const auto waits = [] (const offered &each) {
        return each.real.empty () && has_wildcard (each.endpoint);
    };
    if (route_host_ || std::ranges::none_of (wishes_, waits))
        return true;
    bool anybody = false;
    for (registry_line::source_number at = 0; at < registries_.size () && !route_host_; ++at) {
        anybody = anybody || line_.is_connected (at);
        if (line_.is_connected (at))
            route_host_ = route_source_ ? route_source_ () : line_.route_host (at);
    }
    return route_host_ || !anybody;
}

void registration::warn_of_loopback (const offered &which) noexcept
{
    if (world_.log != nullptr)
        world_.log->take ({.weight = base::severity::warning,
                           .text =
                             "registered for this host only, as the route to the registry does not leave it; "
                             "name the endpoint to advertise where others shall come from elsewhere",
                           .about = which.real.c_str ()});
}

// --- the loop's ----------------------------------------------------------------------

void registration::sockets (std::vector<socket::poll_item> &wanted)
{
    wanted.push_back ({line_.handle (), base::no_handle, socket::event_in, 0});
}

loop_wish registration::advance (base::time_ns now)
{
    loop_wish wish;
    {
        const holding guard (lock_);
        wish.due_ns = line_.read (now, [&] (const line_news &news) { take (now, news); });
        if (!find_route ())
            wish.due_ns = std::min (wish.due_ns, now + wanting_pause_ns);
        tell_links ();
        for (std::size_t at = 0; at < registries_.size (); ++at)
            wish.due_ns = std::min (wish.due_ns, write (now, static_cast<registry_line::source_number> (at)));
    }
    news_.ring ();
    return wish;
}

void registration::take (base::time_ns now, const line_news &news)
{
    at_registry &from = registries_[news.source];
    if (news.what == line_event::connected) {
        from.unsent.clear ();
        from.again_ns = base::never_ns;
        from.link.connected ();
        return;
    }
    if (news.what == line_event::lost) {
        from.unsent.clear ();
        from.again_ns = base::never_ns;
        from.link.lost ();
        return;
    }
    wire::registry_message message;
    if (wire::decode_registry_message (news.octets, message) != wire::service_status::complete)
        return;
    from.link.receive (message);
    if (message.kind == wire::registry_kind::opened)
        add_others (message.others);
    else if (message.kind == wire::registry_kind::refused)
        from.again_ns = now + pause_after (message.fault);
}

// A registry names those that hold the same.
void registration::add_others (base::bytes_view others)
{
    wire::registry_others names (others);
    try {
        for (std::string_view each; names.next (each);)
            (void)add_registry (each);
    } catch (const std::bad_alloc &) {
        // It names them again with the next session.
    }
}

// All that is to be said now; when there is more.
base::time_ns registration::write (base::time_ns now, registry_line::source_number to)
{
    at_registry &at = registries_[to];
    if (now >= at.again_ns) {
        at.again_ns = line_.again (to) ? base::never_ns : now + refused_pause_ns;
        at.unsent.clear ();
        at.link.lost ();
    }
    while (true) {
        try {
            if (at.unsent.empty () && !at.link.next (now, at.unsent))
                return std::min (at.again_ns, at.link.next_due ());
        } catch (const std::bad_alloc &) {
            at.unsent.clear ();
            throw;
        }
        const line_sending sent = line_.send (to, at.unsent);
        if (sent == line_sending::full)
            return now + full_pause_ns;
        at.unsent.clear ();
        if (sent == line_sending::away) {
            at.link.lost ();  // as it will be told
            return base::never_ns;
        }
    }
}

void registration::ended () noexcept
{
    {
        const holding guard (lock_);
        over_ = true;
    }
    news_.ring ();
}

}  // namespace zlink::service

#include "service/discovery.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::service {

using base::errc;
using base::result;
using wire::registry_kind;
using wire::registry_message;

result<std::shared_ptr<discovery>>
discovery::open (base::world &world, void *context, const std::shared_ptr<service_loop> &loop) noexcept
try {
    auto made = std::make_shared<discovery> (world);
    if (const result<void> opened = made->line_.open (context); !opened)
        return opened.failure ();
    if (const result<void> joined = loop->join (made, made->seat_); !joined)
        return joined.failure ();
    return made;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// --- what callers want -------------------------------------------------------------

result<void> discovery::set_option (int number, const void *value, std::size_t size) noexcept
{
    const holding guard (lock_);
    return line_.set_option (number, value, size);
}

result<void> discovery::connect_registry (std::string_view endpoint) noexcept
try {
    {
        const holding guard (lock_);
        if (over_)
            return errc::terminated;
        if (const result<void> added = add_registry (endpoint); !added)
            return added;
    }
    seat_->wake ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// One for each that is on the line.
result<void> discovery::add_registry (std::string_view endpoint)
{
    registries_.emplace_back ();
    const result<registry_line::source_number> added = line_.add (endpoint);
    if (registries_.size () > line_.size ())
        registries_.pop_back ();
    return added ? result<void>{} : added.failure ();
}

result<void> discovery::watch (std::uint16_t family, std::string_view service) noexcept
try {
    if (service.size () > wire::service_name_bytes_max)
        return errc::invalid_argument;
    {
        const holding guard (lock_);
        const base::time_ns now = world_.time.now_ns ();
        known_.watch (family, service);
        const auto [at, fresh] = subjects_.emplace (family, service);
        for (registry_line::source_number i = 0; fresh && i < registries_.size (); ++i)
            if (line_.is_connected (i))
                ask_or_later (now, i, *at);
    }
    seat_->wake ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

result<void> discovery::unwatch (std::uint16_t family, std::string_view service) noexcept
try {
    {
        const holding guard (lock_);
        const auto known = subjects_.find (subject (family, service));
        if (known == subjects_.end ())
            return errc::invalid_argument;
        registry_message told;
        told.kind = registry_kind::unwatch;
        told.family = family;
        told.service = service;
        for (registry_line::source_number i = 0; i < registries_.size (); ++i)
            if (line_.is_connected (i))
                tell (i, told);
        subjects_.erase (known);
        known_.unwatch (family, service);
        turned_ = true;
    }
    seat_->wake ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

// --- what is known -------------------------------------------------------------------

result<std::vector<found_provider>> discovery::providers (std::uint16_t family,
                                                          std::string_view service) noexcept
try {
    std::vector<found_provider> all;
    for_each (family, service, [&all] (std::string_view name, std::string_view endpoint, const auto &found) {
        all.push_back ({std::string (name), std::string (endpoint), found});
    });
    return all;
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void discovery::for_each (std::uint16_t family, std::string_view service, const told_provider &told)
{
    const holding guard (lock_);
    known_.for_each (family, service, told);
}

std::size_t discovery::count (std::uint16_t family, std::string_view service) noexcept
{
    const holding guard (lock_);
    return known_.count (family, service);
}

watch_facts discovery::facts (std::uint16_t family, std::string_view service) noexcept
{
    const base::time_ns now = world_.time.now_ns ();
    const holding guard (lock_);
    return known_.facts (now, family, service);
}

result<void> discovery::wait (std::uint16_t family,
                              std::string_view service,
                              std::size_t providers_min,
                              base::time_ns deadline) noexcept
{
    while (true) {
        const std::uint32_t heard = news_.heard ();
        {
            const holding guard (lock_);
            if (known_.count (family, service) >= providers_min)
                return {};
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

result<void> discovery::add_listener (std::shared_ptr<discovery_listener> listener) noexcept
try {
    const holding guard (lock_);
    listeners_.push_back (std::move (listener));
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

void discovery::remove_listener (const discovery_listener &listener) noexcept
{
    std::shared_ptr<discovery_listener> gone;  // dropped behind the lock
    const holding guard (lock_);
    const auto found = std::ranges::find (listeners_, &listener, &std::shared_ptr<discovery_listener>::get);
    if (found == listeners_.end ())
        return;
    gone = std::move (*found);
    listeners_.erase (found);
}

void discovery::close () noexcept
{
    ended ();
    seat_->leave ();
    const holding guard (lock_);
    line_.close ();
}

void discovery::ended () noexcept
{
    {
        const holding guard (lock_);
        over_ = true;
    }
    news_.ring ();
}

// --- the loop's ----------------------------------------------------------------------

void discovery::sockets (std::vector<socket::poll_item> &wanted)
{
    wanted.push_back ({line_.handle (), base::no_handle, socket::event_in, 0});
}

loop_wish discovery::advance (base::time_ns now)
{
    loop_wish wish;
    {
        const holding guard (lock_);
        for (std::size_t at = 0; at < registries_.size (); ++at)
            do_due (now, static_cast<registry_line::source_number> (at));
        wish.due_ns = line_.read (now, [&] (const line_news &news) { take (now, news); });
        for (std::size_t at = 0; at < registries_.size (); ++at)
            wish.due_ns = std::min (wish.due_ns, write (now, static_cast<registry_line::source_number> (at)));
    }
    if (!tell_listeners ())
        wish.due_ns = std::min (wish.due_ns, now + wanting_pause_ns);
    return wish;
}

// What throws is done again, before anything else.
void discovery::do_due (base::time_ns now, registry_line::source_number which)
{
    at_registry &at = registries_[which];
    if (now >= at.again_ns)
        at.again_ns = line_.again (which) ? base::never_ns : now + refused_pause_ns;
    if (at.unanswered > 0 && now >= at.patient_until_ns) {
        at.unanswered = 0;
        at.watch_due = line_.is_connected (which);
    }
    if (at.lose_due) {
        at.unsent.clear ();
        at.unanswered = 0;
        at.watch_due = false;
        known_.lost (now, which);
        at.lose_due = false;
        turned_ = true;
    }
    if (at.connect_due) {
        known_.connected (which);
        at.connect_due = false;
        at.watch_due = true;
        turned_ = true;
    }
    if (at.watch_due) {
        for (const subject &each : subjects_)
            ask (now, which, each);
        at.watch_due = false;
    }
}

void discovery::take (base::time_ns now, const line_news &news)
{
    at_registry &from = registries_[news.source];
    registry_message message;
    if (news.what == line_event::message) {
        if (wire::decode_registry_message (news.octets, message) != wire::service_status::complete)
            return;
        if (message.kind == registry_kind::page)
            return take_page (now, news.source, message);
        if (message.kind == registry_kind::answer)
            take_answer (now, from, message.fault);
        if (message.kind != registry_kind::refused)
            return;
        from.again_ns = now + pause_after (message.fault);
    }
    from.connect_due = news.what == line_event::connected;
    from.lose_due = true;
    if (news.what != line_event::message)
        from.again_ns = base::never_ns;
    do_due (now, news.source);
}

// What was refused is asked for again, with all others.
void discovery::take_answer (base::time_ns now, at_registry &from, std::uint16_t fault) noexcept
{
    if (fault != wire::fault_none && fault != wire::fault_not_found)
        from.patient_until_ns = now + pause_after (fault);
    else if (from.unanswered > 0)
        --from.unanswered;
}

void discovery::take_page (base::time_ns now, registry_line::source_number from, const registry_message &page)
{
    turned_ = true;
    try {
        if (known_.apply (from, page) != page_status::gap) {
            registry_message seen;
            seen.kind = registry_kind::seen;
            seen.family = page.family;
            seen.service = page.service;
            seen.revision = page.revision;
            return tell (from, seen);
        }
    } catch (const std::bad_alloc &) {
        // As if it had not come.
    }
    registries_[from].watch_due = true;
    do_due (now, from);
}

void discovery::ask (base::time_ns now, registry_line::source_number whom, const subject &what)
{
    const registry_position at = known_.position (whom, what.first, what.second);
    registry_message asked;
    asked.kind = registry_kind::watch;
    asked.request = ++requests_;
    asked.family = what.first;
    asked.service = what.second;
    asked.incarnation = at.incarnation;
    asked.since = at.since;
    tell (whom, asked);
    ++registries_[whom].unanswered;
    registries_[whom].patient_until_ns = now + unanswered_ns;
}

// Without memory it is asked with all others, on the loop.
void discovery::ask_or_later (base::time_ns now,
                              registry_line::source_number whom,
                              const subject &what) noexcept
try {
    ask (now, whom, what);
} catch (const std::bad_alloc &) {
    registries_[whom].watch_due = true;
}

void discovery::tell (registry_line::source_number whom, const registry_message &what)
{
    std::vector<std::byte> octets;
    wire::encode_registry_message (what, octets);
    registries_[whom].unsent.push_back (std::move (octets));
}

// All that is to be said now; when there is more.
base::time_ns discovery::write (base::time_ns now, registry_line::source_number to)
{
    at_registry &at = registries_[to];
    while (!at.unsent.empty ()) {
        const line_sending sent = line_.send (to, at.unsent.front ());
        if (sent == line_sending::full)
            return std::min (at.again_ns, now + full_pause_ns);
        if (sent == line_sending::away)
            at.unsent.clear ();  // it will be told as lost
        else
            at.unsent.pop_front ();
    }
    return at.unanswered > 0 ? std::min (at.again_ns, at.patient_until_ns) : at.again_ns;
}

// False: there was no memory for it; again a little later.
bool discovery::tell_listeners () noexcept
{
    std::vector<service_change> changes;
    std::vector<std::shared_ptr<discovery_listener>> whom;
    {
        const holding guard (lock_);
        if (!turned_)
            return true;
        try {
            whom = listeners_;
        } catch (const std::bad_alloc &) {
            return false;
        }
        turned_ = false;
        changes = known_.take_changes ();
    }
    news_.ring ();
    for (const std::shared_ptr<discovery_listener> &each : whom)
        each->changed (changes);
    return true;
}

}  // namespace zlink::service

#include "service/store_desk.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "service/store_record.hpp"

namespace zlink::service {

using base::errc;
using base::result;

namespace {

bool is_loopback (std::string_view host) noexcept
{
    return host.empty () || host.starts_with ("127.") || host == "::1";
}

// How near a provider is to all who read the store.
nearness nearness_to_all (nearness to_us, std::string_view route_host) noexcept
{
    return is_loopback (route_host) ? std::max (to_us, nearness::same_host) : nearness::elsewhere;
}

std::uint16_t fault_of (base::store_outcome outcome) noexcept
{
    switch (outcome) {
    case base::store_outcome::stored:
        return wire::fault_none;
    case base::store_outcome::no_memory:
        return wire::fault_out_of_memory;
    default:
        return wire::fault_taken;
    }
}

template <std::size_t N> void copy_text (std::string_view from, std::array<char, N> &to) noexcept
{
    to[from.copy (to.data (), N - 1)] = '\0';
}

}  // namespace

result<void> store_desk::open (const store_opener &open, base::time_ns lease) noexcept
try {
    result<std::unique_ptr<base::record_store>> made = open (*this, lease);
    if (!made)
        return made.failure ();
    store_ = std::move (made).value ();
    return {};
} catch (const std::bad_alloc &) {
    return errc::no_memory;
}

std::optional<std::string> store_desk::route_host () noexcept
try {
    const base::locked guard (lock_);
    return route_host_;
} catch (const std::bad_alloc &) {
    return std::nullopt;
}

// --- what providers want ---------------------------------------------------------------

void store_desk::want (peer_number peer,
                       std::uint64_t request,
                       nearness near,
                       const wire::provider_view &provider)
{
    wish made{.answer = {.peer = peer,
                         .request = request,
                         .key = store_key (provider.family, provider.service, provider.endpoint),
                         .octets = store_value (provider)},
              .near = near};
    {
        const base::locked guard (lock_);
        wishes_.emplace (tickets_ + 1, std::move (made));
    }
    ++tickets_;
    send_wishes ();
}

// Those that the store does not have yet: once it was reached, and it is known from where.
void store_desk::send_wishes ()
{
    while (true) {
        std::uint64_t ticket = 0;
        std::string key;
        std::vector<std::byte> value;
        {
            const base::locked guard (lock_);
            const auto next = wishes_.upper_bound (sent_up_to_);
            if (!route_host_ || next == wishes_.end ())
                return;
            wish &which = next->second;
            wire::registry_entries entries (which.answer.octets);
            wire::registry_entry entry;
            (void)entries.next (entry);
            const offer_fault unreachable =
              judge_offer (entry.provider.endpoint, nearness_to_all (which.near, *route_host_));
            if (unreachable != offer_fault::none) {
                which.answer.fault = wire::fault_endpoint;
                which.answer.text = offer_fault_name (unreachable);
                sent_up_to_ = next->first;
                answers_.insert (wishes_.extract (next));
                continue;
            }
            ticket = next->first;
            key = which.answer.key;
            value = which.answer.octets;
            which.sent = true;
            sent_up_to_ = ticket;
        }
        if (!store_->put (ticket, key, value))
            done (ticket, base::store_outcome::no_memory);
    }
}

void store_desk::withdraw (peer_number peer, const std::string &key) noexcept
{
    bool was_sent = false;
    {
        const base::locked guard (lock_);
        for (auto *const some : {&wishes_, &answers_})
            for (auto &[ticket, each] : *some)
                if (each.answer.peer == peer && each.answer.key == key) {
                    each.answer.withdrawn = true;
                    was_sent = was_sent || each.sent;
                }
    }
    if (was_sent)
        store_->drop (key);
}

void store_desk::drop (const std::string &key) noexcept { store_->drop (key); }

bool store_desk::next (answered &out) noexcept
{
    const base::locked guard (lock_);
    if (answers_.empty ())
        return false;
    out = std::move (answers_.begin ()->second.answer);
    answers_.erase (answers_.begin ());
    return true;
}

// --- what the store tells --------------------------------------------------------------

bool store_desk::note (news_kind kind, std::string_view key, base::bytes_view value) noexcept
try {
    {
        news fresh{.kind = kind, .key = std::string (key), .value = {value.begin (), value.end ()}};
        const base::locked guard (lock_);
        news_.push_back (std::move (fresh));
    }
    wake_ ();
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

// A whole list follows, so nothing of what was told before is missed.
void store_desk::lost (std::string_view why) noexcept
{
    {
        const base::locked guard (lock_);
        news_.clear ();
        lost_ = true;
        copy_text (why, why_lost_);
    }
    wake_ ();
}

void store_desk::done (std::uint64_t ticket, base::store_outcome outcome) noexcept
{
    {
        const base::locked guard (lock_);
        const auto found = wishes_.find (ticket);
        if (found == wishes_.end ())
            return;
        found->second.answer.fault = fault_of (outcome);
        answers_.insert (wishes_.extract (found));
    }
    wake_ ();
}

// One's own may be written over, and what nobody can read.
bool store_desk::replaces (base::bytes_view mine, base::bytes_view found) const noexcept
{
    wire::registry_entries ours (mine), theirs (found);
    wire::registry_entry our, their;
    if (!theirs.next (their) || their.gone)
        return true;
    return ours.next (our) && our.provider.instance == their.provider.instance;
}

// --- into the table --------------------------------------------------------------------

store_desk::turn store_desk::take (registry_table &table)
{
    std::array<char, 128> why{};
    bool lost = false;
    {
        const base::locked guard (lock_);
        lost = std::exchange (lost_, false);
        why = why_lost_;
    }
    if (lost) {
        at_hand_.reset ();
        in_step_ = false;
        happened_ = {.lost = true};
        warn ("the store of a registry is not reached, and what it told last may be old", why.data ());
    }
    while (true) {
        if (!at_hand_) {
            const base::locked guard (lock_);
            if (news_.empty ())
                break;
            at_hand_ = std::move (news_.front ());
            news_.pop_front ();
        }
        apply (table, *at_hand_);
        at_hand_.reset ();
    }
    if (happened_.whole)
        send_wishes ();
    return std::exchange (happened_, {});
}

void store_desk::apply (registry_table &table, const news &what)
{
    switch (what.kind) {
    case news_kind::reset:
        for (auto &[key, each] : listed_)
            each.doubted = true;
        return;
    case news_kind::put:
        return take_record (table, what.key, what.value);
    case news_kind::gone:
        return remove (table, what.key);
    case news_kind::whole:
        sweep (table);
        table.settle ();
        in_step_ = happened_.whole = true;
        const base::locked guard (lock_);
        route_host_ = what.key;
        return;
    }
}

void store_desk::take_record (registry_table &table, const std::string &key, base::bytes_view value)
{
    wire::provider_view provider;
    if (!read_store_record (key, value, provider)) {
        warn ("a record of the store is not a provider's, and is passed over", key);
        return remove (table, key);
    }
    listed fresh{.family = provider.family,
                 .service = std::string (provider.service),
                 .endpoint = std::string (provider.endpoint)};
    if (table.adopt (provider) == wire::fault_none)
        listed_.insert_or_assign (key, std::move (fresh));
    else if (!std::exchange (full_, true))
        warn ("the store has more providers than a registry takes, and some are passed over", key);
}

void store_desk::remove (registry_table &table, const std::string &key) noexcept
{
    const auto found = listed_.find (key);
    if (found == listed_.end ())
        return;
    table.disown (found->second.family, found->second.service, found->second.endpoint, wire::removal_expired);
    listed_.erase (found);
}

void store_desk::sweep (registry_table &table) noexcept
{
    for (auto at = listed_.begin (); at != listed_.end ();) {
        if (at->second.doubted)
            table.disown (at->second.family, at->second.service, at->second.endpoint, wire::removal_expired);
        at = at->second.doubted ? listed_.erase (at) : std::next (at);
    }
}

void store_desk::warn (const char *text, std::string_view about) noexcept
{
    if (world_.log == nullptr)
        return;
    std::array<char, 128> short_about{};
    copy_text (about, short_about);
    // A log line has no end of line in it, whatever a key is made of.
    std::ranges::replace_if (
      short_about, [] (char each) { return each != '\0' && static_cast<unsigned char> (each) < ' '; }, '?');
    world_.log->take ({.weight = base::severity::warning, .text = text, .about = short_about.data ()});
}

}  // namespace zlink::service

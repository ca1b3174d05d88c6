#include "engine/backlog.hpp"

#include <new>
#include <utility>

#include "engine/taken.hpp"

namespace zlink::engine {

namespace {

std::string_view topic_of (const std::vector<base::message> &parts) noexcept
{
    return base::as_text (parts.front ().view ());
}

}  // namespace

backlog::~backlog ()
{
    for (entry &each : waiting_)
        taken_from (std::span (each.parts));
}

// The older one goes; its place and its number stay.
backlog::outcome backlog::replace (entry &old, entry &fresh) noexcept
{
    // Without an allocation: the node is the old one's.
    auto node = places_.extract (topic_of (old.parts));
    bytes_ -= old.bytes;
    bytes_ += fresh.bytes;
    std::swap (old.parts, fresh.parts);
    old.bytes = fresh.bytes;
    ++old.missed;
    node.key () = topic_of (old.parts);
    places_.insert (std::move (node));
    taken_from (std::span (fresh.parts));
    return outcome::replaced;
}

// Throws bad_alloc, and nothing has changed then.
void backlog::append (entry &fresh)
{
    waiting_.emplace_back ();
    try {
        // The text stays where it is while the entry moves.
        if (fresh.listed)
            places_.emplace (topic_of (fresh.parts), first_ + waiting_.size () - 1);
    } catch (const std::bad_alloc &) {
        waiting_.pop_back ();
        throw;
    }
    bytes_ += fresh.bytes;
    waiting_.back () = std::move (fresh);
}

backlog::outcome backlog::add (std::span<base::message> parts, bool by_topic, std::uint64_t missed) noexcept
try {
    entry fresh;
    fresh.parts.assign (parts.begin (), parts.end ());
    fresh.listed = by_topic;
    fresh.missed = missed;
    for (const base::message &part : parts)
        fresh.bytes += part.size ();
    outcome done = outcome::added;
    const auto known = places_.empty () ? places_.end () : places_.find (topic_of (fresh.parts));
    if (known != places_.end () && by_topic) {
        done = replace (waiting_[static_cast<std::size_t> (known->second - first_)], fresh);
    } else {
        append (fresh);
        // What comes in the older one's place from now on would overtake this.
        if (known != places_.end ())
            unlist (known);
    }
    for (base::message &part : parts)
        part.init ();
    return done;
} catch (const std::bad_alloc &) {
    return outcome::no_memory;
}

void backlog::unlist (std::unordered_map<std::string_view, std::uint64_t>::iterator at) noexcept
{
    waiting_[static_cast<std::size_t> (at->second - first_)].listed = false;
    places_.erase (at);
}

void backlog::unlist_front () noexcept
{
    if (std::exchange (waiting_.front ().listed, false))
        places_.erase (topic_of (waiting_.front ().parts));
}

std::span<base::message> backlog::front () noexcept
{
    unlist_front ();
    return waiting_.front ().parts;
}

void backlog::pop_front () noexcept
{
    unlist_front ();
    bytes_ -= waiting_.front ().bytes;
    taken_from (std::span (waiting_.front ().parts));
    waiting_.pop_front ();
    ++first_;
}

void backlog::drop_front () noexcept
{
    const std::uint64_t missed = front_missed () + 1;
    pop_front ();
    waiting_.front ().missed += missed;
}

}  // namespace zlink::engine

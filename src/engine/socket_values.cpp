// Last values: what a publisher keeps of each topic for subscribers that come
// later (LAST_VALUES), and how they get it.
//
// A message is kept in the lock hold in which its audience is chosen and it is
// appended for them, and a subscriber gets what is kept in the one in which its
// topic is entered: so it has each message once, and in order.
#include <algorithm>
#include <utility>

#include "base/glob.hpp"
#include "engine/socket_core.hpp"

namespace zlink::engine {

namespace {

std::size_t queued_bytes_of (const pipe &who) noexcept
{
    if (who.kind == pipe_kind::stream)
        return static_cast<const connection &> (who).queued_bytes ();
    const std::size_t behind = who.behind != nullptr ? who.behind->bytes () : 0;
    return behind + static_cast<std::size_t> (static_cast<const inproc_end &> (who).out->queued_bytes ());
}

}  // namespace

// Without CONFLATE, which tears messages of several parts. Throws bad_alloc, and
// nothing has changed then.
void socket_core::settle_values_locked (const settings &wish)
{
    if (!traits_.takes_topics)
        return;
    if (wish.last_values == 0 || wish.conflate) {
        topics_->values.reset ();
        return;
    }
    if (topics_->values == nullptr)
        topics_->values = std::make_unique<last_values> ();
    topics_->values->set_limits (static_cast<std::size_t> (wish.last_values),
                                 static_cast<std::size_t> (wish.last_value_bytes));
}

// A message that is on its way to all who want it. What goes to one alone is
// no news of its topic.
void socket_core::keep_last_locked (std::span<const base::message> parts) noexcept
{
    publishing &own = *topics_;
    if (parts.size () < 2 || own.only != nullptr)
        return;
    if (own.values->keep (parts) == last_values::outcome::kept)
        return;
    ++own.values_not_kept;
    const std::string_view place = last_endpoint_.empty () ? traits_.name : std::string_view (last_endpoint_);
    warn_locked (warning::values_not_kept (1), place);
}

// It was refused after all.
void socket_core::forget_value_locked (std::span<const base::message> parts) noexcept
{
    if (topics_->values != nullptr)
        topics_->values->forget (parts.front ().view ());
}

// Has the peer asked for what begins like this?
bool socket_core::is_asked_by_locked (const pipe &who, base::bytes_view beginning) const noexcept
{
    bool found = false;
    bool maybe = false;
    const topic_trie::subscriber patterns = by_pattern (who);
    topics_->wanted.match (beginning, [&] (topic_trie::subscriber each) {
        found = found || each == &who;
        maybe = maybe || each == patterns;
    });
    return found || (maybe && who.patterns != nullptr && who.patterns->matches (beginning));
}

// What somebody will be sent who is about to get this topic, or what of it
// matches the pattern: of what it gets already it has had the last.
last_values::list
socket_core::values_due_locked (pipe &who, base::bytes_view topic, const base::bytes_view *pattern) noexcept
{
    const last_values *const kept = topics_->values.get ();
    if (kept == nullptr || kept->size () == 0 || wish_.invert_matching)
        return {};
    result<last_values::list> found = topics_->values->find (topic, [&] (base::bytes_view text) {
        return (pattern == nullptr || base::glob_matches (*pattern, text)) && !is_asked_by_locked (who, text);
    });
    if (found.ok ())
        return std::move (found.value ());
    refuse_locked (who, drop_reason::no_memory);
    return {};
}

// Whoever asks again and again, and reads nothing, is not sent all of it each
// time, though no mark may bound its queue.
bool socket_core::has_room_for_value_locked (pipe &who) noexcept
{
    if (who.behind != nullptr && who.behind->empty ())
        catch_up_locked (who);
    const bool room =
      pipe_available_locked (who)
      || (who.kind == pipe_kind::stream && who.credit.give_back () && pipe_available_locked (who));
    return room && queued_bytes_of (who) <= static_cast<std::size_t> (wish_.last_value_bytes);
}

// To one who has just asked, without writing. It is never disconnected for it,
// and nobody waits for it.
void socket_core::send_values_locked (pipe &who, const last_values::list &due) noexcept
{
    const bool waits = wish_.keeps_backlogs () && !wish_.conflate;
    const auto bytes_max = static_cast<std::size_t> (wish_.last_value_bytes);
    for (last_values::value *const each : due) {
        const std::span<base::message> parts (each->parts);
        if (has_room_for_value_locked (who)) {
            if (!copy_to_locked (who, parts))
                miss_locked (who, drop_reason::no_memory);
        } else if (waits && queued_bytes_of (who) <= bytes_max) {
            keep_behind_locked (who, parts);
        } else {
            miss_locked (who, drop_reason::full);
        }
    }
}

}  // namespace zlink::engine
